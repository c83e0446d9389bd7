// What a per-device program sends and holds, by its text alone.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <vector>

namespace shardy::partitioning {

/// Of one device, at most. Loops count as if they ran once, branches as if all of them did.
struct ProgramCost {
  int64_t bytes_sent = 0;  // as partitioning 11.9 counts
  int64_t messages = 0;    // ops that communicate
  int64_t peak_bytes = 0;  // live at one time: each value from its op to its last reader
  friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Of `main`, with all that it calls. Requires: a per-device program, no function calls itself.
/// Cost: linear in the program.
ProgramCost program_cost(const ir::Module& program);

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
