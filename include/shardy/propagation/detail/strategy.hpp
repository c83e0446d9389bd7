// Order of the ops, conflicts, and the strategies of a step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/propagation/projection.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::propagation {

/// Tensors that may contribute new axes along a factor: none, operands, results, all. A set of two
/// bits, so that union and intersection are those of sets. Spec: propagation 5.1.
enum class Direction : uint8_t { None = 0, Forward = 1, Backward = 2, Both = 3 };

constexpr Direction operator|(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr Direction operator&(Direction a, Direction b) {
  return static_cast<Direction>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

/// The turn of a node in op-priority propagation. Spec: propagation 11.
enum class PriorityClass : uint8_t {
  Pointwise,     // elementwise ops, reshape, transpose, data-flow edges, moves to host and back
  DynamicSlice,  // dynamic_slice, dynamic_update_slice
  Broadcast,     // broadcast_in_dim
  Other,         // every other op
  Always,        // barriers and function results: their own direction at every level
};

/// Op-priority levels run from 0 to kLastLevel; at the last one axes propagate in both directions,
/// as they do without op priorities.
inline constexpr int kLastLevel = 4;

namespace detail {

struct LevelRow {
  Direction pass_through = Direction::None;
  Direction other_factors = Direction::None;
};

inline constexpr LevelRow kNone{Direction::None, Direction::None};
inline constexpr LevelRow kForward{Direction::Forward, Direction::Forward};
inline constexpr LevelRow kBackward{Direction::Backward, Direction::Backward};
inline constexpr LevelRow kBoth{Direction::Both, Direction::Both};

// The accumulated directions of propagation 11: one row per class, one column per level.
inline constexpr std::array<std::array<LevelRow, kLastLevel + 1>, 5> kDirections = {{
    {kBoth, kBoth, kBoth, kBoth, kBoth},
    {kForward, kForward, LevelRow{Direction::Both, Direction::Forward}, kBoth, kBoth},
    {kNone, kNone, LevelRow{Direction::Backward, Direction::None}, kBackward, kBoth},
    {kNone, kNone, LevelRow{Direction::Both, Direction::None}, kBoth, kBoth},
    {kBoth, kBoth, kBoth, kBoth, kBoth},
}};

}  // namespace detail

/// Checks whether level 0 depends on the uses of the operands of such a node.
constexpr bool waits_for_single_use(PriorityClass priority) {
  return priority == PriorityClass::Pointwise || priority == PriorityClass::DynamicSlice;
}

/// Direction of a factor of a node at `level`, if no operand of the node has several uses.
/// Requires: 0 <= level <= kLastLevel.
constexpr Direction direction_at(PriorityClass priority, int level, FactorKind kind) {
  const detail::LevelRow& row =
      detail::kDirections[static_cast<std::size_t>(priority)][static_cast<std::size_t>(level)];
  return kind == FactorKind::PassThrough ? row.pass_through : row.other_factors;
}

/// Reason why an axis was not added.
enum class ConflictReason : uint8_t {
  TensorsDisagree,  // two tensors shard the factor differently (5.2)
  OtherFactor,      // the tensor uses the axis on another factor, or in its overflow (5.3)
  Replicated,       // the tensor replicates the axis explicitly
  Unreduced,        // the tensor is unreduced along the axis
  Closed,           // the dim may not be sharded further
  Overflow,         // an earlier axis of the dim does not fit the factors of the dim
  DoesNotDivide,    // the axis does not divide the remaining size of the factor
  SubAxis,          // conservative propagation moves only full axes
  ResultAccepts,    // an operand of an elementwise op gets no more axes than its result (6)
};

/// Name of `reason` in reports: "other factor", "closed", ...
constexpr std::string_view to_string(ConflictReason reason) {
  constexpr std::string_view kNames[] = {
      "tensors disagree", "other factor", "replicated", "unreduced",      "closed",
      "overflow",         "not dividing", "sub-axis",   "result accepts",
  };
  return kNames[static_cast<std::size_t>(reason)];
}

/// An axis that propagation truncated or dropped, and the tightest limit.
struct Conflict {
  std::size_t factor = 0;
  AxisRef wanted;
  std::optional<AxisRef> kept;  // the propagated part; nullopt: none
  ConflictReason reason = ConflictReason::TensorsDisagree;
  std::size_t tensor = 0;                   // the obstacle: operands, then results
  std::optional<std::size_t> other_factor;  // the factor with the axis in that tensor
  std::optional<std::size_t> target;        // the tensor without the axis; nullopt: all of them

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// Discards conflicts, for runs without an observer.
struct NoConflicts {
  static constexpr bool enabled = false;  // NOLINT(readability-identifier-naming): as ConflictList

  void add(const Conflict& /*conflict*/) {}
  void clear() {}
};

/// Conflicts of one step, for observers.
class ConflictList {
 public:
  bool enabled = false;

  void add(const Conflict& conflict) {
    if (enabled) conflicts_.push_back(conflict);
  }
  void clear() { conflicts_.clear(); }
  const std::vector<Conflict>& conflicts() const { return conflicts_; }

 private:
  std::vector<Conflict> conflicts_;
};

/// Resolution of conflicts between factors: an axis moves only if all tensors accept it (basic), or
/// to each tensor that accepts it (aggressive).
enum class FactorStrategy : uint8_t { Basic, Aggressive };

namespace detail {
class ExtensionResults;
}

/// Inputs of a strategy besides the projection.
struct FactorProblem {
  const FlatRule& layout;
  std::span<const Direction> directions;  // one per factor
  bool is_elementwise = false;
  const Mesh* conservative_mesh = nullptr;         // if set, only full axes of this mesh may move
  const Mesh* mesh = nullptr;                      // of all axes; for extensions
  detail::ExtensionResults* extensions = nullptr;  // null: no choice is replaced
};

/// Sort key of factors that compete for an axis. Spec: propagation 6.3.
struct FactorKey {
  int64_t source_size = -1;  // -1: no tensor has the candidate axes
  int64_t shards = 0;        // of the candidate; elementwise ops only
  std::size_t source = 0;    // index of the source tensor
};

/// Memory that the strategies reuse from step to step.
struct StrategyMemory {
  std::vector<uint8_t> is_updated;    // one per tensor: the result of a strategy
  std::vector<AxisList> candidates;   // one per factor
  std::vector<FactorKey> keys;        // one per factor
  std::vector<std::size_t> order;     // the factors, most urgent first
  std::vector<std::size_t> urgency;   // position of each factor in that order
  std::vector<std::size_t> entries;   // of one tensor
  std::vector<int64_t> tensor_sizes;  // products of factor sizes
  AxisList axes;
};

/// The same, with the receiver of conflicts: a ConflictList, or none (NoConflicts).
template <class Conflicts>
struct BasicStrategyScratch : StrategyMemory {
  Conflicts conflicts;  // of the last step
};
using StrategyScratch = BasicStrategyScratch<ConflictList>;

}  // namespace shardy::propagation
