// Calls of propagation extensions, and checks of their results.
#pragma once

#include <optional>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::propagation::detail {

/// The extensions of one propagation, and the first invalid result. After an invalid result, the
/// library uses the result of its default rule instead, and propagation returns an error at the
/// end.
class ExtensionResults {
 public:
  explicit ExtensionResults(const PropagationExtensions& extensions) : extensions_(extensions) {}

  const PropagationExtensions& extensions() const { return extensions_; }
  /// Returns the error for the first invalid result; success without one.
  Status status() const;

  /// Returns the axes from the extension `compatible_axes`. Requires: the extension is set.
  AxisList compatible_axes(const FactorQuery& query);
  std::vector<std::size_t> conflict_order(const ConflictQuery& query);
  std::vector<int64_t> user_priorities(std::span<const int64_t> ascending);
  /// Returns the direction from the extension; None if the extension returns an invalid value.
  Direction direction(const LevelQuery& query);

 private:
  void refuse(const char* extension, const std::string& why);

  const PropagationExtensions& extensions_;
  std::optional<Error> refused_;
};

/// Checks that `priorities.num_levels` is valid.
Status verify_levels(const OpPriorities& priorities);

}  // namespace shardy::propagation::detail

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/propagation/detail/factor_axes.hpp>
#include <utility>

namespace shardy::propagation {

SHARDY_INLINE AxisList default_compatible_axes(const FactorQuery& query) {
  SHARDY_EXPECTS(query.projection.holds(query.layout));
  SHARDY_EXPECTS(query.factor < query.layout.num_factors());
  const std::vector<Direction> directions(query.layout.num_factors(), query.direction);
  AxisList candidate;
  NoConflicts ignored;
  compatible_axes({.layout = query.layout, .directions = directions}, query.projection,
                  query.factor, candidate, ignored);
  return candidate;
}

SHARDY_INLINE std::vector<std::size_t> default_conflict_order(const ConflictQuery& query) {
  SHARDY_EXPECTS(query.projection.holds(query.layout));
  SHARDY_EXPECTS(query.candidates.size() == query.layout.num_factors());
  StrategyMemory scratch;
  scratch.candidates.assign(query.candidates.begin(), query.candidates.end());
  detail::order_factors(
      {.layout = query.layout, .directions = {}, .is_elementwise = query.is_elementwise},
      query.projection, scratch);
  return std::move(scratch.order);
}

SHARDY_INLINE Direction default_direction(const LevelQuery& query) {
  SHARDY_EXPECTS(query.level >= 0 && query.level <= kLastLevel);
  const Node& node = query.problem.node(query.node);
  const FlatRule& layout = query.problem.rule(node.rule);
  const bool waits = query.level == 0 && waits_for_single_use(node.priority);
  if (waits && query.has_multi_use_operand) return Direction::None;
  return direction_at(node.priority, query.level, layout.factor_kind(query.factor));
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

SHARDY_INLINE bool has_axes_extension(const FactorProblem& problem) {
  return problem.extensions->extensions().compatible_axes != nullptr;
}

SHARDY_INLINE void ask_for_axes(const FactorProblem& problem, const Projection& projection,
                                std::size_t factor, AxisList& candidate) {
  candidate.clear();
  const Direction direction = problem.directions[factor];
  if (direction == Direction::None) return;
  candidate = problem.extensions->compatible_axes(
      {*problem.mesh, problem.layout, projection, factor, direction});
}

SHARDY_INLINE bool ask_for_order(const FactorProblem& problem, const Projection& projection,
                                 StrategyMemory& scratch) {
  if (!problem.extensions->extensions().resolve_conflicts) return false;
  // The buffer may have more candidates than factors, because earlier rules had more factors.
  const auto candidates = std::span(scratch.candidates).first(problem.layout.num_factors());
  scratch.order = problem.extensions->conflict_order(
      {problem.layout, projection, candidates, problem.is_elementwise});
  return true;
}

SHARDY_INLINE Status ExtensionResults::status() const {
  if (refused_) return tl::unexpected(*refused_);
  return {};
}

SHARDY_INLINE void ExtensionResults::refuse(const char* extension, const std::string& why) {
  if (refused_) return;
  refused_ =
      Error{.message = "extension '" + std::string(extension) + "' of propagation returned " + why};
}

SHARDY_INLINE AxisList ExtensionResults::compatible_axes(const FactorQuery& query) {
  AxisList axes = extensions_.compatible_axes(query);
  const Status valid = check_axis_lists(query.mesh, std::span(&axes, 1));
  if (valid) return axes;
  refuse("compatible_axes", "an invalid list of axes: " + valid.error().message);
  return default_compatible_axes(query);
}

SHARDY_INLINE std::vector<std::size_t> ExtensionResults::conflict_order(
    const ConflictQuery& query) {
  std::vector<std::size_t> order = extensions_.resolve_conflicts(query);
  std::vector<std::size_t> sorted = order;
  std::ranges::sort(sorted);
  std::size_t expected = 0;
  const bool is_order =
      sorted.size() == query.layout.num_factors() &&
      std::ranges::all_of(sorted, [&](std::size_t factor) { return factor == expected++; });
  if (is_order) return order;
  refuse("resolve_conflicts", "a list that does not have each factor of the rule once");
  return default_conflict_order(query);
}

SHARDY_INLINE std::vector<int64_t> ExtensionResults::user_priorities(
    std::span<const int64_t> ascending) {
  std::vector<int64_t> order = extensions_.user_priorities(ascending);
  std::vector<int64_t> sorted = order;
  std::ranges::sort(sorted);
  if (std::ranges::equal(sorted, ascending)) return order;
  refuse("user_priorities", "a list that does not have each priority once");
  return {ascending.begin(), ascending.end()};
}

SHARDY_INLINE Direction ExtensionResults::direction(const LevelQuery& query) {
  const Direction direction = extensions_.op_priorities.direction(query);
  if (direction <= Direction::Both) return direction;
  refuse("op_priorities", "an invalid direction: " + std::to_string(static_cast<int>(direction)));
  return Direction::None;
}

SHARDY_INLINE Status verify_levels(const OpPriorities& priorities) {
  if (priorities.num_levels >= 1 && priorities.num_levels <= kMaxLevels) return {};
  return fail("op priorities have from 1 to " + std::to_string(kMaxLevels) + " levels, not " +
              std::to_string(priorities.num_levels));
}

}  // namespace shardy::propagation::detail
#endif  // SHARDY_BODIES
