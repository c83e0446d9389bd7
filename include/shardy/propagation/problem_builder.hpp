// A builder of propagation problems, node by node. The builder derives which nodes a change of a
// sharding wakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shardy/propagation/problem.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardy::propagation::detail {

/// Lists of nodes to wake, by storage slot, that replace the derived lists.
using GivenWakes = std::map<SlotId, std::vector<NodeId>>;

/// Returns for each slot the steps that have it as an operand (as a result if `results`), in
/// program order.
inline RowLists<NodeId> nodes_by_slot(const Problem& problem, bool results) {
  return RowLists<NodeId>(problem.num_slots(), [&](auto visit) {
    for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
      const NodeId id(index);
      const Node& node = problem.node(id);
      if (!node.rule.valid() || node.is_function_result) continue;
      for (const TensorUse& use : results ? problem.results(id) : problem.operands(id)) {
        visit(use.slot.index(), id);
      }
    }
  });
}

/// Returns for each slot the slots that share its storage, the last one first.
inline RowLists<SlotId> sharers_by_slot(const Problem& problem) {
  return RowLists<SlotId>(problem.num_slots(), [&](auto visit) {
    for (auto index = static_cast<uint32_t>(problem.num_slots()); index-- > 0;) {
      const SlotId storage = problem.slot(SlotId(index)).storage;
      if (storage.valid() && storage.value != index) visit(storage.index(), SlotId(index));
    }
  });
}

/// Returns for each slot the nodes to wake, in visiting order: users in program order, the steps
/// that define the slot, then users of slots with the same storage. The specification pushes these
/// nodes on a stack, in reverse order. Spec: propagation 9.3.
inline RowLists<NodeId> derive_wakes(const Problem& problem, const GivenWakes& given) {
  const RowLists<NodeId> users = nodes_by_slot(problem, /*results=*/false);
  const RowLists<NodeId> definers = nodes_by_slot(problem, /*results=*/true);
  const RowLists<SlotId> sharers = sharers_by_slot(problem);
  std::vector<NodeId> row;
  const auto append_all = [&](std::span<const NodeId> nodes) {
    row.insert(row.end(), nodes.begin(), nodes.end());
  };
  const auto fill_row = [&](SlotId slot) {
    row.clear();
    if (const auto known = given.find(slot); known != given.end()) return append_all(known->second);
    if (problem.slot(slot).storage != slot) return;
    append_all(users[slot.index()]);
    append_all(definers[slot.index()]);
    for (const SlotId sharer : sharers[slot.index()]) {
      append_all(users[sharer.index()]);
      append_all(definers[sharer.index()]);
    }
  };
  RowLists<NodeId> wakes;
  std::size_t num_items = 0;
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    num_items += users[slot].size() + definers[slot].size();
  }
  wakes.reserve(problem.num_slots(), num_items);
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    fill_row(SlotId(slot));
    wakes.add_row(row);
  }
  return wakes;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

/// Arguments of ProblemBuilder::add_slot: a value of the program.
struct SlotSpec {
  std::vector<int64_t> shape;                             // sizes of the dims; -1: unknown
  std::optional<TensorSharding> sharding = std::nullopt;  // initial sharding; std::nullopt: none
  /// Slot whose storage this slot shares, such as the owner of an edge; invalid: own storage.
  SlotId shares = {};
  /// False: the slot has no storage; reads return no sharding and writes are dropped.
  bool is_stored = true;
  uint32_t other_users = 0;  // number of ops that use the value but are not nodes
  uint64_t tag = 0;          // tag for the caller, which Problem::tag returns
};

/// Arguments of ProblemBuilder::add_node: an op, or another propagation step.
struct NodeSpec {
  RuleId rule = {};                       // sharding rule; invalid: the node does not propagate
  std::vector<TensorUse> operands = {};   // operands, in the order of the rule
  std::vector<TensorUse> results = {};    // results, in the order of the rule
  Direction direction = Direction::Both;  // directions in which axes may propagate
  PriorityClass priority = PriorityClass::Other;  // class of the op for op priorities
  /// True for elementwise ops, whose factors compete by number of shards.
  bool is_elementwise = false;
  bool is_conservative = false;   // true if only full axes propagate
  bool is_removable = false;      // true if the op and its regions have no side effects
  bool operands_are_uses = true;  // whether operands count as uses of their slots
  NodeId parent = {};             // node of the op whose region contains this node; invalid: none
  uint64_t tag = 0;               // tag for the caller, which Problem::tag returns
};

