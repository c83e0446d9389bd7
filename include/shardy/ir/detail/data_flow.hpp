// Data-flow edges: sets of values around an op with regions that must have equal shardings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy::ir {

// An edge of an op X connects sources (operands of X, operands of the terminators of X's regions)
// with targets (results of X, block arguments of X). One target is the owner, which stores the
// sharding of the edge. All functions accept invalid ops; missing operands and results belong to no
// edge. Spec: dialect 5.1, 5.2.

/// Returns the first block of region `index`; std::nullopt if the region or the block does not
/// exist.
std::optional<BlockId> entry_block(const Module& module, OpId op, std::size_t index = 0);

/// Returns the terminator of `block` if the terminator passes its operands to the parent op.
std::optional<OpId> return_op(const Module& module, BlockId block);

/// Checks whether `op` is a named or manual computation. The block arguments of these ops own
/// edges.
inline bool is_computation(const Module& module, OpId op) {
  return module.is(op, OpKind::SdyNamedComputation) || module.is(op, OpKind::SdyManualComputation);
}

/// Returns the block arguments of `op` that own an edge, in order.
std::vector<ValueId> block_arg_edge_owners(const Module& module, OpId op);

/// Returns the results of `op` that own an edge, in order: all results of a data-flow op.
inline std::vector<ValueId> result_edge_owners(const Module& module, OpId op) {
  if (!module.has_trait(op, kDataFlow)) return {};
  return module.results(op);
}

namespace detail {

/// Returns the data-flow op that has `value` as a result or block argument; invalid without such an
/// op.
OpId data_flow_op(const Module& module, ValueId value);

inline void add_operand(const Module& module, OpId op, std::size_t index,
                        std::vector<Use>& sources) {
  if (index < module.num_operands(op)) sources.push_back(Use{op, static_cast<uint32_t>(index)});
}

}  // namespace detail

/// Returns the owner of the edge that has `target` among its targets.
std::optional<ValueId> edge_owner_of_target(const Module& module, ValueId target);

/// Returns the owner of the edge that has the operand `use` as a source. The index of a case and
/// the condition of a while are not sources.
std::optional<ValueId> edge_owner_of_source(const Module& module, Use use);

/// Returns the operands that are sources of the edge of `owner`: operands of the data-flow op, then
/// operands of terminators in the order of regions.
std::vector<Use> edge_sources(const Module& module, ValueId owner);

/// Returns the targets of the edge besides its owner. Only the edges of a while have such targets:
/// an argument of each region.
std::vector<ValueId> non_owner_targets(const Module& module, ValueId owner);

/// Returns the `sdy.data_flow_edge` that uses `owner`, the owner of an edge; std::nullopt without
/// an edge op. An edge op is the only user of `owner`. Spec: dialect 5.3.
std::optional<OpId> edge_op_of_owner(const Module& module, ValueId owner);

