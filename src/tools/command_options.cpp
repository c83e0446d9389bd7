#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/resharding/cost.hpp"
#include "shardy/support/result.hpp"
#include "tools/command_model.hpp"
#include "tools/commands.hpp"
#include "tools/usage.hpp"

namespace shardy::tools {

// Options of stages that several commands run.

namespace {

/// Returns an error for an empty name, which would be the same as no name.
inline std::string refuse_empty(const std::string& text) {
  return text.empty() ? "expected a non-empty text" : "";
}

/// Parses the value of an option. Returns the error; empty for valid text.
using ReadOption = std::function<std::string(const std::string&)>;

/// Adds an option whose value `read` parses. The parser of the library would accept overflow, octal
/// digits and NaN.
inline CLI::Option* add_option(CLI::App& command, const char* name, const char* help,
                               ReadOption read) {
  const auto ignore = [](const std::string&) {};
  return command.add_option_function<std::string>(name, ignore, help)->check(std::move(read));
}

/// Returns a function that parses an integer from `least` to `most`.
template <std::integral Int, class Target>
ReadOption integer_into(Target& target, Int most = std::numeric_limits<Int>::max(), Int least = 0) {
  return [&target, most, least](const std::string& text) {
    const Result<Int> value = read_integer<Int>(text, least, most);
    if (!value) return value.error().message;
    target = *value;
    return std::string();
  };
}

/// Returns a function that parses a number of bytes such as "5MB".
template <class Target>
ReadOption bytes_into(Target& target) {
  return [&target](const std::string& text) {
    const Result<int64_t> bytes = read_bytes(text);
    if (!bytes) return bytes.error().message;
    target = *bytes;
    return std::string();
  };
}

/// Checks the costs of mesh axes. The commands parse the text again.
std::string check_axis_costs(const std::string& text) {
  const auto model = parse_cost_model(text);
  return model ? "" : model.error().message;
}

CLI::Option* add_file(CLI::App& command, CommandOptions& options) {
  return command.add_option(
      "FILE", options.file,
      "MLIR text or a JSON graph, detected by its content; - reads standard input");
}

/// Adds the option that imports shardings of other forms. `convert` keeps such shardings by
/// default.
void add_import_option(CLI::App& command, CommandOptions& options, bool is_convert) {
  using passes::ImportForm;
  const auto choose = [&options](const std::string& text) {
    options.import_form = text == "gspmd"        ? ImportForm::Gspmd
                          : text == "round-trip" ? ImportForm::RoundTrip
                          : text == "none"       ? ImportForm::None
                                                 : ImportForm::Auto;
  };
  allow_only(
      command.add_option_function<std::string>(
          "--import", choose,
          is_convert ? "convert mhlo.sharding and xla.sdy attributes to sdy"
                     : "format of shardings to import: auto (default), gspmd, round-trip, none"),
      {"auto", "gspmd", "round-trip", "none"});
}

/// Adds the option that selects the form of written shardings.
void add_export_option(CLI::App& command, CommandOptions& options) {
  using passes::ExportForm;
  const auto choose = [&options](const std::string& text) {
    options.export_form = text == "sdy"                             ? ExportForm::Sdy
                          : text == "gspmd" || text == "mhlo"       ? ExportForm::Gspmd
                          : text == "gspmd-v3" || text == "mhlo-v3" ? ExportForm::GspmdNamed
                          : text.ends_with("-v3")                   ? ExportForm::RoundTripNamed
                                                                    : ExportForm::RoundTrip;
  };
  allow_only(command.add_option_function<std::string>(
                 "--to,--shardings", choose,
                 "how shardings are written: sdy, mhlo (gspmd), mhlo-v3 (gspmd-v3), sdy-round-trip "
                 "(round-trip), sdy-round-trip-v3 (round-trip-v3)"),
             {"sdy", "mhlo", "gspmd", "mhlo-v3", "gspmd-v3", "sdy-round-trip", "round-trip",
              "sdy-round-trip-v3", "round-trip-v3"});
}

/// Adds the options of all commands that run propagation.
void add_propagation_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--dedup-functions-fully",
                   options.stages.compile.pipeline.importing.dedup_functions_fully,
                   "one sharding assignment per function, shared by all its calls");
  add_rule_options(command, options.context);
}

void add_plan_kind(CLI::App& command, const char* name, const char* help, PlanKind& kind) {
  const auto choose = [&kind](const std::string& text) {
    kind = text == "best" ? PlanKind::Best : PlanKind::Reference;
  };
  allow_only(command.add_option_function<std::string>(name, choose, help), {"reference", "best"});
}

