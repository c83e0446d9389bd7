// One element of a tensor as text.
#pragma once

#include <cstdint>
#include <string>

#include "shardy/simulation/tensor.hpp"

namespace shardy::simulation {

/// Element `index` in row-major order, as values are printed: `-1`, `true`, `1.000000e-01`,
/// `[1.000000e+00, 0.000000e+00]`. Spec: stablehlo 13.3, 32.
std::string printed_element(const Tensor& tensor, int64_t index);

}  // namespace shardy::simulation
