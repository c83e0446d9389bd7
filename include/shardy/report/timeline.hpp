// The ops of a device in modelled time, without overlap.
#pragma once

#include <cstdint>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/report/report.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// An op of the per-device program, in all its runs.
struct TimelineEvent {
  ir::OpId op = {};           // of the per-device program
  std::string name = {};      // "stablehlo.add", `spmd.all_gather {"x"}`
  std::string axes = {};      // along which it sends; empty: it computes
  std::string location = {};  // of the op
  std::string serves = {};    // of a collective: the op for which it is there
  Times times = {};           // how often it runs in one run of the program
  double begin = 0;           // seconds from the beginning
  double seconds = 0;         // of all runs
  int64_t bytes = 0;          // sent in all runs
  double operations = 0;      // floating-point operations per device
};

/// Options of a timeline.
struct TimelineOptions {
  CostModel model = {};                   // of axes, as make_report takes it
  double operations_per_second = 100e12;  // of a device
};

/// Collectives, and ops that compute, in the order in which they begin; nothing overlaps. An op in
/// a loop is listed once, with all of its runs. The seconds of collectives are those of
/// make_report, the operations those of its work per device. Cost: linear in the program.
std::vector<TimelineEvent> make_timeline(const checking::CompiledProgram& compiled,
                                         const TimelineOptions& options = {});

}  // namespace shardy::report
