// Explanations of shardings: the decisions that led to each axis, and the conflicts.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/callbacks.hpp"
#include "shardy/propagation/ir_adapter.hpp"

// ---- Members of the records ---------------------------------------------------------------------

namespace shardy::propagation {

inline std::string_view kind_of(const Decision& decision) {
  constexpr std::string_view kNames[] = {"step", "group", "import", "annotation"};
  return kNames[static_cast<std::size_t>(decision.kind)];
}

constexpr auto members_of(const Decision* /*type*/) {
  return std::make_tuple("kind", &kind_of, "step", &Decision::step, "op", &Decision::op, "location",
                         &Decision::location, "factor", &Decision::factor, "axis", &Decision::axis,
                         "value", &Decision::from, "direction", &Decision::direction,
                         "user_priority", &Decision::user_priority, "level", &Decision::level,
                         "strategy", &Decision::strategy);
}

constexpr auto members_of(const AbsentAxis* /*type*/) {
  return std::make_tuple(
      "reason", [](const AbsentAxis& absent) { return to_string(absent.why); }, "axis",
      &AbsentAxis::axis, "op", &AbsentAxis::op, "location", &AbsentAxis::location, "holder",
      &AbsentAxis::holder, "dim", &AbsentAxis::dim, "factor", &AbsentAxis::factor);
}

constexpr auto members_of(const ExplainedConflict* /*type*/) {
  using Row = ExplainedConflict;
  return std::make_tuple("op", &Row::op, "location", &Row::location, "function", &Row::function,
                         "factor", &Row::factor, "axis", &Row::axis, "kept", &Row::kept, "reason",
                         &Row::reason, "tensor", &Row::tensor, "target", &Row::target, "candidates",
                         &Row::candidates, "winner", &Row::winner, "why", &Row::why, "needed",
                         &Row::needed, "results", &Row::results);
}

constexpr auto members_of(const MissingRule* /*type*/) {
  return std::make_tuple("op", &MissingRule::op, "location", &MissingRule::location, "einsum",
                         &MissingRule::einsum, "note", &MissingRule::note);
}

}  // namespace shardy::propagation

namespace shardy::python {

/// An axis of a value, with the decisions from the last one back to the annotation. The chains of
/// an explanation share their decisions: as copies, they would be quadratic in the program.
struct AxisChain {
  std::size_t dim = 0;
  std::string axis;
  std::shared_ptr<const std::vector<propagation::Decision>> all;
  std::size_t last = propagation::kNoDecision;

  std::vector<propagation::Decision> decisions() const {
    std::vector<propagation::Decision> chain;
    for (std::size_t at = last; at != propagation::kNoDecision; at = (*all)[at].previous) {
      chain.push_back((*all)[at]);
    }
    return chain;
  }
};

/// A value with the decisions that led to its axes.
struct ValueChains {
  propagation::ExplainedValue value;
  std::vector<AxisChain> axes;
};

struct Explained {
  std::vector<ValueChains> values;
  std::vector<propagation::ExplainedConflict> conflicts;
  std::vector<propagation::MissingRule> missing_rules;
};

constexpr auto members_of(const AxisChain* /*type*/) {
  return std::make_tuple("dim", &AxisChain::dim, "axis", &AxisChain::axis, "decisions",
                         &AxisChain::decisions);
}

template <auto kMember>
const auto& of_value(const ValueChains& chains) {
  return chains.value.*kMember;
}

constexpr auto members_of(const ValueChains* /*type*/) {
  using Value = propagation::ExplainedValue;
  return std::make_tuple("name", &of_value<&Value::name>, "type", &of_value<&Value::type>, "op",
                         &of_value<&Value::op>, "location", &of_value<&Value::location>, "function",
                         &of_value<&Value::function>, "before", &of_value<&Value::before>, "after",
                         &of_value<&Value::after>, "axes", &ValueChains::axes, "absent",
                         &of_value<&Value::absent>);
}

constexpr auto members_of(const Explained* /*type*/) {
  return std::make_tuple("values", &Explained::values, "conflicts", &Explained::conflicts,
                         "missing_rules", &Explained::missing_rules);
}

namespace py = pybind11;

namespace {

using propagation::Decision;
using propagation::ExplainedValue;
using propagation::Explanation;

using SharedDecisions = std::shared_ptr<const std::vector<Decision>>;

ValueChains with_chains(const ExplainedValue& value, const SharedDecisions& decisions) {
  ValueChains chains{value, {}};
  for (const propagation::ExplainedAxis& axis : value.axes) {
    chains.axes.push_back({axis.dim, axis.axis, decisions, axis.last});
  }
  return chains;
}

/// Checks whether an explained value has the name that the caller asked for. The name of a function
/// result also finds the value that the function returns.
class ValueFilter {
 public:
  ValueFilter(const text::WrittenValues& names, const std::string& name) : name_(name) {
    for (const text::WrittenValues::ValueGroup& group : names.find_meant(name)) {
      for (uint32_t index = 0; index < group.count; ++index) {
        ids_.insert(group.first.value + index);
      }
    }
  }

