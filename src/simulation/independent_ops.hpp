// Ops of one device that can run at one time.
#pragma once

#include "simulation/program.hpp"

namespace shardy::simulation {

/// Says for each instruction how many of those behind it may run along with it: ops that compute,
/// without effects, large enough to be worth a thread, and none reads what another writes.
void find_independent_ops(const Program& program, Code& code);

}  // namespace shardy::simulation
