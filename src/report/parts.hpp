// The parts of a report.
#pragma once

#include <string>
#include <vector>

#include "report/run_times.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"

namespace shardy::report {

/// "stablehlo.add", or "argument 2 of @main".
std::string maker_of(const ir::Module& module, ir::ValueId value);
/// Of the op that makes a value; empty for arguments.
std::string place_of(const ir::Module& module, ir::ValueId value);

/// Communication ops that run, in program order. `program` is the one that they serve.
std::vector<Collective> collectives_of(const ir::Module& per_device, const ir::Module& program,
                                       const RunTimes& times, const CostModel& model);

MemoryPeak memory_peak(const ir::Module& per_device);

/// Values with a sharding, of functions that run.
std::vector<Value> values_of(const ir::Module& program, const RunTimes& times);

/// Arithmetic operations of one run. Products and convolutions count multiplications and additions,
/// reductions one operation per element that goes in, elementwise ops one per element that comes
/// out, triangular solves and Cholesky factors what their algorithms take. Nothing count what moves
/// elements, compares them for an order, or adds up the sums of devices: products and reductions
/// count an addition for the first element, too.
double flops_of(const ir::Module& module, const RunTimes& times);
/// Those of one op, run once; nothing of what is in its regions.
double flops_of_op(const ir::Module& module, ir::OpId op);

}  // namespace shardy::report
