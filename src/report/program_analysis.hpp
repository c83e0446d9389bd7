// Analysis of one program for reports: run counts of blocks, collectives, values, peak memory,
// operations, and the explanation of its propagation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/report/report.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::report {

// Run counts of blocks.

/// The number of runs of each block in one run of `main`. Loops count by the trip count that their
/// text gives. Omits regions that compute single elements (reducers, comparators) and functions
/// without calls. Requires: no recursion. Cost: linear in the module.
class RunTimes {
 public:
  explicit RunTimes(const ir::Module& module);

  /// Returns the run count of a block; 0 for an omitted block.
  Times of(ir::BlockId block) const { return runs_of(block).times; }

  /// Returns the run count times the number of devices along the enclosing manual axes, because
  /// each of these devices runs the body of a manual computation on its shard.
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
  std::unordered_map<ir::BlockId, Runs> blocks_;       // never iterated
  std::unordered_map<ir::OpId, Runs> functions_ = {};  // never iterated
};

// Costs of one program.

/// Checks whether `program` is a per-device program.
bool is_one_per_device(const ir::Module& program);

/// Compares a report with a run of the same program: the bytes and counts of each kind of
/// collectives whose number of runs the text determines, and the peak. Returns one line per
/// difference. The peak of a program with branches or loops may be lower in a run.
std::string run_difference(const checking::CompiledProgram& compiled, const Report& report,
                           std::span<const simulation::DeviceAccount> devices);

/// Returns the name of the defining op, or the argument, such as "stablehlo.add" or "argument 2 of
/// @main".
std::string maker_of(const ir::Module& module, ir::ValueId value);
/// Returns the location of the op that defines a value; empty for arguments.
Location place_of(const ir::Module& module, ir::ValueId value);

/// Returns the communication ops that run, in program order. `program` is the source program, which
/// has the ops for which they run.
std::vector<Collective> collectives_of(const ir::Module& per_device, const ir::Module& program,
                                       const RunTimes& times, const CostModel& model);

/// Adds the totals of the report's collectives in the per-device program.
void add_totals(Report& report, const ir::Module& per_device);

/// Returns the collectives whose number of runs differs, the largest increase in bytes
/// first.
std::vector<CollectiveChange> collective_changes(const Report& before, const Report& after);

/// Returns the indices of values of both reports whose sharding differs, in the order of
/// Difference::shardings.
std::vector<std::pair<std::size_t, std::size_t>> changed_values(const Report& before,
                                                                const Report& after);

MemoryPeak memory_peak(const ir::Module& per_device);

/// The buffer of a sharded tensor on a device.
struct ShardSize {
  ir::Type type;              // type with the local shape, including padding
  int64_t padding_bytes = 0;  // average over devices
};
/// Returns the size of the buffer. Requires: a static tensor, a sharding of its rank.
ShardSize shard_size(const ir::Type& type, const TensorSharding& sharding);

/// Returns the values of functions that run. Values of a per-device program have local shapes.
std::vector<ReportedValue> values_of(const ir::Module& program, const RunTimes& times,
                                     bool is_per_device);

/// Returns the number of operations of one run. The body of a manual computation counts once per
/// device along its manual axes. docs/report.md defines which operations count.
double flops_of(const ir::Module& module, const RunTimes& times);
/// Returns the number of operations on which the results of a global program depend. Excludes dead
/// ops, duplicates of equal ops, ops whose only purpose is a sharding, and ops that partitioning
/// adds instead of an `if`.
double needed_flops(ir::Module program);
/// Returns the number of operations of one run of an op, without its regions.
double flops_of_op(const ir::Module& module, ir::OpId op);
/// Returns the bytes that one run of an op reads and writes. docs/report.md defines which bytes
/// count.
double bytes_of_op(const ir::Module& module, ir::OpId op);
/// Returns the time for which one run of an op waits for memory after its operations. Requires:
/// check_rates(rates).
double memory_seconds_of_op(const ir::Module& module, ir::OpId op, const DeviceRates& rates);

/// Finds values and ops of a global or per-device program whose collectives can run at the same
/// time as operations. Cost: linear in the module. Spec: autoshard U.3, DeviceRates::hidden_share.
class HideableOps {
 public:
  explicit HideableOps(const ir::Module& module);

  /// Checks whether a value is an argument of main, or is moved or converted from one.
  bool is_early(ir::ValueId value) const { return early_.contains(value); }
  /// Checks whether an op is the return of main, or an elementwise or moving op whose results only
  /// such ops use. Reductions of its operands can run while other values are computed.
  bool is_late(ir::OpId op) const { return late_.contains(op); }
  bool is_read_late(ir::OpId op) const;
  /// Checks whether the operand of a collective is early, or the collective is late.
  bool contains(ir::OpId collective) const;

 private:
  const ir::Module& module_;
  std::unordered_set<ir::ValueId> early_;  // never iterated
  std::unordered_set<ir::OpId> late_;      // never iterated
};

// Values of a module. Ids of erased ops and values are skipped.

/// Returns the values in program order: arguments of regions before the ops, results after them.
std::vector<ir::ValueId> live_values(const ir::Module& module);

// Explanation.

/// Propagates a copy of the program of `names` as compile does and records every decision. Errors:
/// those of the passes and of propagation.
DiagnosedResult<propagation::Explanation> explain(const text::WrittenValues& names,
                                                  const checking::CompileOptions& options,
                                                  const checking::Context& context);

// Threads.

/// Returns the number of threads for `pieces` tasks: `wanted`, or one per core if `wanted` is 0; at
/// least 1 and at most `pieces`. Requires: wanted >= 0.
inline std::size_t threads_for(int64_t wanted, std::size_t pieces) {
  const auto cores = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t most = wanted == 0 ? cores : static_cast<std::size_t>(wanted);
  return std::clamp<std::size_t>(pieces, 1, most);
}

// -------------------------------------------------------------------------------------------------

// Arguments and results of main that share a buffer, and therefore a sharding.

/// A result that reuses the buffer of an argument.
struct BufferTie {
  AnnotationPlace argument;
  AnnotationPlace result;
};

/// Returns ties between tensors of equal type. Each argument and each result has at most one tie.
/// First come ties of `tf.aliasing_output`. Then each argument with `jax.buffer_donor` (with
/// `by_type`, each argument) is tied to the first result without a tie. Cost: arguments times
/// results.
std::vector<BufferTie> buffer_ties(const ir::Module& module, bool by_type);

}  // namespace shardy::report
