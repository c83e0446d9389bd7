// Determines which states of operands an op accepts: all on one mesh, and partial only if the op is
// linear in the operand.
//
//   %p is partial over {"x"} (a sum)
//   negate %p    unreduced={"x"}   ->   negate %p             partial over {"x"}
//   dot %p, %b   unreduced={"x"}   ->   dot %p, %b            partial over {"x"}
//   tanh %p                        ->   %0 = spmd.all_reduce add %p {"x"}
//                                       tanh %0
#include "partitioning/operand_states.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "partitioning/gather.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

// ---- Users that reduce --------------------------------------------------------------------------

namespace {

/// A value and the axes over which the value is partial.
struct PartialOperand {
  ValueId value;
  AxisList axes;
};

/// Returns the unreduced axes of a permute's result for an operand that is partial over `axes`. The
/// permute changes the device order.
std::optional<AxisList> permuted_axes(const ir::Module& input, OpId op, const AxisList& axes) {
  const auto from = ir::get_sharding(input, input.operand(op, 0));
  const auto to = ir::get_sharding(input, input.result(op));
  if (!from || !to || !set_difference(axes, from->unreduced_axes()).empty()) return std::nullopt;
  return to->unreduced_axes();
}

/// Returns the axes over which the collective's result stays partial; std::nullopt if the
/// collective cannot have a partial operand.
std::optional<AxisList> axes_after(const ir::Module& input, OpId op, const AxisList& axes) {
  switch (input.kind(op)) {
    case OpKind::SdyAllReduce:
    case OpKind::SdyReduceScatter:
      return set_difference(axes, ir::combined_axes(input, op));
    case OpKind::SdyCollectivePermute:
      return permuted_axes(input, op, axes);
    case OpKind::OptimizationBarrier:
    case OpKind::SdyAllGather:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
      return axes;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_reduced_by_users(const ir::Module& input, ValueId value, const AxisList& axes) {
  const ir::BlockId block = input.parent_block(input.defining_op(value));
  std::vector<PartialOperand> pending = {{value, axes}};
  while (!pending.empty()) {
    const PartialOperand held = std::move(pending.back());
    pending.pop_back();
    if (sharding_size(held.axes) == 1) continue;
    if (input.num_uses(held.value) == 0) return false;
    for (const auto& use : input.uses(held.value)) {
      std::optional<AxisList> rest = axes_after(input, use.op, held.axes);
      if (!rest || input.parent_block(use.op) != block) return false;
      const bool is_barrier = input.is(use.op, OpKind::OptimizationBarrier);
      pending.push_back({input.result(use.op, is_barrier ? use.operand : 0), *std::move(rest)});
    }
  }
  return true;
}

// ---- States -------------------------------------------------------------------------------------

void OperandStates::bind(ValueId value, PartitionedValue local) {
  held_.emplace_back(value, lowering_.local(value));
  lowering_.bind(value, std::move(local));
}

namespace {

/// Returns the axes that shard the dims of a value.
AxisList axes_of_dims(const PartitionedValue& value) { return sort_and_merge(flatten(value.axes)); }

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

/// Returns the axes over which the op's results can be partial because its operands are.
AxisList OperandStates::passable(const AxisList& unreduced,
                                 const std::vector<ir::OperandRole>& roles) const {
  AxisList all;
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    if (roles[index] == ir::OperandRole::Whole) continue;
    const AxisList own = intersection(lowering_.local(operands_[index]).partial_axes(), unreduced);
    append(all, set_difference(own, all));
  }
  return all;
}

/// Checks whether all partial operands have the reducer of the result, and no operand is used in
/// two different states.
bool OperandStates::can_pass(const Layout& result,
                             const std::vector<ir::OperandRole>& roles) const {
  std::map<ValueId, ir::OperandRole> seen;
  const AxisList passable = this->passable(result.unreduced, roles);
  // A scatter that combines may have sharded updates: each device adds the updates it has.
  const ir::Module& input = lowering_.input();
  const bool allows_sharded =
      input.is(op_, OpKind::Scatter) &&
      ir::recognized_reducers(input, op_, input.num_results(op_)).has_value();
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    const PartitionedValue& value = lowering_.local(operands_[index]);
    const bool fits = !value.partial ||
                      same_reducer(value.partial->reducer, result.reducer, value.global.element());
    const auto [other, is_first] = seen.emplace(operands_[index], roles[index]);
    const bool is_alike = other->second == roles[index] && roles[index] != ir::OperandRole::Factor;
    if (!fits || !(is_first || is_alike)) return false;
    const bool is_sharded_summand = roles[index] == ir::OperandRole::Summand &&
                                    !intersection(axes_of_dims(value), passable).empty();
    if (is_sharded_summand && !allows_sharded) return false;
  }
  return true;
}

/// Returns the axes over which each operand stays partial. Sets passed_, the axes over which the
/// results are then partial.
std::vector<AxisList> OperandStates::kept_axes(const AxisList& unreduced,
                                               const std::vector<ir::OperandRole>& roles) {
  std::vector<AxisList> kept(operands_.size());
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    if (roles[index] == ir::OperandRole::Whole) continue;
    const AxisList own = lowering_.local(operands_[index]).partial_axes();
    kept[index] = set_difference(intersection(own, unreduced), passed_);
    append(passed_, kept[index]);
  }
  passed_ = sort_and_merge(std::move(passed_));
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    if (roles[index] != ir::OperandRole::Summand) continue;
    kept[index] = set_difference(passed_, axes_of_dims(lowering_.local(operands_[index])));
  }
  return kept;
}

OperandStates::OperandStates(Lowering& lowering, OpId op)
    : lowering_(lowering), op_(op), operands_(lowering.input().operands(op)) {
  move_to_place();
  if (!has_partial_operand()) return;
  const ir::Module& input = lowering.input();
  std::vector<ir::OperandRole> roles(operands_.size(), ir::OperandRole::Whole);
  Layout result;
  if (input.num_results(op) > 0) {
    result = lowering.layout_of(input.result(op));
    const std::vector<ir::OperandRole> wanted = ir::operand_roles(input, op, result.reducer);
    if (can_pass(result, wanted)) roles = wanted;
  }
  const std::vector<AxisList> kept = kept_axes(result.unreduced, roles);
  for (std::size_t index = 0; index < operands_.size(); ++index) {
    PartitionedValue value = lowering.local(operands_[index]);
    const AxisList ended = set_difference(value.partial_axes(), kept[index]);
    const AxisList missing = set_difference(kept[index], value.partial_axes());
    if (ended.empty() && missing.empty()) continue;
    value = lowering.combined_first(op, std::move(value), ended);
    if (combines_to_itself(input, operands_[index], result.reducer)) {
      value.partial = PartialResult{kept[index], result.reducer, ValueId()};
      std::ranges::fill(value.padding, std::nullopt);
    } else {
      value = lowering.as_summands(std::move(value), missing, result.reducer);
    }
    bind(operands_[index], std::move(value));
  }
}

OperandStates::~OperandStates() {
  for (auto held = held_.rbegin(); held != held_.rend(); ++held) {
    lowering_.bind(held->first, std::move(held->second));
  }
}

}  // namespace shardy::partitioning
