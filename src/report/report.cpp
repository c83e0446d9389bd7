#include "shardy/report/report.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "partitioning/collective_view.hpp"
#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::report {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::ValueId;
using partitioning::SentBytes;

std::vector<ir::ValueId> live_values(const ir::Module& module) {
  std::vector<ir::ValueId> values;
  for (const ir::OpId op : ir::pre_order(module)) {
    for (std::size_t region = 0; region < module.regions(op).size(); ++region) {
      const auto block = ir::entry_block(module, op, region);
      if (!block) continue;
      values.insert(values.end(), module.args(*block).begin(), module.args(*block).end());
    }
    for (const ir::ValueId result : module.results(op)) values.push_back(result);
  }
  return values;
}

namespace {

class ValueReporter {
 public:
  ValueReporter(const Module& module, const RunTimes& times, bool is_per_device)
      : module_(module), times_(times), is_per_device_(is_per_device) {}

  std::vector<ReportedValue> all() {
    values_.reserve(module_.num_values());
    for (const OpId op : ir::pre_order(module_)) {
      const ir::BlockId block = module_.parent_block(op);
      const bool runs = block.valid() && times_.of(block).count > 0;
      for (const ValueId result : module_.results(op)) {
        if (runs) add(result);
      }
      for (const ir::RegionId region : module_.regions(op)) {
        for (const ir::BlockId inner : module_.blocks(region)) {
          if (times_.of(inner).count == 0) continue;
          for (const ValueId arg : module_.args(inner)) add(arg);
        }
      }
    }
    return std::move(values_);
  }

 private:
  void add(ValueId value) {
    const ir::Type& type = module_.type(value);
    if (!type.is_static_tensor()) return;
    ReportedValue row{.made_by = maker_of(module_, value),
                      .location = place_of(module_, value),
                      .type = ir::to_string(type),
                      .sharding = {},
                      .local_type = {},
                      .local_bytes = type.num_bytes()};
    row.local_type = row.type;
    const auto sharding = ir::get_sharding(module_, value);
    if (!is_per_device_ && sharding && sharding->rank() == type.dims().size()) {
      row.sharding = to_string(*sharding);
      const ShardSize shard = shard_size(type, *sharding);
      row.local_type = ir::to_string(shard.type);
      row.local_bytes = shard.type.num_bytes();
      row.padding_bytes = shard.padding_bytes;
    }
    values_.push_back(std::move(row));
  }

  const Module& module_;
  const RunTimes& times_;
  bool is_per_device_;
  std::vector<ReportedValue> values_;
};

}  // namespace

ShardSize shard_size(const ir::Type& type, const TensorSharding& sharding) {
  SHARDY_EXPECTS(sharding.rank() == type.dims().size());
  int64_t shards = 1;
  for (const DimSharding& dim : sharding.dims()) shards *= dim.sharded_size();
  ir::Type local = type.with_dims(sharding.local_shape(type.dims()));
  const int64_t padding = local.num_bytes() - type.num_bytes() / shards;
  return {std::move(local), padding};
}

std::vector<ReportedValue> values_of(const Module& program, const RunTimes& times,
                                     bool is_per_device) {
  return ValueReporter(program, times, is_per_device).all();
}

namespace {

void add(const Module& module, ValueId value, std::vector<LiveValue>& live) {
  const ir::Type& type = module.type(value);
  if (!type.is_static_tensor()) return;
  live.push_back({.value = value,
                  .made_by = maker_of(module, value),
                  .type = ir::to_string(type),
                  .location = place_of(module, value),
                  .bytes = type.num_bytes()});
}

/// Returns the values that are live before the first op.
void add_arguments(const Module& module, OpId function, std::vector<LiveValue>& live) {
  for (const ValueId arg : module.args(module.entry(function))) {
    if (module.num_uses(arg) > 0) add(module, arg, live);
  }
}

/// The values of a block that are live at one of its ops: with the op's results or, if the peak is
/// inside the op, without them.
class LiveAt {
 public:
  LiveAt(const Module& module, OpId op, bool is_inside)
      : module_(module), op_(op), block_(module.parent_block(op)), is_inside_(is_inside) {}

  void add_to(std::vector<LiveValue>& live) const {
    const bool is_condition = in_loop(0);
    for (const ValueId arg : module_.args(block_)) {
      const bool is_carried = is_condition || (in_loop(1) && module_.num_uses(arg) == 0);
      if (is_carried || is_read_from_here(arg)) add(module_, arg, live);
    }
    for (const OpId op : module_.ops(block_)) {
      for (const ValueId result : module_.results(op)) {
        if (op == op_ ? !is_inside_ : is_read_from_here(result)) add(module_, result, live);
      }
      if (op == op_) break;
    }
  }

