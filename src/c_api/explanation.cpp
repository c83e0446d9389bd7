// Explanations of shardings, and searches for shardings.
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "c_api/call_result.hpp"
#include "report/program_analysis.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::c_api {

namespace {

using propagation::Decision;
using propagation::ExplainedAxis;
using propagation::ExplainedValue;

/// Indices of the decisions of one chain, the last decision first.
using DecisionChain = std::vector<std::size_t>;

struct ExplanationObject {
  using Handle = shardy_explanation;
  static constexpr HandleKind kKind = HandleKind::Explanation;

  propagation::Explanation explanation;
  std::vector<std::vector<DecisionChain>> chains;  // chains by value and axis
};

ExplanationObject with_chains(propagation::Explanation explanation) {
  ExplanationObject object{std::move(explanation), {}};
  const std::vector<Decision>& decisions = object.explanation.decisions;
  for (const ExplainedValue& value : object.explanation.values) {
    std::vector<DecisionChain>& chains = object.chains.emplace_back();
    for (const ExplainedAxis& axis : value.axes) {
      DecisionChain& chain = chains.emplace_back();
      for (std::size_t at = axis.last; at != propagation::kNoDecision;
           at = decisions[at].previous) {
        chain.push_back(at);
      }
    }
  }
  return object;
}

// ---- Members as strings -------------------------------------------------------------------------

const std::string* as_text(const std::string& text) { return &text; }
const std::string* as_text(const Location& location) { return &location.text(); }
const std::string* as_text(const std::optional<std::string>& text) {
  return text ? &*text : nullptr;
}
const std::string* as_text(const Decision::Kind& kind) {
  static const std::array<std::string, 4> kNames = {"step", "group", "import", "annotation"};
  return &kNames[static_cast<std::size_t>(kind)];
}

template <auto kMember, class Record>
const std::string* member_text(const Record& record) {
  return as_text(record.*kMember);
}

/// Returns the text of member number `field` among `kMembers`. Returns null for other numbers, and
/// for a member without a text.
template <auto... kMembers, class Record>
const std::string* field_of(const Record* record, int field) {
  using Read = const std::string* (*)(const Record&);
  constexpr Read kFields[] = {&member_text<kMembers, Record>...};
  const bool is_known = field >= 0 && field < static_cast<int>(sizeof...(kMembers));
  return record != nullptr && is_known ? kFields[field](*record) : nullptr;
}

// ---- Parts of an explanation --------------------------------------------------------------------

const ExplainedAxis* axis_of(const ExplanationObject& all, std::size_t value, std::size_t axis) {
  const ExplainedValue* const found = element(all.explanation.values, value);
  return found == nullptr ? nullptr : element(found->axes, axis);
}

const DecisionChain* chain_of(const ExplanationObject& all, std::size_t value, std::size_t axis) {
  const std::vector<DecisionChain>* const chains = element(all.chains, value);
  return chains == nullptr ? nullptr : element(*chains, axis);
}

const Decision* decision_of(const ExplanationObject& all, std::size_t value, std::size_t axis,
                            std::size_t decision) {
  const DecisionChain* const chain = chain_of(all, value, axis);
  const std::size_t* const index = chain == nullptr ? nullptr : element(*chain, decision);
  return index == nullptr ? nullptr : element(all.explanation.decisions, *index);
}

}  // namespace

}  // namespace shardy::c_api

using namespace shardy::c_api;  // NOLINT(google-build-using-namespace): functions of the C API

shardy_status shardy_program_explain(const shardy_program* program, shardy_explanation** out,
                                     shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_explanation * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    const shardy::text::WrittenValues names(*read->module);
    auto explanation = shardy::report::explain(names, {}, {});
    if (!explanation) return refused(std::move(explanation).error(), read->source);
    *place = make_handle(with_chains(*std::move(explanation)));
    return Diagnosed{};
  });
}

void shardy_explanation_destroy(shardy_explanation* explanation) {
  destroy<ExplanationObject>(explanation);
}

size_t shardy_explanation_num_values(const shardy_explanation* explanation) {
  return read_or<ExplanationObject>(explanation, size_t{0},
                                    [](const auto& all) { return all.explanation.values.size(); });
}

const char* shardy_explanation_value(const shardy_explanation* explanation, size_t value,
                                     shardy_value_field field) {
  return string_or_empty<ExplanationObject>(explanation, [&](const auto& all) {
    using Value = shardy::propagation::ExplainedValue;
    return field_of<&Value::name, &Value::type, &Value::op, &Value::location, &Value::function,
                    &Value::before, &Value::after>(element(all.explanation.values, value),
                                                   static_cast<int>(field));
  });
}

size_t shardy_explanation_num_axes(const shardy_explanation* explanation, size_t value) {
  return read_or<ExplanationObject>(explanation, size_t{0}, [&](const auto& all) {
    const auto* const chains = element(all.chains, value);
    return chains == nullptr ? 0 : chains->size();
  });
}

const char* shardy_explanation_axis(const shardy_explanation* explanation, size_t value,
                                    size_t axis) {
  return string_or_empty<ExplanationObject>(explanation, [&](const auto& all) {
    const auto* const each = axis_of(all, value, axis);
    return each == nullptr ? nullptr : &each->axis;
  });
}

size_t shardy_explanation_axis_dim(const shardy_explanation* explanation, size_t value,
                                   size_t axis) {
  return read_or<ExplanationObject>(explanation, size_t{0}, [&](const auto& all) {
    const auto* const each = axis_of(all, value, axis);
    return each == nullptr ? 0 : each->dim;
  });
}

