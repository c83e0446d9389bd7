// Import passes for ops with shardings: constraints, sharding groups, manual computations. Spec:
// passes 4.6, 4.8, 4.12.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/detail/ir_debug.hpp"

namespace shardy::passes {

// ---- Constraints --------------------------------------------------------------------------------
// Gives operands of closed sharding constraints the shardings of the constraints. Spec: passes 4.8.
//
//   %0 = add %a, %a                                     %0 = add %a, %a  [{"x"}, {}]
//   %1 = sdy.sharding_constraint %0 [{"x"}, {}]         %1 = sdy.sharding_constraint %0 [{"x"}, {}]
//   %2 = sdy.sharding_constraint %1 [{}, {"y"}]    ->   %2 = sdy.sharding_constraint %1 [{}, {"y"}]
//   %3 = negate %0                                      %3 = negate %2
//
// Users of %0 that follow a chain of constraints use the result of the last constraint instead.

namespace {

class Applier {
 public:
  explicit Applier(Module& module) : module_(module) {}

  void visit(OpId op) {
    if (is_constraint(op)) visit_constraint(op);
    if (module_.is(op, OpKind::SdyManualComputation)) visit_manual_computation(op);
  }

  /// Returns the constraints whose shardings were given to their operands, in the order of the
  /// walk.
  const std::vector<OpId>& applied() const { return applied_; }

 private:
  bool is_constraint(OpId op) const {
    return op.valid() && module_.is(op, OpKind::SdyShardingConstraint);
  }
  bool constrains(OpId op) const {
    return is_constraint(op) || module_.is(op, OpKind::SdyManualComputation);
  }

  // ---- Chains -----------------------------------------------------------------------------------

  bool is_constrained_by_another(ValueId value, OpId constraint) const {
    const std::vector<Use> uses = module_.uses(value);
    return std::ranges::any_of(
        uses, [&](const Use& use) { return use.op != constraint && constrains(use.op); });
  }

  bool is_chain_head(OpId constraint) const {
    const ValueId input = module_.operand(constraint, 0);
    return !is_constraint(module_.defining_op(input)) && !ir::get_sharding(module_, input) &&
           !is_constrained_by_another(input, constraint);
  }

  OpId chain_tail(OpId head) const {
    OpId tail = head;
    while (module_.num_uses(module_.result(tail)) == 1) {
      const OpId user = module_.uses(module_.result(tail)).front().op;
      if (!is_constraint(user)) break;
      tail = user;
    }
    return tail;
  }

  /// Makes the users of the chain's operand that come after the chain use the result of its last
  /// constraint instead.
  void follow_chain(OpId head) {
    if (!is_chain_head(head)) return;
    const OpId tail = chain_tail(head);
    const ValueId result = module_.result(tail);
    if (tail == head || is_constrained_by_another(result, OpId())) return;
    for (const Use& use : module_.uses(module_.operand(head, 0))) {
      const bool is_after = module_.parent_block(use.op) == module_.parent_block(tail) &&
                            module_.is_before(tail, use.op);
      if (use.op == head || !is_after || module_.is(use.op, OpKind::FuncReturn)) continue;
      if (ir::is_sdy_collective(module_.kind(use.op)))
        continue;  // collectives define the sharding of their operand
      module_.set_operand(use.op, use.operand, result);
    }
  }

  // ---- Applying ---------------------------------------------------------------------------------

  std::optional<TensorSharding> wanted_by(const Use& use) const {
    if (is_constraint(use.op)) return ir::get_sharding(module_, module_.result(use.op));
    if (!module_.is(use.op, OpKind::SdyManualComputation)) return std::nullopt;
    return ir::detail::get_in_list(module_.attributes(use.op), ir::attr::kInShardings, use.operand);
  }

  bool can_apply(ValueId value, const TensorSharding& sharding) const {
    if (!sharding.is_fully_closed() || !ir::shardable_value(module_, value) ||
        ir::get_sharding(module_, value) || is_side_of_collective(module_, value)) {
      return false;
    }
    const std::vector<Use> uses = module_.uses(value);
    return std::ranges::all_of(uses, [&](const Use& use) {
      const std::optional<TensorSharding> wanted = wanted_by(use);
      return !wanted || *wanted == sharding;
    });
  }

  bool is_on_edge(ValueId value) const {
    const OpId op = module_.defining_op(value);
    if (op.valid() && module_.is(op, OpKind::SdyDataFlowEdge)) return true;
    return ir::edge_op_of_target(module_, value).has_value();
  }

