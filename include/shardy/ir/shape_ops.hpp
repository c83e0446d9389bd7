// Typed views of ops that create tensors, of elementwise ops, of data movement, sorts, reductions
// and calls. Recognition of reduction regions.
#pragma once

#include <array>
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

inline constexpr std::string_view kBroadcastSizes = "broadcast_sizes";
inline constexpr std::string_view kIteration = "iteration";
inline constexpr std::string_view kMaxUlpDifference = "max_ulp_difference";
inline constexpr std::string_view kMinUlpDifference = "min_ulp_difference";
inline constexpr std::string_view kProbeId = "probe_id";
inline constexpr std::string_view kRngDistribution = "rng_distribution";

}  // namespace attr

struct CompareOp {
  std::string_view direction = {};
  std::optional<std::string_view> type = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kComparisonDirection, &CompareOp::direction, "stablehlo.comparison_direction"},
        Field{attr::kCompareType, &CompareOp::type, "stablehlo.comparison_type"}};
  }
};

struct ReducePrecisionOp {
  int64_t exponent_bits = 0;
  int64_t mantissa_bits = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kExponentBits, &ReducePrecisionOp::exponent_bits},
                      Field{attr::kMantissaBits, &ReducePrecisionOp::mantissa_bits}};
  }
};

struct ConstantOp {
  const Literal* value = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kValue, &ConstantOp::value, "a dense literal"}};
  }
};

struct IotaOp {
  int64_t dim = 0;

  static constexpr auto fields() { return std::tuple{Field{attr::kIotaDimension, &IotaOp::dim}}; }
};

struct BroadcastOp {
  std::span<const int64_t> sizes = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kBroadcastSizes, &BroadcastOp::sizes}};
  }
};

/// View of a broadcast_in_dim. `dims[i]` is the result dim of operand dim i.
struct BroadcastInDimOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kBroadcastDimensions, &BroadcastInDimOp::dims}};
  }
};

struct TransposeOp {
  std::span<const int64_t> permutation = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kPermutation, &TransposeOp::permutation}};
  }
};

struct ReverseOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() { return std::tuple{Field{attr::kDimensions, &ReverseOp::dims}}; }
};

/// View of get_dimension_size and set_dimension_size.
struct DimensionSizeOp {
  int64_t dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDimension, &DimensionSizeOp::dim}};
  }
};

/// View of a pad. The spans have one number per operand dim and refer to the attributes of the op.
struct PadOp {
  std::span<const int64_t> low, high, interior;  // padding before, after and between elements

  /// Reads the attributes of a pad. `rank` is the rank of the operand. Errors: those of the
  /// verifier.
  static Result<PadOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<PadOp> of(const Module& module, OpId op);
  /// Returns attributes that read back as this view.
  AttributeMap attributes() const;
};

/// View of a slice. The spans refer to the attributes of the op.
struct SliceOp {
  std::span<const int64_t> starts, limits, strides;  // one number per operand dim

  static Result<SliceOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<SliceOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

/// View of a dynamic_slice. The span refers to the attributes of the op.
struct DynamicSliceOp {
  std::span<const int64_t> sizes;  // slice sizes, one per operand dim

  static Result<DynamicSliceOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<DynamicSliceOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

struct ConcatenateOp {
  int64_t dim = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDimension, &ConcatenateOp::dim}};
  }
};

struct ReduceOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() { return std::tuple{Field{attr::kDimensions, &ReduceOp::dims}}; }
};

struct SortOp {
  std::optional<int64_t> dim = {};
  bool is_stable = false;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDimension, &SortOp::dim},
                      Field{attr::kIsStable, &SortOp::is_stable}};
  }
};

struct MapOp {
  std::span<const int64_t> dims = {};

  static constexpr auto fields() { return std::tuple{Field{attr::kDimensions, &MapOp::dims}}; }
};

/// Attribute of an rng op in a per-device program. Its value names the rng op of the unsharded
/// program that draws equal random numbers. A call has the attribute, too: its value precedes the
/// names of the callee. Spec: partitioning
/// 8.20.
inline constexpr std::string_view kDrawAttr = "spmd.draw";

struct RngOp {
  std::string_view distribution = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kRngDistribution, &RngOp::distribution, "stablehlo.rng_distribution"}};
  }
};

struct RngBitGeneratorOp {
  std::string_view algorithm = {};

  static constexpr auto fields() {
    return std::tuple{
        Field{attr::kRngAlgorithm, &RngBitGeneratorOp::algorithm, "stablehlo.rng_algorithm"}};
  }
};

struct GetTupleElementOp {
  int64_t index = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kIndex, &GetTupleElementOp::index}};
  }
};

struct CallOp {
  const SymbolAttr* callee = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kCallee, &CallOp::callee, "a symbol"}};
  }
};

struct ExpectCloseOp {
  std::optional<int64_t> min_ulp = {};
  std::optional<int64_t> max_ulp = {};

  static constexpr auto fields() {
    return std::tuple{Field{attr::kMinUlpDifference, &ExpectCloseOp::min_ulp},
                      Field{attr::kMaxUlpDifference, &ExpectCloseOp::max_ulp}};
  }
};

struct ProbeOp {
  const std::string* probe = nullptr;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kProbeId, &ProbeOp::probe, "a string"}};
  }
};

struct ExpectSerializedOp {
  const std::string* probe = nullptr;
  std::optional<int64_t> iteration = {};  // 0 without the attribute

  static constexpr auto fields() {
    return std::tuple{Field{attr::kProbeId, &ExpectSerializedOp::probe, "a string"},
                      Field{attr::kIteration, &ExpectSerializedOp::iteration}};
  }
};

}  // namespace shardy::ir

