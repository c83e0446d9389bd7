#include <optional>
#include <string>
#include <utility>

#include "check_structure.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {

namespace {

/// The axes that a collective is to take out of the unreduced ones; nothing if its unreduced axes
/// are checked by the verifier.
std::optional<AxisList> reduced_axes(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyAllGather:
    case OpKind::SdyAllSlice:
    case OpKind::SdyAllToAll:
    case OpKind::SdyCollectivePermute:
      return AxisList();
    case OpKind::SdyAllReduce: {
      const auto* axes = module.attribute<AxesAttr>(op, attr::kReductionAxes);
      return axes ? std::optional(axes->axes) : std::nullopt;
    }
    case OpKind::SdyReduceScatter: {
      const auto* lists = module.attribute<AxesListsAttr>(op, attr::kReduceScatterAxes);
      if (!lists) return std::nullopt;
      AxisList all;
      for (const AxisList& list : lists->lists) all.insert(all.end(), list.begin(), list.end());
      return all;
    }
    default:
      return std::nullopt;
  }
}

std::string axes_text(const Mesh& mesh, AxisSpan axes) {
  std::string joined;
  for (const AxisRef& ref : axes) joined += (joined.empty() ? "" : ", ") + to_string(mesh, ref);
  return "{" + joined + "}";
}

/// D3, and the row of section 11 on collectives that reduce nothing.
Status expect_reduced(const Module& module, OpId op) {
  const std::optional<AxisList> reduced = reduced_axes(module, op);
  const auto* out = module.attribute<TensorSharding>(op, attr::kOutSharding);
  if (!reduced || !out) return {};
  const auto in = get_sharding(module, module.operand(op, 0));
  AxisList expected;
  // Meshes of one permute may differ in their devices, not in their axes.
  if (in) expected = sort_and_merge(set_difference(in->unreduced_axes(), *reduced));
  if (out->unreduced_axes() == expected) return {};
  return fail("expected result unreduced axes " + axes_text(out->mesh(), expected) + ", got " +
              axes_text(out->mesh(), out->unreduced_axes()));
}

/// Compares with the first mesh whose devices count.
Status expect_devices(const Module& module, OpId op, OpId& first) {
  const auto* mesh = module.attribute<Mesh>(op, attr::kMesh);
  if (!mesh || mesh->is_maximal() || mesh->empty()) return {};
  if (!first.valid()) first = op;
  const Mesh& other = *module.attribute<Mesh>(first, attr::kMesh);
  if (mesh->num_devices() == other.num_devices()) return {};
  return fail("mesh " + symbol_text(std::string(module.symbol_name(op))) + " has " +
              std::to_string(mesh->num_devices()) + " devices, but mesh " +
              symbol_text(std::string(module.symbol_name(first))) + " has " +
              std::to_string(other.num_devices()));
}

}  // namespace

std::vector<Error> verify_strict(const Module& module) {
  std::vector<Error> warnings;
  OpId first_mesh;
  for (const OpId op : pre_order(module)) {
    const Status status = module.is(op, OpKind::SdyMesh) ? expect_devices(module, op, first_mesh)
                                                         : expect_reduced(module, op);
    if (status) continue;
    Error warning = named(module.name(op), status.error());
    warning.location = module.location_text(op);
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace shardy::ir
