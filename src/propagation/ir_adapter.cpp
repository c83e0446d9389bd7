#include "shardy/propagation/ir_adapter.hpp"

#include "shardy/propagation/ir_debug.hpp"
#include "shardy/propagation/ir_propagate.hpp"

namespace shardy::propagation {

Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options) {
  if (options.debug_sharding_origins || options.debug_propagation_edges) {
    DebugAttributes writer(module, {.sharding_origins = options.debug_sharding_origins,
                                    .propagation_edges = options.debug_propagation_edges});
    return propagate(module, options, writer);
  }
  NoObserver nobody;
  return propagate(module, options, nobody);
}

}  // namespace shardy::propagation
