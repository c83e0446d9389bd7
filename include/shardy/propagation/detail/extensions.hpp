// Callbacks that replace rules of propagation, for the options of layers that run it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/support/typed_id.hpp>
#include <span>
#include <vector>

namespace shardy {
class Mesh;
}  // namespace shardy

namespace shardy::propagation {

class FlatRule;
class Problem;
struct Projection;

using NodeId = TypedId<struct NodeTag>;  // an op, or another propagation step

/// The tensors of an op that may contribute new axes along a factor: none, operands (Forward),
/// results (Backward), or both. Bits represent the set, so `|` is union and `&` is intersection.
/// Spec: propagation 5.1.
enum class Direction : uint8_t { None = 0, Forward = 1, Backward = 2, Both = 3 };

constexpr Direction operator|(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Direction operator&(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// Last level of op priorities; levels start at 0. At the last level, axes propagate in both
/// directions, as without op priorities.
inline constexpr int kLastLevel = 4;

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

}  // namespace shardy::propagation
