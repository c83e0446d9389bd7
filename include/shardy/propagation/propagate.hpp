// Propagation over a problem, and over a single op.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/propagation/detail/group.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::propagation {

/// Options of propagation. Options of sharding rules are part of the problem (`is_conservative`).
/// Spec: propagation 10.2, 15.
struct ProblemOptions {
  Algorithm algorithm = Algorithm::UserPriority;  // the loops of propagation 1 that run
  Strategy strategy = Strategy::Aggressive;       // basic sweeps, aggressive sweeps, or both
  bool run_op_priority = true;  // whether nodes propagate in the order of their priorities
  /// Propagates twice, and reports whether the second run changed a sharding.
  bool check_convergence = false;
  /// Called after each user priority except the last, with the current shardings.
  std::function<void(int64_t priority, const Problem& problem)> after_user_priority = nullptr;
  /// Replacements for rules of propagation; empty: the defaults.
  PropagationExtensions extensions = {};
  /// Limits of time and memory, and cancellation. Checked between steps.
  PropagationLimits limits = {};
};

/// Result of the propagation of a problem.
struct ProblemReport {
  std::vector<NodeId> erased;                        // dead ops, in the order of their erasure
  std::vector<GroupConflict> conflicts;              // groups with conflicting members
  int64_t num_steps = 0;                             // number of steps
  int64_t num_updates = 0;                           // number of steps that changed a sharding
  std::optional<bool> has_converged = std::nullopt;  // set if ProblemOptions::check_convergence
};

/// Former name of ProblemOptions.
using Options [[deprecated("renamed to ProblemOptions")]] = ProblemOptions;
/// Former name of ProblemReport.
using Report [[deprecated("renamed to ProblemReport")]] = ProblemReport;

/// Propagates the shardings of `problem` along its nodes. Conflicts are not errors. Errors: a slot
/// whose sharding no longer fits its manual views; an invalid result of an extension; an exceeded
/// limit. After an invalid result or an exceeded limit, only the shardings of groups and the
/// shardings passed to `after_user_priority` may have changed.
Result<ProblemReport> propagate(Problem& problem, const ProblemOptions& options = {});
/// Propagates and reports every step to `observer`.
Result<ProblemReport> propagate(Problem& problem, const ProblemOptions& options,
                                StepObserver& observer);

/// One sharding per tensor; std::nullopt: the tensor has none.
using TensorShardings = std::vector<std::optional<TensorSharding>>;

/// Options of the propagation of one op.
struct InferOptions {
  Strategy strategy = Strategy::Aggressive;  // basic sweep, aggressive sweep, or both
  /// Treats the op as elementwise: factors that compete for an axis are compared by number of
  /// shards. Spec: propagation 6.
  bool is_elementwise = false;
  /// Propagates only full axes. Spec: propagation 15.
  bool is_conservative = false;
};

/// Shardings of an op's tensors after propagation through the op.
struct Inferred {
  TensorShardings operands;  // one for each operand
  TensorShardings results;   // one for each result
};

/// Propagates through one op with the rule `rule`, in both directions, with one step per sweep of
/// the strategy.
///
/// `results` has the initial shardings of the results, or is empty. The returned shardings have the
/// initial axes and the added axes. Errors: the number of operands differs from the rule; `results`
/// is not empty and its size differs from the rule; ranks that do not fit the rule.
Result<Inferred> infer(const OpShardingRule& rule, const TensorShardings& operands,
                       const InferOptions& options = {}, const TensorShardings& results = {});

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <cstddef>
#include <shardy/propagation/detail/extension_results.hpp>
#include <shardy/propagation/detail/slot_shardings.hpp>
#include <shardy/propagation/detail/worklist.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <span>
#include <utility>

namespace shardy::propagation {

namespace detail {

/// The loops of propagation over one problem.
template <class Observer>
class Propagation {
 public:
  Propagation(Problem& problem, const ProblemOptions& options, Observer& observer)
      : problem_(problem),
        options_(options),
        shardings_(problem),
        answers_(options.extensions),
        limits_(options.limits),
        sweeper_(problem, shardings_, observer, is_any_replaced() ? &answers_ : nullptr, &limits_) {
  }

