// The command line: `shardy run|propagate|partition|check|report|explain|convert|opt FILE`,
// The command line: `shardy run|propagate|partition|check|report|explain|convert|opt FILE`,
// `shardy diff FILE OTHER`, `shardy reshard`, `sweep`, `help`, `completion`.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/checking/context.hpp"
#include "shardy/passes/optimize_collectives.hpp"
#include "shardy/resharding/cost_text.hpp"
#include "tools/command_model.hpp"
#include "tools/commands.hpp"
#include "tools/completion.hpp"
#include "tools/numbers.hpp"
#include "tools/op_list.hpp"
#include "tools/opt.hpp"
#include "tools/opt_options.hpp"
#include "tools/output.hpp"
#include "tools/pass_page.hpp"
#include "tools/reshard.hpp"
#include "tools/rule_options.hpp"
#include "tools/soak.hpp"
#include "tools/usage.hpp"

namespace {

using shardy::Error;
using shardy::Result;
using shardy::Status;
using shardy::tools::CommandOptions;

struct CommandRow {
  const char* name;
  const char* help;
  int (*run)(const CommandOptions&);
  bool runs;  // takes the options of a simulation
  bool writes;
  bool propagates;
};

constexpr CommandRow kCommands[] = {
    {"run", "run a program: sharded on all devices of its mesh, or as it is if it has none",
     &shardy::tools::run_command, true, false, true},
    {"propagate", "extend the shardings of a program along its ops",
     &shardy::tools::propagate_command, false, true, true},
    {"partition", "lower a program to one per-device program", &shardy::tools::partition_command,
     false, true, true},
    {"check", "try many shardings of a program: each must give what the unsharded run gives",
     &shardy::tools::check_command, false, false, true},
    {"report", "say what a program costs and where, without running it",
     &shardy::tools::report_command, false, false, true},
    {"diff", "say what a second program costs more or less than a first, and where",
     &shardy::tools::diff_command, false, false, true},
    {"explain", "say why values have the shardings they have, and what lost",
     &shardy::tools::explain_command, false, false, true},
    {"convert", "read a program and write it in canonical form", &shardy::tools::convert_command,
     false, true, false},
};

/// An empty name would be taken for none.
std::string refuse_empty(const std::string& text) {
  return text.empty() ? "expected a text that is not empty" : "";
}

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
  command.add_flag("--json", options.json, "report as JSON");
  command.add_flag("--strict", options.strict,
                   "conflicts, implicit reshards and replication are errors");
}

/// What is wrong with the text of an option; empty: nothing.
using ReadOption = std::function<std::string(const std::string&)>;

/// An option whose text is read by ours: the parser would take overflow, octal digits and NaN.
CLI::Option* add_option(CLI::App& command, const char* name, const char* help, ReadOption read) {
  const auto ignore = [](const std::string&) {};
  return command.add_option_function<std::string>(name, ignore, help)->check(std::move(read));
}

template <std::integral Int, class Target>
ReadOption integer_into(Target& target, Int most = std::numeric_limits<Int>::max()) {
  return [&target, most](const std::string& text) {
    const Result<Int> value = shardy::tools::read_integer<Int>(text, 0, most);
    if (!value) return value.error().message;
    target = *value;
    return std::string();
  };
}

/// "2x4": replicas and partitions.
std::string read_grid(const std::string& text, CommandOptions& options) {
  const Result<shardy::tools::IntegerPair> sizes = shardy::tools::read_pair(text);
  if (!sizes) return "expected REPLICASxPARTITIONS, got: " + text;
  shardy::simulation::ProcessGrid grid;
  grid.num_replicas = sizes->first;
  grid.num_partitions = sizes->second;
  if (!grid.is_usable()) {
    return "expected 1 to " + std::to_string(grid.kMaxSize) + " processes, got: " + text;
  }
  options.stages.run.grid = grid;
  return {};
}

std::string read_tolerance(const std::string& text, CommandOptions& options) {
  const Result<double> value = shardy::tools::read_magnitude(text);
  if (!value) return value.error().message;
  options.stages.tolerance = *value;
  return {};
}

