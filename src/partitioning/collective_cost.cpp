#include "shardy/partitioning/collective_cost.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "partitioning/collective_view.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/resharding/cost_text.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;

namespace {

/// Returns for each position in the mesh the position it sends to; itself if it sends nothing.
std::vector<int64_t> targets_of(const CollectiveView& view) {
  std::vector<int64_t> targets(static_cast<std::size_t>(view.mesh.num_devices()));
  std::iota(targets.begin(), targets.end(), int64_t{0});
  for (const auto& [source, target] : pairs_of(view)) {
    const auto from = view.mesh.position_of(source);
    const auto to = view.mesh.position_of(target);
    if (from && to) targets[static_cast<std::size_t>(*from)] = *to;
  }
  return targets;
}

/// Returns the step of a reshard plan with the same cost; std::nullopt for permutes.
std::optional<StepKind> step_kind(Exchange exchange) {
  switch (exchange) {
    case Exchange::AllGather:
    case Exchange::Broadcast:  // the root sends as many bytes as each device in an all-gather
    case Exchange::Reduce:     // the same, received by the root
      return StepKind::AllGather;
    case Exchange::AllReduce:
      return StepKind::AllReduce;
    case Exchange::ReduceScatter:
      return StepKind::ReduceScatter;
    case Exchange::AllToAll:
      return StepKind::AllToAll;
    case Exchange::Permute:
      break;
  }
  return std::nullopt;
}

/// Returns the view of an op; std::nullopt after a move.
std::optional<CollectiveView> view_in(const std::shared_ptr<const CollectiveViews>& views,
                                      OpId op) {
  return views != nullptr ? views->of(op) : std::nullopt;
}

}  // namespace

CollectivePrices::CollectivePrices(const Module& program, const CostModel& model)
    : views_(std::make_shared<const CollectiveViews>(program)), other_(model) {
  for (const OpId op : program.meshes()) {
    const auto* mesh = program.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    const auto* costs = program.attribute<std::string>(op, kAxisCostsAttribute);
    auto own = parse_cost_model(costs != nullptr ? *costs : std::string());
    meshes_.emplace(program.symbol_name(op),
                    PricedMesh{*mesh, merged(own ? *std::move(own) : CostModel(), model)});
  }
}

const Mesh* CollectivePrices::mesh_of(OpId op) const {
  const auto view = view_in(views_, op);
  const auto found = view ? meshes_.find(view->mesh_name) : meshes_.end();
  return found != meshes_.end() ? &found->second.mesh : nullptr;
}

int64_t CollectivePrices::bytes_sent(OpId op) const {
  const auto view = view_in(views_, op);
  return view ? most_sent(*view) : 0;
}

StepCost CollectivePrices::cost(OpId op) const {
  const auto view = view_in(views_, op);
  if (!view) return {};
  const auto found = meshes_.find(view->mesh_name);
  const CostModel& model = found != meshes_.end() ? found->second.model : other_;
  const auto kind = step_kind(view->exchange);
  StepCost cost = kind ? exchange_cost(*kind, view->bytes, view->mesh, view->axes, model)
                       : permute_cost(view->bytes, view->mesh, targets_of(*view), model);
  if (found == meshes_.end()) cost.axis_bytes.clear();
  cost.bytes = most_sent(*view);
  return cost;
}

}  // namespace shardy::partitioning
