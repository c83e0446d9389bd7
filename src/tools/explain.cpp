// explain: why values have the shardings they have.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "tools/commands.hpp"
#include "tools/explain_report.hpp"
#include "tools/explain_select.hpp"
#include "tools/explained_program.hpp"
#include "tools/input.hpp"
#include "tools/output.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

namespace {

using propagation::ExplainedConflict;
using propagation::ExplainedValue;

/// Without a question all of them, else those of the values asked about.
std::vector<const ExplainedConflict*> select_conflicts(
    const std::vector<ExplainedConflict>& conflicts, const ExplainQuestion& question,
    const std::vector<const ExplainedValue*>& values) {
  std::set<std::pair<std::string, std::string>> names;  // with the function
  std::set<std::string> functions;
  for (const ExplainedValue* value : values) {
    names.insert({value->function, value->name});
    functions.insert(value->function);
  }
  std::vector<const ExplainedConflict*> selected;
  for (const ExplainedConflict& conflict : conflicts) {
    const auto is_about = [&](const std::string& name) {
      return names.contains({conflict.function, name});
    };
    const bool is_of_function = question.function.empty() || functions.contains(conflict.function);
    const bool is_of_value = question.value.empty() || is_about(conflict.tensor) ||
                             (conflict.target && is_about(*conflict.target));
    if (is_of_function && is_of_value) selected.push_back(&conflict);
  }
  return selected;
}

/// Collectives that move data because two ops want a value differently.
void add_reshards(const ir::Module& collectives, std::vector<std::string>& refused) {
  for (const ir::OpId op : ir::pre_order(collectives)) {
    const ir::OpKind kind = collectives.kind(op);
    if (!ir::is_sdy_collective(kind) || kind == ir::OpKind::SdyAllReduce) continue;
    refused.push_back(fmt::format("implicit reshard: {} {}", collectives.name(op),
                                  collectives.location_text(op)));
  }
}

std::string lowering_text(const Error& error) {
  std::string text = fmt::format("lowering: {} {}", error.location, error.headline());
  for (const std::string& note : error.notes) text += "; " + note;
  return text;
}

/// What a strict user does not accept.
std::vector<std::string> refusals(const ir::Module& module,
                                  const propagation::Explanation& explanation,
                                  const CommandOptions& options) {
  std::vector<std::string> refused;
  for (const ExplainedConflict& conflict : explanation.conflicts) {
    refused.push_back(fmt::format("conflict: {} {}, factor {} {}", conflict.op, conflict.location,
                                  conflict.factor, conflict.axis));
  }
  for (const propagation::MissingRule& missing : explanation.missing_rules) {
    refused.push_back(fmt::format("no sharding rule: {} {}", missing.op, missing.location));
  }
  auto compiled = checking::compile(module, options.stages.compile, options.context);
  if (!compiled) {
    for (const Diagnostic& each : compiled.error()) {
      if (each.severity == Severity::Error) refused.push_back(lowering_text(each));
    }
    return refused;
  }
  add_reshards(compiled->collectives, refused);
  for (const partitioning::ReplicationNote& note : compiled->notes) {
    refused.push_back(fmt::format("replication: {} {}", note.location,
                                  partitioning::diagnostic_of(note).message));
  }
  return refused;
}

}  // namespace

int explain_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  const auto program = explain_program(source, reporter, options);
  if (!program) return kBadInput;
  const propagation::Explanation& all = program->explanation;
  const ExplainQuestion question{options.value, options.function, options.all};
  auto values = select_values(all.values, question, program->names);
  if (!values) return reporter.refuse({values.error()});
  ExplainReport answer{.values = *std::move(values),
                       .decisions = all.decisions,
                       .conflicts = {},
                       .missing_rules = all.missing_rules,
                       .refused = {}};
  answer.conflicts = select_conflicts(all.conflicts, question, answer.values);
  if (options.strict) answer.refused = refusals(program->original, all, options);
  print_text(stdout, options.json ? explain_json(answer, reporter.said()) : explain_text(answer));
  return answer.refused.empty() ? kDone : kFailed;
}

}  // namespace shardy::tools
