// The parts of a report, and what several sources of this folder share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_explain.hpp"
#include "shardy/report/device_time.hpp"
#include "shardy/report/report.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::report {

// How often the blocks of a program run.

/// In one run of `main`: callers before callees, loops by what their text tells. Blocks of regions
/// that compute single elements (reducers, comparators) and functions that nothing calls are left
/// out. Requires: no function calls itself. Cost: linear in the module.
class RunTimes {
 public:
  explicit RunTimes(const ir::Module& module);

  /// Count 0 for a block that is left out.
  Times of(ir::BlockId block) const { return runs_of(block).times; }

  /// The same count, times the devices along the manual axes around each run: the body of a
  /// manual computation computes one part of a value on each of them.
  double parts_of(ir::BlockId block) const { return runs_of(block).parts; }

 private:
  struct Runs {
    Times times = {};
    double parts = 1;
  };

  Runs runs_of(ir::BlockId block) const {
    const auto found = blocks_.find(block);
    return found != blocks_.end() ? found->second : Runs{{.count = 0}, 0};
  }
  static Runs multiplied(Runs runs, std::optional<int64_t> by);
  static Runs added(const Runs& a, const Runs& b);
  void enter(ir::BlockId block, Runs runs);
  std::vector<Runs> runs_inside(ir::OpId op, Runs runs) const;
  void call(ir::OpId op, const Runs& runs);

  const ir::Module& module_;
  std::unordered_map<ir::BlockId, Runs> blocks_;       // for look-ups only
  std::unordered_map<ir::OpId, Runs> functions_ = {};  // the same
};

// Costs of one program.

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
/// Bytes that one op reads and writes, run once. docs/report.md defines what counts.
double bytes_of_op(const ir::Module& module, ir::OpId op);
/// Time that one op, run once, waits for memory after its operations. Requires: check_rates(rates).
double memory_seconds_of_op(const ir::Module& module, ir::OpId op, const DeviceRates& rates);

// Values that a module has; ids of what was erased have no place any more.

/// Returns the values in program order: arguments of regions before the ops, results after them.
std::vector<ir::ValueId> live_values(const ir::Module& module);

// One more propagation of a program, of which every decision is kept.

/// Propagates a copy of the program that `names` are of, as compile does. Errors: those of the
/// passes and of propagation.
DiagnosedResult<propagation::Explanation> explain(const text::WrittenValues& names,
                                                  const checking::CompileOptions& options,
                                                  const checking::Context& context);

// How many threads share work that falls into pieces.

/// As many as are wanted, one per core for 0, at least one and no more than there are pieces.
/// Requires: wanted >= 0.
inline std::size_t threads_for(int64_t wanted, std::size_t pieces) {
  const auto cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t most = wanted == 0 ? cores : static_cast<std::size_t>(wanted);
  return std::clamp<std::size_t>(pieces, 1, most);
}

}  // namespace shardy::report
