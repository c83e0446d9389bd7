#include "tools/interpret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "shardy/ir/main_function.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/quote.hpp"
#include "text/chosen_names.hpp"
#include "tools/interrupt.hpp"
#include "tools/json_report.hpp"
#include "tools/output.hpp"
#include "tools/trace.hpp"
#include "tools/values.hpp"

namespace shardy::tools {

namespace {

using simulation::FailedCheck;
using simulation::Tensors;

// ---- What to run -------------------------------------------------------------------------------

bool has_sharding(const std::vector<ir::AttributeMap>& all) {
  return std::ranges::any_of(all, [](const ir::AttributeMap& attributes) {
    return attributes.contains(ir::kShardingAttr);
  });
}

bool says_sharding(const ir::Module& module, ir::OpId op) {
  if (module.is_erased(op)) return false;
  const ir::Dialect dialect = ir::dialect_of(module.kind(op));
  if (dialect == ir::Dialect::Sdy || dialect == ir::Dialect::Spmd) return true;
  if (module.attributes(op).contains(ir::kShardingAttr)) return true;
  if (!module.is(op, ir::OpKind::Func)) return false;
  return has_sharding(module.function(op).arg_attributes) ||
         has_sharding(module.function(op).result_attributes);
}

bool has_op(const ir::Module& module, ir::OpKind kind) {
  for (uint32_t index = 0; index < module.num_ops(); ++index) {
    if (!module.is_erased(ir::OpId(index)) && module.is(ir::OpId(index), kind)) return true;
  }
  return false;
}

std::optional<ir::OpId> find_main(const ir::Module& module) {
  const std::optional<ir::OpId> main = module.find_symbol("main");
  if (main && module.is(*main, ir::OpKind::Func) && !module.is_external(*main)) return main;
  return std::nullopt;
}

/// `@main`, else all functions without arguments, else the only one there is.
std::vector<ir::OpId> functions_to_run(const ir::Module& module) {
  if (const auto main = find_main(module)) return {*main};
  std::vector<ir::OpId> functions;
  for (const ir::OpId function : module.functions()) {
    if (!module.is_external(function) && module.arg_types(function).empty()) {
      functions.push_back(function);
    }
  }
  const std::optional<ir::OpId> only = module.main_function();
  if (functions.empty() && only && !module.is_external(*only)) functions.push_back(*only);
  return functions;
}

/// Returns the diagnostic of an option about a sharded run that does not happen: an error for
/// `--strict`, a warning for `--check`.
std::optional<Diagnostic> no_sharded_run(const CommandOptions& options) {
  const bool checks = options.stages.compare;
  if (options.reference || (!checks && !options.stages.compile.strict)) return std::nullopt;
  Diagnostic said = Error{
      fmt::format("{}: the program is not partitioned, as it has no main function with a mesh "
                  "or shardings; nothing is {}",
                  checks ? "--check" : "--strict", checks ? "compared" : "replicated"),
      {},
      {"shardy check FILE compares it under random shardings"}};
  if (checks) said.severity = Severity::Warning;
  return said;
}

// ---- One function ------------------------------------------------------------------------------

/// Common state of all functions of a program.
class Interpreter {
 public:
  Interpreter(Reporter& reporter, const ir::Module& module, const CommandOptions& options,
              simulation::ProcessGrid grid)
      : reporter_(reporter),
        module_(module),
        options_(options),
        trace_(options.max_trace_bytes, guard_.source()),
        grid_(grid),
        run_(options.stages.run) {
    run_.grid = grid_;
    run_.cancel = guard_.token();
    if (!options.trace.empty()) trace_.watch(run_);
    run_.print = [this](ir::OpId op, const simulation::Tensor& value) { print_value(op, value); };
    begin_report(report_, "interpret");
    report_.key("functions").begin_array(kBroken);
  }

  int run(ir::OpId function, bool is_only) {
    if (!trace_.complete()) return kFailed;  // which was said
    if (was_interrupted()) return kInterrupted;
    const Result<Tensors> inputs = read_arguments(module_, function, options_);
    if (!inputs) return refuse(inputs.error(), kBadInput);
    const std::string name(module_.symbol_name(function));
    const std::vector<Tensors> arguments(static_cast<std::size_t>(grid_.size()), *inputs);
    const auto result = simulation::run(module_, name, arguments, run_, options_.context.runs);
    if (const Status complete = trace_.complete(); !complete) {
      return refuse(complete.error(), kFailed);
    }
    if (!result && was_interrupted()) return kInterrupted;
    if (!result) return refuse(result.error(), kFailed);
    report_checks(result->checks);
    num_checks_ += result->checks.count;
    num_failed_ += std::ssize(result->checks.failed);
    std::vector<Tensors> outputs = result->outputs;
    if (std::ranges::all_of(outputs, [&](const Tensors& each) { return each == outputs[0]; })) {
      outputs.resize(1);
    }
    if (const Status written = write(name, is_only, outputs); !written) {
      return refuse(written.error(), kBadInput);
    }
    if (options_.json) {
      add_json(name, result->checks, outputs);
    } else if (result->checks.count == 0) {
      print_results(name, is_only, outputs);
    }
    return result->checks.passed() ? kDone : kFailed;
  }

