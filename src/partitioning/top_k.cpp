// chlo.top_k along a sharded dim: each shard ranks its elements, the candidates are gathered and
// ranked again. Spec: partitioning 8.18.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0, %1 = chlo.top_k %a, k = 2             %2, %3 = chlo.top_k %a, k = 2     : tensor<32xf32>
//     : tensor<64xf32> [{"x"}]                %4 = %3 + spmd.coord {"x"} * 32   : global indices
//                                        ->   %5 = spmd.all_gather %2 {"x"}     : tensor<4xf32>
//                                             %6 = spmd.all_gather %4 {"x"}     : tensor<4xi32>
//                                             %0, %7 = chlo.top_k %5, k = 2
//                                             %1 = %6[%7]
#include <utility>
#include <vector>

#include "partitioning/families.hpp"
#include "partitioning/op_layout.hpp"
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
  if (element == ElementType::F8E8M0FNU) bytes.front() = std::byte{0};  // this type has no sign
  const Result<ir::Literal> literal = ir::Literal::make_splat(type, std::move(bytes));
  return literal ? *literal : reducer_identity(OpKind::Maximum, element);
}

struct Ranked {
  ValueId values;
  ValueId places;  // i32, in the ranked dim
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

/// Gathers places[.., chosen[.., i]].
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

/// Ranks local elements, then candidates. Padding comes last in the last shard, so it is never
/// among the results.
Ranked best_of_all(Lowering& lowering, const PartitionedValue& operand, int64_t count) {
  Emitter& emit = lowering.emit();
  const std::size_t last = operand.axes.size() - 1;
  const AxisList& axes = operand.axes[last];
  const int64_t tile = operand.tiling(last).tile;
  Ranked own = top(emit, operand.value, std::min(count, tile));
  const std::vector<int64_t> dims(emit.dims(own.places).begin(), emit.dims(own.places).end());
  const ScalarIndex begin = emit.multiply(emit.coord(lowering.place(), axes), tile);
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
  PartitionedValue operand = lowering.local(input.operand(op, 0));
  operand = lowering.reshard_to(op, std::move(operand), layout->operands.front());
  const ir::Literal worst = last_in_order(operand.global.element());
  operand = lowering.mask(std::move(operand), layout->reduced_dims.front(), worst);
  const ValueId values = input.result(op, 0);
  const ValueId places = input.result(op, 1);
  const Ranked best = best_of_all(lowering, operand, input.type(values).dims().back());
  const auto bind = [&](ValueId result, ValueId value, std::size_t index) {
    PartitionedValue made = lowering.make(value, input.type(result), layout->results[index]);
    lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
  };
  bind(values, best.values, 0);
  bind(places, best.places, 1);
  return {};
}

}  // namespace shardy::partitioning
