// Traffic and peak memory of a per-device program, without running it.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <vector>

namespace shardy::partitioning {

/// Cost per device, the maximum over devices. Loop bodies count once, and all branches count.
struct ProgramCost {
  int64_t bytes_sent = 0;  // as defined in partitioning 11.9
  int64_t messages = 0;    // number of communication ops
  double seconds = 0;      // of communication; 0 without a cost model
  int64_t peak_bytes = 0;  // live bytes: each value from its op to its last user
  friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Returns the cost of `main` with its callees. Requires: a per-device program, no recursion. Cost:
/// linear in the program.
ProgramCost program_cost(const ir::Module& program);
/// Returns the cost with the time of communication under `model`, as CollectivePrices counts it.
/// Otherwise as without a model. Cost: also linear in devices per permute.
ProgramCost program_cost(const ir::Module& program, const CostModel& model);

/// Position of peak memory: an op of `main`, then an op in its regions or callee, and so on.
struct PeakPlace {
  std::vector<ir::OpId> path;  // the last op has the peak
  /// The peak is at the start of the last op's callee, or of `main` for an empty path.
  bool is_at_entry = false;
  int64_t bytes = 0;  // ProgramCost::peak_bytes
};

/// Returns the position of peak memory. Requires and cost: as program_cost.
PeakPlace peak_place(const ir::Module& program);

}  // namespace shardy::partitioning
