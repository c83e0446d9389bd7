#include "ir/manual_scopes.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {

namespace {

bool has_manual_computation(const Module& module) {
  for (std::size_t index = 0; index < module.num_ops(); ++index) {
    const OpId op(static_cast<uint32_t>(index));
    if (!module.is_erased(op) && module.is(op, OpKind::SdyManualComputation)) return true;
  }
  return false;
}

}  // namespace

ManualScopes::ManualScopes(const Module& module)
    : module_(module), has_manual_(has_manual_computation(module)) {
  if (!has_manual_) return;
  const CallGraph graph = call_graph(module);
  // Visits callers before callees. One round is enough unless functions call themselves.
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t index = graph.calls.size(); index-- > 0;) {
      const OpId callee = graph.callees[index];
      if (callee.valid() && add_call(graph.calls[index], callee)) changed = true;
    }
    changed = changed && graph.recursive;
  }
}

bool ManualScopes::add_call(OpId call, OpId callee) {
  const bool is_new = in_body(call) && called_in_body_.insert(callee).second;
  const ManualScope bound = around(call);
  if (bound.empty()) return is_new;
  ManualScope& scope = functions_[callee];
  const std::size_t before = scope.size();
  scope.insert(bound.begin(), bound.end());
  return is_new || scope.size() > before;
}

AxisList free_axes(const Mesh& mesh, const BoundAxes& bound) {
  AxisList axes;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const AxisRef full = mesh.full_axis(axis);
    if (!bound.has(mesh, full)) axes.push_back(full);
  }
  return axes;
}

std::optional<MeshRef> mesh_of_manual(const Module& module, OpId manual) {
  for (const std::string_view name : {attr::kInShardings, attr::kOutShardings}) {
    const auto* list = module.attribute<ShardingList>(manual, name);
    if (list == nullptr) continue;
    for (const TensorSharding& sharding : list->shardings) {
      if (!sharding.mesh().axes().empty()) return sharding.mesh_ref();
    }
  }
  return std::nullopt;
}

ManualContext ManualScopes::context(OpId op) const {
  const OpId manual = outermost(op);
  const auto mesh = manual.valid() ? mesh_of_manual(module_, manual) : std::nullopt;
  return {at(op), mesh ? std::optional(mesh->mesh) : std::nullopt};
}

bool ManualScopes::in_body(OpId op) const {
  if (!has_manual_) return false;
  OpId outer = module_.parent_op(op);
  for (; outer.valid() && !module_.is(outer, OpKind::Func); outer = module_.parent_op(outer)) {
    if (module_.is(outer, OpKind::SdyManualComputation)) return true;
  }
  return outer.valid() && called_in_body_.contains(outer);
}

ManualScope ManualScopes::around(OpId op) const {
  ManualScope scope;
  OpId outer = module_.parent_op(op);
  for (; outer.valid() && !module_.is(outer, OpKind::Func); outer = module_.parent_op(outer)) {
    if (!module_.is(outer, OpKind::SdyManualComputation)) continue;
    for (const std::string& axis : detail::manual_axes_of(module_, outer)) scope[axis] = outer;
  }
  if (!outer.valid()) return scope;
  for (const auto& [axis, binder] : of_function(outer)) scope[axis] = binder;
  return scope;
}

const ManualScope& ManualScopes::of_function(OpId function) const {
  static const ManualScope none;
  const auto found = functions_.find(function);
  return found == functions_.end() ? none : found->second;
}

OpId ManualScopes::outermost(OpId op) const {
  OpId found;
  if (!has_manual_) return found;
  std::unordered_set<OpId> seen;  // functions may call themselves
  for (OpId at = op; at.valid();) {
    OpId outer = at;
    for (; outer.valid() && !module_.is(outer, OpKind::Func); outer = module_.parent_op(outer)) {
      const bool binds = outer != op && module_.is(outer, OpKind::SdyManualComputation) &&
                         !detail::manual_axes_of(module_, outer).empty();
      if (binds) found = outer;
    }
    const bool is_new = outer.valid() && seen.insert(outer).second;
    at = is_new && !of_function(outer).empty() ? of_function(outer).begin()->second : OpId();
  }
  return found;
}

BoundAxes ManualScopes::at(OpId op) const {
  if (!has_manual_) return BoundAxes::none();
  std::vector<std::string> names;
  for (const auto& [axis, binder] : around(op)) names.push_back(axis);
  return BoundAxes::of(names);
}

}  // namespace shardy::ir
