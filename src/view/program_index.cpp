#include "view/program_index.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::view {

using ir::Module;
using ir::OpId;
using ir::ValueId;

OpCost& OpCost::operator+=(const OpCost& other) {
  bytes = saturating_add(bytes, other.bytes);
  collectives = saturating_add(collectives, other.collectives);
  seconds += other.seconds;
  compute_seconds += other.compute_seconds;
  peak_bytes = saturating_add(peak_bytes, other.peak_bytes);
  return *this;
}

namespace {

/// Calls `visit` with each value: results of an op, then arguments of its regions.
template <class Visit>
void for_each_value(const Module& module, OpId op, Visit visit) {
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    visit(module.result(op, index));
  }
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const ValueId arg : module.args(block)) visit(arg);
    }
  }
}

using PlacedKey = std::tuple<std::string, std::string, std::string>;  // maker, place, type

/// Sharding constraints are reshards after import.
PlacedKey key_of(std::string maker, const Location& place, std::string type) {
  if (maker == "sdy.sharding_constraint") maker = "sdy.reshard";
  return {std::move(maker), place.text(), std::move(type)};
}

}  // namespace

std::vector<int64_t> value_numbers(const Module& module, const report::Report& report) {
  std::map<PlacedKey, std::vector<int64_t>> numbers;
  int64_t number = 0;
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::SdyMesh)) continue;
    for_each_value(module, op, [&](ValueId value) {
      numbers[key_of(report::maker_of(module, value), report::place_of(module, value),
                     ir::to_string(module.type(value)))]
          .push_back(number++);
    });
  }
  std::map<PlacedKey, std::size_t> seen;
  std::vector<int64_t> found;
  for (const report::ReportedValue& value : report.values) {
    PlacedKey key = key_of(value.made_by, value.location, value.type);
    const std::vector<int64_t>& same = numbers[key];
    const std::size_t nth = seen[std::move(key)]++;
    found.push_back(nth < same.size() ? same[nth] : -1);
  }
  return found;
}

ValuePairs changed_values(const Module& before, const report::Report& report_before,
                          const Module& after, const report::Report& report_after) {
  const std::vector<int64_t> first = value_numbers(before, report_before);
  const std::vector<int64_t> second = value_numbers(after, report_after);
  ValuePairs pairs;
  for (const auto& [old, now] : report::changed_values(report_before, report_after)) {
    pairs.before.push_back(first[old]);
    pairs.after.push_back(second[now]);
  }
  return pairs;
}

bool has_unique_places(const Module& module) {
  std::unordered_set<std::string> places;
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::SdyMesh) || module.is(op, ir::OpKind::Func)) continue;
    const std::string place = module.location_text(op);
    if (place.empty() || !places.insert(place).second) return false;
  }
  return true;
}

Module numbered(const Module& module) {
  Module copy = module;
  uint32_t number = 0;
  for (const OpId op : ir::pre_order(copy)) {
    copy.set_location(op, copy.add_location(++number, 1));
  }
  return copy;
}

ProgramIndex::ProgramIndex(const ProgramData& data) : data_(data), module_(data.names.module()) {
  numbers_.assign(module_.num_values(), -1);
  const auto add = [&](ValueId value) {
    numbers_[value.index()] = static_cast<int64_t>(values_.size());
    values_.push_back(value);
  };
  all_ops_ = ir::pre_order(module_);
  for (const OpId op : all_ops_) {
    if (module_.is(op, ir::OpKind::SdyMesh)) continue;
    ops_.push_back(op);
    for_each_value(module_, op, add);
    places_.try_emplace(module_.location_text(op), op);
  }
  find_origins();
}

int64_t ProgramIndex::number_of(ValueId value) const {
  return value.valid() && value.index() < numbers_.size() ? numbers_[value.index()] : -1;
}

OpId ProgramIndex::origin(OpId per_device) const {
  return per_device.valid() && per_device.index() < origins_.size() ? origins_[per_device.index()]
                                                                    : OpId();
}

OpId ProgramIndex::op_at(const std::string& location) const {
  const auto found = places_.find(location);
  return found != places_.end() && !location.empty() ? found->second : OpId();
}

// ---- Origins ------------------------------------------------------------------------------------

