// Options and report of the propagation of a module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/propagation/algorithm.hpp>
#include <shardy/support/diagnostic.hpp>

namespace shardy::ir {
class Module;
}
namespace shardy::rules {
class Registry;
}

namespace shardy::propagation {

struct Parts;

/// Spec: propagation 15.
struct PropagationOptions {
  Algorithm algorithm = Algorithm::UserPriority;  // which levels of the hierarchy run
  Strategy strategy = Strategy::Aggressive;       // basic steps, aggressive ones, or both in turn
  bool run_op_priority = true;  // ops in the order of their priorities, not all at once
  /// Conservative rules, and no sub-axes through ops that have a rule.
  bool conservative = false;
  /// Also through ops that have a rule for lowering alone. Spec: partitioning 8.0.
  bool lowering_rules = false;
  /// Leaves the rules that were used attached to the ops.
  bool keep_sharding_rules = false;
  bool check_convergence = false;  // also runs twice and compares
  /// Says on each value from which annotation its axes come. Spec: propagation 16.1.
  bool debug_sharding_origins = false;
  /// Says on each op which axes came to it, in which step and from where. Spec: propagation 16.2.
  bool debug_propagation_edges = false;
  /// Where rules come from; null: the built-in ones.
  const rules::Registry* registry = nullptr;
  /// Called after each user priority but the last one. Ops that died are still in the module.
  std::function<void(int64_t priority, const ir::Module& module)> after_user_priority = nullptr;
  /// Choices that are the caller's own; null: all are the library's. It must outlive the call.
  const Parts* parts = nullptr;
};

/// Outcome of the propagation of a module.
struct PropagationReport {
  /// Obstacles of propagation with places and fixes: groups that disagree, then ops without a rule.
  Diagnostics diagnostics;
  std::size_t num_group_warnings = 0;                // groups whose members disagree
  std::size_t num_erased = 0;                        // dead ops, those in their regions included
  int64_t num_steps = 0;                             // steps that were taken
  int64_t num_updates = 0;                           // steps that changed something
  std::optional<bool> has_converged = std::nullopt;  // with check_convergence only
};

}  // namespace shardy::propagation
