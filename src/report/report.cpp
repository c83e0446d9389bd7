#include "shardy/report/report.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/parts.hpp"
#include "shardy/simulation/run.hpp"

namespace shardy::report {

namespace {

void add(Total& total, const Collective& row) {
  total.count += row.times.count;
  total.bytes += row.times.count * row.bytes;
  total.messages += row.times.count * row.messages;
  total.seconds += static_cast<double>(row.times.count) * row.seconds;
}

/// Totals by name; equal ones in the order in which they come first.
class Totals {
 public:
  Total& of(const std::string& name) {
    const auto [found, is_new] = places_.try_emplace(name, all_.size());
    if (is_new) all_.emplace_back().name = name;
    return all_[found->second];
  }

  std::vector<Total> take() {
    std::ranges::stable_sort(all_, std::greater<>(), &Total::bytes);
    return std::move(all_);
  }

 private:
  std::vector<Total> all_;
  std::unordered_map<std::string, std::size_t> places_;  // for look-ups only
};

void add_totals(Report& report) {
  Totals kinds;
  Totals axes;
  Totals places;
  for (const Collective& row : report.collectives) {
    add(report.all, row);
    add(kinds.of(row.kind), row);
    add(places.of(row.location), row);
    for (const AxisBytes& load : row.axis_bytes) {
      Total& total = axes.of(load.axis);
      total.count += row.times.count;
      total.bytes += row.times.count * load.bytes;
    }
  }
  report.by_kind = kinds.take();
  report.by_axis = axes.take();
  report.by_location = places.take();
}

}  // namespace

Report make_report(const checking::CompiledProgram& compiled, const CostModel& model) {
  const RunTimes times(compiled.program);
  const RunTimes global_times(compiled.propagated);
  Report report;
  report.collectives = collectives_of(compiled.program, compiled.propagated, times, model);
  add_totals(report);
  report.values = values_of(compiled.propagated, global_times);
  report.peak = memory_peak(compiled.program);
  report.work.once = flops_of(compiled.propagated, global_times);
  report.work.per_device = flops_of(compiled.program, times);
  if (const auto main = compiled.program.main_function()) {
    report.work.devices = simulation::num_devices(compiled.program, *main);
  }
  report.notes = compiled.notes;
  return report;
}

}  // namespace shardy::report
