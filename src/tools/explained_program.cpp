#include "tools/explained_program.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/ir_adapter.hpp"

namespace shardy::tools {

using propagation::ExplainedValue;

namespace {

/// Returns the passes that `shardy propagate` runs before propagation.
std::vector<passes::PassCall> import_calls(const CommandOptions& options) {
  std::vector<passes::PassCall> calls =
      passes::propagation_pipeline(options.stages.compile.pipeline);
  const auto propagation =
      std::ranges::find(calls, "sdy-user-priority-propagate", &passes::PassCall::name);
  calls.erase(propagation, calls.end());
  return calls;
}

}  // namespace

DiagnosedResult<ir::Module> read_named_program(Source& source, text::WrittenNames& names) {
  if (source.text.empty()) {
    if (Status status = read_source(source); !status) {
      return tl::unexpected(Diagnostics{std::move(status).error()});
    }
  }
  return parse_source(source, &names);
}

DiagnosedResult<ExplainedProgram> explain_module(
    ir::Module module, text::WrittenNames names, const CommandOptions& options,
    const std::function<void(const Diagnostics&)>& diagnose) {
  ExplainedProgram program{module, {module, std::move(names)}, {}};
  const propagation::WrittenProgram written(
      program.original, [&](ir::ValueId value) { return program.names(value); });
  propagation::mark_origins(module);
  Diagnostics of_import;
  passes::PipelineHooks hooks;
  hooks.sinks.diagnose = [&](const Diagnostic& diagnostic) { of_import.push_back(diagnostic); };
  hooks.rules = &options.context.ops.rules;
  hooks.extensions = &options.context.extensions;
  Diagnostics errors =
      passes::run_pipeline(module, passes::built_in_passes(), import_calls(options), hooks);
  diagnose(of_import);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  propagation::Explainer explainer(module, written);
  const auto report =
      propagation::propagate(module,
                             {.registry = &options.context.ops.rules,
                              .extensions = &options.context.extensions.propagation},
                             explainer);
  if (!report) return tl::unexpected(Diagnostics{report.error()});
  // Warnings about ops without a rule are part of the result.
  const Diagnostics& warnings = report->diagnostics;
  const auto last = warnings.begin() + static_cast<std::ptrdiff_t>(report->num_group_warnings);
  diagnose({warnings.begin(), last});
  program.explanation = explainer.explanation();
  program.num_steps = report->num_steps;
  return program;
}

std::optional<ExplainedProgram> explain_program(Source& source, Reporter& reporter,
                                                const CommandOptions& options) {
  text::WrittenNames names;
  auto module = read_named_program(source, names);
  if (!module) {
    reporter.refuse(module.error());
    return std::nullopt;
  }
  if (!reporter.import(*module, options.import_form)) return std::nullopt;
  auto program =
      explain_module(*std::move(module), std::move(names), options,
                     [&](const Diagnostics& diagnostics) { reporter.emit(diagnostics); });
  if (program) return *std::move(program);
  reporter.refuse(program.error());
  return std::nullopt;
}

namespace {

using Values = std::vector<const ExplainedValue*>;
using Group = text::WrittenValues::ValueGroup;

/// Returns the name with `@`, which a request may omit.
std::string function_name(const std::string& text) {
  return text.starts_with('@') ? text : "@" + text;
}

/// Resolves the name of a request in the program.
class RequestResolver {
 public:
  RequestResolver(const ExplainRequest& request, const text::WrittenValues& names)
      : request_(request),
        names_(names),
        groups_(names.find_meant(request.value, request.function)) {
    for (uint32_t index = 0; index < groups_.size(); ++index) {
      for (uint32_t value = 0; value < groups_[index].count; ++value) {
        group_of_.emplace(ir::ValueId(groups_[index].first.value + value), index);
      }
    }
  }

  bool exists() const { return !groups_.empty(); }
  /// Returns the full name of the value if the request matches it; else std::nullopt.
  std::optional<std::string> match(const ExplainedValue& value) const {
    if (value.value.valid()) {
      if (value.name == request_.value) return names_.scope(value.value) + ":" + value.name;
      const auto found = group_of_.find(value.value);
      return found != group_of_.end() ? std::optional(names_.full_name(groups_[found->second]))
                                      : std::nullopt;
    }
    const std::string full = "@" + value.function + ":" + value.name;
    const bool is_it = request_.value == value.name || request_.value == full;
    return is_it ? std::optional(full) : std::nullopt;
  }

