#include "shardy/report/report.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitioning/collective_view.hpp"
#include "report/parts.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"

namespace shardy::report {

namespace {

using partitioning::SentBytes;

/// Totals by name; equal ones in the order in which they come first. Bytes are those of the device
/// that sends most of all rows together, so messages in opposite directions do not add up.
class Totals {
 public:
  void add(const std::string& name, const Collective& row, const SentBytes& sent) {
    const auto [found, is_new] = places_.try_emplace(name, all_.size());
    if (is_new) all_.emplace_back().total.name = name;
    Entry& entry = all_[found->second];
    const int64_t count = row.times.count;
    entry.total.count += count;
    entry.total.messages += count * row.messages;
    entry.total.seconds += static_cast<double>(count) * row.seconds;
    entry.sent.add(sent, count);
  }

  std::vector<Total> take() {
    std::vector<Total> totals;
    for (Entry& entry : all_) {
      entry.total.bytes = entry.sent.most();
      totals.push_back(std::move(entry.total));
    }
    std::ranges::stable_sort(totals, std::greater<>(), &Total::bytes);
    return totals;
  }

 private:
  struct Entry {
    Total total;
    SentBytes sent;
  };
  std::vector<Entry> all_;
  std::unordered_map<std::string, std::size_t> places_;  // for look-ups only
};

/// Over the links of each axis, of the device that sends most along it.
void add_axes(Totals& axes, const Collective& row, const partitioning::CollectiveView& view) {
  Collective run;
  run.times = row.times;
  for (const AxisBytes& load : row.axis_bytes) {
    const auto axis = view.mesh.find_axis(load.axis);
    if (axis) axes.add(load.axis, run, partitioning::sent_along(view, *axis, load.bytes));
  }
}

void add_totals(Report& report, const ir::Module& program) {
  const partitioning::CollectiveViews views(program);
  Totals all;
  Totals kinds;
  Totals places;
  Totals axes;
  for (const Collective& row : report.collectives) {
    const auto view = *views.of(row.op);
    const SentBytes sent = partitioning::sent_bytes(view);
    add_axes(axes, row, view);
    all.add("", row, sent);
    kinds.add(row.kind, row, sent);
    places.add(row.location, row, sent);
  }
  if (!report.collectives.empty()) report.all = all.take().front();
  report.by_kind = kinds.take();
  report.by_axis = axes.take();
  report.by_location = places.take();
}

}  // namespace

bool is_one_per_device(const ir::Module& program) {
  const auto main = program.main_function();
  return main && !program.is_external(*main) && simulation::is_per_device(program, *main);
}

tl::expected<checking::CompiledProgram, Diagnostics> compile_for_report(
    const ir::Module& module, const checking::CompileOptions& options,
    const checking::Context& context) {
  if (!is_one_per_device(module)) return checking::compile(module, options, context);
  Diagnostics errors = ir::verify(module);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  checking::CompiledProgram compiled;
  compiled.propagated = module;
  compiled.collectives = module;
  compiled.program = module;
  return compiled;
}

Report make_report(const checking::CompiledProgram& compiled, const CostModel& model) {
  const RunTimes times(compiled.program);
  const RunTimes global_times(compiled.propagated);
  const bool was_per_device = is_one_per_device(compiled.propagated);
  Report report;
  report.collectives = collectives_of(compiled.program, compiled.propagated, times, model);
  add_totals(report, compiled.program);
  report.values = values_of(compiled.propagated, global_times, was_per_device);
  report.peak = memory_peak(compiled.program);
  report.work.per_device = flops_of(compiled.program, times);
  if (const auto main = compiled.program.main_function()) {
    report.work.devices = simulation::num_devices(compiled.program, *main);
  }
  // Devices of such a program compute parts of their own, as in a manual computation.
  // A share is at most 1, also where lowering computes less than needed_flops finds; no program of
  // the tests is such.
  const double all = report.work.per_device * static_cast<double>(report.work.devices);
  report.work.once = was_per_device ? all : std::min(all, needed_flops(compiled.propagated));
  report.notes = compiled.notes;
  return report;
}

// ---- Runs ---------------------------------------------------------------------------------------

namespace {

using Traffics = std::map<std::string, simulation::Traffic>;

/// Of the busiest device, by kind.
Traffics busiest(std::span<const simulation::DeviceAccount> devices) {
  Traffics most;
  for (const simulation::DeviceAccount& device : devices) {
    for (const auto& [kind, traffic] : device.traffic) {
      simulation::Traffic& kept = most[std::string(ir::info(kind).name)];
      kept.count = std::max(kept.count, traffic.count);
      kept.bytes_sent = std::max(kept.bytes_sent, traffic.bytes_sent);
    }
  }
  return most;
}

bool has_exact_times(const Report& report) {
  return std::ranges::all_of(report.collectives,
                             [](const Collective& row) { return row.times.is_exact; });
}

bool has_branches(const ir::Module& program) {
  return std::ranges::any_of(ir::pre_order(program), [&](ir::OpId op) {
    return program.has_trait(op, ir::kControlFlow) &&
           !program.is(op, ir::OpKind::SdyManualComputation);
  });
}

std::string traffic_difference(const Report& report, Traffics ran) {
  std::string text;
  const auto say = [&](const std::string& kind, const simulation::Traffic& said,
                       const simulation::Traffic& seen) {
    if (said == seen) return;
    text += kind + ": the report has " + std::to_string(said.bytes_sent) + " bytes by " +
            std::to_string(said.count) + ", the run " + std::to_string(seen.bytes_sent) +
            " bytes by " + std::to_string(seen.count) + "\n";
  };
  for (const Total& total : report.by_kind) {
    say(total.name, {total.count, total.bytes}, ran[total.name]);
    ran.erase(total.name);
  }
  for (const auto& [kind, traffic] : ran) say(kind, {}, traffic);
  return text;
}

}  // namespace

std::string run_difference(const checking::CompiledProgram& compiled, const Report& report,
                           std::span<const simulation::DeviceAccount> devices) {
  std::string text;
  if (has_exact_times(report)) text = traffic_difference(report, busiest(devices));
  int64_t peak = 0;
  for (const simulation::DeviceAccount& device : devices) {
    peak = std::max(peak, device.peak_live_bytes);
  }
  const bool may_hold_less = has_branches(compiled.program);
  if (report.peak.bytes == peak || (may_hold_less && report.peak.bytes > peak)) return text;
  return text + "peak: the report has " + std::to_string(report.peak.bytes) + " bytes, the run " +
         std::to_string(peak) + "\n";
}

}  // namespace shardy::report
