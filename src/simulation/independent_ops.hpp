// Ops of one device that can run at one time.
#pragma once

#include "simulation/program.hpp"

namespace shardy::simulation {

/// Computes for each instruction how many following ones may run concurrently: ops that compute,
/// without effects, large enough for a thread, and independent of each other's results.
void find_independent_ops(const Program& program, Code& code);

}  // namespace shardy::simulation
