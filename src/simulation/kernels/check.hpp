// Comparison of computed with expected values. Spec: stablehlo 32.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardy/simulation/run.hpp"

namespace shardy::simulation {

struct Comparison {
  enum class Rule : uint8_t { Equal, Almost, Close };
  Rule rule = Rule::Equal;
  bool strict_nan = false;  // for Equal: NaN differs from NaN
  double tolerance = 0;     // for Almost
  uint64_t min_ulp = 0;     // for Close
  uint64_t max_ulp = 0;
};

/// Returns the reason why the comparison fails; empty if it succeeds. Requires: tensors of equal
/// type.
std::string explain_difference(const Comparison& comparison, const Tensor& actual,
                               const Tensor& expected);

/// Returns the distance of two elements in units in the last place. Requires: bytes of elements of
/// a float type.
uint64_t ulp_distance(std::span<const std::byte> a, std::span<const std::byte> b,
                      ir::ElementType type);

/// Returns the kernel of a custom call to `@check.*`; null for other targets.
KernelMaker custom_check_maker(std::string_view target);

}  // namespace shardy::simulation
