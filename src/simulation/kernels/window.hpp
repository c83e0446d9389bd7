// Windows that move over a padded tensor. Spec: stablehlo 24.2.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardy/ir/window_ops.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

/// One dim of a tensor that windows move over.
struct WindowAxis {
  int64_t size = 0;    // of the tensor
  int64_t window = 1;  // positions in a window
  int64_t stride = 1;  // from one window to the next
  int64_t base_dilation = 1;
  int64_t window_dilation = 1;
  int64_t low = 0;    // padding before the tensor, may be negative
  int64_t count = 0;  // windows

  /// The element of the tensor that position `position` of window `number` looks at; none on
  /// padding and between dilated elements.
  std::optional<int64_t> element(int64_t number, int64_t position) const {
    const int64_t at = number * stride + position * window_dilation - low;
    if (at < 0) return std::nullopt;
    if (base_dilation == 1) return at < size ? std::optional(at) : std::nullopt;
    if (at % base_dilation != 0 || at / base_dilation >= size) return std::nullopt;
    return at / base_dilation;
  }
};

/// Windows over a tensor of these sizes, of which there are `counts`. Errors: attributes so large
/// that places in the padded tensor cannot be added up.
Result<std::vector<WindowAxis>> window_axes(const OpReader& reader,
                                            std::span<const ir::WindowDim> window,
                                            std::span<const int64_t> sizes,
                                            std::span<const int64_t> counts);

}  // namespace shardy::simulation
