// Rules of propagation that a caller may replace: the candidate axes of a factor, the order of
// factors that compete for an axis, and the order of ops and user priorities.
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

/// The outermost loop of propagation 1 that runs. Each algorithm includes the previous ones.
enum class Algorithm : uint8_t {
  Basic,         // one sweep of the basic strategy
  Aggressive,    // the sweeps of Options::strategy
  OpPriority,    // the sweeps of Aggressive, for each level of op priorities
  UserPriority,  // the levels of OpPriority, for each user priority
};

/// Strategies of the sweeps of one level.
enum class Strategy : uint8_t { Aggressive, Basic, BasicThenAggressive };

/// The sweep to which a step belongs.
struct SweepInfo {
  /// Dims of this user priority and of higher ones (lower numbers) take part.
  int64_t user_priority = 0;
  int level = kLastLevel;  // level of op priorities; kLastLevel without op priorities
  FactorStrategy strategy = FactorStrategy::Aggressive;  // how axes are chosen for a factor
};

/// One propagation step, for an observer. References are valid during the call.
struct StepEvent {
  NodeId node;               // node of the step
  const FlatRule& layout;    // layout of the node's rule
  const Projection& before;  // factor shardings before the step
  const Projection& after;   // factor shardings after the step
  /// Tensors that got a new sharding; empty if the step changed nothing.
  std::span<const std::size_t> targets;
  std::span<const Conflict> conflicts;  // axes that were not propagated
};

/// A receiver of propagation events. The default implementations do nothing. Threads: all calls
/// come from the thread that propagates.
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
  /// Called after one member of a sharding group, `member`, got the sharding of another member,
  /// `from`.
  virtual void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  /// Called when the dead op of the node is erased.
  virtual void on_erase(NodeId /*node*/) {}
};

/// Arguments of PropagationExtensions::compatible_axes: one factor of one op, before a step.
struct FactorQuery {
  const Mesh& mesh;                       // mesh of all axes
  const FlatRule& layout;                 // layout of the op's rule
  const Projection& projection;           // factor shardings of the op's tensors
  std::size_t factor = 0;                 // index of the factor
  Direction direction = Direction::Both;  // tensors that may contribute new axes; never None
};

/// Arguments of PropagationExtensions::resolve_conflicts: all factors of one op with their
/// candidate axes.
struct ConflictQuery {
  const FlatRule& layout;                // layout of the op's rule
  const Projection& projection;          // factor shardings of the op's tensors
  std::span<const AxisList> candidates;  // one list per factor: the result of compatible_axes
  bool is_elementwise = false;           // true for an elementwise op
};

/// Arguments of OpPriorities::direction: one factor of one op, at the beginning of a step.
struct LevelQuery {
  const Problem& problem;              // problem of the node
  NodeId node;                         // node of the op
  std::size_t factor = 0;              // index of the factor; never a blocked factor
  int level = 0;                       // level, starting at 0
  bool has_multi_use_operand = false;  // true if an operand that is not a scalar has several uses
};

/// Replacement for the op priorities of propagation 11.
struct OpPriorities {
  int num_levels = kLastLevel + 1;  // number of levels, from 1 to kMaxLevels
  /// Returns the direction of a factor at a level. The library intersects the result with the
  /// direction of the node.
  std::function<Direction(const LevelQuery&)> direction = nullptr;
};

/// Maximal number of levels of op priorities.
inline constexpr int kMaxLevels = 8;

/// Callbacks that replace rules of propagation. An empty callback selects the default, which
/// propagation 5, 6 and 10 to 12 specify. Extensions are a value; nothing is registered globally.
///
/// A callback must return equal results for equal arguments, because steps are memoized. An invalid
/// result ends propagation with an error that names the callback; the shardings are then unchanged.
/// With any callbacks, the final shardings are valid and propagation terminates, because an axis is
/// added only to tensors that accept it.
///
/// Threads: callbacks are called by the thread that propagates. If several threads propagate at the
/// same time, callbacks are called concurrently.
struct PropagationExtensions {
  /// Returns the candidate axes of a factor, major to minor: axes along which all tensors could be
  /// sharded. A tensor that has a prefix of these axes gets as many of the remaining axes as it
  /// accepts. The result must consist of axes or sub-axes of the mesh without overlaps. Spec:
  /// propagation 5.2.
  std::function<AxisList(const FactorQuery&)> compatible_axes = nullptr;
  /// Returns the order in which factors get an axis for which they compete (Strategy::Aggressive).
  /// The result must contain each factor once. Spec: propagation 6.3.
  std::function<std::vector<std::size_t>(const ConflictQuery&)> resolve_conflicts = nullptr;
  /// Order and direction of ops. Used only if op priorities run. Spec: propagation 11.
  OpPriorities op_priorities = {};
  /// Returns the order in which user priorities are revealed. The argument has the priorities above
  /// 0, ascending; the result must contain each of them once. Spec: propagation 12.
  std::function<std::vector<int64_t>(std::span<const int64_t>)> user_priorities = nullptr;
};

/// Returns the default of PropagationExtensions::compatible_axes. Requires: a projection of the
/// layout, factor < layout.num_factors(). Spec: propagation 5.2.
AxisList default_compatible_axes(const FactorQuery& query);
/// Returns the default of PropagationExtensions::resolve_conflicts. Requires: a projection of the
/// layout, one candidate per factor. Spec: propagation 6.3.
std::vector<std::size_t> default_conflict_order(const ConflictQuery& query);
/// Returns the default of OpPriorities::direction. Requires: a node of the problem that has a rule,
/// one of its factors, 0 <= level <= kLastLevel. Spec: propagation 11.
Direction default_direction(const LevelQuery& query);

}  // namespace shardy::propagation
