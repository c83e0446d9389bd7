// The command explain: prints why values have their shardings.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/report/report.hpp"
#include "shardy/text/written_values.hpp"
#include "tools/commands.hpp"
#include "tools/explain_report.hpp"
#include "tools/explained_program.hpp"
#include "tools/files.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

namespace {

using propagation::ExplainedConflict;
using propagation::ExplainedValue;

/// Returns the conflicts of the requested values and of the ops that define them; all conflicts
/// without a request.
std::vector<const ExplainedConflict*> select_conflicts(
    const std::vector<ExplainedConflict>& conflicts, const ExplainRequest& request,
    const std::vector<const ExplainedValue*>& values, const ReportSelection& wanted) {
  const auto is_wanted = [&](const ExplainedConflict& conflict) {
    const bool is_along = wanted.axis.empty() || conflict.axis_name == wanted.axis;
    return is_along && is_on_line(conflict.location, wanted.line);
  };
  std::set<std::pair<std::string, std::string>> names;  // names with their functions
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
    const bool is_of_function = request.function.empty() || functions.contains(conflict.function);
    const bool is_of_value = request.value.empty() || is_about(conflict.tensor) ||
                             (conflict.target && is_about(*conflict.target)) ||
                             std::ranges::any_of(conflict.results, is_about);
    if (is_of_function && is_of_value && is_wanted(conflict)) selected.push_back(&conflict);
  }
  return selected;
}

/// Adds collectives that move data because two ops need different shardings of a value.
void add_reshards(const ir::Module& collectives, std::vector<std::string>& refused) {
  for (const ir::OpId op : ir::pre_order(collectives)) {
    const ir::OpKind kind = collectives.kind(op);
    if (!ir::is_sdy_collective(kind) || kind == ir::OpKind::SdyAllReduce) continue;
    refused.push_back(fmt::format("implicit reshard: {} {}", collectives.name(op),
                                  collectives.location_text(op)));
  }
}

std::string lowering_text(const Error& error) {
  std::string text = fmt::format("lowering: {} {}", error.location.text(), error.headline());
  for (const std::string& note : error.notes) text += "; " + note;
  return text;
}

/// The per-device program, which is compiled once, at its first use.
class Compiled {
 public:
  Compiled(const ir::Module& module, const CommandOptions& options)
      : module_(module), options_(options) {}

  const DiagnosedResult<checking::CompiledProgram>& program() {
    if (!program_) {
      program_.emplace(checking::compile(module_, options_.stages.compile, options_.context));
    }
    return *program_;
  }
  /// Returns the report; empty if compilation fails.
  report::Report report() { return program() ? report::make_report(*program()) : report::Report(); }

 private:
  const ir::Module& module_;
  const CommandOptions& options_;
  std::optional<DiagnosedResult<checking::CompiledProgram>> program_;
};

/// Returns the note why conflicts are printed without their collectives.
Diagnostic no_collectives(const Diagnostics& errors) {
  const Diagnostic& first = errors.front();
  return {
      .message = "collectives are not known, as the program does not compile: " + first.headline(),
      .location = first.location,
      .severity = Severity::Note};
}

/// Returns the findings that are errors with `--strict`.
std::vector<std::string> refusals(const propagation::Explanation& explanation, Compiled& programs) {
  std::vector<std::string> refused;
  for (const ExplainedConflict& conflict : explanation.conflicts) {
    refused.push_back(fmt::format("conflict: {} {}, factor {} {}", conflict.op,
                                  conflict.location.text(), conflict.factor, conflict.axis));
  }
  for (const propagation::MissingRule& missing : explanation.missing_rules) {
    refused.push_back(fmt::format("no sharding rule: {} {}", missing.op, missing.location.text()));
  }
  const auto& compiled = programs.program();
  if (!compiled) {
    for (const Diagnostic& each : compiled.error()) {
      if (each.severity == Severity::Error) refused.push_back(lowering_text(each));
    }
    return refused;
  }
  add_reshards(compiled->collectives, refused);
  for (const partitioning::ReplicationNote& note : compiled->notes) {
    refused.push_back(fmt::format("replication: {} {}", note.location.text(),
                                  partitioning::diagnostic_of(note).message));
  }
  return refused;
}

/// Returns the values at the line, with only the requested axis.
std::vector<ExplainedValue> filtered(const std::vector<const ExplainedValue*>& values,
                                     const ReportSelection& wanted) {
  const auto is_other = [&](const auto& each) {
    return !wanted.axis.empty() && each.axis_name != wanted.axis;
  };
  std::vector<ExplainedValue> kept;
  for (const ExplainedValue* value : values) {
    if (!is_on_line(value->location, wanted.line)) continue;
    ExplainedValue& copy = kept.emplace_back(*value);
    std::erase_if(copy.axes, is_other);
    std::erase_if(copy.absent, is_other);
  }
  return kept;
}

std::vector<ReplicatedValue> select_replicated(const ExplainedProgram& program,
                                               const ReportSelection& wanted) {
  const auto is_other = [&](const propagation::AbsentAxis* absent) {
    return !wanted.axis.empty() && absent->axis_name != wanted.axis;
  };
  std::vector<ReplicatedValue> rows = replicated_values(program.explanation, program.original);
  std::erase_if(rows, [&](ReplicatedValue& row) {
    std::erase_if(row.axes, is_other);
    return row.axes.empty() || !is_on_line(row.value->location, wanted.line);
  });
  return rows;
}

}  // namespace

int explain_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  const auto program = explain_program(source, reporter, options);
  if (!program) return kBadInput;
  const ReportSelection& wanted = options.report;
  const propagation::Explanation& all = program->explanation;
  const ExplainRequest request{options.value, options.function, options.all};
  const Status known = expect_axis(program->original, wanted.axis);
  if (!known) return reporter.refuse({known.error()});
  const auto values = select_values(all.values, request, program->names);
  if (!values) return reporter.refuse({values.error()});

  const bool is_filtered = !wanted.axis.empty() || !wanted.line.empty();
  ExplainReport answer{.values = {},
                       .decisions = all.decisions,
                       .conflicts = {},
                       .replicated = {},
                       .missing_rules = {},
                       .refused = {},
                       .top = wanted.top,
                       .is_filtered = is_filtered || options.conflicts};
  const std::vector<ExplainedValue> shown = filtered(*values, wanted);
  Compiled compiled(program->original, options);
  const auto conflicts = select_conflicts(all.conflicts, request, *values, wanted);
  if (!conflicts.empty()) {
    answer.conflicts = ranked_conflicts(conflicts, compiled.report());
    if (!compiled.program()) reporter.emit({no_collectives(compiled.program().error())});
  }
  if (!options.conflicts) {
    for (const ExplainedValue& value : shown) answer.values.push_back(&value);
    if (!is_filtered) answer.missing_rules = all.missing_rules;
    if (request.is_empty()) answer.replicated = select_replicated(*program, wanted);
  }
  if (options.strict) answer.refused = refusals(all, compiled);
  print_text(stdout,
             options.json ? explain_json(answer, reporter.diagnostics()) : explain_text(answer));
  return answer.refused.empty() ? kDone : kFailed;
}

}  // namespace shardy::tools
