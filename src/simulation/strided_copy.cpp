#include "simulation/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace shardy::simulation {
namespace {

/// Sides of tiles, in elements: one cache line.
template <std::size_t kBytes>
constexpr int64_t kTile = std::max<int64_t>(64 / static_cast<int64_t>(kBytes), 4);

/// Sides of the blocks that tiles are grouped into: a multiple of all tiles.
constexpr int64_t kBlock = 256;

template <std::size_t kBytes>
struct Raw {
  std::array<std::byte, kBytes> bytes;
};
template <>
struct Raw<1> {
  uint8_t bits;
};
template <>
struct Raw<2> {
  uint16_t bits;
};
template <>
struct Raw<4> {
  uint32_t bits;
};
template <>
struct Raw<8> {
  uint64_t bits;
};

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

/// Takes out the dim for which `is_wanted` holds, the last one if there is none.
template <class Predicate>
CopyDim take_dim(std::vector<CopyDim>& dims, const Predicate& is_wanted) {
  if (dims.empty()) return {1, 1, 1};
  auto found = std::ranges::find_if(dims, is_wanted);
  if (found == dims.end()) --found;
  const CopyDim dim = *found;
  dims.erase(found);
  return dim;
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

/// Copies of one element size.
template <std::size_t kBytes>
struct StridedCopy::Copies {
  static constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  using Element = Raw<kBytes>;

  static void rows(const std::byte* from, std::byte* to, const Plane& plane) {
    const auto bytes = static_cast<std::size_t>(plane.row.size) * kBytes;
    for (int64_t at = 0; at < plane.column.size; ++at) {
      std::memcpy(to + at * plane.column.to_stride * kStep,
                  from + at * plane.column.from_stride * kStep, bytes);
    }
  }

  static void elements(const std::byte* from, std::byte* to, const Plane& plane) {
    for (int64_t at = 0; at < plane.column.size; ++at) {
      const std::byte* source = from + at * plane.column.from_stride * kStep;
      std::byte* target = to + at * plane.column.to_stride * kStep;
      for (int64_t index = 0; index < plane.row.size; ++index) {
        std::memcpy(target + index * plane.row.to_stride * kStep,
                    source + index * plane.row.from_stride * kStep, kBytes);
      }
    }
  }

  /// Columns are contiguous in `from`, rows in `to`: each cache line is read and written once,
  /// block by block, so that the pages of a block stay in the TLB.
  static void tiles(const std::byte* from, std::byte* to, const Plane& plane) {
    constexpr int64_t kSide = kTile<kBytes>;
    const int64_t whole_rows = plane.row.size / kSide * kSide;
    const int64_t whole_columns = plane.column.size / kSide * kSide;
    for (int64_t column = 0; column < whole_columns; column += kBlock) {
      for (int64_t row = 0; row < whole_rows; row += kBlock) {
        const Corner end = {std::min(column + kBlock, whole_columns),
                            std::min(row + kBlock, whole_rows)};
        block(from, to, plane, {column, row}, end);
      }
    }
    rest(from, to, plane, {whole_columns, 0});
    Plane below = plane;
    below.column.size = whole_columns;
    rest(from, to, below, {0, whole_rows});
  }

 private:
  struct Corner {
    int64_t column;
    int64_t row;
  };
  static void block(const std::byte* from, std::byte* to, const Plane& plane, Corner begin,
                    Corner end) {
    for (int64_t column = begin.column; column < end.column; column += kTile<kBytes>) {
      for (int64_t row = begin.row; row < end.row; row += kTile<kBytes>) {
        tile(from + (column + row * plane.row.from_stride) * kStep,
             to + (column * plane.column.to_stride + row) * kStep, plane);
      }
    }
  }

  static void tile(const std::byte* from, std::byte* to, const Plane& plane) {
    constexpr auto kSide = static_cast<std::size_t>(kTile<kBytes>);
    std::array<std::array<Element, kSide>, kSide> lines;
    for (std::size_t row = 0; row < kSide; ++row) {
      std::memcpy(lines[row].data(),
                  from + static_cast<std::ptrdiff_t>(row) * plane.row.from_stride * kStep,
                  kSide * kBytes);
    }
    // Element by element: narrow stores that wide loads read again would stall.
    for (std::size_t column = 0; column < kSide; ++column) {
      std::byte* target = to + static_cast<std::ptrdiff_t>(column) * plane.column.to_stride * kStep;
      for (std::size_t row = 0; row < kSide; ++row) {
        std::memcpy(target + row * kBytes, &lines[row][column], kBytes);
      }
    }
  }

  /// What lies behind a corner in both directions.
  static void rest(const std::byte* from, std::byte* to, Plane plane, Corner corner) {
    plane.column.size -= corner.column;
    plane.row.size -= corner.row;
    const int64_t source =
        corner.column * plane.column.from_stride + corner.row * plane.row.from_stride;
    const int64_t target =
        corner.column * plane.column.to_stride + corner.row * plane.row.to_stride;
    elements(from + source * kStep, to + target * kStep, plane);
  }
};

template <std::size_t kBytes>
StridedCopy::PlaneCopy StridedCopy::pick(const Plane& plane) {
  if (plane.row.from_stride == 1 && plane.row.to_stride == 1) return &Copies<kBytes>::rows;
  const bool turns = plane.row.to_stride == 1 && plane.column.from_stride == 1;
  const bool fills_tiles = plane.row.size >= kTile<kBytes> && plane.column.size >= kTile<kBytes>;
  return turns && fills_tiles ? &Copies<kBytes>::tiles : &Copies<kBytes>::elements;
}

StridedCopy::PlaneCopy StridedCopy::pick_plane_copy(const Plane& plane, std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return pick<1>(plane);
    case 2:
      return pick<2>(plane);
    case 4:
      return pick<4>(plane);
    case 8:
      return pick<8>(plane);
    default:
      return pick<16>(plane);
  }
}

StridedCopy::StridedCopy(std::vector<CopyDim> dims, std::size_t element_bytes, int64_t from_offset,
                         int64_t to_offset)
    : element_bytes_(element_bytes),
      from_offset_(from_offset),
      to_offset_(to_offset),
      empty_(std::ranges::any_of(dims, [](const CopyDim& dim) { return dim.size == 0; })) {
  outer_ = empty_ ? std::vector<CopyDim>() : merged(std::move(dims));
  plane_.row = take_dim(outer_, [](const CopyDim& dim) { return dim.to_stride == 1; });
  const bool is_block = plane_.row.from_stride == 1;
  plane_.column =
      take_dim(outer_, [&](const CopyDim& dim) { return !is_block && dim.from_stride == 1; });
  copy_plane_ = pick_plane_copy(plane_, element_bytes_);
}

void StridedCopy::run(const std::byte* from, std::byte* to, int64_t from_shift,
                      int64_t to_shift) const {
  if (empty_) return;
  const auto bytes = static_cast<int64_t>(element_bytes_);
  int64_t from_at = from_offset_ + from_shift;
  int64_t to_at = to_offset_ + to_shift;
  std::vector<int64_t> index(outer_.size(), 0);
  while (true) {
    copy_plane_(from + from_at * bytes, to + to_at * bytes, plane_);
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
