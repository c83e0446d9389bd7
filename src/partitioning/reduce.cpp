// reduce with a known reducer, and with an arbitrary region.
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "partitioning/families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

using ir::RegionId;

// ---- Known reducers -----------------------------------------------------------------------------

// reduce: kept dims are local, sharded reduced dims leave partial results. Spec: partitioning 8.10.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = reduce(%a init: %z) add, dimensions = [1]     %1 = reduce(%a init: -0.0) add : 8x8 -> 8
//     : 8x16 [{}, {"x"}] -> 8 [{}]               ->    %2 = spmd.all_reduce add %1 {"x"}
//                                                      %0 = add %z, %2

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

/// Returns true for a constant with the bits of `literal`.
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
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Sharded);
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

// ---- Arbitrary regions --------------------------------------------------------------------------

// reduce with an arbitrary region along sharded dims: devices reduce their shards, gather the
// results and reduce them with the same region. Spec: partitioning 8.10.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = reduce(%a init: %z) {region}, dimensions = [1] : 8x16 [{}, {"x"}] -> 8 [{}]
//   ->
//   %1:2 = reduce(%a, true init: %z, false) {region guarded by i1 flags} : 8x8 -> 8
//   %2 = spmd.all_gather (reshape %1#0) {"x"}, dim 0                     : 1x8 -> 2x8
//   %0 = reduce(%2 init: %z) {region}, dimensions = [0]                  : 2x8 -> 8
//
// On more devices, here 4, each one combines a part of the elements if this sends fewer bytes:
//
//   %2 = spmd.all_to_all (reshape %1#0) {"x"}, split_dim 1, concat_dim 0 : 1x8 -> 4x2
//   %3 = reduce(%2 init: %z) {region}, dimensions = [0]                  : 4x2 -> 2
//   %0 = spmd.all_gather %3 {"x"}, dim 0                                 : 2 -> 8

