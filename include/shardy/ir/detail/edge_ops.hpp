// Edge ops. An edge op represents a data-flow edge and holds the sharding of the edge's targets.
#pragma once

#include <algorithm>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>

namespace shardy::ir {

/// Checks whether a data-flow edge of values of this type gets an edge op: tensors and vectors of
/// static shape.
inline bool has_static_shape(const Type& type) {
  const TypeShape shape(type);
  return shape.kind() == ValueShape::Kind::Ranked &&
         std::ranges::find(shape.dims(), kDynamicDim) == shape.dims().end();
}

/// Inserts `sdy.data_flow_edge` after each edge owner of static shape. The edge op gets the owner's
/// sharding, if the owner has one, and replaces the owner in all other uses. Owners that already
/// have an edge op are unchanged. Edge ops are in the order of their owners. Spec: dialect 5.3,
/// passes 4.7.
void insert_data_flow_edges(Module& module);

/// Inserts `sdy.data_flow_edge` for the edges of one op, as the overload for modules.
void insert_data_flow_edges(Module& module, OpId op);

/// Debugging attributes of edge ops that survive sink_data_flow_edges, as array attributes of the
/// data-flow op.
struct SinkOptions {
  bool sharding_origins = false;   // keep `sdy.sharding_origins`
  bool propagation_edges = false;  // keep `sdy.propagation_edges`
};

/// Reverses insert_data_flow_edges: edge owners store the shardings of their edge ops, and users of
/// an edge op use its operand again. If the edge op of any block argument (any result) has a
/// sharding, all owners among the block arguments (results) get a sharding. Owners whose edge op
/// has none get a fully open sharding on the mesh of the first sharding. Spec: dialect 5.3, passes
/// 5.2.
void sink_data_flow_edges(Module& module, SinkOptions options = {});

/// Inserts `sdy.func_data_flow_edge` after each argument of static shape of all functions except
/// main, and after each result of static shape of a call. Functions without a body get no edge ops.
/// Errors: the module has several functions and no main. Spec: dialect 6, passes 4.11.
Status insert_func_data_flow_edges(Module& module);

/// Reverses insert_func_data_flow_edges. If an edge op has no sharding but its operand has one, the
/// operand gets a fully open sharding. Spec: dialect 6, passes 5.3.
void sink_func_data_flow_edges(Module& module);

}  // namespace shardy::ir
