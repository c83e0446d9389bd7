// Loops in which blocks of a tensor go from device to device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "partitioning/emitter.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Over which devices blocks go around, and which of them a device is.
struct Ring {
  Place place;
  AxisList axes;
  int64_t size = 1;
};

/// That of a collective; nothing if it is one device.
std::optional<Ring> ring_of(const ir::Module& module, ir::OpId collective);

/// Returns the value of the device `steps` further along the ring.
ir::ValueId rotated(Emitter& emit, const Ring& ring, ir::ValueId value, int64_t steps);

/// One step: `moving` is what it gets and what it leaves, `made` is what is made so far; returns
/// what is made then.
using LoopBody =
    std::function<ir::ValueId(Emitter&, const Index& step, ir::ValueId& moving, ir::ValueId made)>;

/// Returns `made` after the steps 1 to `count` - 1. Only `made` is carried from step to step if
/// `moving` is not valid.
ir::ValueId loop(Emitter& emit, int64_t count, ir::ValueId moving, ir::ValueId made,
                 const LoopBody& body);

}  // namespace shardy::partitioning
