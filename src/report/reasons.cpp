// Finds the reasons of collectives from the recorded decisions of propagation.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/report/report.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::ValueId;
using propagation::Decision;
using propagation::ExplainedAxis;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;
using propagation::Explanation;

namespace {

/// Returns the passes that compile runs before propagation.
std::vector<passes::PassCall> calls_before_propagation(const checking::CompileOptions& options) {
  passes::PipelineOptions pipeline = options.pipeline;
  pipeline.importing.composites_to_calls = true;
  std::vector<passes::PassCall> calls = passes::propagation_pipeline(pipeline);
  const auto propagation =
      std::ranges::find(calls, "sdy-user-priority-propagate", &passes::PassCall::name);
  calls.erase(propagation, calls.end());
  return calls;
}

}  // namespace

DiagnosedResult<Explanation> explain(const text::WrittenValues& names,
                                     const checking::CompileOptions& options,
                                     const checking::Context& context) {
  Module module = names.module();
  const propagation::WrittenProgram written(module, [&](ValueId value) { return names(value); });
  propagation::mark_origins(module);
  passes::PipelineHooks hooks;
  hooks.rules = &context.ops.rules;
  hooks.extensions = &context.extensions;
  const Result<passes::PassRegistry> all = context.all_passes();
  if (!all) return tl::unexpected(Diagnostics{all.error()});
  Diagnostics errors = passes::run_pipeline(module, *all, calls_before_propagation(options), hooks);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  propagation::Explainer explainer(module, written);
  const auto done = propagation::propagate(
      module, {.registry = &context.ops.rules, .extensions = &context.extensions.propagation},
      explainer);
  if (!done) return tl::unexpected(Diagnostics{done.error()});
  return explainer.explanation();
}

/// A function and the index of a result.
using NamedResult = std::pair<std::string, std::size_t>;

struct Reasons::Data {
  text::WrittenValues names;
  Explanation explanation;
  // The maps are never iterated.
  std::unordered_map<std::string, std::vector<OpId>> ops;     // key: location
  std::unordered_map<ValueId, const ExplainedValue*> values;  // the first copy of each value
  std::map<NamedResult, const ExplainedValue*> results;
  std::unordered_map<std::string, std::vector<const ExplainedConflict*>>
      conflicts;  // key: location
};

