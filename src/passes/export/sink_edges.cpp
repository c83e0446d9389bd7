// Edge ops are erased; their shardings move to the values that own the edges.
// Spec: passes 5.2, 5.3.
//
//   %0 = while(%a) [{"y"}]                            %0 = while(%a) [{"x", ?}]
//   %1 = sdy.data_flow_edge %0 [{"x", ?}]        ->   %2 = negate %0
//   %2 = negate %1
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/edge_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

namespace {

/// Returns uses of edges without sharding by collectives, which take the value as replicated.
std::vector<ir::Use> readers_of_whole_edges(const ir::Module& module) {
  std::vector<ir::Use> readers;
  for (const ir::OpId op : ir::pre_order(module)) {
    if (!module.is(op, ir::OpKind::SdyDataFlowEdge)) continue;
    if (module.attribute<TensorSharding>(op, ir::attr::kSharding) != nullptr) continue;
    for (const ir::Use& use : module.uses(module.result(op))) {
      if (ir::is_sdy_collective(module.kind(use.op))) readers.push_back(use);
    }
  }
  return readers;
}

/// Checks whether the value is replicated on the mesh of the collective that uses it.
bool reads_whole(const ir::Module& module, const ir::Use& use) {
  const auto has = ir::get_sharding(module, module.operand(use.op, use.operand));
  const auto& out = *module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
  return !has || (has->mesh() == out.mesh() && has->empty_axes());
}

}  // namespace

void sink_data_flow_edges(ir::Module& module, const SinkDataFlowEdgesOptions& options) {
  const std::vector<ir::Use> readers = readers_of_whole_edges(module);
  ir::sink_data_flow_edges(module,
                           {.sharding_origins = options.sink_debug_sharding_origins,
                            .propagation_edges = options.sink_debug_propagation_edge_sharding});
  // An owner keeps its own sharding if no edge of its op has one.
  for (const ir::Use& use : readers) {
    if (!reads_whole(module, use)) reshard_to_whole(module, use);
  }
}

void sink_func_data_flow_edges(ir::Module& module) { ir::sink_func_data_flow_edges(module); }

}  // namespace shardy::passes
