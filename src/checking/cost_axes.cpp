#include "checking/cost_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/resharding/cost_text.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::checking {

namespace {

using Names = std::vector<std::string_view>;

void add_axes(const ir::Module& module, Names& names) {
  for (const ir::OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    for (const MeshAxis& axis : mesh->axes()) names.push_back(axis.name);
  }
}

/// The name that was meant, or else all there are.
std::string way_out(std::string_view axis, const Names& names) {
  if (const auto meant = closest(axis, names)) return "did you mean " + *meant + "?";
  return fmt::format("axes: {}", fmt::join(names, ", "));
}

}  // namespace

Diagnostics unknown_cost_axes(const ir::Module& given, const ir::Module& lowered,
                              const std::string& costs) {
  const Result<CostModel> model = parse_cost_model(costs);
  if (!model || model->axes.empty()) return {};
  Names names;
  add_axes(given, names);
  add_axes(lowered, names);
  std::ranges::sort(names);
  const auto last = std::unique(names.begin(), names.end());
  names.erase(last, names.end());
  Diagnostics said;
  if (names.empty()) return said;
  for (const NamedAxisCost& cost : model->axes) {
    if (std::ranges::binary_search(names, std::string_view(cost.axis))) continue;
    said.push_back({.message = "a cost for no axis of a mesh: " + cost.axis,
                    .notes = {way_out(cost.axis, names)},
                    .severity = Severity::Warning});
  }
  return said;
}

}  // namespace shardy::checking
