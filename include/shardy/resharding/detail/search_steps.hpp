// Reshard steps between states of the search.
#pragma once

#include <cstdint>
#include <shardy/resharding/detail/search_problem.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::search {

/// Returns the step from `before` to `after`. Requires: a step of this kind leads from `before` to
/// `after`.
ReshardStep make_step(const SearchProblem& problem, const AtomLists& before, const AtomLists& after,
                      StepKind kind, bool on_target);

/// Joins slices that directly follow each other into one step; with `all_kinds` also all-gathers
/// and reduce-scatters.
std::vector<ReshardStep> joined(std::vector<ReshardStep> steps, bool all_kinds);

}  // namespace shardy::search

#ifdef SHARDY_BODIES
#include <cstddef>
#include <utility>

namespace shardy::search {

SHARDY_INLINE AxisList axes_of(const SearchProblem& problem, std::span<const uint8_t> atoms) {
  AxisList list;
  for (const uint8_t atom : atoms) append_or_merge(list, problem.atoms[atom]);
  return list;
}

SHARDY_INLINE ReshardStep make_step(const SearchProblem& problem, const AtomLists& before,
                                    const AtomLists& after, StepKind kind, bool on_target) {
  ReshardStep step{.kind = kind, .out = sharding(problem, after, on_target)};
  const bool on_dims =
      kind == StepKind::AllGather || kind == StepKind::AllSlice || kind == StepKind::ReduceScatter;
  if (on_dims) step.dim_axes.resize(problem.from.rank());
  AllToAllMove move;
  for (std::size_t dim = 0; dim < problem.dims.size(); ++dim) {
    const std::size_t tensor_dim = problem.dims[dim].tensor_dim;
    const auto old = before.dim(dim);
    const auto now = after.dim(dim);
    if (on_dims && now.size() > old.size()) {
      step.dim_axes[tensor_dim] = axes_of(problem, now.subspan(old.size()));
    } else if (on_dims) {
      step.dim_axes[tensor_dim] = axes_of(problem, old.subspan(now.size()));
    } else if (kind == StepKind::AllToAll && now.size() < old.size()) {
      move.source = static_cast<int64_t>(tensor_dim);
      move.axes = axes_of(problem, old.subspan(now.size()));
    } else if (kind == StepKind::AllToAll && now.size() > old.size()) {
      move.target = static_cast<int64_t>(tensor_dim);
    }
  }
  if (kind == StepKind::AllToAll) step.params.push_back(std::move(move));
  if (kind == StepKind::AllReduce) {
    for (std::size_t atom = 0; atom < problem.atoms.size(); ++atom) {
      if (((before.partial & ~after.partial) >> atom & 1) != 0) {
        step.axes.push_back(problem.atoms[atom]);
      }
    }
    step.axes = sort_and_merge(std::move(step.axes));
  }
  const bool reduces = kind == StepKind::AllReduce || kind == StepKind::ReduceScatter;
  if (reduces) step.reduction_op = problem.from.reduction_op();
  return step;
}

/// Joins the axes of `next` to `step`. The steps are of one kind, and `next` applies to the result
/// of `step`.
SHARDY_INLINE void join_lists(ReshardStep& step, ReshardStep& next) {
  const bool gathers = step.kind == StepKind::AllGather;
  for (std::size_t dim = 0; dim < step.dim_axes.size(); ++dim) {
    AxisList all = gathers ? next.dim_axes[dim] : step.dim_axes[dim];
    for (const AxisRef& ref : gathers ? step.dim_axes[dim] : next.dim_axes[dim]) {
      append_or_merge(all, ref);
    }
    step.dim_axes[dim] = std::move(all);
  }
  step.out = std::move(next.out);
}

SHARDY_INLINE std::vector<ReshardStep> joined(std::vector<ReshardStep> steps, bool all_kinds) {
  std::vector<ReshardStep> result;
  for (ReshardStep& step : steps) {
    const bool lists =
        step.kind == StepKind::AllSlice ||
        (all_kinds && (step.kind == StepKind::AllGather || step.kind == StepKind::ReduceScatter));
    if (lists && !result.empty() && result.back().kind == step.kind) {
      join_lists(result.back(), step);
    } else {
      result.push_back(std::move(step));
    }
  }
  return result;
}

}  // namespace shardy::search
#endif  // SHARDY_BODIES