/// A builder of a Problem. Every function checks its arguments, so the resulting problem is valid.
///
/// The builder counts uses and users of a slot from operands, function results, groups and
/// `other_users`. Nodes to wake after a change of a slot are derived by propagation 9.3.
class ProblemBuilder {
 public:
  /// Reserves memory for `num_slots` slots and `num_nodes` nodes. Requires: at most 2^28 of each.
  void reserve(std::size_t num_slots, std::size_t num_nodes);

  /// Adds a rule. Equal rules have one id.
  Result<RuleId> add_rule(const OpShardingRule& rule);
  /// Adds a view. Errors: a manual axis that the mesh does not have.
  Result<ViewId> add_view(ManualView view);
  /// Adds a slot. Errors: a size below -1; a sharding whose rank or mesh does not fit.
  Result<SlotId> add_slot(SlotSpec spec);
  /// Adds a node. Nodes must be added in program pre-order. Errors: unknown ids; a rule that does
  /// not fit the slots; a view that does not fit the slot's sharding; a parent whose regions have
  /// ended; a direction or priority class that is not an enumerator.
  Result<NodeId> add_node(const NodeSpec& spec);
  /// Adds a rule, and a node with this rule whose operands and results have no views. `rest` gives
  /// the other fields of the node. Errors: those of add_rule and add_node.
  Result<NodeId> add_op(const OpShardingRule& rule, std::span<const SlotId> operands,
                        std::span<const SlotId> results, NodeSpec rest = {});
  /// Adds a data-flow edge: sources and target have equal shardings. Other targets are slots that
  /// share the storage of `target`.
  Result<NodeId> add_edge(std::vector<TensorUse> sources, TensorUse target, NodeId parent = {});
  /// Adds a propagation barrier. Axes propagate through it in `direction` only. Errors:
  /// Direction::Both.
  Result<NodeId> add_barrier(SlotId operand, SlotId result, Direction direction,
                             NodeId parent = {});
  /// Adds a node between a value that the main function returns and the slot of the function
  /// result.
  Result<NodeId> add_function_result(SlotId returned, SlotId result);
  /// Makes a sharding group of slots. Errors: slots of different shapes; a slot that already has a
  /// group.
  Result<GroupId> add_group(std::span<const SlotId> members);
  /// Makes slots siblings, as the results of one op: the first write to one slot makes the others
  /// open.
  Status add_siblings(std::span<const SlotId> slots);
  /// Sets the nodes to visit again after a change of `slot`, in visiting order, instead of the
  /// derived list.
  Status set_wakes(SlotId slot, std::vector<NodeId> nodes);

  /// Returns the problem. Errors: an unknown node in a list of set_wakes.
  Result<Problem> build() &&;

 private:
  Result<RuleId> add_identity_rule(SlotId slot, std::size_t num_operands);
  Status verify_slot(SlotId id) const;
  Status verify_use(const TensorUse& use) const;
  Status verify_side(std::span<const TensorUse> uses, std::span<const TensorMapping> mappings,
                     std::string_view kind) const;
  Status verify_node(const NodeSpec& spec) const;
  Status enter_regions(NodeId parent);
  NodeId append(const NodeSpec& spec, bool is_function_result);
  void count_uses(NodeId id);

  Problem problem_;
  std::vector<OpShardingRule> rules_;
  std::unordered_map<OpShardingRule, RuleId> rule_ids_;
  // Identity rules by number of operands and shape.
  std::map<std::pair<std::size_t, std::vector<int64_t>>, RuleId> identity_rules_;
  std::vector<NodeId> open_nodes_;  // the last node and its parents, outermost first
  std::vector<NodeId> last_user_;   // last user of each slot
  std::vector<bool> is_returned_;   // per slot: a function returns it
  detail::GivenWakes wakes_;
};

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <algorithm>
#include <limits>
#include <string>