// Recognition of regions that compute a common reduction.

namespace shardy::ir {

/// Op kinds that recognized reduction regions contain. Spec: partitioning 5.8.
inline constexpr std::array kReducers = {OpKind::Add,     OpKind::Multiply, OpKind::Maximum,
                                         OpKind::Minimum, OpKind::And,      OpKind::Or,
                                         OpKind::Xor};

namespace detail {

/// Checks whether the operands of `op` are `lhs` and `rhs` in either order, and its kind is in
/// kReducers.
bool combines(const Module& module, OpId op, ValueId lhs, ValueId rhs);

}  // namespace detail

/// Returns the combiner of each reduced operand, for the only region of `op`. The region must
/// compute result i by one op of kReducers from arguments i and i + num_operands. Returns
/// std::nullopt for any other region. Spec: partitioning 5.8.
std::optional<std::vector<OpKind>> recognized_reducers(const Module& module, OpId op,
                                                       std::size_t num_operands);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/op_attributes.hpp>

namespace shardy::ir::detail {

inline constexpr std::string_view kPadLow = attr::kEdgePaddingLow;
inline constexpr std::string_view kPadHigh = attr::kEdgePaddingHigh;
inline constexpr std::string_view kPadInterior = attr::kInteriorPadding;
inline constexpr std::string_view kSliceStarts = attr::kStartIndices;
inline constexpr std::string_view kSliceLimits = attr::kLimitIndices;
inline constexpr std::string_view kSliceStrides = attr::kStrides;
inline constexpr std::string_view kDynamicSizes = attr::kSliceSizes;

SHARDY_INLINE std::size_t rank_of_operand(const Module& module, OpId op) {
  return module.type(module.operand(op, 0)).dims().size();
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE Result<PadOp> PadOp::of(const AttributeMap& attributes, std::size_t rank) {
  PadOp op;
  SHARDY_TRY(op.low, required_array(attributes, detail::kPadLow, rank));
  SHARDY_TRY(op.high, required_array(attributes, detail::kPadHigh, rank));
  SHARDY_TRY(op.interior, required_array(attributes, detail::kPadInterior, rank));
  return op;
}

SHARDY_INLINE Result<PadOp> PadOp::of(const Module& module, OpId op) {
  return of(module.attributes(op), detail::rank_of_operand(module, op));
}

SHARDY_INLINE AttributeMap PadOp::attributes() const {
  AttributeMap attributes;
  attributes.set(detail::kPadHigh, array_attribute(high));
  attributes.set(detail::kPadLow, array_attribute(low));
  attributes.set(detail::kPadInterior, array_attribute(interior));
  return attributes;
}

SHARDY_INLINE Result<SliceOp> SliceOp::of(const AttributeMap& attributes, std::size_t rank) {
  SliceOp op;
  SHARDY_TRY(op.starts, required_array(attributes, detail::kSliceStarts, rank));
  SHARDY_TRY(op.limits, required_array(attributes, detail::kSliceLimits, rank));
  SHARDY_TRY(op.strides, required_array(attributes, detail::kSliceStrides, rank));
  return op;
}

SHARDY_INLINE Result<SliceOp> SliceOp::of(const Module& module, OpId op) {
  return of(module.attributes(op), detail::rank_of_operand(module, op));
}

SHARDY_INLINE AttributeMap SliceOp::attributes() const {
  AttributeMap attributes;
  attributes.set(detail::kSliceLimits, array_attribute(limits));
  attributes.set(detail::kSliceStarts, array_attribute(starts));
  attributes.set(detail::kSliceStrides, array_attribute(strides));
  return attributes;
}

SHARDY_INLINE Result<DynamicSliceOp> DynamicSliceOp::of(const AttributeMap& attributes,
                                                        std::size_t rank) {
  DynamicSliceOp op;
  SHARDY_TRY(op.sizes, required_array(attributes, detail::kDynamicSizes, rank));
  return op;
}

SHARDY_INLINE Result<DynamicSliceOp> DynamicSliceOp::of(const Module& module, OpId op) {
  return of(module.attributes(op), detail::rank_of_operand(module, op));
}

SHARDY_INLINE AttributeMap DynamicSliceOp::attributes() const {
  AttributeMap attributes;
  attributes.set(detail::kDynamicSizes, array_attribute(sizes));
  return attributes;
}

}  // namespace shardy::ir

namespace shardy::ir::detail {

SHARDY_INLINE bool combines(const Module& module, OpId op, ValueId lhs, ValueId rhs) {
  if (std::ranges::find(kReducers, module.kind(op)) == kReducers.end()) return false;
  if (module.num_operands(op) != 2) return false;
  const ValueId first = module.operand(op, 0);
  const ValueId second = module.operand(op, 1);
  return (first == lhs && second == rhs) || (first == rhs && second == lhs);
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::optional<std::vector<OpKind>> recognized_reducers(const Module& module, OpId op,
                                                                     std::size_t num_operands) {
  if (module.regions(op).size() != 1 || module.blocks(module.regions(op)[0]).size() != 1) {
    return std::nullopt;
  }
  const BlockId body = module.block(op);
  const OpId terminator = module.last_op(body);
  if (!terminator.valid() || module.num_operands(terminator) != num_operands ||
      module.args(body).size() != 2 * num_operands) {
    return std::nullopt;
  }
  std::vector<OpKind> kinds;
  for (std::size_t index = 0; index < num_operands; ++index) {
    const OpId combine = module.defining_op(module.operand(terminator, index));
    if (!combine.valid() || !detail::combines(module, combine, module.args(body)[index],
                                              module.args(body)[num_operands + index])) {
      return std::nullopt;
    }
    kinds.push_back(module.kind(combine));
  }
  return kinds;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
