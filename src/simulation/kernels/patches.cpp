#include "simulation/kernels/patches.hpp"

#include <algorithm>
#include <cstring>

#include "simulation/kernels/index_vectors.hpp"

namespace shardy::simulation {
namespace {

void copy(const std::byte* from, std::byte* to, int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}
/// Mostly of nothing.
void clear(std::byte* to, int64_t bytes) {
  if (bytes > 0) std::memset(to, 0, static_cast<std::size_t>(bytes));
}

}  // namespace

Patches::Patches(std::span<const WindowAxis> spatial, int64_t num_features, int64_t num_channels,
                 std::size_t element_bytes)
    : spatial_(spatial.begin(), spatial.end()),
      strides_(spatial.size()),
      num_channels_(num_channels),
      element_bytes_(static_cast<int64_t>(element_bytes)) {
  int64_t stride = num_features;
  for (std::size_t dim = spatial.size(); dim-- > 0;) {
    strides_[dim] = stride;
    stride *= spatial[dim].size;
    num_positions_ *= spatial[dim].count;
    num_windows_ *= spatial[dim].window;
  }
  batch_stride_ = stride;
  is_dense_ = num_channels == num_features && !spatial.empty() &&
              spatial.back().base_dilation == 1 && spatial.back().window_dilation == 1;
}

void Patches::write(const std::byte* input, int64_t first, int64_t count, std::byte* to) const {
  if (num_windows_ == 0) return;
  std::vector<int64_t> windows;
  for (std::size_t dim = 0; dim + 1 < spatial_.size(); ++dim) {
    windows.push_back(spatial_[dim].window);
  }
  Walks walks{place_of(first % num_positions_), IndexWalk(std::move(windows))};
  const std::byte* batch = input + first / num_positions_ * batch_stride_ * element_bytes_;
  for (int64_t row = 0; row < count; ++row) {
    if (spatial_.empty()) {
      copy(batch, to, num_channels_ * element_bytes_);
    } else {
      write_row(batch, to, walks);
    }
    to += columns() * element_bytes_;
    if (!advance(walks.place)) batch += batch_stride_ * element_bytes_;
  }
}

std::vector<int64_t> Patches::place_of(int64_t position) const {
  std::vector<int64_t> place(spatial_.size());
  for (std::size_t dim = spatial_.size(); dim-- > 0;) {
    place[dim] = position % spatial_[dim].count;
    position /= spatial_[dim].count;
  }
  return place;
}

/// To the next position; false if that is the first one of the next batch.
bool Patches::advance(std::vector<int64_t>& place) const {
  for (std::size_t dim = spatial_.size(); dim-- > 0;) {
    if (++place[dim] < spatial_[dim].count) return true;
    place[dim] = 0;
  }
  return false;
}

/// Line by line; a line is the last spatial dim of the kernel.
void Patches::write_row(const std::byte* input, std::byte* to, Walks& scratch) const {
  const std::size_t last = spatial_.size() - 1;
  const std::vector<int64_t>& place = scratch.place;
  const int64_t line_bytes = spatial_[last].window * num_channels_ * element_bytes_;
  IndexWalk& walk = scratch.windows;
  do {
    std::optional<int64_t> offset = 0;
    for (std::size_t dim = 0; dim < last && offset; ++dim) {
      const auto element = spatial_[dim].element(place[dim], walk.index()[dim]);
      offset = element ? std::optional(*offset + *element * strides_[dim]) : std::nullopt;
    }
    if (!offset) {
      clear(to, line_bytes);
    } else if (is_dense_) {
      write_dense_line(input + *offset * element_bytes_, place[last], to);
    } else {
      write_line(input + *offset * element_bytes_, place[last], to);
    }
    to += line_bytes;
  } while (walk.next());
}

void Patches::write_line(const std::byte* input, int64_t position, std::byte* to) const {
  const WindowAxis& dim = spatial_.back();
  const int64_t bytes = num_channels_ * element_bytes_;
  for (int64_t window = 0; window < dim.window; ++window) {
    const std::optional<int64_t> element = dim.element(position, window);
    if (element) {
      copy(input + *element * strides_.back() * element_bytes_, to, bytes);
    } else {
      clear(to, bytes);
    }
    to += bytes;
  }
}

/// Padding, neighbouring elements, padding.
void Patches::write_dense_line(const std::byte* input, int64_t position, std::byte* to) const {
  const WindowAxis& dim = spatial_.back();
  const int64_t bytes = num_channels_ * element_bytes_;
  const int64_t start = position * dim.stride - dim.low;
  const int64_t first = std::clamp<int64_t>(-start, 0, dim.window);
  const int64_t end = std::clamp<int64_t>(dim.size - start, first, dim.window);
  clear(to, first * bytes);
  if (end > first) copy(input + (start + first) * bytes, to + first * bytes, (end - first) * bytes);
  clear(to + end * bytes, (dim.window - end) * bytes);
}

}  // namespace shardy::simulation
