#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <shardy/algebra/axis_check.hpp>
#include <shardy/algebra/equivalence.hpp>
#include <shardy/resharding/axis_lists.hpp>
#include <shardy/resharding/coexistence.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>

namespace shardy {

/// `axes` without the list `gathered` at its back. The error says what could not be `kind`ed, on
/// which dim. Spec: dialect 4.2.
inline Result<AxisList> gather_axes(const Mesh& mesh, AxisList axes, AxisSpan gathered,
                                    std::string_view kind, std::size_t dim) {
  for (std::size_t index = gathered.size(); index-- > 0;) {
    const AxisRef& ref = gathered[index];
    if (axes.empty() || !can_coexist(ref, axes.back()) || !suffix_of(ref, axes.back())) {
      return fail("can't apply " + std::string(kind) + " axis " + to_string(mesh, ref) +
                  " to operand sharding on dimension " + std::to_string(dim));
    }
    const std::optional<AxisRef> rest = prefix_without_overlap(axes.back(), ref);
    axes.pop_back();
    if (rest) axes.push_back(*rest);
  }
  return axes;
}

/// `axes` with `sliced` appended. Spec: dialect 4.2.
inline AxisList slice_axes(AxisList axes, AxisSpan sliced) {
  for (const AxisRef& ref : sliced) append_or_merge(axes, ref);
  return axes;
}

namespace detail {

using DimAxesResult = Result<AxisLists>;

inline Status check_dim_lists(const ReshardStep& step) {
  const Mesh& mesh = step.out.mesh();
  AxisChecker checker(mesh);
  for (const AxisList& list : step.dim_axes) {
    SHARDY_TRY_STATUS(checker.add(loosen(mesh, list)));
  }
  SHARDY_TRY_STATUS(checker.finish());
  if (step.dim_axes.size() == step.out.dims().size()) return {};
  return fail("result sharding has rank " + std::to_string(step.out.dims().size()) +
              " but collective axes has rank " + std::to_string(step.dim_axes.size()));
}

inline DimAxesResult gathered_dims(const ReshardStep& step, const TensorSharding& operand) {
  SHARDY_TRY_STATUS(check_dim_lists(step));
  const std::string_view kind =
      step.kind == StepKind::AllGather ? "gathering" : "shard-to-unreduce";
  AxisLists dims = dim_axes(operand);
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    SHARDY_TRY(dims[dim], gather_axes(operand.mesh(), dims[dim], step.dim_axes[dim], kind, dim));
  }
  return dims;
}

inline DimAxesResult sliced_dims(const ReshardStep& step, const TensorSharding& operand) {
  SHARDY_TRY_STATUS(check_dim_lists(step));
  AxisLists dims = dim_axes(operand);
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim] = slice_axes(std::move(dims[dim]), step.dim_axes[dim]);
  }
  return dims;
}

inline Status check_in_range(std::string_view what, int64_t dim, std::size_t rank) {
  if (dim >= 0 && dim < static_cast<int64_t>(rank)) return {};
  return fail(std::string(what) + " dimension " + std::to_string(dim) + " is out of range [0, " +
              std::to_string(rank) + ")");
}

/// All params in order. Spec: dialect 4.4, 1 and 2.
inline Status check_params(const ReshardStep& step) {
  if (step.params.empty()) return fail("parameter list is empty");
  const Mesh& mesh = step.out.mesh();
  AxisChecker checker(mesh);
  std::set<int64_t> seen;
  for (std::size_t index = 0; index < step.params.size(); ++index) {
    const AllToAllParam& param = step.params[index];
    SHARDY_TRY_STATUS(checker.add(loosen(mesh, param.axes)));
    SHARDY_TRY_STATUS(check_in_range("source", param.source, step.out.dims().size()));
    SHARDY_TRY_STATUS(check_in_range("target", param.target, step.out.dims().size()));
    for (const int64_t dim : {param.source, param.target}) {
      if (seen.insert(dim).second) continue;
      return fail("overlapping source/target dimensions in all-to-all params: " +
                  std::to_string(dim));
    }
    if (index == 0 || step.params[index - 1].source < param.source) continue;
    return fail(
        "source dimensions are not sorted in ascending order: " + std::to_string(param.source) +
        " appears after " + std::to_string(step.params[index - 1].source));
  }
  return checker.finish();
}

