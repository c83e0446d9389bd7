// Priorities of ops, conflicts, and the inputs of factor strategies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/propagation/detail/extensions.hpp>
#include <shardy/propagation/projection.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::propagation {

/// Class of a node for op priorities. Spec: propagation 11.
enum class PriorityClass : uint8_t {
  Pointwise,     // elementwise ops, reshape, transpose, data-flow edges, copies to host and back
  DynamicSlice,  // dynamic_slice, dynamic_update_slice
  Broadcast,     // broadcast_in_dim
  Other,         // every other op
  Always,        // barriers and function results, which propagate in their direction at every level
};

namespace detail {

struct LevelRow {
  Direction pass_through = Direction::None;
  Direction other_factors = Direction::None;

  friend constexpr bool operator==(const LevelRow&, const LevelRow&) = default;
};

inline constexpr LevelRow kNone{Direction::None, Direction::None};
inline constexpr LevelRow kForward{Direction::Forward, Direction::Forward};
inline constexpr LevelRow kBackward{Direction::Backward, Direction::Backward};
inline constexpr LevelRow kBoth{Direction::Both, Direction::Both};

// Directions at each level, including the directions of earlier levels: one row per class, one
// column per level. Spec: propagation 11.
inline constexpr std::array<std::array<LevelRow, kLastLevel + 1>, 5> kDirections = {{
    {kBoth, kBoth, kBoth, kBoth, kBoth},
    {kForward, kForward, LevelRow{Direction::Both, Direction::Forward}, kBoth, kBoth},
    {kNone, kNone, LevelRow{Direction::Backward, Direction::None}, kBackward, kBoth},
    {kNone, kNone, LevelRow{Direction::Both, Direction::None}, kBoth, kBoth},
    {kBoth, kBoth, kBoth, kBoth, kBoth},
}};

}  // namespace detail

/// Checks whether the direction at level 0 depends on the number of uses of the operands.
constexpr bool waits_for_single_use(PriorityClass priority) {
  return priority == PriorityClass::Pointwise || priority == PriorityClass::DynamicSlice;
}

/// Returns the direction of a factor at `level` if no operand of the node has several uses.
/// Requires: 0 <= level <= kLastLevel.
constexpr Direction direction_at(PriorityClass priority, int level, FactorKind kind) {
  const detail::LevelRow& row =
      detail::kDirections[static_cast<std::size_t>(priority)][static_cast<std::size_t>(level)];
  return kind == FactorKind::PassThrough ? row.pass_through : row.other_factors;
}

/// Returns whether any factor of nodes of this class has a direction at `level`. Requires: 0 <=
/// level <= kLastLevel.
constexpr bool may_propagate(PriorityClass priority, int level) {
  const auto& rows = detail::kDirections[static_cast<std::size_t>(priority)];
  return rows[static_cast<std::size_t>(level)] != detail::kNone;
}

/// Returns the first level at which nodes of this class have the directions of `level`. Requires: 0
/// <= level <= kLastLevel.
constexpr int first_level_like(PriorityClass priority, int level) {
  const auto& rows = detail::kDirections[static_cast<std::size_t>(priority)];
  while (level > 0 &&
         rows[static_cast<std::size_t>(level - 1)] == rows[static_cast<std::size_t>(level)]) {
    --level;
  }
  return level;
}

/// Reason why a step did not add an axis. Numbers are sections of docs/spec/propagation.md.
enum class ConflictReason : uint8_t {
  TensorsDisagree,  // two tensors have different axes on the factor (5.2)
  OtherFactor,      // another factor of the tensor, or its overflow, has the axis (5.3)
  Replicated,       // the axis is in the tensor's replicated axes
  Unreduced,        // the axis is in the tensor's unreduced axes
  Closed,           // the dim is closed
  Overflow,         // a factor of the dim has overflow axes
  DoesNotDivide,    // the size of the axis does not divide the remaining size of the factor
  SubAxis,          // conservative propagation moves only full axes
  ResultAccepts,    // an operand of an elementwise op gets only axes of the result (6)
};

/// Returns the name of `reason` in reports: "other factor", "closed", ...
constexpr std::string_view to_string(ConflictReason reason) {
  constexpr std::string_view kNames[] = {
      "tensors disagree", "other factor", "replicated", "unreduced",      "closed",
      "overflow",         "not dividing", "sub-axis",   "result accepts",
  };
  return kNames[static_cast<std::size_t>(reason)];
}

/// An axis that a step truncated or dropped, with the most restrictive obstacle.
struct Conflict {
  std::size_t factor = 0;
  AxisRef wanted;
  std::optional<AxisRef> kept;  // the sub-axis that was added; std::nullopt: none
  ConflictReason reason = ConflictReason::TensorsDisagree;
  std::size_t tensor = 0;                   // tensor with the obstacle; operands precede results
  std::optional<std::size_t> other_factor;  // the factor that has the axis in `tensor`
  /// Tensor that did not get the axis; std::nullopt: no tensor got it.
  std::optional<std::size_t> target;

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// A receiver that discards conflicts, for runs without an observer.
struct NoConflicts {
  static constexpr bool enabled = false;  // NOLINT(readability-identifier-naming): as ConflictList

  void add(const Conflict& /*conflict*/) {}
  void clear() {}
};

/// A receiver that stores the conflicts of one step, for observers.
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

/// Rule for factors that compete for an axis. Basic: an axis is added only if all tensors accept
/// it. Aggressive: an axis is added to each tensor that accepts it.
enum class FactorStrategy : uint8_t { Basic, Aggressive };

namespace detail {
class ExtensionResults;
}

/// Inputs of a factor strategy besides the projection.
struct FactorProblem {
  const FlatRule& layout;
  std::span<const Direction> directions;  // one direction per factor
  bool is_elementwise = false;
  /// Set for conservative propagation: only full axes of this mesh are added.
  const Mesh* conservative_mesh = nullptr;
  const Mesh* mesh = nullptr;                      // mesh of all axes, for extensions
  detail::ExtensionResults* extensions = nullptr;  // null: no rule is replaced
};

/// Sort key of a factor that competes for an axis. Spec: propagation 6.3.
struct FactorKey {
  int64_t source_size = -1;  // size of the source tensor; -1: no tensor has all candidate axes
  int64_t shards = 0;        // shards of the candidate axes; elementwise ops only
  std::size_t source = 0;    // index of the source tensor
};

/// Buffers that the strategies reuse from step to step.
struct StrategyMemory {
  std::vector<uint8_t> is_updated;    // per tensor: the strategy extended it
  std::vector<AxisList> candidates;   // candidate axes of each factor
  std::vector<FactorKey> keys;        // sort key of each factor
  std::vector<std::size_t> order;     // factors in the order in which they get axes
  std::vector<std::size_t> urgency;   // position of each factor in `order`
  std::vector<std::size_t> entries;   // entries of one tensor
  std::vector<int64_t> tensor_sizes;  // product of the factor sizes of each tensor
  AxisList axes;
};

/// StrategyMemory with a receiver of conflicts: ConflictList, or NoConflicts to discard them.
template <class Conflicts>
struct BasicStrategyScratch : StrategyMemory {
  Conflicts conflicts;  // conflicts of the last step
};
using StrategyScratch = BasicStrategyScratch<ConflictList>;

}  // namespace shardy::propagation