void add_resharding_options(CLI::App& command, CommandOptions& options) {
  passes::ReshardChoice& choice = options.stages.compile.pipeline.exporting.resharding;
  add_plan_kind(
      command, "--resharding",
      "collectives of reshards: as in Shardy (reference), or the cheapest (best, the default)",
      choice.plans);
  add_plan_kind(
      command, "--common-axes",
      "common sharding of the tensors of an op: as in Shardy (reference, the default), or the "
      "cheapest (best)",
      choice.common_axes);
  command
      .add_option("--axis-cost", choice.axis_costs,
                  "links, bandwidth and latency of mesh axes: x=ring:100GB/s:1us,y=full")
      ->check(check_axis_costs);
}

constexpr const char* kCollectiveRules = "--optimize-collectives";

/// Parses "none", "all", or names of rules. Throws WrongValue for other text.
std::string read_collective_rules(const std::string& text,
                                  std::optional<std::vector<std::string>>& rules) {
  std::vector<std::string> all = checking::all_collective_rules();
  if (text == "all") {
    rules = all;
    return "";
  }
  rules.emplace();
  if (text == "none") return "";
  for (const std::string& name : CLI::detail::split(text, ',')) {
    if (name == "none" || name == "all") return name + " cannot be combined with other rules";
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      all.insert(all.begin(), {"none", "all"});
      throw no_such(kCollectiveRules, "rule", name, all);
    }
    rules->push_back(name);
  }
  return "";
}

void add_collective_options(CLI::App& command, CommandOptions& options) {
  checking::CollectiveOptions& collectives = options.stages.compile.collectives;
  add_option(command, kCollectiveRules,
             "rewrites that reduce the bytes sent by collectives: none, all (default with "
             "--resharding=best), or rules separated by commas",
             [&collectives](const std::string& text) {
               return read_collective_rules(text, collectives.rules);
             });
  add_option(command, "--combine-bytes",
             "maximum total bytes of all-reduces that are combined into one (65536)",
             bytes_into(collectives.combine_bytes));
  add_option(command, "--max-gather-bytes",
             "dots whose gathered operand has more bytes become loops; 0: all dots",
             bytes_into(collectives.max_gather_bytes));
  const auto read_live = bytes_into(options.context.runs.limits.max_bytes);
  const auto read_device = bytes_into(collectives.device_bytes);
  add_option(command, "--max-bytes", "maximum live bytes per device",
             [read_live, read_device](const std::string& text) {
               std::string error = read_live(text);
               return error.empty() ? read_device(text) : error;
             });
}

}  // namespace

void add_explain_options(CLI::App& command, CommandOptions& options) {
  command
      .add_option("--value", options.value, "name of a value in the file: %12, @f:%12, @f/%3/1:%12")
      ->check(refuse_empty);
  command
      .add_option("--function", options.function,
                  "all values of a function, or the function of the value: @f")
      ->check(refuse_empty);
  command.add_flag("--all", options.all, "all values");
  command.add_option("--axis", options.report.axis, "only conflicts and values of this mesh axis")
      ->check(refuse_empty);
  command
      .add_option("--line", options.report.line,
                  "only conflicts and values at a location: 12:5, model.py:31")
      ->check(refuse_empty);
  command.add_flag("--conflicts", options.conflicts, "conflicts only");
  add_option(command, "--top",
             "maximum number of conflicts, and of rows per table (10); --json prints all",
             integer_into<std::size_t>(options.report.top));
  command.add_flag("--json", options.json, "report as JSON");
  command.add_flag("--strict", options.strict,
                   "conflicts, implicit reshards and replication are errors");
}