  bool is(const ExplainedValue& value) const {
    if (value.value.valid()) return ids_.contains(value.value.value);
    return name_ == value.name || name_ == "@" + value.function + ":" + value.name;
  }

 private:
  std::string name_;
  std::set<uint32_t> ids_;
};

[[noreturn]] void refuse_name(const std::string& name, const Explanation& all) {
  std::vector<std::string> known;
  std::set<std::string_view> names;
  for (const ExplainedValue& each : all.values) {
    if (names.insert(each.name).second) known.push_back(each.name);
  }
  throw Refused(
      {.message = "no such value: " + name, .notes = text::known_names(name, "values", known)});
}

Explained explained(const PythonProgram& program, const Explanation& all,
                    const std::optional<std::string>& name) {
  Explained answer{{}, all.conflicts, all.missing_rules};
  std::optional<ValueFilter> wanted;
  if (name) wanted.emplace(program.names(), *name);
  const auto decisions = std::make_shared<const std::vector<Decision>>(all.decisions);
  std::set<std::string> shown;
  for (const ExplainedValue& value : all.values) {
    if (wanted && !wanted->is(value)) continue;
    answer.values.push_back(with_chains(value, decisions));
    shown.insert(value.name);
  }
  if (!name) return answer;
  if (answer.values.empty()) refuse_name(*name, all);
  std::erase_if(answer.conflicts, [&](const propagation::ExplainedConflict& conflict) {
    const auto is_shown = [&](const std::string& each) { return shown.contains(each); };
    return !is_shown(conflict.tensor) && !(conflict.target && is_shown(*conflict.target)) &&
           std::ranges::none_of(conflict.results, is_shown);
  });
  return answer;
}

// ---- As text ------------------------------------------------------------------------------------

std::string text_of(const Decision& decision) {
  switch (decision.kind) {
    case Decision::Kind::Annotation:
      return "annotation of " + decision.from;
    case Decision::Kind::Import:
      return "import, for " + decision.from;
    case Decision::Kind::Group:
      return "sharding group, from " + decision.from;
    default:
      return "step " + std::to_string(decision.step) + ": " + decision.direction + " through " +
             decision.op + (decision.location.empty() ? "" : " at " + decision.location.text()) +
             ", factor " + decision.factor + ", from " + decision.from;
  }
}

std::string text_of(const ValueChains& chains) {
  std::string text =
      chains.value.name + ": " + chains.value.type + " " + chains.value.after.value_or("none");
  for (const AxisChain& axis : chains.axes) {
    text += "\n  dim " + std::to_string(axis.dim) + " " + axis.axis;
    for (const Decision& decision : axis.decisions()) text += "\n    " + text_of(decision);
  }
  return text;
}

std::string text_of(const propagation::ExplainedConflict& conflict) {
  return "conflict at " + conflict.op +
         (conflict.location.empty() ? "" : " at " + conflict.location.text()) + ": factor " +
         conflict.factor + " wants " + conflict.axis + ", " + conflict.reason +
         (conflict.tensor.empty() ? "" : " of " + conflict.tensor);
}

std::string text_of(const Explained& all) {
  std::string text;
  for (const ValueChains& value : all.values) text += text_of(value) + "\n";
  for (const auto& conflict : all.conflicts) text += text_of(conflict) + "\n";
  for (const auto& missing : all.missing_rules) text += "no sharding rule: " + missing.op + "\n";
  return text;
}

void bind_steps_of(py::module_& module) {
  bind_record<Decision>(module, "Decision", Docs(R"(A decision that added an axis to a value.
kind: `step`, `group`, `import` or `annotation`.
step: The number of the step; -1 before the first one.
op: The op of a step, as `stablehlo.add`.
location: The place of the op.
factor: The factor of a step, as `i`.
axis: The axis, as `"x"`.
value: The value that had the axis.
direction: `forward`, `backward` or `sideways`.
user_priority: The user priority of the sweep.
level: The level of op priorities of the sweep.
strategy: `basic` or `aggressive`.
)"))
      .def("__str__", [](const Decision& decision) { return text_of(decision); });
  bind_record<propagation::AbsentAxis>(module, "AbsentAxis",
                                       Docs(R"(An axis along which a value is replicated.
reason: `written`, `lost`, `closed`, `no rule`, `no factor` or `nobody`.
axis: The axis, as `"x"`.
op: The op that has the axis.
location: The place of the op.
holder: The tensor of the op that has the axis.
dim: The dim of the holder.
factor: The factor, as `k`; empty without a rule.
)"));
  bind_record<AxisChain>(module, "AxisChain", Docs(R"(An axis of a dim, and its decisions.
dim: The dim that the axis shards.
axis: The axis, as `"x"`.
decisions: The last decision first, the annotation last.
)"));
}

void bind_records(py::module_& module) {
  bind_record<ValueChains>(module, "ExplainedValue", Docs(R"(A value, and how it got its sharding.
name: As `%arg0` or `result 0`.
type: As `tensor<8x16xf32>`.
op: The op that defines it; empty for arguments.
location: The place of that op.
function: The function of the value.
before: The sharding as written, or None.
after: The sharding after propagation, or None.
axes: The axes of all dims, major to minor.
absent: Axes along which the value is replicated, with reasons.
)"))
      .def("__str__", [](const ValueChains& value) { return text_of(value); });
  bind_record<propagation::ExplainedConflict>(module, "Conflict",
                                              Docs(R"(An axis that an op could not pass on.
op: The op, as `stablehlo.add`.
location: The place of the op.
function: The function of the op.
factor: The factor, as `i`.
axis: The axis that was wanted.
kept: The part of it that was passed on, or None.
reason: As `other factor`.
tensor: The value that prevents it.
target: The value that goes without the axis; None for all tensors of the op.
candidates: The factors that competed.
winner: The factor that got the axis; empty without a winner.
why: The comparison that decided.
needed: What the loser would have needed.
results: The results of the op, which lack the axis, too.
)"))
      .def("__str__",
           [](const propagation::ExplainedConflict& conflict) { return text_of(conflict); });
  bind_record<propagation::MissingRule>(module, "MissingRule",
                                        Docs(R"(An op without a sharding rule.
op: The op or the target of the custom call.
location: The place of the op.
einsum: A rule that would help; empty if none can.
note: What to add, and when it is true.
)"));
  bind_record<Explained>(module, "Explanation", Docs(R"(The origins of shardings.
values: Values in program order, function results last.
conflicts: Conflicts of these values.
missing_rules: Ops without a rule, the first of each name.
)"))
      .def("__str__", [](const Explained& all) { return text_of(all); });
}

}  // namespace

void bind_explanations(py::module_& module, py::class_<PythonProgram>& program) {
  bind_steps_of(module);
  bind_records(module);
  program.def(
      "explain",
      [](const PythonProgram& self, const std::optional<std::string>& value,
         const ContextPtr& context) {
        return run_stage(self, {}, context,
                         [&](const PythonProgram& source, const StageOptions& options) {
                           return explained(source, source.explain(options), value);
                         });
      },
      "Returns the decisions that led to the sharding of a value, or of all values.",
      py::arg("value") = py::none(), py::kw_only(), py::arg("context") = py::none());
}

}  // namespace shardy::python