  Status run(std::vector<GroupConflict> conflicts);
  ProblemReport report() const { return report_; }

 private:
  bool is_any_replaced() const {
    const PropagationExtensions& extensions = options_.extensions;
    return extensions.compatible_axes || extensions.resolve_conflicts ||
           extensions.op_priorities.direction;
  }
  void run_level(SweepInfo sweep);
  void run_levels(int64_t user_priority);
  Status run_user_priorities();

  Problem& problem_;
  const ProblemOptions& options_;
  SlotShardings shardings_;
  ExtensionResults answers_;
  LimitChecker limits_;
  Sweeper<Observer> sweeper_;
  ProblemReport report_;
};

SHARDY_INLINE std::span<const FactorStrategy> sweeps_of(Algorithm algorithm, Strategy strategy) {
  static constexpr FactorStrategy kSweeps[] = {FactorStrategy::Aggressive, FactorStrategy::Basic,
                                               FactorStrategy::Aggressive};
  const auto sweeps = std::span<const FactorStrategy>(kSweeps);
  if (algorithm == Algorithm::Basic || strategy == Strategy::Basic) return sweeps.subspan(1, 1);
  return strategy == Strategy::Aggressive ? sweeps.first(1) : sweeps.last(2);
}

template <class Observer>
void Propagation<Observer>::run_level(SweepInfo sweep) {
  for (const FactorStrategy strategy : sweeps_of(options_.algorithm, options_.strategy)) {
    sweep.strategy = strategy;
    sweeper_.run(sweep);
  }
}

template <class Observer>
void Propagation<Observer>::run_levels(int64_t user_priority) {
  const bool has_levels = options_.algorithm >= Algorithm::OpPriority && options_.run_op_priority;
  const OpPriorities& replaced = options_.extensions.op_priorities;
  const int last = replaced.direction ? replaced.num_levels - 1 : kLastLevel;
  for (int level = has_levels ? 0 : last; level <= last; ++level) {
    run_level({.user_priority = user_priority, .level = level});
  }
}

template <class Observer>
Status Propagation<Observer>::run_user_priorities() {
  UserPriorities user_priorities(problem_, shardings_);
  // The first and the last user priority visit all nodes. Priorities between them visit only nodes
  // that can change.
  std::vector<int64_t> order(user_priorities.priorities().begin(),
                             user_priorities.priorities().end());
  if (options_.extensions.user_priorities) order = answers_.user_priorities(order);
  if (order.size() > 1) sweeper_.skip_settled();
  run_levels(0);
  int64_t last = 0;
  for (const int64_t priority : order) {
    SHARDY_TRY_STATUS(limits_.status("propagation"));
    if (options_.after_user_priority) {
      SHARDY_TRY_STATUS(shardings_.flush(problem_));
      options_.after_user_priority(last, problem_);
    }
    last = priority;
    user_priorities.reveal(priority);
    if (priority == order.back()) sweeper_.visit_all();
    run_levels(priority);
  }
  return {};
}

template <class Observer>
Status Propagation<Observer>::run(std::vector<GroupConflict> conflicts) {
  for (const GroupConflict& conflict : conflicts) shardings_.untie(conflict.group);
  if (options_.algorithm == Algorithm::UserPriority) {
    SHARDY_TRY_STATUS(run_user_priorities());
  } else {
    run_levels(0);
  }
  report_ = {.erased = sweeper_.liveness().erased(),
             .conflicts = {},
             .num_steps = sweeper_.num_steps(),
             .num_updates = sweeper_.num_updates()};
  SHARDY_TRY_STATUS(limits_.status("propagation"));
  SHARDY_TRY_STATUS(answers_.status());
  report_.conflicts = std::move(conflicts);
  return shardings_.flush(problem_);
}

/// Checks the views again, because group synchronization may have changed the shardings of slots.
SHARDY_INLINE Status verify_views(const Problem& problem) {
  for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
    for (const TensorUse& use : problem.tensors(NodeId(index))) {
      if (!use.view.valid()) continue;
      SHARDY_TRY_STATUS(verify_view(problem.view(use.view), problem.sharding(use.slot)));
    }
  }
  return {};
}

template <class Observer>
Result<ProblemReport> propagate_watched(Problem& problem, const ProblemOptions& options,
                                        Observer& observer) {
  if (options.extensions.op_priorities.direction) {
    SHARDY_TRY_STATUS(verify_levels(options.extensions.op_priorities));
  }
  std::vector<GroupConflict> conflicts = synchronize_groups(problem);
  SHARDY_TRY_STATUS(verify_views(problem));
  Propagation<Observer> first(problem, options, observer);
  SHARDY_TRY_STATUS(first.run(conflicts));
  ProblemReport report = first.report();
  if (!options.check_convergence) return report;

  NoObserver unobserved;
  Propagation<NoObserver> second(problem, options, unobserved);
  SHARDY_TRY_STATUS(second.run(std::move(conflicts)));
  report.has_converged = second.report().num_updates == 0;
  return report;
}

}  // namespace detail

