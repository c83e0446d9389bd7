// Operands of products: converted to the type of the sum, with dims in the order of the loops.
// Spec: stablehlo 22, 23.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "simulation/kernels/matrix_product.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// Element type of the sums for products of this result type: f32 for the small floats, each step
/// rounded.
ir::ElementType sum_element(ir::ElementType result);
/// The product of two operands. Errors: elements without arithmetic.
Result<MatrixProduct> read_product(const OpReader& reader);

/// Sizes of the given dims of a tensor.
std::vector<int64_t> sizes_of(const ir::Type& type, std::span<const int64_t> dims);

/// Converts an operand to the result's element type, then to that of the sums, and permutes it.
class OperandForm {
 public:
  /// `order` are the dims of the operand, major to minor; those in `reversed` are read backwards.
  OperandForm(const ir::Type& operand, std::span<const int64_t> order, ir::ElementType result,
              std::span<const int64_t> reversed = {});

  /// Sizes in the order of the loops.
  const std::vector<int64_t>& sizes() const { return sizes_; }
  Result<Tensor> of(const Tensor& operand) const;

 private:
  ir::ElementType result_;
  std::vector<int64_t> sizes_;
  bool in_order_;
  StridedCopy copy_;
};

}  // namespace shardy::simulation
