// Typed views of ops with structured attributes: windows, contractions, gather and scatter,
// solvers, and CHLO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/view.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace shardy::ir {

// Names of attributes that only the views below use.
namespace attr {

inline constexpr std::string_view kLower = "lower";
inline constexpr std::string_view kUnitDiagonal = "unit_diagonal";

}  // namespace attr

/// Returns the number of window positions in a dim of size `size`; kDynamicDim if `size` is
/// unknown. Requires: stride >= 1.
int64_t window_count(int64_t size, const WindowDim& dim);

/// View of a reduce_window.
struct ReduceWindowOp {
  std::vector<WindowDim> window;  // one entry per dim

  /// Reads the attributes. `rank` is the rank of the inputs. Errors: those of the verifier.
  static Result<ReduceWindowOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<ReduceWindowOp> of(const Module& module, OpId op);
  /// Returns attributes that read back as this view.
  AttributeMap attributes() const;
};

/// View of a select_and_scatter.
struct SelectAndScatterOp {
  std::vector<WindowDim> window;  // one entry per dim, without dilation

  static Result<SelectAndScatterOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<SelectAndScatterOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

/// View of a convolution. `dims` refers to the attributes of the op.
struct ConvolutionOp {
  const ConvolutionDims& dims;         // roles of the dims
  std::vector<WindowDim> window = {};  // one entry per spatial dim
  int64_t feature_groups = 1;          // feature_group_count
  int64_t batch_groups = 1;            // batch_group_count

  /// Reads the attributes. `kernel` is the shape of the kernel, with its feature dims. The sizes of
  /// its spatial dims are the window sizes; they are unknown if `dims` does not fit the kernel.
  /// Errors: those of the verifier that do not need types.
  static Result<ConvolutionOp> of(const AttributeMap& attributes, std::span<const int64_t> kernel);
  static Result<ConvolutionOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

/// View of an einsum of one or two operands.
struct EinsumOp {
  const std::string* equation = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kEinsumConfig, &EinsumOp::equation, "a string"}};
  }
};

/// View of a gather. References are to the attributes of the op.
struct GatherOp {
  const GatherDims& dims;                // roles of the dims
  std::span<const int64_t> slice_sizes;  // one size per operand dim
  bool indices_are_sorted = false;       // true if the program promises sorted indices

  /// Reads the attributes. `rank` is the rank of the operand. Errors: those of the verifier.
  static Result<GatherOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<GatherOp> of(const Module& module, OpId op);
  /// Returns attributes that read back as this view.
  AttributeMap attributes() const;
};

/// View of a scatter. `dims` refers to the attributes of the op.
struct ScatterOp {
  const ScatterDims& dims;          // roles of the dims
  bool indices_are_sorted = false;  // true if the program promises sorted indices
  bool unique_indices = false;      // true if the program promises distinct indices

  static Result<ScatterOp> of(const AttributeMap& attributes);
  static Result<ScatterOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

/// View of a dot_general. `dims` refers to the attributes of the op.
struct DotGeneralOp {
  const DotDims& dims;  // roles of the dims

  static Result<DotGeneralOp> of(const AttributeMap& attributes);
  static Result<DotGeneralOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

struct TorchIndexSelectOp {
  int64_t dim = 0;
  int64_t batch_dims = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDim, &TorchIndexSelectOp::dim},
                      Field{attr::kBatchDims, &TorchIndexSelectOp::batch_dims}};
  }
};

struct CholeskyOp {
  bool lower = false;

  static constexpr auto fields() { return std::tuple{Field{attr::kLower, &CholeskyOp::lower}}; }
};

struct TriangularSolveOp {
  bool left_side = false;
  bool lower = false;
  bool unit_diagonal = false;
  std::optional<std::string_view> transpose_a = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kLeftSide, &TriangularSolveOp::left_side, "a bool"},
        Field{attr::kLower, &TriangularSolveOp::lower},
        Field{attr::kUnitDiagonal, &TriangularSolveOp::unit_diagonal},
        Field{attr::kTransposeA, &TriangularSolveOp::transpose_a, "stablehlo.transpose"}};
  }
};

struct FftOp {
  std::span<const int64_t> length = {};
  std::string_view type = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kFftLength, &FftOp::length},
                      Field{attr::kFftType, &FftOp::type, "stablehlo.fft_type"}};
  }
};

