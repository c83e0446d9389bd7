// Unsupported features of a form of shardings. Spec: interop 7.3.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Returns one warning per kind of unsupported feature, with the number of occurrences and the
/// first place.
Diagnostics unsupported_features(const ir::Module& module, ExportForm form);

}  // namespace shardy::passes
