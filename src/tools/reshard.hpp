// reshard: the collectives between two shardings, without a program around them.
#pragma once

#include <cstdint>
#include <string>

namespace shardy::tools {

struct ReshardQuestion {
  std::string mesh;     // `<["x"=2, "y"=3]>`
  std::string to_mesh;  // the same axes with the devices in another order; empty: `mesh`
  std::string shape;    // `24x24xf32`
  std::string from;     // `[{"x"}, {"y"}]`, with the other clauses of a sharding after it
  std::string to;
  std::string axis_cost;  // `x=ring:100GB/s:1us`
  int64_t max_live_bytes = 0;
  bool json = false;
};

/// Prints the plan of the reference and the best one, step by step, and what they cost. Returns the
/// exit status.
int reshard_command(const ReshardQuestion& question);

}  // namespace shardy::tools