  /// Reports after all functions have run.
  int finish(int status) {
    if (options_.json) {
      report_.end_array();
      add(report_, "interrupted", was_interrupted());
      add(report_, "diagnostics", reporter_.said());
      report_.end_object();
      print_text(stdout, report_.take() + "\n");
    } else if (num_checks_ > 0) {
      const char* const noun = num_checks_ == 1 ? "check" : "checks";
      print_text(stdout,
                 fmt::format("{} of {} {} passed\n", num_checks_ - num_failed_, num_checks_, noun));
    }
    if (was_interrupted() && !options_.json) print_text(stdout, "interrupted\n");
    if (options_.trace.empty() || !trace_.complete()) return status;
    const Status written = trace_.write(options_.trace, module_);
    return written ? status : refuse(written.error(), kBadInput);
  }

 private:
  int refuse(const Error& error, int status) const {
    reporter_.say({error});
    return status;
  }

  Status write(const std::string& name, bool is_only, const std::vector<Tensors>& outputs) const {
    if (options_.output_dir.empty()) return {};
    for (std::size_t device = 0; device < outputs.size(); ++device) {
      std::string prefix = is_only ? "" : part_of_file_name(name) + "_";
      if (outputs.size() > 1) prefix += "device" + std::to_string(device) + "_";
      SHARDY_TRY_STATUS(write_outputs(options_.output_dir, prefix + "result", outputs[device]));
    }
    return {};
  }

  void report_checks(const simulation::CheckOutcome& checks) const {
    for (const FailedCheck& check : checks.failed) {
      Error error{std::string(module_.name(check.op)) + ": " + check.message, check.location};
      if (grid_.size() > 1) error.notes.push_back("on device " + std::to_string(check.device));
      reporter_.say({error});
    }
  }

  void print_results(const std::string& name, bool is_only,
                     const std::vector<Tensors>& outputs) const {
    for (std::size_t device = 0; device < outputs.size(); ++device) {
      if (outputs[device].empty()) continue;
      const std::string place = outputs.size() > 1 ? " on device " + std::to_string(device) : "";
      if (!is_only || !place.empty()) print_text(stdout, symbol_text(name) + place + ":\n");
      for (const simulation::Tensor& value : outputs[device]) {
        const bool is_short = options_.full || !is_large(value);
        const std::string text = is_short ? simulation::value_text(value) : value_summary(value);
        print_text(stdout, text + "\n");
      }
    }
  }

  /// Standard output is for the JSON object alone.
  void print_value(ir::OpId op, const simulation::Tensor& value) const {
    std::string line;
    text::MlirSsaNames(module_, true).append(line, module_.operand(op, 0));
    std::FILE* const to = options_.json ? stderr : stdout;
    print_text(to, line + " = " + simulation::value_text(value) + "\n");
  }

  void add_json(const std::string& name, const simulation::CheckOutcome& checks,
                const std::vector<Tensors>& outputs) {
    report_.begin_object(kBroken);
    add(report_, "name", name, "checks", checks.count);
    report_.key("failed_checks").begin_array(kBroken);
    for (const FailedCheck& check : checks.failed) {
      report_.begin_object();
      add(report_, "op", module_.name(check.op), "location", check.location, "device", check.device,
          "message", check.message);
      report_.end_object();
    }
    report_.end_array();
    const bool is_one = outputs.size() == 1;
    report_.key(is_one ? "results" : "results_per_device");
    if (!is_one) report_.begin_array(kBroken);
    for (const Tensors& each : outputs) {
      report_.begin_array(kBroken);
      for (const simulation::Tensor& value : each) write_value(report_, value);
      report_.end_array();
    }
    if (!is_one) report_.end_array();
    report_.end_object();
  }

  static constexpr auto kBroken = text::JsonWriter::Layout::Broken;

  Reporter& reporter_;
  const ir::Module& module_;
  const CommandOptions& options_;
  InterruptGuard guard_;  // before the trace, which shares its stop
  Trace trace_;
  simulation::ProcessGrid grid_;
  simulation::RunOptions run_;
  int64_t num_checks_ = 0;
  int64_t num_failed_ = 0;
  text::JsonWriter report_ = report_writer();
};

}  // namespace

bool is_sharded(const ir::Module& module) {
  if (has_op(module, ir::OpKind::InterpreterRunParallel)) return false;
  const std::optional<ir::OpId> main = module.main_function();
  if (!main) return false;
  if (!module.meshes().empty()) return true;
  for (uint32_t index = 0; index < module.num_ops(); ++index) {
    if (says_sharding(module, ir::OpId(index))) return true;
  }
  return false;
}

int interpret(Reporter& reporter, const ir::Module& module, const CommandOptions& options) {
  const std::vector<ir::OpId> functions = functions_to_run(module);
  if (functions.empty()) {
    return reporter.refuse({ir::no_main_function(
        module, "there is nothing to run: no function @main, and no function without arguments")});
  }
  if (const std::optional<Diagnostic> said = no_sharded_run(options)) {
    if (said->severity == Severity::Error) return reporter.refuse({*said});
    reporter.say({*said});
  }
  const Result<simulation::ProcessGrid> grid =
      options.stages.run.grid ? *options.stages.run.grid : simulation::process_grid(module);
  if (!grid) return reporter.refuse({grid.error()});
  Interpreter interpreter(reporter, module, options, *grid);
  int status = kDone;
  for (const ir::OpId function : functions) {
    status = std::max(status, interpreter.run(function, functions.size() == 1));
  }
  return interpreter.finish(status);
}

}  // namespace shardy::tools
