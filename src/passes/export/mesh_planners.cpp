// Plans reshards on the meshes of a module, and checks plans that callbacks return.
//
//   sdy.mesh @mesh = <["x"=2]> {shardy.axis_costs = "x=ring:100GB/s:1us"}
//   tensor<8x8xf32>, from [{"x"}, {}] to [{}, {"x"}]   ->   sdy.all_to_all [{"x"}: 0->1]
#include "passes/export/mesh_planners.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "passes/common/ir_names.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/algebra/detail/axis_check.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/resharding/detail/axis_lists.hpp"
#include "shardy/support/detail/hash.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

// ---- Results of searches ------------------------------------------------------------------------

std::size_t PlanCache::Hash::operator()(const Key& key) const {
  return hash_combine(hash_of(key.from, key.to, key.element_bytes), hash_range(key.shape));
}

Result<std::vector<ReshardStep>> PlanCache::find(const TensorSize& tensor,
                                                 const TensorSharding& from,
                                                 const TensorSharding& to, const BoundAxes& bound,
                                                 const BestPlanOptions& options,
                                                 LimitChecker* limits) {
  Key key{{tensor.shape.begin(), tensor.shape.end()}, tensor.element_bytes, from, to, bound};
  {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  SHARDY_TRY(BestPlan plan, plan_best_reshard(tensor, from, to, bound, options, limits));
  const std::lock_guard lock(mutex_);
  return known_.emplace(std::move(key), std::move(plan.steps)).first->second;
}

KnownPlans::Found& KnownPlans::of(const BestPlanOptions& options) {
  const std::lock_guard lock(mutex_);
  const auto known =
      std::ranges::find_if(found_, [&](const auto& each) { return each.first == options; });
  if (known != found_.end()) return known->second;
  return found_.emplace_back(std::piecewise_construct, std::forward_as_tuple(options), std::tuple())
      .second;
}

// ---- Planners -----------------------------------------------------------------------------------

MeshPlanners::MeshPlanners(const Module& module, PlanKind kind, BestPlanOptions options,
                           PlanMaker maker, LimitChecker* limits, KnownPlans* known)
    : scopes_(module),
      kind_(kind),
      options_(std::move(options)),
      maker_(std::move(maker)),
      limits_(limits),
      known_(known) {
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
  error.location = module.source_location(mesh);
  errors_.push_back(std::move(error));
}

PricedPlanner& MeshPlanners::planner(const std::string& mesh) {
  const auto found = planners_.find(mesh);
  if (found != planners_.end()) return found->second;
  BestPlanOptions options = options_;
  if (const auto costs = costs_.find(mesh); costs != costs_.end()) {
    options.model = merged(costs->second, options.model);
  }
  const auto add = [&](PricedPlanner planner) -> PricedPlanner& {
    planner.set_limits(limits_);
    return planners_.emplace(mesh, std::move(planner)).first->second;
  };
  if (!maker_ && (known_ == nullptr || kind_ == PlanKind::Reference)) {
    return add(PricedPlanner(kind_, std::move(options)));
  }
  if (!maker_) {
    const auto find = [this, options, &known = known_->of(options)](
                          const TensorSize& tensor, const TensorSharding& from,
                          const TensorSharding& to, const BoundAxes& bound) {
      return known.plans.find(tensor, from, to, bound, options, limits_);
    };
    return add(PricedPlanner(PlanMaker(find), options));
  }
  const auto make = [this](const TensorSize& tensor, const TensorSharding& from,
                           const TensorSharding& to,
                           const BoundAxes& bound) { return checked(tensor, from, to, bound); };
  return add(PricedPlanner(PlanMaker(make), std::move(options)));
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

// ---- Validation of the results of callbacks -----------------------------------------------------

namespace {

/// Returns a module with one function that returns its argument, sharded as `from`.
ir::Module program_of(const TensorSize& tensor, const TensorSharding& from) {
  ir::GraphBuilder builder;
  const std::vector<int64_t> dims(tensor.shape.begin(), tensor.shape.end());
  builder.function("main");
  const ir::ValueId argument = builder.argument(ir::Type::tensor(dims, ir::ElementType::F32));
  builder.ret({argument});
  ir::Module module = builder.module();
  ir::set_sharding(module, argument, from);
  return module;
}

Status verify_kinds_and_meshes(const TensorSharding& from, std::span<const ReshardStep> steps) {
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const std::string place = "step " + std::to_string(index);
    if (steps[index].kind > StepKind::ReplicatedToUnreduced)
      return fail(place + " has an unknown kind");
    if (from.mesh().equals_ignoring_device_ids(steps[index].out.mesh())) continue;
    return fail(place + " leaves the mesh");
  }
  return {};
}

Status verify_free_axes(const BoundAxes& bound, std::span<const ReshardStep> steps) {
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const Mesh& mesh = steps[index].out.mesh();
    AxisList used = steps[index].axes;
    append(used, flatten(steps[index].dim_axes));
    append(used, steps[index].out.dim_axes());
    append(used, steps[index].out.unreduced_axes());
    const AxisRef* axis = bound.first_in(mesh, used);
    if (axis == nullptr) continue;
    return fail("step " + std::to_string(index) + " uses axis " +
                in_quotes(mesh.axis_name(axis->axis)) +
                ", which a manual computation around binds");
  }
  return {};
}

}  // namespace

