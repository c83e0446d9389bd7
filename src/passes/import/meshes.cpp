// Replaces mesh names by meshes (inline) and meshes by names (lift), and removes axes of size 1.
// Spec: passes 3.1, 4.1, 4.2.
//
//   sdy.mesh @mesh = <["x"=2]>           inline
//   %a [<@mesh, [{"x"}]>]                  ->     %a [<mesh<["x"=2]>, [{"x"}]>]
//
//   sdy.mesh @m0 = <["x"=2]>                      sdy.mesh @m0 = <["x"=2]>
//   sdy.mesh @m1 = <["x"=2]>              lift    sdy.mesh @mesh = <["y"=4]>
//   %a [<@m1, [{"x"}]>]                    ->     %a [<@m0, [{"x"}]>]
//   %b [<mesh<["y"=4]>, [{"y"}]>]                 %b [<@mesh, [{"y"}]>]
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

// ---- Inlining -----------------------------------------------------------------------------------

namespace {

void inline_replica_group_mesh(Module& module, OpId op) {
  const std::optional<MeshOrRef> mesh = replica_group_mesh(module, op);
  const auto* name = mesh ? std::get_if<std::string>(&*mesh) : nullptr;
  const std::optional<Mesh> content = name ? module.find_mesh(*name) : std::nullopt;
  if (content) set_replica_group_mesh(module, op, *content);
}

}  // namespace

Diagnostics inline_meshes(Module& module) {
  if (Status known = verify_meshes(module); !known) return {std::move(known).error()};
  transform_shardings(module,
                      [](const TensorSharding& sharding) { return sharding.with_inlined_mesh(); });
  for (const OpId op : ir::pre_order(module)) inline_replica_group_mesh(module, op);
  erase_unused_meshes(module);
  return {};
}

// ---- Lifting ------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kStablehloMeshAttr = "stablehlo.mesh";

std::string base_name(const Mesh& mesh) {
  if (const auto device = mesh.maximal_device_id()) {
    return "single_device_" + std::to_string(*device);
  }
  return mesh.empty() ? "empty_mesh" : "mesh";
}

/// Assigns one name to each distinct mesh.
class Lifter {
 public:
  explicit Lifter(Module& module) : module_(module), symbols_(module) {}

  /// Keeps the first mesh op of each mesh and erases the others. Spec: passes 4.1 step 1.
  void merge_mesh_ops() {
    for (const OpId op : module_.meshes()) {
      const auto* mesh = module_.attribute<Mesh>(op, ir::attr::kMesh);
      if (mesh == nullptr) continue;
      const std::string name(module_.symbol_name(op));
      const auto [first, is_new] = names_.emplace(*mesh, name);
      if (is_new) {
        last_ = op;
        continue;
      }
      survivors_.emplace(name, first->second);
      module_.erase(op);
    }
  }

  /// Lifts the meshes of shardings. Collects the names first, in the order of the walk, because
  /// inserting a mesh op moves the attributes of all ops in memory.
  void lift_shardings() {
    for (const Mesh& mesh : inlined_meshes()) name_of(mesh);
    transform_shardings(module_, [&](const TensorSharding& sharding) {
      const auto& name = sharding.mesh_name();
      if (name && !survivors_.contains(*name)) return sharding;
      return sharding.with_mesh(
          {sharding.mesh(), name ? survivors_.at(*name) : names_.at(sharding.mesh())});
    });
  }

  /// Renames the meshes of per-device (spmd) ops.
  void rename_in_device_ops() {
    if (survivors_.empty()) return;
    for (const OpId op : ir::pre_order(module_)) {
      const auto* name = module_.attribute<ir::SymbolAttr>(op, ir::attr::kMesh);
      const auto kept = name != nullptr ? survivors_.find(name->name) : survivors_.end();
      if (kept != survivors_.end()) {
        module_.attributes(op).set(ir::attr::kMesh, ir::SymbolAttr{kept->second});
      }
    }
  }