namespace {

void add_operation_rate(CLI::App& command, double& operations_per_second) {
  add_option(command, "--operations-per-second",
             "operations per second of a device, for the modelled time (1e14)",
             [&operations_per_second](const std::string& text) {
               const Result<double> rate = read_magnitude(text);
               if (!rate || *rate < 1) return "expected a number from 1 on, got: " + text;
               operations_per_second = *rate;
               return std::string();
             });
}

/// Adds an option for a number of bytes per second: 0 or a number from 1 on.
void add_byte_rate(CLI::App& command, const char* name, const char* help, double& rate) {
  add_option(command, name, help, [&rate](const std::string& text) {
    const Result<double> read = read_magnitude(text);
    if (!read || (*read != 0 && *read < 1)) {
      return "expected 0 or a number from 1 on, got: " + text;
    }
    rate = *read;
    return std::string();
  });
}

void add_memory_rate(CLI::App& command, report::DeviceRates& rates) {
  add_byte_rate(
      command, "--memory-bytes-per-second",
      "bytes per second that ops read and write, for the modelled time; 0 (default): no limit",
      rates.memory_bytes_per_second);
}

void add_hidden_share(CLI::App& command, report::DeviceRates& rates) {
  add_option(command, "--hide",
             "weights:SHARE: this share of the time of two kinds of collectives costs nothing: "
             "collectives on arguments (weights), and reductions just before results (gradients) "
             "(weights:0)",
             [&rates](const std::string& text) {
               constexpr std::string_view kWeights = "weights:";
               const bool has_kind = text.starts_with(kWeights);
               const Result<double> share =
                   read_magnitude(has_kind ? text.substr(kWeights.size()) : text);
               if (!has_kind || !share || *share > 1) {
                 return "expected weights:SHARE with a share from 0 to 1, got: " + text;
               }
               rates.hidden_share = *share;
               return std::string();
             });
}

/// Adds the options of the modelled time: rates of a device, and hidden collectives.
void add_device_rates(CLI::App& command, report::DeviceRates& rates) {
  add_operation_rate(command, rates.operations_per_second);
  add_memory_rate(command, rates);
  add_hidden_share(command, rates);
}

}  // namespace

void add_report_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--json", options.json, "report as JSON");
  command.add_flag("--memory", options.report.memory,
                   "also values that are live at the peak, and the largest values");
  command.add_flag("--why", options.report.why,
                   "also the decisions that caused the most expensive collectives");
  add_device_rates(command, options.report.rates);
  command
      .add_option("--timeline", options.timeline,
                  "file for the modelled timeline of a device, as trace events")
      ->check(refuse_empty);
  add_option(command, "--top", "maximum number of rows per table (10)",
             integer_into<std::size_t>(options.report.top));
  command.add_option("--axis", options.report.axis, "only collectives along a mesh axis")
      ->check(refuse_empty);
  command
      .add_option("--line", options.report.line,
                  "only collectives and values at a location: 12:5, model.py")
      ->check(refuse_empty);
  command
      .add_option("--op", options.report.op,
                  "only collectives for ops of a kind: stablehlo.dot_general")
      ->check(refuse_empty);
}

namespace {

/// Adds an option VALUE=SHARDING that may occur several times.
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

/// Parses "5%" or "0.05".
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
                     "the second program, in any format of FILE; default: FILE");
  add_settings(command, "--before",
               "a sharding of a value of the first program, or none: "
               "%arg0='[{\"x\"}, {}]'",
               options.before);
  add_settings(command, "--after", "a sharding of a value of the second program, or none",
               options.after);
  add_option(command, "--tolerance",
             "exit status 1 if bytes, time or peak memory grow by more than this share: 5%, 0.05",
             [&options](const std::string& text) { return read_share(text, options.worse_by); });
  add_option(command, "--top", "maximum number of rows per table (10)",
             integer_into<std::size_t>(options.report.top));
  command.add_flag("--equal-layers", options.report.equal_layers,
                   "compile few of the equal layers of each program");
  command.add_flag("--json", options.json, "the differences as JSON");
}

void add_hint_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--apply", options.apply_hint,
                   "write the program with the best hint; with -o the hints are printed, too");
  add_option(
      command, "--top", "hints to print (10)",
      integer_into<std::size_t>(options.hints.top, std::numeric_limits<std::size_t>::max(), 1));
  add_option(command, "--tries", "maximum number of changes to compile and measure (400)",
             integer_into<std::size_t>(options.hints.max_tries,
                                       std::numeric_limits<std::size_t>::max(), 1));
  command.add_flag_callback(
      "--whole",
      [&options] { options.hints.least_folded_ops = std::numeric_limits<std::size_t>::max(); },
      "compile each change in the whole program, also in a program with many equal layers");
  command.add_flag("--tie", options.hints.tie,
                   "each result gets the sharding of the first argument of its type, as in a "
                   "training step; results of donated arguments always do");
  add_operation_rate(command, options.hints.operations_per_second);
  add_option(command, "--max-peak-bytes",
             "only hints whose peak memory per device is at most BYTES",
             bytes_into(options.hints.max_peak_bytes));
  add_option(command, "--threads", "worker threads; 0 is one per core",
             integer_into<int64_t>(options.hints.num_threads));
  command.add_flag("--json", options.json, "the hints as JSON");
}