inline DimAxesResult moved_dims(const ReshardStep& step, const TensorSharding& operand) {
  SHARDY_TRY_STATUS(check_params(step));
  AxisLists dims = dim_axes(operand);
  for (const AllToAllParam& param : step.params) {
    const auto source = static_cast<std::size_t>(param.source);
    const auto target = static_cast<std::size_t>(param.target);
    SHARDY_TRY(dims[source],
               gather_axes(operand.mesh(), dims[source], param.axes, "all-to-all", source));
    dims[target] = slice_axes(std::move(dims[target]), param.axes);
  }
  return dims;
}

/// Any axes of the same shard counts. Spec: dialect 4.5.
inline DimAxesResult permuted_dims(const ReshardStep& step, const TensorSharding& operand) {
  const TensorSharding& out = step.out;
  if (!out.mesh().equals_ignoring_device_ids(operand.mesh())) {
    return fail("result mesh has different axes than operand mesh");
  }
  if (out.mesh() == operand.mesh() && out.mesh_name() != operand.mesh_name()) {
    return fail("result mesh name is different but same device ids as operand");
  }
  // Or there are no coordinates by which to pair the devices.
  if (!can_coexist(out.ordered_axis_refs(), operand.ordered_axis_refs())) {
    return fail("result axes can't coexist with operand axes");
  }
  for (std::size_t dim = 0; dim < out.dims().size(); ++dim) {
    const int64_t result_size = out.dims()[dim].sharded_size();
    const int64_t operand_size = operand.dims()[dim].sharded_size();
    if (result_size == operand_size) continue;
    return fail("sharded size of result doesn't match operand on dimension " + std::to_string(dim) +
                ": " + std::to_string(result_size) + " != " + std::to_string(operand_size));
  }
  return dim_axes(out);
}

/// Spec: dialect 4.3.
inline DimAxesResult result_dims(const ReshardStep& step, const TensorSharding& operand) {
  switch (step.kind) {
    case StepKind::AllGather:
    case StepKind::ShardedToUnreduced:
      return gathered_dims(step, operand);
    case StepKind::AllSlice:
    case StepKind::ReduceScatter:
      return sliced_dims(step, operand);
    case StepKind::AllToAll:
      return moved_dims(step, operand);
    case StepKind::CollectivePermute:
      return permuted_dims(step, operand);
    case StepKind::AllReduce:
    case StepKind::ReplicatedToUnreduced:
      break;
  }
  return dim_axes(operand);
}

/// Spec: dialect 4.6, all_reduce 2 and 3, replicated_to_unreduced.
inline Status check_axis_set(const ReshardStep& step, const TensorSharding& operand) {
  const bool reduces = step.kind == StepKind::AllReduce;
  const Mesh& mesh = operand.mesh();
  if (!reduces && step.axes.empty()) return fail("r2u axes must not be empty");
  AxisChecker checker(mesh);
  SHARDY_TRY_STATUS(checker.add_sorted(loosen(mesh, step.axes), reduces ? "reduction" : "r2u"));
  SHARDY_TRY_STATUS(checker.finish());
  AxisList taken = flatten(dim_axes(operand));
  if (reduces) append(taken, operand.replicated_axes());
  for (const AxisRef& ref : step.axes) {
    const std::string name = (reduces ? "reduction axis " : "r2u axis ") + to_string(mesh, ref);
    if (overlaps(ref, taken)) {
      return fail(name + " overlaps with operand dimension sharding" +
                  (reduces ? " or replicated axes" : ""));
    }
    if (!reduces && overlaps(ref, operand.unreduced_axes())) {
      return fail(name + " overlaps with operand unreduced axes");
    }
  }
  return {};
}

/// The axes along which a step of this kind reduces, or along which its result is partial.
inline AxisList unreduced_change(const ReshardStep& step) {
  AxisList axes = flatten(step.dim_axes);
  append(axes, step.axes);
  return axes;
}

/// Unreduced axes after a reduction. Spec: dialect 4.6, algebra 9.4.
inline Result<AxisList> reduced_axes(const ReshardStep& step, const TensorSharding& operand) {
  const AxisList change = unreduced_change(step);
  if (overlaps(operand.unreduced_axes(), change) && operand.reduction_op() != step.reduction_op) {
    return fail("cannot reduce '" + std::string(to_string(operand.reduction_op())) +
                "' unreduced axes. Expected '" + std::string(to_string(step.reduction_op)) + "'.");
  }
  return sort_and_merge(set_difference(operand.unreduced_axes(), change));
}

