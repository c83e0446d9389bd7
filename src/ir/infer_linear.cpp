// Type rules of convolutions, normalizations, decompositions and Fourier transforms. Spec:
// stablehlo 22, 23, 26, 30.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

namespace {

constexpr std::size_t kAnyRank = SIZE_MAX;

Status expect_rank(const OpFacts& op, std::size_t index, std::size_t least, std::size_t most) {
  SHARDY_TRY_STATUS(expect_tensor(op, index));
  const std::size_t rank = op.operand_type(index).dims().size();
  if (rank >= least && rank <= most) return {};
  std::string wanted = std::to_string(least);
  if (most == kAnyRank) {
    wanted += " or more";
  } else if (least < most) {
    wanted += " to " + std::to_string(most);
  }
  return fail(operand_name(index) + " must have rank " + wanted + ", got " +
              to_string(op.operand_type(index)));
}

bool fits(int64_t a, int64_t b) { return a == b || a == kDynamicDim || b == kDynamicDim; }

}  // namespace

Result<Types> infer_dot(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_rank(op, 0, 1, 2));
  SHARDY_TRY_STATUS(expect_rank(op, 1, 1, 2));
  const auto lhs = op.operand_type(0).dims();
  const auto rhs = op.operand_type(1).dims();
  if (!fits(lhs.back(), rhs.front())) {
    return fail("the last dim of operand 0 and the first of operand 1 must have one size, got " +
                to_string(op.operand_type(0)) + " and " + to_string(op.operand_type(1)));
  }
  Dims dims(lhs.begin(), lhs.end() - 1);
  dims.insert(dims.end(), rhs.begin() + 1, rhs.end());
  const bool is_written = op.result_types.size() == 1 && op.result_types.front().is_tensor();
  return one_tensor(std::move(dims),
                    is_written ? op.result_types.front().element() : op.operand_type(0).element());
}

/// The last two dims hold square matrices.
Result<Types> infer_cholesky(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kF | kC));
  SHARDY_TRY_STATUS(expect_rank(op, 0, 2, kAnyRank));
  const auto dims = op.operand_type(0).dims();
  if (!fits(dims[dims.size() - 1], dims[dims.size() - 2])) {
    return fail("minor dimensions of 'a' must have equal size, got shape " + list_text(dims));
  }
  return Types{op.operand_type(0)};
}

Result<Types> infer_triangular_solve(const OpFacts& op) {
  SHARDY_TRY_STATUS(infer_cholesky(op));
  SHARDY_TRY_STATUS(expect_element_of(op, 1, 0));
  const auto a = op.operand_type(0).dims();
  const auto b = op.operand_type(1).dims();
  if (a.size() != b.size()) {
    return fail("operands must have equal rank, got " + to_string(op.operand_type(0)) + " and " +
                to_string(op.operand_type(1)));
  }
  SHARDY_TRY(const auto view, read_view<TriangularSolveOp>(op.attributes));
  const std::size_t shared = view.left_side ? b.size() - 2 : b.size() - 1;
  if (!fits(a.back(), b[shared]) ||
      !compatible_dims(a.first(a.size() - 2), b.first(b.size() - 2))) {
    return fail("operand 1 does not fit the matrices of operand 0, got " +
                to_string(op.operand_type(0)) + " and " + to_string(op.operand_type(1)));
  }
  return Types{op.operand_type(1)};
}

namespace {

ElementType with_complex(ElementType element, bool complex) {
  if (is_exact(element)) return complex ? ElementType::ExactComplex : ElementType::Exact;
  const bool wide = element == ElementType::F64 || element == ElementType::Complex128;
  if (complex) return wide ? ElementType::Complex128 : ElementType::Complex64;
  return wide ? ElementType::F64 : ElementType::F32;
}

}  // namespace

/// Transforms the last `length` dims. The transform of real signals keeps about half of the
/// frequencies of the last dim.
Result<Types> infer_fft(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<FftOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_enumerator(op, attr::kFftType));
  const std::span<const int64_t> length = view.length;
  const bool is_forward_real = view.type == "RFFT";
  const bool is_inverse_real = view.type == "IRFFT";
  SHARDY_TRY_STATUS(expect_class(op, 0, is_forward_real ? kF : kC));
  SHARDY_TRY_STATUS(expect_rank(op, 0, length.size(), kAnyRank));
  if (length.empty() || length.size() > 3) {
    return fail("rank must be between 1 and 3, but got " + std::to_string(length.size()));
  }
  if (std::ranges::any_of(length, [](int64_t each) { return each < 0; })) {
    return fail("fft_length must not be negative, got " + list_text(length));
  }
  const Type& operand = op.operand_type(0);
  Dims dims(operand.dims().begin(), operand.dims().end());
  const std::size_t first = dims.size() - length.size();
  for (std::size_t index = 0; index < length.size(); ++index) {
    const bool is_last = index + 1 == length.size();
    const int64_t half = length[index] == 0 ? 0 : length[index] / 2 + 1;
    const int64_t wanted = is_last && is_inverse_real ? half : length[index];
    if (!fits(dims[first + index], wanted)) {
      return fail("innermost dimensions of operand 0 must fit fft_length " + list_text(length) +
                  ", got " + to_string(operand));
    }
    if (is_last && is_forward_real) dims[first + index] = half;
    if (is_last && is_inverse_real) dims[first + index] = length[index];
  }
  return one_tensor(std::move(dims), with_complex(operand.element(), !is_inverse_real));
}

// ---- Normalizations ----------------------------------------------------------------------------