Reasons::Reasons(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Reasons::Reasons(Reasons&&) noexcept = default;
Reasons& Reasons::operator=(Reasons&&) noexcept = default;
Reasons::~Reasons() = default;

const text::WrittenValues& Reasons::names() const {
  SHARDY_EXPECTS(data_ != nullptr);
  return data_->names;
}

DiagnosedResult<Reasons> Reasons::make(const Module& module,
                                       const checking::CompileOptions& options,
                                       const checking::Context& context) {
  auto data = std::make_unique<Data>(Data{text::WrittenValues(module), {}, {}, {}, {}, {}});
  auto explanation = explain(data->names, options, context);
  if (!explanation) return tl::unexpected(std::move(explanation).error());
  data->explanation = *std::move(explanation);
  for (const OpId op : ir::pre_order(module)) data->ops[module.location_text(op)].push_back(op);
  for (const ExplainedValue& value : data->explanation.values) {
    if (value.value.valid()) {
      data->values.try_emplace(value.value, &value);
    } else {
      data->results.try_emplace(NamedResult(value.function, value.result), &value);
    }
  }
  for (const ExplainedConflict& conflict : data->explanation.conflicts) {
    data->conflicts[conflict.location.text()].push_back(&conflict);
  }
  return Reasons(std::move(data));
}

// ---- One collective -----------------------------------------------------------------------------

namespace {

constexpr std::size_t kMostTensors = 8;
constexpr std::size_t kMostConflicts = 4;

AxisStep step_of(const Decision& decision) {
  AxisStep step{.kind = AxisStep::Kind::Step,
                .value = decision.from,
                .op = decision.op,
                .location = decision.location,
                .factor = decision.factor,
                .direction = decision.direction};
  if (decision.kind == Decision::Kind::Group) step.kind = AxisStep::Kind::Group;
  if (decision.kind == Decision::Kind::Annotation) step.kind = AxisStep::Kind::Annotation;
  if (decision.kind == Decision::Kind::Import) {
    step.kind = AxisStep::Kind::Import;
    step.value = decision.from.empty() ? decision.to : decision.from;
  }
  return step;
}

/// Returns the steps from the annotation to the decision `last`. Omits the middle of a long chain.
std::vector<AxisStep> steps_of(std::size_t last, const std::vector<Decision>& decisions) {
  constexpr std::size_t kAtEnds = 4;
  std::vector<std::size_t> way;  // from the decision back to the annotation
  for (std::size_t at = last; at != propagation::kNoDecision; at = decisions[at].previous) {
    way.push_back(at);
  }
  std::vector<AxisStep> steps;
  for (std::size_t index = way.size(); index-- > 0;) {
    const std::size_t from_start = way.size() - 1 - index;
    const bool is_skipped =
        from_start >= kAtEnds && index >= kAtEnds && way.size() > 2 * kAtEnds + 1;
    if (!is_skipped) steps.push_back(step_of(decisions[way[index]]));
    if (is_skipped && from_start == kAtEnds) {
      steps.push_back(
          {.kind = AxisStep::Kind::Skipped, .value = std::to_string(way.size() - 2 * kAtEnds)});
    }
  }
  return steps;
}

std::string conflict_text(const ExplainedConflict& conflict) {
  std::string text = fmt::format("{} does not reach {} along factor {} ({})", conflict.axis,
                                 conflict.target.value_or("the tensors of the op"), conflict.factor,
                                 conflict.reason);
  if (!conflict.winner.empty()) text += fmt::format("; {} wins, {}", conflict.winner, conflict.why);
  return text + "; needed: " + conflict.needed;
}

/// Builds the causes of collectives: tensors of ops, and the propagation of some axes to these
/// tensors.
class CauseBuilder {
 public:
  using Values = std::unordered_map<ValueId, const ExplainedValue*>;
  using Results = std::map<NamedResult, const ExplainedValue*>;

  CauseBuilder(const text::WrittenValues& names, const Explanation& explanation,
               const Values& values, const Results& results, const std::vector<std::string>& axes)
      : module_(names.module()),
        decisions_(explanation.decisions),
        values_(values),
        results_(results),
        axes_(axes) {}

  Cause build(OpId op) {
    cause_ = {.op = op, .tensors = {}, .conflicts = {}};
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      add_value("operand " + std::to_string(index), module_.operand(op, index));
    }
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      add_value("result " + std::to_string(index), module_.result(op, index));
    }
    if (module_.is(op, ir::OpKind::FuncReturn)) add_function_results(op);
    return std::move(cause_);
  }

 private:
  void add_value(std::string role, ValueId value) {
    const auto found = values_.find(value);
    if (found != values_.end()) add(std::move(role), value, *found->second);
  }

  void add_function_results(OpId op) {
    const OpId function = ir::enclosing_function(module_, op);
    if (!function.valid()) return;
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const auto found = results_.find({std::string(module_.symbol_name(function)), index});
      if (found == results_.end()) continue;
      add("function result " + std::to_string(index), {}, *found->second);
    }
  }

  void add(std::string role, ValueId value, const ExplainedValue& explained) {
    if (cause_.tensors.size() == kMostTensors) return;
    TensorOrigin origin{.role = std::move(role),
                        .value = value,
                        .name = value.valid() ? explained.name : "",
                        .sharding = explained.after.value_or("none"),
                        .axes = {}};
    for (const ExplainedAxis& axis : explained.axes) {
      if (!is_wanted(axis)) continue;
      origin.axes.push_back({axis.dim, axis.axis, steps_of(axis.last, decisions_)});
    }
    cause_.tensors.push_back(std::move(origin));
  }

  bool is_wanted(const ExplainedAxis& axis) const {
    return std::ranges::find(axes_, axis.axis_name) != axes_.end();
  }

  const Module& module_;
  const std::vector<Decision>& decisions_;
  const Values& values_;
  const Results& results_;
  const std::vector<std::string>& axes_;
  Cause cause_;
};

}  // namespace

/// Returns the cause of a collective: the first op at its location that has its axes, else the
/// first op at its location.
std::optional<Cause> Reasons::cause(const Collective& row) const {
  constexpr std::size_t kMostOps = 64;  // limit of ops at one line of Python
  SHARDY_EXPECTS(data_ != nullptr);
  const auto here = data_->ops.find(row.location.text());
  if (here == data_->ops.end() || row.location.empty()) return std::nullopt;
  CauseBuilder builder(data_->names, data_->explanation, data_->values, data_->results,
                       row.axis_names);
  std::optional<Cause> chosen;
  for (std::size_t at = 0; at < std::min(kMostOps, here->second.size()); ++at) {
    const OpId op = here->second[at];
    if (names().module().name(op) != row.serves) continue;
    Cause cause = builder.build(op);
    const bool has_axes = std::ranges::any_of(
        cause.tensors, [](const TensorOrigin& origin) { return !origin.axes.empty(); });
    if (has_axes || !chosen) chosen = std::move(cause);
    if (has_axes) break;
  }
  const auto conflicts = data_->conflicts.find(row.location.text());
  if (!chosen || conflicts == data_->conflicts.end()) return chosen;
  for (const ExplainedConflict* conflict : conflicts->second) {
    if (conflict->op != row.serves || chosen->conflicts.size() == kMostConflicts) continue;
    chosen->conflicts.push_back(conflict_text(*conflict));
  }
  return chosen;
}

void add_reasons(Report& report, const Reasons& reasons, std::size_t top) {
  const std::vector<EqualCollectives> rows = group_equal(report);
  for (std::size_t at = 0; at < std::min(top, rows.size()); ++at) {
    const auto index = static_cast<std::size_t>(rows[at].first - report.collectives.data());
    report.collectives[index].cause = reasons.cause(report.collectives[index]);
  }
}

}  // namespace shardy::report