namespace {

/// Adds the options that select the annotations that a search keeps or changes.
void add_search_annotations(CLI::App& command, autoshard::AutoshardOptions& search) {
  add_settings(command, "--fix", "fix the sharding of a value in the result: %arg0='[{\"x\"}, {}]'",
               search.fix);
  command.add_option("--free", search.free, "a value whose annotation may change: %arg0, result 0")
      ->allow_extra_args(false)
      ->check(refuse_empty);
  command.add_flag("--ignore-annotations", search.ignore_annotations, "all annotations may change");
  const auto read = [&search](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const std::size_t equals = text.find('=');
      if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
        throw CLI::ValidationError("--tie", "expected RESULT=ARGUMENT, got: " + text);
      }
      search.ties.push_back({text.substr(0, equals), text.substr(equals + 1)});
    }
  };
  command
      .add_option_function<std::vector<std::string>>(
          "--tie", read, "give a result the sharding of an argument: 'result 0=%arg0'")
      ->allow_extra_args(false);
  command
      .add_option("--untie", search.untie,
                  "let a result have another sharding than the argument whose buffer it takes")
      ->allow_extra_args(false)
      ->check(refuse_empty);
}

/// Adds the options with files of the problem that autoshard solves.
void add_problem_files(CLI::App& command, CommandOptions& options) {
  ProblemFiles& files = options.problem;
  command.get_option("FILE")->required(false);
  command
      .add_option("--problem", files.problem,
                  "JSON file with a problem to solve instead of a program; prices have the units "
                  "of the file")
      ->check(refuse_empty)
      ->excludes("FILE");
  command
      .add_option("--solution", files.solution,
                  "file with a choice for the problem: print its price and its program")
      ->check(refuse_empty);
  command.add_option("--export-problem", files.export_problem, "file for the problem, as JSON")
      ->check(refuse_empty);
  command
      .add_option("--export-lp", files.export_lp,
                  "file for the problem as a mixed integer program, in CPLEX LP text")
      ->check(refuse_empty);
}

/// Adds the options that limit the work of a search.
void add_search_work(CLI::App& command, autoshard::AutoshardOptions& search) {
  const auto choose = [&search](const std::string& text) { search.all_orders = text == "all"; };
  command
      .add_option_function<std::string>("--orders", choose,
                                        "orders of axes in a dim: all (default), or as in the mesh")
      ->check(CLI::IsMember({"all", "mesh"}));
  add_option(command, "--effort", "maximum number of sweeps of the solver (400)",
             integer_into<int64_t>(search.effort, std::numeric_limits<int64_t>::max(), 1));
  add_option(
      command, "--candidates", "maximum number of choices to compile (24)",
      integer_into<std::size_t>(search.candidates, std::numeric_limits<std::size_t>::max(), 1));
  add_option(command, "--uneven",
             "largest share of a dim that is padding if axes do not divide the dim (0.125)",
             [&search](const std::string& text) {
               const Result<double> share = read_magnitude(text);
               if (!share || *share >= 1) return "expected a share from 0 to 1, got: " + text;
               search.uneven = *share;
               return std::string();
             });
  add_option(command, "--threads", "worker threads; 0 is one per core",
             integer_into<int64_t>(search.num_threads, 4096));
}

}  // namespace

void add_autoshard_options(CLI::App& command, CommandOptions& options) {
  autoshard::AutoshardOptions& search = options.autoshard;
  command.add_flag("--apply", options.apply_hint,
                   "write the annotated program; with -o the summary is printed, too");
  command.add_flag(
      "--patch", options.patch,
      "print a unified diff from FILE to the annotated program, instead of the summary");
  add_option(command, "--time-limit", "seconds after which the search ends with the best so far",
             [&options](const std::string& text) {
               const Result<double> seconds = read_magnitude(text);
               if (!seconds || *seconds <= 0) return "expected seconds above 0, got: " + text;
               options.time_limit = *seconds;
               return std::string();
             });
  command.add_option("--mesh", options.mesh, R"(the mesh: <["data"=8, "model"=16]>)")
      ->check(refuse_empty);
  add_option(command, "--memory", "maximum peak memory per device, in bytes (default: no limit)",
             bytes_into(search.memory));
  add_option(command, "--front", "print at most N Pareto-optimal programs (time, peak memory)",
             integer_into<std::size_t>(options.front, 1000, 1))
      ->type_name("N");
  command.add_option("--view", options.view, "file for a page with the chart of --front")
      ->check(refuse_empty);
  add_search_annotations(command, search);
  add_device_rates(command, search.rates);
  add_byte_rate(command, "--feed",
                "bytes per second from the host, for arguments that are not tied to a result; 0 "
                "(default): free",
                search.feed_bytes_per_second);
  add_search_work(command, search);
  command.add_flag("--explain", search.reasons,
                   "also the next best sharding of each annotation, its price, and the price "
                   "without the annotation");
  add_problem_files(command, options);
  command.add_flag("--json", options.json, "the result as JSON");
}

