// Rewrites of collectives in the per-device program, each a rule of `--optimize-collectives`.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/passes/export_pipeline.hpp>
#include <shardy/resharding/cost.hpp>
#include <string_view>
#include <vector>

namespace shardy::partitioning {

/// Name of the rule in `--optimize-collectives`.
inline constexpr std::string_view kHoistCollectives = "hoist-collectives";

/// Moves collectives with loop-invariant operands before the loop, with the pure ops that compute
/// these operands; carried values that the loop returns unchanged are invariant. Loops known to run
/// less than twice stay. Returns one entry per collective. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> hoist_collectives(ir::Module& program);

/// Name of the rule in `--optimize-collectives`.
inline constexpr std::string_view kJoinExchanges = "join-exchanges";

/// Replaces two all-to-alls over disjoint axes, where the second is the only user of the first,
/// by one over the axes of both, with local transposes before and after it. For b bytes over G and
/// H devices it sends b(GH-1)/GH instead of b(G-1)/G + b(H-1)/H. An all-to-all over two devices
/// after a permute becomes two permutes of half of the elements. Pairs that take less time under
/// `model` stay. Returns one entry per pair. Spec: resharding C.8.
std::vector<passes::CollectiveRewrite> join_exchanges(ir::Module& program,
                                                      const CostModel& model = {});

}  // namespace shardy::partitioning
