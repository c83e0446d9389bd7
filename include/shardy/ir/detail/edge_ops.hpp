// Edge ops: one op per data-flow edge that holds the sharding of all its targets.
#pragma once

#include <algorithm>
#include <shardy/ir/detail/type_shape.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>

namespace shardy::ir {

/// Checks whether an edge of such values has an edge op: tensors and vectors of static shape.
inline bool has_static_shape(const Type& type) {
  const TypeShape shape(type);
  return shape.kind() == ValueShape::Kind::Ranked &&
         std::ranges::find(shape.dims(), kDynamicDim) == shape.dims().end();
}

/// Inserts `sdy.data_flow_edge` after each edge owner of static shape, with its sharding, if it has
/// one; all other uses of the owner move to the edge. Owners with an edge op are unchanged. Edges
/// are in the order of the owners. Spec: dialect 5.3, passes 4.7.
void insert_data_flow_edges(Module& module);

/// The same for the edges of one op.
void insert_data_flow_edges(Module& module, OpId op);

/// Debugging attributes of edge ops that are kept, as arrays on the op of the edge.
struct SinkOptions {
  bool sharding_origins = false;   // also those of `sdy.sharding_origins`
  bool propagation_edges = false;  // also those of `sdy.propagation_edges`
};

/// Reverses the insertion: the shardings of edge ops are stored at the owners, and users of an edge
/// op read its input again. If an edge op of some block argument (result) has a sharding, all
/// owners get one; missing ones are fully open on the mesh of the first. Spec: dialect 5.3, passes
/// 5.2.
void sink_data_flow_edges(Module& module, SinkOptions options = {});

/// Inserts `sdy.func_data_flow_edge` after each argument of static shape of all functions but main,
/// and after each such result of calls. Functions without body get none. Errors: several functions
/// and no main. Spec: dialect 6, passes 4.11.
Status insert_func_data_flow_edges(Module& module);

/// Reverses the insertion. An edge without a sharding leaves a fully open one on its input, if that
/// has one. Spec: dialect 6, passes 5.3.
void sink_func_data_flow_edges(Module& module);

}  // namespace shardy::ir