/// View of the three batch normalization ops.
struct BatchNormOp {
  int64_t feature_index = 0;
  const FloatAttr* epsilon = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kFeatureIndex, &BatchNormOp::feature_index},
                      Field{attr::kEpsilon, &BatchNormOp::epsilon, "a float"}};
  }
};

/// View of the CHLO ops that broadcast their operands.
struct ChloBroadcastOp {
  std::optional<std::span<const int64_t>> dims = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kBroadcastDimensions, &ChloBroadcastOp::dims}};
  }
};

struct RaggedDotOp {
  const RaggedDotDims* dims = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kRaggedDotDimensionNumbers, &RaggedDotOp::dims,
                            "ragged dot dimension numbers"}};
  }
};

/// Kind of the ragged dim of lhs. Free: each group is multiplied by its own slice of rhs.
/// Contracting: the result has a dim with one product per group. Batch: groups do not affect the
/// result.
enum class RaggedMode : uint8_t { Free, Contracting, Batch };

/// Returns the kind of the ragged dim. Requires: one ragged dim.
RaggedMode ragged_mode(const RaggedDotDims& dims);
/// Returns the dims of lhs that are dims of `group_sizes`, in the order of `group_sizes`. Each
/// index of these dims has its own list of group sizes. Empty if one list applies to all. Requires:
/// one ragged dim, lhs_rank <= kMaxRank.
std::vector<int64_t> ragged_prefix(const RaggedDotDims& dims, int64_t lhs_rank);
/// Returns the dims of an operand that are in none of the lists, in order. Requires: rank <=
/// kMaxRank.
std::vector<int64_t> ragged_free_dims(int64_t rank, std::span<const int64_t> batch,
                                      std::span<const int64_t> contracting,
                                      std::span<const int64_t> group = {});

struct TopKOp {
  int64_t k = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kK, &TopKOp::k}}; }
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/op_attributes.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/math.hpp>
#include <utility>

namespace shardy::ir::detail {

inline constexpr std::string_view kWindowSizes = attr::kWindowDimensions;
inline constexpr std::string_view kWindowStrides = attr::kWindowStrides;
inline constexpr std::string_view kWindowPadding = attr::kPadding;

/// Names of the dilation attributes of an op; empty for attributes that the op does not have.
struct DilationNames {
  std::string_view base, window;
};
inline constexpr DilationNames kReduceDilations = {attr::kBaseDilations, attr::kWindowDilations};
inline constexpr DilationNames kConvolutionDilations = {attr::kLhsDilation, attr::kRhsDilation};
inline constexpr DilationNames kNoDilations = {};

/// Returns the size of a dim of `count` elements after dilation: (count - 1) * dilation + 1, or 0
/// if `count` is 0; std::nullopt on overflow.
SHARDY_INLINE std::optional<int64_t> dilated(int64_t count, int64_t dilation) {
  if (count == 0) return 0;
  const std::optional<int64_t> last = checked_add(count, -1);
  const std::optional<int64_t> gaps = last ? checked_mul(*last, dilation) : std::nullopt;
  return gaps ? checked_add(*gaps, 1) : std::nullopt;
}

SHARDY_INLINE Status read_padding(const AttributeMap& attributes, std::vector<WindowDim>& window) {
  const auto* padding = attributes.get<Literal>(kWindowPadding);
  if (padding == nullptr) return {};
  const int64_t wanted[] = {static_cast<int64_t>(window.size()), 2};
  const Type& type = padding->type();
  if (!std::ranges::equal(type.dims(), wanted) || type.element() != ElementType::I64) {
    return fail(std::string(kWindowPadding) + " must be a tensor<" + std::to_string(wanted[0]) +
                "x2xi64>, got " + to_string(type));
  }
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    window[dim].low = padding->at<int64_t>(static_cast<int64_t>(2 * dim));
    window[dim].high = padding->at<int64_t>(static_cast<int64_t>(2 * dim + 1));
  }
  return {};
}

/// Reads one list into a member of the window dims. An empty name leaves the defaults.
SHARDY_INLINE Status read_list(const AttributeMap& attributes, std::string_view name,
                               int64_t WindowDim::*member, std::vector<WindowDim>& window) {
  if (name.empty()) return {};
  SHARDY_TRY(const std::vector<int64_t> values, positive_array(attributes, name, window.size()));
  for (std::size_t dim = 0; dim < window.size(); ++dim) window[dim].*member = values[dim];
  return {};
}

