// reduce: kept dims are local, sharded reduced dims leave partial results. Spec: partitioning 8.10.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = reduce(%a init: %z) add, dimensions = [1]     %1 = reduce(%a init: -0.0) add : 8x8 -> 8
//     : 8x16 [{}, {"x"}] -> 8 [{}]               ->    %2 = spmd.all_reduce add %1 {"x"}
//                                                      %0 = add %z, %2
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/op_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
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

/// Returns the initial value of a float sum: -0, since +0 would turn -0 into +0; both parts of a
/// complex number.
ir::Literal negative_zero(const ir::Type& type) {
  if (!ir::is_complex(type.element())) return ir::splat_literal(type, -0.0);
  const bool is_wide = type.element() == ElementType::Complex128;
  std::vector<std::byte> element = ir::encode(-0.0, is_wide ? ElementType::F64 : ElementType::F32);
  element.insert(element.end(), element.begin(), element.end());
  const Result<ir::Literal> literal = ir::Literal::make_splat(type, std::move(element));
  return literal ? *literal : ir::splat_literal(type, -0.0);
}

/// Initial values of a local reduction that is partial over `axes`.
struct PartialInit {
  ValueId local;  // initial value of the local reduction
  ValueId fold;   // folded into the reduced result; invalid: nothing
};

/// Checks for a constant with the bits of `literal`.
bool is_constant(const ir::Module& module, ValueId value, const ir::Literal& literal) {
  const OpId op = module.defining_op(value);
  if (!op.valid() || !module.is(op, OpKind::Constant)) return false;
  const auto* held = module.attribute<ir::Literal>(op, ir::attr::kValue);
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
  // No collective follows here, so one device of each group starts with the initial value.
  const ValueId rank = emit.scalar(emit.coord(lowering.place(), axes));
  const ValueId first = emit.compare(rank, emit.scalar(ScalarIndex::of(0)), "EQ");
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

bool is_neutral(const ir::Module& module, ValueId value, OpKind combiner) {
  const OpId op = module.defining_op(value);
  if (!op.valid() || !(module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant))) {
    return false;
  }
  const ir::Literal& literal = *module.attribute<ir::Literal>(op, ir::attr::kValue);
  const ElementType element = literal.type().element();
  if (!literal.is_splat() && literal.type().rank() != 0) return false;
  if (combiner == OpKind::Add) {
    return !ir::is_complex(element) && ir::decode_double(literal.element_bytes(0), element) == 0;
  }
  const ir::Literal identity = reducer_identity(combiner, element);
  return std::ranges::equal(literal.element_bytes(0), identity.element_bytes(0));
}

/// Spec: partitioning 8.10.
Status lower_reduce(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::size_t count = input.num_operands(op) / 2;
  const auto reducers = ir::recognized_reducers(input, op, count);
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Cut);
  if (!layout || sharding_size(layout->reduced) == 1) return lower_by_rule(lowering, op);
  if (!reducers) return lower_gathered_partials(lowering, op, *layout);
  std::vector<ValueId> operands;
  std::vector<PartialInit> inits;
  std::vector<ir::Type> types;
  for (std::size_t index = 0; index < count; ++index) {
    PartitionedValue value = lowering.local(input.operand(op, index));
    value = lowering.reshard_to(op, std::move(value), layout->operands[index]);
    const OpKind reducer = (*reducers)[index];
    const ir::Literal identity = reducer_identity(reducer, value.global.element());
    value = lowering.mask(std::move(value), layout->reduced_dims[index], identity);
    operands.push_back(value.value);
    inits.push_back(partial_init(lowering, op, index, reducer, layout->reduced));
    types.push_back(
        lowering.local_type(input.type(input.result(op, index)), layout->results[index]));
  }
  for (const PartialInit& init : inits) operands.push_back(init.local);
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < count; ++index) {
    const ValueId result = input.result(op, index);
    PartitionedValue made = lowering.make(lowering.output().result(local, index),
                                          input.type(result), layout->results[index]);
    made.partial = PartialResult{layout->reduced, (*reducers)[index], inits[index].fold};
    lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
  }
  return {};
}

}  // namespace shardy::partitioning
