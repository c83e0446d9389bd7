// Rewrites of collectives in the per-device program. Each rewrite is a rule of
// `--optimize-collectives`.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/resharding/cost.hpp>
#include <string_view>
#include <vector>

namespace shardy::partitioning {

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