/// Reads all window attributes except the sizes.
SHARDY_INLINE Result<std::vector<WindowDim>> read_window(const AttributeMap& attributes,
                                                         std::size_t count,
                                                         const DilationNames& dilations) {
  std::vector<WindowDim> window(count);
  SHARDY_TRY_STATUS(read_list(attributes, kWindowStrides, &WindowDim::stride, window));
  SHARDY_TRY_STATUS(read_list(attributes, dilations.base, &WindowDim::base_dilation, window));
  SHARDY_TRY_STATUS(read_list(attributes, dilations.window, &WindowDim::window_dilation, window));
  SHARDY_TRY_STATUS(read_padding(attributes, window));
  return window;
}

SHARDY_INLINE void write_list(AttributeMap& attributes, std::string_view name,
                              int64_t WindowDim::*member, const std::vector<WindowDim>& window) {
  if (name.empty()) return;
  std::vector<int64_t> values;
  values.reserve(window.size());
  for (const WindowDim& dim : window) values.push_back(dim.*member);
  attributes.set(name, array_attribute(values));
}

SHARDY_INLINE AttributeMap window_attributes(const std::vector<WindowDim>& window,
                                             const DilationNames& dilations) {
  AttributeMap attributes;
  write_list(attributes, kWindowStrides, &WindowDim::stride, window);
  write_list(attributes, dilations.base, &WindowDim::base_dilation, window);
  write_list(attributes, dilations.window, &WindowDim::window_dilation, window);
  std::vector<int64_t> edges;
  for (const WindowDim& dim : window) edges.insert(edges.end(), {dim.low, dim.high});
  const auto bytes = std::as_bytes(std::span(edges));
  const auto rows = static_cast<int64_t>(window.size());
  Result<Literal> padding =
      Literal::make(Type::tensor({rows, 2}, ElementType::I64), {bytes.begin(), bytes.end()});
  SHARDY_EXPECTS(padding.has_value());
  attributes.set(kWindowPadding, *std::move(padding));
  return attributes;
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

/// The result is also unknown if a size does not fit 64 bits, because no tensor has such a dim.
SHARDY_INLINE int64_t window_count(int64_t size, const WindowDim& dim) {
  SHARDY_EXPECTS(dim.stride >= 1);
  if (size == kDynamicDim || dim.size == kDynamicDim) return kDynamicDim;
  const std::optional<int64_t> inner = detail::dilated(size, dim.base_dilation);
  const std::optional<int64_t> window = detail::dilated(dim.size, dim.window_dilation);
  const std::optional<int64_t> edges = checked_add(dim.low, dim.high);
  const std::optional<int64_t> padded = inner && edges ? checked_add(*inner, *edges) : std::nullopt;
  if (!padded || !window || *window < 0) return kDynamicDim;
  return *padded <= 0 || *window > *padded ? 0 : (*padded - *window) / dim.stride + 1;
}

SHARDY_INLINE Result<ReduceWindowOp> ReduceWindowOp::of(const AttributeMap& attributes,
                                                        std::size_t rank) {
  if (rank > kMaxRank) return fail(too_many_dims());
  SHARDY_TRY_STATUS(required_array(attributes, detail::kWindowSizes));
  SHARDY_TRY(auto window, detail::read_window(attributes, rank, detail::kReduceDilations));
  SHARDY_TRY_STATUS(detail::read_list(attributes, detail::kWindowSizes, &WindowDim::size, window));
  return ReduceWindowOp{std::move(window)};
}

SHARDY_INLINE Result<ReduceWindowOp> ReduceWindowOp::of(const Module& module, OpId op) {
  return of(module.attributes(op), module.type(module.operand(op, 0)).dims().size());
}

SHARDY_INLINE AttributeMap ReduceWindowOp::attributes() const {
  AttributeMap attributes = detail::window_attributes(window, detail::kReduceDilations);
  detail::write_list(attributes, detail::kWindowSizes, &WindowDim::size, window);
  return attributes;
}

SHARDY_INLINE Result<SelectAndScatterOp> SelectAndScatterOp::of(const AttributeMap& attributes,
                                                                std::size_t rank) {
  if (rank > kMaxRank) return fail(too_many_dims());
  SHARDY_TRY(auto window, detail::read_window(attributes, rank, detail::kNoDilations));
  SHARDY_TRY_STATUS(detail::read_list(attributes, detail::kWindowSizes, &WindowDim::size, window));
  return SelectAndScatterOp{std::move(window)};
}

SHARDY_INLINE Result<SelectAndScatterOp> SelectAndScatterOp::of(const Module& module, OpId op) {
  return of(module.attributes(op), module.type(module.operand(op, 0)).dims().size());
}

SHARDY_INLINE AttributeMap SelectAndScatterOp::attributes() const {
  AttributeMap attributes = detail::window_attributes(window, detail::kNoDilations);
  detail::write_list(attributes, detail::kWindowSizes, &WindowDim::size, window);
  return attributes;
}

namespace detail {

inline constexpr std::string_view kConvolutionDims = attr::kDimensionNumbers;
inline constexpr std::string_view kFeatureGroups = attr::kFeatureGroupCount;
inline constexpr std::string_view kBatchGroups = attr::kBatchGroupCount;
inline constexpr std::string_view kWindowReversal = attr::kWindowReversal;

SHARDY_INLINE Status read_reversal(const AttributeMap& attributes, std::vector<WindowDim>& window) {
  const auto* reversal = attributes.get<DenseArrayAttr>(kWindowReversal);
  if (reversal == nullptr) return {};
  if (reversal->values.size() != window.size()) {
    return fail(std::string(kWindowReversal) + " must hold " + std::to_string(window.size()) +
                " booleans, got " + std::to_string(reversal->values.size()));
  }
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    window[dim].reversed = reversal->values[dim] != 0;
  }
  return {};
}

}  // namespace detail

