// Products of row-major matrices over the prime field.
#pragma once

#include <string_view>
#include <vector>

#include "simulation/kernels/matrix_product.hpp"

namespace shardy::simulation {

struct PrimeProductVersion {
  std::string_view name;
  MatrixProduct product;
};

/// Returns the versions that this machine runs, the fastest last. All return bitwise equal results:
/// sums of `prime_field::multiply` by `prime_field::add`, which do not depend on the order.
std::vector<PrimeProductVersion> prime_products();

}  // namespace shardy::simulation
