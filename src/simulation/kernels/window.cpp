#include "simulation/kernels/window.hpp"

#include <algorithm>

#include "simulation/kernels/padding.hpp"

namespace shardy::simulation {

namespace {

bool is_small(const ir::WindowDim& dim) {
  const auto values = {dim.stride, dim.base_dilation, dim.window_dilation, dim.low, -dim.low};
  return std::ranges::all_of(values, [](int64_t value) { return value < kLargestPadding; });
}

}  // namespace

Result<std::vector<WindowAxis>> window_axes(const OpReader& reader,
                                            std::span<const ir::WindowDim> window,
                                            std::span<const int64_t> sizes,
                                            std::span<const int64_t> counts) {
  SHARDY_TRY_STATUS(
      reader.expect(std::ranges::all_of(window, is_small), "window attributes are too large"));
  std::vector<WindowAxis> axes;
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    axes.push_back({.size = sizes[dim],
                    .window = window[dim].size,
                    .stride = window[dim].stride,
                    .base_dilation = window[dim].base_dilation,
                    .window_dilation = window[dim].window_dilation,
                    .low = window[dim].low,
                    .count = counts[dim]});
  }
  return axes;
}

}  // namespace shardy::simulation
