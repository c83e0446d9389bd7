// Bytes sent and held by a per-device program, without running it.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <vector>

namespace shardy::partitioning {

/// Cost of one device, the maximum over devices. Loops count once, and all branches count.
struct ProgramCost {
  int64_t bytes_sent = 0;  // as partitioning 11.9 counts
  int64_t messages = 0;    // ops that communicate
  double seconds = 0;      // of communication; 0 without a cost model
  int64_t peak_bytes = 0;  // live at one time: each value from its op to its last reader
  friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Returns the cost of `main` with its callees. Requires: a per-device program, no function calls
/// itself. Cost: linear in the program.
ProgramCost program_cost(const ir::Module& program);
/// Returns the same with the seconds of communication under `model`, as CollectivePrices counts
/// them. Cost: also linear in the devices for each permute.
ProgramCost program_cost(const ir::Module& program, const CostModel& model);

/// Where most is live: an op of `main`, then one in its regions or in what it calls, and so on.
struct PeakPlace {
  std::vector<ir::OpId> path;  // the last one has the peak
  /// Rather what it calls, before its first op; of an empty path `main`.
  bool is_at_entry = false;
  int64_t bytes = 0;  // ProgramCost::peak_bytes
};

/// Requires and cost: as program_cost.
PeakPlace peak_place(const ir::Module& program);

}  // namespace shardy::partitioning
