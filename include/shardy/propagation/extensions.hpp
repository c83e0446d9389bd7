// Choices of the propagator that a caller may replace: which axes a factor could get, which factor
// gets an axis that several want, and when which ops and annotations have their turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// The part of the hierarchy of propagation 1 that runs; each algorithm contains the one before it.
enum class Algorithm : uint8_t {
  Basic,         // one sweep of the basic strategy
  Aggressive,    // the sweeps of `Options::strategy`
  OpPriority,    // those at each level of op priorities
  UserPriority,  // that for each user priority
};

/// The sweeps of one level.
enum class Strategy : uint8_t { Aggressive, Basic, BasicThenAggressive };

/// The sweep that steps belong to.
struct SweepInfo {
  int64_t user_priority = 0;  // dims of this priority and of lower numbers take part
  int level = kLastLevel;     // of op priorities; kLastLevel also without them
  FactorStrategy strategy = FactorStrategy::Aggressive;  // how axes are chosen for a factor
};

/// One step as an observer sees it; the references live as long as the call.
struct StepEvent {
  NodeId node;                           // which node it is of
  const FlatRule& layout;                // of the rule of the node
  const Projection& before;              // before the step
  const Projection& after;               // after it
  std::span<const std::size_t> targets;  // tensors that got a new sharding; none: no success
  std::span<const Conflict> conflicts;   // axes that were not propagated
};

/// Receives the steps of a propagation as they happen; the defaults do nothing. Threads: all calls
/// come from the propagating thread.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  /// A sweep over all nodes begins.
  virtual void begin_sweep(const SweepInfo& /*sweep*/) {}
  /// After each step that changed something or met a conflict.
  virtual void on_step(const StepEvent& /*step*/) {}
  /// `member` got the sharding of `from`, another member of its group.
  virtual void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  /// The op of the node was dead, and is left out from then on.
  virtual void on_erase(NodeId /*node*/) {}
};

/// One factor of one op, before a step.
struct FactorQuery {
  const Mesh& mesh;                       // that all axes are of
  const FlatRule& layout;                 // the rule of the op
  const Projection& projection;           // axes of the tensors
  std::size_t factor = 0;                 // of the rule
  Direction direction = Direction::Both;  // which tensors may contribute new axes; never None
};

/// All factors of one op, that could each get their candidate.
struct ConflictQuery {
  const FlatRule& layout;                // the rule of the op
  const Projection& projection;          // axes of the tensors
  std::span<const AxisList> candidates;  // one per factor, the answers to FactorQuery
  bool is_elementwise = false;           // whether its operands follow its results
};

/// One factor of one op, at the beginning of a step.
struct LevelQuery {
  const Problem& problem;              // the problem of the node
  NodeId node;                         // the op
  std::size_t factor = 0;              // of its rule; never a blocked one
  int level = 0;                       // from 0 on
  bool has_multi_use_operand = false;  // whether an operand other than a scalar has several uses
};

/// The order in which ops propagate.
struct OpPriorities {
  int num_levels = kLastLevel + 1;  // from 1 to kMaxLevels
  /// In which directions axes go along the factor at that level, of those of the node itself.
  std::function<Direction(const LevelQuery&)> direction = nullptr;
};

/// No order of op priorities has more levels.
inline constexpr int kMaxLevels = 8;

/// Callbacks that replace choices of propagation; an empty one means the rules of propagation 5, 6,
/// 10 to 12. A value: nothing is registered process-wide.
///
/// Each callback must return the same result for the same arguments: steps are memoized
/// for equal inputs. An invalid result ends propagation with an error that names the callback
/// and leaves the shardings unchanged. For any results, the final shardings
/// are valid and propagation terminates: axes are only added where a tensor can accept them.
///
/// Threads: called by the thread that propagates; a program that propagates on several threads has
/// them called by several at once.
struct PropagationExtensions {
  /// The axes along which all tensors could be sharded on the factor, major to minor. Tensors that
  /// have the beginning of them get as much of the rest as they can take. Spec: propagation 5.2.
  /// Must be: sub-axes of the mesh without overlaps.
  std::function<AxisList(const FactorQuery&)> compatible_axes = nullptr;
  /// Order in which factors take an axis where tensors take as much as they can
  /// (Strategy::Aggressive): all factors, each once. Spec: propagation 6.3.
  std::function<std::vector<std::size_t>(const ConflictQuery&)> resolve_conflicts = nullptr;
  /// Order and direction of ops. Only with op priorities. Spec: propagation 11.
  OpPriorities op_priorities = {};
  /// The order in which user priorities above 0, given ascending, are revealed: each once.
  /// Spec: propagation 12.
  std::function<std::vector<int64_t>(std::span<const int64_t>)> user_priorities = nullptr;
};

/// Returns the default of the callback. Requires: a projection of the layout, factor <
/// layout.num_factors(). Spec: propagation 5.2.
AxisList default_compatible_axes(const FactorQuery& query);
/// The same. Requires: a projection of the layout, one candidate per factor. Spec: propagation 6.3.
std::vector<std::size_t> default_conflict_order(const ConflictQuery& query);
/// The same. Requires: a node of the problem that has a rule, one of its factors,
/// 0 <= level <= kLastLevel. Spec: propagation 11.
Direction default_direction(const LevelQuery& query);

}  // namespace shardy::propagation