  /// Lifts the meshes of replica groups. One walk per op kind determines the order of the new
  /// meshes. Spec: passes 4.1 step 4.
  void lift_replica_groups() {
    constexpr std::array kKinds = {OpKind::AllGather, OpKind::AllReduce, OpKind::ReduceScatter,
                                   OpKind::AllToAll, OpKind::CollectiveBroadcast};
    const std::vector<OpId> order = ir::post_order(module_);
    for (const OpKind kind : kKinds) {
      for (const OpId op : order) {
        if (!module_.is_erased(op) && module_.is(op, kind)) lift_replica_group(op);
      }
    }
  }

 private:
  /// Returns the distinct inlined meshes of shardings in the order of their first use.
  std::vector<Mesh> inlined_meshes() const {
    std::vector<Mesh> meshes;
    std::set<Mesh> known;
    for_each_sharding(module_, [&](const TensorSharding& sharding, ir::ValueId) {
      const bool is_inlined = !sharding.mesh_name();
      if (is_inlined && known.insert(sharding.mesh()).second) meshes.push_back(sharding.mesh());
    });
    return meshes;
  }

  const std::string& name_of(const Mesh& mesh) {
    const auto found = names_.find(mesh);
    if (found != names_.end()) return found->second;
    return names_.emplace(mesh, add_mesh(mesh)).first->second;
  }

  std::string add_mesh(const Mesh& mesh) {
    std::string name = symbols_.unique_name(base_name(mesh));
    last_ = insert_mesh(module_, last_, name, mesh);
    return name;
  }

  void lift_replica_group(OpId op) {
    const std::optional<MeshOrRef> old = replica_group_mesh(module_, op);
    if (!old) return;
    if (const auto* mesh = std::get_if<Mesh>(&*old)) {
      set_replica_group_mesh(module_, op, name_of(*mesh));
    } else if (const auto kept = survivors_.find(std::get<std::string>(*old));
               kept != survivors_.end()) {
      set_replica_group_mesh(module_, op, kept->second);
    }
  }

  Module& module_;
  SymbolTable symbols_;
  OpId last_;
  std::map<Mesh, std::string> names_;
  std::map<std::string, std::string, std::less<>>
      survivors_;  // from an erased mesh op to the kept op with the same mesh
};

ir::Attribute axis_dictionary(const MeshAxis& axis) {
  ir::AttributeMap entry;
  entry.set(ir::attr::kName, axis.name);
  entry.set("size", ir::IntegerAttr{axis.size, ir::ElementType::I64});
  return entry;
}

/// Returns the mesh in StableHLO's form, for tools without the sdy dialect. Spec: passes 4.1 step
/// 5.
ir::AttributeMap stablehlo_mesh(const Mesh& mesh) {
  ir::ArrayAttr axes;
  for (const MeshAxis& axis : mesh.axes()) axes.elements.push_back(axis_dictionary(axis));
  ir::AttributeMap dictionary;
  dictionary.set("axes", std::move(axes));
  if (!mesh.device_ids().empty()) {
    const std::vector<int64_t> ids(mesh.device_ids().begin(), mesh.device_ids().end());
    const auto type = ir::Type::tensor({static_cast<int64_t>(ids.size())}, ir::ElementType::I64);
    dictionary.set("device_ids", ir::literal_from<int64_t>(type, ids));
  }
  return dictionary;
}

}  // namespace

Diagnostics lift_inlined_meshes(Module& module) {
  Lifter lifter(module);
  lifter.merge_mesh_ops();
  lifter.lift_shardings();
  lifter.rename_in_device_ops();
  lifter.lift_replica_groups();
  for (const OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr || module.attributes(op).contains(kStablehloMeshAttr)) continue;
    ir::AttributeMap dictionary = stablehlo_mesh(*mesh);
    module.attributes(op).set(kStablehloMeshAttr, std::move(dictionary));
  }
  return {};
}

