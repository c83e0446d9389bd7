// Unsupported features of a form of shardings. Spec: interop 7.3.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// A warning for each kind of things that the text of the form has no words for, with their number
/// and the first place.
Diagnostics lost_parts(const ir::Module& module, ExportForm form);

}  // namespace shardy::passes
