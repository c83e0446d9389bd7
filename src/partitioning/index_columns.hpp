// Index vectors of gather and scatter, split into components. Spec: partitioning 8.16, 8.17.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "partitioning/emitter.hpp"
#include "shardy/ir/literal.hpp"

namespace shardy::partitioning {

/// Returns the batch dims of the indices in order: all but `vector_dim`.
std::vector<std::size_t> batch_dims(std::size_t rank, int64_t vector_dim);

/// Returns the indices as one i64 tensor per component, in the shape of the batch dims.
std::vector<ir::ValueId> index_columns(Emitter& emit, ir::ValueId indices, int64_t vector_dim);

/// Joins components to index vectors along a new last dim. Requires: at least one component.
ir::ValueId join_columns(Emitter& emit, std::span<const ir::ValueId> columns);

/// Returns the dims of the indices after `join_columns`. Requires: none is the vector dim.
std::vector<int64_t> without_vector_dim(std::span<const int64_t> dims, int64_t vector_dim);

/// Returns the dims of an input that windows extend over: neither dropped nor batching.
std::vector<std::size_t> windowed_dims(std::size_t rank, std::span<const int64_t> dropped,
                                       std::span<const int64_t> batching);

/// Returns the literal of a constant value of the input program; null otherwise.
const ir::Literal* constant_of(const ir::Module& input, ir::ValueId value);

}  // namespace shardy::partitioning
