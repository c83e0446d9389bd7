// Axes that the factors of one rule can get, for the basic and the aggressive strategy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/projection.hpp>
#include <span>
#include <tuple>

// Common code of both factor strategies: the candidate axes of a factor, and the prefix of the
// candidates that a tensor can accept. Spec: propagation 5.

namespace shardy::propagation {

/// Result of combine_axes.
struct AxisAgreement {
  bool may_expand = true;       // false after a conflict: the list can then only shrink
  std::optional<AxisRef> lost;  // first agreed axis that the new tensor does not have
  std::optional<AxisRef> kept;  // prefix of `lost` that the new tensor has
};

namespace detail {

/// Truncates `agreed` to `size` axes, and replaces the last axis by `kept`, if given.
inline AxisAgreement stop_at(AxisList& agreed, std::size_t size, std::optional<AxisRef> kept) {
  AxisAgreement result{.may_expand = false, .lost = std::nullopt, .kept = kept};
  const std::size_t lost = kept ? size - 1 : size;
  if (lost < agreed.size()) result.lost = agreed[lost];
  agreed.resize(size);
  if (kept) agreed[lost] = *kept;
  return result;
}

}  // namespace detail

/// Shrinks or extends `agreed`, the axes on which earlier tensors agree, so that it is compatible
/// with `axes` of one more tensor. Spec: propagation 5.2, combine.
inline AxisAgreement combine_axes(AxisList& agreed, std::span<const AxisRef> axes,
                                  bool may_expand) {
  const std::size_t common = std::min(agreed.size(), axes.size());
  for (std::size_t position = 0; position < common; ++position) {
    const AxisRef old_axis = agreed[position];
    const AxisRef new_axis = axes[position];
    if (old_axis == new_axis) continue;
    if (prefix_of(new_axis, old_axis)) {
      if (position + 1 == axes.size()) continue;  // keeps the longer axis, `old_axis`
      return detail::stop_at(agreed, position + 1, new_axis);
    }
    if (!prefix_of(old_axis, new_axis)) return detail::stop_at(agreed, position, std::nullopt);
    if (!may_expand || position + 1 < agreed.size()) {
      return detail::stop_at(agreed, position + 1, std::nullopt);
    }
    agreed[position] = new_axis;
  }
  if (may_expand && common < axes.size()) {
    agreed.insert(agreed.end(), axes.begin() + static_cast<std::ptrdiff_t>(common), axes.end());
  }
  return {.may_expand = may_expand, .lost = std::nullopt, .kept = std::nullopt};
}

/// Computes `candidate`: the axes along which all tensors could be sharded on `factor`.
/// Contributing tensors have these axes, and no tensor contradicts them. Spec: propagation 5.2.
template <class Conflicts>
void compatible_axes(const FactorProblem& problem, const Projection& projection, std::size_t factor,
                     AxisList& candidate, Conflicts& conflicts) {
  candidate.clear();
  const Direction direction = problem.directions[factor];
  if (direction == Direction::None) return;
  const FlatRule& layout = problem.layout;
  bool may_expand = true;
  const auto combine = [&](std::span<const uint32_t> entries) {
    for (const uint32_t entry : entries) {
      if (!projection.entries[entry].is_mapped) continue;
      const AxisAgreement agreement =
          combine_axes(candidate, projection.entries[entry].axes, may_expand);
      may_expand = agreement.may_expand;
      if (!agreement.lost) continue;
      conflicts.add({.factor = factor,
                     .wanted = *agreement.lost,
                     .kept = agreement.kept,
                     .reason = ConflictReason::TensorsDisagree,
                     .tensor = layout.entry_tensor(entry),
                     .other_factor = std::nullopt,
                     .target = std::nullopt});
    }
  };
  const std::span<const uint32_t> entries = layout.factor_entries(factor);
  const auto is_operand = [&](uint32_t entry) {
    return layout.entry_tensor(entry) < layout.num_operands();
  };
  const auto num_operands =
      static_cast<std::size_t>(std::ranges::partition_point(entries, is_operand) - entries.begin());
  const bool backward = direction == Direction::Backward;
  const auto operands = entries.first(num_operands);
  const auto results = entries.subspan(num_operands);
  combine(backward ? results : operands);
  // Tensors that only receive axes cannot extend the list.
  if (direction != Direction::Both) may_expand = false;
  combine(backward ? operands : results);
}

namespace detail {

/// Computes `candidate` with the extension that replaces compatible_axes. Requires:
/// problem.extensions.
void ask_for_axes(const FactorProblem& problem, const Projection& projection, std::size_t factor,
                  AxisList& candidate);
/// Orders factors with the extension that replaces order_factors. Returns false if the extension is
/// not set. Requires: problem.extensions.
bool ask_for_order(const FactorProblem& problem, const Projection& projection,
                   StrategyMemory& scratch);
/// Checks whether the extension `compatible_axes` is set. Requires: problem.extensions.
bool has_axes_extension(const FactorProblem& problem);

}  // namespace detail

/// Computes the candidate axes of `factor`, with the extension if it is set, else with
/// compatible_axes.
template <class Conflicts>
void candidate_axes(const FactorProblem& problem, const Projection& projection, std::size_t factor,
                    AxisList& candidate, Conflicts& conflicts) {
  if (problem.extensions != nullptr && detail::has_axes_extension(problem)) [[unlikely]] {
    return detail::ask_for_axes(problem, projection, factor, candidate);
  }
  compatible_axes(problem, projection, factor, candidate, conflicts);
}

/// The sub-axis of an axis that a tensor can accept, and the last obstacle that shortened it.
struct AcceptedAxis {
  std::optional<AxisRef> axis;
  ConflictReason reason = ConflictReason::TensorsDisagree;
  std::size_t tensor = 0;
  std::optional<std::size_t> other_factor = std::nullopt;

