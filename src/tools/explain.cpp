// explain: why values have the shardings they have.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/propagation/ir_propagate.hpp"
#include "text/mlir_ssa_names.hpp"
#include "tools/commands.hpp"
#include "tools/explain_report.hpp"
#include "tools/input.hpp"
#include "tools/output.hpp"

namespace shardy::tools {

namespace {

using propagation::ExplainedConflict;
using propagation::ExplainedValue;

/// Names of the values of a program, as `shardy convert` prints it.
class Names {
 public:
  explicit Names(ir::Module module) : module_(std::move(module)), names_(module_, false) {}

  std::string operator()(ir::ValueId value) const {
    std::string text;
    names_.append(text, value);
    return text;
  }
  /// `@f/%3/1:%12`: the function, then the op and the number of each region around the value.
  std::string path(ir::ValueId value) const {
    const ir::ValueOwner owner = module_.owner(value);
    ir::BlockId block = owner.is_result() ? module_.parent_block(owner.op) : owner.block;
    std::string path = ":" + (*this)(value);
    while (block.valid()) {
      const ir::RegionId region = module_.parent_region(block);
      const ir::OpId op = module_.parent_op(region);
      if (!op.valid()) break;
      if (module_.is(op, ir::OpKind::Func)) {
        return "@" + std::string(module_.symbol_name(op)) + path;
      }
      const auto regions = module_.regions(op);
      const auto number = std::ranges::find(regions, region) - regions.begin();
      path.insert(0, "/" + op_text(op) + "/" + std::to_string(number));
      block = module_.parent_block(op);
    }
    return path;
  }

 private:
  /// The name of its first result without `#0`, else the name of the op.
  std::string op_text(ir::OpId op) const {
    if (module_.num_results(op) == 0) return std::string(module_.name(op));
    const std::string first = (*this)(module_.result(op));
    return first.substr(0, first.find('#'));
  }

  ir::Module module_;  // as it was before propagation
  text::MlirSsaNames names_;
};

bool has_name(const Names& names, const ExplainedValue& value, const std::string& wanted) {
  if (!value.value.valid()) return value.name == wanted;
  return value.name == wanted || names.path(value.value) == wanted ||
         "@" + value.function + ":" + value.name == wanted;
}

/// Errors: no such value, several of them.
Result<std::vector<const ExplainedValue*>> select_values(const std::vector<ExplainedValue>& values,
                                                         const CommandOptions& options,
                                                         const Names& names) {
  std::vector<const ExplainedValue*> selected;
  for (const ExplainedValue& value : values) {
    const bool is_wanted = options.all || "@" + value.function == options.function ||
                           (!options.value.empty() && has_name(names, value, options.value));
    if (is_wanted) selected.push_back(&value);
  }
  const std::string& wanted = options.value.empty() ? options.function : options.value;
  if (selected.empty() && !wanted.empty()) return fail("no such value or function: " + wanted);
  // Copies of one value are one value: each call of its function may shard it in another way.
  std::set<std::string> paths;
  for (const ExplainedValue* value : selected) {
    paths.insert(value->value.valid() ? names.path(value->value)
                                      : "@" + value->function + ":" + value->name);
  }
  if (options.value.empty() || paths.size() <= 1) return selected;
  return tl::unexpected<Error>(
      Error{"several values are called " + options.value, {}, {paths.begin(), paths.end()}});
}

/// Without a question all of them, else those of the values asked about.
std::vector<const ExplainedConflict*> select_conflicts(
    const std::vector<ExplainedConflict>& conflicts, const CommandOptions& options,
    const std::vector<const ExplainedValue*>& values) {
  std::vector<const ExplainedConflict*> selected;
  for (const ExplainedConflict& conflict : conflicts) {
    const bool is_of_function =
        options.function.empty() || "@" + conflict.function == options.function;
    const bool is_of_value =
        options.value.empty() || std::ranges::any_of(values, [&](const ExplainedValue* value) {
          return conflict.function == value->function &&
                 (conflict.target == value->name || conflict.tensor == value->name);
        });
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
  checking::CompileOptions compile;
  compile.pipeline.dedup_functions_fully = options.dedup_functions;
  auto compiled = checking::compile(module, compile);
  if (!compiled) {
    for (const Error& error : compiled.error()) {
      refused.push_back(fmt::format("lowering: {} {}", error.at, error.message));
    }
    return refused;
  }
  add_reshards(compiled->collectives, refused);
  for (const partitioning::ReplicationNote& note : compiled->notes) {
    refused.push_back(fmt::format("replication: {} {}: {}", note.op, note.location, note.reason));
  }
  return refused;
}

/// The passes that `shardy propagate` runs before propagation.
std::vector<passes::PassCall> import_calls(const CommandOptions& options) {
  std::vector<passes::PassCall> calls =
      passes::propagation_pipeline({.dedup_functions_fully = options.dedup_functions});
  const auto propagation =
      std::ranges::find(calls, "sdy-user-priority-propagate", &passes::PassCall::name);
  calls.erase(propagation, calls.end());
  return calls;
}

int bad_input(const Source& source, const std::vector<Error>& errors) {
  print_errors(source, errors);
  return kBadInput;
}

}  // namespace

int explain_command(const CommandOptions& options) {
  Source source{options.file};
  auto module = read_program(source);
  if (!module) return bad_input(source, module.error());
  const ir::Module original = *module;
  const auto names = std::make_shared<const Names>(original);
  const propagation::WrittenProgram written(original,
                                            [names](ir::ValueId value) { return (*names)(value); });
  propagation::mark_origins(*module);
  const std::vector<Error> errors =
      passes::run_pipeline(*module, passes::built_in_passes(), import_calls(options));
  if (!errors.empty()) return bad_input(source, errors);
  propagation::Explainer explainer(*module, written);
  const auto report = propagation::propagate(*module, propagation::PropagationOptions(), explainer);
  if (!report) return bad_input(source, {report.error()});

  const propagation::Explanation& all = explainer.explanation();
  auto values = select_values(all.values, options, *names);
  if (!values) return bad_input(source, {values.error()});
  ExplainReport answer{.values = *std::move(values),
                       .conflicts = {},
                       .missing_rules = all.missing_rules,
                       .refused = {}};
  answer.conflicts = select_conflicts(all.conflicts, options, answer.values);
  if (options.strict) answer.refused = refusals(original, all, options);
  print_text(stdout, options.json ? explain_json(answer) : explain_text(answer));
  return answer.refused.empty() ? kDone : kFailed;
}

}  // namespace shardy::tools
