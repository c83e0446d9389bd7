// Rewrites of the per-device program: cleanup, and rules of `--optimize-collectives`.
// Spec: resharding C.8.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/export_pipeline.hpp"

namespace shardy::partitioning {

/// Merges equal pure ops of a block and erases dead ones. Ops with regions are not merged.
void clean_up(ir::Module& module, ir::BlockId block);

/// Returns the number of iterations of a loop; 2 if unknown.
int64_t steps_of_loop(const ir::Module& module, ir::OpId loop);

/// Name of the rule of share_permutes.
inline constexpr std::string_view kSharePermutes = "share-permutes";
/// Name of the rule of sink_loop_collectives.
inline constexpr std::string_view kSinkLoopCollectives = "sink-loop-collectives";

/// Combines all-reduces of one block and one groupthat are not used before the last one,
/// while they have at most `max_bytes` in total. Bytes stay equal, messages get fewer. Users may be
/// sunk even if nothing is rewritten.
std::vector<passes::CollectiveRewrite> combine_reductions(ir::Module& program, int64_t max_bytes);

/// Merges permutes of slices of one value by one map into one permute of their hull, which is
/// sliced afterwards, where the hull has at most as many elements as the slices. Returns one entry
/// per merged permute.
std::vector<passes::CollectiveRewrite> share_permutes(ir::Module& program);

/// Moves collectives after the loop that combines (sum, max, min, and, or) a carried value with
/// their results: the loop carries their combined operands, and the initial value is combined with
/// the result. Loops known to run less than twice stay. Returns one entry per collective.
std::vector<passes::CollectiveRewrite> sink_loop_collectives(ir::Module& program);

/// Replaces a dot_general whose operand is gathered only for it, to more than `max_bytes`, by a
/// loop over blocks; likewise a result of more than `max_bytes` that is reduce-scattered. The order
/// of float additions changes, except where devices must have equal results. Spec: partitioning
/// 8.8.
std::vector<passes::CollectiveRewrite> loop_products(ir::Module& program, int64_t max_bytes);

/// Returns the peak memory in a fusing compiler: ProgramCost::peak_bytes without elementwise
/// intermediates: elementwise values, broadcasts, iotas and splats that only elementwise ops of
/// their block use take no memory; their operands live until these ops. Requires and cost: as
/// program_cost.
int64_t fused_peak_bytes(const ir::Module& program);

}  // namespace shardy::partitioning
