// The propagation problem of a module, with the value of each slot and the op of each node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/propagation/detail/group.hpp>
#include <shardy/propagation/detail/ir_op.hpp>
#include <shardy/propagation/detail/manual_view.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/registry.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace shardy::propagation::detail {

/// Returns the view through which the edge op reads and writes its sharding, if the edge crosses
/// the boundary of a manual computation; std::nullopt for other edges. Spec: propagation 8.3.
inline Result<std::optional<ManualView>> edge_view(const ir::Module& module, ir::OpId edge) {
  const ir::ValueOwner owner = module.owner(module.operand(edge, 0));
  const ir::OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
  if (!op.valid() || !module.is(op, ir::OpKind::SdyManualComputation)) return std::nullopt;
  const auto* axes = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  if (axes == nullptr || axes->names.empty()) return std::nullopt;
  ManualView view{.kind = ManualView::Kind::Strip, .manual_axes = {}};
  std::optional<TensorSharding> outside = ir::get_sharding(module, module.result(edge));
  if (!owner.is_result()) {
    view.kind = ManualView::Kind::Put;
    const auto* in = module.attribute<ir::ShardingList>(op, ir::attr::kInShardings);
    if (in == nullptr || owner.index >= in->shardings.size()) return fail("expected in_shardings");
    outside = view.outer = in->shardings[owner.index];
  }
  if (!outside) return fail("expected a sharding on an edge of a manual computation");
  for (const std::string& name : axes->names) {
    const std::optional<int32_t> axis = outside->mesh().find_axis(name);
    if (!axis) return fail("unknown manual axis: \"" + name + "\"");
    view.manual_axes.push_back(*axis);
  }
  return std::optional<ManualView>(std::move(view));
}

/// Runs verify_view. Errors are located at the manual computation of the edge.
inline Status verify_edge_view(const ir::Module& module, ir::OpId edge, const ManualView& view,
                               const std::optional<TensorSharding>& sharding) {
  return verify_view(view, sharding).map_error([&](Error error) {
    const ir::ValueOwner owner = module.owner(module.operand(edge, 0));
    const ir::OpId op = owner.is_result() ? owner.op : module.parent_op(owner.block);
    error.message.insert(0, "'" + std::string(module.name(op)) + "' op " +
                                (owner.is_result() ? "result " : "operand ") +
                                std::to_string(owner.index) + " - ");
    error.location = module.source_location(op);
    error.notes.emplace_back(
        "a dim or `replicated` of each in_sharding and out_sharding names "
        "each manual axis; sdy-manual-axes-cleanup adds what is missing");
    return error;
  });
}

/// Members of sharding groups by group id, without duplicates, in the order of the sharding_group
/// ops.
using ShardingGroups = std::map<uint64_t, std::vector<ir::ValueId>>;

/// Returns the sharding groups. Errors: a value in two groups (the import passes merge such
/// groups).
inline Result<ShardingGroups> find_groups(const ir::Module& module,
                                          std::span<const ir::OpId> order) {
  ShardingGroups groups;
  std::unordered_map<ir::ValueId, uint64_t> group_of;
  for (const ir::OpId op : order) {
    const auto* id = module.is(op, ir::OpKind::SdyShardingGroup)
                         ? module.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId)
                         : nullptr;
    if (id == nullptr || module.num_operands(op) == 0) continue;
    const auto group = static_cast<uint64_t>(id->value);
    const ir::ValueId member = module.operand(op, 0);
    const auto [known, is_new] = group_of.try_emplace(member, group);
    if (is_new) groups[group].push_back(member);
    if (known->second == group) continue;
    return fail_at(module.source_location(op), "value is in sharding groups " +
                                                   std::to_string(known->second) + " and " +
                                                   std::to_string(group));
  }
  return groups;
}

