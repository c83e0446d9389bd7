// Typed views of ops of CHLO: their attributes, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/view.hpp>
#include <span>
#include <tuple>

namespace shardy::ir {

/// Of the ops that broadcast their operands.
struct ChloBroadcastOp {
  std::optional<std::span<const int64_t>> dims = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kBroadcastDimensions, &ChloBroadcastOp::dims}};
  }
};

struct TopKOp {
  int64_t k = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kK, &TopKOp::k}}; }
};

}  // namespace shardy::ir
