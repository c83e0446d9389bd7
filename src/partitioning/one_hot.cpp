#include "partitioning/one_hot.hpp"

#include <algorithm>
#include <utility>

#include "partitioning/bit_patterns.hpp"
#include "partitioning/families.hpp"
#include "partitioning/reduced_by_users.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

bool contains(const AxisList& all, const AxisList& some) {
  return set_difference(some, all).empty();
}

/// Checks whether an operand of the op stays partial, which makes the result partial as well.
bool takes_parts(const Lowering& lowering, OpId op) {
  const std::vector<PartitionedValue> operands = lowering.operands(op);
  return std::ranges::any_of(
      operands, [](const PartitionedValue& value) { return !value.partial_axes().empty(); });
}

/// Returns the reducer of a looked-up result that is declared partial: bits if the program reduces
/// it later, else the declared reducer. Spec: partitioning 5.7.
OpKind lookup_combiner(const Lowering& lowering, OpId op, const Layout& layout) {
  const ValueId result = lowering.input().result(op);
  const bool is_later =
      !takes_parts(lowering, op) && is_reduced_by_users(lowering.input(), result, layout.unreduced);
  return is_later ? exact_combiner(lowering.input().type(result).element()) : layout.reducer;
}

}  // namespace

void finish_partial(Lowering& lowering, OpId op, ValueId result, PartitionedValue made) {
  const Layout layout = lowering.layout_of(result);
  const AxisList parts = made.partial_axes();
  const bool is_declared = !parts.empty() && contains(layout.unreduced, parts);
  const bool is_followed = made.axes == layout.axes && lowering.input().num_uses(result) == 1 &&
                           is_reduced_by_users(lowering.input(), result, parts);
  if (!is_declared && !is_followed) made = lowering.combined(std::move(made), parts);
  lowering.bind(result, lowering.reshard_to(op, std::move(made), layout.axes));
}

void finish_lookup(Lowering& lowering, OpId op, Lookup lookup) {
  Emitter& emit = lowering.emit();
  const ValueId result = lowering.input().result(op);
  const ir::Type& global = lowering.input().type(result);
  const AxisList owners = sort_and_merge(std::move(lookup.owners));
  if (sharding_size(owners) > 1 && lookup.hit.valid()) {
    const Layout layout = lowering.layout_of(result);
    const OpKind reducer = contains(layout.unreduced, owners)
                               ? lookup_combiner(lowering, op, layout)
                               : exact_combiner(global.element());
    const ir::Literal nothing = neutral_to(reducer, global.element());
    const std::vector<int64_t> dims(emit.dims(lookup.value).begin(), emit.dims(lookup.value).end());
    lookup.value = emit.select(lookup.hit, lookup.value, emit.splat(dims, nothing));
    PartitionedValue made = lowering.make(lookup.value, global, std::move(lookup.axes));
    made.partial = PartialResult{owners, reducer, ValueId()};
    return finish_partial(lowering, op, result, std::move(made));
  }
  finish_partial(lowering, op, result, lowering.make(lookup.value, global, std::move(lookup.axes)));
}

ValueId uniform(Emitter& emit, std::span<const int64_t> dims, const ScalarIndex& number) {
  return emit.broadcast(emit.scalar(number), dims, {});
}

ValueId in_range(Emitter& emit, ValueId value, int64_t low, int64_t high) {
  const std::vector<int64_t> dims(emit.dims(value).begin(), emit.dims(value).end());
  const ValueId from = emit.compare(value, uniform(emit, dims, ScalarIndex::of(low)), "GE");
  return emit.both(from, emit.compare(value, uniform(emit, dims, ScalarIndex::of(high)), "LT"));
}

}  // namespace shardy::partitioning