/// Inserts a sharding constraint with open dims after `value`, and replaces all other uses of
/// `value` by the constraint. Uses by sdy collectives are kept, because collectives define the
/// shardings of their operands.
inline void constrain(ir::Module& module, ir::ValueId value, const TensorSharding& sharding) {
  const ir::OpId definer = module.defining_op(value);
  ir::Builder builder = definer.valid() ? ir::Builder::after(module, definer)
                                        : ir::Builder::at_start(module, module.owner(value).block);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kSharding, sharding);
  const ir::ValueId constraint = builder.create_value(ir::OpKind::SdyShardingConstraint, {value},
                                                      module.type(value), std::move(attributes));
  for (const ir::Use& use : module.uses(value)) {
    if (use.op == module.defining_op(constraint)) continue;
    if (ir::is_sdy_collective(module.kind(use.op))) continue;
    module.set_operand(use.op, use.operand, constraint);
  }
}

/// Returns a warning about a member whose sharding differs from the shardings of earlier members,
/// at the location of this member.
inline Diagnostic group_warning(const ir::Module& module, int64_t id,
                                std::span<const ir::ValueId> members, std::size_t conflicting) {
  const auto place = [&](ir::ValueId value) {
    const ir::ValueOwner owner = module.owner(value);
    return module.source_location(owner.is_result() ? owner.op : module.parent_op(owner.block));
  };
  const auto sharding = [&](ir::ValueId value) { return *ir::get_sharding(module, value); };
  Diagnostic warning{
      .message = "members of sharding group " + std::to_string(id) + " have conflicting shardings",
      .location = place(members[conflicting]),
      .severity = Severity::Warning};
  std::size_t first = 0;
  while (!ir::get_sharding(module, members[first]) ||
         sharding(members[first]).is_fully_replicated_and_open()) {
    ++first;
  }
  warning.notes.push_back(to_string(sharding(members[first])) + " at " +
                          place(members[first]).text() + ", " +
                          to_string(sharding(members[conflicting])) +
                          " here; each keeps "
                          "its own, and the group goes without");
  return warning;
}

/// Inserts constraints between a sharding group and members whose shardings differ from the
/// group's. Spec: propagation 13.
inline Result<Diagnostics> separate_groups(ir::Module& module, std::span<const ir::OpId> order) {
  Diagnostics warnings;
  SHARDY_TRY(const ShardingGroups groups, find_groups(module, order));
  for (const auto& [id, members] : groups) {
    std::vector<std::optional<TensorSharding>> shardings;
    for (const ir::ValueId member : members) {
      shardings.push_back(ir::get_sharding(module, member));
    }
    const GroupSharding group = group_sharding(shardings);
    if (!group.conflicting) continue;
    warnings.push_back(
        group_warning(module, static_cast<int64_t>(id), members, *group.conflicting));
    for (const ir::ValueId member : members) {
      constrain(module, member, group.common->fully_open_like());
    }
  }
  return warnings;
}

/// The order in which a change of a sharding wakes nodes. A data-flow edge is visited at the
/// position of the operand that is its source; for example, the edge of a while before users in the
/// regions of the while. Spec: propagation 9.3.
class WakeOrder {
 public:
  explicit WakeOrder(const ir::Module& module) : module_(module) {}

  /// Records that `stored` stores the sharding of `value`.
  void add_sharer(ir::ValueId stored, ir::ValueId value) { sharers_[stored].push_back(value); }
  /// Records that `source` is a source of the edge of node `edge`. For the edges of one function,
  /// call this in program order of the calls.
  void add_source(const ir::Use& source, NodeId edge);

  /// Returns the values that store a sharding and whose users are not visited in node order.
  const std::set<ir::ValueId>& values() const { return values_; }
  /// Returns the nodes that a change of the sharding at `stored` wakes, in visiting order. `nodes`
  /// has one element per op, in program order.
  std::vector<NodeId> wakes(ir::ValueId stored, std::span<const NodeId> nodes) const;

 private:
  void add_users(ir::ValueId value, std::span<const NodeId> nodes, std::vector<NodeId>& row) const;
  static std::pair<ir::OpId, uint32_t> key(const ir::Use& use) { return {use.op, use.operand}; }

  const ir::Module& module_;
  std::map<ir::ValueId, std::vector<ir::ValueId>> sharers_;
  // Edge nodes by source operand.
  std::map<std::pair<ir::OpId, uint32_t>, std::vector<NodeId>> edges_;
  std::set<ir::ValueId> values_;
};

