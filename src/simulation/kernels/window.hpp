// Windows that move over a tensor: padding as one strided copy, the dims of windows, and patches as
// matrix rows. Spec: stablehlo 21, 23, 24.2.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardy/ir/type.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/gather.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// Larger sizes and paddings are errors, so that sums of a few of them fit int64.
inline constexpr int64_t kLargestPadding = int64_t{1} << 60;

/// A padded dim. Negative edge padding removes elements.
struct PadDim {
  int64_t size;
  int64_t low;
  int64_t high;
  int64_t interior;

  bool is_legal() const {
    const auto small = [](int64_t value) {
      return value > -kLargestPadding && value < kLargestPadding;
    };
    return small(size) && small(low) && small(high) && small(interior) && interior >= 0;
  }
  /// Returns the size of the result; std::nullopt if it is negative or too large. Requires: the
  /// attributes are legal.
  std::optional<int64_t> padded() const {
    const std::optional<int64_t> gaps = checked_mul(std::max<int64_t>(size - 1, 0), interior);
    if (!gaps || *gaps > kLargestPadding) return std::nullopt;
    const int64_t total = low + size + *gaps + high;
    return total < 0 ? std::nullopt : std::optional(total);
  }
  /// Elements [first, last) of the operand are inside the result, whose size is `size`.
  int64_t first() const { return low < 0 ? ceil_div(-low, interior + 1) : 0; }
  int64_t last(int64_t result_size) const {
    return std::min(size, floor_div(result_size - 1 - low, interior + 1) + 1);
  }
};

/// Returns a copy of the elements of a row-major `from` to their positions in a padded row-major
/// `to`.
StridedCopy plan_pad(std::span<const PadDim> padding, std::span<const int64_t> to,
                     std::size_t element_bytes);

/// A dim of a tensor along which windows move.
struct WindowAxis : ir::WindowDim {
  int64_t base = 0;   // size of the tensor's dim
  int64_t count = 0;  // number of windows

  /// Returns the element of the tensor at `position` of window `number`; std::nullopt for padding
  /// and between dilated elements.
  std::optional<int64_t> element(int64_t number, int64_t position) const {
    const int64_t at = number * stride + position * window_dilation - low;
    if (at < 0) return std::nullopt;
    if (base_dilation == 1) return at < base ? std::optional(at) : std::nullopt;
    if (at % base_dilation != 0 || at / base_dilation >= base) return std::nullopt;
    return at / base_dilation;
  }
};

/// Returns the window dims of a tensor; `counts` has the number of windows per dim. Error:
/// attributes so large that positions in the padded tensor could overflow.
Result<std::vector<WindowAxis>> window_axes(const OpReader& reader,
                                            std::span<const ir::WindowDim> window,
                                            std::span<const int64_t> sizes,
                                            std::span<const int64_t> counts);

/// Writes rows of patches: one row per batch and output position, one column per kernel position
/// and channel. Padding is 0.
class Patches {
 public:
  /// The input has the dims batch, spatial dims, `num_features` features. Rows use `num_channels`
  /// of the features.
  Patches(std::span<const WindowAxis> spatial, int64_t num_features, int64_t num_channels,
          std::size_t element_bytes);

  int64_t rows_per_batch() const { return num_positions_; }
  int64_t columns() const { return num_windows_ * num_channels_; }
  /// Writes rows [first, first + count), ordered by batch. `input` points to the first channel of
  /// the first batch.
  void write(const std::byte* input, int64_t first, int64_t count, std::byte* to) const;

 private:
  /// Reused state of the walks for many rows. The walk over windows is at its start before and
  /// after each row.
  struct Walks {
    IndexWalk positions;
    IndexWalk windows;
  };
  void write_row(const std::byte* input, std::byte* to, Walks& scratch) const;
  void write_line(const std::byte* input, int64_t position, std::byte* to) const;
  void write_dense_line(const std::byte* input, int64_t position, std::byte* to) const;

  std::vector<WindowAxis> spatial_;
  std::vector<int64_t> strides_;  // strides of the input, per spatial dim
  int64_t num_positions_ = 1;
  int64_t num_windows_ = 1;
  int64_t num_channels_;
  int64_t batch_stride_;  // stride of the input
  int64_t element_bytes_;
  bool is_dense_;  // adjacent kernel positions of the last dim read adjacent bytes
};

}  // namespace shardy::simulation
