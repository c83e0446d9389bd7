// reduce: kept dims are local, sharded reduced dims leave partial results.
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/reducer.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

int64_t integer_identity(OpKind reducer, ElementType element) {
  const int bits = ir::info(element).bits;
  const bool is_signed = ir::is_signed_integer(element);
  const auto ones = bits == 64 ? UINT64_MAX : (uint64_t{1} << static_cast<unsigned>(bits)) - 1;
  const uint64_t top = is_signed ? ones >> 1U : ones;
  switch (reducer) {
    case OpKind::Multiply:
      return 1;
    case OpKind::And:
      return is_signed || bits == 64 ? int64_t{-1} : static_cast<int64_t>(ones);
    case OpKind::Maximum:
      return is_signed ? -static_cast<int64_t>(top) - 1 : 0;
    case OpKind::Minimum:
      return static_cast<int64_t>(top);
    default:
      return 0;
  }
}

/// What a float sum starts from: +0 would turn -0 into itself, in both parts of a complex number.
ir::Literal negative_zero(const ir::Type& type) {
  if (!ir::is_complex(type.element())) return ir::splat_literal(type, -0.0);
  const bool is_wide = type.element() == ElementType::Complex128;
  std::vector<std::byte> element = ir::encode(-0.0, is_wide ? ElementType::F64 : ElementType::F32);
  element.insert(element.end(), element.begin(), element.end());
  const Result<ir::Literal> literal = ir::Literal::make_splat(type, std::move(element));
  return literal ? *literal : ir::splat_literal(type, -0.0);
}

/// Axes of the reduced dims that no kept dim uses; kept dims as in the result.
std::vector<AxisList> input_axes(const LocalValue& first, std::span<const std::size_t> reduced,
                                 std::span<const AxisList> result) {
  std::vector<AxisList> axes(first.axes.size());
  AxisList taken;
  for (const AxisList& list : result) taken.insert(taken.end(), list.begin(), list.end());
  std::size_t kept = 0;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    if (std::ranges::find(reduced, dim) == reduced.end()) {
      axes[dim] = result[kept++];
      continue;
    }
    axes[dim] = truncate_by_removing_overlaps(first.axes[dim], taken);
    taken.insert(taken.end(), axes[dim].begin(), axes[dim].end());
  }
  return axes;
}

/// Init values of one local reduction whose results are partial over `axes`.
struct PartialInit {
  ValueId local;  // what the local reduction starts with
  ValueId fold;   // what the combined result is folded with; invalid: nothing
};

/// True if the value is a constant with the bits of `literal`.
bool is_constant(const ir::Module& module, ValueId value, const ir::Literal& literal) {
  const OpId op = module.defining_op(value);
  if (!op.valid() || !module.is(op, OpKind::Constant)) return false;
  const auto* held = module.attribute<ir::Literal>(op, "value");
  return held != nullptr && *held == literal;
}

PartialInit partial_init(Lowering& lowering, OpId op, std::size_t index, OpKind reducer,
                         const AxisList& axes) {
  Emitter& emit = lowering.emit();
  const ir::Module& input = lowering.input();
  const ValueId global = input.operand(op, input.num_operands(op) / 2 + index);
  const ValueId init = lowering.local(global).value;
  const ir::Literal identity = reducer_identity(reducer, input.type(global).element());
  const ValueId neutral = emit.splat({}, identity);
  if (is_constant(input, global, identity)) return {neutral, ValueId()};
  const auto sharding = ir::get_sharding(input, input.result(op, index));
  if (!sharding || sharding->unreduced_axes().empty()) return {neutral, init};
  // Nobody will combine the results here, so one device of each group starts with the init.
  const ValueId rank = emit.scalar(emit.coord(lowering.place(), axes));
  const ValueId first = emit.compare(rank, emit.scalar(Index::of(0)), "EQ");
  return {emit.select(first, init, neutral), ValueId()};
}

}  // namespace

ir::Literal reducer_identity(OpKind reducer, ElementType element) {
  const ir::Type type = ir::Type::tensor({}, element);
  if (ir::is_boolean(element)) {
    const bool one =
        reducer == OpKind::And || reducer == OpKind::Minimum || reducer == OpKind::Multiply;
    return ir::int_splat_literal(type, one ? 1 : 0);
  }
  if (ir::is_integer(element)) {
    return ir::int_splat_literal(type, integer_identity(reducer, element));
  }
  switch (reducer) {
    case OpKind::Multiply:
      return ir::splat_literal(type, 1.0);
    case OpKind::Maximum:
      return ir::splat_literal(type, ir::least_value(element));
    case OpKind::Minimum:
      return ir::splat_literal(type, ir::greatest_value(element));
    default:
      return negative_zero(type);
  }
}

/// Spec: partitioning 8.10.
Status lower_reduce(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::size_t count = input.num_operands(op) / 2;
  const auto& dims = input.attribute<ir::DenseArrayAttr>(op, "dimensions")->values;
  const std::vector<std::size_t> reduced(dims.begin(), dims.end());
  const std::vector<AxisList> result_axes = lowering.axes_of(input.result(op));
  std::vector<AxisList> axes =
      input_axes(lowering.local(input.operand(op, 0)), reduced, result_axes);
  const auto reducers = ir::recognized_reducers(input, op, count);
  AxisList partial_axes;
  for (const std::size_t dim : reduced) {
    if (!reducers) axes[dim].clear();
    partial_axes.insert(partial_axes.end(), axes[dim].begin(), axes[dim].end());
  }
  partial_axes = sort_and_merge(std::move(partial_axes));
  const bool partial = sharding_size(partial_axes) > 1;
  std::vector<ValueId> operands;
  std::vector<ValueId> inits;
  std::vector<ValueId> folds(count);
  std::vector<ir::Type> types;
  for (std::size_t index = 0; index < count; ++index) {
    const ValueId source = input.operand(op, index);
    LocalValue value = lowering.conform(op, lowering.local(source), axes);
    inits.push_back(lowering.local(input.operand(op, count + index)).value);
    if (partial) {
      const OpKind reducer = (*reducers)[index];
      const ir::Literal identity = reducer_identity(reducer, value.global.element());
      value = lowering.mask(std::move(value), reduced, identity);
      const PartialInit init = partial_init(lowering, op, index, reducer, partial_axes);
      inits.back() = init.local;
      folds[index] = init.fold;
    }
    operands.push_back(value.value);
    types.push_back(lowering.local_type(input.type(input.result(op, index)), result_axes));
  }
  operands.insert(operands.end(), inits.begin(), inits.end());
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < count; ++index) {
    const ValueId result = input.result(op, index);
    LocalValue made =
        lowering.make(lowering.output().result(local, index), input.type(result), result_axes);
    if (partial) made.partial = PartialResult{partial_axes, (*reducers)[index], folds[index]};
    const std::vector<AxisList> wanted = lowering.axes_of(result);
    lowering.bind(result,
                  made.partial ? std::move(made) : lowering.conform(op, std::move(made), wanted));
  }
  return {};
}

}  // namespace shardy::partitioning
