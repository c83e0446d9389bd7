// Typed views of ops that make tensors or move their elements: their attributes, read once.
#pragma once

#include <cstdint>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/view.hpp>
#include <span>
#include <tuple>

namespace shardy::ir {

struct ConstantOp {
  const Literal* value = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kValue, &ConstantOp::value, "a dense literal"}};
  }
};

struct IotaOp {
  int64_t dim = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kIotaDimension, &IotaOp::dim}}; }
};

struct BroadcastOp {
  std::span<const int64_t> sizes = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kBroadcastSizes, &BroadcastOp::sizes}};
  }
};

/// One dim of the result for each dim of the operand.
struct BroadcastInDimOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kBroadcastDimensions, &BroadcastInDimOp::dims}};
  }
};

struct TransposeOp {
  std::span<const int64_t> permutation = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kPermutation, &TransposeOp::permutation}};
  }
};

struct ReverseOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() { return std::tuple{Field{attr::kDimensions, &ReverseOp::dims}}; }
};

/// View of the ops that get and set a size.
struct DimensionSizeOp {
  int64_t dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDimension, &DimensionSizeOp::dim}};
  }
};

}  // namespace shardy::ir
