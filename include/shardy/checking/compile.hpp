// Compilation from a partly annotated program to a per-device program in one call.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/checking/context.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/optimize_collectives.hpp>
#include <shardy/passes/pipelines.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::checking {

/// Rule name of the combination of all-reduces in the per-device program.
inline constexpr std::string_view kCombineReductions = "combine-reductions";

/// Returns the names of all rules: passes::collective_rules(), best-common-axes,
/// hoist-collectives, join-exchanges and combine-reductions.
std::vector<std::string> all_collective_rules();

/// Options of rewrites that reduce the traffic of collectives. Spec: resharding C.8.
struct CollectiveOptions {
  /// Names of all_collective_rules(). std::nullopt: all if reshards are planned by cost, else none.
  std::optional<std::vector<std::string>> rules = {};
  int64_t combine_bytes = int64_t{1} << 16;  // limit of the total bytes of combined all-reduces
  /// Products become loops if an operand has more bytes than this after its all-gather, or the
  /// result before its reduce-scatter; std::nullopt: never. Spec: partitioning 8.8.
  std::optional<int64_t> max_gather_bytes = {};
};

/// Options of compile.
struct CompileOptions {
  /// Options of the pipeline. Always overridden: meshes keep their names, reshards become
  /// collectives, and ops use the rules of the partitioner.
  passes::PipelineOptions pipeline = {.exporting = {.resharding = {.plans = PlanKind::Best}}};
  /// Options of partitioning.
  partitioning::PartitionOptions partition = {
      .io_padding = partitioning::IoPadding::Padded, .fetch = {}, .lenient_reshard = false};
  CollectiveOptions collectives = {};  // rewrites of collectives
  /// Replication notes become errors.
  bool strict = false;
};

/// A compiled program in all its stages.
struct CompiledProgram {
  ir::Module propagated;   // global shapes, all reachable values sharded, dims closed
  ir::Module collectives;  // global shapes, reshards lowered to sdy collectives
  ir::Module program;      // per-device program: local shapes, spmd collectives
  std::vector<partitioning::ReplicationNote> notes;  // empty if strict
  std::vector<passes::CollectiveRewrite> rewrites;   // in the order in which they were applied
  Diagnostics diagnostics;                           // of all stages, including notes
};

/// Verifies a program, runs the propagation pipeline of passes 7.2 and partitions. Errors: those of
/// the first failing stage, in program order, followed by the earlier diagnostics.
tl::expected<CompiledProgram, Diagnostics> compile(const ir::Module& module,
                                                   const CompileOptions& options = {},
                                                   const Context& context = {});

}  // namespace shardy::checking
