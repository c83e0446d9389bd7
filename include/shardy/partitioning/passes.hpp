// Registration of the passes that need the partitioner.
#pragma once

#include <shardy/partitioning/foreign.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::partitioning {

/// Adds the partitioning passes; adding them twice changes nothing. Spec: passes 5.19. `lowerings`:
/// lowerings of an embedder's ops; their rules come from the pipeline.
void register_partitioning_passes(passes::PassRegistry& registry, ForeignLowerings lowerings = {});

/// Returns all passes of the library: those of passes/pipeline.hpp and of this layer.
passes::PassRegistry all_passes(ForeignLowerings lowerings = {});

}  // namespace shardy::partitioning
