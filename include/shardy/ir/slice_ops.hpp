// Typed views of slices and paddings: their attributes, read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/view.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <tuple>

namespace shardy::ir {

/// Views hold on to the attributes that they are read from. One number for each dim of the operand.
struct PadOp {
  std::span<const int64_t> low, high, interior;  // before, after, between elements

  /// Errors: those of the verifier. `rank` is that of the operand.
  static Result<PadOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<PadOp> of(const Module& module, OpId op);
  /// Returns the attributes of the op that has this view.
  AttributeMap attributes() const;
};

/// The attributes of a slice. Holds on to those that it is read from.
struct SliceOp {
  std::span<const int64_t> starts, limits, strides;  // of each dim of the operand

  static Result<SliceOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<SliceOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

/// The attributes of a dynamic_slice. Holds on to those that it is read from.
struct DynamicSliceOp {
  std::span<const int64_t> sizes;  // of each dim of the operand

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

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/slice_ops_inl.hpp>
#endif
