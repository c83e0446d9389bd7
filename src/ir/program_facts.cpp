#include "ir/program_facts.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/process_groups.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {

namespace {

using Names = std::set<std::string, std::less<>>;

void add_mesh(const TensorSharding& sharding, Names& names) {
  if (sharding.mesh_name()) names.insert(*sharding.mesh_name());
}

void add_meshes(const Attribute& attribute, Names& names) {
  if (const auto* one = attribute.as<TensorSharding>()) {
    add_mesh(*one, names);
  } else if (const auto* list = attribute.as<ShardingList>()) {
    for (const TensorSharding& each : list->shardings) add_mesh(each, names);
  } else if (const auto* groups = attribute.as<OpaqueAttr>()) {
    if (!is_replica_group_mesh(groups->text)) return;
    const Result<ReplicaGroupMesh> read = parse_replica_group_mesh(groups->text);
    const auto* name = read ? std::get_if<std::string>(&read->mesh) : nullptr;
    if (name != nullptr) names.insert(*name);
  }
}

void add_meshes(const AttributeMap& attributes, Names& names) {
  for (const NamedAttribute& each : attributes) {
    const auto* mesh = each.name == attr::kMesh ? each.value.as<SymbolAttr>() : nullptr;
    if (mesh != nullptr) names.insert(mesh->name);
    add_meshes(each.value, names);
  }
}

std::vector<OpId> body_of(const Module& module, OpId function) {
  return module.is_external(function) ? std::vector<OpId>()
                                      : pre_order(module, module.entry(function));
}

std::optional<MeshRef> first_with_axes(const Module& module, const std::vector<OpId>& meshes) {
  for (const OpId op : meshes) {
    const auto* mesh = module.attribute<Mesh>(op, attr::kMesh);
    if (mesh == nullptr || mesh->axes().empty()) continue;
    return MeshRef{*mesh, std::string(module.symbol_name(op))};
  }
  return std::nullopt;
}

}  // namespace

std::vector<OpId> reached_functions(const Module& module, OpId function) {
  std::vector<OpId> reached = {function};
  std::set<OpId> known = {function};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (const OpId op : body_of(module, reached[next])) {
      for (const NamedAttribute& each : module.attributes(op)) {
        const auto* symbol = each.value.as<SymbolAttr>();
        const auto named = symbol != nullptr ? module.find_symbol(symbol->name) : std::nullopt;
        if (!named || !module.is(*named, OpKind::Func)) continue;
        if (known.insert(*named).second) reached.push_back(*named);
      }
    }
  }
  return reached;
}

std::vector<OpId> meshes_in_use(const Module& module, const std::vector<OpId>& functions) {
  Names names;
  for (const OpId function : functions) {
    const FunctionData& data = module.function(function);
    for (const AttributeMap& each : data.arg_attributes) add_meshes(each, names);
    for (const AttributeMap& each : data.result_attributes) add_meshes(each, names);
    for (const OpId op : body_of(module, function)) add_meshes(module.attributes(op), names);
  }
  std::vector<OpId> meshes;
  for (const std::string& name : names) {
    const std::optional<OpId> op = module.find_symbol(name);
    if (op && module.is(*op, OpKind::SdyMesh)) meshes.push_back(*op);
  }
  std::ranges::sort(meshes, [&](OpId a, OpId b) { return module.is_before(a, b); });
  return meshes;
}

std::vector<OpId> program_functions(const Module& module) {
  const std::optional<OpId> main = module.main_function();
  return main ? reached_functions(module, *main) : module.functions();
}

std::optional<MeshRef> mesh_of(const Module& module, const std::vector<OpId>& functions) {
  return first_with_axes(module, meshes_in_use(module, functions));
}

std::optional<MeshRef> mesh_of_program(const Module& module) {
  const auto used = mesh_of(module, program_functions(module));
  return used ? used : first_with_axes(module, module.meshes());
}

int64_t devices_of(const Module& module, const std::vector<OpId>& functions) {
  int64_t count = 0;
  for (const OpId op : meshes_in_use(module, functions)) {
    const auto* mesh = module.attribute<Mesh>(op, attr::kMesh);
    if (mesh == nullptr || mesh->axes().empty()) continue;
    count = std::max(count, mesh->num_devices());
  }
  if (count > 0) return count;
  const std::optional<MeshRef> mesh = mesh_of_program(module);
  return mesh ? mesh->mesh.num_devices() : 1;
}

namespace {

/// Tables and attributes of an op with its operands, and of a value with its type, in a program of
/// sharded dots, elementwise ops and collectives (tests/checking/program_bytes_test.cpp measures
/// them).
constexpr int64_t kBytesPerOp = 110;
constexpr int64_t kBytesPerValue = 35;

}  // namespace

int64_t program_bytes(const Module& module) {
  return static_cast<int64_t>(module.num_ops()) * kBytesPerOp +
         static_cast<int64_t>(module.num_values()) * kBytesPerValue;
}

namespace {

bool is_call(const Module& module, OpId op) {
  return module.is(op, OpKind::FuncCall) || module.is(op, OpKind::Composite);
}

std::vector<OpId> draws(const Module& module) {
  std::vector<OpId> ops = pre_order(module);
  std::erase_if(ops, [&](OpId op) { return !module.is(op, OpKind::Rng); });
  return ops;
}

}  // namespace

DrawNames::DrawNames(const Module& module) {
  if (draws(module).empty()) return;
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    std::size_t number = 0;
    for (const OpId op : pre_order(module, module.entry(function))) {
      if (!module.is(op, OpKind::Rng) && !is_call(module, op)) continue;
      const auto* name = module.attribute<std::string>(op, kDrawAttr);
      names_[op] = name != nullptr
                       ? *name
                       : std::string(module.symbol_name(function)) + ":" + std::to_string(number);
      ++number;
    }
  }
}

void name_draws(Module& module) {
  for (const auto& [op, name] : DrawNames(module).names_) {
    module.attributes(op).set(std::string(kDrawAttr), name);
  }
}

bool has_unnamed_draws(const Module& module) {
  return std::ranges::any_of(draws(module), [&](OpId op) {
    return module.attribute<std::string>(op, kDrawAttr) == nullptr;
  });
}

// ---- Axes that manual computations bind ---------------------------------------------------------

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
