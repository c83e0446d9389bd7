// Lowers ops that order elements along a sharded dim: sort and chlo.top_k. Spec: partitioning 8.18.
#include <algorithm>
#include <utility>
#include <vector>

#include "partitioning/families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/rules/detail/lowering_rules.hpp"

namespace shardy::partitioning {

// ---- sort ---------------------------------------------------------------------------------------

// sort along a sharded dim, by a bitonic network over shards. In each step, pairs of shards
// exchange their elements; one keeps the lower half and the other the upper half. Spec:
// partitioning 8.18.
//
//   sdy.mesh @mesh = <["x"=32]>
//   %0 = sort %a : tensor<65536xf32> [{"x"}], by compare LT, TOTALORDER
//   ->
//   %v, %p = sort %a, positions                                    : tensor<2048xf32>
//   for the 15 pairs of levels and sub-axes, first "x":(16)2:
//     %v2, %p2 = concatenate own, spmd.permute(own) {"x":(16)2}, mirror
//     %v3, %p3 = sort %v2, %p2                                     : tensor<4096xf32>
//     %v, %p = dynamic_slice of %v3, %p3: the lower or the upper half

namespace {

using Values = std::vector<ValueId>;  // the sorted operands, then the positions of the elements

class ExchangeSort {
 public:
  ExchangeSort(Lowering& lowering, OpId op, std::size_t dim, AxisList axes)
      : lowering_(lowering),
        emit_(lowering.emit()),
        op_(op),
        dim_(dim),
        axes_(std::move(axes)),
        tiling_(Tiling::of(type().dim(dim), sharding_size(axes_))) {
    const bool is_narrow = tiling_.shards * tiling_.tile < (int64_t{1} << 31);
    place_type_ = is_narrow ? ElementType::I32 : ElementType::I64;
  }

  void lower();