 private:
  const ExplainRequest& request_;
  const text::WrittenValues& names_;
  std::vector<Group> groups_;
  std::unordered_map<ir::ValueId, uint32_t> group_of_;
};

Error no_function(const ExplainRequest& request, const text::WrittenValues& names) {
  const std::string wanted = function_name(request.function);
  std::vector<std::string> known;
  for (const ir::OpId function : names.module().functions()) {
    known.push_back("@" + std::string(names.module().symbol_name(function)));
  }
  if (std::ranges::find(known, wanted) != known.end()) {
    return {"propagation has no value of " + wanted,
            {},
            {"the function has no body, no tensors or no call"}};
  }
  return {"no such function: " + wanted, {}, text::known_names(wanted, "functions", known)};
}

Error no_value(const ExplainRequest& request, const Values& values, bool exists) {
  if (exists) {
    return {"propagation does not include " + request.value,
            {},
            {"the value is not a tensor, has no users, was replaced before propagation, or is "
             "inside of an op like a reduction, whose regions have no shardings"}};
  }
  std::vector<std::string> known;
  std::set<std::string_view> seen;
  for (const ExplainedValue* value : values) {
    const bool is_named = value->name.starts_with('%') || !value->value.valid();
    if (is_named && seen.insert(value->name).second) known.push_back(value->name);
  }
  return {"no such value: " + request.value, {}, text::known_names(request.value, "values", known)};
}

Values of_function(const std::vector<ExplainedValue>& values, const std::string& function) {
  Values found;
  for (const ExplainedValue& value : values) {
    if (function.empty() || "@" + value.function == function_name(function)) {
      found.push_back(&value);
    }
  }
  return found;
}

/// Returns the only match in the main function, because a name without a function refers to @main.
std::optional<std::string> meant_in_main(const std::vector<std::string>& meanings,
                                         const ExplainRequest& request,
                                         const text::WrittenValues& names) {
  if (!request.function.empty() || request.value.starts_with('@')) return std::nullopt;
  return names.directly_in_main(meanings);
}

}  // namespace

Result<Values> select_values(const std::vector<ExplainedValue>& values,
                             const ExplainRequest& request, const text::WrittenValues& names) {
  if (request.is_empty()) return Values();
  const Values here = of_function(values, request.function);
  if (here.empty() && !request.function.empty()) {
    return tl::unexpected(no_function(request, names));
  }
  if (request.value.empty()) return here;
  const RequestResolver meaning(request, names);
  Values selected;
  std::vector<std::string>
      meanings;  // full names; the copies of a value, one per call, share a name
  std::set<std::string> seen;
  for (const ExplainedValue* value : here) {
    const std::optional<std::string> match = meaning.match(*value);
    if (!match) continue;
    selected.push_back(value);
    if (seen.insert(*match).second) meanings.push_back(*match);
  }
  if (selected.empty()) {
    return tl::unexpected(no_value(request, here, meaning.exists()));
  }
  if (request.all || meanings.size() == 1) return selected;
  if (const std::optional<std::string> in_main = meant_in_main(meanings, request, names)) {
    std::erase_if(selected, [&](const ExplainedValue* value) {
      return meaning.match(*value).value_or("") != *in_main;
    });
    return selected;
  }
  std::vector<std::string> notes = text::shortened(std::move(meanings));
  notes.emplace_back("--all explains each of them");
  return tl::unexpected(Error{"several values are called " + request.value, {}, std::move(notes)});
}

Status expect_axis(const ir::Module& module, const std::string& axis) {
  std::vector<std::string> known;
  for (const ir::OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh == nullptr) continue;
    for (const MeshAxis& each : mesh->axes()) known.push_back(each.name);
  }
  const bool is_known = std::ranges::find(known, axis) != known.end();
  if (axis.empty() || is_known) return {};
  return tl::unexpected(Error{"no such axis: " + axis, {}, text::known_names(axis, "axes", known)});
}

}  // namespace shardy::tools