namespace {

ir::BlockId body_of(const Module& module, OpId op) {
  return module.blocks(module.regions(op).front()).front();
}

/// Returns true for ops that return x for operands x and x.
bool keeps_equal_operands(OpKind kind) {
  switch (kind) {
    case OpKind::And:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Or:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_idempotent(const Module& module, OpId op) {
  const ir::BlockId body = body_of(module, op);
  const std::size_t count = module.num_operands(op) / 2;
  std::map<ValueId, std::size_t> same;  // the argument that a value equals if both sides are equal
  for (std::size_t index = 0; index < 2 * count; ++index) {
    same[module.args(body)[index]] = index % count;
  }
  const auto are_same = [&](ValueId a, ValueId b) {
    const auto left = same.find(a);
    const auto right = same.find(b);
    return left != same.end() && right != same.end() && left->second == right->second;
  };
  for (const OpId inner : module.ops(body)) {
    const OpKind kind = module.kind(inner);
    if (module.has_trait(inner, ir::kTerminator)) {
      for (std::size_t index = 0; index < count; ++index) {
        const auto found = same.find(module.operand(inner, index));
        if (found == same.end() || found->second != index) return false;
      }
      return true;
    }
    const std::size_t first = kind == OpKind::Select ? 1 : 0;
    if (first == 0 && !keeps_equal_operands(kind)) continue;
    if (!are_same(module.operand(inner, first), module.operand(inner, first + 1))) continue;
    same[module.result(inner)] = same.at(module.operand(inner, first));
  }
  return false;
}

namespace {

/// Checks whether an op other than an unused all-reduce or reduce-scatter uses the value.
bool is_used(const Module& module, ValueId value) {
  return std::ranges::any_of(module.uses(value), [&](const ir::Use& use) {
    return !ir::completes_reduction(module.kind(use.op)) ||
           module.num_uses(module.result(use.op)) != 0;
  });
}

/// A sharded reduced dim of the operands.
struct ReducedDim {
  int64_t shards = 1;
  int64_t occupied = 1;  // shards that have elements
};

class GatheredPartials {
 public:
  GatheredPartials(Lowering& lowering, OpId op, const OpLayout& layout)
      : lowering_(lowering), emit_(lowering.emit()), op_(op), layout_(layout) {}

  void lower();

 private:
  const Module& input() const { return lowering_.input(); }
  std::size_t count() const { return input().num_results(op_); }
  ValueId init(std::size_t index) const {
    return lowering_.local(input().operand(op_, count() + index)).value;
  }
  Type element_type(std::size_t index) const {
    return Type::tensor({}, input().type(input().result(op_, index)).element());
  }
  PartitionedValue operand(std::size_t index) const;
  bool may_start_from_inits(const PartitionedValue& operand) const;
  RegionId region() const;
  RegionId guarded_region() const;
  std::vector<ValueId> reduced_from_inits(const std::vector<PartitionedValue>& operands) const;
  std::vector<ValueId> reduced_guarded(std::vector<PartitionedValue> operands) const;
  std::vector<ValueId> results_of(OpId local) const;
  std::vector<Type> local_types() const;
  int64_t elements_per_device() const;
  bool is_used_whole(std::size_t index) const;
  ValueId gathered(ValueId partial) const;
  ValueId exchanged(ValueId partial, int64_t per_device) const;
  ValueId by_reduced_dim(ValueId by_device) const;
  std::vector<ValueId> combined(const std::vector<ValueId>& partials) const;

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  const OpLayout& layout_;
  std::vector<ReducedDim> reduced_dims_;
  AxisList axes_;  // of all reduced dims
};

PartitionedValue GatheredPartials::operand(std::size_t index) const {
  return lowering_.reshard_to(op_, lowering_.local(input().operand(op_, index)),
                              layout_.operands[index]);
}

std::vector<Type> GatheredPartials::local_types() const {
  std::vector<Type> types;
  for (std::size_t index = 0; index < count(); ++index) {
    types.push_back(
        lowering_.local_type(input().type(input().result(op_, index)), layout_.results[index]));
  }
  return types;
}

/// Checks whether each shard may start from the initial values. Not with padding: a region that
/// prefers the last of equal elements would take the initial value after the last element.
bool GatheredPartials::may_start_from_inits(const PartitionedValue& operand) const {
  for (std::size_t index = 0; index < count(); ++index) {
    const ElementType element = input().type(input().operand(op_, index)).element();
    if (Type::tensor({}, element) != element_type(index)) return false;
  }
  const auto is_filled_up = [&](std::size_t dim) {
    const Tiling tiling = operand.tiling(dim);
    return tiling.tile * tiling.shards != tiling.size;
  };
  return std::ranges::none_of(layout_.reduced_dims.front(), is_filled_up) &&
         is_idempotent(input(), op_);
}

RegionId GatheredPartials::region() const {
  Module& output = lowering_.output();
  const RegionId region = output.new_region();
  std::vector<Type> types;
  for (std::size_t index = 0; index < 2 * count(); ++index) {
    types.push_back(element_type(index % count()));
  }
  const ir::BlockId block = output.new_block(region, types);
  const std::vector<ValueId> args(output.args(block).begin(), output.args(block).end());
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = lowering_.inlined(op_, 0, block, args);
  ir::Builder(output, block).create(std::move(terminator));
  return region;
}

/// Pairs values with a flag that is false for missing values; if one side is missing, the result is
/// the other side.
RegionId GatheredPartials::guarded_region() const {
  Module& output = lowering_.output();
  const RegionId region = output.new_region();
  std::vector<Type> types;
  for (std::size_t index = 0; index < count(); ++index) types.push_back(element_type(index));
  types.push_back(Type::tensor({}, ElementType::I1));
  const std::vector<Type> half = types;
  types.insert(types.end(), half.begin(), half.end());
  const ir::BlockId block = output.new_block(region, types);
  const std::vector<ValueId> all(output.args(block).begin(), output.args(block).end());
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(count());
  std::vector<ValueId> args(all.begin(), middle);
  args.insert(args.end(), middle + 1, all.end() - 1);
  std::vector<ValueId> made = lowering_.inlined(op_, 0, block, args);
  Emitter inner(output);
  inner.set_block(block);
  const ValueId has_left = *middle;
  const ValueId has_right = all.back();
  for (std::size_t index = 0; index < count(); ++index) {
    const ValueId left = inner.select(has_right, made[index], args[index]);
    made[index] = inner.select(has_left, left, args[count() + index]);
  }
  made.push_back(inner.binary(OpKind::Or, has_left, has_right));
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = std::move(made);
  inner.builder().create(std::move(terminator));
  return region;
}

std::vector<ValueId> GatheredPartials::results_of(OpId local) const {
  std::vector<ValueId> results;
  for (std::size_t index = 0; index < count(); ++index) {
    results.push_back(lowering_.output().result(local, index));
  }
  return results;
}

std::vector<ValueId> GatheredPartials::reduced_from_inits(
    const std::vector<PartitionedValue>& operands) const {
  std::vector<ValueId> values;
  values.reserve(2 * count());
  for (const PartitionedValue& operand : operands) values.push_back(operand.value);
  for (std::size_t index = 0; index < count(); ++index) values.push_back(init(index));
  const RegionId body = region();
  return results_of(lowering_.clone(op_, std::move(values), local_types(), {body}));
}

std::vector<ValueId> GatheredPartials::reduced_guarded(
    std::vector<PartitionedValue> operands) const {
  const auto flag = [&](bool value) {
    return ir::int_splat_literal(Type::tensor({}, ElementType::I1), value ? 1 : 0);
  };
  std::vector<ValueId> values;
  values.reserve(operands.size());
  for (const PartitionedValue& operand : operands) values.push_back(operand.value);
  ValueId valid = lowering_.valid_elements(operands.front(), layout_.reduced_dims.front());
  if (!valid.valid()) {
    const auto dims = emit_.dims(values.front());
    valid = emit_.splat({dims.begin(), dims.end()}, flag(true));
  }
  values.push_back(valid);
  for (std::size_t index = 0; index < count(); ++index) values.push_back(init(index));
  values.push_back(emit_.splat({}, flag(false)));
  std::vector<Type> types = local_types();
  types.push_back(types.front().with_element(ElementType::I1));
  const RegionId body = guarded_region();
  return results_of(lowering_.clone(op_, std::move(values), std::move(types), {body}));
}

/// Checks whether a user needs more of the result than the elements that the device combines: a use
/// that is not a slice of the first dim along the reduced axes.
bool GatheredPartials::is_used_whole(std::size_t index) const {
  const ValueId result = input().result(op_, index);
  if (!is_used(input(), result)) return false;
  const Type type = local_types()[index];
  if (type.rank() == 0 || type.dim(0) % sharding_size(axes_) != 0) return true;
  return !std::ranges::all_of(input().uses(result), [&](const ir::Use& use) {
    // A reduce-scatter of complete results is a slice, too.
    const bool is_slice = input().is(use.op, OpKind::SdyAllSlice);
    const auto* const sliced = input().attribute<ir::AxesListsAttr>(
        use.op, is_slice ? ir::attr::kSlicingAxes : ir::attr::kReduceScatterAxes);
    if (sliced == nullptr) return false;
    const auto& lists = sliced->lists;
    return lists.front() == axes_ &&
           std::ranges::all_of(std::span(lists).subspan(1), &AxisList::empty);
  });
}

/// Returns how many elements of a result each device combines if the partial results are exchanged,
/// or 0 if gathering all of them sends no more bytes. Only results that are used whole are gathered
/// after an exchange.
int64_t GatheredPartials::elements_per_device() const {
  const std::vector<Type> types = local_types();
  const int64_t elements = types.front().num_elements();
  const int64_t per_device = ceil_div(elements, sharding_size(axes_));
  int64_t bytes = 0;
  int64_t used_bytes = 0;
  for (std::size_t index = 0; index < count(); ++index) {
    const auto size = static_cast<int64_t>(size_bytes(types[index].element()));
    bytes += size;
    if (is_used_whole(index)) used_bytes += size;
  }
  return per_device * (bytes + used_bytes) < elements * bytes ? per_device : 0;
}

/// Returns the partial results of all devices along a leading dim.
ValueId GatheredPartials::gathered(ValueId partial) const {
  std::vector<int64_t> row(emit_.dims(partial).begin(), emit_.dims(partial).end());
  row.insert(row.begin(), 1);
  return emit_.all_gather(emit_.reshape(partial, std::move(row)), lowering_.place(), axes_, 0);
}

/// Returns the partial results of all devices for the `per_device` elements that this device
/// combines, along a leading dim.
ValueId GatheredPartials::exchanged(ValueId partial, int64_t per_device) const {
  const int64_t elements = lowering_.output().type(partial).num_elements();
  const int64_t padded = per_device * sharding_size(axes_);
  ValueId row = emit_.reshape(partial, {1, elements});
  row = emit_.pad(row, 1, {.high = padded - elements}, {});
  return emit_.all_to_all(row, lowering_.place(), axes_, 1, 0);
}

/// Replaces the leading dim by one dim per sharded dim, without shards that have no elements.
ValueId GatheredPartials::by_reduced_dim(ValueId by_device) const {
  std::vector<int64_t> dims;
  for (const ReducedDim& reduced : reduced_dims_) dims.push_back(reduced.shards);
  const auto old = emit_.dims(by_device);
  dims.insert(dims.end(), old.begin() + 1, old.end());
  ValueId all = emit_.reshape(by_device, std::move(dims));
  for (std::size_t index = 0; index < reduced_dims_.size(); ++index) {
    all = emit_.slice(all, index, 0, reduced_dims_[index].occupied);
  }
  return all;
}

std::vector<ValueId> GatheredPartials::combined(const std::vector<ValueId>& partials) const {
  const int64_t per_device = elements_per_device();
  ir::OpSpec spec{.kind = OpKind::Reduce};
  for (const ValueId partial : partials) {
    spec.operands.push_back(
        by_reduced_dim(per_device == 0 ? gathered(partial) : exchanged(partial, per_device)));
  }
  for (std::size_t index = 0; index < count(); ++index) spec.operands.push_back(init(index));
  const std::vector<Type> types = local_types();
  for (const Type& type : types) {
    spec.result_types.push_back(per_device == 0 ? type : type.with_dims({per_device}));
  }
  std::vector<int64_t> dims;
  for (std::size_t index = 0; index < reduced_dims_.size(); ++index) {
    dims.push_back(static_cast<int64_t>(index));
  }
  spec.attributes = local_attributes(input().attributes(op_));
  spec.attributes.set(ir::attr::kDimensions, DenseArrayAttr{ElementType::I64, std::move(dims)});
  spec.regions = {region()};
  std::vector<ValueId> results = results_of(emit_.builder().create(std::move(spec)));
  if (per_device == 0) return results;
  for (std::size_t index = 0; index < count(); ++index) {
    ValueId all = emit_.all_gather(results[index], lowering_.place(), axes_, 0);
    all = emit_.slice(all, 0, 0, types[index].num_elements());
    const auto dims_of_type = types[index].dims();
    results[index] = emit_.reshape(all, {dims_of_type.begin(), dims_of_type.end()});
  }
  return results;
}

void GatheredPartials::lower() {
  std::vector<PartitionedValue> operands;
  for (std::size_t index = 0; index < count(); ++index) operands.push_back(operand(index));
  for (const std::size_t dim : layout_.reduced_dims.front()) {
    const Tiling tiling = operands.front().tiling(dim);
    const bool is_empty = operands.front().global.num_elements() == 0;
    const int64_t occupied = is_empty ? 0 : ceil_div(tiling.size, tiling.tile);
    reduced_dims_.push_back({.shards = tiling.shards, .occupied = occupied});
    for (const AxisRef& axis : layout_.operands.front()[dim]) append_or_merge(axes_, axis);
  }
  std::vector<ValueId> made = may_start_from_inits(operands.front())
                                  ? reduced_from_inits(operands)
                                  : reduced_guarded(std::move(operands));
  made = combined(made);
  for (std::size_t index = 0; index < count(); ++index) {
    const ValueId result = input().result(op_, index);
    PartitionedValue value =
        lowering_.make(made[index], input().type(result), layout_.results[index]);
    lowering_.bind(result, lowering_.reshard_to(op_, std::move(value), lowering_.axes_of(result)));
  }
}

/// Returns true for a single-op region that is known not to be associative.
bool depends_on_grouping(const Module& module, OpId op) {
  constexpr std::array kKinds = {OpKind::Atan2,
                                 OpKind::Divide,
                                 OpKind::Power,
                                 OpKind::Remainder,
                                 OpKind::ShiftLeft,
                                 OpKind::ShiftRightArithmetic,
                                 OpKind::ShiftRightLogical,
                                 OpKind::Subtract};
  const OpId first = module.first_op(body_of(module, op));
  return std::ranges::find(kKinds, module.kind(first)) != kKinds.end() &&
         module.has_trait(module.next(first), ir::kTerminator);
}

}  // namespace

Status lower_gathered_partials(Lowering& lowering, OpId op, const OpLayout& layout) {
  if (depends_on_grouping(lowering.input(), op)) return lower_by_rule(lowering, op);
  GatheredPartials(lowering, op, layout).lower();
  return {};
}

}  // namespace shardy::partitioning
