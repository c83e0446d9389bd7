// Reads the attributes and types that a kernel needs from an op, with errors that name the op.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/simulation/kernels/kernel.hpp"
#include "shardy/support/result.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// "stablehlo.pad: <message>", at the location of the op.
inline tl::unexpected<Error> op_fail(const ir::Module& module, ir::OpId op,
                                     std::string_view message) {
  return fail_at(module.source_location(op),
                 std::string(module.name(op)) + ": " + std::string(message));
}

/// An op whose operands and results are all static tensors.
///
/// Makers rely on `ir::verify_types`, which make_kernel and make_collective call
/// before them. They check the support of a run, and the ops whose attributes and types the
/// verifier leaves open, such as einsum, rng and custom calls.
class OpReader {
 public:
  /// Errors: types that are not static tensors.
  static Result<OpReader> make(const KernelRequest& request);

  const ir::Module& module() const { return *module_; }
  ir::OpId op() const { return op_; }
  std::size_t num_operands() const { return module_->num_operands(op_); }
  const ir::Type& operand(std::size_t index = 0) const {
    return module_->type(module_->operand(op_, index));
  }
  const ir::Type& result(std::size_t index = 0) const {
    return module_->type(module_->result(op_, index));
  }

  /// Returns the typed view of a verified op.
  template <typename View>
  View view() const {
    return ir::view<View>(*module_, op_);
  }
  /// Returns the typed view of an op whose attributes the verifier does not check. Errors: those of
  /// the view.
  template <typename View>
  Result<View> read_view() const {
    return at_op(ir::read_view<View>(module_->attributes(op_)));
  }

  tl::unexpected<Error> fail(std::string_view message) const {
    return op_fail(*module_, op_, message);
  }
  /// Returns the same result; an error gets the location of this op.
  template <typename T>
  Result<T> at_op(Result<T> result) const {
    if (result) return result;
    return tl::unexpected<Error>(at_op(std::move(result).error()));
  }
  /// Returns the error with the location of the op; its notes stay.
  Error at_op(Error error) const;
  Status expect(bool holds, std::string_view message) const;
  /// Checks the counts of an op for which the verifier allows any number of operands or results.
  Status expect_counts(std::size_t num_operands, std::size_t num_results) const;
  /// Errors: the declared result type is not this one.
  Status expect_result(std::span<const int64_t> dims, ir::ElementType element,
                       std::size_t index = 0) const;
  tl::unexpected<Error> unsupported_element(ir::ElementType element) const {
    return fail("element type " + std::string(to_string(element)) + " is not supported");
  }

 private:
  OpReader(const ir::Module& module, ir::OpId op) : module_(&module), op_(op) {}

  const ir::Module* module_;
  ir::OpId op_;
};

/// Errors: `dims` has an entry outside [0, rank), or twice the same.
bool are_distinct_dims(std::span<const int64_t> dims, int64_t rank);

/// Returns loop dims that write a whole buffer of these sizes in order; the caller sets the strides
/// of reads.
inline std::vector<CopyDim> dims_written(std::span<const int64_t> sizes) {
  const std::vector<int64_t> strides = row_major_strides(sizes);
  std::vector<CopyDim> dims;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    dims.push_back({sizes[dim], 0, strides[dim]});
  }
  return dims;
}

/// Requires: `copy` writes each element of `result` and reads only elements of the operand.
inline Kernel copy_kernel(const ir::Type& result, StridedCopy copy) {
  return [result, copy = std::move(copy)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    copy.run(call.operands[0].data(), out.data(), 0, 0, call.pool);
    return Tensors{std::move(out).finish()};
  };
}

/// A buffer of that type that holds one value everywhere, converted to its element type. Requires:
/// the conversion exists.
Result<TensorWriter> filled_with(const ir::Type& type, const Tensor& scalar);

/// Concatenates the operands along a dim. Each has rows of contiguous elements, one row per index
/// of the dims before it. Requires: the result has that type.
Result<Tensor> concatenate(std::span<const Tensor> parts, std::size_t dim, const ir::Type& result);
/// Part `index` of `count` equal parts along a dim. Requires: the dim is divisible.
Result<Tensor> block_of(const Tensor& tensor, std::size_t dim, int64_t count, int64_t index);

}  // namespace shardy::simulation
