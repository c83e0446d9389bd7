// The patches of a convolution as rows of a matrix. Spec: stablehlo 23.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulation/kernels/index_vectors.hpp"
#include "simulation/kernels/window.hpp"

namespace shardy::simulation {

/// Writes rows of patches: one row per batch and output position, one column per kernel position
/// and channel; 0 where a position looks at padding.
class Patches {
 public:
  /// The input is laid out as batch, spatial dims, `num_features` features; rows take
  /// `num_channels` of them.
  Patches(std::span<const WindowAxis> spatial, int64_t num_features, int64_t num_channels,
          std::size_t element_bytes);

  int64_t rows_per_batch() const { return num_positions_; }
  int64_t columns() const { return num_windows_ * num_channels_; }
  /// Rows [first, first + count); rows of batch 0 come first. `input` points to the first channel
  /// of the first batch.
  void write(const std::byte* input, int64_t first, int64_t count, std::byte* to) const;

 private:
  /// Made once for many rows. The walk of the windows is at its start before and after each.
  struct Walks {
    std::vector<int64_t> place;
    IndexWalk windows;
  };
  std::vector<int64_t> place_of(int64_t position) const;
  bool advance(std::vector<int64_t>& place) const;
  void write_row(const std::byte* input, std::byte* to, Walks& scratch) const;
  void write_line(const std::byte* input, int64_t position, std::byte* to) const;
  void write_dense_line(const std::byte* input, int64_t position, std::byte* to) const;

  std::vector<WindowAxis> spatial_;
  std::vector<int64_t> strides_;  // of the input, per spatial dim
  int64_t num_positions_ = 1;
  int64_t num_windows_ = 1;
  int64_t num_channels_;
  int64_t batch_stride_;  // of the input
  int64_t element_bytes_;
  bool is_dense_;  // neighbouring kernel positions of the last dim look at neighbouring bytes
};

}  // namespace shardy::simulation