namespace shardy::propagation::detail {

template <class Id, class T>
Id next_id(const std::vector<T>& table) {
  return Id(static_cast<uint32_t>(table.size()));
}

/// Ids have 32 bits; the largest id means "invalid".
SHARDY_INLINE Status verify_count(std::size_t count, std::string_view what) {
  if (count < std::numeric_limits<uint32_t>::max()) return {};
  return fail("too many " + std::string(what));
}

/// The list of tags ends at the last tag that is not 0.
inline void set_tag(std::vector<uint64_t>& tags, std::size_t index, uint64_t tag) {
  if (tag == 0) return;
  tags.resize(index + 1, 0);
  tags[index] = tag;
}

SHARDY_INLINE Status verify_sizes(std::span<const int64_t> shape) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] >= -1) continue;
    return fail("dim " + std::to_string(dim) + " has size " + std::to_string(shape[dim]) +
                "; a size is at least 0, or -1 where it is unknown");
  }
  return {};
}

/// Checks the enumerators, because the solver uses them as indices.
SHARDY_INLINE Status verify_enums(const NodeSpec& spec) {
  if (spec.direction > Direction::Both) {
    return fail("direction " + std::to_string(static_cast<int>(spec.direction)) +
                "; it must be an enumerator of Direction");
  }
  if (spec.priority > PriorityClass::Always) {
    return fail("priority " + std::to_string(static_cast<int>(spec.priority)) +
                "; it must be an enumerator of PriorityClass");
  }
  return {};
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE void ProblemBuilder::reserve(std::size_t num_slots, std::size_t num_nodes) {
  constexpr std::size_t kMost = std::size_t{1} << 28U;
  SHARDY_EXPECTS(num_slots <= kMost && num_nodes <= kMost);
  problem_.tables_.slots_.reserve(num_slots);
  problem_.tables_.shardings_.reserve(num_slots);
  problem_.tables_.sibling_row_.reserve(num_slots);
  problem_.tables_.nodes_.reserve(num_nodes);
  last_user_.reserve(num_slots);
  is_returned_.reserve(num_slots);
}

SHARDY_INLINE Result<RuleId> ProblemBuilder::add_rule(const OpShardingRule& rule) {
  if (const auto known = rule_ids_.find(rule); known != rule_ids_.end()) return known->second;
  SHARDY_TRY_STATUS(detail::verify_count(rules_.size() + 1, "rules"));
  const auto id = detail::next_id<RuleId>(rules_);
  rules_.push_back(rule);
  problem_.tables_.rules_.emplace_back(rule);
  rule_ids_.emplace(rule, id);
  return id;
}

SHARDY_INLINE Result<ViewId> ProblemBuilder::add_view(ManualView view) {
  SHARDY_TRY_STATUS(detail::verify_count(problem_.tables_.views_.size() + 1, "views"));
  const auto id = detail::next_id<ViewId>(problem_.tables_.views_);
  problem_.tables_.views_.push_back(std::move(view));
  return id;
}

SHARDY_INLINE Result<SlotId> ProblemBuilder::add_slot(SlotSpec spec) {
  SHARDY_TRY_STATUS(detail::verify_count(problem_.tables_.slots_.size() + 1, "slots"));
  SHARDY_TRY_STATUS(detail::verify_sizes(spec.shape));
  const auto id = detail::next_id<SlotId>(problem_.tables_.slots_);
  if (spec.shares.valid()) {
    SHARDY_TRY_STATUS(verify_slot(spec.shares));
    if (problem_.slot(spec.shares).storage != spec.shares) {
      return fail(detail::slot_text(spec.shares) + " has no storage of its own to share");
    }
    if (!std::ranges::equal(problem_.shape(spec.shares), spec.shape)) {
      return fail("slots that share a storage must have one shape");
    }
  }
  const bool owns = spec.is_stored && !spec.shares.valid();
  if (spec.sharding) {
    if (!owns) return fail("a slot without storage of its own cannot have a sharding");
    SHARDY_TRY_STATUS(detail::verify_rank(*spec.sharding, spec.shape.size()));
  }
  Slot slot;
  slot.storage = owns ? id : spec.shares;
  slot.num_uses = slot.num_users = spec.other_users;
  slot.first_size = problem_.tables_.sizes_.size();
  slot.rank = static_cast<uint32_t>(spec.shape.size());
  problem_.tables_.sizes_.insert(problem_.tables_.sizes_.end(), spec.shape.begin(),
                                 spec.shape.end());
  problem_.tables_.slots_.push_back(slot);
  detail::set_tag(problem_.tables_.slot_tags_, id.index(), spec.tag);
  if (spec.sharding) problem_.tables_.first_shardings_.emplace(id, *spec.sharding);
  problem_.tables_.shardings_.push_back(std::move(spec.sharding));
  problem_.tables_.sibling_row_.push_back(detail::ProblemTables::kNoRow);
  last_user_.emplace_back();
  is_returned_.push_back(false);
  return id;
}

SHARDY_INLINE Status ProblemBuilder::verify_slot(SlotId id) const {
  if (id.valid() && id.index() < problem_.num_slots()) return {};
  return fail(id.valid() ? "no such slot: " + std::to_string(id.value) : "no slot given");
}

SHARDY_INLINE Status ProblemBuilder::verify_use(const TensorUse& use) const {
  SHARDY_TRY_STATUS(verify_slot(use.slot));
  if (!use.view.valid()) return {};
  if (use.view.index() >= problem_.tables_.views_.size()) {
    return fail("no such view: " + std::to_string(use.view.value));
  }
  return verify_view(problem_.view(use.view), problem_.sharding(use.slot));
}

SHARDY_INLINE Status ProblemBuilder::verify_side(std::span<const TensorUse> uses,
                                                 std::span<const TensorMapping> mappings,
                                                 std::string_view kind) const {
  if (uses.size() != mappings.size()) {
    return fail("number of " + std::string(kind) + "s and mappings must match: " +
                std::to_string(uses.size()) + " != " + std::to_string(mappings.size()));
  }
  for (std::size_t index = 0; index < uses.size(); ++index) {
    const std::size_t mapping_rank = mappings[index].dims.size();
    const std::size_t rank = problem_.slot(uses[index].slot).rank;
    if (mapping_rank == rank) continue;
    return fail(std::string(kind) + " " + std::to_string(index) + " - mapping rank must match: " +
                std::to_string(mapping_rank) + " != " + std::to_string(rank));
  }
  return {};
}

SHARDY_INLINE Status ProblemBuilder::verify_node(const NodeSpec& spec) const {
  SHARDY_TRY_STATUS(detail::verify_enums(spec));
  const std::size_t num_tensors = spec.operands.size() + spec.results.size();
  SHARDY_TRY_STATUS(
      detail::verify_count(problem_.tables_.tensors_.size() + num_tensors, "operands"));
  for (const auto* uses : {&spec.operands, &spec.results}) {
    for (const TensorUse& use : *uses) {
      SHARDY_TRY_STATUS(verify_use(use));
    }
  }
  if (!spec.rule.valid()) return {};
  if (spec.rule.index() >= rules_.size()) {
    return fail("no such rule: " + std::to_string(spec.rule.value));
  }
  const OpShardingRule& rule = rules_[spec.rule.index()];
  SHARDY_TRY_STATUS(verify_side(spec.operands, rule.operands(), "operand"));
  return verify_side(spec.results, rule.results(), "result");
}

/// Ends the regions that do not contain a node with parent `parent`.
SHARDY_INLINE Status ProblemBuilder::enter_regions(NodeId parent) {
  const bool is_open = !parent.valid() || std::ranges::binary_search(open_nodes_, parent);
  if (!is_open)
    return fail("the regions of the parent have ended: " + std::to_string(parent.value));
  const auto end = detail::next_id<NodeId>(problem_.tables_.nodes_);
  while (!open_nodes_.empty() && open_nodes_.back() != parent) {
    problem_.tables_.nodes_[open_nodes_.back().index()].nested_end = end;
    open_nodes_.pop_back();
  }
  return {};
}

SHARDY_INLINE NodeId ProblemBuilder::append(const NodeSpec& spec, bool is_function_result) {
  const auto id = detail::next_id<NodeId>(problem_.tables_.nodes_);
  Node node;
  node.rule = spec.rule;
  node.first_tensor = static_cast<uint32_t>(problem_.tables_.tensors_.size());
  node.num_operands = static_cast<uint32_t>(spec.operands.size());
  node.num_results = static_cast<uint32_t>(spec.results.size());
  node.nested_end = NodeId(id.value + 1);
  node.direction = spec.direction;
  node.priority = spec.priority;
  node.is_elementwise = spec.is_elementwise;
  node.is_conservative = spec.is_conservative;
  node.is_removable = spec.is_removable;
  node.operands_are_uses = spec.operands_are_uses;
  node.is_function_result = is_function_result;
  problem_.tables_.nodes_.push_back(node);
  detail::set_tag(problem_.tables_.node_tags_, id.index(), spec.tag);
  for (const auto* uses : {&spec.operands, &spec.results}) {
    problem_.tables_.tensors_.insert(problem_.tables_.tensors_.end(), uses->begin(), uses->end());
  }
  return id;
}

/// Two operands of one op count as two uses, but as one user.
SHARDY_INLINE void ProblemBuilder::count_uses(NodeId id) {
  for (const TensorUse& use : problem_.operands(id)) {
    Slot& slot = problem_.tables_.slots_[use.slot.index()];
    ++slot.num_uses;
    NodeId& last_user = last_user_[use.slot.index()];
    if (last_user != id) ++slot.num_users;
    last_user = id;
  }
}

SHARDY_INLINE Result<NodeId> ProblemBuilder::add_node(const NodeSpec& spec) {
  const std::size_t count = problem_.num_nodes();
  SHARDY_TRY_STATUS(detail::verify_count(count + 1, "nodes"));
  const auto in_node = [&](Error error) {
    return with_prefix("node " + std::to_string(count) + ": ", std::move(error));
  };
  SHARDY_TRY_STATUS(verify_node(spec).map_error(in_node));
  SHARDY_TRY_STATUS(enter_regions(spec.parent).map_error(in_node));
  const NodeId id = append(spec, /*is_function_result=*/false);
  open_nodes_.push_back(id);
  if (spec.operands_are_uses) count_uses(id);
  for (const TensorUse& use : spec.results) {
    NodeId& definer = problem_.tables_.slots_[use.slot.index()].definer;
    if (!definer.valid()) definer = id;
  }
  return id;
}

SHARDY_INLINE Result<NodeId> ProblemBuilder::add_op(const OpShardingRule& rule,
                                                    std::span<const SlotId> operands,
                                                    std::span<const SlotId> results,
                                                    NodeSpec rest) {
  SHARDY_TRY(rest.rule, add_rule(rule));
  const auto uses = [](std::span<const SlotId> slots) {
    std::vector<TensorUse> direct;
    for (const SlotId slot : slots) direct.push_back({slot});
    return direct;
  };
  rest.operands = uses(operands);
  rest.results = uses(results);
  return add_node(rest);
}

SHARDY_INLINE Result<RuleId> ProblemBuilder::add_identity_rule(SlotId slot,
                                                               std::size_t num_operands) {
  SHARDY_TRY_STATUS(verify_slot(slot));
  const std::span<const int64_t> shape = problem_.shape(slot);
  if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) {
    return fail(detail::slot_text(slot) + " must have a static shape");
  }
  if (num_operands == 0) return fail("an edge must have a source");
  RuleId& known = identity_rules_[{num_operands, {shape.begin(), shape.end()}}];
  if (known.valid()) return known;
  SHARDY_TRY(known, add_rule(OpShardingRule::identity(shape, num_operands, 1)));
  return known;
}

