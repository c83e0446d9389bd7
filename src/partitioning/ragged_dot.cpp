// Lowers ragged_dot with a sharded ragged or group dim: each device computes the group sizes within
// its shard. Spec: partitioning 8.8.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = chlo.ragged_dot %a, %w, %sizes, ragged dim 0
//     : 8x4 [{"x"}, {}], 3x4x5, tensor<3xi64> -> 8x5 [{"x"}, {}]
//   ->
//   %1 = clamp(running sums of %sizes - spmd.coord {"x"} * 4, 0, 4)   : group ends in this shard
//   %2 = %1 - (%1 shifted by one group)                               : group sizes in this shard
//   %0 = chlo.ragged_dot %a, %w, %2                                   : 4x4, 3x4x5 -> 4x5
#include <algorithm>
#include <numeric>
#include <utility>

#include "partitioning/families.hpp"
#include "partitioning/gather.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::partitioning {

using ir::RaggedMode;

namespace {

std::vector<int64_t> shape_of(Emitter& emit, ValueId value) {
  return {emit.dims(value).begin(), emit.dims(value).end()};
}

/// Returns the inclusive prefix sums along the last dim.
ValueId running_sums(Emitter& emit, ValueId value) {
  const std::vector<int64_t> dims = shape_of(emit, value);
  std::vector<ir::WindowDim> window(dims.size());
  window.back().size = std::max<int64_t>(dims.back(), 1);
  window.back().low = window.back().size - 1;
  ir::OpSpec spec{.kind = OpKind::ReduceWindow};
  spec.operands = {value, emit.scalar(ScalarIndex::of(0))};
  spec.result_types = {emit.module().type(value)};
  spec.attributes = ir::ReduceWindowOp{std::move(window)}.attributes();
  spec.regions = {emit.reducer_region(OpKind::Add, ElementType::I64)};
  return emit.module().result(emit.builder().create(std::move(spec)));
}

/// A lowering of a ragged dot whose ragged dim or groups are sharded.
class ShardedRaggedDot {
 public:
  ShardedRaggedDot(Lowering& lowering, OpId op, const OpLayout& layout)
      : lowering_(lowering),
        emit_(lowering.emit()),
        op_(op),
        layout_(layout),
        dims_(*ir::view<ir::RaggedDotOp>(lowering.input(), op).dims),
        mode_(ir::ragged_mode(dims_)),
        ragged_(static_cast<std::size_t>(dims_.lhs_ragged.front())) {
    if (mode_ == RaggedMode::Free) group_axes_ = layout.operands[1][group_dim()];
    if (mode_ == RaggedMode::Contracting) group_axes_ = layout.results[0][0];
  }

  bool is_needed() const {
    const bool is_ragged_sharded =
        sharding_size(ragged_axes()) > 1 || sharding_size(group_axes_) > 1;
    return mode_ != RaggedMode::Batch && is_ragged_sharded;
  }

  void run() {
    const ir::Module& input = lowering_.input();
    const ValueId lhs = laid_out_operand(lowering_, op_, 0, layout_).value;
    const ValueId rhs = laid_out_operand(lowering_, op_, 1, layout_).value;
    const ValueId sizes = own_sizes(laid_out_operand(lowering_, op_, 2, layout_).value);
    const ValueId result = input.result(op_);
    const Type& global = input.type(result);
    const Type type = lowering_.local_type(global, layout_.results[0]);
    ValueId value;
    if (has_group_of_others()) {
      std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
      ++dims.front();
      value = computed(lhs, rhs, sizes, type.with_dims(dims));
      value = emit_.slice(value, 0, 1, dims.front());
    } else {
      value = computed(lhs, rhs, sizes, type);
      if (first_.valid()) value = without_earlier_rows(value);
    }
    PartitionedValue made = lowering_.make(value, global, layout_.results[0]);
    if (sharding_size(layout_.reduced) > 1) {
      made.partial = PartialResult{layout_.reduced, OpKind::Add, ValueId()};
    }
    lowering_.bind(result, lowering_.reshard_to(op_, std::move(made), lowering_.axes_of(result)));
  }

 private:
  ValueId computed(ValueId lhs, ValueId rhs, ValueId sizes, Type type) {
    const OpId local = lowering_.clone(op_, {lhs, rhs, sizes}, {std::move(type)});
    return lowering_.output().result(local);
  }
  /// Checks whether a device needs an extra group before its own ones. With a sharded group dim and
  /// a contracting ragged dim, that group takes the elements of earlier groups.
  bool has_group_of_others() const { return mode_ == RaggedMode::Contracting && first_.valid(); }
  std::size_t group_dim() const { return static_cast<std::size_t>(dims_.rhs_group.front()); }
  const AxisList& ragged_axes() const { return layout_.operands[0][ragged_]; }

