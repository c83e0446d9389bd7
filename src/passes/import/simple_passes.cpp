// Import passes that are one step over the machinery of others.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/edge_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/common/sharding_walker.hpp"
#include "shardy/passes/common/symbols.hpp"
#include "shardy/passes/import/import_passes.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

PassErrors errors_of(Status status) {
  if (status) return {};
  return {std::move(status).error()};
}

bool has_size_one_axis(const Module& module) {
  return std::ranges::any_of(module.meshes(), [&](OpId op) {
    const auto* mesh = module.attribute<Mesh>(op, "mesh");
    return mesh != nullptr &&
           std::ranges::find(mesh->axes(), 1, &MeshAxis::size) != mesh->axes().end();
  });
}

/// Parts of an axis that stood around one of size 1 may now merge.
AxisList without_size_one(const AxisList& axes) {
  AxisList kept;
  for (const AxisRef& axis : axes) {
    if (axis.size != 1) append_or_merge(kept, axis);
  }
  return kept;
}

TensorSharding without_size_one(const TensorSharding& sharding) {
  std::vector<AxisList> dims;
  for (const DimSharding& dim : sharding.dims()) dims.push_back(without_size_one(dim.axes));
  return sharding.with_dim_axes(std::move(dims))
      .with_replicated(without_size_one(sharding.replicated_axes()))
      .with_unreduced(without_size_one(sharding.unreduced_axes()));
}

}  // namespace

PassErrors symbol_dce(Module& module) {
  erase_dead_symbols(module);
  return {};
}

PassErrors remove_size_one_axes(Module& module) {
  if (!has_size_one_axis(module)) return {};
  if (Status known = verify_meshes(module); !known) return errors_of(std::move(known));
  transform_shardings(module,
                      [](const TensorSharding& sharding) { return without_size_one(sharding); });
  return {};
}

PassErrors propagate_sharding_from_func_to_call(Module& module) {
  for (const OpId call : ir::pre_order(module)) {
    if (!module.is(call, OpKind::FuncCall)) continue;
    const Result<OpId> callee = called_function(module, call);
    if (!callee) return {callee.error()};
    if (module.attributes(call).contains(ir::kShardingAttr)) continue;
    std::optional<std::vector<TensorSharding>> shardings =
        ir::func_result_shardings(module, *callee);
    if (!shardings) continue;
    module.attributes(call).set(ir::kShardingAttr, ir::ShardingList{*std::move(shardings)});
  }
  return {};
}

PassErrors add_data_flow_edges(Module& module) {
  ir::insert_data_flow_edges(module);
  return {};
}

PassErrors add_func_data_flow_edges(Module& module) {
  if (const auto calls = verified_calls_with_bodies(module); !calls) return {calls.error()};
  return errors_of(ir::insert_func_data_flow_edges(module));
}

PassErrors pre_order_funcs(Module& module) {
  ir::CallGraph graph = ir::call_graph(module);
  if (Status status = ir::verify_acyclic(module, graph); !status) {
    return errors_of(std::move(status));
  }
  std::ranges::reverse(graph.functions);
  for (const OpId function : graph.functions) {
    module.remove(function);
    module.append(module.body(), function);
  }
  return {};
}

}  // namespace shardy::passes
