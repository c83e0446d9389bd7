// Choices of the propagator that a caller may replace: the candidate axes of a factor, the order of
// factors that compete for an axis, and the order of ops and annotations.
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

/// The part of the hierarchy of propagation 1 that runs; each algorithm includes the one before it.
enum class Algorithm : uint8_t {
  Basic,         // one sweep of the basic strategy
  Aggressive,    // the sweeps of the strategy in `ProblemOptions::strategy`
  OpPriority,    // these sweeps for each level of op priorities
  UserPriority,  // all levels for each user priority
};

/// The sweeps of one level.
enum class Strategy : uint8_t { Aggressive, Basic, BasicThenAggressive };

/// The sweep that steps belong to.
struct SweepInfo {
  int64_t user_priority = 0;  // dims of this priority and of lower numbers take part
  int level = kLastLevel;     // of op priorities; kLastLevel also without them
  FactorStrategy strategy = FactorStrategy::Aggressive;  // how axes are chosen for a factor
};

/// One step, for an observer; the references are valid during the call.
struct StepEvent {
  NodeId node;                           // which node it is of
  const FlatRule& layout;                // of the rule of the node
  const Projection& before;              // before the step
  const Projection& after;               // after it
  std::span<const std::size_t> targets;  // tensors that got a new sharding; none: no success
  std::span<const Conflict> conflicts;   // axes that were not propagated
};

/// Receives the steps of a propagation while it runs; the defaults do nothing. Threads: all calls
/// come from the propagating thread.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  /// Called at the start of a sweep over all nodes.
  virtual void begin_sweep(const SweepInfo& /*sweep*/) {}
  /// Called after each step that changed a sharding or had a conflict.
  virtual void on_step(const StepEvent& /*step*/) {}
  /// Called after `member` got the sharding of `from`, another member of its group.
  virtual void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  /// Called when the op of the node is erased as dead.
  virtual void on_erase(NodeId /*node*/) {}
};

/// One factor of one op, before a step.
struct FactorQuery {
  const Mesh& mesh;                       // the mesh of all axes
  const FlatRule& layout;                 // the rule of the op
  const Projection& projection;           // axes of the tensors
  std::size_t factor = 0;                 // of the rule
  Direction direction = Direction::Both;  // which tensors may contribute new axes; never None
};

/// All factors of one op, that could each get their candidate.
struct ConflictQuery {
  const FlatRule& layout;                // the rule of the op
  const Projection& projection;          // axes of the tensors
  std::span<const AxisList> candidates;  // one per factor, the results for FactorQuery
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
  /// Direction in which axes propagate along the factor at that level, restricted to the directions
  /// of the node.
  std::function<Direction(const LevelQuery&)> direction = nullptr;
};

/// Largest number of levels of op priorities.
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
  /// Returns the axes along which all tensors could be sharded on the factor, major to minor.
  /// Tensors that have a prefix of them get as many of the rest as they accept. Spec: propagation
  /// 5.2. Must be: sub-axes of the mesh without overlaps.
  std::function<AxisList(const FactorQuery&)> compatible_axes = nullptr;
  /// Returns the order in which factors get a contested axis (Strategy::Aggressive): all factors,
  /// each once. Spec: propagation 6.3.
  std::function<std::vector<std::size_t>(const ConflictQuery&)> resolve_conflicts = nullptr;
  /// Order and direction of ops. Only with op priorities. Spec: propagation 11.
  OpPriorities op_priorities = {};
  /// Returns the order in which user priorities above 0, given ascending, are revealed: each once.
  /// Spec: propagation 12.
  std::function<std::vector<int64_t>(std::span<const int64_t>)> user_priorities = nullptr;
};

/// Returns the default of the callback. Requires: a projection of the layout, factor <
/// layout.num_factors(). Spec: propagation 5.2.
AxisList default_compatible_axes(const FactorQuery& query);
/// Returns the default order of factors. Requires: a projection of the layout, one candidate per
/// factor. Spec: propagation 6.3.
std::vector<std::size_t> default_conflict_order(const ConflictQuery& query);
/// Returns the default direction. Requires: a node of the problem that has a rule, one of its
/// factors, 0 <= level <= kLastLevel. Spec: propagation 11.
Direction default_direction(const LevelQuery& query);

}  // namespace shardy::propagation
