// Operands of products, converted to the element type of the sums and transposed to the order of
// the loops. Spec: stablehlo 22, 23.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/matrix_product.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// Returns the element type in which products with this result type are summed. Small floats are
/// summed in f32, and each step is rounded.
ir::ElementType sum_element(ir::ElementType result);
/// Returns the matrix product of the op's element type. Error: elements without arithmetic.
Result<MatrixProduct> read_product(const OpReader& reader);

/// Returns the sizes of the given dims of a tensor.
std::vector<int64_t> sizes_of(const ir::Type& type, std::span<const int64_t> dims);

/// A converter of operands: to the result's element type, then to the element type of the sums,
/// then to the dim order of the loops.
class OperandForm {
 public:
  /// `order` lists the dims of the operand, major to minor. Dims in `reversed` are read backwards.
  OperandForm(const ir::Type& operand, std::span<const int64_t> order, ir::ElementType result,
              std::span<const int64_t> reversed = {});

  /// Returns the sizes of the dims in the order of the loops.
  const std::vector<int64_t>& sizes() const { return sizes_; }
  Result<Tensor> of(const Tensor& operand) const;

 private:
  ir::ElementType result_;
  std::vector<int64_t> sizes_;
  bool in_order_;
  StridedCopy copy_;
};

}  // namespace shardy::simulation
