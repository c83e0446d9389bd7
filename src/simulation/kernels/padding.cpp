#include "simulation/kernels/padding.hpp"

#include <vector>

namespace shardy::simulation {

StridedCopy plan_pad(std::span<const PadDim> padding, std::span<const int64_t> to,
                     std::size_t element_bytes) {
  std::vector<int64_t> sizes;
  for (const PadDim& pad : padding) sizes.push_back(pad.size);
  const std::vector<int64_t> from_strides = row_major_strides(sizes);
  const std::vector<int64_t> to_strides = row_major_strides(to);
  std::vector<CopyDim> dims;
  int64_t from_offset = 0;
  int64_t to_offset = 0;
  for (std::size_t dim = 0; dim < padding.size(); ++dim) {
    const PadDim& pad = padding[dim];
    const int64_t first = pad.first();
    const int64_t count = std::max<int64_t>(pad.last(to[dim]) - first, 0);
    if (count == 0) return {{CopyDim{}}, 1};
    const int64_t step = pad.interior + 1;
    dims.push_back({count, from_strides[dim], count > 1 ? to_strides[dim] * step : 0});
    from_offset += first * from_strides[dim];
    to_offset += (pad.low + first * step) * to_strides[dim];
  }
  return {std::move(dims), element_bytes, from_offset, to_offset};
}

}  // namespace shardy::simulation
