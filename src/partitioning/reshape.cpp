// reshape: local for groups of dims whose shards agree, else a halo exchange in flat order.
// Spec: partitioning 8.3.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = reshape %a : tensor<3x2xf32> [{"x"}, {}] -> tensor<6xf32> [{"x"}]
//   ->
//   %1 = reshape %a                                          : tensor<2x2xf32> -> tensor<4xf32>
//   %2 = spmd.permute %1[3:4] {"x"}, shift -1                : the left halo
//   %3 = concatenate %2, %1[0:3]                             : tensor<4xf32>
//   %0 = dynamic_slice %3, 1 - spmd.coord {"x"}, sizes = [3] : tensor<3xf32>
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/algebra/reshape_groups.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::Type;
using ir::ValueId;

namespace {

/// Lowering of one group: axes on both sides, and whether elements move.
struct GroupPlan {
  std::vector<AxisList> in_axes;   // of the group's operand dims
  std::vector<AxisList> out_axes;  // of the group's result dims, before the final slice
  std::optional<FlatTiling> from;  // set: halo exchange in flat order
  std::optional<FlatTiling> to;
  int64_t size = 0;  // number of elements of the group
};

std::vector<AxisList> without_unit_dims(std::span<const int64_t> dims,
                                        std::span<const AxisList> axes) {
  std::vector<AxisList> kept(axes.begin(), axes.end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == 1) kept[dim].clear();
  }
  return kept;
}

/// Gives a group with one dim on each side the axes of the result.
void cut_alike(std::span<const int64_t> in, std::span<const int64_t> out, GroupPlan& plan) {
  const auto is_large = [](int64_t dim) { return dim != 1; };
  if (std::ranges::count_if(in, is_large) != 1 || std::ranges::count_if(out, is_large) != 1) return;
  const auto in_dim = std::ranges::find_if(in, is_large) - in.begin();
  const auto out_dim = std::ranges::find_if(out, is_large) - out.begin();
  plan.in_axes[static_cast<std::size_t>(in_dim)] = plan.out_axes[static_cast<std::size_t>(out_dim)];
}

GroupPlan plan_group(std::span<const int64_t> in, std::span<const AxisList> in_axes,
                     std::span<const int64_t> out, std::span<const AxisList> out_axes) {
  GroupPlan plan{without_unit_dims(in, in_axes), without_unit_dims(out, out_axes), {}, {}, 0};
  cut_alike(in, out, plan);
  plan.size = product(in);
  switch (group_move(in, plan.in_axes, out, plan.out_axes)) {
    case GroupMove::None:
      return plan;
    case GroupMove::Exchange:
      plan.from = flat_tiling(in, plan.in_axes);
      plan.to = flat_tiling(out, plan.out_axes);
      return plan;
    default:
      return {std::vector<AxisList>(in.size()), std::vector<AxisList>(out.size()), {}, {}, 0};
  }
}

/// Flattens each group into one dim and exchanges halos between operand and result shards.
ValueId exchange_groups(Lowering& lowering, ValueId value, std::span<const GroupPlan> plans) {
  Emitter& emit = lowering.emit();
  std::vector<int64_t> flat;
  std::size_t next = 0;
  for (const GroupPlan& plan : plans) {
    flat.push_back(1);
    for (std::size_t dim = 0; dim < plan.in_axes.size(); ++dim) {
      flat.back() *= emit.dim(value, next++);
    }
  }
  const auto moves = [](const GroupPlan& plan) { return plan.from.has_value(); };
  if (std::ranges::none_of(plans, moves)) return value;
  value = emit.reshape(value, std::move(flat));
  for (std::size_t group = 0; group < plans.size(); ++group) {
    const GroupPlan& plan = plans[group];
    if (!plan.from) continue;
    value = lowering.exchange_flat_halo(value, {group, plan.size, *plan.from, *plan.to});
  }
  return value;
}

}  // namespace

/// Spec: partitioning 8.3.
Status lower_reshape(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> result_axes = lowering.axes_of(result);
  PartitionedValue operand = lowering.local(input.operand(op, 0));
  if (global.num_elements() == 0) {
    lowering.finish(op, emit.undefined(lowering.local_type(global, result_axes)));
    return {};
  }
  const std::span<const int64_t> in = operand.global.dims();
  const std::span<const int64_t> out = global.dims();
  std::vector<GroupPlan> plans;
  std::vector<AxisList> in_axes;
  std::vector<AxisList> out_axes;
  for (const ReshapeGroup& group : reshape_groups(in, out)) {
    const std::span<const AxisList> group_in(operand.axes.data() + group.in_begin,
                                             group.in_end - group.in_begin);
    const std::span<const AxisList> group_out(result_axes.data() + group.out_begin,
                                              group.out_end - group.out_begin);
    plans.push_back(plan_group(in.subspan(group.in_begin, group_in.size()), group_in,
                               out.subspan(group.out_begin, group_out.size()), group_out));
    in_axes.insert(in_axes.end(), plans.back().in_axes.begin(), plans.back().in_axes.end());
    out_axes.insert(out_axes.end(), plans.back().out_axes.begin(), plans.back().out_axes.end());
  }
  operand = lowering.reshard_to(op, std::move(operand), in_axes);
  const ValueId value = emit.reshape(exchange_groups(lowering, operand.value, plans),
                                     lowering.local_dims(global, out_axes));
  PartitionedValue made = lowering.make(value, global, std::move(out_axes));
  lowering.bind(result, lowering.reshard_to(op, std::move(made), result_axes));
  return {};
}

}  // namespace shardy::partitioning
