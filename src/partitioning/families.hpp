// The lowerings of the op families, and the table of lowerings by op kind.
#pragma once

#include "partitioning/lowering.hpp"
#include "shardy/ir/attribute.hpp"

namespace shardy::partitioning {

struct OpLayout;

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

}  // namespace shardy::partitioning