 private:
  bool in_loop(std::size_t region) const {
    const OpId loop = module_.parent_op(block_);
    return module_.is(loop, ir::OpKind::While) && module_.block(loop, region) == block_;
  }

  /// Checks whether this op or a later one uses the value. If the peak is inside the op, its
  /// operands were already moved into its regions.
  bool is_read_from_here(ValueId value) const {
    return std::ranges::any_of(module_.uses(value), [&](const ir::Use& use) {
      OpId reader = use.op;
      while (module_.parent_block(reader) != block_) reader = module_.parent_op(reader);
      if (reader == op_) return !is_inside_ || reader != use.op;
      return module_.is_before(op_, reader);
    });
  }

  const Module& module_;
  OpId op_;
  BlockId block_;
  bool is_inside_;
};

}  // namespace

std::string maker_of(const Module& module, ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  if (owner.is_result()) return std::string(module.name(owner.op));
  const OpId parent = module.parent_op(owner.block);
  const bool is_function = module.is(parent, ir::OpKind::Func);
  return "argument " + std::to_string(owner.index) + " of " +
         (is_function ? "@" + std::string(module.symbol_name(parent))
                      : std::string(module.name(parent)));
}

Location place_of(const Module& module, ValueId value) {
  const OpId op = module.defining_op(value);
  return op.valid() ? module.source_location(op) : Location();
}

MemoryPeak memory_peak(const Module& per_device) {
  const partitioning::PeakPlace place = partitioning::peak_place(per_device);
  MemoryPeak peak;
  peak.bytes = place.bytes;
  const std::vector<OpId>& path = place.path;
  for (const OpId op : path) {
    LiveAt(per_device, op, op != path.back() || place.is_at_entry).add_to(peak.live);
  }
  if (!path.empty()) {
    peak.op = per_device.name(path.back());
    peak.location = per_device.source_location(path.back());
  }
  const auto entered =
      path.empty() ? per_device.main_function() : ir::callee_of(per_device, path.back());
  if (place.is_at_entry && entered) add_arguments(per_device, *entered, peak.live);
  std::ranges::stable_sort(peak.live, std::greater<>(), &LiveValue::bytes);
  return peak;
}

namespace {

/// Returns per location the first op that computes a value; else its first op with a
/// sharding.
std::unordered_map<std::string, std::string> served_ops(const Module& program) {
  std::unordered_map<std::string, std::string> ops;  // never iterated
  const std::vector<OpId> all = ir::pre_order(program);
  for (const bool computes : {true, false}) {
    for (const OpId op : all) {
      if ((ir::dialect_of(program.kind(op)) == ir::Dialect::Sdy) == computes ||
          program.is(op, ir::OpKind::Func)) {
        continue;
      }
      ops.try_emplace(program.location_text(op), program.name(op));
    }
  }
  return ops;
}

std::vector<AxisBytes> loads_of(const StepCost& cost, const Mesh& mesh) {
  std::vector<AxisBytes> loads;
  for (std::size_t axis = 0; axis < cost.axis_bytes.size(); ++axis) {
    if (cost.axis_bytes[axis] > 0) loads.push_back({mesh.axes()[axis].name, cost.axis_bytes[axis]});
  }
  return loads;
}

/// Returns the type of the first operand and the number of further operands, such as
/// `tensor<2x4xf32> and 1 more`.
std::string operand_text(const Module& module, OpId op) {
  std::string text = ir::to_string(module.type(module.operand(op, 0)));
  const std::size_t others = module.num_operands(op) - 1;
  return others > 0 ? text + " and " + std::to_string(others) + " more" : text;
}

}  // namespace

std::vector<Collective> collectives_of(const Module& per_device, const Module& program,
                                       const RunTimes& times, const CostModel& model) {
  const partitioning::CollectivePrices prices(per_device, model);
  const partitioning::CollectiveViews views(per_device);
  const auto served = served_ops(program);
  std::vector<Collective> all;
  for (const OpId op : ir::pre_order(per_device)) {
    const auto view = views.of(op);
    if (!view) continue;
    const Times count = times.of(per_device.parent_block(op));
    if (count.count == 0) continue;
    const StepCost cost = prices.cost(op);
    Collective row{.op = op,
                   .kind = std::string(per_device.name(op)),
                   .axes = {},
                   .axis_names = {},
                   .type = operand_text(per_device, op),
                   .serves = {},
                   .location = per_device.source_location(op),
                   .times = count,
                   .bytes = cost.bytes,
                   .messages = cost.messages,
                   .seconds = cost.seconds};
    const auto found = served.find(row.location.text());
    if (found != served.end() && !row.location.empty()) row.serves = found->second;
    if (!view->mesh_name.empty()) {
      row.axes = to_string(view->mesh, view->axes);
      for (const AxisRef& axis : view->axes)
        row.axis_names.push_back(view->mesh.axis_name(axis.axis));
      row.axis_bytes = loads_of(cost, view->mesh);
    }
    all.push_back(std::move(row));
  }
  return all;
}

