// Rules of reduce_window and select_and_scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <vector>

namespace shardy::rules {

/// One dim of a window. Dilation does not matter to rules.
struct WindowDim {
  int64_t size = 1, stride = 1;  // elements of a window, step between windows
  int64_t low = 0, high = 0;     // padding before and after

  /// Every window is one element, at the place of the window's number.
  bool passes() const { return size == 1 && stride == 1 && low == 0 && high == 0; }
};

/// As many initial values as inputs and results. Sizes of the result; dims along which windows are
/// more than single elements are permutation factors, in a conservative rule blocked ones.
///
/// Example: 32x6 -> 16x6, window 2x1, stride 2x1:
/// `([i, j], [])->([i, j]) {i=16, j=6} permutation={i}`. Spec: rules 8.19.
Result<OpShardingRule> reduce_window_rule(Shape result, const std::vector<WindowDim>& window,
                                          std::size_t num_inputs = 1, bool conservative = false);

/// Operands: the tensor, the source, the initial value.
///
/// Example: 16x8, source 8x8, window 2x1, stride 2x1:
/// `([j, k], [i, k], [])->([j, k]) {i=8, j=16, k=8} need_replication={i} permutation={j}`.
/// Spec: rules 8.23.
Result<OpShardingRule> select_and_scatter_rule(Shape result, Shape source,
                                               const std::vector<WindowDim>& window,
                                               bool conservative = false);

/// Returns the lowering rule: windows are sharded like the dims that they move along.
///
/// Example: the same: `([i, j], [i, j], [])->([i, j]) {i=16, j=8} permutation={i}`.
/// Spec: partitioning 1.2 (I4).
Result<OpShardingRule> select_and_scatter_lowering_rule(Shape result,
                                                        const std::vector<WindowDim>& window);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/window_inl.hpp>
#endif