void add_limits(CLI::App& command, CommandOptions& options) {
  shardy::simulation::Limits& limits = options.context.runs.limits;
  add_option(command, "--max-steps", "steps that a device may run",
             integer_into<int64_t>(limits.max_steps));
  add_option(command, "--max-iterations", "iterations of one loop",
             integer_into<int64_t>(limits.max_iterations));
  add_option(command, "--max-bytes", "bytes that may be live on a device",
             integer_into<int64_t>(limits.max_bytes));
  add_option(command, "--max-trace-bytes", "bytes of memory that the events of --trace may take",
             integer_into<int64_t>(options.max_trace_bytes));
}

void add_run_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--reference", options.reference, "run unsharded only");
  command.add_flag("--full", options.full, "print all elements of large results");
  command
      .add_option_function<std::string>(
          "--buffers",
          [&options](const std::string& text) { options.local_buffers = text == "local"; },
          "values of a per-device program: whole tensors (global, the default), or a buffer of "
          "each device in a dim in front")
      ->check(CLI::IsMember({"global", "local"}));
  command.add_option("--output-dir", options.output_dir, "folder for the results as .npy")
      ->check(refuse_empty);
  command
      .add_option("--trace", options.trace,
                  "file for what ran when, as Chrome trace events (Perfetto)")
      ->check(refuse_empty);
  command.add_flag("--split-input-file", options.split,
                   "the file holds several programs, separated by lines `// -----`");
  command.add_flag("--strict-nan", options.stages.run.kernels.strict_nan,
                   "checks find NaN unequal to NaN");
  add_option(command, "--grid", "replicas and partitions for StableHLO collectives: 2x4",
             [&options](const std::string& text) { return read_grid(text, options); });
  add_limits(command, options);
}

void add_inputs(CLI::App& command, CommandOptions& options) {
  command.add_option("--input", options.inputs,
                     "value of the next argument: .npy or .json; or .npz with all of them");
  add_option(command, "--threads", "worker threads; 0 is one per core",
             integer_into<int32_t>(options.stages.run.num_workers));
  add_option(command, "--tolerance", "relative difference at which floats count as equal",
             [&options](const std::string& text) { return read_tolerance(text, options); });
  command.add_flag("--exact,!--no-exact", options.stages.exact,
                   "compare over a prime field, too, bit by bit (default)");
  command.add_flag("--f64,!--no-f64", options.stages.wide,
                   "compare narrower floats in f64, too (default)");
  command.add_flag("--json", options.json, "report as JSON");
}

void add_report_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--json", options.json, "report as JSON");
  command.add_flag("--memory", options.report.memory,
                   "also what is live at the peak, and the largest values");
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

/// "5%" or "0.05".
std::string read_share(const std::string& text, std::optional<double>& share) {
  const bool is_percent = text.ends_with('%');
  const Result<double> value =
      shardy::tools::read_magnitude(is_percent ? text.substr(0, text.size() - 1) : text);
  if (!value) return value.error().message;
  share = is_percent ? *value / 100 : *value;
  return {};
}

void add_diff_options(CLI::App& command, CommandOptions& options) {
  command.add_option("OTHER", options.other_file, "the second program, as FILE")->required();
  add_option(command, "--tolerance",
             "exit status 1 if the second sends, takes or holds more by a larger share: 5%, 0.05",
             [&options](const std::string& text) { return read_share(text, options.worse_by); });
  add_option(command, "--top", "rows of a table (10)",
             integer_into<std::size_t>(options.report.top));
  command.add_flag("--json", options.json, "the differences as JSON");
}

void add_check_options(CLI::App& command, CommandOptions& options) {
  add_option(command, "--cases", "shardings to try (100)", integer_into<int64_t>(options.cases));
  add_option(command, "--seed", "seed of the first case (0), of inputs, and of rng",
             integer_into<uint64_t>(options.stages.run.kernels.seed));
  add_option(command, "--max-devices", "devices of the largest mesh (12)",
             integer_into<int64_t>(options.max_devices, 4096));
  command
      .add_option("--reduce", options.reduce,
                  "file for a small program that fails, if the program does")
      ->check(refuse_empty);
  add_option(command, "--reduce-runs", "programs that --reduce tries at most (5000)",
             integer_into<int64_t>(options.reduce_runs));
  add_inputs(command, options);
  add_limits(command, options);
}