std::vector<EqualCollectives> group_equal(const std::vector<const Collective*>& rows) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  std::map<Key, std::size_t> places;
  std::set<std::pair<std::size_t, Location>> seen;  // rows and locations
  std::vector<EqualCollectives> all;
  for (const Collective* row : rows) {
    SHARDY_EXPECTS(row != nullptr);
    const auto [found, is_new] =
        places.try_emplace({row->kind, row->axes, row->type, row->serves}, all.size());
    if (is_new) all.push_back({.first = row, .locations = {}});
    EqualCollectives& fold = all[found->second];
    if (seen.emplace(found->second, row->location).second && !row->location.empty()) {
      fold.locations.push_back(row->location);
    }
    const auto bytes = checked_mul(row->times.count, row->bytes);
    fold.bytes = saturating_add(fold.bytes, bytes.value_or(std::numeric_limits<int64_t>::max()));
    fold.count = saturating_add(fold.count, row->times.count);
    fold.seconds += static_cast<double>(row->times.count) * row->seconds;
    fold.is_exact = fold.is_exact && row->times.is_exact;
  }
  std::ranges::stable_sort(all, std::greater<>(), &EqualCollectives::bytes);
  return all;
}

std::vector<EqualCollectives> group_equal(const Report& report) {
  std::vector<const Collective*> rows;
  rows.reserve(report.collectives.size());
  for (const Collective& row : report.collectives) rows.push_back(&row);
  return group_equal(rows);
}

namespace {

/// Totals by name. Equal totals are ordered by their first rows. Bytes describe the device that
/// sends most in total, so messages in opposite directions are not added.
class Totals {
 public:
  void add(const std::string& name, const Collective& row, const SentBytes& sent) {
    const auto [found, is_new] = places_.try_emplace(name, all_.size());
    if (is_new) all_.emplace_back().total.name = name;
    SentTotal& entry = all_[found->second];
    const int64_t count = row.times.count;
    entry.total.count += count;
    entry.total.messages += count * row.messages;
    entry.total.seconds += static_cast<double>(count) * row.seconds;
    entry.sent.add(sent, count);
  }

  std::vector<Total> take() {
    std::vector<Total> totals;
    for (SentTotal& entry : all_) {
      entry.total.bytes = entry.sent.most();
      totals.push_back(std::move(entry.total));
    }
    std::ranges::stable_sort(totals, std::greater<>(), &Total::bytes);
    return totals;
  }

 private:
  struct SentTotal {
    Total total;
    SentBytes sent;
  };
  std::vector<SentTotal> all_;
  std::unordered_map<std::string, std::size_t> places_;  // never iterated
};

/// Returns, per axis, the bytes over its links for the device that sends most along the axis.
void add_axes(Totals& axes, const Collective& row, const partitioning::CollectiveView& view) {
  Collective run;
  run.times = row.times;
  for (const AxisBytes& load : row.axis_bytes) {
    const auto axis = view.mesh.find_axis(load.axis);
    if (axis) axes.add(load.axis, run, partitioning::sent_along(view, *axis, load.bytes));
  }
}

}  // namespace

void add_totals(Report& report, const ir::Module& per_device) {
  const partitioning::CollectiveViews views(per_device);
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
    places.add(row.location.text(), row, sent);
  }
  if (!report.collectives.empty()) report.all = all.take().front();
  report.by_kind = kinds.take();
  report.by_axis = axes.take();
  report.by_location = places.take();
}

bool is_one_per_device(const ir::Module& program) {
  const auto main = program.main_function();
  return main && !program.is_external(*main) && simulation::is_per_device(program, *main);
}

DiagnosedResult<checking::CompiledProgram> compile_for_report(
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
  // Each device of a per-device program computes its own part, as in a manual computation. The
  // share is limited to 1, in case lowering computes less than needed_flops counts.
  const double all = report.work.per_device * static_cast<double>(report.work.devices);
  report.work.once = was_per_device ? all : std::min(all, needed_flops(compiled.propagated));
  report.notes = compiled.notes;
  return report;
}

// ---- Runs ---------------------------------------------------------------------------------------