  /// Shortens the axis to `rest`, with the reason `why` in tensor `where`.
  void shrink(std::optional<AxisRef> rest, ConflictReason why, std::size_t where) {
    if (rest == axis) return;
    axis = rest;
    reason = why;
    tensor = where;
    other_factor.reset();
  }
  /// Shortens the axis to the prefix that does not overlap any axis of `taken`.
  void avoid(std::span<const AxisRef> taken, ConflictReason why, std::size_t where) {
    for (const AxisRef& other : taken) {
      if (!axis) return;
      shrink(prefix_without_overlap(*axis, other), why, where);
    }
  }
};

/// Truncates the axis before the sub-axis that another factor of `tensor` uses. Spec: propagation
/// 5.3, across.
inline void pass_across(const FlatRule& layout, const Projection& projection, std::size_t tensor,
                        std::size_t factor, AcceptedAxis& passage) {
  const EntryRange entries = layout.tensor_entries(tensor);
  for (std::size_t entry = entries.begin; entry < entries.end && passage.axis; ++entry) {
    const FactorSharding& other = projection.entries[entry];
    const std::size_t other_factor = layout.entry_factor(entry);
    if (other_factor == factor || !other.is_mapped) continue;
    const AxisRef before = *passage.axis;
    passage.avoid(other.overflow, ConflictReason::OtherFactor, tensor);
    passage.avoid(other.axes, ConflictReason::OtherFactor, tensor);
    if (passage.axis != before) passage.other_factor = other_factor;
  }
}

namespace detail {

/// Returns the prefix of `axis` that fits an open factor of `size` elements with `major_shards`
/// shards on its major axes.
inline std::optional<AxisRef> fitting_part(const FactorSharding& factor, int64_t size,
                                           int64_t major_shards, const AxisRef& axis) {
  // The minor-most factor accepts any number of shards, dividing or not.
  if (factor.is_minor_most) return axis;
  if (size % major_shards != 0) return std::nullopt;
  return prefix_fitting(axis, size / major_shards);
}

inline ConflictReason why_full(const FactorSharding& factor) {
  if (factor.is_closed) return ConflictReason::Closed;
  return factor.overflow.empty() ? ConflictReason::DoesNotDivide : ConflictReason::Overflow;
}

}  // namespace detail

/// Truncates the axis to the prefix that the factor of `entry` can accept, if the factor's major
/// axes have `major_shards` shards. Spec: propagation 5.3, within.
inline void pass_within(const FlatRule& layout, const Projection& projection, std::size_t entry,
                        int64_t major_shards, AcceptedAxis& passage) {
  if (!passage.axis) return;
  const std::size_t tensor = layout.entry_tensor(entry);
  passage.avoid(projection.tensors[tensor].replicated, ConflictReason::Replicated, tensor);
  passage.avoid(projection.tensors[tensor].unreduced, ConflictReason::Unreduced, tensor);
  if (!passage.axis) return;

  const AxisRef axis = *passage.axis;
  const FactorSharding& factor = projection.entries[entry];
  for (const AxisRef& present : factor.axes) {
    if (contains(present, axis)) return;
  }
  std::optional<AxisRef> fitting;
  if (!factor.is_closed && factor.overflow.empty()) {
    const int64_t size = layout.factor_size(layout.entry_factor(entry));
    fitting = detail::fitting_part(factor, size, major_shards, axis);
  }
  if (!fitting && !factor.axes.empty() && prefix_of(factor.axes.back(), axis)) {
    fitting = factor.axes.back();
  }
  passage.shrink(fitting, detail::why_full(factor), tensor);
}

/// Context of a truncation, which conflicts report.
struct Truncation {
  const FactorProblem& problem;
  std::size_t factor = 0;
  std::optional<std::size_t> target = std::nullopt;
};

/// Truncates `axes` at the first axis that `pass(passage, major_shards)` shortens or rejects. Spec:
/// propagation 5.3, truncate.
template <class Conflicts, class Pass>
void truncate(AxisList& axes, const Truncation& truncation, Conflicts& conflicts, Pass pass) {
  const Mesh* conservative_mesh = truncation.problem.conservative_mesh;
  int64_t major_shards = 1;
  for (std::size_t position = 0; position < axes.size(); ++position) {
    const AxisRef wanted = axes[position];
    AcceptedAxis passage{.axis = wanted};
    pass(passage, major_shards);
    if (conservative_mesh != nullptr && passage.axis &&
        !conservative_mesh->is_full(*passage.axis)) {
      // An axis that no check truncated was already a sub-axis.
      if (passage.axis == wanted) passage.reason = ConflictReason::SubAxis;
      passage.axis.reset();
    }
    if (passage.axis == wanted) {
      major_shards *= wanted.size;
      continue;
    }
    conflicts.add({.factor = truncation.factor,
                   .wanted = wanted,
                   .kept = passage.axis,
                   .reason = passage.reason,
                   .tensor = passage.tensor,
                   .other_factor = passage.other_factor,
                   .target = truncation.target});
    axes.resize(passage.axis ? position + 1 : position);
    if (passage.axis) axes[position] = *passage.axis;
    return;
  }
}

/// Returns whether `candidate` would extend the axes of `factor` in any tensor.
inline bool can_extend_any(const FlatRule& layout, const Projection& projection, std::size_t factor,
                           const AxisList& candidate) {
  for (const uint32_t entry : layout.factor_entries(factor)) {
    const FactorSharding& sharding = projection.entries[entry];
    if (sharding.is_mapped && strict_prefix_of(sharding.axes, candidate)) return true;
  }
  return false;
}

namespace detail {

/// Truncates `candidate` to the axes that every tensor of the op accepts, including tensors without
/// the factor.
template <class Conflicts>
void truncate_for_all_tensors(const FactorProblem& problem, const Projection& projection,
                              std::size_t factor, AxisList& candidate, Conflicts& conflicts) {
  const FlatRule& layout = problem.layout;
  const Truncation truncation{.problem = problem, .factor = factor};
  truncate(candidate, truncation, conflicts, [&](AcceptedAxis& passage, int64_t major_shards) {
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

/// Runs the basic strategy: extends the factors of all tensors by the axes that all tensors accept.
/// The result is in `projection` and `scratch.is_updated`. Spec: propagation 5.4.
template <class Conflicts>
void run_basic_strategy(const FactorProblem& problem, Projection& projection,
                        BasicStrategyScratch<Conflicts>& scratch) {
  const FlatRule& layout = problem.layout;
  scratch.conflicts.clear();
  scratch.is_updated.assign(layout.num_tensors(), 0);
  AxisList& candidate = scratch.axes;
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    candidate_axes(problem, projection, factor, candidate, scratch.conflicts);
    // Truncation only shortens `candidate`. If no tensor is extended now, none will be after
    // truncation.
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

namespace detail {

/// Computes the size of each tensor: the product of the sizes of its factors, limited to the
/// largest int64. This product may differ from the number of elements.
inline void measure_tensors(const FlatRule& layout, const Projection& projection,
                            std::vector<int64_t>& sizes) {
  sizes.assign(layout.num_tensors(), 1);
  for (std::size_t entry = 0; entry < layout.num_entries(); ++entry) {
    if (!projection.entries[entry].is_mapped) continue;
    int64_t& size = sizes[layout.entry_tensor(entry)];
    size = checked_mul(size, layout.factor_size(layout.entry_factor(entry)))
               .value_or(std::numeric_limits<int64_t>::max());
  }
}

/// Returns the sort key of `factor`. Its source tensor is the largest tensor that has all candidate
/// axes; of equally large tensors, the first. Spec: propagation 6.2.
inline FactorKey factor_key(const FactorProblem& problem, const Projection& projection,
                            std::size_t factor, const StrategyMemory& scratch) {
  const FlatRule& layout = problem.layout;
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

/// Computes `scratch.urgency`, the inverse of `scratch.order`: the position of each factor.
inline void set_urgency(StrategyMemory& scratch) {
  scratch.urgency.resize(scratch.order.size());
  for (std::size_t position = 0; position < scratch.order.size(); ++position) {
    scratch.urgency[scratch.order[position]] = position;
  }
}

/// Sorts the factors by size of the source tensor (largest first), number of shards (most first),
/// and index of the source tensor. Spec: propagation 6.3.
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

/// Computes `scratch.entries`: the entries of `tensor` that could get axes, in the order of
/// `scratch.order`.
inline void extensible_entries(const FlatRule& layout, const Projection& projection,
                               std::size_t tensor, StrategyMemory& scratch) {
  scratch.entries.clear();
  const EntryRange range = layout.tensor_entries(tensor);
  for (std::size_t entry = range.begin; entry < range.end; ++entry) {
    const FactorSharding& sharding = projection.entries[entry];
    const AxisList& candidate = scratch.candidates[layout.entry_factor(entry)];
    // Axes that are not a prefix of the candidate are not a prefix of a truncated candidate either.
    if (!sharding.is_mapped || !strict_prefix_of(sharding.axes, candidate)) continue;
    scratch.entries.push_back(entry);
  }
  std::ranges::sort(scratch.entries, {},
                    [&](std::size_t entry) { return scratch.urgency[layout.entry_factor(entry)]; });
}

/// Truncates the candidate axes of an operand of an elementwise op to the axes that a result got.
/// Spec: propagation 6.4 rule 5.
template <class Conflicts>
void limit_to_results(const FactorProblem& problem, const Projection& projection,
                      std::size_t target, BasicStrategyScratch<Conflicts>& scratch) {
  const FlatRule& layout = problem.layout;
  const std::size_t factor = layout.entry_factor(target);
  for (const uint32_t entry : layout.factor_entries(factor)) {
    const std::size_t tensor = layout.entry_tensor(entry);
    const FactorSharding& result = projection.entries[entry];
    if (tensor < layout.num_operands() || !result.is_mapped) continue;
    if (!strict_prefix_of(result.axes, scratch.axes)) continue;
    const std::size_t lost = result.axes.empty() ? 0 : result.axes.size() - 1;
    const bool truncates_axis = !result.axes.empty() && result.axes[lost] != scratch.axes[lost];
    scratch.conflicts.add(
        {.factor = factor,
         .wanted = scratch.axes[truncates_axis ? lost : result.axes.size()],
         .kept = truncates_axis ? std::optional<AxisRef>(result.axes[lost]) : std::nullopt,
         .reason = ConflictReason::ResultAccepts,
         .tensor = tensor,
         .other_factor = std::nullopt,
         .target = layout.entry_tensor(target)});
    scratch.axes = result.axes;
  }
}

/// Extends one factor of one tensor by the candidate axes that the tensor accepts.
template <class Conflicts>
void extend_entry(const FactorProblem& problem, Projection& projection, std::size_t entry,
                  BasicStrategyScratch<Conflicts>& scratch) {
  const FlatRule& layout = problem.layout;
  const std::size_t factor = layout.entry_factor(entry);
  const std::size_t tensor = layout.entry_tensor(entry);
  FactorSharding& sharding = projection.entries[entry];
  AxisList& axes = scratch.axes;
  axes = scratch.candidates[factor];
  const Truncation truncation{.problem = problem, .factor = factor, .target = tensor};
  truncate(axes, truncation, scratch.conflicts, [&](AcceptedAxis& passage, int64_t major_shards) {
    pass_within(layout, projection, entry, major_shards, passage);
  });
  if (!strict_prefix_of(sharding.axes, axes)) return;
  truncate(axes, truncation, scratch.conflicts,
           [&](AcceptedAxis& passage, int64_t /*major_shards*/) {
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

/// Runs the aggressive strategy: extends each tensor by the axes that this tensor accepts, results
/// first. The result is in `projection` and `scratch.is_updated`. Spec: propagation 6.
template <class Conflicts>
void run_aggressive_strategy(const FactorProblem& problem, Projection& projection,
                             BasicStrategyScratch<Conflicts>& scratch) {
  const FlatRule& layout = problem.layout;
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
      problem.extensions != nullptr && detail::ask_for_order(problem, projection, scratch);
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