inline void WakeOrder::add_source(const ir::Use& source, NodeId edge) {
  std::vector<NodeId>& edges = edges_[key(source)];
  edges.push_back(edge);
  const ir::ValueId value = module_.operand(source.op, source.operand);
  const bool is_alone = module_.num_uses(value) == 1 && edges.size() == 1;
  const std::optional<ir::ValueId> stored = ir::shardable_value(module_, value);
  if (!is_alone && stored) values_.insert(*stored);
}

/// Appends the user nodes of `value` in program order. If one use is the source of several edges,
/// the edges are in reverse order.
inline void WakeOrder::add_users(ir::ValueId value, std::span<const NodeId> nodes,
                                 std::vector<NodeId>& row) const {
  std::vector<ir::Use> uses = module_.uses(value);
  std::ranges::sort(
      uses, {}, [&](const ir::Use& use) { return std::tuple(nodes[use.op.index()], use.operand); });
  for (const ir::Use& use : uses) {
    if (!nodes[use.op.index()].valid()) continue;  // the op is in no block
    const auto fed = edges_.find(key(use));
    if (fed == edges_.end()) {
      row.push_back(nodes[use.op.index()]);
    } else {
      row.insert(row.end(), fed->second.rbegin(), fed->second.rend());
    }
  }
}

