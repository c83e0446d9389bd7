// Rewrites of the per-device program: cleanup, and the rules of `--optimize-collectives`. Spec:
// resharding C.8.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/resharding/cost.hpp>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::partitioning {

/// Merges equal pure ops of a block and erases dead ops. Does not merge ops with regions.
void clean_up(ir::Module& module, ir::BlockId block);

/// Returns the number of iterations of a loop; 2 if unknown.
int64_t steps_of_loop(const ir::Module& module, ir::OpId loop);

/// The name of the rule that share_permutes applies.
inline constexpr std::string_view kSharePermutes = "share-permutes";
/// The name of the rule that sink_loop_collectives applies.
inline constexpr std::string_view kSinkLoopCollectives = "sink-loop-collectives";

/// Combines all-reduces of one block over one group that are not used before the last one, up to
/// `max_bytes` in total. The number of bytes does not change, the number of messages decreases.
/// Users may be sunk even if nothing is combined.
std::vector<passes::CollectiveRewrite> combine_reductions(ir::Module& program, int64_t max_bytes);

/// Merges permutes of slices of one value that have equal maps. One permute sends the hull of the
/// slices, and slices of its result replace the old ones. Applies if the hull has at most as many
/// elements as the slices together. Returns one entry per merged permute.
std::vector<passes::CollectiveRewrite> share_permutes(ir::Module& program);

/// Name of the rule in `--optimize-collectives`.
inline constexpr std::string_view kUnitePermutes = "unite-permutes";

/// Replaces two permutes of equal types along the same axes by one, if no device sends in both and
/// none receives in both. Each device selects its operand, and a result is zero where the device
/// received the other one. Returns one entry per pair. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> unite_permutes(ir::Module& program);

/// Sinks collectives below a loop that accumulates their results (by sum, max, min, and, or). The
/// loop then accumulates the collective's operands, and the initial value is combined with the
/// result. Loops that are known to run less than twice stay. Returns one entry per collective.
std::vector<passes::CollectiveRewrite> sink_loop_collectives(ir::Module& program);

/// Replaces a dot_general by a loop over blocks if an operand is gathered only for the dot_general,
/// to more than `max_bytes`. Also replaces one whose result has more than `max_bytes` and is
/// reduce-scattered. The order of float additions changes, except where devices must have equal
/// results. Spec: partitioning 8.8.
std::vector<passes::CollectiveRewrite> loop_products(ir::Module& program, int64_t max_bytes);

/// Returns the peak memory under a compiler that fuses elementwise ops. Elementwise values,
/// broadcasts, iotas and splats take no memory if only elementwise ops of their block use them;
/// their operands stay live until these ops. Requires and cost: as for program_cost.
int64_t fused_peak_bytes(const ir::Module& program);

/// Name of the rule in `--optimize-collectives`.
inline constexpr std::string_view kHoistCollectives = "hoist-collectives";

/// Hoists collectives with loop-invariant operands out of loops, together with the pure ops that
/// compute these operands. Loop-carried values that the loop returns unchanged are invariant. Loops
/// that are known to run less than twice are unchanged. Returns one entry per hoisted collective.
/// Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> hoist_collectives(ir::Module& program);

/// Gathers a value before a loop, if the loop gathers slices of it that have more elements in
/// total. A gather of the result of an all-to-all replaces the all-to-all, then as many are enough.
/// Loops with unknown trip counts are unchanged. A part of the rule kHoistCollectives, which takes
/// more memory. Returns one entry per gather. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> gather_slices_before_loops(ir::Module& program);

/// Name of the rule in `--optimize-collectives`.
inline constexpr std::string_view kJoinExchanges = "join-exchanges";

/// Replaces two all-to-alls over disjoint axes by one all-to-all over the axes of both, with local
/// transposes before and after it. The second must be the only user of the first. For b bytes over
/// G and H devices, the result sends b(GH-1)/GH bytes instead of b(G-1)/G + b(H-1)/H. An all-to-all
/// over two devices after a permute is replaced by two permutes of half of the elements. Pairs that
/// take less time under `model` are unchanged. Returns one entry per pair. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> join_exchanges(ir::Module& program,
                                                      const CostModel& model = {});

}  // namespace shardy::partitioning