namespace {

using Traffics = std::map<std::string, simulation::Traffic>;

/// Returns the traffic of the busiest device per kind of op.
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
  const auto add_difference = [&](const std::string& kind, const simulation::Traffic& reported,
                                  const simulation::Traffic& seen) {
    if (reported == seen) return;
    text += kind + ": the report has " + std::to_string(reported.bytes_sent) + " bytes by " +
            std::to_string(reported.count) + ", the run " + std::to_string(seen.bytes_sent) +
            " bytes by " + std::to_string(seen.count) + "\n";
  };
  for (const Total& total : report.by_kind) {
    add_difference(total.name, {total.count, total.bytes}, ran[total.name]);
    ran.erase(total.name);
  }
  for (const auto& [kind, traffic] : ran) add_difference(kind, {}, traffic);
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

Cost cost_of(const Report& report) {
  return {.bytes = report.all.bytes,
          .count = report.all.count,
          .seconds = report.all.seconds,
          .peak_bytes = report.peak.bytes,
          .operations = report.work.per_device};
}

double modelled_seconds(const Cost& cost, double operations_per_second) {
  return cost.seconds + cost.operations / operations_per_second;
}

namespace {

// Defining op, type, and number among the values with equal op and type.
using ValueKey = std::tuple<std::string_view, std::string_view, int64_t>;

std::vector<ValueKey> keys_of(const std::vector<ReportedValue>& values) {
  std::map<std::pair<std::string_view, std::string_view>, int64_t> counts;
  std::vector<ValueKey> keys;
  keys.reserve(values.size());
  for (const ReportedValue& value : values) {
    keys.emplace_back(value.made_by, value.type, counts[{value.made_by, value.type}]++);
  }
  return keys;
}

/// Returns the index in `before` of the value that corresponds to each value of `after`.
std::vector<std::optional<std::size_t>> matches_of(const Report& before, const Report& after) {
  std::map<ValueKey, std::size_t> old;
  const std::vector<ValueKey> old_keys = keys_of(before.values);
  for (std::size_t at = 0; at < old_keys.size(); ++at) old[old_keys[at]] = at;
  std::vector<std::optional<std::size_t>> matches;
  for (const ValueKey& key : keys_of(after.values)) {
    const auto found = old.find(key);
    matches.push_back(found == old.end() ? std::nullopt : std::optional(found->second));
  }
  return matches;
}

void compare_values(const Report& before, const Report& after, ReportDifference& difference) {
  const auto matches = matches_of(before, after);
  const int64_t matched =
      std::ranges::count_if(matches, [](const auto& match) { return match.has_value(); });
  difference.values_before = std::ssize(before.values) - matched;
  difference.values_after = std::ssize(after.values) - matched;
  for (const auto& [old, now] : changed_values(before, after)) {
    const ReportedValue& value = after.values[now];
    difference.shardings.push_back(
        {value.made_by, value.location, value.type, before.values[old].sharding, value.sharding});
  }
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> changed_values(const Report& before,
                                                                const Report& after) {
  std::vector<std::pair<std::size_t, std::size_t>> changed;
  const auto matches = matches_of(before, after);
  for (std::size_t at = 0; at < matches.size(); ++at) {
    if (matches[at] && before.values[*matches[at]].sharding != after.values[at].sharding) {
      changed.emplace_back(*matches[at], at);
    }
  }
  return changed;
}

std::vector<CollectiveChange> collective_changes(const Report& before, const Report& after) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, CollectiveChange> changes;
  const auto change_of = [&](const Collective& row) -> CollectiveChange& {
    const auto [found, is_new] = changes.try_emplace({row.kind, row.axes, row.type, row.serves});
    if (is_new) found->second = {row.kind, row.axes, row.type, row.serves};
    return found->second;
  };
  for (const Collective& row : before.collectives) {
    CollectiveChange& change = change_of(row);
    change.count_before += row.times.count;
    change.bytes_before += row.times.count * row.bytes;
  }
  for (const Collective& row : after.collectives) {
    CollectiveChange& change = change_of(row);
    change.count_after += row.times.count;
    change.bytes_after += row.times.count * row.bytes;
  }
  std::vector<CollectiveChange> different;
  for (auto& [key, change] : changes) {
    if (change.count_before == change.count_after) continue;
    different.push_back(std::move(change));
  }
  std::ranges::stable_sort(different, {}, [](const CollectiveChange& change) {
    return change.bytes_before - change.bytes_after;
  });
  return different;
}

bool ReportDifference::is_worse(double tolerance) const {
  const auto exceeds = [&](double was, double now) { return now > was * (1 + tolerance); };
  return exceeds(static_cast<double>(before.bytes), static_cast<double>(after.bytes)) ||
         exceeds(before.seconds, after.seconds) ||
         exceeds(static_cast<double>(before.peak_bytes), static_cast<double>(after.peak_bytes));
}

ReportDifference difference(const Report& before, const Report& after) {
  ReportDifference found{
      .before = cost_of(before), .after = cost_of(after), .shardings = {}, .collectives = {}};
  compare_values(before, after, found);
  found.collectives = collective_changes(before, after);
  return found;
}

}  // namespace shardy::report
