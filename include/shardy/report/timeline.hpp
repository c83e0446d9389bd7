// Modelled timeline of the ops of a device, without overlap.
#pragma once

#include <cstdint>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/report/report.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// An op of the per-device program, over all its runs.
struct TimelineEvent {
  ir::OpId op = {};           // of the per-device program
  std::string name = {};      // "stablehlo.add", `spmd.all_gather {"x"}`
  std::string axes = {};      // axes it communicates along; empty: a compute op
  std::string location = {};  // of the op
  std::string serves = {};    // for a collective: the op that needs it
  Times times = {};           // runs in one run of the program
  double begin = 0;           // start in s
  double seconds = 0;         // duration of all runs in s
  int64_t bytes = 0;          // sent in all runs
  double operations = 0;      // floating-point operations per device
};

/// Options of make_timeline.
struct TimelineOptions {
  CostModel model = {};                   // axis costs, as for make_report
  double operations_per_second = 100e12;  // per device
};

/// Returns collectives and compute ops in start order; no ops overlap. An op in a loop is listed
/// once, with all its runs. Times of collectives are those of make_report, operations those of its
/// work per device. Cost: linear in the program.
std::vector<TimelineEvent> make_timeline(const checking::CompiledProgram& compiled,
                                         const TimelineOptions& options = {});

}  // namespace shardy::report
