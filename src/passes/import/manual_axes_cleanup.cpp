// Manual axes are sorted in mesh order, and every in and out sharding mentions all of them.
// Spec: passes 4.6.
//
//   sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
//   sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {}]>] manual_axes={"c", "a"}
//   ->
//   sdy.manual_computation(%0) in_shardings=[<@mesh, [{"a"}, {}], replicated={"c"}>]
//                              manual_axes={"a", "c"}
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/import/import_passes.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ShardingList;

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

/// Adds the manual axes, or sub-axes, that the sharding does not mention as replicated axes.
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
  // A sharding on an empty mesh has no axes and moves to the common mesh first.
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

PassErrors manual_axes_cleanup(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::SdyManualComputation)) continue;
    Status status = clean_up(module, op);
    if (status) continue;
    status.error().location = module.location_text(op);
    return {std::move(status).error()};
  }
  return {};
}

}  // namespace shardy::passes
