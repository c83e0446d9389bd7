// The two innermost loops of a strided copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shardy::simulation {

/// One loop; steps in bytes. They may be 0 or negative.
struct PlaneDim {
  int64_t size = 1;
  std::ptrdiff_t from_step = 0;
  std::ptrdiff_t to_step = 0;
};

/// The least that holds a result.
enum class Room : uint8_t { NearCache, SharedCache, Memory };

/// `row` is the inner loop.
struct Plane {
  PlaneDim column;
  PlaneDim row;
  Room room = Room::NearCache;  // for the whole that the plane is a part of
};

using PlaneCopy = void (*)(const std::byte* from, std::byte* to, const Plane& plane);

/// Columns that a part of a plane has at least: enough for all blocks.
inline constexpr int64_t kColumnStep = 256;

/// The fastest copy for this plane, and for parts of it of at least kColumnStep columns: rows as a
/// whole; one value into whole rows; blocks through registers where each side is contiguous along
/// another loop; else element by element. Copies of what no near cache holds are over after
/// finish_streams().
PlaneCopy pick_plane_copy(const Plane& plane, std::size_t element_bytes);

}  // namespace shardy::simulation
