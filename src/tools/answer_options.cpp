#include "tools/answer_options.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "tools/command_options.hpp"
#include "tools/option_readers.hpp"
#include "tools/stage_options.hpp"

namespace shardy::tools {

void add_explain_options(CLI::App& command, CommandOptions& options) {
  command
      .add_option("--value", options.value,
                  "a value as the file names it: %12, @f:%12, @f/%3/1:%12")
      ->check(refuse_empty);
  command
      .add_option("--function", options.function,
                  "all values of a function, or where the value is: @f")
      ->check(refuse_empty);
  command.add_flag("--all", options.all, "all values");
  command.add_option("--axis", options.report.axis, "what is about a mesh axis")
      ->check(refuse_empty);
  command
      .add_option("--line", options.report.line,
                  "conflicts and values of a place: 12:5, model.py:31")
      ->check(refuse_empty);
  command.add_flag("--conflicts", options.conflicts, "conflicts only");
  add_option(command, "--top", "conflicts, and rows of a table (10); JSON has all",
             integer_into<std::size_t>(options.report.top));
  command.add_flag("--json", options.json, "report as JSON");
  command.add_flag("--strict", options.strict,
                   "conflicts, implicit reshards and replication are errors");
}

namespace {

void add_operation_rate(CLI::App& command, double& operations_per_second) {
  add_option(command, "--operations-per-second", "of a device, for the modelled time (1e14)",
             [&operations_per_second](const std::string& text) {
               const Result<double> rate = read_magnitude(text);
               if (!rate || *rate < 1) return "expected a number from 1 on, got: " + text;
               operations_per_second = *rate;
               return std::string();
             });
}

}  // namespace

void add_report_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--json", options.json, "report as JSON");
  command.add_flag("--memory", options.report.memory,
                   "also what is live at the peak, and the largest values");
  command.add_flag("--why", options.report.why,
                   "also the decisions that led to the collectives that cost most");
  add_operation_rate(command, options.report.operations_per_second);
  command
      .add_option("--timeline", options.timeline,
                  "file for what a device does when, in modelled time: trace events")
      ->check(refuse_empty);
  add_option(command, "--top", "rows of a table (10)",
             integer_into<std::size_t>(options.report.top));
  command.add_option("--axis", options.report.axis, "collectives along a mesh axis")
      ->check(refuse_empty);
  command
      .add_option("--line", options.report.line,
                  "collectives and values of a place: 12:5, model.py")
      ->check(refuse_empty);
  command
      .add_option("--op", options.report.op, "collectives for ops of a kind: stablehlo.dot_general")
      ->check(refuse_empty);
}

namespace {

/// VALUE=SHARDING, as often as wanted.
void add_settings(CLI::App& command, const char* name, const char* help,
                  std::vector<report::Setting>& settings) {
  const auto read = [name, &settings](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::size_t equals = text.find('=');
      if (equals == 0 || equals == std::string::npos) {
        throw CLI::ValidationError(name, "expected VALUE=SHARDING, got: " + text);
      }
      settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
  };
  command.add_option_function<std::vector<std::string>>(name, read, help)->allow_extra_args(false);
}

/// "5%" or "0.05".
std::string read_share(const std::string& text, std::optional<double>& share) {
  const bool is_percent = text.ends_with('%');
  const Result<double> value = read_magnitude(is_percent ? text.substr(0, text.size() - 1) : text);
  if (!value) return value.error().message;
  share = is_percent ? *value / 100 : *value;
  return {};
}

}  // namespace

void add_diff_options(CLI::App& command, CommandOptions& options) {
  command.add_option("OTHER", options.other_file,
                     "the second program, as FILE; without it FILE again");
  add_settings(command, "--before",
               "a sharding of a value of the first program, or none: "
               "%arg0='[{\"x\"}, {}]'",
               options.before);
  add_settings(command, "--after", "the same of the second", options.after);
  add_option(command, "--tolerance",
             "exit status 1 if the second sends, takes or holds more by a larger share: 5%, 0.05",
             [&options](const std::string& text) { return read_share(text, options.worse_by); });
  add_option(command, "--top", "rows of a table (10)",
             integer_into<std::size_t>(options.report.top));
  command.add_flag("--json", options.json, "the differences as JSON");
}

