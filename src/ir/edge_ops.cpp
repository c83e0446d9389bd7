#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {

namespace {

/// Inserts an edge op directly after its input and redirects all other uses of the input to it.
void insert_edge(Module& module, OpKind kind, ValueId input, AttributeMap attributes) {
  const ValueOwner owner = module.owner(input);
  const OpId near = owner.is_result() ? owner.op : module.parent_op(owner.block);
  Builder builder =
      owner.is_result() ? Builder::after(module, owner.op) : Builder::at_start(module, owner.block);
  builder.set_location(module.location(near));
  const ValueId edge =
      builder.create_value(kind, {input}, module.type(input), std::move(attributes));
  module.replace_all_uses(input, edge);
  module.set_operand(module.defining_op(edge), 0, input);
}

/// Inserts the edges from the last value to the first, because each new edge goes in front of the
/// edges inserted before.
void insert_edges(Module& module, std::span<const ValueId> owners) {
  for (std::size_t index = owners.size(); index-- > 0;) {
    const ValueId owner = owners[index];
    if (!has_static_shape(module.type(owner)) || edge_op_of_owner(module, owner)) continue;
    AttributeMap attributes;
    if (auto sharding = get_sharding(module, owner)) attributes.set(attr::kSharding, *sharding);
    insert_edge(module, OpKind::SdyDataFlowEdge, owner, std::move(attributes));
  }
}

void replace_by_input(Module& module, OpId edge) {
  module.replace_all_uses(module.result(edge), module.operand(edge, 0));
  module.erase(edge);
}

}  // namespace

void insert_data_flow_edges(Module& module, OpId op) {
  if (!module.has_trait(op, kDataFlow)) return;
  for (const EdgeOwners which : kEdgeOwners) insert_edges(module, edge_owners(module, op, which));
}

void insert_data_flow_edges(Module& module) {
  for (const OpId op : post_order(module)) insert_data_flow_edges(module, op);
}

// ---- Sinking ------------------------------------------------------------------------------------

namespace {

/// Returns the edge op of each owner; invalid for an owner without an edge op.
std::vector<OpId> edge_ops(const Module& module, std::span<const ValueId> owners) {
  std::vector<OpId> edges;
  for (const ValueId owner : owners) {
    edges.push_back(edge_op_of_owner(module, owner).value_or(OpId()));
  }
  return edges;
}

const TensorSharding* edge_sharding(const Module& module, OpId edge) {
  return edge.valid() ? module.attribute<TensorSharding>(edge, attr::kSharding) : nullptr;
}

/// A value without an edge keeps the sharding that the op has for it: without its manual axes, a
/// value of a manual computation would have another shape.
void sink_one_by_one(Module& module, std::span<const ValueId> owners, std::span<const OpId> edges) {
  for (std::size_t index = 0; index < owners.size(); ++index) {
    const TensorSharding* sharding = edge_sharding(module, edges[index]);
    if (sharding != nullptr) set_edge_owner_sharding(module, owners[index], *sharding);
  }
}

void sink_shardings(Module& module, OpId op, EdgeOwners which, std::span<const OpId> edges) {
  const std::vector<ValueId> owners = edge_owners(module, op, which);
  const TensorSharding* first = nullptr;
  for (const OpId edge : edges) {
    if (first == nullptr) first = edge_sharding(module, edge);
  }
  if (first == nullptr) return;
  if (module.is(op, OpKind::SdyManualComputation)) return sink_one_by_one(module, owners, edges);
  std::vector<TensorSharding> shardings;
  for (std::size_t index = 0; index < owners.size(); ++index) {
    const TensorSharding* sharding = edge_sharding(module, edges[index]);
    shardings.push_back(sharding ? *sharding : open_sharding_of(module, owners[index], *first));
  }
  set_edge_owner_shardings(module, op, which, shardings);
}

std::string_view sunk_name(EdgeOwners which, bool is_origins) {
  if (which == EdgeOwners::BlockArgs) {
    return is_origins ? "sdy.block_arg_sharding_origins" : "sdy.block_arg_propagation_edges";
  }
  return is_origins ? "sdy.result_sharding_origins" : "sdy.result_propagation_edges";
}

/// Stores one dictionary of origins per edge op. The dictionary of an edge without origins is
/// empty.
void sink_origins(Module& module, OpId op, EdgeOwners which, std::span<const OpId> edges) {
  ArrayAttr all;
  bool is_any = false;
  for (const OpId edge : edges) {
    if (!edge.valid()) continue;
    const Attribute* origins = module.attributes(edge).find("sdy.sharding_origins");
    is_any = is_any || origins != nullptr;
    all.elements.push_back(origins ? *origins : Attribute(AttributeMap()));
  }
  if (is_any) module.attributes(op).set(sunk_name(which, true), std::move(all));
}

/// Merges the propagation edges of the edge ops into the op.
void sink_propagation_edges(Module& module, OpId op, EdgeOwners which,
                            std::span<const OpId> edges) {
  ArrayAttr all;
  for (const OpId edge : edges) {
    if (!edge.valid()) continue;
    const Attribute* steps = module.attributes(edge).find("sdy.propagation_edges");
    if (steps) all.elements.push_back(*steps);
  }
  if (!all.elements.empty()) module.attributes(op).set(sunk_name(which, false), std::move(all));
}

void sink_edges_of(Module& module, OpId op, const SinkOptions& options) {
  for (const EdgeOwners which : kEdgeOwners) {
    const std::vector<OpId> edges = edge_ops(module, edge_owners(module, op, which));
    sink_shardings(module, op, which, edges);
    if (options.sharding_origins) sink_origins(module, op, which, edges);
    if (options.propagation_edges) sink_propagation_edges(module, op, which, edges);
  }
}

}  // namespace

