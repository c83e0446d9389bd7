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
};

using Copy2d = void (*)(const std::byte* from, std::byte* to, const Plane& plane);

/// The fastest copy for this plane, and for parts of it with fewer columns: rows as a whole; one
/// value into whole rows; blocks that a near cache holds where each side is contiguous along
/// another loop; else element by element.
Copy2d pick_copy_2d(const Plane& plane, std::size_t element_bytes);

}  // namespace shardy::simulation