void add_hint_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--apply", options.apply_hint,
                   "write the program with the best hint; with -o the hints are printed, too");
  add_option(
      command, "--top", "hints to print (10)",
      integer_into<std::size_t>(options.hints.top, std::numeric_limits<std::size_t>::max(), 1));
  add_option(command, "--tries", "changes that are compiled and priced, at most (400)",
             integer_into<std::size_t>(options.hints.max_tries,
                                       std::numeric_limits<std::size_t>::max(), 1));
  command.add_flag("--tie", options.hints.tie,
                   "a result and the first argument of its type keep one sharding, as in a train "
                   "step; those of donated arguments do always");
  add_operation_rate(command, options.hints.operations_per_second);
  add_option(command, "--max-peak-bytes", "no hints with which a device holds more at its peak",
             bytes_into(options.hints.max_peak_bytes));
  add_option(command, "--threads", "worker threads; 0 is one per core",
             integer_into<int64_t>(options.hints.num_threads));
  command.add_flag("--json", options.json, "the hints as JSON");
}

void add_sweep_options(CLI::App& command, SweepOrder& order) {
  CommandOptions& program = order.program;
  add_file(command, program)->required();
  add_settings(command, "--set",
               "a sharding of a value, or none: several of one value are alternatives, and all "
               "choices are tried: %arg0='[{\"x\"}, {}]'",
               order.set);
  command
      .add_option("--strategies", order.strategies,
                  "file with a strategy a line: {\"name\": ..., \"set\": {\"%arg0\": ...}}")
      ->check(refuse_empty);
  add_option(command, "--random", "strategies that shard arguments and results at random",
             integer_into<std::size_t>(order.random, report::kMaxStrategies));
  add_option(command, "--seed", "of the first random strategy (0), and of the inputs of checks",
             integer_into<uint64_t>(order.seed));
  command.add_option("-o,--output", order.output, "file for the lines; - is standard output")
      ->check(refuse_empty);
  command.add_flag("--resume", order.resume, "go on with the lines of --output");
  command.add_option("--front", order.front, "file for the lines of the Pareto front")
      ->check(refuse_empty);
  add_option(command, "--threads", "strategies at a time; 0 is one per core (default)",
             integer_into<int64_t>(order.options.num_threads, 4096));
  command.add_flag("--shardings", order.options.shardings,
                   "also what arguments and results have after propagation");
  command.add_flag("--check", order.options.check,
                   "also run each program and compare it with the unsharded run");
  add_operation_rate(command, order.options.operations_per_second);
  add_import_option(command, program, false);
  add_propagation_options(command, program);
  add_resharding_options(command, program);
  add_collective_options(command, program);
}

void add_show_options(CLI::App& command, ShowQuestion& question) {
  CommandOptions& program = question.program;
  add_file(command, program);
  command
      .add_option("--value", program.value,
                  "a value as the file names it: %12, @f:%12, @f/%3/1:%12, model.py:31")
      ->check(refuse_empty);
  command.add_option("--function", program.function, "where the value is: @f")->check(refuse_empty);
  add_option(command, "--step", "what the value has after that step of propagation; start: before",
             [&question](const std::string& text) {
               question.step = -1;
               if (text == "start") return std::string();
               const Result<int64_t> step = read_integer<int64_t>(text);
               if (step) question.step = *step;
               return step ? std::string() : "expected start or a step, got: " + text;
             });
  command.add_option("--mesh", question.mesh, R"(without FILE: axes and sizes, <["x"=2, "y"=3]>)");
  command.add_option("--shape", question.shape, "without FILE: of the global tensor, 24x24");
  command.add_option("--sharding", question.sharding, R"(without FILE: [{"x"}, {"y"}])");
  add_option(command, "--limit",
             "rows, columns and slices that are drawn (16, and what fits a line)",
             [&question](const std::string& text) {
               const Result<std::size_t> limit = read_integer<std::size_t>(text, 1, 64);
               if (!limit) return limit.error().message;
               question.limit = *limit;
               return std::string();
             });
  command.add_flag("--json", program.json, "who holds what as JSON");
  add_import_option(command, program, false);
  add_propagation_options(command, program);
}

}  // namespace shardy::tools
