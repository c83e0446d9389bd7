// Data-flow edges: values of an op with regions that must all be sharded alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <vector>

namespace shardy::ir {

// An edge of an op X connects sources (operands of X, operands of the terminators of X's regions)
// with targets (results of X, block arguments of X). One target is the owner: its sharding is that
// of all. All functions here accept ops that the verifier refuses: a missing operand or result is
// in no edge of the op. Spec: dialect 5.1, 5.2.

/// The first block of region `index`, if both exist.
std::optional<BlockId> entry_block(const Module& module, OpId op, std::size_t index = 0);

/// The op that ends the block and hands its operands out of it, if there is one.
std::optional<OpId> return_op(const Module& module, BlockId block);

/// Named and manual computations: their block arguments own edges.
inline bool is_computation(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyNamedComputation) || module.is(op, OpKind::SdyManualComputation);
}

/// Block arguments that own an edge, in order.
std::vector<ValueId> block_arg_edge_owners(const Module& module, OpId op);

/// Results that own an edge, in order: all of a data-flow op.
inline std::vector<ValueId> result_edge_owners(const Module& module, OpId op) {
  if (!module.has_trait(op, kDataFlow)) return {};
  return module.results(op);
}

namespace detail {

/// The data-flow op that has the value as a result or block argument; invalid if none does.
OpId data_flow_op(const Module& module, ValueId value);

inline void add_operand(const Module& module, OpId op, std::size_t index,
                        std::vector<Use>& sources) {
  if (index < module.num_operands(op)) sources.push_back(Use{op, static_cast<uint32_t>(index)});
}

}  // namespace detail

/// The owner of the edge that `target` is a target of.
std::optional<ValueId> edge_owner_of_target(const Module& module, ValueId target);

/// The owner of the edge that is fed by this operand. Neither the index of a case nor the condition
/// of a while feeds one.
std::optional<ValueId> edge_owner_of_source(const Module& module, Use use);

/// The operands that feed the edge of `owner`, the op's own first, then by region.
std::vector<Use> edge_sources(const Module& module, ValueId owner);

/// Targets of the edge besides its owner: the arguments of both regions of a while.
std::vector<ValueId> non_owner_targets(const Module& module, ValueId owner);

/// The `sdy.data_flow_edge` of the edge with this owner: its only user. Spec: dialect 5.3.
std::optional<OpId> edge_op_of_owner(const Module& module, ValueId owner);

/// The op whose data-flow edge ends in the value; nothing if it is the target of none.
inline std::optional<OpId> edge_op_of_target(const Module& module, ValueId target) {
  const std::optional<ValueId> owner = edge_owner_of_target(module, target);
  return owner ? edge_op_of_owner(module, *owner) : std::nullopt;
}

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/data_flow_inl.hpp>
#endif
