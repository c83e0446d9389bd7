// Visits and rewrites all shardings of a module. The drawing shows the order. Spec: passes 1.11.
//
//   func.func @main(%a [{"x"}]) -> ([{"x"}]) {     1: %a, 2: result 0 of @main
//     %0 = negate %a [{"x"}]                       3: %0
//     %1 = sdy.manual_computation(%0)              4: in_shardings, 5: out_shardings
//   }
#include "passes/common/sharding_walker.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ir/process_groups.hpp"
#include "ir/sharding_map.hpp"
#include "passes/common/ir_names.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::passes {

// ---- The mesh in the replica groups of a StableHLO collective -----------------------------------

namespace {

constexpr std::string_view kReplicaGroups = ir::attr::kReplicaGroups;

std::string mesh_text(const MeshOrRef& mesh) {
  if (const auto* name = std::get_if<std::string>(&mesh)) return symbol_text(*name);
  return ir::stablehlo_mesh_text(std::get<Mesh>(mesh));
}

const std::string* text_of(const ir::Module& module, ir::OpId op) {
  const auto* groups = module.attribute<ir::OpaqueAttr>(op, kReplicaGroups);
  return groups != nullptr && ir::is_replica_group_mesh(groups->text) ? &groups->text : nullptr;
}

}  // namespace

std::optional<MeshOrRef> replica_group_mesh(const ir::Module& module, ir::OpId op) {
  const std::string* text = text_of(module, op);
  if (text == nullptr) return std::nullopt;
  Result<ir::ReplicaGroupMesh> groups = ir::parse_replica_group_mesh(*text);
  if (!groups) return std::nullopt;
  return std::move(groups->mesh);
}

void set_replica_group_mesh(ir::Module& module, ir::OpId op, const MeshOrRef& mesh) {
  const std::string* old = text_of(module, op);
  if (old == nullptr) return;
  const Result<ir::ReplicaGroupMesh> groups = ir::parse_replica_group_mesh(*old);
  if (!groups) return;
  std::string text = *old;
  text.replace(groups->mesh_begin, groups->mesh_end - groups->mesh_begin, mesh_text(mesh));
  module.attributes(op).set(kReplicaGroups, ir::OpaqueAttr{std::move(text)});
}

// ---- The walk -----------------------------------------------------------------------------------

namespace {

/// An attribute that is one sharding or a list of shardings, and the values that have these
/// shardings.
template <class Map>
struct ShardingSlot {
  Map* attributes;
  std::string_view name;
  const Module* module = nullptr;
  OpId owner = {};  // the op whose results have the shardings; invalid: `values` have them
  std::vector<ValueId> values = {};

  template <class T>
  const T* get() const {
    return attributes->template get<T>(name);
  }
  ValueId value(std::size_t index) const {
    if (!owner.valid()) return index < values.size() ? values[index] : ValueId();
    return index < module->num_results(owner) ? module->result(owner, index) : ValueId();
  }
};

/// Visits the sharding attributes of a function's signature.
template <class Map, class AnyModule, class Handle>
void for_each_function_slot(AnyModule& module, OpId function, const Handle& handle) {
  auto& data = module.function(function);
  for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
    const bool has_value =
        !module.is_external(function) && index < module.args(module.entry(function)).size();
    const ValueId arg = has_value ? module.args(module.entry(function))[index] : ValueId();
    handle(ShardingSlot<Map>{
        .attributes = &data.arg_attributes[index], .name = ir::kShardingAttr, .values = {arg}});
  }
  for (Map& attributes : data.result_attributes) {
    handle(ShardingSlot<Map>{.attributes = &attributes, .name = ir::kShardingAttr});
  }
}

/// Calls `handle` with each sharding attribute of the op, in the order of the walk.
template <class AnyModule, class Handle>
void for_each_slot(AnyModule& module, OpId op, const Handle& handle) {
  auto& attributes = module.attributes(op);
  using Map = std::remove_reference_t<decltype(attributes)>;
  if (module.is(op, OpKind::Func)) for_each_function_slot<Map>(module, op, handle);
  if (ir::is_computation(module, op)) {
    handle(ShardingSlot<Map>{.attributes = &attributes,
                             .name = ir::attr::kInShardings,
                             .values = ir::block_arg_edge_owners(module, op)});
    handle(ShardingSlot<Map>{&attributes, ir::attr::kOutShardings, &module, op});
    return;
  }
  const std::string_view single = ir::detail::single_sharding_attr(module.kind(op));
  handle(ShardingSlot<Map>{&attributes, single.empty() ? ir::kShardingAttr : single, &module, op});
}

}  // namespace

void for_each_sharding(const Module& module, const ShardingVisitor& visit) {
  const auto handle = [&](const auto& slot) {
    if (const auto* one = slot.template get<TensorSharding>()) visit(*one, slot.value(0));
    const auto* list = slot.template get<ShardingList>();
    if (list == nullptr) return;
    for (std::size_t index = 0; index < list->shardings.size(); ++index) {
      visit(list->shardings[index], slot.value(index));
    }
  };
  for (const OpId op : ir::pre_order(module)) for_each_slot(module, op, handle);
}

