#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <shardy/propagation/detail/factor_axes.hpp>
#include <tuple>

namespace shardy::propagation {

namespace detail {

/// Product of the sizes of the factors that each tensor is mapped to; it need not be the number of
/// its elements, and stops at the largest int64.
inline void measure_tensors(const RuleLayout& layout, const Projection& projection,
                            std::vector<int64_t>& sizes) {
  sizes.assign(layout.num_tensors(), 1);
  for (std::size_t entry = 0; entry < layout.num_entries(); ++entry) {
    if (!projection.entries[entry].is_mapped) continue;
    int64_t& size = sizes[layout.entry_tensor(entry)];
    size = checked_mul(size, layout.factor_size(layout.entry_factor(entry)))
               .value_or(std::numeric_limits<int64_t>::max());
  }
}

/// Finds the source tensor of `factor`: the largest one that has all candidate axes, the first one
/// among equals. Spec: propagation 6.2.
inline FactorKey factor_key(const FactorProblem& problem, const Projection& projection,
                            std::size_t factor, const StrategyMemory& scratch) {
  const RuleLayout& layout = problem.layout;
  const AxisList& candidate = scratch.candidates[factor];
  FactorKey key;
  if (candidate.empty()) return key;
  for (const uint32_t entry : layout.factor_entries(factor)) {
    const FactorSharding& sharding = projection.entries[entry];
    if (!sharding.is_mapped) continue;
    const std::size_t tensor = layout.entry_tensor(entry);
    if (scratch.tensor_sizes[tensor] <= key.source_size) continue;
    if (candidate != sharding.axes && !strict_prefix_of(candidate, sharding.axes)) continue;
    key.source_size = scratch.tensor_sizes[tensor];
    key.source = tensor;
  }
  if (problem.is_elementwise) key.shards = sharding_size(candidate);
  return key;
}

/// Stores the position of each factor in `scratch.order`.
inline void set_urgency(StrategyMemory& scratch) {
  scratch.urgency.resize(scratch.order.size());
  for (std::size_t position = 0; position < scratch.order.size(); ++position) {
    scratch.urgency[scratch.order[position]] = position;
  }
}

/// Sorts the factors: largest source, then most shards, then first source. Spec: propagation 6.3.
inline void order_factors(const FactorProblem& problem, const Projection& projection,
                          StrategyMemory& scratch) {
  const std::size_t num_factors = problem.layout.num_factors();
  measure_tensors(problem.layout, projection, scratch.tensor_sizes);
  scratch.keys.resize(num_factors);
  for (std::size_t factor = 0; factor < num_factors; ++factor) {
    scratch.keys[factor] = factor_key(problem, projection, factor, scratch);
  }
  scratch.order.resize(num_factors);
  std::iota(scratch.order.begin(), scratch.order.end(), std::size_t{0});
  std::ranges::sort(scratch.order, [&](std::size_t a, std::size_t b) {
    const FactorKey& x = scratch.keys[a];
    const FactorKey& y = scratch.keys[b];
    return std::tuple(-x.source_size, -x.shards, x.source, a) <
           std::tuple(-y.source_size, -y.shards, y.source, b);
  });
}

/// The entries of `tensor` that could get axes, most urgent factor first, into `scratch.entries`.
inline void extensible_entries(const RuleLayout& layout, const Projection& projection,
                               std::size_t tensor, StrategyMemory& scratch) {
  scratch.entries.clear();
  const EntryRange range = layout.tensor_entries(tensor);
  for (std::size_t entry = range.begin; entry < range.end; ++entry) {
    const FactorSharding& sharding = projection.entries[entry];
    const AxisList& candidate = scratch.candidates[layout.entry_factor(entry)];
    // Axes that are not a prefix of the candidate are not one of a shortened candidate either.
    if (!sharding.is_mapped || !strict_prefix_of(sharding.axes, candidate)) continue;
    scratch.entries.push_back(entry);
  }
  std::ranges::sort(scratch.entries, {},
                    [&](std::size_t entry) { return scratch.urgency[layout.entry_factor(entry)]; });
}

/// Operands of an elementwise op take no more than what a result did. Spec: propagation 6.4 rule 5.
template <class Conflicts>
void limit_to_results(const FactorProblem& problem, const Projection& projection,
                      std::size_t target, BasicStrategyScratch<Conflicts>& scratch) {
  const RuleLayout& layout = problem.layout;
  const std::size_t factor = layout.entry_factor(target);
  for (const uint32_t entry : layout.factor_entries(factor)) {
    const std::size_t tensor = layout.entry_tensor(entry);
    const FactorSharding& result = projection.entries[entry];
    if (tensor < layout.num_operands() || !result.is_mapped) continue;
    if (!strict_prefix_of(result.axes, scratch.axes)) continue;
    const std::size_t lost = result.axes.empty() ? 0 : result.axes.size() - 1;
    const bool cuts_axis = !result.axes.empty() && result.axes[lost] != scratch.axes[lost];
    scratch.conflicts.add(
        {.factor = factor,
         .wanted = scratch.axes[cuts_axis ? lost : result.axes.size()],
         .kept = cuts_axis ? std::optional<AxisRef>(result.axes[lost]) : std::nullopt,
         .reason = ConflictReason::ResultAccepts,
         .tensor = tensor,
         .other_factor = std::nullopt,
         .target = layout.entry_tensor(target)});
    scratch.axes = result.axes;
  }
}

/// Gives one factor of one tensor what the tensor can take of the candidate.
template <class Conflicts>
void extend_entry(const FactorProblem& problem, Projection& projection, std::size_t entry,
                  BasicStrategyScratch<Conflicts>& scratch) {
  const RuleLayout& layout = problem.layout;
  const std::size_t factor = layout.entry_factor(entry);
  const std::size_t tensor = layout.entry_tensor(entry);
  FactorSharding& sharding = projection.entries[entry];
  AxisList& axes = scratch.axes;
  axes = scratch.candidates[factor];
  const Truncation truncation{.problem = problem, .factor = factor, .target = tensor};
  truncate(axes, truncation, scratch.conflicts, [&](Passage& passage, int64_t major_shards) {
    pass_within(layout, projection, entry, major_shards, passage);
  });
  if (!strict_prefix_of(sharding.axes, axes)) return;
  truncate(axes, truncation, scratch.conflicts, [&](Passage& passage, int64_t /*major_shards*/) {
    pass_across(layout, projection, tensor, factor, passage);
  });
  if (axes.empty()) return;
  if (problem.is_elementwise && tensor < layout.num_operands()) {
    limit_to_results(problem, projection, entry, scratch);
  }
  if (!strict_prefix_of(sharding.axes, axes)) return;
  sharding.axes = axes;
  scratch.is_updated[tensor] = 1;
}

template <class Conflicts>
void extend_tensor(const FactorProblem& problem, Projection& projection, std::size_t tensor,
                   BasicStrategyScratch<Conflicts>& scratch) {
  extensible_entries(problem.layout, projection, tensor, scratch);
  for (const std::size_t entry : scratch.entries) {
    extend_entry(problem, projection, entry, scratch);
  }
}

}  // namespace detail

/// Extends each tensor by the axes that it can take, results first; the answer is in `projection`
/// and `scratch.is_updated`. Spec: propagation 6.
template <class Conflicts>
void run_aggressive_strategy(const FactorProblem& problem, Projection& projection,
                             BasicStrategyScratch<Conflicts>& scratch) {
  const RuleLayout& layout = problem.layout;
  scratch.conflicts.clear();
  scratch.is_updated.assign(layout.num_tensors(), 0);
  if (scratch.candidates.size() < layout.num_factors()) {
    scratch.candidates.resize(layout.num_factors());
  }
  bool extends_any = false;
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    AxisList& candidate = scratch.candidates[factor];
    candidate_axes(problem, projection, factor, candidate, scratch.conflicts);
    extends_any |= can_extend_any(layout, projection, factor, candidate);
  }
  if (!extends_any) return;

  const bool is_ordered =
      problem.parts != nullptr && detail::ask_for_order(problem, projection, scratch);
  if (!is_ordered) detail::order_factors(problem, projection, scratch);
  detail::set_urgency(scratch);
  for (std::size_t tensor = layout.num_operands(); tensor < layout.num_tensors(); ++tensor) {
    detail::extend_tensor(problem, projection, tensor, scratch);
  }
  for (std::size_t tensor = 0; tensor < layout.num_operands(); ++tensor) {
    detail::extend_tensor(problem, projection, tensor, scratch);
  }
}

}  // namespace shardy::propagation
