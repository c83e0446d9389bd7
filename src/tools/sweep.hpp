// sweep: what many annotations of one program cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardy/report/sweep.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

struct SweepOrder {
  CommandOptions program;            // the file, how it is imported, compiled and priced
  std::vector<report::Setting> set;  // alternatives of values: all choices of them
  std::string strategies;            // file with one strategy a line; empty: none
  std::size_t random = 0;            // strategies at random
  uint64_t seed = 0;                 // of the first of them, and of the inputs of checks
  std::string output = "-";          // for lines
  std::string front;                 // file for the lines of the Pareto front; empty: none
  bool resume = false;               // goes on with `output`
  report::SweepOptions options;      // threads, shardings, checks
  std::string flags;                 // options that results depend on, as they were given
};

/// Prints one line of JSON for each strategy, and the Pareto front of time and memory. Returns the
/// exit status.
int sweep_command(const SweepOrder& order);

}  // namespace shardy::tools