SHARDY_INLINE Result<NodeId> ProblemBuilder::add_edge(std::vector<TensorUse> sources,
                                                      TensorUse target, NodeId parent) {
  SHARDY_TRY(const RuleId rule, add_identity_rule(target.slot, sources.size()));
  return add_node({.rule = rule,
                   .operands = std::move(sources),
                   .results = {target},
                   .priority = PriorityClass::Pointwise,
                   .operands_are_uses = false,
                   .parent = parent});
}

SHARDY_INLINE Result<NodeId> ProblemBuilder::add_barrier(SlotId operand, SlotId result,
                                                         Direction direction, NodeId parent) {
  if (direction == Direction::Both) return fail("a barrier cannot let axes pass both ways");
  SHARDY_TRY(const RuleId rule, add_identity_rule(result, 1));
  return add_node({.rule = rule,
                   .operands = {{operand}},
                   .results = {{result}},
                   .direction = direction,
                   .priority = PriorityClass::Always,
                   .is_elementwise = true,
                   .parent = parent});
}

SHARDY_INLINE Result<NodeId> ProblemBuilder::add_function_result(SlotId returned, SlotId result) {
  SHARDY_TRY_STATUS(detail::verify_count(problem_.num_nodes() + 1, "nodes"));
  SHARDY_TRY(const RuleId rule, add_identity_rule(result, 1));
  const NodeSpec spec{.rule = rule,
                      .operands = {{returned}},
                      .results = {{result}},
                      .priority = PriorityClass::Always};
  SHARDY_TRY_STATUS(verify_node(spec));
  const NodeId id = append(spec, /*is_function_result=*/true);
  problem_.tables_.function_results_.push_back(id);
  Slot& slot = problem_.tables_.slots_[returned.index()];
  ++slot.num_uses;
  if (!is_returned_[returned.index()]) ++slot.num_users;  // the return op is a user, too
  is_returned_[returned.index()] = true;
  return id;
}