/// Returns the `sdy.data_flow_edge` of the edge that has `target` among its targets; std::nullopt
/// if none exists.
inline std::optional<OpId> edge_op_of_target(const Module& module, ValueId target) {
  const std::optional<ValueId> owner = edge_owner_of_target(module, target);
  return owner ? edge_op_of_owner(module, *owner) : std::nullopt;
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
namespace shardy::ir::detail {

inline std::optional<ValueId> result_at(const Module& module, OpId op, std::size_t index) {
  if (index >= module.num_results(op)) return std::nullopt;
  return module.result(op, index);
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::optional<BlockId> entry_block(const Module& module, OpId op, std::size_t index) {
  const auto regions = module.regions(op);
  if (index >= regions.size() || module.blocks(regions[index]).empty()) return std::nullopt;
  return module.blocks(regions[index]).front();
}

SHARDY_INLINE std::optional<OpId> return_op(const Module& module, BlockId block) {
  const OpId last = module.last_op(block);
  if (!last.valid() || !module.has_trait(last, kReturnLike)) return std::nullopt;
  return last;
}

SHARDY_INLINE std::vector<ValueId> block_arg_edge_owners(const Module& module, OpId op) {
  if (!is_computation(module, op)) return {};
  const std::optional<BlockId> body = entry_block(module, op);
  if (!body) return {};
  const auto args = module.args(*body);
  return {args.begin(), args.end()};
}

}  // namespace shardy::ir

namespace shardy::ir::detail {

SHARDY_INLINE OpId data_flow_op(const Module& module, ValueId value) {
  const ValueOwner owner = module.owner(value);
  const OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
  return op.valid() && module.has_trait(op, kDataFlow) ? op : OpId();
}

/// Appends operand `index` of each terminator of the regions of `op`, starting at region
/// `first_region`.
SHARDY_INLINE void add_returned(const Module& module, OpId op, std::size_t first_region,
                                std::size_t index, std::vector<Use>& sources) {
  for (std::size_t region = first_region; region < module.regions(op).size(); ++region) {
    const std::optional<BlockId> block = entry_block(module, op, region);
    const std::optional<OpId> last = block ? return_op(module, *block) : std::nullopt;
    if (!last || index >= module.num_operands(*last)) continue;
    sources.push_back(Use{*last, static_cast<uint32_t>(index)});
  }
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::optional<ValueId> edge_owner_of_target(const Module& module, ValueId target) {
  const OpId op = detail::data_flow_op(module, target);
  if (!op.valid()) return std::nullopt;
  const ValueOwner owner = module.owner(target);
  if (owner.is_result() || is_computation(module, op)) return target;
  // Argument i of both regions of a while corresponds to result i.
  if (module.is(op, OpKind::While)) return detail::result_at(module, op, owner.index);
  return std::nullopt;
}

SHARDY_INLINE std::optional<ValueId> edge_owner_of_source(const Module& module, Use use) {
  if (module.has_trait(use.op, kReturnLike)) {
    const BlockId block = module.parent_block(use.op);
    const OpId op = block.valid() ? module.parent_op(block) : OpId();
    if (!op.valid() || !module.has_trait(op, kDataFlow)) return std::nullopt;
    const bool is_condition = module.is(op, OpKind::While) && entry_block(module, op, 0) == block;
    if (is_condition) return std::nullopt;
    return detail::result_at(module, op, use.operand);
  }
  if (!module.has_trait(use.op, kDataFlow) || module.is(use.op, OpKind::Case)) return std::nullopt;
  if (!is_computation(module, use.op)) return detail::result_at(module, use.op, use.operand);
  const std::vector<ValueId> args = block_arg_edge_owners(module, use.op);
  return use.operand < args.size() ? std::optional(args[use.operand]) : std::nullopt;
}

SHARDY_INLINE std::vector<Use> edge_sources(const Module& module, ValueId owner) {
  std::vector<Use> sources;
  const OpId op = detail::data_flow_op(module, owner);
  if (!op.valid()) return sources;
  const std::size_t index = module.owner(owner).index;
  if (!module.owner(owner).is_result()) {
    if (is_computation(module, op)) detail::add_operand(module, op, index, sources);
    return sources;
  }
  switch (module.kind(op)) {
    case OpKind::While:
      detail::add_operand(module, op, index, sources);
      detail::add_returned(module, op, 1, index, sources);
      break;
    case OpKind::OptimizationBarrier:
      detail::add_operand(module, op, index, sources);
      break;
    default:  // case, named and manual computations
      detail::add_returned(module, op, 0, index, sources);
  }
  return sources;
}

SHARDY_INLINE std::vector<ValueId> non_owner_targets(const Module& module, ValueId owner) {
  std::vector<ValueId> targets;
  const OpId op = detail::data_flow_op(module, owner);
  if (!op.valid() || !module.is(op, OpKind::While) || !module.owner(owner).is_result()) return {};
  const std::size_t index = module.owner(owner).index;
  for (std::size_t region = 0; region < module.regions(op).size(); ++region) {
    const std::optional<BlockId> block = entry_block(module, op, region);
    if (block && index < module.args(*block).size()) targets.push_back(module.args(*block)[index]);
  }
  return targets;
}

SHARDY_INLINE std::optional<OpId> edge_op_of_owner(const Module& module, ValueId owner) {
  if (module.num_uses(owner) != 1) return std::nullopt;
  const OpId user = module.uses(owner).front().op;
  if (!module.is(user, OpKind::SdyDataFlowEdge) || module.num_results(user) != 1) {
    return std::nullopt;
  }
  return user;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
