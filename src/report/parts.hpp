// The parts of a report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/run_times.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"
#include "shardy/simulation/run.hpp"

namespace shardy::report {

/// Returns whether the main function is what each device runs.
bool is_one_per_device(const ir::Module& program);

/// Compares a report with a run of the same program: bytes and counts of each kind of collectives,
/// where the text gives the number of runs, and the peak. Returns a line for each difference; the
/// peak of a program with branches or loops may be less in a run.
std::string run_difference(const checking::CompiledProgram& compiled, const Report& report,
                           std::span<const simulation::DeviceAccount> devices);

/// "stablehlo.add", or "argument 2 of @main".
std::string maker_of(const ir::Module& module, ir::ValueId value);
/// Of the op that makes a value; empty for arguments.
std::string place_of(const ir::Module& module, ir::ValueId value);

/// Communication ops that run, in program order. `program` is the one that they serve.
std::vector<Collective> collectives_of(const ir::Module& per_device, const ir::Module& program,
                                       const RunTimes& times, const CostModel& model);

MemoryPeak memory_peak(const ir::Module& per_device);

/// Values of functions that run; those of a per-device program as a device has them, whatever
/// sharding they were made from.
std::vector<Value> values_of(const ir::Module& program, const RunTimes& times, bool is_per_device);

/// Operations of one run; those in the body of a manual computation once for each device along its
/// manual axes. docs/report.md defines what counts.
double flops_of(const ir::Module& module, const RunTimes& times);
/// Operations of a program of global shapes that its results need: no dead ops, equal ops once, and
/// no ops that only carry shardings or stand for an `if`, as partitioning leaves them.
double needed_flops(ir::Module program);
/// Those of one op, run once; nothing of what is in its regions.
double flops_of_op(const ir::Module& module, ir::OpId op);

}  // namespace shardy::report