Status verify_plan(const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to,
                   const BoundAxes& bound, std::span<const ReshardStep> steps) {
  SHARDY_TRY_STATUS(verify_kinds_and_meshes(from, steps));
  SHARDY_TRY_STATUS(verify_free_axes(bound, steps));
  ir::Module module = program_of(tensor, from.with_inlined_mesh());
  const ir::OpId end = module.last_op(module.entry(*module.main_function()));
  ir::ValueId value = module.operand(end, 0);
  for (std::size_t index = 0; index < steps.size(); ++index) {
    ReshardStep step = steps[index];
    step.out = step.out.with_inlined_mesh();
    value = emit_steps(module, end, value, std::span(&step, 1));
    const std::string place = "step " + std::to_string(index);
    module.set_location(module.defining_op(value), module.add_location(place));
  }
  module.set_operand(end, 0, value);
  if (const Diagnostics errors = ir::verify(module); !errors.empty()) {
    return fail(errors.front().location.text() + ": " + errors.front().message);
  }
  const TensorSharding& last = steps.empty() ? from : steps.back().out;
  if (same_placement_and_reduction(last.with_inlined_mesh(), to.with_inlined_mesh())) return {};
  return fail("the plan ends at " + to_string(last) + ", not at " + to_string(to));
}

namespace {

/// Returns the reason why the factor cannot have the axes; empty if it can.
std::string why_not(const OpShardingRule& rule, int32_t factor, const AxisList& axes) {
  if (rule.factor_kind(factor) == FactorKind::NeedReplication) return "it needs replication";
  int64_t shards = 1;
  for (const AxisRef& ref : axes) shards *= ref.size;
  if (rule.factor_size(factor) % shards == 0) return {};
  return std::to_string(shards) + " shards do not divide its size " +
         std::to_string(rule.factor_size(factor));
}

}  // namespace

Status verify_common_axes(const CommonAxesQuery& query, std::span<const AxisList> reference,
                          std::span<const AxisList> common) {
  if (common.size() != reference.size()) {
    return fail(std::to_string(common.size()) + " lists for " + std::to_string(reference.size()) +
                " factors");
  }
  const Mesh& mesh = query.tensors.front().sharding.mesh();
  SHARDY_TRY_STATUS(check_axis_lists(mesh, common));
  for (const AxisList& axes : common) {
    const AxisRef* axis = query.bound.first_in(mesh, axes);
    if (axis == nullptr) continue;
    return fail("axis " + in_quotes(mesh.axis_name(axis->axis)) +
                ", which a manual computation around binds");
  }
  for (std::size_t factor = 0; factor < common.size(); ++factor) {
    const auto index = static_cast<int32_t>(factor);
    if (common[factor].empty() || common[factor] == reference[factor]) continue;
    const std::string why = why_not(query.rule, index, common[factor]);
    if (why.empty()) continue;
    return fail("factor " + std::to_string(factor) + " cannot have " +
                std::to_string(common[factor].size()) + " axes: " + why);
  }
  return {};
}

}  // namespace shardy::passes
