// The start positions that the index vectors of gather and scatter select in an operand. Spec:
// stablehlo 25.2, 25.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/simulation/tensor.hpp"

namespace shardy::simulation {

/// A row-major walk through an index space. Requires: no dim has size 0.
class IndexWalk {
 public:
  explicit IndexWalk(std::vector<int64_t> sizes)
      : sizes_(std::move(sizes)), index_(sizes_.size()) {}

  std::span<const int64_t> index() const { return index_; }
  /// Skips the first `count` indices. Requires: at least one index is left.
  void skip(int64_t count) {
    for (std::size_t dim = sizes_.size(); dim-- > 0;) {
      index_[dim] = count % sizes_[dim];
      count /= sizes_[dim];
    }
  }
  /// Moves to the next index. Returns false after the last one.
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

/// Returns the sum of index[i] * strides[i].
int64_t dot(std::span<const int64_t> index, std::span<const int64_t> strides);

/// The index vectors of an op, and the start that each selects in the indexed tensor.
class IndexVectors {
 public:
  IndexVectors(const ir::GatherDims& dims, const ir::Type& x, const ir::Type& indices);
  IndexVectors(const ir::ScatterDims& dims, const ir::Type& x, const ir::Type& indices);

  /// Returns the sizes of the batch dims of the indices.
  const std::vector<int64_t>& batch_sizes() const { return batch_sizes_; }
  /// Returns the dims of the tensor along which windows extend, in order. Windows have size 1 along
  /// other dims.
  const std::vector<std::size_t>& window_dims() const { return window_dims_; }

  /// Returns one start per dim of the tensor for each vector, in row-major order. A dim without
  /// index component has start 0. A start that is out of bounds stays so, limited to [-n - 1, n]
  /// for a dim of size n.
  std::vector<int64_t> starts(const Tensor& indices) const;

 private:
  struct VectorDims {
    std::span<const int64_t> dropped, batching, indices_batching, map;
    int64_t vector_dim;
  };
  IndexVectors(const VectorDims& dims, const ir::Type& x, const ir::Type& indices);

  std::vector<int64_t> sizes_;  // sizes of the tensor
  std::vector<int64_t> batch_sizes_;
  std::vector<int64_t> batch_strides_;  // strides of the batch dims in the indices
  int64_t vector_stride_ = 1;           // distance from one component to the next
  std::vector<std::size_t> map_;        // maps a component to its dim of the tensor
  struct BatchDim {
    std::size_t dim;       // dim of the tensor
    std::size_t position;  // index among the batch dims
  };
  std::vector<BatchDim> batching_;
  std::vector<std::size_t> window_dims_;
};

}  // namespace shardy::simulation
