// Copies between two strided views of row-major buffers: the common part of transpose, broadcast,
// reverse, slice, pad and concatenate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulation/thread_pool.hpp"

namespace shardy::simulation {

/// A loop. Steps are in bytes and may be 0 or negative.
struct PlaneDim {
  int64_t size = 1;
  std::ptrdiff_t from_step = 0;
  std::ptrdiff_t to_step = 0;
};

/// Two nested loops; `row` is the inner one.
struct Plane {
  PlaneDim column;
  PlaneDim row;
};

using Copy2d = void (*)(const std::byte* from, std::byte* to, const Plane& plane);

/// Returns the fastest copy for the plane and for parts of it with fewer columns: whole rows, one
/// value into whole rows, blocks that fit the L1 cache if the two sides are contiguous along
/// different loops, or else element by element.
Copy2d pick_copy_2d(const Plane& plane, std::size_t element_bytes);

/// Returns the row-major strides of a shape.
std::vector<int64_t> row_major_strides(std::span<const int64_t> dims);

/// A loop dim of a copy. Sizes and strides are in elements; strides may be 0 or negative.
struct CopyDim {
  int64_t size = 0;
  int64_t from_stride = 0;
  int64_t to_stride = 0;
};

/// A copy `to[to_offset + i * to_stride] = from[from_offset + i * from_stride]` for all i of the
/// loop dims.
///
/// The constructor plans the loops. Dims of size 1 are dropped. Dims that are contiguous on both
/// sides are merged. Few adjacent elements become one larger element. If the two sides are
/// contiguous along different dims, these two are copied in blocks. Requires: distinct i write
/// distinct elements.
class StridedCopy {
 public:
  StridedCopy(std::vector<CopyDim> dims, std::size_t element_bytes, int64_t from_offset = 0,
              int64_t to_offset = 0);

  /// Returns true if the copy is one contiguous block that starts at the first element.
  bool is_whole() const { return is_whole_; }
  /// Runs the copy with additional run-time offsets, in elements. Requires: all elements are inside
  /// their buffers.
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
