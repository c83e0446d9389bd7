// The passes of this library, a registration per phase.
#pragma once

#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Adding a phase twice changes nothing.
void register_common_passes(PassRegistry& registry);
/// The passes of Shardy's import phase. Requires: none of them is registered yet.
void register_import_passes(PassRegistry& registry);
/// The propagation passes. Requires: none of them is registered yet.
void register_propagation_passes(PassRegistry& registry);
/// The passes of Shardy's export phase. Requires: none of them is registered yet.
void register_export_passes(PassRegistry& registry);
/// The passes of docs/spec/interop.md. Requires: none of them is registered yet.
void register_interop_passes(PassRegistry& registry);

/// All of them, in that order.
PassRegistry built_in_passes();

}  // namespace shardy::passes
