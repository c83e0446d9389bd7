#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <shardy/algebra/op_sharding_rule.hpp>

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

/// When a node takes part in op-priority propagation. Spec: propagation 11.
enum class PriorityClass : uint8_t {
  Pointwise,     // elementwise ops, reshape, transpose, data-flow edges, moves to host and back
  DynamicSlice,  // dynamic_slice, dynamic_update_slice
  Broadcast,     // broadcast_in_dim
  Other,         // every other op
  Always,        // barriers and function results: their own direction at every level
};

/// Op-priority levels run from 0 to kLastLevel; at the last one everything goes both ways, which is
/// also what propagation without op priorities does.
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

}  // namespace shardy::propagation
