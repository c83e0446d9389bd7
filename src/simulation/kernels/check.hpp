// Comparison of computed values with expected ones. Spec: stablehlo 32.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

struct Comparison {
  enum class Rule : uint8_t { Equal, Almost, Close };
  Rule rule = Rule::Equal;
  bool strict_nan = false;  // Equal: NaN differs from NaN
  double tolerance = 0;     // Almost
  uint64_t min_ulp = 0;     // Close
  uint64_t max_ulp = 0;
};

/// Returns the reason why the comparison fails; empty if it succeeds. Requires: tensors of one
/// type.
std::string explain_difference(const Comparison& comparison, const Tensor& actual,
                               const Tensor& expected);

/// Units in the last place between two elements. Requires: a float type, its bytes.
uint64_t ulp_distance(std::span<const std::byte> a, std::span<const std::byte> b,
                      ir::ElementType type);

/// The kernel of a custom call `@check.*`; null for other targets.
KernelMaker custom_check_maker(std::string_view target);

}  // namespace shardy::simulation
