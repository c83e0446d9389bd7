// Why a run that cannot go on has stopped. Spec: partitioning 11.5.
#pragma once

#include <span>

#include "simulation/machine.hpp"
#include "simulation/rendezvous.hpp"

namespace shardy::simulation {

/// The next instruction of a device and the collective that it waits for.
struct DeviceState {
  const Machine* machine = nullptr;
  const CollectiveInstance* instance = nullptr;  // null: finished
};

/// E_DIVERGENT if devices of one group wait at different places, or one of them is finished;
/// E_DEADLOCK if groups wait for each other in a circle.
/// Requires: states by device id; some device waits; the others wait or are finished.
Error explain_deadlock(const Program& program, std::span<const DeviceState> states);

}  // namespace shardy::simulation
