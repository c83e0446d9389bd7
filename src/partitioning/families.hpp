// The lowerings of the op families, the table of lowerings by op kind, and layouts of the tensors
// of an op, computed from its sharding rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "partitioning/lowering.hpp"
#include "partitioning/window_plan.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::partitioning {

// ---- Layouts ------------------------------------------------------------------------------------

/// Axes per dim of each operand and result of an op.
struct OpLayout {
  std::vector<std::vector<AxisList>> operands;
  std::vector<std::vector<AxisList>> results;
  AxisList reduced;  // axes of reduction factors; results are partial over these
  /// Per operand: its sharded dims that have reduction factors.
  std::vector<std::vector<std::size_t>> reduced_dims;
  /// Per dim of the first result: the dim of the first operand with an equal factor; -1 if none.
  std::vector<int32_t> sources;
};

/// Returns the layout in which all tensors are replicated.
OpLayout whole_layout(const ir::Module& module, ir::OpId op);

/// The treatment of reduction factors in a layout.
enum class Reductions : uint8_t {
  Whole,   // replicated
  Even,    // sharded if the factor's dims have no padding on any device
  Sharded  // sharded like the first operand dim with the factor
};

/// Returns the layout in which dims of one pass-through factor are sharded as in the result, and
/// other dims are replicated. std::nullopt for an op without a rule. Built-in ops use the library's
/// rule, even if another rule is attached. Spec: partitioning 5.9, 8.
std::optional<OpLayout> layout_by_rule(const Lowering& lowering, ir::OpId op,
                                       Reductions reductions = Reductions::Whole);

/// Returns an operand in the layout. The padding of its reduced dims is 0.
PartitionedValue laid_out_operand(Lowering& lowering, ir::OpId op, std::size_t index,
                                  const OpLayout& layout);

/// Computes the op on local values in the layout. Results with reduced dims are partial.
Status lower_laid_out(Lowering& lowering, ir::OpId op, const OpLayout& layout);

// ---- Lowerings ----------------------------------------------------------------------------------

// families.cpp
/// Returns the lowering of the op kind. Null if a trait determines the lowering, if ControlFlow
/// lowers the op, or if no lowering exists.
LowerOp* find_lowering(ir::OpKind kind);
/// Returns the embedder's lowering of the op; null without one.
const ForeignLowering* find_foreign_lowering(const ForeignLowerings& known,
                                             const ir::Module& module, ir::OpId op);
Status lower_foreign(Lowering& lowering, ir::OpId op, const ForeignLowering& lower);
LowerOp lower_replicated, lower_by_rule;
/// Checks for ops that add or mask elements of a type that cannot represent zero. Devices cannot
/// each compute a part of such an op.
bool needs_missing_zero(const ir::Module& module, ir::OpId op);
LowerOp lower_product, lower_unknown, lower_custom_call;
/// Returns the device of a maximal sharding.
std::optional<int64_t> device_under(const std::optional<TensorSharding>& sharding);
bool is_on_one_device(const ir::Module& module, ir::OpId op);
LowerOp lower_on_one_device;
/// Broadcasts the value of one device to all.
PartitionedValue sent_to_all(Lowering& lowering, PartitionedValue value);
// shape.cpp
LowerOp lower_broadcast, lower_dimension_size, lower_iota, lower_constant, lower_reshape;
// convolution.cpp
LowerOp lower_convolution;
// ragged_dot.cpp
LowerOp lower_ragged_dot;
// reduce.cpp
LowerOp lower_reduce;
/// Lowers a reduction with an arbitrary region along dims that the layout shards.
Status lower_gathered_partials(Lowering& lowering, ir::OpId op, const OpLayout& layout);
/// Checks whether the region of the reduce returns x for x and x, as argmax does: the initial value
/// may then be used any number of times before the elements.
bool is_idempotent(const ir::Module& module, ir::OpId op);
// sort.cpp
LowerOp lower_sort, lower_top_k;
// rng.cpp
LowerOp lower_rng, lower_rng_bit_generator;
// batch_norm.cpp
LowerOp lower_batch_norm_training, lower_batch_norm_grad;
// window.cpp
LowerOp lower_reduce_window, lower_select_and_scatter;
// slice.cpp
LowerOp lower_slice, lower_pad, lower_concatenate, lower_reverse, lower_dynamic_slice,
    lower_dynamic_update_slice;
// gather.cpp
LowerOp lower_gather, lower_torch_index_select;
// scatter.cpp
LowerOp lower_scatter;
// collective.cpp
LowerOp lower_all_gather, lower_all_slice, lower_all_to_all, lower_all_reduce, lower_reduce_scatter,
    lower_collective_permute, lower_replicated_to_unreduced, lower_sharded_to_unreduced,
    lower_reshard, lower_identity, lower_optimization_barrier, lower_process_collective,
    lower_process_number;

/// Returns `value` on the first device of each group over `axes`, and `nothing` (a scalar) on the
/// other devices.
ir::ValueId keep_on_first(Lowering& lowering, ir::ValueId value, std::span<const AxisRef> axes,
                          const ir::Literal& nothing);

/// Reverses the elements of `value` along dims, sharded or not. Spec: partitioning 8.14.
ir::ValueId reversed(Lowering& lowering, const PartitionedValue& value,
                     std::span<const int64_t> dims);

