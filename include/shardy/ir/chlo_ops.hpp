// Typed views of ops of CHLO: their attributes, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/view.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/chlo_ops_inl.hpp>
#endif
