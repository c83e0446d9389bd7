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

/// `row` is the inner loop.
struct Plane {
  PlaneDim column;
  PlaneDim row;
  bool streams = false;  // part of more than a cache holds: nobody finds the result there
};

using PlaneCopy = void (*)(const std::byte* from, std::byte* to, const Plane& plane);

/// The fastest copy for planes with the steps of this one, whatever the size of the columns: rows
/// as a whole; one value into whole rows; blocks through registers where each side is contiguous
/// along another loop; else element by element.
PlaneCopy pick_plane_copy(const Plane& plane, std::size_t element_bytes);

}  // namespace shardy::simulation
