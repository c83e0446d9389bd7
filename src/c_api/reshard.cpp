// Plans of reshards.
#include <string>
#include <utility>
#include <vector>

#include "c_api/call_result.hpp"
#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/resharding.hpp"

namespace shardy::c_api {

namespace {

struct PlannedStep {
  std::string text;
  std::string type;  // type of the result on one device
  shardy_cost cost = {};
};

struct PlanObject {
  using Handle = shardy_plan;
  static constexpr HandleKind kKind = HandleKind::Plan;

  std::vector<PlannedStep> steps;
  shardy_cost cost = {};
  bool is_proven = false;
};

/// A reshard request after its texts are parsed.
struct Reshard {
  ir::Type type;
  TensorSharding from;
  TensorSharding to;

  TensorSize tensor() const {
    return {type.dims(), static_cast<int64_t>(ir::size_bytes(type.element()))};
  }
};

/// Adds the name of the field to the message of an error.
template <class T>
CallResult<T> of_field(const char* field, Result<T> result) {
  if (result) return *std::move(result);
  Error error = with_prefix(std::string(field) + ": ", std::move(result).error());
  error.location = {};  // in a text that was put around
  return refused(std::move(error));
}

CallResult<Mesh> read_mesh(const char* text, const char* field) {
  SHARDY_TRY(const std::string given, string_of(text, field));
  return of_field(field, parse_mesh(given));
}

Result<TensorSharding> resolved(const std::string& text, const Mesh& mesh, const char* name,
                                const ir::Type& type) {
  SHARDY_TRY(const UnresolvedSharding unresolved,
             parse_any_sharding(text, std::string(name), type.dims().size()));
  return resolve(unresolved, mesh);
}

CallResult<TensorSharding> read_sharding(const char* text, const char* field, const Mesh& mesh,
                                         const char* mesh_name, const ir::Type& type) {
  SHARDY_TRY(const std::string given, string_of(text, field));
  return of_field(field, resolved(given, mesh, mesh_name, type));
}

CallResult<Reshard> read_reshard(const shardy_reshard& given) {
  SHARDY_TRY(const Mesh mesh, read_mesh(given.mesh, "mesh"));
  const bool is_one_mesh = given.to_mesh == nullptr;
  SHARDY_TRY(const Mesh to_mesh,
             is_one_mesh ? CallResult<Mesh>(mesh) : read_mesh(given.to_mesh, "to_mesh"));
  SHARDY_TRY(ir::Type type, read_type(given.type, "type"));
  SHARDY_TRY(TensorSharding from, read_sharding(given.from, "from", mesh, "mesh", type));
  const char* const to_name = mesh == to_mesh ? "mesh" : "to_mesh";
  SHARDY_TRY(TensorSharding to, read_sharding(given.to, "to", to_mesh, to_name, type));
  return Reshard{std::move(type), std::move(from), std::move(to)};
}

shardy_cost cost_of(const StepCost& cost) {
  return {cost.bytes, cost.messages, cost.seconds, cost.live_bytes};
}

CallResult<PlanObject> plan_of(const Reshard& reshard, const CallOptions& options) {
  const auto best =
      plan_best_reshard(reshard.tensor(), reshard.from, reshard.to, BoundAxes::none(),
                        {.model = options.costs, .max_live_bytes = options.max_live_bytes});
  if (!best) return refused(best.error());
  PlanObject plan;
  plan.is_proven = best->is_proven;
  plan.cost = cost_of(plan_cost(reshard.tensor(), reshard.from, best->steps, options.costs));
  const TensorSharding* here = &reshard.from;
  for (const ReshardStep& step : best->steps) {
    const ir::Type local = reshard.type.with_dims(step.out.local_shape(reshard.type.dims()));
    plan.steps.push_back({to_string(step), ir::to_string(local),
                          cost_of(step_cost(reshard.tensor(), *here, step, options.costs))});
    here = &step.out;
  }
  return plan;
}

}  // namespace

}  // namespace shardy::c_api

using namespace shardy::c_api;  // NOLINT(google-build-using-namespace): functions of the C API

shardy_status shardy_plan_reshard(const shardy_reshard* reshard, const shardy_options* options,
                                  shardy_plan** out, shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_plan * * const place, place_for(out));
    if (reshard == nullptr) return bad_argument("reshard is NULL");
    SHARDY_TRY(const shardy_reshard given, known_fields(reshard, "shardy_reshard"));
    SHARDY_TRY(const CallOptions stages, read_options(options));
    SHARDY_TRY(const Reshard question, read_reshard(given));
    SHARDY_TRY(PlanObject plan, plan_of(question, stages));
    *place = make_handle(std::move(plan));
    return Diagnosed{};
  });
}

size_t shardy_plan_num_steps(const shardy_plan* plan) {
  return read_or<PlanObject>(plan, size_t{0}, [](const auto& read) { return read.steps.size(); });
}

const char* shardy_plan_step(const shardy_plan* plan, size_t step) {
  return string_or_empty<PlanObject>(plan, [&](const auto& read) {
    const auto* const each = element(read.steps, step);
    return each == nullptr ? nullptr : &each->text;
  });
}

const char* shardy_plan_step_type(const shardy_plan* plan, size_t step) {
  return string_or_empty<PlanObject>(plan, [&](const auto& read) {
    const auto* const each = element(read.steps, step);
    return each == nullptr ? nullptr : &each->type;
  });
}

shardy_cost shardy_plan_step_cost(const shardy_plan* plan, size_t step) {
  return read_or<PlanObject>(plan, shardy_cost{}, [&](const auto& read) {
    const auto* const each = element(read.steps, step);
    return each == nullptr ? shardy_cost{} : each->cost;
  });
}

shardy_cost shardy_plan_cost(const shardy_plan* plan) {
  return read_or<PlanObject>(plan, shardy_cost{}, [](const auto& read) { return read.cost; });
}

int shardy_plan_is_proven(const shardy_plan* plan) {
  return read_or<PlanObject>(plan, 0, [](const auto& read) { return read.is_proven ? 1 : 0; });
}

void shardy_plan_destroy(shardy_plan* plan) { destroy<PlanObject>(plan); }
