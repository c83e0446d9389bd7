// From a program with some shardings to one per-device program: all stages in one call.
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

/// The rule of the per-device program: all-reduces that become one.
inline constexpr std::string_view kCombineReductions = "combine-reductions";

/// Returns the names of all rules: passes::collective_rules(), best-common-axes,
/// hoist-collectives, sink-loop-collectives, join-exchanges, share-permutes and combine-reductions.
std::vector<std::string> all_collective_rules();

/// Rewrites after which collectives send less. Spec: resharding C.8.
struct CollectiveOptions {
  /// Names of all_collective_rules(). Nothing: all of them, where reshards become the cheapest
  /// collectives, else none.
  std::optional<std::vector<std::string>> rules = {};
  int64_t combine_bytes = int64_t{1} << 16;  // of all-reduces that become one, at most
  /// Products of operands with more bytes than that once they are gathered, and of results with
  /// more before they are scattered, become loops; nothing: none. Spec: partitioning 8.8.
  std::optional<int64_t> max_gather_bytes = {};
};

/// How a program goes through all its stages.
struct CompileOptions {
  /// Meshes keep their names, reshards become collectives, and ops are lowered by the rules of the
  /// partitioner, whatever it says.
  passes::PipelineOptions pipeline = {.exporting = {.resharding = {.plans = PlanKind::Best}}};
  /// Options of partitioning.
  partitioning::PartitionOptions partition = {
      .io_padding = partitioning::IoPadding::Padded, .fetch = {}, .lenient_reshard = false};
  CollectiveOptions collectives = {};  // how collectives are written in the end
  /// What is replicated beyond what the shardings ask for is an error: notes are.
  bool strict = false;
};

/// A compiled program, stage by stage.
struct CompiledProgram {
  ir::Module propagated;   // global shapes, every reachable value sharded, all dims closed
  ir::Module collectives;  // global shapes, reshards as sdy collectives
  ir::Module program;      // local shapes, spmd collectives
  std::vector<partitioning::ReplicationNote> notes;  // empty if strict
  std::vector<passes::CollectiveRewrite> rewrites;   // in the order in which they were made
  Diagnostics diagnostics;                           // all that the stages said, the notes too
};

/// Verifies, runs the propagation pipeline of passes 7.2 and partitions. Errors: those of the first
/// stage that has any, in program order, then the earlier diagnostics.
tl::expected<CompiledProgram, Diagnostics> compile(const ir::Module& module,
                                                   const CompileOptions& options = {},
                                                   const Context& context = {});

}  // namespace shardy::checking