inline std::vector<NodeId> WakeOrder::wakes(ir::ValueId stored,
                                            std::span<const NodeId> nodes) const {
  std::vector<NodeId> row;
  add_users(stored, nodes, row);
  const ir::OpId definer = module_.defining_op(stored);
  if (definer.valid()) row.push_back(nodes[definer.index()]);
  const auto sharers = sharers_.find(stored);
  if (sharers == sharers_.end()) return row;
  for (auto value = sharers->second.rbegin(); value != sharers->second.rend(); ++value) {
    add_users(*value, nodes, row);
  }
  return row;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

/// A propagation problem with the values and ops of the module that its slots and nodes represent.
struct ModuleProblem {
  struct FunctionResult {
    ir::OpId function;
    std::size_t index = 0;
    SlotId slot;
  };

  Problem problem;
  std::vector<ir::OpId> ops;        // op of each node; invalid for function results
  std::vector<ir::ValueId> values;  // value of each slot; invalid for function results
  std::vector<FunctionResult> function_results;
  std::vector<FunctionResult>
      /// Function results without a node, whose user priorities are removed after propagation.
      other_results;
  /// Index in `rules` for each op that has a rule.
  std::vector<std::pair<ir::OpId, uint32_t>> rule_of_op;
  std::vector<OpShardingRule> rules;
  std::vector<ir::OpId> unknown_ops;  // ops without a rule, which get a warning
  Diagnostics diagnostics;
};

/// Returns the propagation problem of a module. Requires: sharding groups without conflicts.
/// Errors: several functions and no main, a value in two groups, rules or shardings that do not fit
/// their values. Spec: propagation 8, 9.
Result<ModuleProblem> make_problem(const ir::Module& module, const rules::Registry& registry,
                                   const rules::RuleOptions& options = {});

// -------------------------------------------------------------------------------------------------

namespace detail {

/// A builder of the propagation problem of one module.
class ModuleProblemBuilder {
 public:
  ModuleProblemBuilder(const ir::Module& module, const rules::Registry& registry,
                       const rules::RuleOptions& options)
      : module_(module),
        conservative_(options.conservative),
        registry_(registry),
        rules_(module, registry, options),
        order_(ir::pre_order(module)),
        removable_(removable_ops(module, order_)),
        slots_(module.num_values()),
        stores_(module.num_values(), false),
        nodes_(module.num_ops()),
        functions_(module),
        wake_order_(module) {}

  Result<ModuleProblem> build() &&;

 private:
  void note_collective(ir::OpId op);
  std::optional<TensorSharding> stored_sharding(ir::ValueId value) const;
  Status add_slots();
  Status add_slot(ir::ValueId value, std::optional<ir::ValueId> stored);
  Status add_siblings(std::span<const ir::ValueId> values);
  Status add_op(ir::OpId op);
  Result<NodeId> add_node(ir::OpId op, NodeId parent);
  Result<NodeId> add_plain(ir::OpId op, NodeId parent);
  Result<NodeId> add_barrier(ir::OpId op, NodeId parent);
  Result<NodeId> add_edge(ir::OpId op, NodeId parent);
  Result<NodeId> add_sources(ir::OpId op, std::span<const ir::Use> sources, ViewId view,
                             NodeId parent);
  void reserve();
  Status add_function_results();
  Status add_other_results(ir::OpId function);
  Status add_groups();
  Result<RuleId> rule_id(uint32_t index);
  void warn_once(ir::OpId op);

  SlotId slot(ir::ValueId value) const { return slots_[value.index()]; }
  template <class Visit>
  void for_each_value(Visit visit) const;

  const ir::Module& module_;
  bool conservative_;
  const rules::Registry& registry_;
  rules::RuleTable rules_;
  std::vector<ir::OpId> order_;  // all ops in pre-order
  std::vector<bool> removable_;  // per op: may be erased if unused
  std::vector<SlotId> slots_;    // slot of each value
  std::vector<bool> stores_;     // per value: it stores a sharding
  std::vector<NodeId> nodes_;    // node of each op
  std::vector<RuleId> rule_ids_;
  // Collective of each value that is its operand or result.
  std::unordered_map<ir::ValueId, ir::OpId> collective_of_;
  std::vector<uint32_t>
      edge_uses_;  // number of uses of each value by edge ops, which are not users in the problem
  Functions functions_;
  std::set<std::string, std::less<>> warned_;
  WakeOrder wake_order_;
  std::vector<TensorUse> operands_;  // buffer for the operands of one node
  std::vector<TensorUse> results_;
  ProblemBuilder builder_;
  ModuleProblem result_;
};

// ---- Slots -------------------------------------------------------------------------------------

/// Calls `visit` for all values in program order. Results of an op precede the arguments of its
/// regions.
template <class Visit>
void ModuleProblemBuilder::for_each_value(Visit visit) const {
  for (const ir::OpId op : order_) {
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      visit(module_.result(op, index));
    }
    for (const ir::RegionId region : module_.regions(op)) {
      for (const ir::BlockId block : module_.blocks(region)) {
        for (const ir::ValueId arg : module_.args(block)) visit(arg);
      }
    }
  }
}

inline Status ModuleProblemBuilder::add_slot(ir::ValueId value, std::optional<ir::ValueId> stored) {
  SlotSpec spec;
  std::optional<std::vector<int64_t>> shape = stored_shape(module_.type(value));
  spec.is_stored =
      shape && stored && (*stored == value || stored_shape(module_.type(*stored)).has_value());
  if (shape) spec.shape = *std::move(shape);
  stores_[value.index()] = spec.is_stored && *stored == value;
  if (stores_[value.index()]) spec.sharding = stored_sharding(value);
  if (spec.is_stored && *stored != value) spec.shares = slot(*stored);
  spec.other_users = edge_uses_[value.index()];
  SHARDY_TRY(slots_[value.index()], builder_.add_slot(std::move(spec)));
  result_.values.push_back(value);
  return {};
}

/// Returns the initial sharding of a value. Operand and result of an sdy collective have closed
/// shardings, which the collective defines. A missing sharding means that the value is replicated.
inline std::optional<TensorSharding> ModuleProblemBuilder::stored_sharding(
    ir::ValueId value) const {
  std::optional<TensorSharding> sharding = ir::get_sharding(module_, value);
  const auto collective = collective_of_.find(value);
  if (collective == collective_of_.end()) return sharding;
  if (sharding) return sharding->closed_like();
  const auto* out = module_.attribute<TensorSharding>(collective->second, ir::attr::kOutSharding);
  return out ? std::optional(out->fully_closed_like()) : std::nullopt;
}

/// Records the operands and results of sdy collectives.
inline void ModuleProblemBuilder::note_collective(ir::OpId op) {
  if (!ir::is_sdy_collective(module_.kind(op))) return;
  for (const ir::ValueId value : {module_.operand(op, 0), module_.result(op)}) {
    if (const auto stored = ir::shardable_value(module_, value)) {
      collective_of_.emplace(*stored, op);
    }
  }
}

inline Status ModuleProblemBuilder::add_slots() {
  edge_uses_.resize(module_.num_values(), 0);
  for (const ir::OpId op : order_) {
    note_collective(op);
    const bool is_edge = module_.is(op, ir::OpKind::SdyDataFlowEdge) ||
                         module_.is(op, ir::OpKind::SdyFuncDataFlowEdge);
    for (std::size_t index = 0; is_edge && index < module_.num_operands(op); ++index) {
      ++edge_uses_[module_.operand(op, index).index()];
    }
  }
  // Slots that share a storage are added after the slots that own it.
  std::vector<std::pair<ir::ValueId, std::optional<ir::ValueId>>> others;
  Status status;
  for_each_value([&](ir::ValueId value) {
    const std::optional<ir::ValueId> stored = ir::shardable_value(module_, value);
    if (stored != value) {
      others.emplace_back(value, stored);
      if (stored) wake_order_.add_sharer(*stored, value);
    } else if (status) {
      status = add_slot(value, stored);
    }
  });
  for (const auto& [value, stored] : others) {
    if (status) status = add_slot(value, stored);
  }
  return status;
}

/// Makes the results of one op siblings, whose missing shardings become open together. Results
/// whose sharding is stored elsewhere are excluded.
inline Status ModuleProblemBuilder::add_siblings(std::span<const ir::ValueId> values) {
  if (values.size() < 2) return {};
  std::vector<SlotId> siblings;
  for (const ir::ValueId value : values) {
    if (stores_[value.index()]) siblings.push_back(slot(value));
  }
  if (siblings.size() < 2) return {};
  return builder_.add_siblings(siblings);
}

// ---- Nodes -------------------------------------------------------------------------------------

inline Result<RuleId> ModuleProblemBuilder::rule_id(uint32_t index) {
  while (rule_ids_.size() <= index) {
    SHARDY_TRY(const RuleId id, builder_.add_rule(rules_.rules()[rule_ids_.size()]));
    rule_ids_.push_back(id);
  }
  return rule_ids_[index];
}

/// Returns true if all operands and results are tensors of rank 0 or tokens.
inline bool has_only_scalars(const ir::Module& module, ir::OpId op) {
  const auto is_scalar = [&](ir::ValueId value) {
    const ir::Type& type = module.type(value);
    return type.is_token() || (type.is_static_tensor() && type.rank() == 0);
  };
  return std::ranges::all_of(module.operands(op), is_scalar) &&
         std::ranges::all_of(module.results(op), is_scalar);
}

inline void ModuleProblemBuilder::warn_once(ir::OpId op) {
  const rules::OpView view(module_, op);
  // Ops without results or without dims have nothing to shard. Built-in ops with side effects have
  // their own lowerings, and collectives state the sharding of their results.
  const bool has_own_lowering =
      view.kind() != ir::OpKind::CustomCall &&
      (module_.has_trait(op, ir::kEffects) || module_.has_trait(op, ir::kCollective));
  if (module_.num_results(op) == 0 || has_own_lowering || has_only_scalars(module_, op)) return;
  if (registry_.knows(view)) return;
  result_.unknown_ops.push_back(op);
  const std::string subject = view.kind() == ir::OpKind::CustomCall
                                  ? "custom call '" + std::string(rules::call_target(view)) + "'"
                                  : "op '" + std::string(view.name()) + "'";
  if (!warned_.insert(subject).second) return;
  result_.diagnostics.push_back({.message = "no sharding rule for " + subject,
                                 .location = module_.source_location(op),
                                 .notes = {rules::missing_rule_note(view)},
                                 .severity = Severity::Warning});
}

/// Adds a node for an op. The node is a propagation step if the op has a rule.
inline Result<NodeId> ModuleProblemBuilder::add_plain(ir::OpId op, NodeId parent) {
  NodeSpec spec{.operands = std::move(operands_),
                .results = std::move(results_),
                .is_removable = removable_[op.index()],
                .parent = parent};
  spec.operands.clear();
  spec.results.clear();
  const bool is_group = module_.is(op, ir::OpKind::SdyShardingGroup);
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    if (is_group || functions_.is_result_of_main(op, index)) continue;
    spec.operands.push_back({slot(module_.operand(op, index))});
  }
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    spec.results.push_back({slot(module_.result(op, index))});
  }
  const rules::OpView view(module_, op);
  SHARDY_TRY_STATUS(verify_attached_rule(view));
  SHARDY_TRY(const std::optional<uint32_t> rule, rules_.find(op));
  if (rule) {
    SHARDY_TRY(spec.rule, rule_id(*rule));
    spec.priority = priority_class(view);
    spec.is_elementwise = rules::is_elementwise(view);
    spec.is_conservative = conservative_;
    result_.rule_of_op.emplace_back(op, *rule);
  } else {
    warn_once(op);
  }
  Result<NodeId> node = builder_.add_node(spec);
  operands_ = std::move(spec.operands);
  results_ = std::move(spec.results);
  return node;
}