/// Unreduced axes after a step that introduces some. Spec: dialect 4.6.
inline Result<AxisList> introduced_axes(const ReshardStep& step, const TensorSharding& operand) {
  if (step.out.reduction_op() != ReductionOp::Sum) {
    return fail("out_sharding reduction_op must be SUM");
  }
  AxisList axes = operand.unreduced_axes();
  append(axes, unreduced_change(step));
  return sort_and_merge(std::move(axes));
}

/// Unreduced axes of the result.
inline Result<AxisList> result_unreduced(const ReshardStep& step, const TensorSharding& operand) {
  switch (step.kind) {
    case StepKind::AllReduce:
    case StepKind::ReduceScatter:
      return reduced_axes(step, operand);
    case StepKind::ShardedToUnreduced:
    case StepKind::ReplicatedToUnreduced:
      return introduced_axes(step, operand);
    default:
      return operand.unreduced_axes();
  }
}

inline std::string bracketed(const Mesh& mesh, AxisSpan axes) {
  return "[" + joined(spell(mesh, axes)) + "]";
}

inline Status check_dims(const TensorSharding& out, const AxisLists& expected) {
  for (std::size_t dim = 0; dim < expected.size(); ++dim) {
    if (out.dims()[dim].axes == expected[dim]) continue;
    return fail("result sharding doesn't match expected sharding " +
                bracketed(out.mesh(), expected[dim]) + " on dimension " + std::to_string(dim));
  }
  return {};
}

inline Status check_end(const TensorSharding& end, const TensorSharding& to) {
  if (!same_dim_axes(end, to)) return fail("plan ends at other dim shardings");
  if (end.unreduced_axes() != to.unreduced_axes()) return fail("plan ends at other unreduced axes");
  const bool partial = !to.unreduced_axes().empty();
  if (partial && end.reduction_op() != to.reduction_op()) {
    return fail("plan ends at another reduction");
  }
  if (end.mesh() == to.mesh() || (to.is_fully_replicated() && !partial)) return {};
  return fail("plan ends on another mesh");
}

}  // namespace detail

/// The sharding that `step` gives a tensor sharded like `operand`: `step.out`, if the step is legal
/// there and does what its `out` says. Errors: dialect 4.1 to 4.6; unreduced axes change by exactly
/// those that the step reduces or introduces.
inline Result<TensorSharding> apply_step(const ReshardStep& step, const TensorSharding& operand) {
  if (step.kind != StepKind::CollectivePermute && step.out.mesh() != operand.mesh()) {
    return fail("result mesh does not match operand mesh");
  }
  if (step.out.dims().size() != operand.dims().size()) {
    return fail("result sharding has rank " + std::to_string(step.out.dims().size()) +
                " but operand sharding has rank " + std::to_string(operand.dims().size()));
  }
  SHARDY_TRY(const AxisLists dims, detail::result_dims(step, operand));
  if (step.kind == StepKind::AllReduce || step.kind == StepKind::ReplicatedToUnreduced) {
    SHARDY_TRY_STATUS(detail::check_axis_set(step, operand));
  }
  SHARDY_TRY_STATUS(detail::check_dims(step.out, dims));
  SHARDY_TRY(const AxisList unreduced, detail::result_unreduced(step, operand));
  if (!std::ranges::equal(step.out.unreduced_axes(), unreduced)) {
    return fail("result unreduced axes don't match expected " +
                detail::bracketed(operand.mesh(), unreduced));
  }
  if (!unreduced.empty() && !operand.unreduced_axes().empty() &&
      operand.reduction_op() != step.out.reduction_op()) {
    return fail("cannot change the reduction operator of kept unreduced axes from " +
                std::string(to_string(operand.reduction_op())) + " to " +
                std::string(to_string(step.out.reduction_op())) + ".");
  }
  return step.out;
}

/// Runs `steps` from `from`; they must end at the axes of `to`, on its mesh unless each device
/// holds all of the tensor anyway. Errors: those of apply_step, with the number of the step.
inline Status verify_plan(const TensorSharding& from, const TensorSharding& to,
                          std::span<const ReshardStep> steps) {
  TensorSharding here = from;
  for (std::size_t index = 0; index < steps.size(); ++index) {
    Result<TensorSharding> next = apply_step(steps[index], here);
    if (!next) {
      return tl::unexpected(
          with_prefix("step " + std::to_string(index) + " - ", std::move(next).error()));
    }
    here = *std::move(next);
  }
  return detail::check_end(here, to);
}

}  // namespace shardy