SHARDY_INLINE Result<ConvolutionOp> ConvolutionOp::of(const AttributeMap& attributes,
                                                      std::span<const int64_t> kernel) {
  SHARDY_TRY(const auto* dims, required_attribute<ConvolutionDims>(
                                   attributes, detail::kConvolutionDims, "convolution dimensions"));
  ConvolutionOp op{.dims = *dims};
  SHARDY_TRY(op.feature_groups, required_integer(attributes, detail::kFeatureGroups));
  SHARDY_TRY(op.batch_groups, required_integer(attributes, detail::kBatchGroups));
  SHARDY_TRY(op.window, detail::read_window(attributes, dims->input_spatial.size(),
                                            detail::kConvolutionDilations));
  SHARDY_TRY_STATUS(detail::read_reversal(attributes, op.window));
  for (std::size_t index = 0; index < op.window.size(); ++index) {
    const bool has_dim = index < dims->kernel_spatial.size();
    const int64_t dim = has_dim ? dims->kernel_spatial[index] : -1;
    const bool is_known = dim >= 0 && dim < static_cast<int64_t>(kernel.size());
    op.window[index].size = is_known ? kernel[static_cast<std::size_t>(dim)] : kDynamicDim;
  }
  return op;
}

SHARDY_INLINE Result<ConvolutionOp> ConvolutionOp::of(const Module& module, OpId op) {
  return of(module.attributes(op), module.type(module.operand(op, 1)).dims());
}

SHARDY_INLINE AttributeMap ConvolutionOp::attributes() const {
  AttributeMap attributes = detail::window_attributes(window, detail::kConvolutionDilations);
  DenseArrayAttr reversal{ElementType::I1, {}};
  for (const WindowDim& dim : window) reversal.values.push_back(dim.reversed ? 1 : 0);
  attributes.set(detail::kWindowReversal, std::move(reversal));
  attributes.set(detail::kConvolutionDims, dims);
  attributes.set(detail::kFeatureGroups, IntegerAttr{feature_groups, ElementType::I64});
  attributes.set(detail::kBatchGroups, IntegerAttr{batch_groups, ElementType::I64});
  return attributes;
}

}  // namespace shardy::ir

