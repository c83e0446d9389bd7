// chlo.top_k along a cut dim: each shard ranks its own elements, all gather the best ones and rank
// them again. Spec: partitioning 8.18.
#include <utility>
#include <vector>

#include "partitioning/by_rule.hpp"
#include "partitioning/families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

/// Returns the sort key that orders last: -NaN with all bits set.
ir::Literal last_in_order(ElementType element) {
  const Type type = Type::tensor({}, element);
  if (!ir::is_float(element)) return reducer_identity(OpKind::Maximum, element);
  std::vector<std::byte> bytes(ir::size_bytes(element), std::byte{0xFF});
  const int bits = ir::info(element).bits;
  if (bits < 8) bytes.front() = static_cast<std::byte>((1 << bits) - 1);
  if (element == ElementType::F8E8M0FNU) bytes.front() = std::byte{0};  // it has no sign
  const Result<ir::Literal> literal = ir::Literal::make_splat(type, std::move(bytes));
  return literal ? *literal : reducer_identity(OpKind::Maximum, element);
}

struct Ranked {
  ValueId values;
  ValueId places;  // i32, in the row that was ranked
};

Ranked top(Emitter& emit, ValueId value, int64_t count) {
  std::vector<int64_t> dims(emit.dims(value).begin(), emit.dims(value).end());
  dims.back() = count;
  const Type type = emit.module().type(value).with_dims(std::move(dims));
  ir::OpSpec spec{.kind = OpKind::ChloTopK};
  spec.operands = {value};
  spec.result_types = {type, type.with_element(ElementType::I32)};
  spec.attributes.set(ir::attr::kK, ir::IntegerAttr{count, ElementType::I64});
  const OpId op = emit.builder().create(std::move(spec));
  return {emit.module().result(op, 0), emit.module().result(op, 1)};
}

/// places[.., chosen[.., i]].
ValueId picked(Emitter& emit, ValueId places, ValueId chosen) {
  const Type type = emit.module().type(chosen);
  const ir::IntegerAttr last{type.rank() - 1, ElementType::I64};
  ir::OpSpec spec{.kind = OpKind::TorchIndexSelect};
  spec.operands = {places, chosen};
  spec.result_types = {type};
  spec.attributes.set(ir::attr::kDim, last);
  spec.attributes.set(ir::attr::kBatchDims, last);
  return emit.module().result(emit.builder().create(std::move(spec)));
}

/// Padding is last in its shard, and its shard is the last one, so that it is never
/// among the first ones.
Ranked best_of_all(Lowering& lowering, const LocalValue& operand, int64_t count) {
  Emitter& emit = lowering.emit();
  const std::size_t last = operand.axes.size() - 1;
  const AxisList& axes = operand.axes[last];
  const int64_t tile = operand.tiling(last).tile;
  Ranked own = top(emit, operand.value, std::min(count, tile));
  const std::vector<int64_t> dims(emit.dims(own.places).begin(), emit.dims(own.places).end());
  const Index begin = emit.multiply(emit.coord(lowering.place(), axes), tile);
  const ValueId offset = emit.builder().create_value(OpKind::Convert, {emit.scalar(begin)},
                                                     Type::tensor({}, ElementType::I32));
  own.places = emit.binary(OpKind::Add, own.places, emit.broadcast(offset, dims, {}));
  const ValueId values = emit.all_gather(own.values, lowering.place(), axes, last);
  const ValueId places = emit.all_gather(own.places, lowering.place(), axes, last);
  const Ranked best = top(emit, values, count);
  return {best.values, picked(emit, places, best.places)};
}

}  // namespace

/// Spec: partitioning 8.18.
Status lower_top_k(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Cut);
  if (!layout || sharding_size(layout->reduced) == 1) return lower_by_rule(lowering, op);
  LocalValue operand = lowering.local(input.operand(op, 0));
  operand = lowering.conform(op, std::move(operand), layout->operands.front());
  const ir::Literal worst = last_in_order(operand.global.element());
  operand = lowering.mask(std::move(operand), layout->reduced_dims.front(), worst);
  const ValueId values = input.result(op, 0);
  const ValueId places = input.result(op, 1);
  const Ranked best = best_of_all(lowering, operand, input.type(values).dims().back());
  const auto bind = [&](ValueId result, ValueId value, std::size_t index) {
    LocalValue made = lowering.make(value, input.type(result), layout->results[index]);
    lowering.bind(result, lowering.conform(op, std::move(made), lowering.axes_of(result)));
  };
  bind(values, best.values, 0);
  bind(places, best.places, 1);
  return {};
}

}  // namespace shardy::partitioning
