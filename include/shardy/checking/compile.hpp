// Compilation from a partly annotated program to a per-device program in one call, and extensions
// of it by an embedder.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/export_pipeline.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::checking {

// Extensions of an embedder: ops with rules, lowerings and kernels; passes; limits.

/// An op of an unregistered dialect, or a custom call. Only the name is required: without a rule
/// nothing propagates through the op and it cannot be partitioned; without a lowering it is
/// partitioned by its rule; without a kernel it cannot be simulated.
struct ForeignOp {
  std::string name;            // `example.rotary`; for a custom call its target
  rules::RuleMaker rule = {};  // sharding rule, for example by rules::einsum_maker
  rules::RuleMaker lowering_rule =
      {};  // rule for `lower`, if it accepts shardings that `rule` excludes
  /// Lowering to the per-device program; empty: by the rule.
  partitioning::ForeignLowering lower = {};
  simulation::ForeignKernel kernel = {};  // empty: programs with the op cannot run
};

/// Extensions for compilations and for runs of their results. A value: nothing is registered
/// process-wide.
struct Context {
  partitioning::ForeignOps ops = {};   // sharding rules and lowerings
  simulation::RunContext runs = {};    // kernels and limits of the simulator
  passes::PassRegistry passes = {};    // the embedder's passes, for pipelines that name them
  passes::Extensions extensions = {};  // replaced decisions of propagation and reshards

  /// Adds an op. Errors: the library has the op, or it was added before.
  Status add_op(ForeignOp op);
  /// Adds a custom call. Errors: as add_op; a kernel alone may be added for a known target.
  Status add_custom_call(ForeignOp op);
  /// Adds a rule for composites of that name, which are computed by their decomposition. Errors: as
  /// add_op; `lower` or `kernel` is not empty.
  Status add_composite(ForeignOp op);

  /// Returns the passes of the library, with the embedder's lowerings, and those of the embedder.
  /// Errors: duplicate names.
  Result<passes::PassRegistry> all_passes() const;
};

/// Rule name of the combination of all-reduces in the per-device program.
inline constexpr std::string_view kCombineReductions = "combine-reductions";

/// Returns the names of all rules: passes::collective_rules(), best-common-axes,
/// hoist-collectives, sink-loop-collectives, join-exchanges, share-permutes and combine-reductions.
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
      .io_padding = partitioning::IoPadding::Padded, .halo = {}, .lenient_reshard = false};
  CollectiveOptions collectives = {};  // rewrites of collectives
  /// Replication notes become errors.
  bool strict = false;
  /// Ends of the compilation before its result; for some thousand ops within tens of milliseconds,
  /// most of which free programs. An exceeded one is an error with code E_CANCELLED, E_DEADLINE or
  /// E_MEMORY_LIMIT that names the phase: import, propagation, planning of collectives,
  /// partitioning, optimization. `max_bytes` counts the programs of the stages, estimated by their
  /// ops, and the tables of propagation and of plans, not the source program and constants.
  WorkLimits limits = {};
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
/// the first failing stage, in program order, followed by the earlier diagnostics; an exceeded
/// limit.
DiagnosedResult<CompiledProgram> compile(const ir::Module& module,
                                         const CompileOptions& options = {},
                                         const Context& context = {});

}  // namespace shardy::checking
