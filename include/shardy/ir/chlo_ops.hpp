// Typed views of ops of CHLO: their attributes, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/view.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <tuple>
#include <vector>

namespace shardy::ir {

/// View of the ops that broadcast their operands.
struct ChloBroadcastOp {
  std::optional<std::span<const int64_t>> dims = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kBroadcastDimensions, &ChloBroadcastOp::dims}};
  }
};

struct RaggedDotOp {
  const RaggedDotDims* dims = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kRaggedDotDimensionNumbers, &RaggedDotOp::dims,
                            "ragged dot dimension numbers"}};
  }
};

/// Kind of the ragged dim of lhs: free (groups are multiplied by slices of rhs of their own),
/// contracting (the result has a dim of one product per group), or batch (groups change nothing).
enum class RaggedMode : uint8_t { Free, Contracting, Batch };

/// Requires: one ragged dim.
RaggedMode ragged_mode(const RaggedDotDims& dims);
/// The dims of lhs for each of whose elements there are group sizes of their own, if there is more
/// than one list of them, in the order of the dims of `group_sizes`. Requires: one ragged dim,
/// lhs_rank <= kMaxRank.
std::vector<int64_t> ragged_prefix(const RaggedDotDims& dims, int64_t lhs_rank);
/// The dims of an operand that are in none of the lists, in order. Requires: rank <= kMaxRank.
std::vector<int64_t> ragged_free_dims(int64_t rank, std::span<const int64_t> batch,
                                      std::span<const int64_t> contracting,
                                      std::span<const int64_t> group = {});

struct TopKOp {
  int64_t k = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kK, &TopKOp::k}}; }
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/contract.hpp>

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
#endif  // SHARDY_BODIES
