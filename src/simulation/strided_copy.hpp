// Copies between two strided views of row-major buffers: the common part of transpose, broadcast,
// reverse, slice, pad and concatenate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulation/thread_pool.hpp"

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
/// value into whole rows; blocks that fit the L1 cache if each side is contiguous along another
/// loop; otherwise element by element.
Copy2d pick_copy_2d(const Plane& plane, std::size_t element_bytes);

/// Row-major strides of a shape.
std::vector<int64_t> row_major_strides(std::span<const int64_t> dims);

/// One loop dim of a copy. Units: elements. Strides may be 0 or negative.
struct CopyDim {
  int64_t size = 0;
  int64_t from_stride = 0;
  int64_t to_stride = 0;
};

/// `to[to_offset + i * to_stride] = from[from_offset + i * from_stride]` for all i of the loop
/// dims.
///
/// The constructor plans the loops: dims of size 1 vanish, dims that are contiguous on both sides
/// merge, few neighbouring elements become one larger element, and if each side is contiguous along
/// another dim, the two are copied in blocks. Distinct i write distinct elements.
class StridedCopy {
 public:
  StridedCopy(std::vector<CopyDim> dims, std::size_t element_bytes, int64_t from_offset = 0,
              int64_t to_offset = 0);

  /// Returns true if the copy is one contiguous block from the first element on.
  bool is_whole() const { return is_whole_; }
  /// Adds run-time offsets, in elements. Requires: all elements are inside their buffers.
  void run(const std::byte* from, std::byte* to, int64_t from_shift = 0, int64_t to_shift = 0,
           ThreadPool* pool = nullptr) const;

 private:
  void run_planes(const std::byte* from, std::byte* to, int64_t begin, int64_t end) const;
  void run_columns(const std::byte* from, std::byte* to, int64_t begin, int64_t end) const;

  std::vector<PlaneDim> outer_;  // major to minor
  int64_t num_planes_ = 1;
  Plane plane_;  // the two innermost loops
  int64_t element_bytes_;
  int64_t from_offset_;
  int64_t to_offset_;
  Copy2d copy_plane_;
  bool empty_;
  bool is_whole_;
};

}  // namespace shardy::simulation
