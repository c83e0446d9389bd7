// broadcast, iota, constant and get_dimension_size need no communication.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = broadcast %a, sizes = [3] : [{}, {"x"}]     ->   %0 = broadcast_in_dim %a : 4 -> 3x4
//   %0 = iota dim = 0 : tensor<8xf32> [{"x"}]        ->   %1 = spmd.coord {"x"} * 4 : tensor<i64>
//                                                         %2 = iota + %1 : tensor<4xi64>
//                                                         %0 = convert %2 : tensor<4xf32>
//   %0 = constant [1, 2, 3, 4] [{"x"}]               ->   %1 = spmd.coord {"x"} * 2
//                                                         %0 = dynamic_slice [1, 2, 3, 4], %1
//   %0 = get_dimension_size %a, dim = 0              ->   %0 = constant 8
#include <numeric>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/op_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/shape_ops.hpp"

namespace shardy::partitioning {

using ir::DenseArrayAttr;
using ir::ElementType;
using ir::IntegerAttr;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

/// Becomes broadcast_in_dim: the sizes in the attribute are global ones. Spec: partitioning 8.15.
Status lower_broadcast(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op);
  if (!layout) return lower_replicated(lowering, op);
  PartitionedValue operand = lowering.local(input.operand(op, 0));
  std::vector<int64_t> mapped(operand.axes.size());
  const Type& global = input.type(input.result(op));
  std::iota(mapped.begin(), mapped.end(), global.rank() - std::ssize(mapped));
  operand = lowering.reshard_to(op, std::move(operand), layout->operands[0]);
  const std::vector<int64_t> dims = lowering.local_dims(global, layout->results[0]);
  lowering.finish(op, lowering.emit().broadcast(operand.value, dims, mapped));
  return {};
}

/// Returns the global size, which is static.
Status lower_dimension_size(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const auto* dim = input.attribute<IntegerAttr>(op, ir::attr::kDimension);
  if (dim == nullptr) return lower_replicated(lowering, op);
  const int64_t size = input.type(input.operand(op, 0)).dim(static_cast<std::size_t>(dim->value));
  const ir::Literal literal = ir::int_splat_literal(input.type(input.result(op)), size);
  lowering.finish(op, lowering.emit().constant(literal));
  return {};
}

/// Adds in i64 and converts once, so that no element is rounded twice. Spec: partitioning 8.1.
Status lower_iota(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const std::vector<int64_t> dims = lowering.local_dims(global, axes);
  const auto dim = static_cast<std::size_t>(ir::view<ir::IotaOp>(input, op).dim);
  if (sharding_size(axes[dim]) == 1) {
    const OpId local = lowering.clone(op, {}, {lowering.local_type(global, axes)});
    lowering.finish(op, lowering.output().result(local));
    return {};
  }
  const ScalarIndex begin = emit.multiply(emit.coord(lowering.place(), axes[dim]),
                                          ceil_div(global.dim(dim), sharding_size(axes[dim])));
  const std::vector<int64_t> line = {dims[dim]};
  const ValueId before = emit.broadcast(emit.scalar(begin), line, {});
  ValueId value = emit.binary(OpKind::Add, emit.iota(dims[dim]), before);
  if (global.element() != ElementType::I64) {
    value =
        emit.builder().create_value(OpKind::Convert, {value}, Type::tensor(line, global.element()));
  }
  const std::vector<int64_t> mapped = {static_cast<int64_t>(dim)};
  lowering.finish(op, emit.broadcast(value, dims, mapped));
  return {};
}

/// Lowers a constant: a splat is local, others are sliced from the global value. Spec:
/// partitioning 8.2.
Status lower_constant(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const auto* held = input.attribute<ir::Literal>(op, ir::attr::kValue);
  if (held == nullptr) {
    return lowering.error(op, "E_UNSUPPORTED_OP",
                          "constant data is elided; a resource section of the file may hold it");
  }
  const ir::Literal& literal = *held;
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (literal.is_splat()) {
    const Result<ir::Literal> element =
        ir::Literal::make(Type::tensor({}, literal.type().element()),
                          {literal.stored().begin(), literal.stored().end()});
    SHARDY_TRY(const ir::Literal scalar, element);
    lowering.finish(op, emit.splat(lowering.local_dims(literal.type(), axes), scalar));
    return {};
  }
  PartitionedValue whole =
      lowering.make(emit.constant(literal), input.type(result), std::vector<AxisList>(axes.size()));
  lowering.bind(result, lowering.reshard_to(op, std::move(whole), axes));
  return {};
}

}  // namespace shardy::partitioning
