// The subcommands and their options. Each command returns the exit status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/report.hpp"
#include "shardy/report/sweep.hpp"

namespace shardy::tools {

// The selection of the rows of a report.

struct ReportSelection {
  std::size_t top = 10;  // number of rows of a table; JSON has all rows
  std::string axis;      // only collectives along this axis; empty: all
  std::string line;      // only collectives and values whose location contains it; empty: all
  std::string op;        // only collectives for this op; empty: all
  report::DeviceRates rates = {};  // rates of a device, for the modelled time
  bool why = false;           // prints the decisions that led to the collectives of the first rows
  bool memory = false;        // prints the values live at peak memory, and the largest values
  bool equal_layers = false;  // compiles few of the equal layers; places are then incomplete
};

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;         // the check or the program failed
inline constexpr int kBadInput = 2;       // bad input or usage
inline constexpr int kInterrupted = 130;  // Ctrl-C, as in shells

/// The files of the problem that autoshard solves; empty: none.
struct ProblemFiles {
  std::string problem;         // problem to be solved, without a program
  std::string solution;        // choice to be priced, instead of a search
  std::string export_problem;  // file to which the problem is written
  std::string export_lp;       // file to which the problem is written as CPLEX LP text
};

struct CommandOptions {
  std::string file;
  std::string output = "-";
  bool json = false;
  /// Options of all stages. A given seed applies to random inputs, too.
  checking::CheckOptions stages = {.compare = false, .exact = true, .wide = true};
  checking::Context context;  // limits, rules and kernels
  passes::ImportForm import_form = passes::ImportForm::Auto;
  std::optional<passes::ExportForm> export_form;  // std::nullopt: shardings are written as they are
  bool lowers_chlo = false;                       // partition: lowers CHLO to StableHLO
  bool show_rewrites = false;  // prints rewrites of collectives on standard error
  std::string
      emit;  // "json", "mlir", or empty: by the name of the output, else the format of the input
  bool generic = false;    // prints MLIR in generic form
  std::string value;       // explain: a value such as `%12`, `@f:%12`, `@f/%3/1:%12`
  std::string function;    // explain: a function such as `@f`
  bool all = false;        // explain: prints all values
  bool conflicts = false;  // explain: prints only conflicts
  bool strict = false;     // explain: conflicts, implicit reshards and replication are errors
  std::vector<std::string> inputs;  // .npy, .npz and .json files
  std::string output_dir;           // folder for results as .npy; empty: none
  std::string trace;                // file for trace events; empty: none
  bool reference = false;           // runs the unsharded program only
  bool full = false;                // prints all elements of large results
  // For a per-device program: inputs and results have one buffer per device.
  bool local_buffers = false;
  bool mpi = false;            // run: the devices are divided among the ranks of an MPI job
  int64_t rank_timeout = 5;    // seconds without a packet after which a rank counts as lost
  bool shard_files = false;    // with mpi: writes one result file per device
  bool check_by_rows = false;  // with mpi: the reference run is sharded by rows
  bool split = false;          // the file contains several programs
  int64_t max_trace_bytes = int64_t{1} << 28;  // limit of memory for trace events
  std::string devices;       // "x=2,y=4": sizes of mesh axes, instead of the sizes in the file
  int64_t cases = 100;       // check: number of shardings
  int64_t max_devices = 12;  // check: limit of devices of a mesh
  ReportSelection report;
  report::HintOptions hints;              // hints: options that `stages` does not have
  bool apply_hint = false;                // hints: writes the program with the best hint
  autoshard::AutoshardOptions autoshard;  // autoshard: options that `stages` does not have
  std::size_t front = 0;   // autoshard: number of programs of a front; 0: one program
  std::string mesh;        // autoshard: mesh that replaces the mesh of the file
  ProblemFiles problem;    // autoshard
  bool patch = false;      // autoshard: writes a unified diff instead of the program
  double time_limit = 0;   // autoshard: seconds after which the search ends; 0: none
  std::string timeline;    // report: file for the timeline of a device
  std::string other_file;  // diff: second program; empty: equal to the first one
  std::vector<report::Setting> before = {};  // diff: annotations of the first program
  std::vector<report::Setting> after = {};   // diff: annotations of the second program
  // diff: largest allowed increase of the second program, as a share
  std::optional<double> worse_by;
  std::string view;                  // autoshard: file for the page of a front; empty: none
  bool with_hints = false;           // view: includes hints
  bool has_output = false;           // view: an option names the output
  std::string view_format = "html";  // view: html, json, dot, model-explorer
  std::string reduce;                // check: file for a small failing program; empty: none
  int64_t reduce_runs =
      checking::ReduceOptions().max_runs;  // check: limit of runs of the reduction
  std::string flags;                       // options of `shardy run` for the small program
  std::vector<std::string> search_words;   // autoshard: given options that change a search
};

int run_command(const CommandOptions& options);
int propagate_command(const CommandOptions& options);
int partition_command(const CommandOptions& options);
int explain_command(const CommandOptions& options);
int convert_command(const CommandOptions& options);
int check_command(const CommandOptions& options);
int report_command(const CommandOptions& options);
int diff_command(const CommandOptions& options);
int hints_command(const CommandOptions& options);
int view_command(const CommandOptions& options);
int autoshard_command(const CommandOptions& options);

// reshard: the collectives between two shardings, without a program.

struct ReshardRequest {
  std::string mesh;     // `<["x"=2, "y"=3]>`
  std::string to_mesh;  // mesh with the same axes and another device order; empty: `mesh`
  std::string shape;    // such as `24x24xf32`
  std::string from;     // `[{"x"}, {"y"}]`, with the other clauses of a sharding after it
  std::string to;
  std::string axis_cost;  // such as `x=ring:100GB/s:1us`
  int64_t max_live_bytes = 0;
  bool json = false;
};

/// Prints the reference plan and the best plan step by step, with their costs. Returns the exit
/// status.
int reshard_command(const ReshardRequest& request);

// show: a picture of the shards of a value on the devices.

struct ShowRequest {
  CommandOptions program;       // the file and the value in it; empty: a sharding without a program
  std::string mesh;             // `<["x"=2, "y"=3]>`
  std::string shape;            // such as `24x24`
  std::string sharding;         // `[{"x"}, {"y"}]`
  std::optional<int64_t> step;  // step of propagation; -1 is the beginning, std::nullopt the end
  // Limit of rows, columns and slices; std::nullopt: as many as fit.
  std::optional<std::size_t> limit;
  std::string svg;  // file for the picture; empty: prints text or JSON
};

/// Prints the shards of each device. Returns the exit status.
int show_command(const ShowRequest& request);

// soak: random programs, and programs of files, under millions of random shardings.

/// The kind of random programs: a mixture, or programs of one part of the generator.
enum class SoakKind : uint8_t { Mixed, ManualAxes, ManualCollectives, Meshes, BatchNorms };

struct SoakOptions {
  std::vector<std::string> files;  // programs in addition to random ones
  uint64_t first = 0;              // seed of the first case; further cases have the next seeds
  int64_t cases = 100000;
  int64_t max_devices = 12;
  int64_t threads = 1;
  SoakKind kind = SoakKind::Mixed;  // kind of random programs
  std::string findings;             // folder for failing programs; empty: none
};

/// Prints a line for every 10,000 cases, a verdict, and the seed of the next run. Returns the exit
/// status.
int soak_command(const SoakOptions& order);

// sweep: costs of many annotations of one program.

struct SweepOrder {
  CommandOptions program;            // the file, and options of import, compilation and costs
  std::vector<report::Setting> set;  // alternatives of values; all combinations are tried
  std::string strategies;            // file with one strategy per line; empty: none
  std::size_t random = 0;            // number of random strategies
  uint64_t seed = 0;             // seed of the first random strategy and of the inputs of checks
  std::string output = "-";      // file for the lines
  std::string front;             // file for the lines of the Pareto front; empty: none
  std::string view;              // file for the page; empty: none
  bool resume = false;           // continues the file `output`
  report::SweepOptions options;  // threads, shardings, checks
  std::string flags;             // given options that change the results
};

/// Prints one line of JSON per strategy, and the Pareto front of time and memory. Returns the exit
/// status.
int sweep_command(const SweepOrder& order);

}  // namespace shardy::tools