void sink_data_flow_edges(Module& module, SinkOptions options) {
  // Visits the ops in pre-order, so that an op comes before the edges of its arguments and results.
  for (const OpId op : pre_order(module)) {
    if (module.has_trait(op, kDataFlow)) sink_edges_of(module, op, options);
    if (module.is(op, OpKind::SdyDataFlowEdge)) replace_by_input(module, op);
  }
}

// ---- Edges of functions -------------------------------------------------------------------------

namespace {

void insert_func_edges(Module& module, std::span<const ValueId> values) {
  for (std::size_t index = values.size(); index-- > 0;) {
    const ValueId value = values[index];
    if (!has_static_shape(module.type(value))) continue;
    const auto has_edge = [&](const Use& use) {
      return module.is(use.op, OpKind::SdyFuncDataFlowEdge);
    };
    if (std::ranges::any_of(module.uses(value), has_edge)) continue;
    AttributeMap attributes;
    if (auto sharding = get_sharding(module, value)) {
      attributes.set(kShardingAttr, ShardingList{{*std::move(sharding)}});
    }
    insert_edge(module, OpKind::SdyFuncDataFlowEdge, value, std::move(attributes));
  }
}

}  // namespace

Status insert_func_data_flow_edges(Module& module) {
  const std::optional<OpId> main = module.main_function();
  if (!main) {
    return tl::unexpected(no_main_function(module, "Failed to lookup function: main"));
  }
  for (const OpId function : module.functions()) {
    if (function == *main || module.is_external(function)) continue;
    const auto args = module.args(module.entry(function));
    insert_func_edges(module, std::vector<ValueId>(args.begin(), args.end()));
  }
  for (const OpId op : post_order(module)) {
    if (module.is(op, OpKind::FuncCall)) insert_func_edges(module, module.results(op));
  }
  return {};
}

void sink_func_data_flow_edges(Module& module) {
  for (const OpId op : pre_order(module)) {
    if (!module.is(op, OpKind::SdyFuncDataFlowEdge)) continue;
    const ValueId input = module.operand(op, 0);
    const auto after = get_sharding(module, module.result(op));
    const auto before = get_sharding(module, input);
    if (after) {
      set_sharding(module, input, *after);
    } else if (before) {
      set_sharding(module, input, before->fully_open_like());
    }
    replace_by_input(module, op);
  }
}

}  // namespace shardy::ir
