// Runs the whole hierarchy of propagation over a flat problem.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/propagation/algorithm.hpp>
#include <shardy/propagation/detail/group.hpp>
#include <shardy/propagation/observer.hpp>
#include <shardy/propagation/parts.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::propagation {

/// Spec: propagation 10.2, 15. What concerns rules is said by the problem (`is_conservative`).
struct Options {
  Algorithm algorithm = Algorithm::UserPriority;  // which levels of the hierarchy run
  Strategy strategy = Strategy::Aggressive;       // basic steps, aggressive ones, or both in turn
  bool run_op_priority = true;  // nodes in the order of their priorities, not all at once
  /// Runs everything twice and reports whether the second time changed anything.
  bool check_convergence = false;
  /// Called after each user priority but the last one, with the shardings as they are then.
  std::function<void(int64_t priority, const Problem& problem)> after_user_priority = nullptr;
  /// Choices that are the caller's own; nothing: all are the library's.
  Parts parts = {};
};

/// Outcome of a problem.
struct Report {
  std::vector<NodeId> erased;                        // dead ops, in the order of their erasure
  std::vector<GroupConflict> conflicts;              // groups whose members were left to themselves
  int64_t num_steps = 0;                             // steps that were taken
  int64_t num_updates = 0;                           // steps that changed something
  std::optional<bool> has_converged = std::nullopt;  // with Options::check_convergence only
};

/// Extends the shardings of `problem` along its nodes. Conflicts never fail.
/// Errors: slots that no longer fit the manual views through which nodes see them; a part that
/// returns an invalid result, which leaves the shardings unchanged but for those of groups,
/// and those that `after_user_priority` has seen.
Result<Report> propagate(Problem& problem, const Options& options = {});
/// The same, and `observer` is told of every step.
Result<Report> propagate(Problem& problem, const Options& options, StepObserver& observer);

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/propagate_inl.hpp>
#endif