SHARDY_INLINE Result<ProblemReport> propagate(Problem& problem, const ProblemOptions& options) {
  detail::NoObserver unobserved;
  return detail::propagate_watched(problem, options, unobserved);
}

SHARDY_INLINE Result<ProblemReport> propagate(Problem& problem, const ProblemOptions& options,
                                              StepObserver& observer) {
  detail::AnyObserver watched(observer);
  return detail::propagate_watched(problem, options, watched);
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// Returns the sizes of a tensor, as products of its factors' sizes.
SHARDY_INLINE std::vector<int64_t> shape_of(const OpShardingRule& rule,
                                            const TensorMapping& mapping) {
  std::vector<int64_t> shape;
  for (const DimMapping& dim : mapping.dims) {
    int64_t size = 1;
    for (const int32_t factor : dim) {
      size = checked_mul(size, rule.factor_size(factor)).value_or(0);
    }
    shape.push_back(size);
  }
  return shape;
}

SHARDY_INLINE Result<std::vector<TensorUse>> add_tensors(ProblemBuilder& builder,
                                                         const OpShardingRule& rule,
                                                         std::span<const TensorMapping> mappings,
                                                         const TensorShardings& shardings) {
  std::vector<TensorUse> tensors;
  for (std::size_t index = 0; index < mappings.size(); ++index) {
    SlotSpec spec{.shape = shape_of(rule, mappings[index])};
    if (index < shardings.size()) spec.sharding = shardings[index];
    SHARDY_TRY(const SlotId slot, builder.add_slot(std::move(spec)));
    tensors.push_back({slot});
  }
  return tensors;
}

SHARDY_INLINE TensorShardings shardings_of(const Problem& problem,
                                           std::span<const TensorUse> tensors) {
  TensorShardings shardings;
  for (const TensorUse& tensor : tensors) shardings.push_back(problem.sharding(tensor.slot));
  return shardings;
}

SHARDY_INLINE Status expect_count(std::string_view what, std::size_t expected, std::size_t got) {
  if (got == expected) return {};
  return fail("expects one sharding for each of the " + std::to_string(expected) + " " +
              std::string(what) + " of the rule, got " + std::to_string(got));
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE Result<Inferred> infer(const OpShardingRule& rule, const TensorShardings& operands,
                                     const InferOptions& options, const TensorShardings& results) {
  SHARDY_TRY_STATUS(detail::expect_count("operands", rule.operands().size(), operands.size()));
  if (!results.empty()) {
    SHARDY_TRY_STATUS(detail::expect_count("results", rule.results().size(), results.size()));
  }
  ProblemBuilder builder;
  NodeSpec node{.is_elementwise = options.is_elementwise,
                .is_conservative = options.is_conservative};
  SHARDY_TRY(node.rule, builder.add_rule(rule));
  SHARDY_TRY(node.operands, detail::add_tensors(builder, rule, rule.operands(), operands));
  SHARDY_TRY(node.results, detail::add_tensors(builder, rule, rule.results(), results));
  SHARDY_TRY_STATUS(builder.add_node(node));
  SHARDY_TRY(Problem problem, std::move(builder).build());
  SHARDY_TRY_STATUS(
      propagate(problem, {.algorithm = Algorithm::Aggressive, .strategy = options.strategy}));
  return Inferred{detail::shardings_of(problem, node.operands),
                  detail::shardings_of(problem, node.results)};
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
