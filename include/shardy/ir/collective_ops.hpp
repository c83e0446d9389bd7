// Typed views of the collectives of StableHLO: their attributes, read once.
#pragma once

#include <cstdint>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/view.hpp>
#include <tuple>

namespace shardy::ir {

struct AllGatherOp {
  int64_t dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kAllGatherDim, &AllGatherOp::dim}};
  }
};

struct ReduceScatterOp {
  int64_t dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kScatterDimension, &ReduceScatterOp::dim}};
  }
};

struct AllToAllOp {
  int64_t split_dim = 0;
  int64_t concat_dim = 0;
  int64_t split_count = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kSplitDimension, &AllToAllOp::split_dim},
                      Field{attr::kConcatDimension, &AllToAllOp::concat_dim},
                      Field{attr::kSplitCount, &AllToAllOp::split_count}};
  }
};

struct CollectivePermuteOp {
  const Literal* pairs = nullptr;

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kSourceTargetPairs, &CollectivePermuteOp::pairs, "a dense literal"}};
  }
};

}  // namespace shardy::ir
