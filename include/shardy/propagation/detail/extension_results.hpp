// Calls extensions of propagation, and checks their results.
#pragma once

#include <optional>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/extensions.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::propagation::detail {

/// The extensions of one propagation, and the first invalid result. After it the library continues
/// with its own result, and fails in the end.
class ExtensionResults {
 public:
  explicit ExtensionResults(const PropagationExtensions& extensions) : extensions_(extensions) {}

  const PropagationExtensions& extensions() const { return extensions_; }
  /// The error that ends propagation, if there is one.
  Status status() const;

  /// Requires: the extension is set.
  AxisList compatible_axes(const FactorQuestion& question);
  std::vector<std::size_t> conflict_order(const ConflictQuestion& question);
  std::vector<int64_t> user_priorities(std::span<const int64_t> ascending);
  /// None: the extension returned an invalid direction.
  Direction direction(const LevelQuestion& question);

 private:
  void refuse(const char* extension, const std::string& why);

  const PropagationExtensions& extensions_;
  std::optional<Error> refused_;
};

/// How many levels there are, if that is a number of them.
Status verify_levels(const OpPriorities& priorities);

}  // namespace shardy::propagation::detail

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/detail/axis_check.hpp>
#include <shardy/propagation/detail/factor_axes.hpp>
#include <utility>

namespace shardy::propagation {

SHARDY_INLINE AxisList default_compatible_axes(const FactorQuestion& question) {
  SHARDY_EXPECTS(question.projection.holds(question.layout));
  SHARDY_EXPECTS(question.factor < question.layout.num_factors());
  const std::vector<Direction> directions(question.layout.num_factors(), question.direction);
  AxisList candidate;
  NoConflicts nobody;
  compatible_axes({.layout = question.layout, .directions = directions}, question.projection,
                  question.factor, candidate, nobody);
  return candidate;
}

SHARDY_INLINE std::vector<std::size_t> default_conflict_order(const ConflictQuestion& question) {
  SHARDY_EXPECTS(question.projection.holds(question.layout));
  SHARDY_EXPECTS(question.candidates.size() == question.layout.num_factors());
  StrategyMemory scratch;
  scratch.candidates.assign(question.candidates.begin(), question.candidates.end());
  detail::order_factors(
      {.layout = question.layout, .directions = {}, .is_elementwise = question.is_elementwise},
      question.projection, scratch);
  return std::move(scratch.order);
}

SHARDY_INLINE Direction default_direction(const LevelQuestion& question) {
  SHARDY_EXPECTS(question.level >= 0 && question.level <= kLastLevel);
  const Node& node = question.problem.node(question.node);
  const RuleLayout& layout = question.problem.rule(node.rule);
  const bool waits = question.level == 0 && waits_for_single_use(node.priority);
  if (waits && question.has_multi_use_operand) return Direction::None;
  return direction_at(node.priority, question.level, layout.factor_kind(question.factor));
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
  // More lists than factors are left of a larger rule.
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

SHARDY_INLINE AxisList ExtensionResults::compatible_axes(const FactorQuestion& question) {
  AxisList axes = extensions_.compatible_axes(question);
  const Status valid = check_axis_lists(question.mesh, std::span(&axes, 1));
  if (valid) return axes;
  refuse("compatible_axes", "an invalid list of axes: " + valid.error().message);
  return default_compatible_axes(question);
}

SHARDY_INLINE std::vector<std::size_t> ExtensionResults::conflict_order(
    const ConflictQuestion& question) {
  std::vector<std::size_t> order = extensions_.resolve_conflicts(question);
  std::vector<std::size_t> sorted = order;
  std::ranges::sort(sorted);
  std::size_t expected = 0;
  const bool is_order =
      sorted.size() == question.layout.num_factors() &&
      std::ranges::all_of(sorted, [&](std::size_t factor) { return factor == expected++; });
  if (is_order) return order;
  refuse("resolve_conflicts", "a list that does not have each factor of the rule once");
  return default_conflict_order(question);
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

SHARDY_INLINE Direction ExtensionResults::direction(const LevelQuestion& question) {
  const Direction direction = extensions_.op_priorities.direction(question);
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
