// Lowerings of the op families, and their table.
#pragma once

#include "partitioning/lowering.hpp"
#include "shardy/ir/literal.hpp"

namespace shardy::partitioning {

struct OpLayout;

// families.cpp
/// Returns null if the op is handled by a trait, is walked into, or has no lowering.
LowerOp find_lowering(ir::OpKind kind);
/// Returns the embedder's lowering of the op; null without one.
const ForeignLowering* find_foreign_lowering(const ForeignLowerings& known,
                                             const ir::Module& module, ir::OpId op);
Status lower_foreign(Lowering& lowering, ir::OpId op, const ForeignLowering& lower);
Status lower_replicated(Lowering& lowering, ir::OpId op);
Status lower_by_rule(Lowering& lowering, ir::OpId op);
/// Checks for ops that add or mask elements of a type without zero, so that devices cannot share
/// them.
bool needs_missing_zero(const ir::Module& module, ir::OpId op);
Status lower_product(Lowering& lowering, ir::OpId op);
Status lower_unknown(Lowering& lowering, ir::OpId op);
Status lower_custom_call(Lowering& lowering, ir::OpId op);
/// Returns the device of a maximal sharding.
std::optional<int64_t> device_under(const std::optional<TensorSharding>& sharding);
bool is_on_one_device(const ir::Module& module, ir::OpId op);
Status lower_on_one_device(Lowering& lowering, ir::OpId op);
/// Broadcasts the value of one device to all.
PartitionedValue sent_to_all(Lowering& lowering, PartitionedValue value);
// shape.cpp
Status lower_broadcast(Lowering& lowering, ir::OpId op);
Status lower_dimension_size(Lowering& lowering, ir::OpId op);
Status lower_iota(Lowering& lowering, ir::OpId op);
Status lower_constant(Lowering& lowering, ir::OpId op);
Status lower_reshape(Lowering& lowering, ir::OpId op);
// convolution.cpp
Status lower_convolution(Lowering& lowering, ir::OpId op);
// ragged_dot.cpp
Status lower_ragged_dot(Lowering& lowering, ir::OpId op);
// reduce.cpp
Status lower_reduce(Lowering& lowering, ir::OpId op);
/// Lowers a reduction with an arbitrary region along dims that the layout shards.
Status lower_gathered_partials(Lowering& lowering, ir::OpId op, const OpLayout& layout);
// sort.cpp
Status lower_sort(Lowering& lowering, ir::OpId op);
Status lower_top_k(Lowering& lowering, ir::OpId op);
// rng.cpp
Status lower_rng(Lowering& lowering, ir::OpId op);
Status lower_rng_bit_generator(Lowering& lowering, ir::OpId op);
// batch_norm.cpp
Status lower_batch_norm_training(Lowering& lowering, ir::OpId op);
Status lower_batch_norm_grad(Lowering& lowering, ir::OpId op);
// window.cpp
Status lower_reduce_window(Lowering& lowering, ir::OpId op);
Status lower_select_and_scatter(Lowering& lowering, ir::OpId op);
// slice.cpp
Status lower_slice(Lowering& lowering, ir::OpId op);
Status lower_pad(Lowering& lowering, ir::OpId op);
Status lower_concatenate(Lowering& lowering, ir::OpId op);
Status lower_reverse(Lowering& lowering, ir::OpId op);
Status lower_dynamic_slice(Lowering& lowering, ir::OpId op);
Status lower_dynamic_update_slice(Lowering& lowering, ir::OpId op);
// gather.cpp
Status lower_gather(Lowering& lowering, ir::OpId op);
Status lower_torch_index_select(Lowering& lowering, ir::OpId op);
// scatter.cpp
Status lower_scatter(Lowering& lowering, ir::OpId op);
// collective.cpp
Status lower_all_gather(Lowering& lowering, ir::OpId op);
Status lower_all_slice(Lowering& lowering, ir::OpId op);
Status lower_all_to_all(Lowering& lowering, ir::OpId op);
Status lower_all_reduce(Lowering& lowering, ir::OpId op);
Status lower_reduce_scatter(Lowering& lowering, ir::OpId op);
Status lower_collective_permute(Lowering& lowering, ir::OpId op);
Status lower_replicated_to_unreduced(Lowering& lowering, ir::OpId op);
Status lower_sharded_to_unreduced(Lowering& lowering, ir::OpId op);
Status lower_reshard(Lowering& lowering, ir::OpId op);
Status lower_identity(Lowering& lowering, ir::OpId op);
Status lower_optimization_barrier(Lowering& lowering, ir::OpId op);
Status lower_process_collective(Lowering& lowering, ir::OpId op);
Status lower_process_number(Lowering& lowering, ir::OpId op);

/// Returns `value` on the first device of each group over `axes`, `nothing` (rank 0) on the others.
ir::ValueId keep_on_first(Lowering& lowering, ir::ValueId value, std::span<const AxisRef> axes,
                          const ir::Literal& nothing);

/// Reverses the elements of `value` along dims, sharded or not. Spec: partitioning 8.14.
ir::ValueId reversed(Lowering& lowering, const PartitionedValue& value,
                     std::span<const int64_t> dims);

/// Returns x with reducer(x, y) == y for every y, bit by bit; rank 0. Spec: partitioning 5.8.
ir::Literal reducer_identity(ir::OpKind reducer, ir::ElementType element);

/// Checks whether the value is a constant that adds nothing to what is combined with it.
bool is_neutral(const ir::Module& module, ir::ValueId value, ir::OpKind combiner);

}  // namespace shardy::partitioning
