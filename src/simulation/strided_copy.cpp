#include "simulation/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace shardy::simulation {
namespace {

/// Copies a plane whose rows are contiguous on both sides.
template <std::size_t kBytes>
void copy_whole_rows(const std::byte* from, std::byte* to, const Plane& plane) {
  const std::size_t row_bytes = kBytes * static_cast<std::size_t>(plane.row.size);
  for (int64_t at = 0; at < plane.column.size; ++at) {
    std::memcpy(to, from, row_bytes);
    from += plane.column.from_step;
    to += plane.column.to_step;
  }
}

/// Copies one element to all elements of a row.
template <std::size_t kBytes>
void fill_rows(const std::byte* from, std::byte* to, const Plane& plane) {
  for (int64_t at = 0; at < plane.column.size; ++at) {
    std::array<std::byte, kBytes> value;
    std::memcpy(&value, from, kBytes);
    for (int64_t index = 0; index < plane.row.size; ++index) {
      std::memcpy(to + index * static_cast<std::ptrdiff_t>(kBytes), &value, kBytes);
    }
    from += plane.column.from_step;
    to += plane.column.to_step;
  }
}

template <std::size_t kBytes>
void copy_elements(const std::byte* from, std::byte* to, const Plane& plane) {
  for (int64_t at = 0; at < plane.column.size; ++at) {
    const std::byte* source = from;
    std::byte* target = to;
    for (int64_t index = 0; index < plane.row.size; ++index) {
      std::memcpy(target, source, kBytes);
      source += plane.row.from_step;
      target += plane.row.to_step;
    }
    from += plane.column.from_step;
    to += plane.column.to_step;
  }
}

/// Transposes in blocks of cache lines, so that each line is read and written once. The rows of the
/// result are columns of the operand.
template <std::size_t kBytes>
void copy_turned(const std::byte* from, std::byte* to, const Plane& plane) {
  constexpr int64_t kSide = kBytes < 4 ? 64 : 32;
  for (int64_t column = 0; column < plane.column.size; column += kSide) {
    const int64_t columns = std::min(kSide, plane.column.size - column);
    for (int64_t row = 0; row < plane.row.size; row += kSide) {
      Plane block = plane;
      block.column.size = columns;
      block.row.size = std::min(kSide, plane.row.size - row);
      copy_elements<kBytes>(from + column * plane.column.from_step + row * plane.row.from_step,
                            to + column * plane.column.to_step + row * plane.row.to_step, block);
    }
  }
}

template <std::size_t kBytes>
Copy2d pick_sized(const Plane& plane) {
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  const bool writes_rows = plane.row.to_step == kStep;
  if (writes_rows && plane.row.from_step == kStep) return &copy_whole_rows<kBytes>;
  if (writes_rows && plane.row.from_step == 0) return &fill_rows<kBytes>;
  const bool turns = writes_rows && plane.column.from_step == kStep;
  return turns ? &copy_turned<kBytes> : &copy_elements<kBytes>;
}

/// The smallest number of bytes that is worth a separate thread.
constexpr int64_t kGrainBytes = int64_t{1} << 18;
/// The size of a block that fits into the L2 cache.
constexpr int64_t kCacheBytes = int64_t{1} << 20;
/// The number of columns that a thread copies together.
constexpr int64_t kColumnStep = 256;

/// Merges each dim into the one before it if both sides step through the two dims as through one.
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

std::vector<PlaneDim> in_bytes(const std::vector<CopyDim>& dims, int64_t element_bytes) {
  std::vector<PlaneDim> steps;
  steps.reserve(dims.size());
  for (const CopyDim& dim : dims) {
    steps.push_back({dim.size, dim.from_stride * element_bytes, dim.to_stride * element_bytes});
  }
  return steps;
}

/// Makes one larger element of a dim with few contiguous bytes. Returns the size of an element.
int64_t widen_elements(std::vector<PlaneDim>& dims, int64_t element_bytes) {
  const auto found = std::ranges::find_if(dims, [&](const PlaneDim& dim) {
    return dim.from_step == element_bytes && dim.to_step == element_bytes;
  });
  if (found == dims.end()) return element_bytes;
  const int64_t bytes = found->size * element_bytes;
  if (bytes > 16 || (bytes & (bytes - 1)) != 0) return element_bytes;
  dims.erase(found);
  return bytes;
}

/// Removes and returns the first dim for which `is_wanted` holds; the last dim if none does.
template <class Predicate>
PlaneDim take_dim(std::vector<PlaneDim>& dims, int64_t element_bytes, const Predicate& is_wanted) {
  if (dims.empty()) return {1, element_bytes, element_bytes};
  auto found = std::ranges::find_if(dims, is_wanted);
  if (found == dims.end()) --found;
  const PlaneDim dim = *found;
  dims.erase(found);
  return dim;
}

/// Orders the loops by the source addresses, so that the hardware prefetches rows. Keeps the order
/// if rows are read repeatedly.
void order_by_source(std::vector<PlaneDim>& dims) {
  const auto step = [](const PlaneDim& dim) { return std::abs(dim.from_step); };
  if (std::ranges::any_of(dims, [&](const PlaneDim& dim) { return step(dim) == 0; })) return;
  std::ranges::stable_sort(dims, std::ranges::greater(), step);
}

}  // namespace

