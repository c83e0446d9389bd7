// From a program with some shardings to one per-device program: all stages in one call.
#pragma once

#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

struct CompileOptions {
  propagation::PropagationOptions propagation = {};
  partitioning::PartitionOptions partition = {
      .io_padding = partitioning::IoPadding::Padded, .fetch = {}, .lenient_reshard = false};
};

/// What became of a program, stage by stage.
struct CompiledProgram {
  ir::Module propagated;   // global shapes, every reachable value sharded
  ir::Module collectives;  // global shapes, reshards as sdy collectives
  ir::Module program;      // local shapes, spmd collectives
  std::vector<partitioning::ReplicationNote> notes;
  std::vector<std::string> warnings;
};

/// Verifies, propagates, exports and partitions. Errors: those of the first stage that has any, in
/// program order.
tl::expected<CompiledProgram, std::vector<Error>> compile(const ir::Module& module,
                                                          const CompileOptions& options = {});

}  // namespace shardy::checking
