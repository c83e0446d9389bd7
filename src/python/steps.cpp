#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "python/bindings.hpp"
#include "shardy/algebra/partition_spec.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "support/quantities.hpp"

namespace shardy::python {

namespace py = pybind11;

std::vector<std::string> axis_names(const Mesh& mesh, AxisSpan axes) {
  std::vector<std::string> names;
  for (const AxisRef& axis : axes) {
    const MeshAxis& whole = mesh.axes()[static_cast<std::size_t>(axis.axis)];
    std::string name = whole.name;
    if (axis.size != whole.size) name += ":" + to_string(SubAxis{axis.pre, axis.size});
    names.push_back(std::move(name));
  }
  return names;
}

AxisList axes_from(const Mesh& mesh, py::handle names) {
  if (names.is_none()) return {};
  const std::vector<std::vector<std::string>> entries = {names.cast<std::vector<std::string>>()};
  const auto sharding = value_or_throw(sharding_of_partition_spec(entries, 1, mesh));
  return value_or_throw(resolve_axis_list(sharding.dims.front().axes, mesh));
}

namespace {

// ---- Steps --------------------------------------------------------------------------------------

constexpr std::array kStepKinds = {StepKind::AllGather,          StepKind::AllSlice,
                                   StepKind::AllToAll,           StepKind::AllReduce,
                                   StepKind::ReduceScatter,      StepKind::CollectivePermute,
                                   StepKind::ShardedToUnreduced, StepKind::ReplicatedToUnreduced};

/// Returns the kind in lower case without its dialect, such as `all_gather` for `sdy.all_gather`.
std::string kind_name(StepKind kind) {
  const std::string_view name = op_name(kind);
  return std::string(name.substr(name.find('.') + 1));
}

StepKind kind_of(const std::string& name) {
  const auto found = std::ranges::find(kStepKinds, name, &kind_name);
  if (found != kStepKinds.end()) return *found;
  std::string known = "one of";
  for (const StepKind kind : kStepKinds) known += " " + kind_name(kind);
  throw Refused({.message = "unknown kind of step: " + name, .notes = {std::move(known)}});
}

ReductionOp reduction_of(const std::string& name) {
  for (const ReductionOp each : {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min}) {
    if (to_string(each) == name) return each;
  }
  throw Refused({.message = "unknown reduction: " + name, .notes = {"one of sum max min"}});
}

using Moves = std::vector<std::tuple<py::object, int64_t, int64_t>>;

ReshardStep make_step(const std::string& kind, const TensorSharding& out,
                      const std::vector<py::object>& dim_axes, const Moves& moves,
                      const py::object& axes, const std::string& reduction) {
  ReshardStep step{.kind = kind_of(kind), .reduction_op = reduction_of(reduction), .out = out};
  for (const py::object& each : dim_axes) step.dim_axes.push_back(axes_from(out.mesh(), each));
  for (const auto& [moved, source, target] : moves) {
    step.params.push_back({axes_from(out.mesh(), moved), source, target});
  }
  step.axes = axes_from(out.mesh(), axes);
  return step;
}

std::vector<std::vector<std::string>> dim_axes_of(const ReshardStep& step) {
  std::vector<std::vector<std::string>> lists;
  for (const AxisList& axes : step.dim_axes) lists.push_back(axis_names(step.out.mesh(), axes));
  return lists;
}

std::vector<std::tuple<std::vector<std::string>, int64_t, int64_t>> moves_of(
    const ReshardStep& step) {
  std::vector<std::tuple<std::vector<std::string>, int64_t, int64_t>> moves;
  for (const AllToAllMove& each : step.params) {
    moves.emplace_back(axis_names(step.out.mesh(), each.axes), each.source, each.target);
  }
  return moves;
}

void bind_step(py::module_& module) {
  py::class_<ReshardStep>(module, "Step", "A collective of a reshard.")
      .def(py::init(&make_step), "Makes a step, for a planner of a Context.", py::arg("kind"),
           py::arg("out"), py::kw_only(), py::arg("dim_axes") = std::vector<py::object>(),
           py::arg("moves") = Moves(), py::arg("axes") = py::none(), py::arg("reduction") = "sum")
      .def_property_readonly(
          "kind", [](const ReshardStep& step) { return kind_name(step.kind); },
          "`all_gather`, `all_slice`, `all_to_all`, `all_reduce`, `reduce_scatter`, "
          "`collective_permute`, `sharded_to_unreduced` or `replicated_to_unreduced`.")
      .def_property_readonly("dim_axes", &dim_axes_of,
                             "The axes of each dim, of gathers, slices and reduce-scatters.")
      .def_property_readonly("moves", &moves_of,
                             "Axes, source dim and target dim of each move of an all-to-all.")
      .def_property_readonly(
          "axes", [](const ReshardStep& step) { return axis_names(step.out.mesh(), step.axes); },
          "The axes of an all-reduce.")
      .def_property_readonly(
          "reduction",
          [](const ReshardStep& step) { return std::string(to_string(step.reduction_op)); },
          "`sum`, `max` or `min`.")
      .def_readonly("out", &ReshardStep::out, "The sharding after the step.")
      .def("__str__", [](const ReshardStep& step) { return to_string(step); })
      .def("__repr__",
           [](const ReshardStep& step) { return "<shardy.Step " + to_string(step) + ">"; })
      .def("__eq__", [](const ReshardStep& step, py::handle other) {
        return py::isinstance<ReshardStep>(other) && step == other.cast<const ReshardStep&>();
      });
}

// ---- Plans --------------------------------------------------------------------------------------

struct PricedPlan {
  std::vector<ReshardStep> steps;
  bool proven = false;
  StepCost cost;
};

struct Reshard {
  PricedPlan reference;
  PricedPlan best;
  int64_t least_bytes = 0;
  double least_seconds = 0;
};

/// Throws: Refused, if the type is invalid or has more elements than int64 can count.
ir::Type type_of(const std::vector<int64_t>& shape, const std::string& dtype) {
  std::string text = "tensor<";
  for (const int64_t size : shape) {
    if (size < 0) throw Refused({.message = "a dim of " + std::to_string(size) + " elements"});
    text += std::to_string(size) + "x";
  }
  const auto type = ir::parse_type(text + dtype + ">");
  const bool is_plain =
      type && type->is_static_tensor() && static_cast<std::size_t>(type->rank()) == shape.size();
  if (is_plain) return *type;
  throw Refused({.message = "no such type: " + text + dtype + ">",
                 .notes = {"element types are those of MLIR: f32, bf16, i8"}});
}

Reshard reshard(const std::vector<int64_t>& shape, const TensorSharding& source,
                const TensorSharding& target, const std::string& dtype,
                const std::string& axis_cost, int64_t max_live_bytes) {
  if (max_live_bytes < 0) throw Refused({.message = "max_live_bytes is negative"});
  const ir::Type type = type_of(shape, dtype);
  const TensorSize tensor{shape, static_cast<int64_t>(ir::size_bytes(type.element()))};
  const BestPlanOptions options{.model = value_or_throw(parse_cost_model(axis_cost)),
                                .max_live_bytes = max_live_bytes};
  ReshardComparison both = value_or_throw(
      compare_reshards(tensor, extended_to(source, shape.size()), extended_to(target, shape.size()),
                       BoundAxes::none(), options));
  return {{std::move(both.reference), false, std::move(both.reference_cost)},
          {std::move(both.best.steps), both.best.is_proven, std::move(both.best_cost)},
          both.least_bytes,
          both.least_seconds};
}

std::string repr_plan(const PricedPlan& plan) {
  std::string text = "<shardy.Plan";
  for (const ReshardStep& step : plan.steps) text += " " + kind_name(step.kind) + ",";
  return text + " " + bytes_text(plan.cost.bytes) + " sent>";
}

void bind_plans(py::module_& module) {
  py::class_<PricedPlan>(module, "Plan", "Steps from one sharding to another, and their cost.")
      .def_readonly("steps", &PricedPlan::steps, "In the order in which they run.")
      .def_readonly("proven", &PricedPlan::proven, "No plan is cheaper.")
      .def_property_readonly(
          "bytes", [](const PricedPlan& plan) { return plan.cost.bytes; }, "Sent per device.")
      .def_property_readonly(
          "messages", [](const PricedPlan& plan) { return plan.cost.messages; },
          "Per device, one after the other.")
      .def_property_readonly(
          "seconds", [](const PricedPlan& plan) { return plan.cost.seconds; }, "Modelled time.")
      .def_property_readonly(
          "live_bytes", [](const PricedPlan& plan) { return plan.cost.live_bytes; },
          "Operand plus result of the largest step on a device.")
      .def("__repr__", &repr_plan);
  py::class_<Reshard>(module, "Reshard", "Plans between two shardings, and bounds of all plans.")
      .def_readonly("reference", &Reshard::reference, "The plan that Shardy takes.")
      .def_readonly("best", &Reshard::best, "The cheapest plan that was found.")
      .def_readonly("least_bytes", &Reshard::least_bytes, "No plan sends less.")
      .def_readonly("least_seconds", &Reshard::least_seconds, "No plan takes less time.")
      .def("__repr__", [](const Reshard& both) {
        return "<shardy.Reshard reference " + repr_plan(both.reference) + ", best " +
               repr_plan(both.best) + ">";
      });
}

}  // namespace

void bind_steps(py::module_& module) {
  bind_step(module);
  bind_plans(module);
  module.def("reshard", &reshard,
             "Returns the collectives from one sharding of a tensor to another: those of Shardy, "
             "and the cheapest.",
             py::arg("shape"), py::arg("source"), py::arg("target"), py::kw_only(),
             py::arg("dtype") = "f32", py::arg("axis_cost") = "", py::arg("max_live_bytes") = 0,
             py::call_guard<py::gil_scoped_release>());
}

}  // namespace shardy::python