Copy2d pick_copy_2d(const Plane& plane, std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return pick_sized<1>(plane);
    case 2:
      return pick_sized<2>(plane);
    case 4:
      return pick_sized<4>(plane);
    case 8:
      return pick_sized<8>(plane);
    default:
      return pick_sized<16>(plane);
  }
}

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
    : element_bytes_(static_cast<int64_t>(element_bytes)),
      from_offset_(from_offset),
      to_offset_(to_offset),
      empty_(std::ranges::any_of(dims, [](const CopyDim& dim) { return dim.size == 0; })) {
  if (!empty_) outer_ = in_bytes(merged(std::move(dims)), element_bytes_);
  is_whole_ = !empty_ && from_offset == 0 && to_offset == 0 &&
              std::ranges::all_of(outer_, [&](const PlaneDim& dim) {
                return dim.from_step == element_bytes_ && dim.to_step == element_bytes_;
              });
  const int64_t bytes = widen_elements(outer_, element_bytes_);
  plane_.row = take_dim(outer_, bytes, [&](const PlaneDim& dim) { return dim.to_step == bytes; });
  const bool is_block = plane_.row.from_step == bytes;
  const bool copies_rows = is_block && plane_.row.to_step == bytes;
  int64_t num_bytes = plane_.row.size * bytes;
  for (const PlaneDim& dim : outer_) num_bytes *= dim.size;
  if (copies_rows && num_bytes >= kCacheBytes) order_by_source(outer_);
  plane_.column = take_dim(
      outer_, bytes, [&](const PlaneDim& dim) { return !is_block && dim.from_step == bytes; });
  for (const PlaneDim& dim : outer_) num_planes_ *= dim.size;
  copy_plane_ = pick_copy_2d(plane_, static_cast<std::size_t>(bytes));
}

void StridedCopy::run(const std::byte* from, std::byte* to, int64_t from_shift, int64_t to_shift,
                      ThreadPool* pool) const {
  if (empty_) return;
  from += (from_offset_ + from_shift) * element_bytes_;
  to += (to_offset_ + to_shift) * element_bytes_;
  const int64_t plane_bytes = plane_.row.size * plane_.column.size * element_bytes_;
  if (num_planes_ > 1) {
    return for_ranges(pool, num_planes_, kGrainBytes / plane_bytes + 1,
                      [&](int64_t begin, int64_t end) { run_planes(from, to, begin, end); });
  }
  const int64_t column_bytes = plane_.row.size * element_bytes_ * kColumnStep;
  const int64_t num_steps = std::max<int64_t>(plane_.column.size / kColumnStep, 1);
  for_ranges(pool, num_steps, kGrainBytes / column_bytes + 1, [&](int64_t begin, int64_t end) {
    run_columns(from, to, begin * kColumnStep,
                end == num_steps ? plane_.column.size : end * kColumnStep);
  });
}

void StridedCopy::run_columns(const std::byte* from, std::byte* to, int64_t begin,
                              int64_t end) const {
  Plane part = plane_;
  part.column.size = end - begin;
  copy_plane_(from + begin * plane_.column.from_step, to + begin * plane_.column.to_step, part);
}

void StridedCopy::run_planes(const std::byte* from, std::byte* to, int64_t begin,
                             int64_t end) const {
  std::vector<int64_t> index(outer_.size(), 0);
  int64_t rest = begin;
  for (std::size_t dim = outer_.size(); dim-- > 0;) {
    index[dim] = rest % outer_[dim].size;
    rest /= outer_[dim].size;
    from += index[dim] * outer_[dim].from_step;
    to += index[dim] * outer_[dim].to_step;
  }
  for (int64_t plane = begin; plane < end; ++plane) {
    copy_plane_(from, to, plane_);
    for (std::size_t dim = outer_.size(); dim-- > 0;) {
      from += outer_[dim].from_step;
      to += outer_[dim].to_step;
      if (++index[dim] < outer_[dim].size) break;
      from -= outer_[dim].from_step * outer_[dim].size;
      to -= outer_[dim].to_step * outer_[dim].size;
      index[dim] = 0;
    }
  }
}

}  // namespace shardy::simulation
