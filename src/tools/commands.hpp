// The subcommands; each returns the exit status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/sweep.hpp"
#include "tools/report_selection.hpp"

namespace shardy::tools {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;         // the check or the program failed
inline constexpr int kBadInput = 2;       // bad input or usage
inline constexpr int kInterrupted = 130;  // Ctrl-C, as shells have it

struct CommandOptions {
  std::string file;
  std::string output = "-";
  bool json = false;
  /// Options of all stages. A given seed also applies to random inputs.
  checking::CheckOptions stages = {.compare = false, .exact = true, .wide = true};
  checking::Context context;  // limits
  passes::ImportForm import_form = passes::ImportForm::Auto;
  std::optional<passes::ExportForm> export_form;  // nothing: as they are
  bool show_rewrites = false;                     // of collectives, on standard error
  std::string emit;        // "json", "mlir", or empty: as the output's name or the input is
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
  int64_t rank_timeout = 5;         // seconds, of a rank of which nothing is heard
  bool shard_files = false;         // with mpi: a result file per device
  bool check_by_rows = false;       // with mpi: the reference is sharded, too
  bool split = false;               // the file holds several programs
  int64_t max_trace_bytes = int64_t{1} << 28;  // of memory for the events of a trace
  std::string devices;       // "x=2,y=4": sizes of mesh axes, instead of those in the file
  int64_t cases = 100;       // check: shardings that are tried
  int64_t max_devices = 12;  // check: of a mesh
  ReportSelection report;
  report::HintOptions hints;                 // hints: without what `stages` has
  bool apply_hint = false;                   // hints: the program with the best one is written
  std::string timeline;                      // report: file for what a device does when
  std::string other_file;                    // diff: the second program; empty: the first one again
  std::vector<report::Setting> before = {};  // diff: annotations of the first
  std::vector<report::Setting> after = {};   // diff: annotations of the second
  std::optional<double> worse_by;            // diff: by which share the second may cost more
  std::string reduce;  // check: file for a small program that fails; empty: none
  int64_t reduce_runs = checking::ReduceOptions().max_runs;  // check: to make it small
  std::string flags;  // of the command, as `shardy run` takes them for the small program
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

}  // namespace shardy::tools