void add_view_options(CLI::App& command, CommandOptions& options) {
  command.add_option("OTHER", options.other_file, "a second program to compare with, as FILE");
  add_settings(
      command, "--before",
      "compare: a sharding of a value of the first program, or none: %arg0='[{\"x\"}, {}]'",
      options.before);
  add_settings(command, "--after", "compare: a sharding of a value of the second program, or none",
               options.after);
  const auto name_output = [&options](const std::string& path) {
    options.output = path;
    options.has_output = true;
  };
  command
      .add_option_function<std::string>("-o,--output", name_output,
                                        "output file; - is standard output (a page: FILE.html in "
                                        "the current folder, other formats: standard output)")
      ->check(refuse_empty);
  allow_only(command.add_option("--format", options.view_format,
                                "html (default): the page; json: its data; dot: the graph for "
                                "Graphviz; model-explorer: the graph for Model Explorer"),
             {"html", "json", "dot", "model-explorer"});
  command.add_flag("--hints", options.with_hints,
                   "also the changes of one annotation that make the program cheaper");
  command.add_flag("--why", options.report.why,
                   "also the decisions that caused the most expensive collectives");
  add_device_rates(command, options.report.rates);
}

void add_sweep_options(CLI::App& command, SweepOrder& order) {
  CommandOptions& program = order.program;
  add_file(command, program)->required();
  add_settings(command, "--set",
               "a sharding of a value, or none; several for one value are alternatives, and all "
               "combinations are tried: %arg0='[{\"x\"}, {}]'",
               order.set);
  command
      .add_option("--strategies", order.strategies,
                  "file with one strategy per line: {\"name\": ..., \"set\": {\"%arg0\": ...}}")
      ->check(refuse_empty);
  add_option(command, "--random",
             "number of strategies with random shardings of arguments and results",
             integer_into<std::size_t>(order.random, report::kMaxStrategies));
  command.add_flag("--equal-layers", order.options.equal_layers,
                   "annotate corresponding values of equal layers alike, and compile few of the "
                   "layers");
  add_option(command, "--seed",
             "seed of the first random strategy (0), and of the inputs of checks",
             integer_into<uint64_t>(order.seed));
  command.add_option("-o,--output", order.output, "file for the lines; - is standard output")
      ->check(refuse_empty);
  command.add_flag("--resume", order.resume, "continue after the lines of --output");
  command.add_option("--front", order.front, "file for the lines of the Pareto front")
      ->check(refuse_empty);
  command.add_option("--view", order.view, "file for a page with the chart of all strategies")
      ->check(refuse_empty);
  add_option(command, "--threads", "strategies in parallel; 0 is one per core (default)",
             integer_into<int64_t>(order.options.num_threads, 4096));
  command.add_flag("--shardings", order.options.shardings,
                   "also the shardings of arguments and results after propagation");
  command.add_flag("--check", order.options.check,
                   "also run each program and compare it with the unsharded run");
  add_operation_rate(command, order.options.operations_per_second);
  add_import_option(command, program, false);
  add_propagation_options(command, program);
  add_resharding_options(command, program);
  add_collective_options(command, program);
}

void add_show_options(CLI::App& command, ShowRequest& request) {
  CommandOptions& program = request.program;
  add_file(command, program);
  command
      .add_option("--value", program.value,
                  "name of a value in the file: %12, @f:%12, @f/%3/1:%12, model.py:31")
      ->check(refuse_empty);
  command.add_option("--function", program.function, "function of the value: @f")
      ->check(refuse_empty);
  add_option(command, "--step",
             "sharding after that step of propagation; start: before propagation",
             [&request](const std::string& text) {
               request.step = -1;
               if (text == "start") return std::string();
               const Result<int64_t> step = read_integer<int64_t>(text);
               if (step) request.step = *step;
               return step ? std::string() : "expected start or a step, got: " + text;
             });
  command.add_option("--mesh", request.mesh,
                     R"(without FILE: axes and their sizes, <["x"=2, "y"=3]>)");
  command.add_option("--shape", request.shape, "without FILE: shape of the global tensor, 24x24");
  command.add_option("--sharding", request.sharding,
                     R"(without FILE: the sharding, [{"x"}, {"y"}])");
  add_option(command, "--limit",
             "maximum number of rows, columns and slices (default: 16, but only as many columns as "
             "fit on a line)",
             [&request](const std::string& text) {
               const Result<std::size_t> limit = read_integer<std::size_t>(text, 1, 64);
               if (!limit) return limit.error().message;
               request.limit = *limit;
               return std::string();
             });
  command.add_flag("--json", program.json, "shards of each device as JSON");
  command.add_option("--svg", request.svg, "file for the picture as SVG; - is standard output")
      ->check(refuse_empty);
  add_import_option(command, program, false);
  add_propagation_options(command, program);
}

