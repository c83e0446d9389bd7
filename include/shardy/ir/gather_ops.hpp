// Typed views of ops with computed indices, and of products: their attributes, read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/view.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <tuple>

namespace shardy::ir {

/// Views hold on to the attributes that they are read from.
struct GatherOp {
  const GatherDims& dims;                // which dims are what
  std::span<const int64_t> slice_sizes;  // of each dim of the input
  bool indices_are_sorted = false;       // a promise of the program

  /// Errors: those of the verifier. `rank` is that of the operand.
  static Result<GatherOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<GatherOp> of(const Module& module, OpId op);
  /// Returns the attributes of the op that has this view.
  AttributeMap attributes() const;
};

/// The attributes of a scatter. Holds on to those that it is read from.
struct ScatterOp {
  const ScatterDims& dims;          // which dims are what
  bool indices_are_sorted = false;  // a promise of the program
  bool unique_indices = false;      // a promise of the program

  static Result<ScatterOp> of(const AttributeMap& attributes);
  static Result<ScatterOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

/// The attributes of a dot_general. Holds on to those that it is read from.
struct DotGeneralOp {
  const DotDims& dims;  // which dims are what

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

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/detail/op_attributes.hpp>
#include <string_view>

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
#endif  // SHARDY_BODIES
