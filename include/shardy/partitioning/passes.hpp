// Passes that need the partitioner, for those who fill a registry.
#pragma once

#include <shardy/partitioning/foreign.hpp>
#include <shardy/passes/pass.hpp>

namespace shardy::partitioning {

/// Adds `sdy-per-instruction-partitioning`. Adding it twice changes nothing. Spec: passes 5.19.
/// `lowerings` are those of ops that only the embedder knows; their rules come with the pipeline.
void register_partitioning_passes(passes::PassRegistry& registry, ForeignLowerings lowerings = {});

/// The passes of passes/built_in.hpp and those of this layer: all that the library has.
passes::PassRegistry all_passes(ForeignLowerings lowerings = {});

}  // namespace shardy::partitioning