namespace {

/// Parses "2x4" as replicas and partitions.
std::string read_grid(const std::string& text, CommandOptions& options) {
  const Result<IntegerPair> sizes = read_pair(text);
  if (!sizes) return "expected REPLICASxPARTITIONS, got: " + text;
  simulation::ProcessGrid grid;
  grid.num_replicas = sizes->first;
  grid.num_partitions = sizes->second;
  if (!grid.is_usable()) {
    return "expected 1 to " + std::to_string(grid.kMaxSize) + " processes, got: " + text;
  }
  options.stages.run.grid = grid;
  return {};
}

std::string read_tolerance(const std::string& text, CommandOptions& options) {
  const Result<double> value = read_magnitude(text);
  if (!value) return value.error().message;
  options.stages.tolerance = *value;
  return {};
}

void add_limits(CLI::App& command, CommandOptions& options) {
  simulation::RunLimits& limits = options.context.runs.limits;
  add_option(command, "--max-steps", "maximum number of steps per device",
             integer_into<int64_t>(limits.max_steps));
  add_option(command, "--max-iterations", "maximum number of iterations of a loop",
             integer_into<int64_t>(limits.max_iterations));
  add_option(command, "--max-trace-bytes", "maximum memory of the events of --trace, in bytes",
             bytes_into(options.max_trace_bytes));
}

void add_run_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--reference", options.reference, "run unsharded only");
  command.add_flag("--full", options.full, "print all elements of large results");
  allow_only(
      command.add_option_function<std::string>(
          "--buffers",
          [&options](const std::string& text) { options.local_buffers = text == "local"; },
          "values of a per-device program: global tensors (global, the default), or the buffers of "
          "all devices in a leading dim"),
      {"global", "local"});
  command.add_option("--output-dir", options.output_dir, "folder for the results as .npy")
      ->check(refuse_empty);
  command
      .add_option("--trace", options.trace,
                  "file for the timeline of the run, as Chrome trace events (Perfetto)")
      ->check(refuse_empty);
  allow_only(
      command.add_option_function<std::string>(
          "--engine", [&options](const std::string& text) { options.mpi = text == "mpi"; },
          "engine of the devices: threads (default), or mpi: the ranks of mpirun, with threads"),
      {"threads", "mpi"});
  add_option(command, "--rank-timeout",
             "with --engine=mpi: seconds without a message after which a rank has failed (5)",
             integer_into<int64_t>(options.rank_timeout, 86400));
  command.add_flag(
      "--shard-files", options.shard_files,
      "with --engine=mpi: one result file per device instead of one file that all ranks write");
  command.add_flag("--check-by-rows", options.check_by_rows,
                   "with --engine=mpi: compare with a run sharded by rows instead of an unsharded "
                   "run on each rank");
  command.add_flag("--smaller-dims,!--no-smaller-dims", options.stages.smaller_dims,
                   "compare large programs over a prime field with smaller dims of equal "
                   "structure (default)");
  command.add_flag("--split-input-file", options.split,
                   "the file holds several programs, separated by lines `// -----`");
  command.add_flag("--strict-nan", options.stages.run.kernels.strict_nan,
                   "in check.expect_eq, NaN differs from NaN");
  add_option(command, "--grid", "replicas and partitions for StableHLO collectives: 2x4",
             [&options](const std::string& text) { return read_grid(text, options); });
  add_limits(command, options);
}

void add_inputs(CLI::App& command, CommandOptions& options) {
  command.add_option(
      "--input", options.inputs,
      "file with the value of the next argument (.npy, .json) or of all arguments (.npz)");
  add_option(command, "--threads", "worker threads; 0 is one per core",
             integer_into<int32_t>(options.stages.run.num_workers));
  add_option(command, "--tolerance", "relative tolerance of floats",
             [&options](const std::string& text) { return read_tolerance(text, options); });
  command.add_flag("--exact,!--no-exact", options.stages.exact,
                   "compare over a prime field, too, bit by bit (default)");
  command.add_flag("--f64,!--no-f64", options.stages.wide,
                   "compare narrower floats in f64, too (default)");
  command.add_flag("--json", options.json, "report as JSON");
}

