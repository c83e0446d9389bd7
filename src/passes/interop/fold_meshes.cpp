// Meshes over the same devices are folded into one mesh. Spec: interop 6.5.
//
//   sdy.mesh @c = <["_axis_0"=4]>                       sdy.mesh @a = <["a"=2, "b"=2]>
//   sdy.mesh @a = <["a"=2, "b"=2]>
//   <@c, [{"_axis_0"}p1]>                          ->   <@a, [{"a", "b"}p1]>
//   <@c, [{"_axis_0":(2)2}, {?}]>                       <@a, [{"b"}, {?}]>
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "passes/common/sharding_walker.hpp"
#include "passes/interop/imports.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

namespace {

/// The axes and sub-axes of another mesh that equal each axis of a mesh.
using AxisMap = std::vector<AxisList>;

/// Returns the map; std::nullopt if the axis boundaries do not divide each other.
std::optional<AxisMap> map_axes(const Mesh& from, const Mesh& to) {
  AxisMap map(static_cast<std::size_t>(from.num_axes()));
  int32_t target = 0;
  int64_t taken = 1;  // number of devices of the target axis that are already mapped
  for (int32_t axis = 0; axis < from.num_axes(); ++axis) {
    int64_t rest = from.axis_size(axis);
    while (rest > 1) {
      while (target < to.num_axes() && taken == to.axis_size(target)) {
        ++target;
        taken = 1;
      }
      if (target == to.num_axes()) return std::nullopt;
      const int64_t room = to.axis_size(target) / taken;
      const int64_t size = std::min(rest, room);
      if (rest % size != 0 || room % size != 0) return std::nullopt;
      append_or_merge(map[static_cast<std::size_t>(axis)], {target, taken, size});
      taken *= size;
      rest /= size;
    }
  }
  return map;
}

struct Folding {
  MeshRef to;
  AxisMap axes;
};

/// Returns the axes and sub-axes of the other mesh that equal `ref`.
AxisList mapped_ref(const AxisRef& ref, const AxisMap& axes) {
  AxisList mapped;
  int64_t begin = 1;
  for (const AxisRef& part : axes[static_cast<std::size_t>(ref.axis)]) {
    const int64_t end = begin * part.size;
    const int64_t low = std::max(begin, ref.pre);
    const int64_t high = std::min(end, ref.next());
    if (low < high) append_or_merge(mapped, {part.axis, part.pre * (low / begin), high / low});
    begin = end;
  }
  return mapped;
}

AxisList mapped_list(const AxisList& list, const AxisMap& axes) {
  AxisList mapped;
  for (const AxisRef& ref : list) {
    for (const AxisRef& part : mapped_ref(ref, axes)) append_or_merge(mapped, part);
  }
  return mapped;
}

TensorSharding folded(const TensorSharding& sharding, const Folding& folding) {
  std::vector<DimSharding> dims;
  for (const DimSharding& dim : sharding.dims()) {
    DimSharding made = dim;
    made.axes = mapped_list(dim.axes, folding.axes);
    if (made.axes.empty() && made.is_closed) made.priority.reset();
    dims.push_back(std::move(made));
  }
  AxisList unreduced = sort_and_merge(mapped_list(sharding.unreduced_axes(), folding.axes));
  const ReductionOp reduction = unreduced.empty() ? ReductionOp::Sum : sharding.reduction_op();
  return TensorSharding::make(folding.to.mesh, folding.to.name, std::move(dims),
                              sort_and_merge(mapped_list(sharding.replicated_axes(), folding.axes)),
                              std::move(unreduced), reduction)
      .value_or(sharding);
}

std::size_t num_real_axes(const Mesh& mesh) {
  return static_cast<std::size_t>(
      std::ranges::count_if(mesh.axes(), [](const MeshAxis& axis) { return axis.size > 1; }));
}

bool is_invented(const Mesh& mesh) {
  return !mesh.axes().empty() && mesh.axis_name(0).starts_with('_');
}

using Foldings = std::map<std::string, Folding>;

/// Groups the meshes with equal device ids and equal numbers of devices. Each mesh without axes is
/// a separate group, because without ids it has no devices.
Foldings plan_foldings(const Module& module) {
  std::map<std::tuple<bool, int64_t, std::vector<int64_t>>, std::vector<MeshRef>> groups;
  for (const OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    groups[{mesh->axes().empty(),
            mesh->num_devices(),
            {mesh->device_ids().begin(), mesh->device_ids().end()}}]
        .push_back({*mesh, std::string(module.symbol_name(op))});
  }
  Foldings foldings;
  for (const auto& [devices, meshes] : groups) {
    const auto main = std::ranges::max_element(meshes, [](const MeshRef& a, const MeshRef& b) {
      return std::pair(!is_invented(a.mesh), num_real_axes(a.mesh)) <
             std::pair(!is_invented(b.mesh), num_real_axes(b.mesh));
    });
    for (const MeshRef& mesh : meshes) {
      if (&mesh == &*main) continue;
      auto axes = map_axes(mesh.mesh, main->mesh);
      if (axes) foldings.emplace(*mesh.name, Folding{*main, *std::move(axes)});
    }
  }
  return foldings;
}

struct FoldedMesh {
  const Folding* folding = nullptr;  // null: the mesh of the op does not change
  Mesh old;
};

FoldedMesh folding_of(const Module& module, OpId op, const Foldings& foldings) {
  FoldedMesh found;
  for (const std::string_view name : {ir::attr::kInShardings, ir::attr::kOutShardings}) {
    const auto* list = module.attribute<ir::ShardingList>(op, name);
    for (const TensorSharding& sharding :
         list != nullptr ? list->shardings : std::vector<TensorSharding>()) {
      const auto entry =
          sharding.mesh_name() ? foldings.find(*sharding.mesh_name()) : foldings.end();
      if (entry != foldings.end()) found = {&entry->second, sharding.mesh()};
    }
  }
  return found;
}

Status fold_manual_axes(Module& module, OpId op, const Foldings& foldings) {
  const auto* axes = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  if (axes == nullptr || axes->names.empty()) return {};
  const auto [folding, old] = folding_of(module, op, foldings);
  if (folding == nullptr) return {};
  const Mesh& mesh = folding->to.mesh;
  AxisList mapped;
  for (const std::string& name : axes->names) {
    const auto axis = old.find_axis(name);
    if (!axis) continue;
    for (const AxisRef& part : folding->axes[static_cast<std::size_t>(*axis)]) {
      mapped.push_back(part);
    }
  }
  std::vector<std::string> names;
  for (const AxisRef& ref : sort_and_merge(std::move(mapped))) {
    if (!mesh.is_full(ref)) {
      return fail_at(module.source_location(op),
                     "the manual axes of " + std::string(module.name(op)) + " are part of axis " +
                         in_quotes(mesh.axis_name(ref.axis)) + " of " +
                         symbol_text(*folding->to.name));
    }
    names.push_back(mesh.axis_name(ref.axis));
  }
  module.attributes(op).set(ir::attr::kManualAxes, ir::ManualAxesAttr{std::move(names)});
  return {};
}

}  // namespace

Diagnostics fold_meshes(Module& module) {
  const Foldings foldings = plan_foldings(module);
  if (foldings.empty()) return {};
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyManualComputation)) continue;
    if (Status status = fold_manual_axes(module, op, foldings); !status) {
      return {std::move(status).error()};
    }
  }
  transform_shardings(module, [&](const TensorSharding& sharding) {
    const auto found = sharding.mesh_name() ? foldings.find(*sharding.mesh_name()) : foldings.end();
    return found == foldings.end() ? sharding : folded(sharding, found->second);
  });
  // Per-device ops keep their meshes.
  const auto used = used_meshes(module);
  for (const OpId op : module.meshes()) {
    const std::string name(module.symbol_name(op));
    if (foldings.contains(name) && !used.contains(name)) module.erase(op);
  }
  return {};
}

}  // namespace shardy::passes
