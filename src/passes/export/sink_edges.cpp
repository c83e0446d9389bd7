// Edge ops leave their shardings to the values they stand for. Spec: passes 5.2, 5.3.
#include "passes/export/export_passes.hpp"
#include "shardy/ir/edge_ops.hpp"

namespace shardy::passes {

void sink_data_flow_edges(ir::Module& module, const SinkDataFlowEdgesOptions& options) {
  ir::sink_data_flow_edges(module,
                           {.sharding_origins = options.sink_debug_sharding_origins,
                            .propagation_edges = options.sink_debug_propagation_edge_sharding});
}

void sink_func_data_flow_edges(ir::Module& module) { ir::sink_func_data_flow_edges(module); }

}  // namespace shardy::passes