/// How shardings that are no sdy are read. `convert` keeps them unless it is asked.
void add_import_option(CLI::App& command, CommandOptions& options, bool is_convert) {
  using shardy::passes::ImportForm;
  const auto choose = [&options](const std::string& text) {
    options.import_form = text == "gspmd"        ? ImportForm::Gspmd
                          : text == "round-trip" ? ImportForm::RoundTrip
                          : text == "none"       ? ImportForm::None
                                                 : ImportForm::Auto;
  };
  command
      .add_option_function<std::string>(
          "--import", choose,
          is_convert ? "turn mhlo.sharding and xla.sdy text into sdy"
                     : "which shardings that are no sdy are read: auto (default), gspmd, "
                       "round-trip, none")
      ->check(CLI::IsMember({"auto", "gspmd", "round-trip", "none"}));
}

/// In which form shardings are written.
void add_export_option(CLI::App& command, CommandOptions& options) {
  using shardy::passes::ExportForm;
  const auto choose = [&options](const std::string& text) {
    options.export_form = text == "sdy"                             ? ExportForm::Sdy
                          : text == "gspmd" || text == "mhlo"       ? ExportForm::Gspmd
                          : text == "gspmd-v3" || text == "mhlo-v3" ? ExportForm::GspmdNamed
                          : text.ends_with("-v3")                   ? ExportForm::RoundTripNamed
                                                                    : ExportForm::RoundTrip;
  };
  command
      .add_option_function<std::string>(
          "--to,--shardings", choose,
          "how shardings are written: sdy, mhlo (gspmd), mhlo-v3 (gspmd-v3), sdy-round-trip "
          "(round-trip), sdy-round-trip-v3 (round-trip-v3)")
      ->check(CLI::IsMember({"sdy", "mhlo", "gspmd", "mhlo-v3", "gspmd-v3", "sdy-round-trip",
                             "round-trip", "sdy-round-trip-v3", "round-trip-v3"}));
}

void add_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  command
      .add_option("FILE", options.file,
                  "MLIR text or a JSON graph, whatever it is called; - reads standard input")
      ->required();
  add_import_option(command, options, !row.propagates);
  if (row.propagates) {
    command.add_flag("--dedup-functions-fully",
                     options.stages.compile.pipeline.importing.dedup_functions_fully,
                     "one sharding assignment per function, whoever calls it");
    shardy::tools::add_rule_options(command, options.context);
  }
  if (row.writes) {
    command.add_option("-o,--output", options.output, "where to write; - is standard output");
    command
        .add_option("--emit", options.emit,
                    "format of the output; else by its name, else as the input")
        ->check(CLI::IsMember({"json", "mlir"}));
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

/// The text of costs is read again where it is used.
std::string check_axis_costs(const std::string& text) {
  const auto model = shardy::parse_cost_model(text);
  return model ? "" : model.error().message;
}

void add_plan_kind(CLI::App& command, const char* name, const char* help, shardy::PlanKind& kind) {
  const auto choose = [&kind](const std::string& text) {
    kind = text == "best" ? shardy::PlanKind::Best : shardy::PlanKind::Reference;
  };
  command.add_option_function<std::string>(name, choose, help)
      ->check(CLI::IsMember({"reference", "best"}));
}

void add_resharding_options(CLI::App& command, CommandOptions& options) {
  shardy::passes::ReshardChoice& choice = options.stages.compile.pipeline.exporting.resharding;
  add_plan_kind(command, "--resharding",
                "which collectives: those of Shardy, or the cheapest (default)", choice.plans);
  add_plan_kind(command, "--common-axes",
                "where the tensors of an op meet: where Shardy brings them (default), or where it "
                "costs least",
                choice.common_axes);
  command
      .add_option("--axis-cost", choice.axis_costs,
                  "links, bandwidth and latency of mesh axes: x=ring:100GB/s:1us,y=full")
      ->check(check_axis_costs);
}

/// "none", "all", or names of rules.
std::string read_collective_rules(const std::string& text,
                                  std::optional<std::vector<std::string>>& rules) {
  std::vector<std::string> all;
  for (const std::string_view name : shardy::passes::collective_rules()) all.emplace_back(name);
  all.emplace_back(shardy::checking::kCombineReductions);
  if (text == "all") {
    rules = all;
    return "";
  }
  rules.emplace();
  if (text == "none") return "";
  for (const std::string& name : CLI::detail::split(text, ',')) {
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      return "no such rule: " + name + "; there are none, all, " + shardy::tools::joined(all);
    }
    rules->push_back(name);
  }
  return "";
}