// ---- Axes of size 1 -----------------------------------------------------------------------------
// Axes of size 1 are removed from shardings, manual axes and collectives. Spec: passes 4.2.
//
//   sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
//   [{"o"}p1, {"x", "p", ?}p0]                  ->   [{}, {"x", ?}p0]
//   [{}, {?}], unreduced={"x", "o"}             ->   [{}, {?}], unreduced={"x"}

namespace {

bool has_size_one_axis(const Module& module) {
  return std::ranges::any_of(module.meshes(), [&](OpId op) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    return mesh != nullptr &&
           std::ranges::find(mesh->axes(), 1, &MeshAxis::size) != mesh->axes().end();
  });
}

/// Removes axes of size 1. Merges sub-axes that become adjacent.
AxisList without_size_one(const AxisList& axes) {
  AxisList kept;
  for (const AxisRef& axis : axes) {
    if (axis.size != 1) append_or_merge(kept, axis);
  }
  return kept;
}

TensorSharding without_size_one(const TensorSharding& sharding) {
  std::vector<AxisList> dims;
  for (const DimSharding& dim : sharding.dims()) dims.push_back(without_size_one(dim.axes));
  return sharding.with_dim_axes(std::move(dims))
      .with_replicated(without_size_one(sharding.replicated_axes()))
      .with_unreduced(without_size_one(sharding.unreduced_axes()));
}

/// Removes axes of size 1 from an attribute of a collective. Returns false if no axes remain; the
/// op must then be erased.
bool keeps_axes(Module& module, OpId op, std::string_view name) {
  ir::AttributeMap& attributes = module.attributes(op);
  if (const auto* axes = attributes.get<ir::AxesAttr>(name)) {
    AxisList kept = without_size_one(axes->axes);
    const bool is_needed = module.is(op, OpKind::SdyReplicatedToUnreduced);
    const bool stays = !is_needed || !kept.empty();
    attributes.set(name, ir::AxesAttr{axes->mesh, std::move(kept)});
    return stays;
  }
  if (const auto* lists = attributes.get<ir::AxesListsAttr>(name)) {
    ir::AxesListsAttr kept{lists->mesh, {}};
    for (const AxisList& list : lists->lists) kept.lists.push_back(without_size_one(list));
    attributes.set(name, std::move(kept));
  } else if (const auto* exchange = attributes.get<ir::AllToAllAttr>(name)) {
    ir::AllToAllAttr kept{exchange->mesh, exchange->params};
    for (ir::AllToAllParam& param : kept.params) param.axes = without_size_one(param.axes);
    std::erase_if(kept.params, [](const ir::AllToAllParam& param) { return param.axes.empty(); });
    const bool stays = !kept.params.empty();
    attributes.set(name, std::move(kept));
    return stays;
  }
  return true;
}

void clean_collective(Module& module, OpId op) {
  bool stays = true;
  for (const std::string_view name :
       {ir::attr::kGatheringAxes, ir::attr::kSlicingAxes, ir::attr::kParams,
        ir::attr::kReductionAxes, ir::attr::kReduceScatterAxes, ir::attr::kAxes}) {
    stays = keeps_axes(module, op, name) && stays;
  }
  if (stays) return;
  module.replace_all_uses(module.result(op), module.operand(op, 0));
  module.erase(op);
}

}  // namespace

Diagnostics remove_size_one_axes(Module& module) {
  if (!has_size_one_axis(module)) return {};
  if (Status known = verify_meshes(module); !known) return {std::move(known).error()};
  transform_shardings(module,
                      [](const TensorSharding& sharding) { return without_size_one(sharding); });
  for (const OpId op : ir::pre_order(module)) {
    if (ir::is_sdy_collective(module.kind(op))) clean_collective(module, op);
  }
  return {};
}

}  // namespace shardy::passes