/// Returns the scalar x with reducer(x, y) == y for every y, bit by bit. Spec: partitioning 5.8.
ir::Literal reducer_identity(ir::OpKind reducer, ir::ElementType element);

/// Checks whether the value is a constant that is the identity of the combiner.
bool is_neutral(const ir::Module& module, ir::ValueId value, ir::OpKind combiner);

// ---- Table --------------------------------------------------------------------------------------

/// The lowering of an op kind.
struct LoweringRow {
  ir::OpKind kind;
  LowerOp* lower;
};

/// The lowerings by kind. Pure ops without a row are lowered by their sharding rule. Spec:
/// partitioning 5.9.
inline constexpr LoweringRow kLowerings[] = {
    {ir::OpKind::AllGather, &lower_process_collective},
    {ir::OpKind::AllReduce, &lower_process_collective},
    {ir::OpKind::AllToAll, &lower_process_collective},
    {ir::OpKind::BatchNormGrad, &lower_batch_norm_grad},
    {ir::OpKind::BatchNormTraining, &lower_batch_norm_training},
    {ir::OpKind::Broadcast, &lower_broadcast},
    {ir::OpKind::CheckExpectAlmostEq, &lower_replicated},
    {ir::OpKind::CheckExpectAlmostEqConst, &lower_replicated},
    {ir::OpKind::CheckExpectClose, &lower_replicated},
    {ir::OpKind::CheckExpectEq, &lower_replicated},
    {ir::OpKind::CheckExpectEqConst, &lower_replicated},
    {ir::OpKind::CheckExpectSerializedEq, &lower_replicated},
    {ir::OpKind::ChloRaggedDot, &lower_ragged_dot},
    {ir::OpKind::ChloTopK, &lower_top_k},
    {ir::OpKind::Cholesky, &lower_by_rule},
    {ir::OpKind::CollectiveBroadcast, &lower_process_collective},
    {ir::OpKind::CollectivePermute, &lower_process_collective},
    {ir::OpKind::CollectiveReduce, &lower_process_collective},
    {ir::OpKind::Concatenate, &lower_concatenate},
    {ir::OpKind::Constant, &lower_constant},
    {ir::OpKind::Convolution, &lower_convolution},
    {ir::OpKind::CustomCall, &lower_custom_call},
    {ir::OpKind::Dot, &lower_product},
    {ir::OpKind::DotGeneral, &lower_product},
    {ir::OpKind::DynamicSlice, &lower_dynamic_slice},
    {ir::OpKind::DynamicUpdateSlice, &lower_dynamic_update_slice},
    {ir::OpKind::Einsum, &lower_product},
    {ir::OpKind::Fft, &lower_by_rule},
    {ir::OpKind::Gather, &lower_gather},
    {ir::OpKind::GetDimensionSize, &lower_dimension_size},
    {ir::OpKind::Iota, &lower_iota},
    {ir::OpKind::OptimizationBarrier, &lower_optimization_barrier},
    {ir::OpKind::Pad, &lower_pad},
    {ir::OpKind::PartitionId, &lower_process_number},
    {ir::OpKind::Reduce, &lower_reduce},
    {ir::OpKind::ReduceScatter, &lower_process_collective},
    {ir::OpKind::ReduceWindow, &lower_reduce_window},
    {ir::OpKind::ReplicaId, &lower_process_number},
    {ir::OpKind::Reshape, &lower_reshape},
    {ir::OpKind::Reverse, &lower_reverse},
    {ir::OpKind::Rng, &lower_rng},
    {ir::OpKind::RngBitGenerator, &lower_rng_bit_generator},
    {ir::OpKind::Scatter, &lower_scatter},
    {ir::OpKind::SelectAndScatter, &lower_select_and_scatter},
    {ir::OpKind::Slice, &lower_slice},
    {ir::OpKind::Sort, &lower_sort},
    {ir::OpKind::TorchIndexSelect, &lower_torch_index_select},
    {ir::OpKind::TriangularSolve, &lower_by_rule},
    {ir::OpKind::UnaryEinsum, &lower_product},
    {ir::OpKind::SdyAllGather, &lower_all_gather},
    {ir::OpKind::SdyAllReduce, &lower_all_reduce},
    {ir::OpKind::SdyAllSlice, &lower_all_slice},
    {ir::OpKind::SdyAllToAll, &lower_all_to_all},
    {ir::OpKind::SdyCollectivePermute, &lower_collective_permute},
    {ir::OpKind::SdyConstant, &lower_constant},
    {ir::OpKind::SdyPropagationBarrier, &lower_identity},
    {ir::OpKind::SdyReduceScatter, &lower_reduce_scatter},
    {ir::OpKind::SdyReplicatedToUnreduced, &lower_replicated_to_unreduced},
    {ir::OpKind::SdyReshard, &lower_reshard},
    {ir::OpKind::SdyShardedToUnreduced, &lower_sharded_to_unreduced},
    {ir::OpKind::Unknown, &lower_unknown},
};

// -------------------------------------------------------------------------------------------------

// Sharded dims with windows: a halo exchange before the op and a slice after it. Convolution,
// reduce_window, select_and_scatter and pad share these helpers. Spec: partitioning 7.

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
