#include "partitioning/operand_states.hpp"

#include <algorithm>
#include <map>

#include "shardy/algebra/axis_list.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

void OperandStates::bind(ValueId value, PartitionedValue local) {
  held_.emplace_back(value, lowering_.local(value));
  lowering_.bind(value, std::move(local));
}

namespace {

/// Returns the axes that shard a value.
AxisList cut_axes(const PartitionedValue& value) { return sort_and_merge(flatten(value.axes)); }

}  // namespace

void OperandStates::move_to_place() {
  const PlaceRef& place = lowering_.place_ref();
  for (const ValueId operand : operands_) {
    const PartitionedValue& value = lowering_.local(operand);
    if (value.place->mesh == place->mesh) continue;
    bind(operand, lowering_.moved(value, place));
  }
}

bool OperandStates::has_partial_operand() const {
  return std::ranges::any_of(
      operands_, [&](ValueId operand) { return lowering_.local(operand).partial.has_value(); });
}

/// Returns the axes over which the op can pass on partial operands.
AxisList OperandStates::passable(const AxisList& unreduced,
                                 const std::vector<OperandRole>& roles) const {
  AxisList all;
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    if (roles[index] == OperandRole::Whole) continue;
    const AxisList own = intersection(lowering_.local(operands_[index]).partial_axes(), unreduced);
    append(all, set_difference(own, all));
  }
  return all;
}

/// Checks whether all partial operands have the reducer of the result, and no operand would need
/// two states at once.
bool OperandStates::can_pass(const Layout& result, const std::vector<OperandRole>& roles) const {
  std::map<ValueId, OperandRole> seen;
  const AxisList passable = this->passable(result.unreduced, roles);
  // Updates of a scatter may be sharded if the input is partial: each device adds its own.
  const bool takes_cut = lowering_.input().is(op_, OpKind::Scatter);
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    const PartitionedValue& value = lowering_.local(operands_[index]);
    const bool fits = !value.partial ||
                      same_reducer(value.partial->reducer, result.reducer, value.global.element());
    const auto [other, is_first] = seen.emplace(operands_[index], roles[index]);
    const bool is_alike = other->second == roles[index] && roles[index] != OperandRole::Factor;
    if (!fits || !(is_first || is_alike)) return false;
    const bool is_cut =
        roles[index] == OperandRole::Summand && !intersection(cut_axes(value), passable).empty();
    if (is_cut && !takes_cut) return false;
  }
  return true;
}

/// Returns the axes over which each operand stays partial; sets the axes that the op passes on.
std::vector<AxisList> OperandStates::kept_axes(const AxisList& unreduced,
                                               const std::vector<OperandRole>& roles) {
  std::vector<AxisList> kept(operands_.size());
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    if (roles[index] == OperandRole::Whole) continue;
    const AxisList own = lowering_.local(operands_[index]).partial_axes();
    kept[index] = set_difference(intersection(own, unreduced), passed_);
    append(passed_, kept[index]);
  }
  passed_ = sort_and_merge(std::move(passed_));
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    if (roles[index] != OperandRole::Summand) continue;
    kept[index] = set_difference(passed_, cut_axes(lowering_.local(operands_[index])));
  }
  return kept;
}

OperandStates::OperandStates(Lowering& lowering, OpId op)
    : lowering_(lowering), op_(op), operands_(lowering.input().operands(op)) {
  move_to_place();
  if (!has_partial_operand()) return;
  const ir::Module& input = lowering.input();
  std::vector<OperandRole> roles(operands_.size(), OperandRole::Whole);
  Layout result;
  if (input.num_results(op) > 0) {
    result = lowering.layout_of(input.result(op));
    const std::vector<OperandRole> wanted = operand_roles(input, op, result.reducer);
    if (can_pass(result, wanted)) roles = wanted;
  }
  const std::vector<AxisList> kept = kept_axes(result.unreduced, roles);
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    PartitionedValue value = lowering.local(operands_[index]);
    const AxisList ended = set_difference(value.partial_axes(), kept[index]);
    const AxisList missing = set_difference(kept[index], value.partial_axes());
    if (ended.empty() && missing.empty()) continue;
    value = lowering.combined_first(op, std::move(value), ended);
    bind(operands_[index], lowering.as_summands(std::move(value), missing, result.reducer));
  }
}

OperandStates::~OperandStates() {
  for (auto held = held_.rbegin(); held != held_.rend(); ++held) {
    lowering_.bind(held->first, std::move(held->second));
  }
}

}  // namespace shardy::partitioning
