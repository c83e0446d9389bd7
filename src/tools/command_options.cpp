#include "tools/command_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/answer_options.hpp"
#include "tools/numbers.hpp"
#include "tools/option_readers.hpp"
#include "tools/stage_options.hpp"

namespace shardy::tools {

namespace {

/// "2x4": replicas and partitions.
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
  simulation::Limits& limits = options.context.runs.limits;
  add_option(command, "--max-steps", "steps that a device may run",
             integer_into<int64_t>(limits.max_steps));
  add_option(command, "--max-iterations", "iterations of one loop",
             integer_into<int64_t>(limits.max_iterations));
  add_option(command, "--max-bytes", "bytes that may be live on a device",
             bytes_into(limits.max_bytes));
  add_option(command, "--max-trace-bytes", "bytes of memory that the events of --trace may take",
             bytes_into(options.max_trace_bytes));
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
  command
      .add_option_function<std::string>(
          "--engine", [&options](const std::string& text) { options.mpi = text == "mpi"; },
          "what runs the devices: threads (default), or mpi: the ranks of mpirun, with threads")
      ->check(CLI::IsMember({"threads", "mpi"}));
  add_option(command, "--rank-timeout",
             "with --engine=mpi: seconds after which a silent rank is lost (5)",
             integer_into<int64_t>(options.rank_timeout, 86400));
  command.add_flag("--shard-files", options.shard_files,
                   "with --engine=mpi: a result file per device, not one that all ranks write to");
  command.add_flag(
      "--check-by-rows", options.check_by_rows,
      "with --engine=mpi: compare with a run sharded by rows instead of whole ones on each rank");
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

void add_check_options(CLI::App& command, CommandOptions& options) {
  add_option(command, "--cases", "shardings to try (100)",
             integer_into<int64_t>(options.cases, std::numeric_limits<int64_t>::max(), 1));
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

void add_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  add_file(command, options)->required();
  add_import_option(command, options, !row.propagates);
  if (row.propagates) add_propagation_options(command, options);
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

void add_partition_options(CLI::App& command, CommandOptions& options) {
  partitioning::PartitionOptions& partition = options.stages.compile.partition;
  command.add_flag_callback(
      "--divisible-io", [&partition] { partition.io_padding = partitioning::IoPadding::Divisible; },
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
      partition.stablehlo->groups = partitioning::ReplicaGroupsForm::Mesh;
    }
  };
  command
      .add_option_function<std::string>(
          "--replica-groups", choose_groups,
          "with --collectives=stablehlo: lists of devices (default), or axes of a mesh")
      ->check(CLI::IsMember({"list", "mesh"}))
      ->needs(collectives);
}

/// Options that only some commands have.
void add_own_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  const std::string_view name = row.name;
  if (row.runs || name == "partition" || name == "check" || name == "report" || name == "diff" ||
      name == "hints") {
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
  if (name == "hints") add_hint_options(command, options);
  if (name == "check") add_check_options(command, options);
  if (name == "explain") add_explain_options(command, options);
}

}  // namespace

void add_soak_options(CLI::App& command, SoakOrder& order) {
  command.add_option("FILES", order.files, "programs that take turns with random ones");
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
  const auto choose = [&order, kinds](const std::string& name) { order.kind = kinds.at(name); };
  command
      .add_option_function<std::string>("--kind", choose,
                                        "random programs: mixed (default), manual-axes, "
                                        "manual-collectives, meshes, batch-norms")
      ->check(CLI::IsMember(kinds));
  command
      .add_option("--findings", order.findings,
                  "folder for small programs that fail, by their seeds")
      ->check(refuse_empty);
}

void add_reshard_options(CLI::App& command, ReshardQuestion& question) {
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
             "what goes in and comes out of a step of the best plan, at most (0: any)",
             bytes_into(question.max_live_bytes));
  command.add_flag("--json", question.json, "report as JSON");
}

void add_command_options(CLI::App& command, const CommandRow& row, CommandOptions& options) {
  add_options(command, row, options);
  add_own_options(command, row, options);
}

namespace {

/// ` --seed=3 --exact=false`; `others` are left out.
std::string given_flags(const CLI::App& command, std::span<const char* const> others) {
  std::string flags;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_single_name();
    const std::string dashed = option->get_positional() ? name : "--" + name;
    if (option->count() == 0 || std::ranges::find(others, dashed) != others.end()) continue;
    for (const std::string& value : option->results()) {
      flags.append(" ").append(dashed).append("=").append(value);
    }
  }
  return flags;
}

}  // namespace

std::string flags_of_sweep(const CLI::App& command) {
  constexpr std::array kOthers = {"FILE",     "--set",   "--strategies", "--random",
                                  "--output", "--front", "--resume",     "--threads"};
  return given_flags(command, kOthers);
}

std::string flags_for_run(const CLI::App& command) {
  constexpr std::array kOthers = {"FILE",          "--cases", "--max-devices", "--reduce",
                                  "--reduce-runs", "--input", "--json",        "--import"};
  return given_flags(command, kOthers);
}

}  // namespace shardy::tools
