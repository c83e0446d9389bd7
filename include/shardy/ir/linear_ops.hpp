// Typed views of linear algebra, transforms, normalization: their attributes, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/view.hpp>
#include <span>
#include <string_view>
#include <tuple>

namespace shardy::ir {

struct CholeskyOp {
  bool lower = false;

  static constexpr auto fields() { return std::tuple{Field{attr::kLower, &CholeskyOp::lower}}; }
};

struct TriangularSolveOp {
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  std::optional<std::string_view> transpose_a = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kLeftSide, &TriangularSolveOp::left_side, "a bool"},
        Field{attr::kLower, &TriangularSolveOp::lower},
        Field{attr::kUnitDiagonal, &TriangularSolveOp::unit_diagonal},
        Field{attr::kTransposeA, &TriangularSolveOp::transpose_a, "stablehlo.transpose"}};
  }
};

struct FftOp {
  std::span<const int64_t> length = {};
  std::string_view type = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kFftLength, &FftOp::length},
                      Field{attr::kFftType, &FftOp::type, "stablehlo.fft_type"}};
  }
};

/// View of the three batch normalization ops.
struct BatchNormOp {
  int64_t feature_index = 0;
  const FloatAttr* epsilon = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kFeatureIndex, &BatchNormOp::feature_index},
                      Field{attr::kEpsilon, &BatchNormOp::epsilon, "a float"}};
  }
};

}  // namespace shardy::ir
