#include "simulation/kernels/window.hpp"

#include <algorithm>

#include "shardy/ir/attribute_names.hpp"
#include "simulation/kernels/padding.hpp"

namespace shardy::simulation {

Result<std::vector<int64_t>> integers_or_ones(const OpReader& reader, std::string_view name,
                                              std::size_t count) {
  if (!reader.module().attributes(reader.op()).contains(name)) {
    return std::vector<int64_t>(count, 1);
  }
  SHARDY_TRY(const auto values, reader.integers(name));
  return std::vector<int64_t>(values.begin(), values.end());
}

std::vector<int64_t> read_low_padding(const OpReader& reader, std::size_t rank) {
  std::vector<int64_t> low(rank, 0);
  const auto* padding = reader.module().attribute<ir::Literal>(reader.op(), ir::attr::kPadding);
  if (padding == nullptr) return low;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    low[dim] = padding->at<int64_t>(static_cast<int64_t>(2 * dim));
  }
  return low;
}

Status expect_small(const OpReader& reader, const WindowAxis& dim) {
  const auto values = {dim.stride, dim.base_dilation, dim.window_dilation, dim.low, -dim.low};
  const bool small =
      std::ranges::all_of(values, [](int64_t value) { return value < kLargestPadding; });
  return reader.expect(small, "window attributes are too large");
}

Result<std::vector<WindowAxis>> read_window(const OpReader& reader,
                                            std::span<const int64_t> counts) {
  const ir::Type& x = reader.operand();
  const std::size_t rank = counts.size();
  SHARDY_TRY(const auto windows, integers_or_ones(reader, ir::attr::kWindowDimensions, rank));
  SHARDY_TRY(const auto strides, integers_or_ones(reader, ir::attr::kWindowStrides, rank));
  SHARDY_TRY(const auto base, integers_or_ones(reader, ir::attr::kBaseDilations, rank));
  SHARDY_TRY(const auto dilations, integers_or_ones(reader, ir::attr::kWindowDilations, rank));
  const std::vector<int64_t> low = read_low_padding(reader, rank);
  std::vector<WindowAxis> dims;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    dims.push_back({.size = x.dim(dim),
                    .window = windows[dim],
                    .stride = strides[dim],
                    .base_dilation = base[dim],
                    .window_dilation = dilations[dim],
                    .low = low[dim],
                    .count = counts[dim]});
    SHARDY_TRY_STATUS(expect_small(reader, dims.back()));
  }
  return dims;
}

}  // namespace shardy::simulation
