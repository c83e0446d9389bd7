// Conditions on the steps of any planner: each step is legal, and the plan ends at its target.
// Spec: dialect 4.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/step.hpp>
#include <span>
#include <utility>

namespace shardy::testing {

/// Returns `axes` without the suffix `gathered`; std::nullopt if it is not a suffix. Spec: 4.2.
inline std::optional<AxisList> without_suffix(AxisList axes, AxisSpan gathered) {
  for (std::size_t index = gathered.size(); index-- > 0;) {
    const AxisRef& ref = gathered[index];
    if (axes.empty() || !can_coexist(ref, axes.back()) || !suffix_of(ref, axes.back())) return {};
    const std::optional<AxisRef> rest = prefix_without_overlap(axes.back(), ref);
    axes.pop_back();
    if (rest) axes.push_back(*rest);
  }
  return axes;
}

/// Returns `axes` with `sliced` appended. Spec: 4.2.
inline AxisList with_suffix(AxisList axes, AxisSpan sliced) {
  for (const AxisRef& ref : sliced) append_or_merge(axes, ref);
  return axes;
}

/// Checks whether the axes of the step are disjoint axes of its mesh, and lists of unordered axes
/// are in mesh order.
inline bool has_valid_axes(const ReshardStep& step) {
  const Mesh& mesh = step.out.mesh();
  AxisChecker checker(mesh);
  bool is_valid = true;
  for (const AxisList& list : step.dim_axes)
    is_valid &= checker.add(loosen(mesh, list)).has_value();
  for (const auto& param : step.params) {
    is_valid &= checker.add(loosen(mesh, param.axes)).has_value();
  }
  is_valid &= checker.add_sorted(loosen(mesh, step.axes), "axes").has_value();
  return is_valid && checker.finish().has_value();
}

/// Checks whether moves are between different dims and sorted by source dim. Spec: 4.4.
inline bool has_valid_params(const ReshardStep& step) {
  const auto rank = static_cast<int64_t>(step.out.dims().size());
  std::set<int64_t> seen;
  for (const AllToAllMove& param : step.params) {
    for (const int64_t dim : {param.source, param.target}) {
      if (dim < 0 || dim >= rank || !seen.insert(dim).second) return false;
    }
  }
  return !step.params.empty() && std::ranges::is_sorted(step.params, {}, &AllToAllMove::source);
}

/// Checks whether a permute gives each dim other axes with the same product of sizes. Spec: 4.5.
inline bool can_permute(const TensorSharding& operand, const TensorSharding& out) {
  const bool has_same_sizes = std::ranges::equal(
      operand.dims(), out.dims(), {}, &DimSharding::sharded_size, &DimSharding::sharded_size);
  const bool is_renamed = out.mesh() == operand.mesh() && out.mesh_name() != operand.mesh_name();
  return has_same_sizes && !is_renamed && out.mesh().equals_ignoring_device_ids(operand.mesh()) &&
         can_coexist(out.ordered_axis_refs(), operand.ordered_axis_refs());
}

/// Returns the moved axes in the order in which the target dim has them: the axes of `after` that
/// follow `before`. std::nullopt if they are not the axes of the move.
inline std::optional<AxisList> arrived_axes(const AllToAllMove& param, AxisSpan before,
                                            AxisSpan after) {
  if (prefix_status(before, after) != PrefixStatus::StrictPrefix) return {};
  AxisList arrived = rest_after(after, before);
  if (sort_and_merge(arrived) != sort_and_merge(param.axes)) return {};
  return arrived;
}

/// Returns the axes of the dims after the step; std::nullopt if the step is not legal. Spec: 4.3.
inline std::optional<AxisLists> dims_after(const ReshardStep& step, const TensorSharding& operand) {
  if (step.kind == StepKind::CollectivePermute) {
    if (!can_permute(operand, step.out)) return {};
    return dim_axes(step.out);
  }
  if (step.kind == StepKind::AllToAll && !has_valid_params(step)) return {};
  const bool gathers =
      step.kind == StepKind::AllGather || step.kind == StepKind::ShardedToUnreduced;
  const bool slices = step.kind == StepKind::AllSlice || step.kind == StepKind::ReduceScatter;
  AxisLists dims = dim_axes(operand);
  if ((gathers || slices) && step.dim_axes.size() != dims.size()) return {};
  const auto gather = [&](std::size_t dim, AxisSpan axes) {
    const std::optional<AxisList> rest = without_suffix(dims[dim], axes);
    if (rest) dims[dim] = *rest;
    return rest.has_value();
  };
  for (std::size_t dim = 0; dim < step.dim_axes.size(); ++dim) {
    if (gathers && !gather(dim, step.dim_axes[dim])) return {};
    if (slices) dims[dim] = with_suffix(std::move(dims[dim]), step.dim_axes[dim]);
  }
  for (const AllToAllMove& param : step.params) {
    if (!gather(static_cast<std::size_t>(param.source), param.axes)) return {};
    const auto target = static_cast<std::size_t>(param.target);
    const std::optional<AxisList> arrived =
        arrived_axes(param, operand.dim(target).axes, step.out.dim(target).axes);
    if (!arrived) return {};
    dims[target] = with_suffix(std::move(dims[target]), *arrived);
  }
  return dims;
}

/// Checks whether `operand` does not use the axes of the step elsewhere. Spec: 4.6.
inline bool has_free_axes(const ReshardStep& step, const TensorSharding& operand) {
  AxisList taken = flatten(dim_axes(operand));
  if (step.kind == StepKind::AllReduce) append(taken, operand.replicated_axes());
  if (step.kind != StepKind::ReplicatedToUnreduced) return !overlaps(step.axes, taken);
  append(taken, operand.unreduced_axes());
  return !step.axes.empty() && !overlaps(step.axes, taken);
}

/// Returns the unreduced axes after the step; std::nullopt if the step's reduction is not legal.
/// Spec: 4.6.
inline std::optional<AxisList> unreduced_after(const ReshardStep& step,
                                               const TensorSharding& operand) {
  AxisList axes = operand.unreduced_axes();
  AxisList change = flatten(step.dim_axes);
  append(change, step.axes);
  switch (step.kind) {
    case StepKind::AllReduce:
    case StepKind::ReduceScatter:
      if (overlaps(axes, change) && operand.reduction_op() != step.reduction_op) return {};
      return sort_and_merge(set_difference(axes, change));
    case StepKind::ShardedToUnreduced:
    case StepKind::ReplicatedToUnreduced:
      if (step.out.reduction_op() != ReductionOp::Sum) return {};
      append(axes, change);
      return sort_and_merge(std::move(axes));
    default:
      return axes;
  }
}

/// Checks whether the step is legal for a tensor with sharding `operand` and gives the sharding
/// `out`.
inline bool is_legal(const ReshardStep& step, const TensorSharding& operand) {
  const TensorSharding& out = step.out;
  if (step.kind != StepKind::CollectivePermute && out.mesh() != operand.mesh()) return false;
  if (out.dims().size() != operand.dims().size() || !has_valid_axes(step)) return false;
  const std::optional<AxisLists> dims = dims_after(step, operand);
  const std::optional<AxisList> unreduced = unreduced_after(step, operand);
  if (!dims || !unreduced || !has_free_axes(step, operand)) return false;
  const bool keeps_partial = !unreduced->empty() && !operand.unreduced_axes().empty();
  return dim_axes(out) == *dims && out.unreduced_axes() == *unreduced &&
         (!keeps_partial || operand.reduction_op() == out.reduction_op());
}

/// Checks whether the steps are legal, start at `from` and end at the axes of `to`. The last mesh
/// must be that of `to` unless each device has the full tensor.
inline bool is_plan(const TensorSharding& from, const TensorSharding& to,
                    std::span<const ReshardStep> steps) {
  TensorSharding here = from;
  for (const ReshardStep& step : steps) {
    if (!is_legal(step, here)) return false;
    here = step.out;
  }
  const bool is_partial = !to.unreduced_axes().empty();
  return dim_axes(here) == dim_axes(to) && here.unreduced_axes() == to.unreduced_axes() &&
         (!is_partial || here.reduction_op() == to.reduction_op()) &&
         (here.mesh() == to.mesh() || (to.is_fully_replicated() && !is_partial));
}

}  // namespace shardy::testing
