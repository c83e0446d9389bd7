// Typed views of elementwise ops: their attributes, read once.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/view.hpp>
#include <string_view>
#include <tuple>

namespace shardy::ir {

struct CompareOp {
  std::string_view direction = {};
  std::optional<std::string_view> type = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kComparisonDirection, &CompareOp::direction, "stablehlo.comparison_direction"},
        Field{attr::kCompareType, &CompareOp::type, "stablehlo.comparison_type"}};
  }
};

struct ReducePrecisionOp {
  int64_t exponent_bits = 0;
  int64_t mantissa_bits = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kExponentBits, &ReducePrecisionOp::exponent_bits},
                      Field{attr::kMantissaBits, &ReducePrecisionOp::mantissa_bits}};
  }
};

}  // namespace shardy::ir