namespace shardy::ir::detail {

inline constexpr std::string_view kGatherDims = attr::kDimensionNumbers;
inline constexpr std::string_view kSliceSizes = attr::kSliceSizes;
inline constexpr std::string_view kScatterDims = attr::kScatterDimensionNumbers;
inline constexpr std::string_view kIndicesAreSorted = attr::kIndicesAreSorted;
inline constexpr std::string_view kUniqueIndices = attr::kUniqueIndices;
inline constexpr std::string_view kDotDims = attr::kDotDimensionNumbers;

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE Result<GatherOp> GatherOp::of(const AttributeMap& attributes, std::size_t rank) {
  SHARDY_TRY(const auto* dims,
             required_attribute<GatherDims>(attributes, detail::kGatherDims, "gather dimensions"));
  SHARDY_TRY(const std::span<const int64_t> sizes,
             required_array(attributes, detail::kSliceSizes, rank));
  return GatherOp{*dims, sizes, is_true(attributes, detail::kIndicesAreSorted)};
}

SHARDY_INLINE Result<GatherOp> GatherOp::of(const Module& module, OpId op) {
  return of(module.attributes(op), module.type(module.operand(op, 0)).dims().size());
}

SHARDY_INLINE AttributeMap GatherOp::attributes() const {
  AttributeMap attributes;
  attributes.set(detail::kGatherDims, dims);
  attributes.set(detail::kIndicesAreSorted, indices_are_sorted);
  attributes.set(detail::kSliceSizes, array_attribute(slice_sizes));
  return attributes;
}

SHARDY_INLINE Result<ScatterOp> ScatterOp::of(const AttributeMap& attributes) {
  SHARDY_TRY(const auto* dims, required_attribute<ScatterDims>(attributes, detail::kScatterDims,
                                                               "scatter dimensions"));
  return ScatterOp{*dims, is_true(attributes, detail::kIndicesAreSorted),
                   is_true(attributes, detail::kUniqueIndices)};
}

SHARDY_INLINE Result<ScatterOp> ScatterOp::of(const Module& module, OpId op) {
  return of(module.attributes(op));
}

SHARDY_INLINE AttributeMap ScatterOp::attributes() const {
  AttributeMap attributes;
  attributes.set(detail::kIndicesAreSorted, indices_are_sorted);
  attributes.set(detail::kScatterDims, dims);
  attributes.set(detail::kUniqueIndices, unique_indices);
  return attributes;
}

SHARDY_INLINE Result<DotGeneralOp> DotGeneralOp::of(const AttributeMap& attributes) {
  SHARDY_TRY(const auto* dims,
             required_attribute<DotDims>(attributes, detail::kDotDims, "dot dimensions"));
  return DotGeneralOp{*dims};
}

SHARDY_INLINE Result<DotGeneralOp> DotGeneralOp::of(const Module& module, OpId op) {
  return of(module.attributes(op));
}

SHARDY_INLINE AttributeMap DotGeneralOp::attributes() const {
  AttributeMap attributes;
  attributes.set(detail::kDotDims, dims);
  return attributes;
}

}  // namespace shardy::ir

namespace shardy::ir::detail {

SHARDY_INLINE bool has_dim(std::span<const int64_t> dims, int64_t dim) {
  return std::ranges::find(dims, dim) != dims.end();
}

/// Appends the dims before `end`.
SHARDY_INLINE void append_until(std::vector<int64_t>& to, std::span<const int64_t> dims,
                                int64_t end) {
  to.insert(to.end(), dims.begin(), std::ranges::find(dims, end));
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE RaggedMode ragged_mode(const RaggedDotDims& dims) {
  SHARDY_EXPECTS(!dims.lhs_ragged.empty());
  const int64_t ragged = dims.lhs_ragged.front();
  if (detail::has_dim(dims.lhs_batch, ragged)) return RaggedMode::Batch;
  return detail::has_dim(dims.lhs_contracting, ragged) ? RaggedMode::Contracting : RaggedMode::Free;
}

SHARDY_INLINE std::vector<int64_t> ragged_free_dims(int64_t rank, std::span<const int64_t> batch,
                                                    std::span<const int64_t> contracting,
                                                    std::span<const int64_t> group) {
  SHARDY_EXPECTS(rank <= static_cast<int64_t>(kMaxRank));
  std::vector<int64_t> free;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const bool is_bound = detail::has_dim(batch, dim) || detail::has_dim(contracting, dim) ||
                          detail::has_dim(group, dim);
    if (!is_bound) free.push_back(dim);
  }
  return free;
}

SHARDY_INLINE std::vector<int64_t> ragged_prefix(const RaggedDotDims& dims, int64_t lhs_rank) {
  SHARDY_EXPECTS(!dims.lhs_ragged.empty());
  const int64_t ragged = dims.lhs_ragged.front();
  std::vector<int64_t> prefix;
  detail::append_until(prefix, dims.lhs_batch, ragged);
  const RaggedMode mode = ragged_mode(dims);
  if (mode == RaggedMode::Contracting) detail::append_until(prefix, dims.lhs_contracting, ragged);
  if (mode == RaggedMode::Free) {
    detail::append_until(prefix, ragged_free_dims(lhs_rank, dims.lhs_batch, dims.lhs_contracting),
                         ragged);
  }
  return prefix;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