  void place_after(ValueId value, OpId op) {
    module_.remove(op);
    const ir::ValueOwner owner = module_.owner(value);
    if (owner.is_result()) return module_.insert_after(owner.op, op);
    const OpId first = module_.first_op(owner.block);
    first.valid() ? module_.insert_before(first, op) : module_.append(owner.block, op);
  }

  OpId make_constraint(ValueId value, const TensorSharding& sharding, OpId near) {
    ir::OpSpec spec{.kind = OpKind::SdyShardingConstraint};
    spec.operands = {value};
    spec.result_types = {module_.type(value)};
    spec.attributes.set(ir::attr::kSharding, sharding);
    spec.location = module_.location(near);
    return module_.create(std::move(spec));
  }

  /// Constrains this target of the edge for all its users. The edge's other targets stay free.
  void constrain_on_edge(ValueId value, const TensorSharding& sharding, OpId anchor) {
    place_after(value, anchor);
    const ValueId result = module_.result(anchor);
    module_.replace_all_uses(value, result);
    module_.set_operand(anchor, 0, value);
    if (sharding.unreduced_axes().empty()) return;
    // Unreduced axes do not propagate from the constraint to the edge, so the edge gets them here.
    const TensorSharding current = ir::get_or_create_sharding(module_, value, sharding.mesh_ref());
    ir::set_sharding(module_, value,
                     current.with_unreduced(sharding.unreduced_axes(), sharding.reduction_op()));
  }

  void visit_constraint(OpId constraint) {
    follow_chain(constraint);
    const ValueId input = module_.operand(constraint, 0);
    const auto sharding = ir::get_sharding(module_, module_.result(constraint));
    if (!sharding || !can_apply(input, *sharding)) return;
    if (is_on_edge(input)) return constrain_on_edge(input, *sharding, constraint);
    ir::set_sharding(module_, input, *sharding);
    applied_.push_back(constraint);
  }

  void visit_manual_computation(OpId op) {
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const ValueId value = module_.operand(op, index);
      const auto sharding =
          ir::detail::get_in_list(module_.attributes(op), ir::attr::kInShardings, index);
      if (!sharding || !can_apply(value, *sharding)) continue;
      if (is_on_edge(value)) {
        constrain_on_edge(value, *sharding, make_constraint(value, *sharding, op));
      } else {
        ir::set_sharding(module_, value, *sharding);
      }
    }
  }

  Module& module_;
  std::vector<OpId> applied_;
};

}  // namespace

Diagnostics apply_sharding_constraints(Module& module,
                                       const ApplyShardingConstraintsOptions& options) {
  Applier applier(module);
  for (const OpId op : ir::post_order(module)) applier.visit(op);
  if (options.debug_sharding_origins) propagation::write_sharding_origins(module);
  if (options.debug_propagation_edges) {
    propagation::write_backward_steps(module, applier.applied());
  }
  return {};
}

// ---- Groups -------------------------------------------------------------------------------------
// Merges sharding groups that share a value, and numbers the groups from 0. Spec: passes 4.12.
//
//   sdy.sharding_group %a group_id=40              sdy.sharding_group %a group_id=0
//   sdy.sharding_group %b group_id=9         ->    sdy.sharding_group %b group_id=0
//   sdy.sharding_group %b group_id=40              sdy.sharding_group %c group_id=1
//   sdy.sharding_group %c group_id=3

namespace {

int64_t group_id(const Module& module, OpId op) {
  const auto* id = module.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId);
  return id ? id->value : 0;
}

/// The manual computations in which an op runs; the invalid op means outside of all.
using Places = std::unordered_set<OpId>;

/// The nearest manual computations around ops, also around the calls of their functions.
class PlaceFinder {
 public:
  explicit PlaceFinder(const Module& module) : module_(module) {
    const ir::CallGraph graph = ir::call_graph(module);
    // Visits callers before callees. One round is enough unless functions call themselves.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t index = graph.calls.size(); index-- > 0;) {
        const OpId callee = graph.callees[index];
        if (!callee.valid()) continue;
        Places caller = places(graph.calls[index]);
        Places& known = of_function_[callee];
        const std::size_t before = known.size();
        known.merge(caller);
        changed = changed || known.size() > before;
      }
      changed = changed && graph.recursive;
    }
  }

  Places places(OpId op) const {
    OpId outer = module_.parent_op(op);
    for (; outer.valid() && !module_.is(outer, OpKind::Func); outer = module_.parent_op(outer)) {
      if (module_.is(outer, OpKind::SdyManualComputation)) return {outer};
    }
    const auto found = of_function_.find(outer);
    return found == of_function_.end() ? Places{OpId()} : found->second;
  }

 private:
  const Module& module_;
  std::unordered_map<OpId, Places> of_function_;  // only called functions
};

