// Bodies of chlo_ops.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/ir/chlo_ops.hpp>
#include <shardy/support/contract.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy::ir::detail {

SHARDY_INLINE bool has_dim(std::span<const int64_t> dims, int64_t dim) {
  return std::ranges::find(dims, dim) != dims.end();
}

/// Appends the dims in front of `end`.
SHARDY_INLINE void append_until(std::vector<int64_t>& to, std::span<const int64_t> dims,
                                int64_t end) {
  to.insert(to.end(), dims.begin(), std::ranges::find(dims, end));
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE RaggedMode ragged_mode(const RaggedDotDims& dims) {
  SHARDY_EXPECTS(!dims.lhs_ragged.empty());
  const int64_t ragged = dims.lhs_ragged.front();
  if (detail::has_dim(dims.lhs_batch, ragged)) return RaggedMode::Batch;
  return detail::has_dim(dims.lhs_contracting, ragged) ? RaggedMode::Contracting : RaggedMode::Free;
}

SHARDY_INLINE std::vector<int64_t> ragged_free_dims(int64_t rank, std::span<const int64_t> batch,
                                                    std::span<const int64_t> contracting,
                                                    std::span<const int64_t> group) {
  SHARDY_EXPECTS(rank <= static_cast<int64_t>(kMaxRank));
  std::vector<int64_t> free;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const bool is_bound = detail::has_dim(batch, dim) || detail::has_dim(contracting, dim) ||
                          detail::has_dim(group, dim);
    if (!is_bound) free.push_back(dim);
  }
  return free;
}

SHARDY_INLINE std::vector<int64_t> ragged_prefix(const RaggedDotDims& dims, int64_t lhs_rank) {
  SHARDY_EXPECTS(!dims.lhs_ragged.empty());
  const int64_t ragged = dims.lhs_ragged.front();
  std::vector<int64_t> prefix;
  detail::append_until(prefix, dims.lhs_batch, ragged);
  const RaggedMode mode = ragged_mode(dims);
  if (mode == RaggedMode::Contracting) detail::append_until(prefix, dims.lhs_contracting, ragged);
  if (mode == RaggedMode::Free) {
    detail::append_until(prefix, ragged_free_dims(lhs_rank, dims.lhs_batch, dims.lhs_contracting),
                         ragged);
  }
  return prefix;
}

}  // namespace shardy::ir
