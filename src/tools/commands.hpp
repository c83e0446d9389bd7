// The subcommands and their options; each returns the exit status.
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
#include "shardy/report/device_time.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/sweep.hpp"

namespace shardy::tools {

// Selection of the rows of a report.

struct ReportSelection {
  std::size_t top = 10;            // rows of a table; JSON has all
  std::string axis;                // collectives along this axis; empty: all
  std::string line;                // part of the locations of collectives and values; empty: all
  std::string op;                  // collectives for this op; empty: all
  report::DeviceRates rates = {};  // of a device, for the modelled time
  bool why = false;                // the decisions that led to the collectives of the first rows
  bool memory = false;             // values live at the peak, and the largest values
};

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;         // the check or the program failed
inline constexpr int kBadInput = 2;       // bad input or usage
inline constexpr int kInterrupted = 130;  // Ctrl-C, as in shells

/// Files of the problem that autoshard solves; empty: none.
struct ProblemFiles {
  std::string problem;         // to solve, without a program
  std::string solution;        // a choice to price instead of a search
  std::string export_problem;  // to write
  std::string export_lp;       // the same, as CPLEX LP text
};

struct CommandOptions {
  std::string file;
  std::string output = "-";
  bool json = false;
  /// Options of all stages. A given seed also applies to random inputs.
  checking::CheckOptions stages = {.compare = false, .exact = true, .wide = true};
  checking::Context context;  // limits
  passes::ImportForm import_form = passes::ImportForm::Auto;
  std::optional<passes::ExportForm> export_form;  // nothing: as they are
  bool lowers_chlo = false;                       // partition: CHLO as StableHLO
  bool show_rewrites = false;                     // of collectives, on standard error
  std::string
      emit;  // "json", "mlir", or empty: by the name of the output, else the format of the input
  bool generic = false;    // MLIR in generic form
  std::string value;       // explain: `%12`, `@f:%12`, `@f/%3/1:%12`
  std::string function;    // explain: `@f`
  bool all = false;        // explain: all values
  bool conflicts = false;  // explain: nothing else
  bool strict = false;     // explain: conflicts, implicit reshards and replication are errors
  std::vector<std::string> inputs;  // .npy, .npz, .json
  std::string output_dir;           // of results as .npy; empty: none
  std::string trace;                // file for trace events; empty: none
  bool reference = false;           // run unsharded only
  bool full = false;                // print all elements of large results
  bool local_buffers = false;       // of a per-device program: values are per device
  bool mpi = false;                 // run: the devices are those of all ranks of an MPI job
  int64_t rank_timeout = 5;         // seconds without a packet of a rank
  bool shard_files = false;         // with mpi: a result file per device
  bool check_by_rows = false;       // with mpi: the reference is sharded, too
  bool split = false;               // the file holds several programs
  int64_t max_trace_bytes = int64_t{1} << 28;  // of memory for the events of a trace
  std::string devices;       // "x=2,y=4": sizes of mesh axes, instead of those in the file
  int64_t cases = 100;       // check: number of shardings
  int64_t max_devices = 12;  // check: of a mesh
  ReportSelection report;
  report::HintOptions hints;                 // hints: without the members of `stages`
  bool apply_hint = false;                   // hints: the program with the best one is written
  autoshard::AutoshardOptions autoshard;     // autoshard: without the members of `stages`
  std::size_t front = 0;                     // autoshard: programs of a front; 0: one program
  std::string mesh;                          // autoshard: a mesh instead of that of the file
  ProblemFiles problem;                      // autoshard
  std::string timeline;                      // report: file for the timeline of a device
  std::string other_file;                    // diff: the second program; empty: the first one again
  std::vector<report::Setting> before = {};  // diff: annotations of the first
  std::vector<report::Setting> after = {};   // diff: annotations of the second
  std::optional<double> worse_by;    // diff: largest allowed increase of the second, as a share
  bool with_hints = false;           // view: also the hints
  bool has_output = false;           // view: an option names the output
  std::string view_format = "html";  // view: html, json, dot, model-explorer
  std::string reduce;                // check: file for a small program that fails; empty: none
  int64_t reduce_runs = checking::ReduceOptions().max_runs;  // check: of the reduction
  std::string flags;  // options for `shardy run` with the small program
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

// reshard: the collectives between two shardings, without a program around them.

struct ReshardRequest {
  std::string mesh;     // `<["x"=2, "y"=3]>`
  std::string to_mesh;  // the same axes with the devices in another order; empty: `mesh`
  std::string shape;    // `24x24xf32`
  std::string from;     // `[{"x"}, {"y"}]`, with the other clauses of a sharding after it
  std::string to;
  std::string axis_cost;  // `x=ring:100GB/s:1us`
  int64_t max_live_bytes = 0;
  bool json = false;
};

/// Prints the plan of the reference and the best one, step by step, with their costs. Returns the
/// exit status.
int reshard_command(const ReshardRequest& request);

// show: how the dims of a value lie on the devices, as a picture.

struct ShowRequest {
  CommandOptions program;  // the file, and the value in it; empty: a sharding without a program
  std::string mesh;        // `<["x"=2, "y"=3]>`
  std::string shape;       // `24x24`
  std::string sharding;    // `[{"x"}, {"y"}]`
  std::optional<int64_t> step;       // of propagation, -1 is the beginning; std::nullopt: the end
  std::optional<std::size_t> limit;  // rows, columns and slices; std::nullopt: as many as fit
  std::string svg;                   // file for the picture; empty: text or JSON
};

/// Prints the shards of each device. Returns the exit status.
int show_command(const ShowRequest& request);

// soak: random programs, and programs of files, under millions of random shardings.

/// Random programs: a mixture, or those of one part of the generator.
enum class SoakKind : uint8_t { Mixed, ManualAxes, ManualCollectives, Meshes, BatchNorms };

struct SoakOptions {
  std::vector<std::string> files;  // besides random programs
  uint64_t first = 0;              // seed of the first case; the others have the next ones
  int64_t cases = 100000;
  int64_t max_devices = 12;
  int64_t threads = 1;
  SoakKind kind = SoakKind::Mixed;  // of random programs
  std::string findings;             // folder for programs that fail; empty: none
};

/// Prints a line for every 10,000 cases, a verdict, and the seed for the next run. Returns the exit
/// status.
int soak_command(const SoakOptions& order);

// sweep: cost of many annotations of one program.

struct SweepOrder {
  CommandOptions program;            // the file, and the options of import, compilation and costs
  std::vector<report::Setting> set;  // alternatives of values: all combinations
  std::string strategies;            // file with one strategy a line; empty: none
  std::size_t random = 0;            // strategies at random
  uint64_t seed = 0;                 // of the first of them, and of the inputs of checks
  std::string output = "-";          // for lines
  std::string front;                 // file for the lines of the Pareto front; empty: none
  std::string view;                  // file for the page; empty: none
  bool resume = false;               // continues `output`
  report::SweepOptions options;      // threads, shardings, checks
  std::string flags;                 // given options that change the results
};

/// Prints one line of JSON for each strategy, and the Pareto front of time and memory. Returns the
/// exit status.
int sweep_command(const SweepOrder& order);

}  // namespace shardy::tools
