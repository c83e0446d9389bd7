// Operand positions of the index vectors of gather and scatter. Spec: stablehlo 25.2, 25.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/simulation/tensor.hpp"

namespace shardy::simulation {

/// Row-major walk through an index space. Requires: no dim of size 0.
class IndexWalk {
 public:
  explicit IndexWalk(std::vector<int64_t> sizes)
      : sizes_(std::move(sizes)), index_(sizes_.size()) {}

  std::span<const int64_t> index() const { return index_; }
  /// Skips the first `count` indices. Requires: at least one more exists.
  void skip(int64_t count) {
    for (std::size_t dim = sizes_.size(); dim-- > 0;) {
      index_[dim] = count % sizes_[dim];
      count /= sizes_[dim];
    }
  }
  /// Returns false after the last index.
  bool next() {
    for (std::size_t dim = sizes_.size(); dim-- > 0;) {
      if (++index_[dim] < sizes_[dim]) return true;
      index_[dim] = 0;
    }
    return false;
  }

 private:
  std::vector<int64_t> sizes_;
  std::vector<int64_t> index_;
};

/// sum of index * strides.
int64_t dot(std::span<const int64_t> index, std::span<const int64_t> strides);

/// A list of index vectors, with the start of each in the indexed tensor.
class IndexVectors {
 public:
  IndexVectors(const ir::GatherDims& dims, const ir::Type& x, const ir::Type& indices);
  IndexVectors(const ir::ScatterDims& dims, const ir::Type& x, const ir::Type& indices);

  /// Sizes of the dims of the indices that count vectors.
  const std::vector<int64_t>& batch_sizes() const { return batch_sizes_; }
  /// Dims of the tensor over which windows extend, in order; the others are 1 wide.
  const std::vector<std::size_t>& window_dims() const { return window_dims_; }

  /// Returns one start per dim of the tensor for each vector, in row-major order; 0 for dims
  /// without an index. Starts outside of the tensor stay outside, within [-n - 1, n] of a dim of
  /// size n.
  std::vector<int64_t> starts(const Tensor& indices) const;

 private:
  struct Dims {
    std::span<const int64_t> dropped, batching, indices_batching, map;
    int64_t vector_dim;
  };
  IndexVectors(const Dims& dims, const ir::Type& x, const ir::Type& indices);

  std::vector<int64_t> sizes_;  // of the tensor
  std::vector<int64_t> batch_sizes_;
  std::vector<int64_t> batch_strides_;  // in the indices
  int64_t vector_stride_ = 1;           // from one component to the next
  std::vector<std::size_t> map_;        // component to dim of the tensor
  struct Batching {
    std::size_t dim;       // of the tensor
    std::size_t position;  // among the batch dims
  };
  std::vector<Batching> batching_;
  std::vector<std::size_t> window_dims_;
};

}  // namespace shardy::simulation
