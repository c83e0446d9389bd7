// The command reshard: prints the collectives between two shardings.

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/resharding.hpp"
#include "support/quantities.hpp"
#include "tools/commands.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/usage.hpp"

namespace shardy::tools {

namespace {

/// The parsed request.
struct Reshard {
  ir::Type type;
  TensorSharding from;
  TensorSharding to;
  BestPlanOptions options;

  TensorSize tensor() const {
    return {type.dims(), static_cast<int64_t>(ir::size_bytes(type.element()))};
  }
};

/// Adds the name of the option to an error of its value.
template <class T>
Result<T> of_option(std::string_view option, Result<T> result) {
  if (result) return result;
  return tl::unexpected(in_option(option, std::move(result).error()));
}

Result<ir::Type> read_type(const std::string& shape) {
  const auto is_unknown = [](int64_t size) { return size < 0; };
  Result<ir::Type> type = ir::parse_type("tensor<" + shape + ">");
  if (type && type->is_tensor() && std::ranges::none_of(type->dims(), is_unknown)) return type;
  return fail("expected a static shape like 24x24xf32, got: " + shape);
}

Result<TensorSharding> read_sharding(const std::string& text, const Mesh& mesh, const char* name,
                                     const ir::Type& type) {
  SHARDY_TRY(const UnresolvedSharding unresolved,
             parse_any_sharding(text, std::string(name), type.dims().size()));
  return resolve(unresolved, mesh);
}

/// Returns the costs of the axes of both meshes.
Result<CostModel> read_costs(const std::string& text, const Mesh& mesh, const Mesh& to_mesh) {
  SHARDY_TRY(CostModel model, parse_cost_model(text));
  for (const NamedAxisCost& cost : model.axes) {
    if (!mesh.axis_size(cost.axis) && !to_mesh.axis_size(cost.axis)) {
      return fail("unknown axis name: " + cost.axis);
    }
  }
  return model;
}

Result<Reshard> read(const ReshardRequest& request) {
  SHARDY_TRY(const Mesh mesh, of_option("--mesh", parse_mesh(request.mesh)));
  const bool same = request.to_mesh.empty();
  SHARDY_TRY(const Mesh to_mesh,
             same ? Result<Mesh>(mesh) : of_option("--to-mesh", parse_mesh(request.to_mesh)));
  SHARDY_TRY(ir::Type type, of_option("--shape", read_type(request.shape)));
  SHARDY_TRY(TensorSharding from,
             of_option("--from", read_sharding(request.from, mesh, "mesh", type)));
  const char* const to_name = mesh == to_mesh ? "mesh" : "to_mesh";
  SHARDY_TRY(TensorSharding to,
             of_option("--to", read_sharding(request.to, to_mesh, to_name, type)));
  SHARDY_TRY(CostModel model,
             of_option("--axis-cost", read_costs(request.axis_cost, mesh, to_mesh)));
  return Reshard{std::move(type),
                 std::move(from),
                 std::move(to),
                 {.model = std::move(model), .max_live_bytes = request.max_live_bytes}};
}

std::string shape_text(const Reshard& reshard, const TensorSharding& sharding) {
  return ir::to_string(reshard.type.with_dims(sharding.local_shape(reshard.type.dims())));
}

std::string counted(int64_t count, const std::string& what) {
  return fmt::format("{} {}{}", grouped(count), what, count == 1 ? "" : "s");
}

std::string cost_text(const StepCost& cost) {
  return fmt::format("{} sent in {}, {}, {} live", bytes_text(cost.bytes),
                     counted(cost.messages, "message"), time_text(cost.seconds),
                     bytes_text(cost.live_bytes));
}

std::string plan_text(const Reshard& reshard, std::string_view title,
                      std::span<const ReshardStep> steps, const StepCost& all) {
  std::string text = fmt::format("{}: {}\n", title, cost_text(all));
  const TensorSharding* here = &reshard.from;
  for (const ReshardStep& step : steps) {
    const StepCost cost = step_cost(reshard.tensor(), *here, step, reshard.options.model);
    text += fmt::format("  {}\n    {}: {}\n", to_string(step), shape_text(reshard, step.out),
                        cost_text(cost));
    here = &step.out;
  }
  return text;
}

std::string text_report(const Reshard& reshard, const ReshardComparison& both) {
  std::string text =
      fmt::format("from {} as {}\n", to_string(reshard.from), shape_text(reshard, reshard.from));
  text += fmt::format("to {} as {}\n", to_string(reshard.to), shape_text(reshard, reshard.to));
  text += fmt::format("any plan: at least {} sent, {}\n", bytes_text(both.least_bytes),
                      time_text(both.least_seconds));
  text += plan_text(reshard, "reference", both.reference, both.reference_cost);
  text += plan_text(reshard, both.best.is_proven ? "best, proven" : "best of those tried",
                    both.best.steps, both.best_cost);
  return text;
}

// ---- JSON ---------------------------------------------------------------------------------------

void add_cost(text::JsonWriter& out, const StepCost& cost, const Mesh& mesh) {
  add(out, "bytes", cost.bytes, "messages", cost.messages, "seconds", cost.seconds, "live_bytes",
      cost.live_bytes);
  out.key("axis_bytes").begin_object();
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    add(out, mesh.axis_name(axis), cost.axis_bytes[static_cast<std::size_t>(axis)]);
  }
  out.end_object();
}

void add_plan(text::JsonWriter& out, const Reshard& reshard, std::span<const ReshardStep> steps) {
  out.key("steps").begin_array(text::JsonWriter::JsonLayout::Broken);
  const TensorSharding* here = &reshard.from;
  for (const ReshardStep& step : steps) {
    out.begin_object();
    add(out, "step", to_string(step), "local_type", shape_text(reshard, step.out));
    add_cost(out, step_cost(reshard.tensor(), *here, step, reshard.options.model), here->mesh());
    out.end_object();
    here = &step.out;
  }
  out.end_array();
}

std::string json_report(const Reshard& reshard, const ReshardComparison& both) {
  text::JsonWriter out = report_writer();
  begin_report(out, "reshard");
  add(out, "type", ir::to_string(reshard.type), "from", to_string(reshard.from), "to",
      to_string(reshard.to));
  out.key("least").begin_object();
  add(out, "bytes", both.least_bytes, "seconds", both.least_seconds);
  out.end_object();
  out.key("reference").begin_object(text::JsonWriter::JsonLayout::Broken);
  add_cost(out, both.reference_cost, reshard.from.mesh());
  add_plan(out, reshard, both.reference);
  out.end_object();
  out.key("best").begin_object(text::JsonWriter::JsonLayout::Broken);
  add(out, "proven", both.best.is_proven);
  add_cost(out, both.best_cost, reshard.from.mesh());
  add_plan(out, reshard, both.best.steps);
  out.end_object();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace

int reshard_command(const ReshardRequest& request) {
  const Result<Reshard> reshard = read(request);
  if (!reshard) {
    print_error(reshard.error());
    return kBadInput;
  }
  const Result<ReshardComparison> both = compare_reshards(
      reshard->tensor(), reshard->from, reshard->to, BoundAxes::none(), reshard->options);
  if (!both) {
    print_error(both.error());
    return kBadInput;
  }
  print_text(stdout, request.json ? json_report(*reshard, *both) : text_report(*reshard, *both));
  return kDone;
}

}  // namespace shardy::tools