void add_check_options(CLI::App& command, CommandOptions& options) {
  add_option(command, "--cases", "shardings to try (100)",
             integer_into<int64_t>(options.cases, std::numeric_limits<int64_t>::max(), 1));
  add_option(command, "--seed", "seed of the first case (0), of inputs, and of rng",
             integer_into<uint64_t>(options.stages.run.kernels.seed));
  add_option(command, "--max-devices", "devices of the largest mesh (12)",
             integer_into<int64_t>(options.max_devices, 4096));
  command
      .add_option("--reduce", options.reduce,
                  "if the program fails: file for a reduced program that fails, too")
      ->check(refuse_empty);
  add_option(command, "--reduce-runs", "maximum number of programs that --reduce tries (5000)",
             integer_into<int64_t>(options.reduce_runs));
  add_inputs(command, options);
  add_limits(command, options);
}

void add_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  add_file(command, options)->required();
  add_import_option(command, options, !row.propagates);
  if (row.propagates) add_propagation_options(command, options);
  if (row.writes) {
    command.add_option("-o,--output", options.output, "output file; - is standard output");
    allow_only(command.add_option("--emit", options.emit,
                                  "format of the output; default: by its name, else as the input"),
               {"json", "mlir"});
    command.add_flag("--generic", options.generic, "MLIR in generic form, for any MLIR parser");
    add_export_option(command, options);
  }
  if (!row.runs) return;
  command.add_flag("--check", options.stages.compare, "also run unsharded and compare");
  command
      .add_option("--devices", options.devices,
                  "sizes of mesh axes instead of those in the file: x=2,y=4")
      ->check(refuse_empty);
  add_option(command, "--seed", "seed of the random inputs, and of rng",
             integer_into<uint64_t>(options.stages.run.kernels.seed));
  add_inputs(command, options);
  add_run_options(command, options);
}

void add_partition_options(CLI::App& command, CommandOptions& options) {
  partitioning::PartitionOptions& partition = options.stages.compile.partition;
  command.add_flag_callback(
      "--divisible-io", [&partition] { partition.io_padding = partitioning::IoPadding::Divisible; },
      "refuse arguments and results with dims that their axes do not divide");
  command.add_flag("--json", options.json, "report replicated values as JSON; needs -o");
  const auto choose = [&partition](const std::string& text) {
    partition.stablehlo.reset();
    if (text == "stablehlo") partition.stablehlo.emplace();
  };
  CLI::Option* const collectives =
      allow_only(command.add_option_function<std::string>(
                     "--collectives", choose,
                     "collectives of the output: spmd ops over mesh axes "
                     "(default), or StableHLO collectives, for other compilers"),
                 {"spmd", "stablehlo"});
  const auto choose_groups = [&partition](const std::string& text) {
    if (text == "mesh" && partition.stablehlo) {
      partition.stablehlo->groups = partitioning::ReplicaGroupsForm::Mesh;
    }
  };
  allow_only(command.add_option_function<std::string>(
                 "--replica-groups", choose_groups,
                 "with --collectives=stablehlo: lists of devices (default), or axes of a mesh"),
             {"list", "mesh"})
      ->needs(collectives);
  const auto choose_chlo = [&options](const std::string& text) {
    options.lowers_chlo = text == "lower";
  };
  allow_only(command.add_option_function<std::string>(
                 "--chlo", choose_chlo,
                 "with --collectives=stablehlo: keep CHLO ops (default), or lower "
                 "them to StableHLO"),
             {"keep", "lower"})
      ->needs(collectives);
}

/// Adds the options that only some commands have.
void add_own_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  const std::string_view name = row.name;
  if (row.runs || name == "partition" || name == "check" || name == "report" || name == "diff" ||
      name == "hints" || name == "autoshard" || name == "view") {
    add_resharding_options(command, options);
    add_collective_options(command, options);
  }
  if (name == "partition") add_partition_options(command, options);
  if (name == "partition" || row.runs) {
    command.add_flag("--show-rewrites", options.show_rewrites,
                     "print the rewritten collectives, and the bytes saved");
    command.add_flag("--strict", options.stages.compile.strict,
                     "replication beyond the given shardings is an error");
  }
  if (name == "report") add_report_options(command, options);
  if (name == "diff") add_diff_options(command, options);
  if (name == "view") add_view_options(command, options);
  if (name == "hints") add_hint_options(command, options);
  if (name == "autoshard") add_autoshard_options(command, options);
  if (name == "check") add_check_options(command, options);
  if (name == "explain") add_explain_options(command, options);
}

}  // namespace

