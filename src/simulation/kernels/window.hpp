// Windows that move over a tensor: padding as one strided copy, the dims of windows, and patches as
// rows of a matrix. Spec: stablehlo 21, 23, 24.2.
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
#include "simulation/kernels/op_reader.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// Sizes and paddings beyond this are refused, so that sums of a few of them fit int64.
inline constexpr int64_t kLargestPadding = int64_t{1} << 60;

/// One dim that is padded; negative edges remove elements.
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
  /// Size of the result; nullopt if it is negative or too large. Requires: it is legal.
  std::optional<int64_t> padded() const {
    const std::optional<int64_t> gaps = checked_mul(std::max<int64_t>(size - 1, 0), interior);
    if (!gaps || *gaps > kLargestPadding) return std::nullopt;
    const int64_t total = low + size + *gaps + high;
    return total < 0 ? std::nullopt : std::optional(total);
  }
  /// Elements [first, last) of the operand land inside a result of that size.
  int64_t first() const { return low < 0 ? ceil_div(-low, interior + 1) : 0; }
  int64_t last(int64_t result_size) const {
    return std::min(size, floor_div(result_size - 1 - low, interior + 1) + 1);
  }
};

/// Copies the elements of a row-major `from` to their positions in a padded row-major `to`.
StridedCopy plan_pad(std::span<const PadDim> padding, std::span<const int64_t> to,
                     std::size_t element_bytes);

/// One dim of a tensor that windows move over, with its sizes.
struct WindowAxis : ir::WindowDim {
  int64_t base = 0;   // elements of the tensor
  int64_t count = 0;  // windows

  /// The element of the tensor at position `position` of window `number`; std::nullopt on padding
  /// and between dilated elements.
  std::optional<int64_t> element(int64_t number, int64_t position) const {
    const int64_t at = number * stride + position * window_dilation - low;
    if (at < 0) return std::nullopt;
    if (base_dilation == 1) return at < base ? std::optional(at) : std::nullopt;
    if (at % base_dilation != 0 || at / base_dilation >= base) return std::nullopt;
    return at / base_dilation;
  }
};

/// Windows over a tensor of these sizes; `counts` windows per dim. Errors: attributes so large
/// that places in the padded tensor cannot be added up.
Result<std::vector<WindowAxis>> window_axes(const OpReader& reader,
                                            std::span<const ir::WindowDim> window,
                                            std::span<const int64_t> sizes,
                                            std::span<const int64_t> counts);

/// Writes rows of patches: one row per batch and output position, one column per kernel position
/// and channel; 0 where a position looks at padding.
class Patches {
 public:
  /// The input is laid out as batch, spatial dims, `num_features` features; rows use `num_channels`
  /// of them.
  Patches(std::span<const WindowAxis> spatial, int64_t num_features, int64_t num_channels,
          std::size_t element_bytes);

  int64_t rows_per_batch() const { return num_positions_; }
  int64_t columns() const { return num_windows_ * num_channels_; }
  /// Rows [first, first + count); rows of batch 0 come first. `input` points to the first channel
  /// of the first batch.
  void write(const std::byte* input, int64_t first, int64_t count, std::byte* to) const;

 private:
  /// State of the walks, made once for many rows. The walk of the windows is at its start before
  /// and after each row.
  struct Walks {
    IndexWalk positions;
    IndexWalk windows;
  };
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
  bool is_dense_;  // neighbouring kernel positions of the last dim read neighbouring bytes
};

}  // namespace shardy::simulation
