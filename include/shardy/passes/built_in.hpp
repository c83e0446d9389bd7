// The passes of this library, a registration per phase.
#pragma once

#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Adding a phase twice changes nothing.
void register_common_passes(PassRegistry& registry);
void register_import_passes(PassRegistry& registry);
void register_propagation_passes(PassRegistry& registry);
void register_export_passes(PassRegistry& registry);
void register_interop_passes(PassRegistry& registry);

/// All of them, in that order.
PassRegistry built_in_passes();

}  // namespace shardy::passes
