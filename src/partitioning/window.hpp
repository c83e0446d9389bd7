// Sharded dims with windows: a halo exchange before the op and a slice after it. Convolution,
// reduce_window, select_and_scatter and pad share these helpers. Spec: partitioning 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "partitioning/lowering.hpp"
#include "partitioning/window_plan.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::partitioning {

inline bool is_sharded(const AxisList& axes) { return sharding_size(axes) > 1; }

/// A windowed dim of the operand, which is called the base. The dim is sharded along `axes`.
struct ShardedWindow {
  std::size_t dim = 0;
  AxisList axes;
  WindowPlan plan;
  bool reads_outside = true;  // results depend on values outside the dim

  /// Returns the sharded window if base and windows have equal shardings. Requires: at least one
  /// window.
  static ShardedWindow of_windows(std::size_t dim, AxisList axes, const Window& window);
  /// Returns the sharded window if base and taps (kernel elements) have equal shardings. Requires:
  /// at least one window and one tap.
  static ShardedWindow of_taps(std::size_t dim, AxisList axes, const Window& window);
};

/// The padding and base dilation of the local op.
struct LocalPadding {
  int64_t low = 0;
  int64_t high = 0;
  int64_t base_dilation = 1;
};
LocalPadding local_padding(const ShardedWindow& window);

/// Returns the base with the halos of the windows of each shard; `fill`, a scalar, is the value
/// outside of the dim. Dims with a Spread plan are also padded, dilated and sliced. `operand` is
/// the index of `base` among the operands.
ir::ValueId exchange_windows(Lowering& lowering, std::size_t operand, const PartitionedValue& base,
                             std::span<const ShardedWindow> windows, ir::ValueId fill);

/// Slices the windows of the local shard from the result of the local op along a dim.
ir::ValueId own_windows(Lowering& lowering, ir::ValueId value, std::size_t dim,
                        const ShardedWindow& window);

/// Checks whether sizes of the window could overflow index arithmetic.
bool is_too_large(const Window& window);

/// Returns the windows of an op along all dims of a tensor.
std::vector<Window> windows_over(const ir::Type& base, std::span<const ir::WindowDim> dims);
ir::Literal padding_literal(std::span<const LocalPadding> dims);

}  // namespace shardy::partitioning