std::vector<int64_t> shape_of(const Module& module, ValueId value) {
  const ir::TypeShape shape(module.type(value));
  return {shape.dims().begin(), shape.dims().end()};
}

/// The group ops of one value in program order.
struct Members {
  ValueId value;
  std::vector<OpId> ops;
};

/// The shape of a group, which its first op determines, and the places common to its ops.
struct GroupFacts {
  Places places;
  std::vector<int64_t> shape;
};

/// A union-find structure over group ids. After unite(a, b), the merged class has the leader of the
/// class of `a`, even if the class of `b` was added earlier.
class Classes {
 public:
  void unite(int64_t a, int64_t b) {
    const int64_t leader = add(a);
    const int64_t other = add(b);
    parents_[other] = leader;
  }

  /// Numbers the classes from 0, in the order in which their leaders were added.
  std::unordered_map<int64_t, int64_t> numbers() {
    std::unordered_map<int64_t, int64_t> of_leader;
    for (const int64_t id : order_) {
      const auto next = static_cast<int64_t>(of_leader.size());
      if (find(id) == id) of_leader.emplace(id, next);
    }
    std::unordered_map<int64_t, int64_t> of_id;
    for (const int64_t id : order_) of_id.emplace(id, of_leader[find(id)]);
    return of_id;
  }

 private:
  int64_t add(int64_t id) {
    if (parents_.emplace(id, id).second) order_.push_back(id);
    return find(id);
  }

  int64_t find(int64_t id) {
    while (parents_[id] != id) {
      parents_[id] = parents_[parents_[id]];  // path halving
      id = parents_[id];
    }
    return id;
  }

  std::unordered_map<int64_t, int64_t> parents_;
  std::vector<int64_t> order_;
};

class Groups {
 public:
  explicit Groups(Module& module) : module_(module) {}

  Status collect() {
    for (const OpId op : ir::pre_order(module_)) {
      if (!module_.is(op, OpKind::SdyShardingGroup)) continue;
      if (!finder_) finder_.emplace(module_);
      Status status = check(op);
      if (!status) {
        status.error().location = module_.source_location(op);
        return status;
      }
      add(op);
    }
    return {};
  }

  void renumber() {
    Classes classes;
    for (const Members& members : values_) {
      const int64_t first = group_id(module_, members.ops.front());
      for (const OpId op : members.ops) classes.unite(first, group_id(module_, op));
    }
    const auto numbers = classes.numbers();
    for (const Members& members : values_) {
      std::vector<int64_t> seen;  // group ids of one value, which are few
      for (const OpId op : members.ops) {
        const int64_t id = numbers.at(group_id(module_, op));
        if (std::ranges::find(seen, id) != seen.end()) {
          module_.erase(op);
          continue;
        }
        seen.push_back(id);
        module_.attributes(op).set(ir::attr::kGroupId, ir::IntegerAttr{id, ir::ElementType::I64});
      }
    }
  }

 private:
  Status check(OpId op) {
    const int64_t id = group_id(module_, op);
    const GroupFacts facts{finder_->places(op), shape_of(module_, module_.operand(op, 0))};
    GroupFacts& group = facts_.emplace(id, facts).first->second;
    std::erase_if(group.places, [&](OpId place) { return !facts.places.contains(place); });
    if (group.places.empty()) {
      return fail(
          "ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: " +
          std::to_string(id));
    }
    if (group.shape != facts.shape) {
      return fail("ShardingGroupOps values must have the same shape for groupId: " +
                  std::to_string(id));
    }
    return {};
  }

  void add(OpId op) {
    const ValueId value = module_.operand(op, 0);
    const auto [found, is_new] = positions_.emplace(value, values_.size());
    if (is_new) values_.push_back(Members{value, {}});
    values_[found->second].ops.push_back(op);
  }

  Module& module_;
  std::optional<PlaceFinder> finder_;  // made for the first op
  std::map<int64_t, GroupFacts> facts_;
  std::unordered_map<ValueId, std::size_t> positions_;
  std::vector<Members> values_;  // ordered by their first group op
};

}  // namespace

