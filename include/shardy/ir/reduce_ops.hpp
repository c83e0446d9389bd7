// Typed views of reductions of whole dims: their attributes, read once.
#pragma once

#include <cstdint>
#include <shardy/ir/view.hpp>
#include <span>
#include <tuple>

namespace shardy::ir {

struct ReduceOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() { return std::tuple{Field{attr::kDimensions, &ReduceOp::dims}}; }
};

}  // namespace shardy::ir
