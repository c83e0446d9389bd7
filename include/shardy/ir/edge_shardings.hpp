// Shardings of the owners of data-flow edges: all of an op at once, and as propagation sees them.
#pragma once

#include <cstdint>
#include <shardy/ir/data_flow.hpp>
#include <span>
#include <vector>

namespace shardy::ir {

// These functions read and write the op of an edge itself, even if the edge has an edge op;
// get_sharding and set_sharding go to the edge op if there is one. Spec: dialect 5.2, 9.1.

/// The two kinds of edge owners of an op. Order: block arguments are handled before results.
enum class EdgeOwners : uint8_t { BlockArgs, Results };
/// Both of them, in the order in which edges are numbered.
inline constexpr EdgeOwners kEdgeOwners[] = {EdgeOwners::BlockArgs, EdgeOwners::Results};

/// Reading a sharding before propagation along an edge, or writing the one that came of it.
enum class EdgeTransform : uint8_t { BeforePropagation, AfterPropagation };

/// The values of an op whose shardings stand for its data-flow edges. Empty for other ops.
inline std::vector<ValueId> edge_owners(const Module& module, OpId op, EdgeOwners which) {
  return which == EdgeOwners::BlockArgs ? block_arg_edge_owners(module, op)
                                        : result_edge_owners(module, op);
}

/// The edges of this op, seen from outside, must divide the dims of their values.
inline bool keep_edge_shardings_divisible(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyManualComputation);
}

/// One sharding per owner, or none at all if the op stores none.
std::vector<TensorSharding> edge_owner_shardings(const Module& module, OpId op, EdgeOwners which);

/// Stores the sharding of one owner; others that have none yet become fully open on the same mesh.
/// Does nothing if `owner` is not an edge owner.
void set_edge_owner_sharding(Module& module, ValueId owner, const TensorSharding& sharding);

/// Stores the shardings of all owners, in one list. Requires: one per owner.
void set_edge_owner_shardings(Module& module, OpId op, EdgeOwners which,
                              std::span<const TensorSharding> shardings);

/// `sharding`, stored at the edge of `owner`, as the sources of the edge see it; or, after
/// propagation, what the sources came to as it is stored. Only the edges of manual computations
/// have two sides. Spec: dialect 5.3, table.
TensorSharding transform_target_sharding(const Module& module, ValueId owner,
                                         const TensorSharding& sharding, EdgeTransform transform);

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/edge_shardings_inl.hpp>
#endif
