// The subcommands; each returns the exit status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::tools {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;    // the check or the program failed
inline constexpr int kBadInput = 2;  // bad input or usage

struct CommandOptions {
  std::string file;
  std::string output = "-";
  bool json = false;
  bool check = false;
  std::size_t threads = 0;  // 0: one per core
  uint64_t seed = 0;
  bool has_seed = false;  // it was given: also for `rng`
  std::optional<double> tolerance;
  bool padded_io = true;
  std::string emit;              // "json", "mlir", or empty: as the output's name or the input is
  bool generic = false;          // MLIR in generic form
  std::string value;             // explain: `%12`, `@f:%12`, `@f/%3/1:%12`
  std::string function;          // explain: `@f`
  bool all = false;              // explain: all values
  bool strict = false;           // explain: conflicts, implicit reshards and replication are errors
  bool dedup_functions = false;  // one sharding assignment per function
  std::vector<std::string> inputs;  // .npy, .npz, .json
  std::string output_dir;           // of results as .npy; empty: none
  std::string trace;                // file for trace events; empty: none
  bool reference = false;           // run unsharded only
  bool split = false;               // the file holds several programs
  bool strict_nan = false;
  std::optional<simulation::ProcessGrid> grid;
  int64_t max_steps = std::numeric_limits<int64_t>::max();
  int64_t max_iterations = std::numeric_limits<int64_t>::max();
  int64_t max_bytes = int64_t{1} << 34;
  int64_t max_trace_bytes = int64_t{1} << 28;  // of memory for the events of a trace
  std::string devices;  // "x=2,y=4": sizes of mesh axes, instead of those in the file
};

int run_command(const CommandOptions& options);
int propagate_command(const CommandOptions& options);
int partition_command(const CommandOptions& options);
int explain_command(const CommandOptions& options);
int convert_command(const CommandOptions& options);

}  // namespace shardy::tools
