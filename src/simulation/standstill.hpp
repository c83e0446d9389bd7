// Why a run that cannot go on has stopped. Spec: partitioning 11.5.
#pragma once

#include <span>

#include "simulation/machine.hpp"
#include "simulation/rendezvous.hpp"

namespace shardy::simulation {

/// Where a device stands.
struct Standing {
  const Machine* machine = nullptr;
  const Meeting* meeting = nullptr;  // null: finished
};

/// E_DIVERGENT if devices of one group wait at different places, or one of them is finished;
/// E_DEADLOCK if groups wait for each other in a circle.
/// Requires: standings by device id; some device waits; the others wait or are finished.
Error explain_standstill(const Program& program, std::span<const Standing> standings);

}  // namespace shardy::simulation