namespace {

/// Returns the type of operands 1 and up, which have one element per feature.
Result<Type> feature_type(const OpFacts& op, std::size_t num_features) {
  SHARDY_TRY_STATUS(expect_class(op, 0, kF));
  SHARDY_TRY(const auto view, read_view<BatchNormOp>(op.attributes));
  const Type& operand = op.operand_type(0);
  SHARDY_TRY_STATUS(expect_dim(attr::kFeatureIndex, view.feature_index, operand.dims().size()));
  const int64_t size = operand.dim(static_cast<std::size_t>(view.feature_index));
  for (std::size_t index = 1; index <= num_features; ++index) {
    SHARDY_TRY_STATUS(expect_rank(op, index, 1, 1));
    SHARDY_TRY_STATUS(expect_element_of(op, index, 0));
    if (fits(op.operand_type(index).dim(0), size)) continue;
    return fail(operand_name(index) + " must have one element for each of the " +
                std::to_string(size) + " features, got " + to_string(op.operand_type(index)));
  }
  return Type::make_tensor({size}, op.operand_type(1).element());
}

}  // namespace

Result<Types> infer_batch_norm(const OpFacts& op) {
  const std::size_t num_features = op.kind == OpKind::BatchNormTraining ? 2
                                   : op.kind == OpKind::BatchNormGrad   ? 3
                                                                        : 4;
  SHARDY_TRY(const Type features, feature_type(op, num_features));
  if (op.kind == OpKind::BatchNormInference) return Types{op.operand_type(0)};
  if (op.kind == OpKind::BatchNormGrad) {
    SHARDY_TRY_STATUS(expect_type_of(op, 4, 0));
  }
  return Types{op.operand_type(0), features, features};
}

// ---- Convolutions ------------------------------------------------------------------------------

namespace {

Status expect_places(std::string_view what, std::span<const int64_t> spatial, int64_t first,
                     int64_t second, std::size_t rank) {
  Dims all(spatial.begin(), spatial.end());
  all.push_back(first);
  all.push_back(second);
  if (all.size() != rank) {
    return fail(std::string(what) + " dimension numbers must name all " + counted(rank, "dim"));
  }
  return expect_unique_dims(std::string(what) + " dimension numbers", all, rank);
}

int64_t divided(int64_t size, int64_t by) { return size == kDynamicDim ? size : size / by; }

int64_t at(std::span<const int64_t> shape, int64_t dim) {
  return shape[static_cast<std::size_t>(dim)];
}

Status expect_multiple(std::string_view what, int64_t size, std::string_view name, int64_t of) {
  if (size == kDynamicDim || size % of == 0) return {};
  return fail(std::string(what) + " must be a multiple of " + std::string(name) + " " +
              std::to_string(of) + ", got " + std::to_string(size));
}

/// Spec: stablehlo 23.
Status expect_groups(const OpFacts& op, const ConvolutionOp& view) {
  const ConvolutionDims& dims = view.dims;
  const int64_t features = view.feature_groups;
  const int64_t batches = view.batch_groups;
  if (features < 1 || batches < 1 || (features > 1 && batches > 1)) {
    return fail("feature_group_count and batch_group_count must be positive, and one of them 1");
  }
  const auto lhs = op.operand_type(0).dims();
  const auto rhs = op.operand_type(1).dims();
  const int64_t input = at(lhs, dims.input_feature);
  const int64_t output = at(rhs, dims.kernel_output_feature);
  SHARDY_TRY_STATUS(expect_multiple("input features", input, attr::kFeatureGroupCount, features));
  SHARDY_TRY_STATUS(expect_multiple("output features", output, attr::kFeatureGroupCount, features));
  SHARDY_TRY_STATUS(expect_multiple("output features", output, attr::kBatchGroupCount, batches));
  SHARDY_TRY_STATUS(
      expect_multiple("input batches", at(lhs, dims.input_batch), attr::kBatchGroupCount, batches));
  if (fits(divided(input, features), at(rhs, dims.kernel_input_feature))) return {};
  return fail("kernel input features must be input features / feature_group_count, got " +
              to_string(op.operand_type(0)) + " and " + to_string(op.operand_type(1)));
}

}  // namespace

Result<Types> infer_convolution(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_tensor(op, 1));
  const auto lhs = op.operand_type(0).dims();
  const auto rhs = op.operand_type(1).dims();
  SHARDY_TRY(const ConvolutionOp view, ConvolutionOp::of(op.attributes, rhs));
  const ConvolutionDims* const dims = &view.dims;
  SHARDY_TRY_STATUS(expect_places("input", dims->input_spatial, dims->input_batch,
                                  dims->input_feature, lhs.size()));
  SHARDY_TRY_STATUS(expect_places("kernel", dims->kernel_spatial, dims->kernel_input_feature,
                                  dims->kernel_output_feature, rhs.size()));
  SHARDY_TRY_STATUS(expect_places("output", dims->output_spatial, dims->output_batch,
                                  dims->output_feature, lhs.size()));
  if (rhs.size() != lhs.size()) return fail("operands must have equal rank");
  SHARDY_TRY_STATUS(expect_groups(op, view));
  Dims result(lhs.size(), 0);
  result[static_cast<std::size_t>(dims->output_batch)] =
      divided(at(lhs, dims->input_batch), view.batch_groups);
  result[static_cast<std::size_t>(dims->output_feature)] = at(rhs, dims->kernel_output_feature);
  for (std::size_t dim = 0; dim < view.window.size(); ++dim) {
    result[static_cast<std::size_t>(dims->output_spatial[dim])] =
        window_count(at(lhs, dims->input_spatial[dim]), view.window[dim]);
  }
  const bool is_written = op.result_types.size() == 1 && op.result_types.front().is_tensor();
  return one_tensor(std::move(result),
                    is_written ? op.result_types.front().element() : op.operand_type(0).element());
}

}  // namespace shardy::ir
