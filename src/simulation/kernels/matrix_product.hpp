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

/// Computes out[rows, columns] = x[rows, depth] * y[depth, columns]. All have one element type.
using MatrixProduct = void (*)(const std::byte* x, const std::byte* y, std::byte* out,
                               const ProductShape& shape);

/// Returns the product of the element type. A sum starts at +0 and adds the rounded products in the
/// order of the contracted index. An element does not depend on the number of elements that are
/// computed with it, so splitting rows, columns or batches over devices changes no bit. Null for
/// f16 and bf16, whose sums are f32, and for types without arithmetic. Spec: stablehlo 22.
MatrixProduct pick_matrix_product(ir::ElementType type);

}  // namespace shardy::simulation