void add_collective_options(CLI::App& command, CommandOptions& options) {
  shardy::checking::CollectiveOptions& collectives = options.stages.compile.collectives;
  add_option(command, "--optimize-collectives",
             "rewrites after which collectives send less: none, all (default where reshards are "
             "the cheapest), or rules with commas between them",
             [&collectives](const std::string& text) {
               return read_collective_rules(text, collectives.rules);
             });
  add_option(command, "--combine-bytes",
             "all-reduces that become one have so many bytes in all, at most (65536)",
             integer_into<int64_t>(collectives.combine_bytes));
  add_option(command, "--max-gather-bytes",
             "products of operands that have more bytes gathered become loops; 0: all of them",
             integer_into<int64_t>(collectives.max_gather_bytes));
}

void add_partition_options(CLI::App& command, CommandOptions& options) {
  shardy::partitioning::PartitionOptions& partition = options.stages.compile.partition;
  command.add_flag_callback(
      "--divisible-io",
      [&partition] { partition.io_padding = shardy::partitioning::IoPadding::Divisible; },
      "refuse arguments and results whose dims do not divide");
  command.add_flag("--json", options.json, "report what is replicated as JSON; needs -o");
  const auto choose = [&partition](const std::string& text) {
    partition.stablehlo.reset();
    if (text == "stablehlo") partition.stablehlo.emplace();
  };
  CLI::Option* const collectives =
      command
          .add_option_function<std::string>(
              "--collectives", choose,
              "what devices meet in: spmd ops over mesh axes (default), or those of StableHLO, "
              "for other compilers")
          ->check(CLI::IsMember({"spmd", "stablehlo"}));
  const auto choose_groups = [&partition](const std::string& text) {
    if (text == "mesh" && partition.stablehlo) {
      partition.stablehlo->groups = shardy::partitioning::ReplicaGroups::Mesh;
    }
  };
  command
      .add_option_function<std::string>(
          "--replica-groups", choose_groups,
          "with --collectives=stablehlo: lists of devices (default), or axes of a mesh")
      ->check(CLI::IsMember({"list", "mesh"}))
      ->needs(collectives);
}

void add_soak_options(CLI::App& command, shardy::tools::SoakOrder& order) {
  command.add_option("FILES", order.files, "programs that take turns with random ones");
  add_option(command, "--first", "seed of the first case (0)", integer_into<uint64_t>(order.first));
  add_option(command, "--cases", "cases, each with the next seed (100000)",
             integer_into<int64_t>(order.cases));
  add_option(command, "--max-devices", "devices of the largest mesh (12)",
             integer_into<int64_t>(order.max_devices, 4096));
  add_option(command, "--threads", "worker threads (1); 0 is one per core",
             integer_into<int64_t>(order.threads));
  command
      .add_option("--findings", order.findings,
                  "folder for small programs that fail, by their seeds")
      ->check(refuse_empty);
}

void add_reshard_options(CLI::App& command, shardy::tools::ReshardQuestion& question) {
  command.add_option("--mesh", question.mesh, R"(axes and their sizes: <["x"=2, "y"=3]>)")
      ->required();
  command.add_option("--to-mesh", question.to_mesh,
                     "the same axes with the devices in another order");
  command.add_option("--shape", question.shape, "of the global tensor: 24x24xf32")->required();
  command.add_option("--from", question.from, R"(sharding: [{"x"}, {"y"}])")->required();
  command.add_option("--to", question.to, R"(sharding: [{"y"}, {}])")->required();
  command
      .add_option("--axis-cost", question.axis_cost,
                  "links, bandwidth and latency of mesh axes: x=ring:100GB/s:1us,y=full")
      ->check(check_axis_costs);
  add_option(command, "--max-live-bytes",
             "what goes in and comes out of a step of the best plan, at most",
             integer_into<int64_t>(question.max_live_bytes));
  command.add_flag("--json", question.json, "report as JSON");
}

/// As in MLIR one dash will do for long flags; short ones have one letter.
std::string with_two_dashes(const std::string& argument) {
  const auto is_letter = [&](std::size_t at) {
    return at < argument.size() && argument[at] >= 'a' && argument[at] <= 'z';
  };
  const bool is_output = argument.starts_with("-o") && !argument.starts_with("-output");
  const bool is_long = argument.starts_with('-') && is_letter(1) && is_letter(2) && !is_output;
  return is_long ? "-" + argument : argument;
}

