// Ops that move or make elements without communication: broadcast, transpose, iota, constant.
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/number.hpp"

namespace shardy::partitioning {

using ir::DenseArrayAttr;
using ir::ElementType;
using ir::IntegerAttr;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

/// Mapped dims are local; a dim of size 1 that is expanded is gathered. Spec: partitioning 8.15.
Status lower_broadcast_in_dim(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const auto& mapped = input.attribute<DenseArrayAttr>(op, "broadcast_dimensions")->values;
  LocalValue operand = lowering.local(input.operand(op, 0));
  std::vector<AxisList> wanted(operand.axes.size());
  for (std::size_t dim = 0; dim < wanted.size(); ++dim) {
    const auto target = static_cast<std::size_t>(mapped[dim]);
    if (operand.dim(dim) == global.dim(target)) wanted[dim] = axes[target];
  }
  operand = lowering.conform(op, std::move(operand), wanted);
  lowering.finish(op, lowering.output().result(lowering.clone(
                          op, {operand.value}, {lowering.local_type(global, axes)})));
  return {};
}

/// Spec: partitioning 8.15.
Status lower_transpose(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const auto& permutation = input.attribute<DenseArrayAttr>(op, "permutation")->values;
  std::vector<AxisList> wanted(axes.size());
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    wanted[static_cast<std::size_t>(permutation[dim])] = axes[dim];
  }
  const LocalValue operand = lowering.conform(op, lowering.local(input.operand(op, 0)), wanted);
  const OpId local =
      lowering.clone(op, {operand.value}, {lowering.local_type(input.type(result), axes)});
  LocalValue made = lowering.make(lowering.output().result(local), input.type(result), axes);
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    made.padding[dim] = operand.padding[static_cast<std::size_t>(permutation[dim])];
  }
  lowering.bind(result, std::move(made));
  return {};
}

/// Counts in i64 and converts once, so that no element is rounded twice. Spec: partitioning 8.1.
Status lower_iota(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const std::vector<int64_t> dims = lowering.local_dims(global, axes);
  const auto dim =
      static_cast<std::size_t>(input.attribute<IntegerAttr>(op, "iota_dimension")->value);
  if (sharding_size(axes[dim]) == 1) {
    const OpId local = lowering.clone(op, {}, {lowering.local_type(global, axes)});
    lowering.finish(op, lowering.output().result(local));
    return {};
  }
  const Index begin = emit.multiply(emit.coord(lowering.place(), axes[dim]),
                                    ceil_div(global.dim(dim), sharding_size(axes[dim])));
  const std::vector<int64_t> line = {dims[dim]};
  ValueId value =
      emit.binary(OpKind::Add, emit.iota(dims[dim]), emit.broadcast(emit.scalar(begin), line, {}));
  if (global.element() != ElementType::I64) {
    value =
        emit.builder().create_value(OpKind::Convert, {value}, Type::tensor(line, global.element()));
  }
  const std::vector<int64_t> mapped = {static_cast<int64_t>(dim)};
  lowering.finish(op, emit.broadcast(value, dims, mapped));
  return {};
}

/// A splat is local; other constants are cut from the whole. Spec: partitioning 8.2.
Status lower_constant(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const auto* held = input.attribute<ir::Literal>(op, "value");
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
  LocalValue whole =
      lowering.make(emit.constant(literal), input.type(result), std::vector<AxisList>(axes.size()));
  lowering.bind(result, lowering.conform(op, std::move(whole), axes));
  return {};
}

}  // namespace shardy::partitioning
