// Typed views of ops that only a per-device program has: their attributes, read once.
#pragma once

#include <cstdint>
#include <shardy/ir/view.hpp>
#include <tuple>

namespace shardy::ir {

/// Whom a collective meets: the devices that differ along the axes alone.
struct SpmdGroupOp {
  const AxesAttr* axes = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kAxes, &SpmdGroupOp::axes, "resolved axes"}};
  }
};

/// View of the ops that gather or scatter along a dim.
struct SpmdDimOp {
  int64_t dim = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kDim, &SpmdDimOp::dim}}; }
};

struct SpmdAllToAllOp {
  int64_t split_dim = 0;
  int64_t concat_dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kSplitDim, &SpmdAllToAllOp::split_dim},
                      Field{attr::kConcatDim, &SpmdAllToAllOp::concat_dim}};
  }
};

struct SpmdPermuteOp {
  const PermuteMap* map = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kMap, &SpmdPermuteOp::map, "a permute map"}};
  }
};

struct SpmdBroadcastFromOp {
  int64_t root = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kRoot, &SpmdBroadcastFromOp::root}};
  }
};

}  // namespace shardy::ir