SHARDY_INLINE Result<GroupId> ProblemBuilder::add_group(std::span<const SlotId> members) {
  SHARDY_TRY_STATUS(detail::verify_count(problem_.num_groups() + 1, "groups"));
  if (members.empty()) return fail("a sharding group must have a member");
  for (const SlotId member : members) {
    SHARDY_TRY_STATUS(verify_slot(member));
    if (!std::ranges::equal(problem_.shape(member), problem_.shape(members.front()))) {
      return fail("members of a sharding group must have one shape");
    }
    if (problem_.slot(member).group.valid()) {
      return fail(detail::slot_text(member) + " is in another sharding group");
    }
  }
  const GroupId id(static_cast<uint32_t>(problem_.num_groups()));
  problem_.tables_.groups_.add_row(members);
  for (const SlotId member : members) {
    Slot& slot = problem_.tables_.slots_[member.index()];
    slot.group = id;
    ++slot.num_uses;
    ++slot.num_users;
  }
  return id;
}

SHARDY_INLINE Status ProblemBuilder::add_siblings(std::span<const SlotId> slots) {
  for (const SlotId slot : slots) {
    SHARDY_TRY_STATUS(verify_slot(slot));
    if (problem_.slot(slot).storage != slot) {
      return fail(detail::slot_text(slot) + " has no storage of its own");
    }
    if (problem_.tables_.sibling_row_[slot.index()] != detail::ProblemTables::kNoRow) {
      return fail(detail::slot_text(slot) + " has siblings already");
    }
  }
  const auto row = static_cast<uint32_t>(problem_.tables_.siblings_.size());
  problem_.tables_.siblings_.add_row(slots);
  for (const SlotId slot : slots) problem_.tables_.sibling_row_[slot.index()] = row;
  return {};
}

SHARDY_INLINE Status ProblemBuilder::set_wakes(SlotId slot, std::vector<NodeId> nodes) {
  SHARDY_TRY_STATUS(verify_slot(slot));
  if (problem_.slot(slot).storage != slot) {
    return fail(detail::slot_text(slot) + " has no storage of its own");
  }
  wakes_[slot] = std::move(nodes);
  return {};
}

SHARDY_INLINE Result<Problem> ProblemBuilder::build() && {
  for (const auto& [slot, nodes] : wakes_) {
    for (const NodeId id : nodes) {
      if (!id.valid() || id.index() >= problem_.num_nodes()) {
        return fail("no such node to wake: " + std::to_string(id.value));
      }
    }
  }
  SHARDY_TRY_STATUS(enter_regions({}));
  last_user_ = {};
  problem_.tables_.wakes_ = detail::derive_wakes(problem_, wakes_);
  return std::move(problem_);
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
