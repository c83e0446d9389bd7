// Typed views of ops that move windows over a tensor: their attributes, read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy::ir {

/// One dim of a tensor that windows move over. Spec: stablehlo 24.2.
struct WindowDim {
  int64_t size = 1;             // positions in a window
  int64_t stride = 1;           // from one window to the next
  int64_t base_dilation = 1;    // from one element of the tensor to the next
  int64_t window_dilation = 1;  // from one position of a window to the next
  int64_t low = 0;              // padding, may be negative
  int64_t high = 0;             // padding at the end, may be negative
  bool reversed = false;        // whether the kernel is read backwards

  /// Every window is one element, at the place of the window's number.
  bool passes() const {
    return size == 1 && stride == 1 && base_dilation == 1 && low == 0 && high == 0;
  }
  bool operator==(const WindowDim&) const = default;
};

/// How many windows fit in a dim of that size; unknown sizes give an unknown count.
/// Requires: stride >= 1.
int64_t window_count(int64_t size, const WindowDim& dim);

/// The windows of a reduce_window.
struct ReduceWindowOp {
  std::vector<WindowDim> window;  // one for each dim

  /// Errors: those of the verifier. `rank` is that of the inputs.
  static Result<ReduceWindowOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<ReduceWindowOp> of(const Module& module, OpId op);
  /// Returns the attributes of the op that has this view.
  AttributeMap attributes() const;
};

/// The windows of a select_and_scatter.
struct SelectAndScatterOp {
  std::vector<WindowDim> window;  // one for each dim, without dilation

  static Result<SelectAndScatterOp> of(const AttributeMap& attributes, std::size_t rank);
  static Result<SelectAndScatterOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

/// Holds on to the attributes that it is read from.
struct ConvolutionOp {
  const ConvolutionDims& dims;         // which dims are what
  std::vector<WindowDim> window = {};  // one for each spatial dim
  int64_t feature_groups = 1;          // feature_group_count
  int64_t batch_groups = 1;            // batch_group_count

  /// Errors: those of the verifier as far as they do not need types. `kernel` has the sizes of the
  /// windows; they are unknown where the dims do not fit it.
  static Result<ConvolutionOp> of(const AttributeMap& attributes, std::span<const int64_t> kernel);
  static Result<ConvolutionOp> of(const Module& module, OpId op);
  AttributeMap attributes() const;
};

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/window_ops_inl.hpp>
#endif
