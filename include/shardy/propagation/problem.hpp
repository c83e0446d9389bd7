#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/detail/manual_view.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/typed_id.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::propagation {

using SlotId = TypedId<struct SlotTag>;  // a value of the problem
using NodeId = TypedId<struct NodeTag>;  // an op or another step
using RuleId = TypedId<struct RuleTag>;  // a rule, shared by nodes
using ViewId =
    TypedId<struct ViewTag>;  // a view of a slot from the other side of a manual computation
using GroupId = TypedId<struct GroupTag>;  // values that always have one sharding

class Problem;
class ProblemBuilder;

/// One operand or result of a node: a slot, read directly or through a view.
struct TensorUse {
  SlotId slot;       // which value it is
  ViewId view = {};  // view of the slot; invalid: read directly
};

/// A value of the program and where its sharding is stored.
struct Slot {
  SlotId storage;              // itself, or the slot whose sharding it shares; none: no storage
  NodeId definer;              // first node with the slot as a result
  GroupId group;               // members of a group always have one sharding
  uint32_t num_uses = 0;       // one per operand position
  uint32_t num_users = 0;      // ops among them
  uint32_t rank = 0;           // number of dims
  std::size_t first_size = 0;  // index of its first dim among all sizes
};

/// One step of propagation, or an op that only uses and defines values.
struct Node {
  RuleId rule;                // none: not a step
  NodeId nested_end;          // nodes after this one and before the end are inside its regions
  uint32_t first_tensor = 0;  // index of its first tensor among all uses
  uint32_t num_operands = 0;  // the first tensors of the node
  uint32_t num_results = 0;   // after the operands
  Direction direction = Direction::Both;          // directions in which axes propagate
  PriorityClass priority = PriorityClass::Other;  // class for op priorities
  bool is_elementwise = false;      // factors that compete for an axis are compared by their shards
  bool is_conservative = false;     // whole axes only
  bool is_removable = false;        // may be erased if its results are unused
  bool operands_are_uses = true;    // false for edges, which use only their owner
  bool is_function_result = false;  // runs before and after the others, wakes no node
};

namespace detail {

/// The tables of a problem for its solver, indexed by ids in the tables themselves. ProblemBuilder
/// has checked the ids.
class ProblemTables {
 public:
  std::size_t num_slots() const { return slots_.size(); }
  std::size_t num_nodes() const { return nodes_.size(); }
  std::size_t num_views() const { return views_.size(); }
  std::size_t num_groups() const { return groups_.size(); }

  const Slot& slot(SlotId id) const { return slots_[id.index()]; }
  const Node& node(NodeId id) const { return nodes_[id.index()]; }
  const FlatRule& rule(RuleId id) const { return rules_[id.index()]; }
  const ManualView& view(ViewId id) const { return views_[id.index()]; }
  std::span<const int64_t> shape(SlotId id) const {
    return {sizes_.data() + slot(id).first_size, slot(id).rank};
  }
  std::span<const TensorUse> tensors(NodeId id) const {
    const Node& of = node(id);
    return {tensors_.data() + of.first_tensor, std::size_t{of.num_operands} + of.num_results};
  }
  std::span<const TensorUse> operands(NodeId id) const {
    return {tensors_.data() + node(id).first_tensor, node(id).num_operands};
  }
  std::span<const TensorUse> results(NodeId id) const {
    return tensors(id).subspan(node(id).num_operands);
  }
  std::span<const NodeId> wakes(SlotId id) const { return wakes_[id.index()]; }
  std::span<const SlotId> siblings(SlotId id) const {
    const uint32_t row = sibling_row_[id.index()];
    return row == kNoRow ? std::span<const SlotId>() : siblings_[row];
  }
  std::span<const SlotId> members(GroupId id) const { return groups_[id.index()]; }
  std::span<const NodeId> function_results() const { return function_results_; }
  const std::optional<TensorSharding>& sharding(SlotId id) const {
    const SlotId storage = slot(id).storage;
    return shardings_[storage ? storage.index() : id.index()];
  }
  /// The tag of the caller; 0 without one.
  uint64_t tag(SlotId id) const {
    return id.index() < slot_tags_.size() ? slot_tags_[id.index()] : 0;
  }
  uint64_t tag(NodeId id) const {
    return id.index() < node_tags_.size() ? node_tags_[id.index()] : 0;
  }

 private:
  friend class propagation::Problem;
  friend class propagation::ProblemBuilder;
  static constexpr auto kNoRow = static_cast<uint32_t>(-1);

  std::vector<Slot> slots_;
  std::vector<int64_t> sizes_;
  std::vector<std::optional<TensorSharding>> shardings_;  // one per slot; storage slots only
  std::vector<Node> nodes_;
  std::vector<TensorUse> tensors_;
  std::vector<FlatRule> rules_;
  std::vector<ManualView> views_;
  RowLists<NodeId> wakes_;
  RowLists<SlotId> groups_;
  RowLists<SlotId> siblings_;
  std::vector<uint32_t> sibling_row_;  // of each slot
  std::vector<NodeId> function_results_;
  std::map<SlotId, TensorSharding> first_shardings_;  // that storage slots begin with
  std::vector<uint64_t> slot_tags_;                   // up to the last slot with a tag
  std::vector<uint64_t> node_tags_;                   // up to the last node with a tag
};

}  // namespace detail

