// Compilation of a partly annotated program to a per-device program in one call, and extensions by
// an embedder.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::checking {

// Extensions by an embedder: ops with rules, lowerings and kernels; passes; limits.

/// An op of an unregistered dialect, or a custom call. Only the name is required. Without a rule,
/// axes do not propagate through the op, and the op cannot be partitioned. Without a lowering, the
/// op is partitioned by its rule. Without a kernel, the op cannot be simulated.
struct ForeignOp {
  std::string name;            // op name, such as `example.rotary`, or target of the custom call
  rules::RuleMaker rule = {};  // sharding rule, for example by rules::einsum_maker
  rules::RuleMaker lowering_rule =
      {};  // rule for `lower`, if the lowering accepts shardings that `rule` excludes
  /// Lowering to the per-device program; empty: partitioning by the rule.
  partitioning::ForeignLowering lower = {};
  /// Kernel of the simulator; empty: programs with the op cannot run.
  simulation::ForeignKernel kernel = {};
};

/// Extensions for compilations and for runs of compiled programs. A context is a value; nothing is
/// registered globally.
struct Context {
  partitioning::ForeignOps ops = {};   // sharding rules and lowerings
  simulation::RunContext runs = {};    // kernels and limits of the simulator
  passes::PassRegistry passes = {};    // passes of the embedder, for pipelines that name them
  passes::Extensions extensions = {};  // replacements for decisions of propagation and reshards

  /// Adds an op. Errors: the library or an earlier call defines the op.
  Status add_op(ForeignOp op);
  /// Adds a custom call. Errors: as add_op. For a target of the library, only a kernel may be
  /// added.
  Status add_custom_call(ForeignOp op);
  /// Adds a sharding rule for composites of a name. Composites are computed by their decomposition.
  /// Errors: as add_op; `lower` or `kernel` is not empty.
  Status add_composite(ForeignOp op);

  /// Returns the passes of the library, which use the embedder's lowerings, and the passes of the
  /// embedder. Errors: duplicate names.
  Result<passes::PassRegistry> all_passes() const;
};

/// Rule name of the rewrite that combines all-reduces in the per-device program.
inline constexpr std::string_view kCombineReductions = "combine-reductions";

/// Returns the names of all rules: passes::collective_rules(), best-common-axes, move-shardings,
/// hoist-collectives, sink-loop-collectives, join-exchanges, share-permutes and combine-reductions.
std::vector<std::string> all_collective_rules();

/// Options of rewrites that reduce the traffic of collectives. Spec: resharding C.8.
struct CollectiveOptions {
  /// Names from all_collective_rules(). std::nullopt: all rules if reshards are planned by cost,
  /// else none.
  std::optional<std::vector<std::string>> rules = {};
  int64_t combine_bytes = int64_t{1} << 16;  // maximal total bytes of combined all-reduces
  /// Dots become loops if an operand exceeds this number of bytes after its all-gather, or the
  /// result before its reduce-scatter; std::nullopt: never. Spec: partitioning 8.8.
  std::optional<int64_t> max_gather_bytes = {};
  /// Rewrites that send fewer bytes may raise the peak memory of a device to at most this number of
  /// bytes. std::nullopt: 1 MiB; some rules may also raise a larger peak by a share of it. Spec:
  /// resharding C.8.
  std::optional<int64_t> device_bytes = {};
};

/// Options of compile.
struct CompileOptions {
  /// Options of the pipeline. Some are always overridden: meshes keep their names, reshards become
  /// collectives, and ops use the sharding rules of partitioning.
  passes::PipelineOptions pipeline = {.exporting = {.resharding = {.plans = PlanKind::Best}}};
  /// Options of partitioning.
  partitioning::PartitionOptions partition = {
      .io_padding = partitioning::IoPadding::Padded, .halo = {}, .lenient_reshard = false};
  CollectiveOptions collectives = {};  // rewrites of collectives
  /// Report replication notes as errors.
  bool strict = false;
  /// Limits that end the compilation before its result. After a limit is exceeded, a
  /// compilation of some thousand ops ends within tens of milliseconds, most of which free memory.
  /// An exceeded limit is an error with code E_CANCELLED, E_DEADLINE or E_MEMORY_LIMIT that names
  /// the phase: import, propagation, planning of collectives, partitioning, optimization.
  /// `max_bytes` counts the programs of the stages, estimated by their ops, and the tables of
  /// propagation and of plans, not the source program and constants.
  WorkLimits limits = {};
};

/// A compiled program in all stages.
struct CompiledProgram {
  ir::Module propagated;   // global shapes; all reachable values are sharded, with closed dims
  ir::Module collectives;  // global shapes; reshards are sdy collectives
  ir::Module program;      // per-device program: local shapes and spmd collectives
  std::vector<partitioning::ReplicationNote> notes;  // empty if strict
  /// Rewrites in the order in which they were applied.
  std::vector<passes::CollectiveRewrite> rewrites;
  Diagnostics diagnostics;  // diagnostics of all stages, including notes
};

/// Verifies a program, runs the propagation pipeline of passes 7.2, and partitions the program.
/// Errors: those of the first stage that fails, in program order, then the diagnostics of earlier
/// stages; an exceeded limit.
DiagnosedResult<CompiledProgram> compile(const ir::Module& module,
                                         const CompileOptions& options = {},
                                         const Context& context = {});

}  // namespace shardy::checking
