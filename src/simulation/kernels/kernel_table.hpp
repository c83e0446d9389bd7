// The table of all kernels by op kind, kernels of embedders, and kernels of ops that are defined by
// other ops. A reader of the attributes and types of an op whose kernel is created. Comparisons of
// values, and functions that the C++ library does not have. Spec: stablehlo 29, 30, 32, 37.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {

// ---- Table --------------------------------------------------------------------------------------

/// Makes the kernel of an op kind. The specializations are next to the kernels.
template <ir::OpKind kKind>
Result<Kernel> make_kernel_of(const KernelRequest& request);

#define SHARDY_OP(kind, ...) \
  template <>                \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request);
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP

/// Defines that `maker(request)` makes the kernels of that kind.
#define SHARDY_KERNEL(kind, ...)                                                  \
  static_assert(!ir::has_trait(ir::OpKind::kind, ir::kNoKernel));                 \
  template <>                                                                     \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request) { \
    return __VA_ARGS__(request);                                                  \
  }

/// Returns the embedder's kernel of that name; null if none exists.
const ForeignKernel* find_foreign(const ForeignKernels::KernelsByName& kernels,
                                  std::string_view name);

/// Returns a kernel that runs the embedder's kernel and checks that the results have the declared
/// types.
Kernel foreign_kernel(const KernelRequest& request, ForeignKernel kernel, std::string name);

/// A function that appends the definition of an op to a function: maps its operands to its results.
using Composition = std::function<std::vector<ir::ValueId>(
    ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands)>;

/// Returns a kernel that runs the definition as a separate program. Errors: those of the ops in the
/// definition; result types that differ from the declared ones.
Result<Kernel> composed_kernel(const KernelRequest& request, const Composition& compose);

/// Runs one op without regions on one device. Errors: those of make_kernel and of the kernel.
Result<Tensors> run_single_op(ir::OpKind kind, ir::AttributeMap attributes,
                              std::span<const Tensor> operands,
                              const std::vector<ir::Type>& result_types);

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

// ---- Functions. Spec: stablehlo 29, 37 ----------------------------------------------------------

// Accurate to the last bits of a double. In exact runs, functions of floats are replaced by fixed
// pseudo-random functions of the bits, so that equal arguments give equal results.

/// Returns the inverse of erf: infinite at -1 and 1, NaN outside of [-1, 1].
double erf_inv(double x);
/// Returns exp(-|x|) I_1(x), where I_1 is the modified Bessel function.
double bessel_i1e(double x);
/// Returns the derivative of log gamma; NaN at its poles.
double digamma(double x);
/// Returns the Hurwitz zeta function: the sum of (q + k)^-x over k >= 0.
double zeta(double x, double q);
/// Returns the n-th derivative of digamma; NaN if n is not a natural number.
double polygamma(double n, double x);

/// Checks whether the op computes a function of exact elements other than field arithmetic.
bool is_exact_function(const ir::Module& module, ir::OpId op);

/// Returns a kernel that applies the function to each element. Requires: is_exact_function.
Kernel exact_function(const KernelRequest& request);

/// Returns a kernel of a function of matrices, which are the last two dims. Requires: one operand;
/// the result has its type.
Kernel exact_matrix_function(const KernelRequest& request);

// ---- Comparisons of computed with expected values. Spec: stablehlo 32 ---------------------------

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

// -------------------------------------------------------------------------------------------------

// Conversion of whole buffers between element types.

/// A pair of loops over chunks: from the source type to the widest type of its class, then to the
/// target type. So n types need 5 n loops instead of n * n. Common pairs convert directly.
struct Conversion {
  void (*load)(const std::byte* from, std::byte* wide, std::size_t count);
  void (*store)(const std::byte* wide, std::byte* to, std::size_t count);
  std::size_t from_bytes;
  std::size_t to_bytes;

  /// Returns the conversion; std::nullopt if one of the types has no arithmetic.
  static std::optional<Conversion> pick(ir::ElementType from, ir::ElementType to);
  void run(const std::byte* from, std::byte* to, std::size_t count) const;
};

/// Returns an error if no conversion between the types exists.
Status expect_conversion(const OpReader& reader, const ir::Type& from, ir::ElementType to);

/// Returns the tensor itself if it already has the element type. Errors: one of the types has no
/// arithmetic.
Result<Tensor> converted(const Tensor& x, ir::ElementType to);

}  // namespace shardy::simulation
