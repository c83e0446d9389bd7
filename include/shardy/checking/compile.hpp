// From a program with some shardings to one per-device program: all stages in one call.
#pragma once

#include <shardy/checking/context.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/pipelines.hpp>
#include <shardy/support/diagnostic.hpp>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::checking {

struct CompileOptions {
  /// Meshes keep their names, reshards become collectives, and ops are lowered by the rules of the
  /// partitioner, whatever it says.
  passes::PipelineOptions pipeline = {.exporting = {.resharding = {.plans = PlanKind::Best}}};
  partitioning::PartitionOptions partition = {
      .io_padding = partitioning::IoPadding::Padded, .fetch = {}, .lenient_reshard = false};
  /// What is replicated beyond what the shardings ask for is an error: notes are.
  bool strict = false;
};

/// What became of a program, stage by stage.
struct CompiledProgram {
  ir::Module propagated;   // global shapes, every reachable value sharded, all dims closed
  ir::Module collectives;  // global shapes, reshards as sdy collectives
  ir::Module program;      // local shapes, spmd collectives
  std::vector<partitioning::ReplicationNote> notes;  // empty if strict
  Diagnostics diagnostics;                           // all that the stages said, the notes too
};

/// Verifies, runs the propagation pipeline of passes 7.2 and partitions. Errors: those of the first
/// stage that has any, in program order; behind them stands what the stages said before.
tl::expected<CompiledProgram, Diagnostics> compile(const ir::Module& module,
                                                   const CompileOptions& options = {},
                                                   const Context& context = {});

}  // namespace shardy::checking
