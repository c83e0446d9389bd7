// Axes of size 1 are removed from shardings, manual axes and collectives. Spec: passes 4.2.
//
//   sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
//   [{"o"}p1, {"x", "p", ?}p0]                  ->   [{}, {"x", ?}p0]
//   [{}, {?}], unreduced={"x", "o"}             ->   [{}, {?}], unreduced={"x"}
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/sharding_walker.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

bool has_size_one_axis(const Module& module) {
  return std::ranges::any_of(module.meshes(), [&](OpId op) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    return mesh != nullptr &&
           std::ranges::find(mesh->axes(), 1, &MeshAxis::size) != mesh->axes().end();
  });
}

/// Removes axes of size 1; sub-axes on both sides of a removed axis may merge.
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

/// Removes the axes from an attribute of a collective. Returns false if no axes remain, so that the
/// op has to be erased.
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

PassErrors remove_size_one_axes(Module& module) {
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
