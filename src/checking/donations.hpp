// Arguments whose buffers results take.
#pragma once

#include "shardy/ir/module.hpp"
#include "shardy/support/diagnostic.hpp"

namespace shardy::checking {

/// Notes: an argument of the per-device program says with `tf.aliasing_output` that a result takes
/// its buffer, and that has another type or sharding. Spec: interop 2.5.
Diagnostics donation_notes(const ir::Module& program);

}  // namespace shardy::checking