/// The input of the propagator: slots that store shardings, and nodes that relate them. It is
/// independent of any IR; `ProblemBuilder` makes it. Only the shardings can change. Spec:
/// propagation 7 - 9.
///
/// Nodes are numbered in program pre-order, which is the order of the first visit.
class Problem {
 public:
  /// Returns the number of values.
  std::size_t num_slots() const { return tables_.num_slots(); }
  /// Returns the number of nodes.
  std::size_t num_nodes() const { return tables_.num_nodes(); }
  /// Returns the number of views.
  std::size_t num_views() const { return tables_.num_views(); }
  /// Returns the number of groups.
  std::size_t num_groups() const { return tables_.num_groups(); }

  /// Requires: an id of this problem.
  const Slot& slot(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.slot(id);
  }
  /// Requires: an id of this problem.
  const Node& node(NodeId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.nodes_));
    return tables_.node(id);
  }
  /// Requires: an id of this problem.
  const FlatRule& rule(RuleId id) const {
    SHARDY_EXPECTS(id.index() < tables_.rules_.size());
    return tables_.rule(id);
  }
  /// Requires: an id of this problem.
  const ManualView& view(ViewId id) const {
    SHARDY_EXPECTS(id.index() < num_views());
    return tables_.view(id);
  }

  /// Elements along each dim; -1: unknown. Requires: an id of this problem.
  std::span<const int64_t> shape(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.shape(id);
  }
  /// Operands, then results. Requires: an id of this problem.
  std::span<const TensorUse> tensors(NodeId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.nodes_));
    return tables_.tensors(id);
  }
  /// Operands of the node. Requires: an id of this problem.
  std::span<const TensorUse> operands(NodeId id) const {
    return tensors(id).first(node(id).num_operands);
  }
  /// Results of the node. Requires: an id of this problem.
  std::span<const TensorUse> results(NodeId id) const {
    return tensors(id).subspan(node(id).num_operands);
  }

  /// Nodes to visit again when the slot's sharding changes, in that order. Requires: a storage
  /// slot.
  std::span<const NodeId> wakes(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.wakes(id);
  }
  /// Slots whose absent sharding becomes open at the first write to this one; includes itself.
  /// Requires: an id of this problem.
  std::span<const SlotId> siblings(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.siblings(id);
  }
  /// The slots of a group. Requires: an id of this problem.
  std::span<const SlotId> members(GroupId id) const {
    SHARDY_EXPECTS(id.index() < num_groups());
    return tables_.members(id);
  }
  /// The nodes that relate a returned value to the function's result, in order.
  std::span<const NodeId> function_results() const { return tables_.function_results(); }

  /// The sharding that the slot stores or shares. Requires: an id of this problem.
  const std::optional<TensorSharding>& sharding(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.sharding(id);
  }
  /// Errors: no such slot, no storage, rank of the sharding.
  Status set_sharding(SlotId id, std::optional<TensorSharding> sharding);
  /// The same for the sharding that the slot begins with, which `reset` restores.
  Status edit_sharding(SlotId id, std::optional<TensorSharding> sharding);
  /// Gives each slot the sharding that it began with, for another propagation. Cost: linear in
  /// slots.
  void reset();

  /// The tag that the caller gave the slot: its own number of the value; 0 without one. Requires:
  /// an id of this problem.
  uint64_t tag(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.tag(id);
  }
  /// The tag that the caller gave the node; 0 without one. Requires: an id of this problem.
  uint64_t tag(NodeId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.nodes_));
    return tables_.tag(id);
  }

  /// Tables for the library's own loops.
  const detail::ProblemTables& tables() const { return tables_; }

 private:
  friend class ProblemBuilder;

  detail::ProblemTables tables_;
};

namespace detail {

std::string slot_text(SlotId id);

/// A sharding without dims on a mesh of a single device fits every tensor.
Status verify_rank(const TensorSharding& sharding, std::size_t rank);

}  // namespace detail

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <utility>

namespace shardy::propagation::detail {

SHARDY_INLINE std::string slot_text(SlotId id) { return "slot " + std::to_string(id.value); }

SHARDY_INLINE Status verify_rank(const TensorSharding& sharding, std::size_t rank) {
  if (sharding.rank() == rank || sharding.mesh().is_maximal()) return {};
  return fail("sharding rank must match tensor rank: " + std::to_string(sharding.rank()) +
              " != " + std::to_string(rank));
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE Status Problem::set_sharding(SlotId id, std::optional<TensorSharding> sharding) {
  if (id.index() >= num_slots()) return fail("no such slot: " + std::to_string(id.value));
  if (!slot(id).storage) return fail(detail::slot_text(id) + " has no storage");
  if (sharding) {
    SHARDY_TRY_STATUS(detail::verify_rank(*sharding, slot(id).rank));
  }
  tables_.shardings_[slot(id).storage.index()] = std::move(sharding);
  return {};
}

SHARDY_INLINE Status Problem::edit_sharding(SlotId id, std::optional<TensorSharding> sharding) {
  SHARDY_TRY_STATUS(set_sharding(id, sharding));
  const SlotId storage = slot(id).storage;
  tables_.first_shardings_.erase(storage);
  if (sharding) tables_.first_shardings_.emplace(storage, *std::move(sharding));
  return {};
}

SHARDY_INLINE void Problem::reset() {
  for (std::optional<TensorSharding>& each : tables_.shardings_) each.reset();
  for (const auto& [slot, sharding] : tables_.first_shardings_) {
    tables_.shardings_[slot.index()] = sharding;
  }
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
