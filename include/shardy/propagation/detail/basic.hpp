#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/propagation/detail/factor_axes.hpp>

namespace shardy::propagation {

namespace detail {

/// Keeps of `candidate` what every tensor of the op can take, also those without the factor.
template <class Conflicts>
void truncate_for_all_tensors(const FactorProblem& problem, const Projection& projection,
                              std::size_t factor, AxisList& candidate, Conflicts& conflicts) {
  const RuleLayout& layout = problem.layout;
  const Truncation truncation{.problem = problem, .factor = factor};
  truncate(candidate, truncation, conflicts, [&](Passage& passage, int64_t major_shards) {
    auto entries = layout.factor_entries(factor);
    for (std::size_t tensor = 0; tensor < layout.num_tensors() && passage.axis; ++tensor) {
      pass_across(layout, projection, tensor, factor, passage);
      if (entries.empty() || layout.entry_tensor(entries.front()) != tensor) continue;
      const std::size_t entry = entries.front();
      entries = entries.subspan(1);
      if (!projection.entries[entry].is_mapped) continue;
      pass_within(layout, projection, entry, major_shards, passage);
    }
  });
}

}  // namespace detail

/// Extends the factors of all tensors by the axes that none of them objects to; the answer is in
/// `projection` and `scratch.is_updated`. Spec: propagation 5.4.
template <class Conflicts>
void run_basic_strategy(const FactorProblem& problem, Projection& projection,
                        BasicStrategyScratch<Conflicts>& scratch) {
  const RuleLayout& layout = problem.layout;
  scratch.conflicts.clear();
  scratch.is_updated.assign(layout.num_tensors(), 0);
  AxisList& candidate = scratch.axes;
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    candidate_axes(problem, projection, factor, candidate, scratch.conflicts);
    // Truncation only shortens the candidate: what extends nothing now never will.
    if (!can_extend_any(layout, projection, factor, candidate)) continue;
    detail::truncate_for_all_tensors(problem, projection, factor, candidate, scratch.conflicts);
    for (const uint32_t entry : layout.factor_entries(factor)) {
      FactorSharding& sharding = projection.entries[entry];
      if (!sharding.is_mapped || !strict_prefix_of(sharding.axes, candidate)) continue;
      sharding.axes = candidate;
      scratch.is_updated[layout.entry_tensor(entry)] = 1;
    }
  }
}

}  // namespace shardy::propagation
