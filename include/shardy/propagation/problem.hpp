#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/detail/manual_view.hpp>
#include <shardy/propagation/detail/op_priority.hpp>
#include <shardy/propagation/detail/rows.hpp>
#include <shardy/propagation/rule_layout.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/typed_id.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::propagation {

using SlotId = TypedId<struct SlotTag>;  // a value of the problem
using NodeId = TypedId<struct NodeTag>;  // an op or another step
using RuleId = TypedId<struct RuleTag>;  // a rule, shared by nodes
using ViewId = TypedId<struct ViewTag>;  // a way to look at a slot from inside a manual computation
using GroupId = TypedId<struct GroupTag>;  // values that always have one sharding

/// One operand or result of a node: a slot, seen plainly or through a view.
struct TensorUse {
  SlotId slot;       // which value it is
  ViewId view = {};  // through which it is looked at; none: plainly
};

/// A value of the program and where its sharding is stored.
struct Slot {
  SlotId storage;              // itself, or the slot whose sharding it shares; none: no storage
  NodeId definer;              // first node with the slot as a result
  GroupId group;               // members of a group always have one sharding
  uint32_t num_uses = 0;       // one per operand position
  uint32_t num_users = 0;      // ops among them
  uint32_t rank = 0;           // number of dims
  std::size_t first_size = 0;  // where its dims begin among all sizes
};

/// One step of propagation, or an op that only uses and defines values.
struct Node {
  RuleId rule;                // none: not a step
  NodeId nested_end;          // nodes after this one and before the end are inside its regions
  uint32_t first_tensor = 0;  // where its tensors begin among all uses
  uint32_t num_operands = 0;  // the first tensors of the node
  uint32_t num_results = 0;   // behind the operands
  Direction direction = Direction::Both;          // in which directions axes go
  PriorityClass priority = PriorityClass::Other;  // by which op priorities order nodes
  bool is_elementwise = false;      // factors that compete for an axis are compared by their shards
  bool is_conservative = false;     // whole axes only
  bool is_removable = false;        // when none of its results is used
  bool operands_are_uses = true;    // not so for edges, which use only their owner
  bool is_function_result = false;  // runs before and after the others, wakes nobody
};

/// What the propagator solves: slots that hold shardings, nodes that relate them. It knows no IR;
/// `ProblemBuilder` makes one out of any. Only the shardings can change. Spec: propagation 7 - 9.
///
/// Nodes are numbered in program pre-order, which is the order of the first visit.
class Problem {
 public:
  /// How many values there are.
  std::size_t num_slots() const { return slots_.size(); }
  /// How many nodes there are.
  std::size_t num_nodes() const { return nodes_.size(); }
  /// How many views there are.
  std::size_t num_views() const { return views_.size(); }
  /// How many groups there are.
  std::size_t num_groups() const { return groups_.size(); }

  /// Requires: an id of this problem.
  const Slot& slot(SlotId id) const {
    SHARDY_EXPECTS(id.index() < slots_.size());
    return slots_[id.index()];
  }
  /// Requires: an id of this problem.
  const Node& node(NodeId id) const {
    SHARDY_EXPECTS(id.index() < nodes_.size());
    return nodes_[id.index()];
  }
  /// Requires: an id of this problem.
  const RuleLayout& rule(RuleId id) const {
    SHARDY_EXPECTS(id.index() < rules_.size());
    return rules_[id.index()];
  }
  /// Requires: an id of this problem.
  const ManualView& view(ViewId id) const {
    SHARDY_EXPECTS(id.index() < views_.size());
    return views_[id.index()];
  }

  /// Elements along each dim; -1: not known. Requires: an id of this problem.
  std::span<const int64_t> shape(SlotId id) const {
    return std::span<const int64_t>(sizes_).subspan(slot(id).first_size, slot(id).rank);
  }
  /// Operands, then results. Requires: an id of this problem.
  std::span<const TensorUse> tensors(NodeId id) const;
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
    SHARDY_EXPECTS(id.index() < slots_.size());
    return wakes_[id.index()];
  }
  /// Slots that turn from absent to open when this one is first written; includes itself. Requires:
  /// an id of this problem.
  std::span<const SlotId> siblings(SlotId id) const {
    SHARDY_EXPECTS(id.index() < sibling_row_.size());
    return sibling_row_[id.index()] == kNoRow ? std::span<const SlotId>()
                                              : siblings_[sibling_row_[id.index()]];
  }
  /// The slots of a group. Requires: an id of this problem.
  std::span<const SlotId> members(GroupId id) const {
    SHARDY_EXPECTS(id.index() < groups_.size());
    return groups_[id.index()];
  }
  /// The nodes that relate a returned value to the function's result, in order.
  std::span<const NodeId> function_results() const { return function_results_; }

  /// The sharding that the slot stores or shares. Requires: an id of this problem.
  const std::optional<TensorSharding>& sharding(SlotId id) const {
    const SlotId storage = slot(id).storage;
    return shardings_[storage ? storage.index() : id.index()];
  }
  /// Errors: no such slot, no storage, rank of the sharding.
  Status set_sharding(SlotId id, std::optional<TensorSharding> sharding);

 private:
  friend class ProblemBuilder;
  static constexpr auto kNoRow = static_cast<uint32_t>(-1);

  std::vector<Slot> slots_;
  std::vector<int64_t> sizes_;
  std::vector<std::optional<TensorSharding>> shardings_;  // one per slot; storage slots only
  std::vector<Node> nodes_;
  std::vector<TensorUse> tensors_;
  std::vector<RuleLayout> rules_;
  std::vector<ManualView> views_;
  Rows<NodeId> wakes_;
  Rows<SlotId> groups_;
  Rows<SlotId> siblings_;
  std::vector<uint32_t> sibling_row_;  // of each slot
  std::vector<NodeId> function_results_;
};

namespace detail {

std::string slot_text(SlotId id);

/// A sharding without dims on a mesh of a single device fits every tensor.
Status verify_rank(const TensorSharding& sharding, std::size_t rank);

}  // namespace detail

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/problem_inl.hpp>
#endif
