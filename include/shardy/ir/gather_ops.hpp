// Typed views of ops with computed indices, and of products: their attributes, read once.
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/gather_ops_inl.hpp>
#endif
