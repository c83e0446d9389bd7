// The propagation problem, independent of any IR, and callbacks that replace rules of its solver:
// the candidate axes of a factor, the order of factors that compete for an axis, and the order of
// ops and user priorities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/detail/extensions.hpp>
#include <shardy/propagation/detail/manual_view.hpp>
#include <shardy/propagation/detail/strategy.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/typed_id.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::propagation {

using SlotId = TypedId<struct SlotTag>;  // a value of the problem
using RuleId = TypedId<struct RuleTag>;  // a sharding rule, which nodes share
using ViewId =
    TypedId<struct ViewTag>;  // view of a slot across the boundary of a manual computation
using GroupId = TypedId<struct GroupTag>;  // a sharding group: slots with equal shardings

class Problem;
class ProblemBuilder;

/// One operand or result of a node: a slot, which is read directly or through a view.
struct TensorUse {
  SlotId slot;       // slot of the operand or result
  ViewId view = {};  // view of the slot; invalid: the slot is read directly
};

/// A value of the program, with the slot that stores its sharding.
struct Slot {
  /// The slot that stores the sharding, possibly this one; invalid: no sharding is stored.
  SlotId storage;
  NodeId definer;              // first node that has the slot as a result
  GroupId group;               // sharding group of the slot; invalid: none
  uint32_t num_uses = 0;       // number of uses as operands
  uint32_t num_users = 0;      // number of ops with such uses
  uint32_t rank = 0;           // number of dims
  std::size_t first_size = 0;  // index of the first dim in the list of all sizes
};

/// One propagation step, or an op that does not propagate but uses and defines values.
struct Node {
  RuleId rule;        // sharding rule; invalid: the node is not a step
  NodeId nested_end;  // end of the nodes in the regions of this node, which follow this node
  uint32_t first_tensor = 0;              // index of the first operand among all tensor uses
  uint32_t num_operands = 0;              // number of operands
  uint32_t num_results = 0;               // number of results, which follow the operands
  Direction direction = Direction::Both;  // directions in which axes may propagate
  PriorityClass priority = PriorityClass::Other;  // class of the op for op priorities
  /// True for elementwise ops, whose factors compete by number of shards.
  bool is_elementwise = false;
  bool is_conservative = false;   // true if only full axes propagate
  bool is_removable = false;      // true if the op may be erased when its results are unused
  bool operands_are_uses = true;  // false for edges, whose only use is their owner
  /// True for function results, which run before and after all other nodes.
  bool is_function_result = false;
};

namespace detail {

/// The tables of a problem for the solver. Ids are valid indices, because ProblemBuilder has
/// checked them.
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
  /// Returns the caller's tag of the slot; 0 without a tag.
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
  // One per slot; set for storage slots only.
  std::vector<std::optional<TensorSharding>> shardings_;
  std::vector<Node> nodes_;
  std::vector<TensorUse> tensors_;
  std::vector<FlatRule> rules_;
  std::vector<ManualView> views_;
  RowLists<NodeId> wakes_;
  RowLists<SlotId> groups_;
  RowLists<SlotId> siblings_;
  std::vector<uint32_t> sibling_row_;  // row in the sibling lists for each slot
  std::vector<NodeId> function_results_;
  std::map<SlotId, TensorSharding> first_shardings_;  // initial shardings of storage slots
  std::vector<uint64_t> slot_tags_;                   // tags up to the last slot that has one
  std::vector<uint64_t> node_tags_;                   // tags up to the last node that has one
};

}  // namespace detail

