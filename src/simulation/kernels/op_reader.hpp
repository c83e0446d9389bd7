// Reads the attributes and types that a kernel needs. Errors name the op.
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
#include "shardy/simulation/run.hpp"
#include "shardy/support/result.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

/// Returns the error "stablehlo.pad: <message>" at the location of the op.
inline tl::unexpected<Error> op_fail(const ir::Module& module, ir::OpId op,
                                     std::string_view message) {
  return fail_at(module.source_location(op),
                 std::string(module.name(op)) + ": " + std::string(message));
}

/// An op whose operands and results are all static tensors.
///
/// make_kernel and make_collective call `ir::verify_types` before the makers of kernels. The makers
/// check whether runs support the op. They check attributes and types only for ops for which the
/// verifier does not, such as einsum, rng and custom calls.
class OpReader {
 public:
  /// Error: a type that is not a static tensor.
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
  /// Returns the given result. An error gets the location of this op.
  template <typename T>
  Result<T> at_op(Result<T> result) const {
    if (result) return result;
    return tl::unexpected<Error>(at_op(std::move(result).error()));
  }
  /// Returns the error with the location of the op. Its notes do not change.
  Error at_op(Error error) const;
  Status expect(bool holds, std::string_view message) const;
  /// Checks the numbers of operands and results. Needed for ops for which the verifier allows any
  /// number.
  Status expect_counts(std::size_t num_operands, std::size_t num_results) const;
  /// Returns an error if the declared result type is not this one.
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

/// Checks whether the dims are distinct and in [0, rank).
bool are_distinct_dims(std::span<const int64_t> dims, int64_t rank);

/// Returns loop dims that write a whole buffer with these sizes in order. The caller sets the read
/// strides.
inline std::vector<CopyDim> dims_written(std::span<const int64_t> sizes) {
  const std::vector<int64_t> strides = row_major_strides(sizes);
  std::vector<CopyDim> dims;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    dims.push_back({sizes[dim], 0, strides[dim]});
  }
  return dims;
}

/// Returns a kernel that copies the operand. Requires: `copy` writes each element of `result` and
/// reads only elements of the operand.
inline Kernel copy_kernel(const ir::Type& result, StridedCopy copy) {
  return [result, copy = std::move(copy)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    copy.run(call.operands[0].data(), out.data(), 0, 0, call.pool);
    return Tensors{std::move(out).finish()};
  };
}

/// Returns a buffer of the type in which each element is the scalar, converted to the element type.
/// Requires: the conversion exists.
Result<TensorWriter> filled_with(const ir::Type& type, const Tensor& scalar);

/// Concatenates the operands along a dim. Each operand has one row of contiguous elements per index
/// of the dims before that dim. Requires: the result has the type `type`.
Result<Tensor> concatenate(std::span<const Tensor> parts, std::size_t dim, const ir::Type& result);
/// Splits a dim into `count` equal ranges, and returns range number `index`. Requires: `count`
/// divides the dim.
Result<Tensor> block_of(const Tensor& tensor, std::size_t dim, int64_t count, int64_t index);

}  // namespace shardy::simulation