  /// Returns the number of local elements of the ragged dim in each local group. Elements of
  /// earlier groups belong to the first local group, or to the extra group before it.
  ValueId own_sizes(ValueId sizes) {
    const int64_t whole = lowering_.input().type(lowering_.input().operand(op_, 0)).dim(ragged_);
    const std::size_t last = emit_.dims(sizes).size() - 1;
    sizes = emit_.clamp(emit_.to_i64(sizes), 0, whole);
    const Tiling groups = Tiling::of(emit_.dim(sizes, last), sharding_size(group_axes_));
    const int64_t missing = groups.shards * groups.tile - groups.size;
    const ValueId zero = emit_.scalar(ScalarIndex::of(0));
    sizes = emit_.pad(sizes, last, {0, missing, 0}, zero);
    ValueId ends = running_sums(emit_, sizes);
    if (groups.shards > 1 && groups.tile > 0) {
      const ScalarIndex begin =
          emit_.multiply(emit_.coord(lowering_.place(), group_axes_), groups.tile);
      const ValueId starts = emit_.binary(OpKind::Subtract, ends, sizes);
      first_ = emit_.clamp(emit_.dynamic_slice(starts, last, begin, 1), 0, whole);
      ends = emit_.dynamic_slice(ends, last, begin, groups.tile);
    }
    const Tiling tiling = Tiling::of(whole, sharding_size(ragged_axes()));
    offset_ = emit_.multiply(emit_.coord(lowering_.place(), ragged_axes()), tiling.tile);
    ends = emit_.clamp(ends, 0, whole);
    if (has_group_of_others()) ends = emit_.concatenate({first_, ends}, last);
    ends = emit_.binary(OpKind::Subtract, ends, uniform(emit_, shape_of(emit_, ends), offset_));
    ends = emit_.clamp(ends, 0, tiling.tile);
    const ValueId before = emit_.pad(ends, last, {1, -1, 0}, zero);
    return emit_.binary(OpKind::Subtract, ends, before);
  }

  /// Returns an i1 mask in the shape of `value` of the elements along `dim` that are not in groups
  /// before the local ones. `prefix` lists the dims of `value` that have separate group sizes.
  ValueId is_late(ValueId value, int64_t dim, const std::vector<int64_t>& prefix) {
    // Batch dims of the group sizes, then positions.
    std::vector<int64_t> small = shape_of(emit_, first_);
    small.back() = emit_.dim(value, static_cast<std::size_t>(dim));
    const std::vector<int64_t> line = {small.back()};
    const ValueId before = uniform(emit_, line, offset_);
    const ValueId own = emit_.binary(OpKind::Add, emit_.iota(line.front()), before);
    const std::vector<int64_t> lists(small.begin(), small.end() - 1);
    std::vector<int64_t> outer(lists.size());
    std::iota(outer.begin(), outer.end(), 0);
    const std::vector<int64_t> last = {std::ssize(lists)};
    const ValueId starts = emit_.broadcast(emit_.reshape(first_, lists), small, outer);
    const ValueId late = emit_.compare(emit_.broadcast(own, small, last), starts, "GE");
    std::vector<int64_t> mapped = lists.empty() ? std::vector<int64_t>() : prefix;
    mapped.push_back(dim);
    return emit_.broadcast(late, shape_of(emit_, value), mapped);
  }

  ValueId zero_unless(ValueId holds, ValueId value) {
    const Type zero = Type::tensor({}, emit_.module().type(value).element());
    return emit_.select(holds, value,
                        emit_.splat(shape_of(emit_, value), ir::splat_literal(zero, 0)));
  }

  std::vector<int64_t> prefix() const {
    return ir::ragged_prefix(dims_, static_cast<int64_t>(layout_.operands[0].size()));
  }

  /// Zeroes rows of groups that belong to earlier devices, because the devices' results are added.
  ValueId without_earlier_rows(ValueId value) {
    const auto rank = static_cast<int64_t>(layout_.operands[0].size());
    std::vector<int64_t> kept = dims_.lhs_batch;  // in the order of the result
    const auto free = ir::ragged_free_dims(rank, dims_.lhs_batch, dims_.lhs_contracting);
    kept.insert(kept.end(), free.begin(), free.end());
    const auto in_result = [&](int64_t dim) {
      return static_cast<int64_t>(std::ranges::find(kept, dim) - kept.begin());
    };
    std::vector<int64_t> lists;
    for (const int64_t dim : prefix()) lists.push_back(in_result(dim));
    return zero_unless(is_late(value, in_result(dims_.lhs_ragged.front()), lists), value);
  }

  Lowering& lowering_;
  Emitter& emit_;
  OpId op_;
  const OpLayout& layout_;
  const ir::RaggedDotDims& dims_;
  RaggedMode mode_;
  std::size_t ragged_;
  AxisList group_axes_;
  ValueId first_;  // per list of group sizes: the first element of the local groups; invalid: 0
  ScalarIndex offset_;  // position of the first local element of the ragged dim
};

}  // namespace

Status lower_ragged_dot(Lowering& lowering, OpId op) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Sharded);
  if (!layout) return lower_replicated(lowering, op);
  ShardedRaggedDot sharded_dot(lowering, op, *layout);
  if (!sharded_dot.is_needed()) return lower_laid_out(lowering, op, *layout);
  sharded_dot.run();
  return {};
}

}  // namespace shardy::partitioning