constexpr std::array kImportForms = {"auto", "gspmd", "round-trip", "none"};

/// `--import` alone is `--import=auto`.
void name_import_form(std::vector<std::string>& arguments) {
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    if (arguments[index] != "--import") continue;
    const bool is_named =
        index + 1 < arguments.size() &&
        std::ranges::find(kImportForms, arguments[index + 1]) != kImportForms.end();
    if (!is_named) arguments[index] += "=auto";
  }
}

constexpr std::array kOtherCommands = {"opt", "reshard", "soak", "help", "completion"};

bool is_command(std::string_view word) {
  return std::ranges::find(kOtherCommands, word) != kOtherCommands.end() ||
         std::ranges::find(kCommands, word, &CommandRow::name) != std::end(kCommands);
}

/// `shardy help COMMAND` is `shardy COMMAND --help`.
void name_help(std::vector<std::string>& arguments) {
  if (arguments.size() < 2 || arguments[1] != "help") return;
  if (arguments.size() > 2 && arguments[2].starts_with('-')) return;
  arguments.erase(arguments.begin() + 1);
  arguments.resize(std::min<std::size_t>(arguments.size(), 2));
  if (arguments.size() == 1 || is_command(arguments[1])) arguments.emplace_back("--help");
}

/// What completion and the manual are made of.
std::vector<shardy::tools::CommandModel> all_models(const CLI::App& app) {
  const auto registry = shardy::checking::Context().all_passes();
  SHARDY_ASSERT(registry.has_value());
  return shardy::tools::models_of(app, shardy::tools::opt_model(*registry));
}

int print_completion(const CLI::App& app, const std::string& shell) {
  const auto script = shardy::tools::completion_script(shell, all_models(app));
  if (!script) {
    shardy::tools::print_error(script.error());
    return shardy::tools::kBadInput;
  }
  shardy::tools::print_text(stdout, *script);
  return shardy::tools::kDone;
}

/// No command, or one that there is not.
Error command_error(const CLI::App& app) {
  const std::string wanted = shardy::tools::first_extra(app);
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  Error error{wanted.empty() ? "expected a command" : "no such command: " + wanted};
  shardy::tools::add_suggestion(error, wanted, names);
  error.notes.push_back("commands: " + shardy::tools::joined(names));
  error.notes.emplace_back("shardy COMMAND --help tells what a command does");
  return error;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& parse_error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return command_error(app);
  const std::string extra = shardy::tools::first_extra(app);
  Error error{extra.empty() ? parse_error.what() : "unexpected argument: " + extra};
  if (extra.empty()) shardy::tools::explain_value(error);
  shardy::tools::add_suggestion(error, extra, shardy::tools::flags_of(*chosen.front()));
  const std::vector<std::string> examples = shardy::tools::examples_of(chosen.front()->get_name());
  if (error.message.ends_with(" is required") && !examples.empty()) {
    error.notes.push_back("for example: " + examples.front());
  }
  error.notes.push_back("shardy " + chosen.front()->get_name() + " --help lists the options");
  return error;
}

/// Options that only some commands have.
void add_own_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  const std::string_view name = row.name;
  if (row.runs || name == "partition" || name == "check" || name == "report" || name == "diff") {
    add_resharding_options(command, options);
    add_collective_options(command, options);
  }
  if (name == "partition") add_partition_options(command, options);
  if (name == "partition" || row.runs) {
    command.add_flag("--show-rewrites", options.show_rewrites,
                     "say which collectives were rewritten, and what that saves");
    command.add_flag("--strict", options.stages.compile.strict,
                     "what is replicated beyond what shardings ask for is an error");
  }
  if (name == "report") add_report_options(command, options);
  if (name == "diff") add_diff_options(command, options);
  if (name == "check") add_check_options(command, options);
  if (name == "explain") add_explain_options(command, options);
}

/// What was given of the options that `run --check` has as well: ` --seed=3 --exact=false`.
std::string flags_for_run(const CLI::App& command) {
  constexpr std::array kOthers = {"FILE",          "--cases", "--max-devices", "--reduce",
                                  "--reduce-runs", "--input", "--json",        "--import"};
  std::string flags;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_single_name();
    const std::string dashed = option->get_positional() ? name : "--" + name;
    if (option->count() == 0 || std::ranges::find(kOthers, dashed) != kOthers.end()) continue;
    for (const std::string& value : option->results()) flags += " " + dashed + "=" + value;
  }
  return flags;
}

