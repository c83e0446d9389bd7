// Explanations of shardings.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "c_api/program.hpp"
#include "report/program_analysis.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::c_api {

namespace {

using propagation::Decision;
using propagation::ExplainedAxis;
using propagation::ExplainedConflict;
using propagation::ExplainedValue;

/// The words of one value, decision or conflict, by field.
using Fields = std::vector<std::string>;

struct DecisionFields {
  Fields fields;
  int64_t step = -1;
};

struct ValueFields {
  Fields fields;
  std::vector<ExplainedAxis> axes;
  std::vector<std::vector<std::size_t>> chains;  // of each axis, indices of decisions
};

struct ExplanationFields {
  using Handle = shardy_explanation;
  static constexpr Kind kKind = Kind::Explanation;

  std::vector<ValueFields> values;
  std::vector<DecisionFields> decisions;
  std::vector<Fields> conflicts;
};

std::string kind_name(Decision::Kind kind) {
  switch (kind) {
    case Decision::Kind::Step:
      return "step";
    case Decision::Kind::Group:
      return "group";
    case Decision::Kind::Import:
      return "import";
    default:
      return "annotation";
  }
}

DecisionFields fields_of(const Decision& each) {
  return {{kind_name(each.kind), each.op, each.location, each.factor, each.axis, each.from,
           each.direction, each.strategy},
          each.step};
}

ValueFields fields_of(const ExplainedValue& value, const std::vector<Decision>& decisions) {
  ValueFields fields{{value.name, value.type, value.op, value.location, value.function,
                      value.before.value_or(""), value.after.value_or("")},
                     value.axes,
                     {}};
  for (const ExplainedAxis& axis : value.axes) {
    std::vector<std::size_t>& chain = fields.chains.emplace_back();
    for (std::size_t at = axis.last; at != propagation::kNoDecision; at = decisions[at].previous) {
      chain.push_back(at);
    }
  }
  return fields;
}

Fields fields_of(const ExplainedConflict& each) {
  return {each.op,     each.location, each.function, each.factor,
          each.axis,   each.reason,   each.tensor,   each.target.value_or(""),
          each.winner, each.why,      each.needed};
}

ExplanationFields fields_of(const propagation::Explanation& explanation) {
  ExplanationFields fields;
  for (const Decision& each : explanation.decisions) fields.decisions.push_back(fields_of(each));
  for (const ExplainedValue& each : explanation.values) {
    fields.values.push_back(fields_of(each, explanation.decisions));
  }
  for (const ExplainedConflict& each : explanation.conflicts) {
    fields.conflicts.push_back(fields_of(each));
  }
  return fields;
}

const std::string* field_of(const Fields* fields, int field) {
  return fields == nullptr || field < 0 ? nullptr
                                        : element(*fields, static_cast<std::size_t>(field));
}

const ExplainedAxis* axis_of(const ExplanationFields& all, std::size_t value, std::size_t axis) {
  const ValueFields* const fields = element(all.values, value);
  return fields == nullptr ? nullptr : element(fields->axes, axis);
}

const std::vector<std::size_t>* chain_of(const ExplanationFields& all, std::size_t value,
                                         std::size_t axis) {
  const ValueFields* const fields = element(all.values, value);
  return fields == nullptr ? nullptr : element(fields->chains, axis);
}

const DecisionFields* decision_of(const ExplanationFields& all, std::size_t value, std::size_t axis,
                                  std::size_t decision) {
  const std::vector<std::size_t>* const chain = chain_of(all, value, axis);
  const std::size_t* const index = chain == nullptr ? nullptr : element(*chain, decision);
  return index == nullptr ? nullptr : element(all.decisions, *index);
}

}  // namespace

}  // namespace shardy::c_api

using namespace shardy::c_api;  // NOLINT(google-build-using-namespace): what C calls

shardy_status shardy_program_explain(const shardy_program* program, shardy_explanation** out,
                                     shardy_diagnostics** diagnostics) {
  return answer(diagnostics, [&]() -> Answer<Diagnosed> {
    SHARDY_TRY(shardy_explanation * * const place, place_for(out));
    SHARDY_TRY(const ProgramPtr read, object_of<Program>(program));
    const shardy::text::WrittenValues names(*read->module);
    auto explanation = shardy::report::explain(names, {}, {});
    if (!explanation) return refused(std::move(explanation).error(), read->source);
    *place = make_handle(fields_of(*explanation));
    return Diagnosed{};
  });
}

void shardy_explanation_destroy(shardy_explanation* explanation) {
  destroy<ExplanationFields>(explanation);
}

size_t shardy_explanation_num_values(const shardy_explanation* explanation) {
  return read_or<ExplanationFields>(explanation, size_t{0},
                                    [](const auto& all) { return all.values.size(); });
}

const char* shardy_explanation_value(const shardy_explanation* explanation, size_t value,
                                     shardy_value_field field) {
  return string_or_empty<ExplanationFields>(explanation, [&](const auto& all) {
    const ValueFields* const fields = element(all.values, value);
    return field_of(fields == nullptr ? nullptr : &fields->fields, static_cast<int>(field));
  });
}

size_t shardy_explanation_num_axes(const shardy_explanation* explanation, size_t value) {
  return read_or<ExplanationFields>(explanation, size_t{0}, [&](const auto& all) {
    const ValueFields* const fields = element(all.values, value);
    return fields == nullptr ? 0 : fields->axes.size();
  });
}

const char* shardy_explanation_axis(const shardy_explanation* explanation, size_t value,
                                    size_t axis) {
  return string_or_empty<ExplanationFields>(explanation, [&](const auto& all) {
    const auto* const each = axis_of(all, value, axis);
    return each == nullptr ? nullptr : &each->axis;
  });
}

size_t shardy_explanation_axis_dim(const shardy_explanation* explanation, size_t value,
                                   size_t axis) {
  return read_or<ExplanationFields>(explanation, size_t{0}, [&](const auto& all) {
    const auto* const each = axis_of(all, value, axis);
    return each == nullptr ? 0 : each->dim;
  });
}

size_t shardy_explanation_num_decisions(const shardy_explanation* explanation, size_t value,
                                        size_t axis) {
  return read_or<ExplanationFields>(explanation, size_t{0}, [&](const auto& all) {
    const auto* const chain = chain_of(all, value, axis);
    return chain == nullptr ? 0 : chain->size();
  });
}

const char* shardy_explanation_decision(const shardy_explanation* explanation, size_t value,
                                        size_t axis, size_t decision, shardy_decision_field field) {
  return string_or_empty<ExplanationFields>(explanation, [&](const auto& all) {
    const auto* const each = decision_of(all, value, axis, decision);
    return field_of(each == nullptr ? nullptr : &each->fields, static_cast<int>(field));
  });
}

int64_t shardy_explanation_decision_step(const shardy_explanation* explanation, size_t value,
                                         size_t axis, size_t decision) {
  return read_or<ExplanationFields>(explanation, int64_t{0}, [&](const auto& all) {
    const auto* const each = decision_of(all, value, axis, decision);
    return each == nullptr ? 0 : each->step;
  });
}

size_t shardy_explanation_num_conflicts(const shardy_explanation* explanation) {
  return read_or<ExplanationFields>(explanation, size_t{0},
                                    [](const auto& all) { return all.conflicts.size(); });
}

const char* shardy_explanation_conflict(const shardy_explanation* explanation, size_t conflict,
                                        shardy_conflict_field field) {
  return string_or_empty<ExplanationFields>(explanation, [&](const auto& all) {
    return field_of(element(all.conflicts, conflict), static_cast<int>(field));
  });
}
