// Products of row-major matrices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shardy/ir/type.hpp"

namespace shardy::simulation {

struct ProductShape {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;  // size of the contracted dim
};

/// out[rows, columns] = x[rows, depth] * y[depth, columns], all of one element type.
using MatrixProduct = void (*)(const std::byte* x, const std::byte* y, std::byte* out,
                               const ProductShape& shape);

/// Sums start at +0 and add one rounded product after the other, in the order of the contracted
/// index. So an element does not depend on how many others are computed with it: splitting rows,
/// columns or batches over devices changes no bit. Null for f16, bf16 (their sums are f32) and
/// types without arithmetic. Spec: stablehlo 22.
MatrixProduct pick_matrix_product(ir::ElementType type);

}  // namespace shardy::simulation
