// Table of lowerings by op kind. Spec: partitioning 8.
#include <algorithm>
#include <array>

#include "partitioning/families.hpp"

namespace shardy::partitioning {

using ir::OpKind;

namespace {

struct LowerRow {
  OpKind kind;
  LowerOp lower;
};

// Other pure ops are lowered by their sharding rule. Spec: partitioning 5.9.
constexpr std::array kRows = {
    LowerRow{OpKind::AllGather, &lower_process_collective},
    LowerRow{OpKind::AllReduce, &lower_process_collective},
    LowerRow{OpKind::AllToAll, &lower_process_collective},
    LowerRow{OpKind::BatchNormGrad, &lower_batch_norm_grad},
    LowerRow{OpKind::BatchNormTraining, &lower_batch_norm_training},
    LowerRow{OpKind::Broadcast, &lower_broadcast},
    LowerRow{OpKind::CheckExpectAlmostEq, &lower_replicated},
    LowerRow{OpKind::CheckExpectAlmostEqConst, &lower_replicated},
    LowerRow{OpKind::CheckExpectClose, &lower_replicated},
    LowerRow{OpKind::CheckExpectEq, &lower_replicated},
    LowerRow{OpKind::CheckExpectEqConst, &lower_replicated},
    LowerRow{OpKind::CheckExpectSerializedEq, &lower_replicated},
    LowerRow{OpKind::ChloRaggedDot, &lower_ragged_dot},
    LowerRow{OpKind::ChloTopK, &lower_top_k},
    LowerRow{OpKind::Cholesky, &lower_by_rule},
    LowerRow{OpKind::CollectiveBroadcast, &lower_process_collective},
    LowerRow{OpKind::CollectivePermute, &lower_process_collective},
    LowerRow{OpKind::CollectiveReduce, &lower_process_collective},
    LowerRow{OpKind::Concatenate, &lower_concatenate},
    LowerRow{OpKind::Constant, &lower_constant},
    LowerRow{OpKind::Convolution, &lower_convolution},
    LowerRow{OpKind::CustomCall, &lower_custom_call},
    LowerRow{OpKind::Dot, &lower_product},
    LowerRow{OpKind::DotGeneral, &lower_product},
    LowerRow{OpKind::DynamicSlice, &lower_dynamic_slice},
    LowerRow{OpKind::DynamicUpdateSlice, &lower_dynamic_update_slice},
    LowerRow{OpKind::Einsum, &lower_product},
    LowerRow{OpKind::Fft, &lower_by_rule},
    LowerRow{OpKind::Gather, &lower_gather},
    LowerRow{OpKind::GetDimensionSize, &lower_dimension_size},
    LowerRow{OpKind::Iota, &lower_iota},
    LowerRow{OpKind::OptimizationBarrier, &lower_identity},
    LowerRow{OpKind::Pad, &lower_pad},
    LowerRow{OpKind::PartitionId, &lower_process_number},
    LowerRow{OpKind::Reduce, &lower_reduce},
    LowerRow{OpKind::ReduceScatter, &lower_process_collective},
    LowerRow{OpKind::ReduceWindow, &lower_reduce_window},
    LowerRow{OpKind::ReplicaId, &lower_process_number},
    LowerRow{OpKind::Reshape, &lower_reshape},
    LowerRow{OpKind::Reverse, &lower_reverse},
    LowerRow{OpKind::Rng, &lower_rng},
    LowerRow{OpKind::RngBitGenerator, &lower_rng_bit_generator},
    LowerRow{OpKind::Scatter, &lower_scatter},
    LowerRow{OpKind::SelectAndScatter, &lower_select_and_scatter},
    LowerRow{OpKind::Slice, &lower_slice},
    LowerRow{OpKind::Sort, &lower_sort},
    LowerRow{OpKind::TorchIndexSelect, &lower_torch_index_select},
    LowerRow{OpKind::TriangularSolve, &lower_by_rule},
    LowerRow{OpKind::UnaryEinsum, &lower_product},
    LowerRow{OpKind::SdyAllGather, &lower_all_gather},
    LowerRow{OpKind::SdyAllReduce, &lower_all_reduce},
    LowerRow{OpKind::SdyAllSlice, &lower_all_slice},
    LowerRow{OpKind::SdyAllToAll, &lower_all_to_all},
    LowerRow{OpKind::SdyCollectivePermute, &lower_collective_permute},
    LowerRow{OpKind::SdyConstant, &lower_constant},
    LowerRow{OpKind::SdyPropagationBarrier, &lower_identity},
    LowerRow{OpKind::SdyReduceScatter, &lower_reduce_scatter},
    LowerRow{OpKind::SdyReplicatedToUnreduced, &lower_replicated_to_unreduced},
    LowerRow{OpKind::SdyReshard, &lower_reshard},
    LowerRow{OpKind::SdyShardedToUnreduced, &lower_sharded_to_unreduced},
    LowerRow{OpKind::Unknown, &lower_unknown},
};

}  // namespace

LowerOp find_lowering(OpKind kind) {
  const auto* const row = std::ranges::find(kRows, kind, &LowerRow::kind);
  return row != kRows.end() ? row->lower : nullptr;
}

}  // namespace shardy::partitioning