inline Result<NodeId> ModuleProblemBuilder::add_barrier(ir::OpId op, NodeId parent) {
  const bool is_identity = module_.num_operands(op) == 1 && module_.num_results(op) == 1;
  if (!is_identity || !module_.type(module_.result(op)).is_static_tensor()) {
    return add_plain(op, parent);
  }
  SHARDY_TRY(const Direction direction, barrier_direction(rules::OpView(module_, op)));
  return builder_.add_barrier(slot(module_.operand(op, 0)), slot(module_.result(op)), direction,
                              parent);
}

inline Result<NodeId> ModuleProblemBuilder::add_sources(ir::OpId op,
                                                        std::span<const ir::Use> sources,
                                                        ViewId view, NodeId parent) {
  const ir::ValueId target = module_.result(op);
  if (sources.empty() || !module_.type(target).is_static_tensor()) {
    return builder_.add_node({.results = {{slot(target)}}, .parent = parent});
  }
  std::vector<TensorUse> operands;
  for (const ir::Use& source : sources) {
    operands.push_back({slot(module_.operand(source.op, source.operand))});
  }
  SHARDY_TRY(const NodeId node,
             builder_.add_edge(std::move(operands), {slot(target), view}, parent));
  for (const ir::Use& source : sources) wake_order_.add_source(source, node);
  return node;
}

