#include "partitioning/one_hot.hpp"

#include <algorithm>
#include <utility>

#include "partitioning/bit_patterns.hpp"
#include "partitioning/families.hpp"
#include "shardy/ir/attribute_names.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

bool contains(const AxisList& all, const AxisList& some) {
  return set_difference(some, all).empty();
}

/// Whether the only reader of a result combines it over all of the axes. Spec: partitioning 1.2 I5.
bool is_combined_behind(const ir::Module& input, ValueId result, const AxisList& axes) {
  if (input.num_uses(result) != 1) return false;
  const OpId user = input.uses(result).front().op;
  AxisList combined;
  if (input.is(user, OpKind::SdyAllReduce)) {
    combined = input.attribute<ir::AxesAttr>(user, ir::attr::kReductionAxes)->axes;
  } else if (input.is(user, OpKind::SdyReduceScatter)) {
    for (const AxisList& list :
         input.attribute<ir::AxesListsAttr>(user, ir::attr::kReduceScatterAxes)->lists) {
      combined.insert(combined.end(), list.begin(), list.end());
    }
  }
  return contains(combined, axes);
}

}  // namespace

void finish_partial(Lowering& lowering, OpId op, ValueId result, LocalValue made) {
  const Layout layout = lowering.layout_of(result);
  const AxisList parts = made.partial_axes();
  const bool is_declared = !parts.empty() && contains(layout.unreduced, parts);
  const bool is_followed =
      made.axes == layout.axes && is_combined_behind(lowering.input(), result, parts);
  if (!is_declared && !is_followed) made = lowering.combined(std::move(made), parts);
  lowering.bind(result, lowering.conform(op, std::move(made), layout.axes));
}

void finish_lookup(Lowering& lowering, OpId op, Lookup lookup) {
  Emitter& emit = lowering.emit();
  const ValueId result = lowering.input().result(op);
  const ir::Type& global = lowering.input().type(result);
  const AxisList owners = sort_and_merge(std::move(lookup.owners));
  if (sharding_size(owners) > 1 && lookup.hit.valid()) {
    // Declared parts are those of the declared reduction, to which elements without a hit are
    // neutral.
    const Layout layout = lowering.layout_of(result);
    const bool is_declared = contains(layout.unreduced, owners);
    const OpKind reducer = is_declared ? layout.reducer : exact_combiner(global.element());
    const ir::Literal nothing = is_declared ? reducer_identity(reducer, global.element())
                                            : nothing_beside(global.element());
    const std::vector<int64_t> dims(emit.dims(lookup.value).begin(), emit.dims(lookup.value).end());
    lookup.value = emit.select(lookup.hit, lookup.value, emit.splat(dims, nothing));
    LocalValue made = lowering.make(lookup.value, global, std::move(lookup.axes));
    made.partial = PartialResult{owners, reducer, ValueId()};
    return finish_partial(lowering, op, result, std::move(made));
  }
  finish_partial(lowering, op, result, lowering.make(lookup.value, global, std::move(lookup.axes)));
}

ValueId uniform(Emitter& emit, std::span<const int64_t> dims, const Index& number) {
  return emit.broadcast(emit.scalar(number), dims, {});
}

ValueId in_range(Emitter& emit, ValueId value, int64_t low, int64_t high) {
  const std::vector<int64_t> dims(emit.dims(value).begin(), emit.dims(value).end());
  const ValueId from = emit.compare(value, uniform(emit, dims, Index::of(low)), "GE");
  return emit.both(from, emit.compare(value, uniform(emit, dims, Index::of(high)), "LT"));
}

}  // namespace shardy::partitioning