 private:
  const ir::Module& input() const { return lowering_.input(); }
  const Type& type() const { return input().type(input().operand(op_, 0)); }
  ValueId places(std::span<const int64_t> shape);
  ir::RegionId region(std::span<const Type> elements);
  Values sorted(Values values);
  Values half(const Values& own, const AxisRef& partner, const AxisList& descending);
  std::vector<AxisRef> bits() const;

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  std::size_t dim_;
  AxisList axes_;
  Tiling tiling_;
  ElementType place_type_;
};

/// Returns the dim's axes as sub-axes of size 2, minor to major.
std::vector<AxisRef> ExchangeSort::bits() const {
  std::vector<AxisRef> bits;
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    for (int64_t major = axis->size / 2; major >= 1; major /= 2) {
      bits.push_back({axis->axis, axis->pre * major, 2});
    }
  }
  return bits;
}

ValueId ExchangeSort::places(std::span<const int64_t> shape) {
  const ScalarIndex begin = emit_.multiply(emit_.coord(lowering_.place(), axes_), tiling_.tile);
  const ValueId first =
      emit_.broadcast(emit_.scalar(begin), std::vector<int64_t>{tiling_.tile}, {});
  ValueId row = emit_.binary(OpKind::Add, emit_.iota(tiling_.tile), first);
  const Type narrow = lowering_.output().type(row).with_element(place_type_);
  if (narrow != lowering_.output().type(row)) {
    row = emit_.builder().create_value(OpKind::Convert, {row}, narrow);
  }
  const std::vector<int64_t> mapped = {static_cast<int64_t>(dim_)};
  return emit_.broadcast(row, shape, mapped);
}

/// Returns a region that orders elements by the comparator and equal elements by position. Padding
/// comes last.
ir::RegionId ExchangeSort::region(std::span<const Type> elements) {
  ir::Module& output = lowering_.output();
  std::vector<Type> types;
  for (const Type& element : elements) types.insert(types.end(), 2, element);
  const ir::RegionId region = output.new_region();
  const ir::BlockId block = output.new_block(region, types);
  Values sides(output.args(block).begin(), output.args(block).end());
  const ValueId right = sides.back();
  sides.pop_back();
  const ValueId left = sides.back();
  sides.pop_back();
  const ValueId less = lowering_.inlined(op_, 0, block, sides).front();
  for (std::size_t index = 0; index < sides.size(); index += 2) {
    std::swap(sides[index], sides[index + 1]);
  }
  const ValueId greater = lowering_.inlined(op_, 0, block, sides).front();
  Emitter body(output);
  body.set_block(block);
  const ValueId before = body.compare(left, right, "LT");
  ValueId differ = body.binary(OpKind::Xor, less, greater);
  if (tiling_.padding() > 0) {
    const ValueId size =
        body.constant(ir::int_splat_literal(Type::tensor({}, place_type_), tiling_.size));
    differ = body.both(differ, body.compare(left, size, "LT"));
    differ = body.both(differ, body.compare(right, size, "LT"));
  }
  ir::OpSpec terminator{.kind = OpKind::StablehloReturn};
  terminator.operands = {body.select(differ, less, before)};
  body.builder().create(std::move(terminator));
  return region;
}

Values ExchangeSort::sorted(Values values) {
  std::vector<Type> elements;
  std::vector<Type> types;
  for (const ValueId value : values) {
    types.push_back(lowering_.output().type(value));
    elements.push_back(types.back().with_dims({}));
  }
  const ir::RegionId comparator = region(elements);
  const OpId made = lowering_.clone(op_, std::move(values), std::move(types), {comparator});
  return lowering_.output().results(made);
}

/// Sorts the elements of both shards of a pair and keeps one half. In descending rows of the
/// network, the first shard of the pair keeps the greater half.
Values ExchangeSort::half(const Values& own, const AxisRef& partner, const AxisList& descending) {
  const AxisList pair = {partner};
  Values both;
  for (const ValueId value : own) {
    ir::PermuteMap other;
    other.kind = ir::PermuteMap::Kind::Mirror;
    const ValueId came = emit_.permute(value, lowering_.place(), pair, std::move(other));
    both.push_back(emit_.concatenate({value, came}, dim_));
  }
  both = sorted(std::move(both));
  const ScalarIndex order = emit_.coord(lowering_.place(), descending);
  const ScalarIndex side = emit_.add(emit_.coord(lowering_.place(), pair), order);
  const ScalarIndex begin = emit_.multiply(emit_.floor_mod(side, 2), tiling_.tile);
  for (ValueId& value : both) value = emit_.dynamic_slice(value, dim_, begin, tiling_.tile);
  return both;
}

void ExchangeSort::lower() {
  std::vector<AxisList> sharded(static_cast<std::size_t>(type().rank()));
  sharded[dim_] = axes_;
  Values values;
  for (const ValueId operand : input().operands(op_)) {
    values.push_back(lowering_.reshard_to(op_, lowering_.local(operand), sharded).value);
  }
  const std::vector<int64_t> shape(emit_.dims(values.front()).begin(),
                                   emit_.dims(values.front()).end());
  values.push_back(places(shape));
  values = sorted(std::move(values));
  const std::vector<AxisRef> bits = this->bits();
  for (std::size_t level = 0; level < bits.size(); ++level) {
    const bool is_last = level + 1 == bits.size();
    const AxisList descending = is_last ? AxisList() : AxisList{bits[level + 1]};
    for (std::size_t bit = level + 1; bit-- > 0;) values = half(values, bits[bit], descending);
  }
  for (std::size_t index = 0; index < input().num_results(op_); ++index) {
    const ValueId result = input().result(op_, index);
    PartitionedValue made = lowering_.make(values[index], input().type(result), sharded);
    lowering_.bind(result, lowering_.reshard_to(op_, std::move(made), lowering_.axes_of(result)));
  }
}

}  // namespace

/// Lowers sort. Spec: partitioning 8.18.
Status lower_sort(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::vector<AxisList> axes = lowering.axes_of(input.result(op, 0));
  for (std::size_t dim = 0; dim < axes.size(); ++dim) {
    const bool is_long = input.type(input.result(op, 0)).dim(dim) > 1;
    if (!is_long || !rules::sorts_by_exchange(input, op, sharding_size(axes[dim]))) continue;
    ExchangeSort(lowering, op, dim, axes[dim]).lower();
    return {};
  }
  return lower_by_rule(lowering, op);
}

// ---- chlo.top_k ---------------------------------------------------------------------------------

// chlo.top_k along a sharded dim: each shard ranks its elements, then the candidates are gathered
// and ranked again. Spec: partitioning 8.18.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0, %1 = chlo.top_k %a, k = 2             %2, %3 = chlo.top_k %a, k = 2     : tensor<32xf32>
//     : tensor<64xf32> [{"x"}]                %4 = %3 + spmd.coord {"x"} * 32   : global indices
//                                        ->   %5 = spmd.all_gather %2 {"x"}     : tensor<4xf32>
//                                             %6 = spmd.all_gather %4 {"x"}     : tensor<4xi32>
//                                             %0, %7 = chlo.top_k %5, k = 2
//                                             %1 = %6[%7]

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
  ValueId places;  // i32 positions along the ranked dim
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

/// Returns places[.., chosen[.., i]] for each i.
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

/// Ranks local elements, gathers the candidates and ranks these. Padding follows all elements of
/// the last shard, so it is never among the results.
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

/// Lowers top_k. Spec: partitioning 8.18.
Status lower_top_k(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Sharded);
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