/// The input of propagation: slots that store shardings, and nodes that relate slots. A problem is
/// independent of any IR; ProblemBuilder creates it, and afterwards only the shardings change.
/// Spec: propagation 7 to 9.
///
/// Nodes are numbered in program pre-order, which is also the order of their first visits.
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

  /// Returns a slot. Requires: an id of this problem.
  const Slot& slot(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.slot(id);
  }
  /// Returns a node. Requires: an id of this problem.
  const Node& node(NodeId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.nodes_));
    return tables_.node(id);
  }
  /// Returns a sharding rule. Requires: an id of this problem.
  const FlatRule& rule(RuleId id) const {
    SHARDY_EXPECTS(id.index() < tables_.rules_.size());
    return tables_.rule(id);
  }
  /// Returns a view. Requires: an id of this problem.
  const ManualView& view(ViewId id) const {
    SHARDY_EXPECTS(id.index() < num_views());
    return tables_.view(id);
  }

  /// Returns the sizes of the dims; -1: unknown. Requires: an id of this problem.
  std::span<const int64_t> shape(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.shape(id);
  }
  /// Returns operands, then results, of the node. Requires: an id of this problem.
  std::span<const TensorUse> tensors(NodeId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.nodes_));
    return tables_.tensors(id);
  }
  /// Returns the operands of the node. Requires: an id of this problem.
  std::span<const TensorUse> operands(NodeId id) const {
    return tensors(id).first(node(id).num_operands);
  }
  /// Returns the results of the node. Requires: an id of this problem.
  std::span<const TensorUse> results(NodeId id) const {
    return tensors(id).subspan(node(id).num_operands);
  }

  /// Returns the nodes to visit again after a change of the slot's sharding, in visiting order.
  /// Requires: a storage slot.
  std::span<const NodeId> wakes(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.wakes(id);
  }
  /// Returns the siblings of the slot, including the slot. At the first write to one of them,
  /// missing shardings of the others become open. Requires: an id of this problem.
  std::span<const SlotId> siblings(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.siblings(id);
  }
  /// Returns the slots of a group. Requires: an id of this problem.
  std::span<const SlotId> members(GroupId id) const {
    SHARDY_EXPECTS(id.index() < num_groups());
    return tables_.members(id);
  }
  /// Returns the nodes that relate a returned value to a function result, in order.
  std::span<const NodeId> function_results() const { return tables_.function_results(); }

  /// Returns the current sharding of the slot; std::nullopt without one. Requires: an id of this
  /// problem.
  const std::optional<TensorSharding>& sharding(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.sharding(id);
  }
  /// Sets the current sharding of a slot. Errors: an unknown slot, a slot without storage, a
  /// sharding of another rank.
  Status set_sharding(SlotId id, std::optional<TensorSharding> sharding);
  /// Sets the current and the initial sharding of a slot; `reset` restores the initial one. Errors:
  /// as set_sharding.
  Status edit_sharding(SlotId id, std::optional<TensorSharding> sharding);
  /// Restores the initial shardings of all slots, for another propagation. Cost: linear in the
  /// number of slots.
  void reset();

  /// Returns the tag that the caller gave to the slot; 0 without a tag. Requires: an id of this
  /// problem.
  uint64_t tag(SlotId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.slots_));
    return tables_.tag(id);
  }
  /// Returns the tag that the caller gave to the node; 0 without a tag. Requires: an id of this
  /// problem.
  uint64_t tag(NodeId id) const {
    SHARDY_EXPECTS(shardy::detail::is_in(id, tables_.nodes_));
    return tables_.tag(id);
  }

  /// Returns the tables, for the loops of the library.
  const detail::ProblemTables& tables() const { return tables_; }

 private:
  friend class ProblemBuilder;

  detail::ProblemTables tables_;
};

namespace detail {

std::string slot_text(SlotId id);

/// Checks that a sharding has rank `rank`. A maximal sharding (no dims, a mesh of one device) fits
/// every rank.
Status verify_rank(const TensorSharding& sharding, std::size_t rank);

}  // namespace detail

/// Ends of a propagation before its result, checked between steps. The shardings of the problem
/// then stay as they were. `max_bytes` counts its tables, besides the problem and the log of an
/// observer.
using PropagationLimits = WorkLimits;

// ---- Callbacks that replace rules of the solver -------------------------------------------------

/// The outermost loop of propagation 1 that runs. Each algorithm includes the previous ones.
enum class Algorithm : uint8_t {
  Basic,         // one sweep of the basic strategy
  Aggressive,    // the sweeps of Options::strategy
  OpPriority,    // the sweeps of Aggressive, for each level of op priorities
  UserPriority,  // the levels of OpPriority, for each user priority
};

/// Strategies of the sweeps of one level.
enum class Strategy : uint8_t { Aggressive, Basic, BasicThenAggressive };

/// The sweep to which a step belongs.
struct SweepInfo {
  /// Dims of this user priority and of higher ones (lower numbers) take part.
  int64_t user_priority = 0;
  int level = kLastLevel;  // level of op priorities; kLastLevel without op priorities
  FactorStrategy strategy = FactorStrategy::Aggressive;  // how axes are chosen for a factor
};

/// One propagation step, for an observer. References are valid during the call.
struct StepEvent {
  NodeId node;               // node of the step
  const FlatRule& layout;    // layout of the node's rule
  const Projection& before;  // factor shardings before the step
  const Projection& after;   // factor shardings after the step
  /// Tensors that got a new sharding; empty if the step changed nothing.
  std::span<const std::size_t> targets;
  std::span<const Conflict> conflicts;  // axes that were not propagated
};

/// A receiver of propagation events. The default implementations do nothing. Threads: all calls
/// come from the thread that propagates.
class StepObserver {
 public:
  StepObserver() = default;
  StepObserver(const StepObserver&) = delete;
  StepObserver& operator=(const StepObserver&) = delete;
  virtual ~StepObserver() = default;

  /// Called at the start of a sweep over all nodes.
  virtual void begin_sweep(const SweepInfo& /*sweep*/) {}
  /// Called after each step that changed a sharding or had a conflict.
  virtual void on_step(const StepEvent& /*step*/) {}
  /// Called after one member of a sharding group, `member`, got the sharding of another member,
  /// `from`.
  virtual void on_group_copy(SlotId /*from*/, SlotId /*member*/) {}
  /// Called when the dead op of the node is erased.
  virtual void on_erase(NodeId /*node*/) {}
};

/// Returns the default of PropagationExtensions::compatible_axes. Requires: a projection of the
/// layout, factor < layout.num_factors(). Spec: propagation 5.2.
AxisList default_compatible_axes(const FactorQuery& query);
/// Returns the default of PropagationExtensions::resolve_conflicts. Requires: a projection of the
/// layout, one candidate per factor. Spec: propagation 6.3.
std::vector<std::size_t> default_conflict_order(const ConflictQuery& query);
/// Returns the default of OpPriorities::direction. Requires: a node of the problem that has a rule,
/// one of its factors, 0 <= level <= kLastLevel. Spec: propagation 11.
Direction default_direction(const LevelQuery& query);

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