Diagnostics sharding_group_import(Module& module) {
  Groups groups(module);
  Status status = groups.collect();
  if (!status) return {std::move(status).error()};
  groups.renumber();
  return {};
}

// ---- Manual computations ------------------------------------------------------------------------
// Sorts manual axes in mesh order, and adds manual axes to every in and out sharding that does not
// mention them. Spec: passes 4.6.
//
//   sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
//   sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"c", "a"}
//   ->
//   sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {}], replicated={"c"}>]
//                              manual_axes={"a", "c"}

namespace {

std::vector<TensorSharding> shardings(const Module& module, OpId op, std::string_view name) {
  const auto* list = module.attribute<ShardingList>(op, name);
  return list ? list->shardings : std::vector<TensorSharding>();
}

std::vector<std::string> in_mesh_order(const Mesh& mesh, std::vector<std::string> names) {
  const auto position = [&](const std::string& name) {
    return mesh.find_axis(name).value_or(mesh.num_axes());
  };
  std::ranges::stable_sort(names, {}, position);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Appends to the replicated axes all manual axes, or sub-axes of them, that the sharding does not
/// mention.
TensorSharding with_all_mentioned(const TensorSharding& sharding, const MeshRef& common,
                                  AxisNames manual) {
  AxisList used;
  sharding.for_each_axis([&](const AxisRef& axis) { used.push_back(axis); });
  AxisList wanted;
  for (const std::string& name : manual) {
    if (const auto axis = common.mesh.find_axis(name)) {
      wanted.push_back(common.mesh.full_axis(*axis));
    }
  }
  const AxisList unused = set_difference(wanted, used);
  if (unused.empty()) return sharding;
  AxisList replicated = sharding.replicated_axes();
  append(replicated, unused);
  // A sharding on an empty mesh has no axes, and is first moved to the common mesh.
  return sharding.with_mesh(common).with_replicated(sort_and_merge(std::move(replicated)));
}

ShardingList with_all_mentioned(const std::vector<TensorSharding>& old,
                                const std::vector<ir::Type>& types, const MeshRef& common,
                                AxisNames manual) {
  ShardingList list;
  for (std::size_t index = 0; index < old.size(); ++index) {
    const bool is_shaped =
        index < types.size() && ir::TypeShape(types[index]).kind() != ValueShape::Kind::NotShaped;
    list.shardings.push_back(is_shaped ? with_all_mentioned(old[index], common, manual)
                                       : old[index]);
  }
  return list;
}

std::optional<MeshRef> common_mesh_of(const std::vector<TensorSharding>& in,
                                      const std::vector<TensorSharding>& out) {
  std::vector<std::optional<TensorSharding>> all(in.begin(), in.end());
  all.insert(all.end(), out.begin(), out.end());
  return common_mesh(all);
}

bool has_empty_body(const Module& module, OpId op) {
  const std::optional<ir::BlockId> body = ir::entry_block(module, op);
  if (!body) return true;
  const OpId first = module.first_op(*body);
  return !first.valid() || module.has_trait(first, ir::kTerminator);
}

Status clean_up(Module& module, OpId op) {
  const auto* axes = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  std::vector<std::string> manual = axes ? axes->names : std::vector<std::string>();
  const std::vector<TensorSharding> in = shardings(module, op, ir::attr::kInShardings);
  const std::vector<TensorSharding> out = shardings(module, op, ir::attr::kOutShardings);
  if (in.empty() && out.empty()) {
    if (manual.empty() || has_empty_body(module, op)) return {};
    return fail("op has manual_axes when there are no in/out shardings and the body is not empty.");
  }
  const std::optional<MeshRef> common = common_mesh_of(in, out);
  if (!common) return fail("expected inputs and outputs to have a common mesh");
  manual = in_mesh_order(common->mesh, std::move(manual));
  ShardingList new_in =
      with_all_mentioned(in, ir::detail::operand_types(module, op), *common, manual);
  ShardingList new_out =
      with_all_mentioned(out, ir::detail::result_types(module, op), *common, manual);
  ir::AttributeMap& attributes = module.attributes(op);
  attributes.set(ir::attr::kInShardings, std::move(new_in));
  attributes.set(ir::attr::kOutShardings, std::move(new_out));
  attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{std::move(manual)});
  return {};
}

}  // namespace

Diagnostics manual_axes_cleanup(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::SdyManualComputation)) continue;
    Status status = clean_up(module, op);
    if (status) continue;
    status.error().location = module.source_location(op);
    return {std::move(status).error()};
  }
  return {};
}

}  // namespace shardy::passes
