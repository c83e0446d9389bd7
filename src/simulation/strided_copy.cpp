#include "simulation/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardy::simulation {
namespace {

void copy_block(const std::byte* from, std::byte* to, const CopyDim& dim,
                std::size_t element_bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(dim.size) * element_bytes);
}

template <std::size_t kBytes>
void copy_strided(const std::byte* from, std::byte* to, const CopyDim& dim, std::size_t) {
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  for (int64_t index = 0; index < dim.size; ++index) {
    std::memcpy(to + index * dim.to_stride * kStep, from + index * dim.from_stride * kStep, kBytes);
  }
}

using RowCopy = void (*)(const std::byte*, std::byte*, const CopyDim&, std::size_t);

RowCopy pick_row_copy(const CopyDim& row, std::size_t element_bytes) {
  if (row.from_stride == 1 && row.to_stride == 1) return &copy_block;
  switch (element_bytes) {
    case 1:
      return &copy_strided<1>;
    case 2:
      return &copy_strided<2>;
    case 4:
      return &copy_strided<4>;
    case 8:
      return &copy_strided<8>;
    default:
      return &copy_strided<16>;
  }
}

/// Merges each dim into the one before it where both sides step through them as through one.
std::vector<CopyDim> merged(std::vector<CopyDim> dims) {
  std::erase_if(dims, [](const CopyDim& dim) { return dim.size == 1; });
  std::vector<CopyDim> result;
  for (const CopyDim& dim : dims) {
    const bool merges = !result.empty() &&
                        result.back().from_stride == dim.from_stride * dim.size &&
                        result.back().to_stride == dim.to_stride * dim.size;
    if (merges) {
      result.back() = {result.back().size * dim.size, dim.from_stride, dim.to_stride};
    } else {
      result.push_back(dim);
    }
  }
  return result;
}

}  // namespace

std::vector<int64_t> row_major_strides(std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(dims[dim], 1);
  }
  return strides;
}

StridedCopy::StridedCopy(std::vector<CopyDim> dims, std::size_t element_bytes, int64_t from_offset,
                         int64_t to_offset)
    : element_bytes_(element_bytes),
      from_offset_(from_offset),
      to_offset_(to_offset),
      empty_(std::ranges::any_of(dims, [](const CopyDim& dim) { return dim.size == 0; })) {
  outer_ = empty_ ? std::vector<CopyDim>() : merged(std::move(dims));
  row_ = outer_.empty() ? CopyDim{1, 1, 1} : outer_.back();
  if (!outer_.empty()) outer_.pop_back();
  copy_row_ = pick_row_copy(row_, element_bytes_);
}

void StridedCopy::run(const std::byte* from, std::byte* to, int64_t from_shift,
                      int64_t to_shift) const {
  if (empty_) return;
  const auto bytes = static_cast<int64_t>(element_bytes_);
  int64_t from_at = from_offset_ + from_shift;
  int64_t to_at = to_offset_ + to_shift;
  std::vector<int64_t> index(outer_.size(), 0);
  while (true) {
    copy_row_(from + from_at * bytes, to + to_at * bytes, row_, element_bytes_);
    std::size_t dim = outer_.size();
    while (dim > 0 && ++index[dim - 1] == outer_[dim - 1].size) {
      --dim;
      from_at -= outer_[dim].from_stride * (outer_[dim].size - 1);
      to_at -= outer_[dim].to_stride * (outer_[dim].size - 1);
      index[dim] = 0;
    }
    if (dim == 0) return;
    from_at += outer_[dim - 1].from_stride;
    to_at += outer_[dim - 1].to_stride;
  }
}

}  // namespace shardy::simulation
