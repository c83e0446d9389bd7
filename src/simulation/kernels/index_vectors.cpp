#include "simulation/kernels/index_vectors.hpp"

#include <algorithm>
#include <limits>

#include "shardy/support/math.hpp"
#include "simulation/element.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

bool contains(std::span<const int64_t> list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

/// Each index with its own signedness; what does not fit int64 is as good as its maximum.
std::vector<int64_t> read_indices(const Tensor& indices) {
  std::vector<int64_t> values;
  values.reserve(static_cast<std::size_t>(indices.num_elements()));
  with_element(indices.type().element(), [&]<class T>(Tag<T>) {
    if constexpr (Integer<T>) {
      for (const T index : indices.elements<T>()) {
        const Wide<T> value = widen(index);
        constexpr auto kMost = std::numeric_limits<int64_t>::max();
        const bool fits = std::is_signed_v<Wide<T>> || static_cast<uint64_t>(value) <= kMost;
        values.push_back(fits ? static_cast<int64_t>(value) : kMost);
      }
    }
  });
  return values;
}

}  // namespace

int64_t dot(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t sum = 0;
  for (std::size_t dim = 0; dim < index.size(); ++dim) sum += index[dim] * strides[dim];
  return sum;
}

IndexVectors::IndexVectors(const ir::GatherDims& dims, const ir::Type& x, const ir::Type& indices)
    : IndexVectors({dims.collapsed_slice_dims, dims.operand_batching_dims,
                    dims.start_indices_batching_dims, dims.start_index_map, dims.index_vector_dim},
                   x, indices) {}

IndexVectors::IndexVectors(const ir::ScatterDims& dims, const ir::Type& x, const ir::Type& indices)
    : IndexVectors(
          {dims.inserted_window_dims, dims.input_batching_dims, dims.scatter_indices_batching_dims,
           dims.scatter_dims_to_operand_dims, dims.index_vector_dim},
          x, indices) {}

IndexVectors::IndexVectors(const Dims& dims, const ir::Type& x, const ir::Type& indices)
    : sizes_(x.dims().begin(), x.dims().end()) {
  const std::vector<int64_t> strides = row_major_strides(indices.dims());
  const auto vector_dim = static_cast<std::size_t>(dims.vector_dim);
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    if (dim == vector_dim) {
      vector_stride_ = strides[dim];
    } else {
      batch_sizes_.push_back(indices.dim(dim));
      batch_strides_.push_back(strides[dim]);
    }
  }
  for (const int64_t dim : dims.map) map_.push_back(static_cast<std::size_t>(dim));
  for (std::size_t pair = 0; pair < dims.batching.size(); ++pair) {
    const auto position = static_cast<std::size_t>(dims.indices_batching[pair]);
    batching_.push_back({static_cast<std::size_t>(dims.batching[pair]),
                         position > vector_dim ? position - 1 : position});
  }
  for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
    if (!contains(dims.dropped, dim) && !contains(dims.batching, dim)) window_dims_.push_back(dim);
  }
}

std::vector<int64_t> IndexVectors::starts(const Tensor& indices) const {
  const std::vector<int64_t> values = read_indices(indices);
  const int64_t num_vectors = product(batch_sizes_);
  const std::size_t rank = sizes_.size();
  std::vector<int64_t> starts(static_cast<std::size_t>(num_vectors) * rank, 0);
  if (num_vectors == 0) return starts;
  IndexWalk walk(batch_sizes_);
  auto start = starts.begin();
  do {
    const int64_t first = dot(walk.index(), batch_strides_);
    for (std::size_t component = 0; component < map_.size(); ++component) {
      const auto at =
          static_cast<std::size_t>(first) + component * static_cast<std::size_t>(vector_stride_);
      const int64_t size = sizes_[map_[component]];
      start[static_cast<std::ptrdiff_t>(map_[component])] = std::clamp(values[at], -size - 1, size);
    }
    for (const Batching& batching : batching_) {
      start[static_cast<std::ptrdiff_t>(batching.dim)] = walk.index()[batching.position];
    }
    start += static_cast<std::ptrdiff_t>(rank);
  } while (walk.next());
  return starts;
}

}  // namespace shardy::simulation
