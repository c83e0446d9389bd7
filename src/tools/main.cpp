// The command line: `shardy run|propagate|partition|explain|convert|opt FILE`.
#include <CLI/CLI.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "tools/commands.hpp"
#include "tools/opt.hpp"
#include "tools/pass_page.hpp"

namespace {

using shardy::tools::CommandOptions;

struct CommandRow {
  const char* name;
  const char* help;
  int (*run)(const CommandOptions&);
  bool runs;  // takes the options of a simulation
  bool writes;
};

constexpr CommandRow kCommands[] = {
    {"run", "run a program: sharded on all devices of its mesh, or as it is if it has none",
     &shardy::tools::run_command, true, false},
    {"propagate", "extend the shardings of a program along its ops",
     &shardy::tools::propagate_command, false, true},
    {"partition", "lower a program to one per-device program", &shardy::tools::partition_command,
     false, true},
    {"explain", "say why values have the shardings they have, and what lost",
     &shardy::tools::explain_command, false, false},
    {"convert", "read a program and write it in canonical form", &shardy::tools::convert_command,
     false, true},
};

void add_explain_options(CLI::App& command, CommandOptions& options) {
  command.add_option("--value", options.value,
                     "a value as `shardy convert` names it: %12, @f:%12, @f/%3/1:%12");
  command.add_option("--function", options.function, "all values of a function: @f");
  command.add_flag("--all", options.all, "all values");
  command.add_flag("--json", options.json, "report as JSON");
  command.add_flag("--strict", options.strict,
                   "conflicts, implicit reshards and replication are errors");
  command.add_flag("--dedup-functions-fully", options.dedup_functions,
                   "one sharding assignment per function, whoever calls it");
}

/// "2x4": replicas and partitions.
std::string read_grid(const std::string& text, CommandOptions& options) {
  shardy::simulation::ProcessGrid grid;
  char rest = 0;
  long long replicas = 0;
  long long partitions = 0;
  if (std::sscanf(text.c_str(), "%lldx%lld%c", &replicas, &partitions, &rest) != 2) {
    return "expected REPLICASxPARTITIONS, got: " + text;
  }
  grid.num_replicas = replicas;
  grid.num_partitions = partitions;
  if (!grid.is_usable()) {
    return "expected 1 to " + std::to_string(grid.kMaxSize) + " processes, got: " + text;
  }
  options.grid = grid;
  return {};
}

/// What is wrong with a limit.
std::string refuse_negative(const std::string& text) {
  return text.starts_with('-') ? "expected no negative number, got: " + text : "";
}

void add_run_options(CLI::App& command, CommandOptions& options) {
  command.add_flag("--reference", options.reference, "run unsharded only");
  command.add_option("--input", options.inputs,
                     "value of the next argument: .npy or .json; or .npz with all of them");
  command.add_option("--output-dir", options.output_dir, "folder for the results as .npy");
  command.add_option("--trace", options.trace,
                     "file for what ran when, as Chrome trace events (Perfetto)");
  command.add_flag("--split-input-file", options.split,
                   "the file holds several programs, separated by lines `// -----`");
  command.add_flag("--strict-nan", options.strict_nan, "checks find NaN unequal to NaN");
  command
      .add_option_function<std::string>(
          "--grid", [](const std::string&) {},
          "replicas and partitions for StableHLO collectives: 2x4")
      ->check([&options](const std::string& text) { return read_grid(text, options); });
  command.add_option("--max-steps", options.max_steps, "steps that a device may run")
      ->check(refuse_negative);
  command.add_option("--max-iterations", options.max_iterations, "iterations of one loop")
      ->check(refuse_negative);
  command.add_option("--max-bytes", options.max_bytes, "bytes that may be live on a device")
      ->check(refuse_negative);
}

void add_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  command
      .add_option("FILE", options.file,
                  "a JSON graph (.json) or MLIR text (.mlir); - reads standard input")
      ->required();
  if (row.writes) {
    command.add_option("-o,--output", options.output, "where to write; - is standard output");
    command
        .add_option("--emit", options.emit,
                    "format of the output; else by its name, else as the input")
        ->check(CLI::IsMember({"json", "mlir"}));
    command.add_flag("--generic", options.generic, "MLIR in generic form, for any MLIR parser");
  }
  if (!row.runs) return;
  command.add_flag("--check", options.check, "also run unsharded and compare");
  command.add_flag("--json", options.json, "report as JSON");
  command.add_option("--devices", options.devices,
                     "sizes of mesh axes instead of those in the file: x=2,y=4");
  command.add_option("--threads", options.threads, "worker threads; 0 is one per core");
  command.add_option("--seed", options.seed, "seed of the random inputs, and of rng")
      ->each([&options](const std::string&) { options.has_seed = true; });
  add_run_options(command, options);
  command.add_option("--tolerance", options.tolerance,
                     "relative difference at which floats count as equal");
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

int dispatch(int argc, char** argv) {
  std::vector<std::string> arguments;
  arguments.reserve(static_cast<std::size_t>(argc));
  for (int index = 0; index < argc; ++index) arguments.push_back(with_two_dashes(argv[index]));
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
  CommandOptions options;
  int status = shardy::tools::kDone;
  for (const CommandRow& row : kCommands) {
    CLI::App* command = app.add_subcommand(row.name, row.help);
    add_options(*command, row, options);
    if (std::string_view(row.name) == "partition") {
      command->add_flag("!--divisible-io", options.padded_io,
                        "refuse arguments and results whose dims do not divide");
    }
    if (std::string_view(row.name) == "explain") add_explain_options(*command, options);
    command->callback([&options, &status, &row] { status = row.run(options); });
  }
  page->callback([&] { status = shardy::tools::pass_page_command(golden_folder); });
  try {
    app.parse(argc, texts.data());
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? shardy::tools::kDone : shardy::tools::kBadInput;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    // The flags of `opt` are those of MLIR: one dash will do, and passes are flags.
    if (argc > 1 && std::string_view(argv[1]) == "opt") {
      return shardy::tools::opt_command(std::vector<std::string>(argv + 2, argv + argc));
    }
    return dispatch(argc, argv);
  } catch (const std::exception& error) {  // out of memory, or a defect of ours
    std::fprintf(stderr, "error: %s\n", error.what());
    return shardy::tools::kFailed;
  }
}