/// Each command's page of help ends in examples.
void add_examples(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string& name = command->get_name();
    if (!command->get_group().empty()) command->footer(shardy::tools::examples_text(name));
  }
  app.footer("shardy help COMMAND tells what a command does.");
}

int dispatch(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) argument = with_two_dashes(argument);
  name_import_form(arguments);
  std::vector<const char*> texts;
  texts.reserve(arguments.size());
  for (const std::string& argument : arguments) texts.push_back(argument.c_str());
  CLI::App app("shardy: shards tensor programs over meshes of devices");
  app.require_subcommand(1);
  app.set_version_flag("--version", SHARDY_VERSION);
  app.add_subcommand("opt", "run passes over a program: shardy opt FILE --sdy-close-shardings");
  std::string golden_folder;
  CLI::App* page = app.add_subcommand("pass-page", "the page of all passes")->group("");
  page->add_option("FOLDER", golden_folder, "golden programs of each pass")->required();
  CLI::App* ops = app.add_subcommand("op-list", "what ops are, for scripts")->group("");
  CommandOptions options;
  int status = shardy::tools::kDone;
  for (const CommandRow& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.help);
    add_options(*command, row, options);
    add_own_options(*command, row, options);
    command->callback([&options, &status, &row, command] {
      const bool keeps = !row.propagates && command->count("--import") == 0 && !options.export_form;
      if (keeps) options.import_form = shardy::passes::ImportForm::None;
      options.flags = flags_for_run(*command);
      status = row.run(options);
    });
  }
  shardy::tools::ReshardQuestion question;
  CLI::App* reshard = app.add_subcommand(
      "reshard", "print the collectives between two shardings, and what they cost");
  add_reshard_options(*reshard, question);
  reshard->callback([&] { status = shardy::tools::reshard_command(question); });
  shardy::tools::SoakOrder order;
  CLI::App* soak = app.add_subcommand(
      "soak", "check random programs, and those of files, under random shardings by their seeds");
  add_soak_options(*soak, order);
  soak->callback([&] { status = shardy::tools::soak_command(order); });
  app.add_subcommand("help", "say what a command does: shardy help partition");
  std::string shell;
  CLI::App* completion =
      app.add_subcommand("completion", "print a script that completes commands and options");
  completion->add_option("SHELL", shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&] { status = print_completion(app, shell); });
  CLI::App* manual = app.add_subcommand("man-page", "the manual, as troff")->group("");
  manual->callback([&] {
    shardy::tools::print_text(stdout, shardy::tools::man_page(all_models(app), SHARDY_VERSION));
  });
  add_examples(app);
  page->callback([&] { status = shardy::tools::pass_page_command(golden_folder); });
  ops->callback([&] { status = shardy::tools::op_list_command(); });
  try {
    app.parse(static_cast<int>(texts.size()), texts.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      shardy::tools::print_error(usage_error(app, error));
      return shardy::tools::kBadInput;
    }
    std::ostringstream said;  // help, the version
    app.exit(error, said, said);
    shardy::tools::print_text(stdout, said.str());
    return shardy::tools::kDone;
  }
  return status;
}

int run(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  name_help(arguments);
  // The flags of `opt` are those of MLIR: one dash will do, and passes are flags.
  if (arguments.size() > 1 && arguments[1] == "opt") {
    arguments.erase(arguments.begin(), arguments.begin() + 2);
    return shardy::tools::opt_command(arguments);
  }
  return dispatch(std::move(arguments));
}

/// The command did what it says only if all that it printed got somewhere.
int with_output_finished(int status) {
  const Status finished = shardy::tools::finish_output();
  if (finished) return status;
  shardy::tools::print_error(finished.error());
  return std::max(status, shardy::tools::kBadInput);
}

int failure(const char* what) {
  shardy::tools::print_error({what});
  return shardy::tools::kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  int status = shardy::tools::kDone;
  try {
    status = run(argc, argv);
  } catch (const std::bad_alloc&) {
    status = failure("out of memory");
  } catch (const std::exception& error) {  // a defect of ours
    status = failure(error.what());
  }
  return with_output_finished(status);
}