void add_soak_options(CLI::App& command, SoakOptions& order) {
  command.add_option("FILES", order.files, "programs to check in turn with the random ones");
  add_option(command, "--first", "seed of the first case (0)", integer_into<uint64_t>(order.first));
  add_option(command, "--cases", "cases, each with the next seed (100000)",
             integer_into<int64_t>(order.cases, std::numeric_limits<int64_t>::max(), 1));
  add_option(command, "--max-devices", "devices of the largest mesh (12)",
             integer_into<int64_t>(order.max_devices, 4096));
  add_option(command, "--threads", "worker threads (1); 0 is one per core",
             integer_into<int64_t>(order.threads));
  const std::map<std::string, SoakKind> kinds = {
      {"mixed", SoakKind::Mixed},
      {"manual-axes", SoakKind::ManualAxes},
      {"manual-collectives", SoakKind::ManualCollectives},
      {"meshes", SoakKind::Meshes},
      {"batch-norms", SoakKind::BatchNorms}};
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const auto& [name, kind] : kinds) names.push_back(name);
  const auto choose = [&order, kinds](const std::string& name) { order.kind = kinds.at(name); };
  allow_only(
      command.add_option_function<std::string>("--kind", choose,
                                               "random programs: mixed (default), manual-axes, "
                                               "manual-collectives, meshes, batch-norms"),
      names);
  command
      .add_option("--findings", order.findings,
                  "folder for small programs that fail, by their seeds")
      ->check(refuse_empty);
}

void add_reshard_options(CLI::App& command, ReshardRequest& request) {
  command.add_option("--mesh", request.mesh, R"(axes and their sizes: <["x"=2, "y"=3]>)")
      ->required();
  command.add_option(
      "--to-mesh", request.to_mesh,
      "mesh of the target, with the axes of --mesh in another device order (default: --mesh)");
  command.add_option("--shape", request.shape, "shape of the global tensor: 24x24xf32")->required();
  command.add_option("--from", request.from, R"(source sharding: [{"x"}, {"y"}])")->required();
  command.add_option("--to", request.to, R"(target sharding: [{"y"}, {}])")->required();
  command
      .add_option("--axis-cost", request.axis_cost,
                  "links, bandwidth and latency of mesh axes: x=ring:100GB/s:1us,y=full")
      ->check(check_axis_costs);
  add_option(command, "--max-live-bytes",
             "maximum bytes of input and output of a step of the best plan; 0 (default): no limit",
             bytes_into(request.max_live_bytes));
  command.add_flag("--json", request.json, "report as JSON");
}

void add_command_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  add_options(command, row, options);
  add_own_options(command, row, options);
}

namespace {

/// Returns the given options, such as `--seed=3`, except options in `others`.
std::vector<std::string> given_words(const CLI::App& command, std::span<const char* const> others) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_single_name();
    const std::string dashed = option->get_positional() ? name : "--" + name;
    if (option->count() == 0 || std::ranges::find(others, dashed) != others.end()) continue;
    for (const std::string& value : option->results()) {
      words.push_back(dashed);
      words.back().append("=").append(value);
    }
  }
  return words;
}

std::string given_flags(const CLI::App& command, std::span<const char* const> others) {
  std::string flags;
  for (const std::string& word : given_words(command, others)) flags += " " + word;
  return flags;
}

}  // namespace

std::string flags_of_sweep(const CLI::App& command) {
  constexpr std::array kOthers = {"FILE",           "--set",    "--strategies", "--random",
                                  "--equal-layers", "--output", "--front",      "--view",
                                  "--resume",       "--threads"};
  return given_flags(command, kOthers);
}

std::string flags_of_view(const CLI::App& command) {
  std::string flags = given_flags(command, std::array{"FILE", "OTHER", "--output", "--format"});
  if (const CLI::Option* other = command.get_option_no_throw("OTHER"); other->count() > 0) {
    flags = " " + other->results().front() + flags;
  }
  return flags;
}

std::vector<std::string> search_words_of(const CLI::App& command) {
  constexpr std::array kOthers = {"FILE",      "--apply",  "--patch", "--output",
                                  "--front",   "--view",   "--json",  "--threads",
                                  "--explain", "--memory", "--feed",  "--time-limit"};
  return given_words(command, kOthers);
}

std::string flags_for_run(const CLI::App& command) {
  constexpr std::array kOthers = {"FILE",          "--cases", "--max-devices", "--reduce",
                                  "--reduce-runs", "--input", "--json",        "--import"};
  return given_flags(command, kOthers);
}

}  // namespace shardy::tools
