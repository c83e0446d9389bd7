#include "passes/export/mesh_planners.hpp"

#include <utility>

#include "passes/export/extension_checks.hpp"
#include "shardy/resharding/cost_text.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;

MeshPlanners::MeshPlanners(const Module& module, PlanKind kind, BestPlanOptions options,
                           PlanMaker maker)
    : scopes_(module), kind_(kind), options_(std::move(options)), maker_(std::move(maker)) {
  if (kind_ == PlanKind::Reference) return;
  for (const OpId mesh : module.meshes()) read_costs(module, mesh);
}

void MeshPlanners::read_costs(const Module& module, OpId mesh) {
  const auto* text = module.attribute<std::string>(mesh, kAxisCostsAttribute);
  if (text == nullptr) return;
  auto model = parse_cost_model(*text);
  if (model) {
    costs_[std::string(module.symbol_name(mesh))] = *std::move(model);
    return;
  }
  Error error = std::move(model).error();
  error.message = "attribute '" + std::string(kAxisCostsAttribute) + "': " + error.message;
  error.location = module.location_text(mesh);
  errors_.push_back(std::move(error));
}

ReshardPlanner& MeshPlanners::planner(const std::string& mesh) {
  const auto found = planners_.find(mesh);
  if (found != planners_.end()) return found->second;
  BestPlanOptions options = options_;
  if (const auto costs = costs_.find(mesh); costs != costs_.end()) {
    options.model = merged(costs->second, options.model);
  }
  if (!maker_) {
    return planners_.emplace(mesh, ReshardPlanner(kind_, std::move(options))).first->second;
  }
  const auto make = [this](const TensorSize& tensor, const TensorSharding& from,
                           const TensorSharding& to,
                           const BoundAxes& bound) { return checked(tensor, from, to, bound); };
  return planners_.emplace(mesh, ReshardPlanner(PlanMaker(make), std::move(options))).first->second;
}

Result<std::vector<ReshardStep>> MeshPlanners::checked(const TensorSize& tensor,
                                                       const TensorSharding& from,
                                                       const TensorSharding& to,
                                                       const BoundAxes& bound) {
  SHARDY_TRY(std::vector<ReshardStep> steps, maker_(tensor, from, to, bound));
  const Status valid = verify_plan(tensor, from, to, bound, steps);
  if (valid) return steps;
  Error error = with_prefix("extension 'plan_reshard' returned an invalid plan: ", valid.error());
  error.notes.push_back("from " + to_string(from) + " to " + to_string(to));
  if (!is_refused_) errors_.push_back(error);
  is_refused_ = true;
  return tl::unexpected(std::move(error));
}

Result<std::vector<ReshardStep>> MeshPlanners::plan(OpId at, const ir::Type& type,
                                                    const TensorSharding& from,
                                                    const TensorSharding& to) {
  const TensorSize tensor{type.dims(), static_cast<int64_t>(ir::size_bytes(type.element()))};
  return planner(from.mesh_name().value_or("")).plan(tensor, from, to, scopes_.at(at));
}

}  // namespace shardy::passes