inline Result<NodeId> ModuleProblemBuilder::add_edge(ir::OpId op, NodeId parent) {
  SHARDY_TRY(std::optional<ManualView> view, edge_view(module_, op));
  ViewId id;
  if (view) {
    SHARDY_TRY_STATUS(
        verify_edge_view(module_, op, *view, ir::get_sharding(module_, module_.result(op))));
    SHARDY_TRY(id, builder_.add_view(*std::move(view)));
  }
  return add_sources(op, ir::edge_sources(module_, module_.operand(op, 0)), id, parent);
}

inline Result<NodeId> ModuleProblemBuilder::add_node(ir::OpId op, NodeId parent) {
  const bool is_unary = module_.num_operands(op) == 1 && module_.num_results(op) == 1;
  if (is_unary && module_.is(op, ir::OpKind::SdyDataFlowEdge)) return add_edge(op, parent);
  if (is_unary && module_.is(op, ir::OpKind::SdyFuncDataFlowEdge)) {
    const ir::ValueOwner owner = module_.owner(module_.operand(op, 0));
    return add_sources(op, functions_.sources(owner), ViewId(), parent);
  }
  if (is_unary && module_.is(op, ir::OpKind::SdyPropagationBarrier)) {
    return add_barrier(op, parent);
  }
  return add_plain(op, parent);
}

inline Status ModuleProblemBuilder::add_op(ir::OpId op) {
  const auto at_op = [&, number = result_.ops.size()](Error error) {
    const std::string node = "node " + std::to_string(number) + ": ";
    if (error.location.empty()) error.location = module_.source_location(op);
    // Removes the internal node number.
    if (error.message.starts_with(node)) error.message.erase(0, node.size());
    return error;
  };
  const ir::OpId parent = module_.parent_op(op);
  SHARDY_TRY(nodes_[op.index()],
             add_node(op, parent.valid() ? nodes_[parent.index()] : NodeId()).map_error(at_op));
  result_.ops.push_back(op);
  if (module_.num_results(op) > 1) {
    SHARDY_TRY_STATUS(add_siblings(module_.results(op)).map_error(at_op));
  }
  return add_siblings(ir::block_arg_edge_owners(module_, op)).map_error(at_op);
}