namespace {

/// A memo of transformed shardings, because a program has few distinct ones. Equal shardings share
/// one attribute. An unchanged sharding keeps the attribute of its first occurrence.
class Transformed {
 public:
  explicit Transformed(const ShardingTransform& transform) : transform_(transform) {}

  const TensorSharding& get(const TensorSharding& sharding) { return find(sharding).sharding; }

  /// Replaces the sharding in an attribute that is one sharding, or a list with one sharding.
  void replace(ir::AttributeMap& attributes, std::string_view name, const TensorSharding& old,
               bool is_list) {
    Result& result = find(old);
    ir::Attribute& made = is_list ? result.list : result.one;
    bool& is_made = is_list ? result.has_list : result.has_one;
    if (!is_made) {
      is_made = true;
      if (result.is_same) {
        made = *attributes.find(name);
        return;
      }
      made =
          is_list ? ir::Attribute(ShardingList{{result.sharding}}) : ir::Attribute(result.sharding);
    }
    attributes.set(name, made);
  }

 private:
  struct Result {
    TensorSharding sharding;
    bool is_same = false;
    bool has_one = false, has_list = false;
    ir::Attribute one = {}, list = {};
  };
  Result& find(const TensorSharding& sharding) {
    if (Result* known = results_.find(sharding)) return *known;
    TensorSharding changed = transform_(sharding);
    const bool is_same = changed == sharding;
    if (is_same) changed = sharding;
    return results_.add(sharding, Result{.sharding = std::move(changed), .is_same = is_same});
  }

  const ShardingTransform& transform_;
  ir::ShardingMap<Result> results_;
};

}  // namespace

void transform_shardings(Module& module, const ShardingTransform& transform) {
  Transformed transformed(transform);
  const auto handle = [&](const auto& slot) {
    if (const auto* one = slot.template get<TensorSharding>()) {
      return transformed.replace(*slot.attributes, slot.name, *one, false);
    }
    const auto* list = slot.template get<ShardingList>();
    if (list == nullptr) return;
    if (list->shardings.size() == 1) {
      return transformed.replace(*slot.attributes, slot.name, list->shardings.front(), true);
    }
    ShardingList changed;
    for (const TensorSharding& each : list->shardings) {
      changed.shardings.push_back(transformed.get(each));
    }
    if (changed != *list) slot.attributes->set(slot.name, std::move(changed));
  };
  for (const OpId op : ir::pre_order(module)) for_each_slot(module, op, handle);
}

std::set<std::string, std::less<>> used_meshes(const Module& module) {
  std::set<std::string, std::less<>> used;
  for_each_sharding(module, [&](const TensorSharding& sharding, ValueId) {
    if (sharding.mesh_name()) used.insert(*sharding.mesh_name());
  });
  for (const OpId op : ir::pre_order(module)) {
    if (const auto* mesh = module.attribute<ir::SymbolAttr>(op, ir::attr::kMesh))
      used.insert(mesh->name);
    const std::optional<MeshOrRef> groups = replica_group_mesh(module, op);
    const auto* name = groups ? std::get_if<std::string>(&*groups) : nullptr;
    if (name != nullptr) used.insert(*name);
  }
  return used;
}

void erase_unused_meshes(Module& module) {
  const auto used = used_meshes(module);
  for (const OpId mesh : module.meshes()) {
    if (!used.contains(module.symbol_name(mesh))) module.erase(mesh);
  }
}

namespace {

Status verify_mesh_name(const Module& module, const std::string& name) {
  const std::optional<OpId> op = module.find_symbol(name);
  if (op && module.is(*op, OpKind::SdyMesh)) return {};
  return fail_unknown_mesh(name);
}

Status verify_mesh_of(const Module& module, const UnresolvedSharding& sharding) {
  const auto* name = std::get_if<std::string>(&sharding.mesh);
  return name != nullptr ? verify_mesh_name(module, *name) : Status();
}

Status verify_mesh_of(const Module& module, const TensorSharding& sharding) {
  return sharding.mesh_name() ? verify_mesh_name(module, *sharding.mesh_name()) : Status();
}

template <class List>
Status verify_meshes_of(const Module& module, const List* list) {
  if (list == nullptr) return {};
  for (const auto& each : list->shardings) {
    SHARDY_TRY_STATUS(verify_mesh_of(module, each));
  }
  return {};
}

template <class AnySlot>
Status verify_slot(const Module& module, const AnySlot& slot) {
  // The verifier rejects unresolved shardings, but programs that were not verified may have them.
  if (const auto* unresolved = slot.template get<UnresolvedSharding>()) {
    return verify_mesh_of(module, *unresolved);
  }
  if (const auto* one = slot.template get<TensorSharding>()) return verify_mesh_of(module, *one);
  SHARDY_TRY_STATUS(verify_meshes_of(module, slot.template get<ir::UnresolvedShardingList>()));
  return verify_meshes_of(module, slot.template get<ShardingList>());
}

}  // namespace

Status verify_meshes(const Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    Status status;
    for_each_slot(module, op, [&](const auto& slot) {
      if (status) status = verify_slot(module, slot);
    });
    if (status) continue;
    status.error().location = module.source_location(op);
    return status;
  }
  return {};
}

}  // namespace shardy::passes
