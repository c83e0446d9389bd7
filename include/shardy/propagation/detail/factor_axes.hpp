#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/projection.hpp>
#include <span>

// Common parts of both factor strategies: the candidate axes of a factor, and the prefix that a
// tensor can accept. Spec: propagation 5.

namespace shardy::propagation {

/// Effect of one more tensor on the axes that the previous tensors agreed on.
struct Agreement {
  bool may_expand = true;       // sticky: after a conflict the list can only shrink
  std::optional<AxisRef> lost;  // first agreed axis that the tensor does not go along with ...
  std::optional<AxisRef> kept;  // ... and the part of it that it does
};

namespace detail {

/// Cuts `agreed` down to `size` axes, of the last of which only `kept` stays.
inline Agreement stop_at(AxisList& agreed, std::size_t size, std::optional<AxisRef> kept) {
  Agreement result{.may_expand = false, .lost = std::nullopt, .kept = kept};
  const std::size_t lost = kept ? size - 1 : size;
  if (lost < agreed.size()) result.lost = agreed[lost];
  agreed.resize(size);
  if (kept) agreed[lost] = *kept;
  return result;
}

}  // namespace detail

/// Shrinks or extends `agreed` to what is compatible with `axes`. Spec: propagation 5.2, combine.
inline Agreement combine_axes(AxisList& agreed, std::span<const AxisRef> axes, bool may_expand) {
  const std::size_t common = std::min(agreed.size(), axes.size());
  for (std::size_t position = 0; position < common; ++position) {
    const AxisRef old_axis = agreed[position];
    const AxisRef new_axis = axes[position];
    if (old_axis == new_axis) continue;
    if (prefix_of(new_axis, old_axis)) {
      if (position + 1 == axes.size()) continue;  // the longer one stays
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

/// The axes along which all tensors could be sharded on `factor`, into `candidate`: those that the
/// contributing tensors have and no tensor contradicts. Spec: propagation 5.2.
template <class Conflicts>
void compatible_axes(const FactorProblem& problem, const Projection& projection, std::size_t factor,
                     AxisList& candidate, Conflicts& conflicts) {
  candidate.clear();
  const Direction direction = problem.directions[factor];
  if (direction == Direction::None) return;
  const RuleLayout& layout = problem.layout;
  bool may_expand = true;
  const auto combine = [&](std::span<const uint32_t> entries) {
    for (const uint32_t entry : entries) {
      if (!projection.entries[entry].is_mapped) continue;
      const Agreement agreement =
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
  if (direction != Direction::Both) may_expand = false;  // the other side only receives
  combine(backward ? operands : results);
}

namespace detail {

/// As compatible_axes, if that part is replaced. Requires: problem.parts.
void ask_for_axes(const FactorProblem& problem, const Projection& projection, std::size_t factor,
                  AxisList& candidate);
/// As order_factors, if that part is replaced; false: it is not. Requires: problem.parts.
bool ask_for_order(const FactorProblem& problem, const Projection& projection,
                   StrategyMemory& scratch);
/// Checks whether the extension is set. Requires: problem.parts.
bool has_axes_part(const FactorProblem& problem);

}  // namespace detail

/// The candidate axes of the factor: what the part says, or compatible_axes.
template <class Conflicts>
void candidate_axes(const FactorProblem& problem, const Projection& projection, std::size_t factor,
                    AxisList& candidate, Conflicts& conflicts) {
  if (problem.parts != nullptr && detail::has_axes_part(problem)) [[unlikely]] {
    return detail::ask_for_axes(problem, projection, factor, candidate);
  }
  compatible_axes(problem, projection, factor, candidate, conflicts);
}

/// An axis on its way into a tensor: what is left of it, and the tightest obstacle it met.
struct Passage {
  std::optional<AxisRef> axis;
  ConflictReason reason = ConflictReason::TensorsDisagree;
  std::size_t tensor = 0;
  std::optional<std::size_t> other_factor = std::nullopt;

  /// Only `rest` goes on, because of `why` in tensor `where`.
  void shrink(std::optional<AxisRef> rest, ConflictReason why, std::size_t where) {
    if (rest == axis) return;
    axis = rest;
    reason = why;
    tensor = where;
    other_factor.reset();
  }
  /// Drops what overlaps `taken`, and whatever is minor to that.
  void avoid(std::span<const AxisRef> taken, ConflictReason why, std::size_t where) {
    for (const AxisRef& other : taken) {
      if (!axis) return;
      shrink(prefix_without_overlap(*axis, other), why, where);
    }
  }
};

/// Cuts the axis where another factor of `tensor` uses it. Spec: propagation 5.3, across.
inline void pass_across(const RuleLayout& layout, const Projection& projection, std::size_t tensor,
                        std::size_t factor, Passage& passage) {
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

/// The part of `axis` that an open factor has room for after `major_shards` shards.
inline std::optional<AxisRef> fitting_part(const FactorSharding& factor, int64_t size,
                                           int64_t major_shards, const AxisRef& axis) {
  if (factor.is_minor_most) return axis;  // any number of shards, dividing or not
  if (size % major_shards != 0) return std::nullopt;
  return prefix_fitting(axis, size / major_shards);
}

inline ConflictReason why_full(const FactorSharding& factor) {
  if (factor.is_closed) return ConflictReason::Closed;
  return factor.overflow.empty() ? ConflictReason::DoesNotDivide : ConflictReason::Overflow;
}

}  // namespace detail

/// Cuts the axis to what the factor of `entry` can take in its tensor, after candidate axes of
/// `major_shards` shards. Spec: propagation 5.3, within.
inline void pass_within(const RuleLayout& layout, const Projection& projection, std::size_t entry,
                        int64_t major_shards, Passage& passage) {
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

/// Purpose of a truncation, for its conflicts.
struct Truncation {
  const FactorProblem& problem;
  std::size_t factor = 0;
  std::optional<std::size_t> target = std::nullopt;
};

/// Cuts `axes` at the first one that `pass(passage, major_shards)` does not let through whole.
/// Spec: propagation 5.3, truncate.
template <class Conflicts, class Pass>
void truncate(AxisList& axes, const Truncation& truncation, Conflicts& conflicts, Pass pass) {
  const Mesh* conservative_mesh = truncation.problem.conservative_mesh;
  int64_t major_shards = 1;
  for (std::size_t position = 0; position < axes.size(); ++position) {
    const AxisRef wanted = axes[position];
    Passage passage{.axis = wanted};
    pass(passage, major_shards);
    if (conservative_mesh != nullptr && passage.axis &&
        !conservative_mesh->is_full(*passage.axis)) {
      // Where nothing else cut the axis, it was a sub-axis before.
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

/// Returns whether some tensor would get axes if all of `candidate` went into every tensor.
inline bool can_extend_any(const RuleLayout& layout, const Projection& projection,
                           std::size_t factor, const AxisList& candidate) {
  for (const uint32_t entry : layout.factor_entries(factor)) {
    const FactorSharding& sharding = projection.entries[entry];
    if (sharding.is_mapped && strict_prefix_of(sharding.axes, candidate)) return true;
  }
  return false;
}

}  // namespace shardy::propagation