inline Status ModuleProblemBuilder::add_function_results() {
  if (!functions_.main_return()) return {};
  const ir::OpId main = *functions_.main();
  const ir::OpId main_return = *functions_.main_return();
  for (std::size_t index = 0; index < module_.num_operands(main_return); ++index) {
    if (!functions_.is_result_of_main(main_return, index)) continue;
    const ir::ValueId returned = module_.operand(main_return, index);
    SHARDY_TRY(const SlotId result,
               builder_.add_slot({.shape = *stored_shape(module_.type(returned)),
                                  .sharding = ir::result_sharding(module_, main, index)}));
    SHARDY_TRY_STATUS(builder_.add_function_result(slot(returned), result));
    result_.values.emplace_back();
    result_.ops.emplace_back();
    result_.function_results.push_back({main, index, result});
  }
  return {};
}

/// Records the results of functions other than main. Their shardings do not propagate, but their
/// user priorities count. Spec: propagation 12.
inline Status ModuleProblemBuilder::add_other_results(ir::OpId function) {
  const std::vector<ir::Type>& types = module_.function(function).result_types;
  const std::optional<ir::OpId> returns =
      function == functions_.main() ? functions_.main_return() : std::nullopt;
  for (std::size_t index = 0; index < types.size(); ++index) {
    const bool has_node = returns && index < module_.num_operands(*returns) &&
                          functions_.is_result_of_main(*returns, index);
    if (has_node) continue;
    std::optional<TensorSharding> sharding = ir::result_sharding(module_, function, index);
    std::optional<std::vector<int64_t>> shape = stored_shape(types[index]);
    const bool has_priority =
        sharding && std::ranges::any_of(sharding->dims(),
                                        [](const auto& dim) { return dim.priority.has_value(); });
    if (!has_priority || !shape) continue;
    SHARDY_TRY(const SlotId slot,
               builder_.add_slot({.shape = *std::move(shape), .sharding = std::move(sharding)}));
    result_.values.emplace_back();
    result_.other_results.push_back({function, index, slot});
  }
  return {};
}

inline Status ModuleProblemBuilder::add_groups() {
  SHARDY_TRY(const ShardingGroups groups, find_groups(module_, order_));
  for (const auto& [id, members] : groups) {
    std::vector<SlotId> slots;
    for (const ir::ValueId member : members) slots.push_back(slot(member));
    const std::string prefix = "sharding group " + std::to_string(id) + ": ";
    SHARDY_TRY_STATUS(builder_.add_group(slots).map_error(
        [&](Error error) { return with_prefix(prefix, std::move(error)); }));
  }
  return {};
}

inline void ModuleProblemBuilder::reserve() {
  const std::size_t num_results =
      functions_.main_return() ? module_.num_operands(*functions_.main_return()) : 0;
  builder_.reserve(module_.num_values() + num_results, order_.size() + num_results);
  result_.ops.reserve(order_.size() + num_results);
  result_.values.reserve(module_.num_values() + num_results);
  result_.rule_of_op.reserve(order_.size());
}

inline Result<ModuleProblem> ModuleProblemBuilder::build() && {
  SHARDY_TRY_STATUS(functions_.find(order_));
  reserve();
  SHARDY_TRY_STATUS(add_slots());
  for (const ir::OpId op : order_) {
    SHARDY_TRY_STATUS(add_op(op));
  }
  SHARDY_TRY_STATUS(add_function_results());
  for (const ir::OpId function : module_.functions()) {
    SHARDY_TRY_STATUS(add_other_results(function));
  }
  SHARDY_TRY_STATUS(add_groups());
  for (const ir::ValueId value : wake_order_.values()) {
    if (!stores_[value.index()]) continue;
    SHARDY_TRY_STATUS(builder_.set_wakes(slot(value), wake_order_.wakes(value, nodes_)));
  }
  result_.rules.assign(rules_.rules().begin(), rules_.rules().end());
  SHARDY_TRY(result_.problem, std::move(builder_).build());
  return std::move(result_);
}

}  // namespace detail

inline Result<ModuleProblem> make_problem(const ir::Module& module, const rules::Registry& registry,
                                          const rules::RuleOptions& options) {
  return detail::ModuleProblemBuilder(module, registry, options).build();
}

}  // namespace shardy::propagation
