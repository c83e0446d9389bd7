// Donated buffers of arguments, and memory that custom calls name.
#pragma once

#include <cstddef>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

/// Checks whether a device has the argument and the result of main with equal types and shardings.
/// Requires: main has both.
bool can_take_buffer(const ir::Module& program, std::size_t argument, std::size_t result);

/// Returns a note for each argument of the per-device program that donates its buffer
/// (`tf.aliasing_output`) to a result with another type or sharding. Spec: interop 2.5.
Diagnostics donation_notes(const ir::Module& program);

/// Returns one note, N_PLACEMENT, per custom call of the per-device program that names the memory
/// of its result. Spec: interop 3.4.
Diagnostics placement_notes(const ir::Module& program);

}  // namespace shardy::checking