void ProgramIndex::find_origins() {
  const Module& program = data_.compiled.program;
  origins_.assign(program.num_ops(), OpId());
  const bool is_same = report::is_one_per_device(module_);
  for (const OpId op : ir::pre_order(program)) {
    if (is_same && op.index() < module_.num_ops() && !module_.is_erased(op)) {
      origins_[op.index()] = op;
    } else {
      origins_[op.index()] = op_at(program.location_text(op));
    }
  }
  if (!is_same && !has_unique_places(module_)) find_origins_of_copies();
}

/// Compiles the program in which ops have numbers as locations, so that each op of the result has
/// the number of its source op. Both compilations create the same ops in the same order.
void ProgramIndex::find_origins_of_copies() {
  const auto compiled = report::compile_for_report(numbered(module_), data_.options, data_.context);
  if (!compiled) return;
  const std::vector<OpId> ops = ir::pre_order(data_.compiled.program);
  const std::vector<OpId> copies = ir::pre_order(compiled->program);
  const auto is_same = [&](OpId op, OpId copy) {
    return data_.compiled.program.name(op) == compiled->program.name(copy);
  };
  if (!std::ranges::equal(ops, copies, is_same)) return;
  for (std::size_t index = 0; index < ops.size(); ++index) {
    origins_[ops[index].index()] = numbered_op(compiled->program.location_text(copies[index]));
  }
}

OpId ProgramIndex::numbered_op(const std::string& place) const {
  std::size_t number = 0;
  std::from_chars(place.data(), place.data() + place.size(), number);
  return number >= 1 && number <= all_ops_.size() ? all_ops_[number - 1] : OpId();
}

ValueId ProgramIndex::source_argument(ValueId per_device) const {
  const Module& program = data_.compiled.program;
  const ir::ValueOwner owner = program.owner(per_device);
  const OpId parent = program.parent_op(owner.block);
  if (!program.is(parent, ir::OpKind::Func)) return {};
  const auto function = module_.find_symbol(program.symbol_name(parent));
  if (!function || !module_.is(*function, ir::OpKind::Func)) return {};
  if (module_.is_external(*function)) return {};
  const auto args = module_.args(module_.entry(*function));
  return owner.index < args.size() ? args[owner.index] : ValueId();
}

/// Follows first operands from the collective, through ops with the same source op, to the value
/// that the source op reads or computes.
MovedValue ProgramIndex::moved_by(const report::Collective& row) const {
  constexpr int kMostSteps = 64;
  const Module& program = data_.compiled.program;
  const OpId served = origin(row.op);
  if (!served.valid() || program.num_operands(row.op) == 0) return {};
  ValueId at = program.operand(row.op, 0);
  for (int step = 0; step < kMostSteps; ++step) {
    const OpId maker = program.defining_op(at);
    if (!maker.valid()) return {source_argument(at)};
    const OpId source = origin(maker);
    if (source.valid() && source != served) {
      const uint32_t result = program.owner(at).index;
      if (result < module_.num_results(source)) return {module_.result(source, result)};
      return {};
    }
    const bool is_computed = program.name(maker) == module_.name(served);
    if (is_computed && module_.num_results(served) > 0) return {module_.result(served), true};
    if (program.num_operands(maker) == 0) return {};
    at = program.operand(maker, 0);
  }
  return {};
}

// ---- Costs --------------------------------------------------------------------------------------

std::vector<OpCost> ProgramIndex::costs() const {
  std::vector<OpCost> costs(module_.num_ops());
  for (const report::Collective& row : data_.report.collectives) {
    const OpId op = origin(row.op);
    if (!op.valid()) continue;
    const int64_t bytes = checked_mul(row.times.count, row.bytes).value_or(INT64_MAX);
    costs[op.index()] += {.bytes = bytes,
                          .collectives = row.times.count,
                          .seconds = static_cast<double>(row.times.count) * row.seconds};
  }
  for (const report::TimelineEvent& event : data_.timeline) {
    const OpId op = origin(event.op);
    if (op.valid() && event.axes.empty()) costs[op.index()].compute_seconds += event.seconds;
  }
  const Module& program = data_.compiled.program;
  for (const report::LiveValue& live : data_.report.peak.live) {
    const OpId maker = program.defining_op(live.value);
    OpId op = origin(maker);
    if (!maker.valid()) {
      const ValueId argument = source_argument(live.value);
      if (argument.valid()) op = module_.parent_op(module_.owner(argument).block);
    }
    if (op.valid()) costs[op.index()].peak_bytes += live.bytes;
  }
  return costs;
}

}  // namespace shardy::view