size_t shardy_explanation_num_decisions(const shardy_explanation* explanation, size_t value,
                                        size_t axis) {
  return read_or<ExplanationObject>(explanation, size_t{0}, [&](const auto& all) {
    const auto* const chain = chain_of(all, value, axis);
    return chain == nullptr ? 0 : chain->size();
  });
}

const char* shardy_explanation_decision(const shardy_explanation* explanation, size_t value,
                                        size_t axis, size_t decision, shardy_decision_field field) {
  return string_or_empty<ExplanationObject>(explanation, [&](const auto& all) {
    using Decision = shardy::propagation::Decision;
    return field_of<&Decision::kind, &Decision::op, &Decision::location, &Decision::factor,
                    &Decision::axis, &Decision::from, &Decision::direction, &Decision::strategy>(
        decision_of(all, value, axis, decision), static_cast<int>(field));
  });
}

int64_t shardy_explanation_decision_step(const shardy_explanation* explanation, size_t value,
                                         size_t axis, size_t decision) {
  return read_or<ExplanationObject>(explanation, int64_t{0}, [&](const auto& all) {
    const auto* const each = decision_of(all, value, axis, decision);
    return each == nullptr ? 0 : each->step;
  });
}

size_t shardy_explanation_num_conflicts(const shardy_explanation* explanation) {
  return read_or<ExplanationObject>(
      explanation, size_t{0}, [](const auto& all) { return all.explanation.conflicts.size(); });
}

const char* shardy_explanation_conflict(const shardy_explanation* explanation, size_t conflict,
                                        shardy_conflict_field field) {
  return string_or_empty<ExplanationObject>(explanation, [&](const auto& all) {
    using Conflict = shardy::propagation::ExplainedConflict;
    return field_of<&Conflict::op, &Conflict::location, &Conflict::function, &Conflict::factor,
                    &Conflict::axis, &Conflict::reason, &Conflict::tensor, &Conflict::target,
                    &Conflict::winner, &Conflict::why, &Conflict::needed>(
        element(all.explanation.conflicts, conflict), static_cast<int>(field));
  });
}

namespace shardy::c_api {

namespace {

/// Checks an integer option. Errors: the value is negative.
CallResult<int64_t> expect_count(int64_t value, const char* name) {
  if (value >= 0) return value;
  return bad_argument(std::string(name) + " is negative: " + std::to_string(value));
}

CallResult<autoshard::AutoshardOptions> search_options(const shardy_search* search,
                                                       const shardy_options* options) {
  SHARDY_TRY(const shardy_search given, known_fields(search, "shardy_search"));
  SHARDY_TRY(const CallOptions stages, read_options(options));
  SHARDY_TRY(const shardy_options general, known_fields(options, "shardy_options"));
  SHARDY_TRY(const int64_t memory, expect_count(given.memory, "memory"));
  SHARDY_TRY(const int64_t effort, expect_count(given.effort, "effort"));
  SHARDY_TRY(const int64_t candidates, expect_count(given.candidates, "candidates"));
  const double rate = given.operations_per_second;
  if (rate != 0 && !(std::isfinite(rate) && rate >= 1)) {
    return bad_argument("operations_per_second must be 0 or a finite number from 1 on");
  }
  autoshard::AutoshardOptions asked;
  asked.compile = stages.check.compile;
  asked.model = stages.costs;
  asked.ignore_annotations = given.ignore_annotations != 0;
  asked.num_threads = general.num_threads;
  if (memory > 0) asked.memory = memory;
  if (effort > 0) asked.effort = effort;
  if (candidates > 0) asked.candidates = static_cast<std::size_t>(candidates);
  if (rate != 0) asked.rates.operations_per_second = rate;
  return asked;
}

shardy_search_result result_of(const autoshard::FoundSharding& found) {
  constexpr double kFemto = 1e-15;
  const bool is_proven = found.model.status == autoshard::SolveStatus::Proven && found.is_complete;
  const bool has_choice = !found.model.choice.empty();
  return {.seconds_before = found.before.seconds,
          .peak_bytes_before = found.before.cost.peak_bytes,
          .seconds = found.after.seconds,
          .peak_bytes = found.after.cost.peak_bytes,
          .model_seconds = has_choice ? static_cast<double>(found.model.price_fs) * kFemto : 0,
          .bound_seconds = static_cast<double>(found.model.bound_fs) * kFemto,
          .is_proven = is_proven ? 1 : 0,
          .is_changed = found.is_changed ? 1 : 0,
          .fits = found.fits ? 1 : 0};
}

}  // namespace

}  // namespace shardy::c_api

using namespace shardy::c_api;  // NOLINT(google-build-using-namespace): functions of the C API

shardy_status shardy_program_autoshard(const shardy_program* program, const shardy_search* search,
                                       const shardy_options* options, shardy_program** out,
                                       shardy_search_result* result,
                                       shardy_diagnostics** diagnostics) {
  return run_call(diagnostics, [&]() -> CallResult<Diagnosed> {
    SHARDY_TRY(shardy_program * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<ProgramObject>(program));
    SHARDY_TRY(const auto asked, search_options(search, options));
    auto found = shardy::autoshard::autoshard(*read->module, asked);
    if (!found) return refused(std::move(found).error(), read->source);
    if (result != nullptr) *result = result_of(*found);
    *place = make_handle(make_program(std::move(found->program), read->source, read->marks));
    return Diagnosed{std::move(found->diagnostics), read->source};
  });
}
