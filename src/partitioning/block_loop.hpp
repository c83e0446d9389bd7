// Loops in which blocks of a tensor rotate among devices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "partitioning/emitter.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// A group of devices that rotate blocks, and the rank of this device.
struct Ring {
  DeviceOrder place;
  AxisList axes;
  int64_t size = 1;
};

/// Returns the ring of a collective; std::nullopt for a single device.
std::optional<Ring> ring_of(const ir::Module& module, ir::OpId collective);

/// Returns the value of the device `steps` ranks further.
ir::ValueId rotated(Emitter& emit, const Ring& ring, ir::ValueId value, int64_t steps);

/// One iteration: `moving` is the block it receives and passes on, `made` the result so far.
/// Returns the new result.
using LoopBody = std::function<ir::ValueId(Emitter&, const ScalarIndex& step, ir::ValueId& moving,
                                           ir::ValueId made)>;

/// Returns `made` after the iterations 1 to `count` - 1. An invalid `moving` is not carried.
ir::ValueId loop(Emitter& emit, int64_t count, ir::ValueId moving, ir::ValueId made,
                 const LoopBody& body);

}  // namespace shardy::partitioning
