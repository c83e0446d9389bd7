// Buffers: arguments whose buffers results take, and memory that calls name.
#pragma once

#include <cstddef>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

/// Checks whether a device holds the argument of main and the result in the same type and sharding.
/// Requires: a main function that has both.
bool can_take_buffer(const ir::Module& program, std::size_t argument, std::size_t result);

/// Notes: an argument of the per-device program donates its buffer (`tf.aliasing_output`) to a
/// result of another type or sharding. Spec: interop 2.5.
Diagnostics donation_notes(const ir::Module& program);

/// Returns one note, N_PLACEMENT, per custom call of the per-device program that names the memory
/// in which its result is kept. Spec: interop 3.4.
Diagnostics placement_notes(const ir::Module& program);

}  // namespace shardy::checking
