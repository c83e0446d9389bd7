// Registration of the built-in passes, one function per phase.
#pragma once

#include <shardy/passes/pass.hpp>

namespace shardy::passes {

/// Adds the common passes. Adding them twice changes nothing.
void register_common_passes(PassRegistry& registry);
/// Adds the passes of Shardy's import phase. Requires: none of them is registered.
void register_import_passes(PassRegistry& registry);
/// Adds the propagation passes. Requires: none of them is registered.
void register_propagation_passes(PassRegistry& registry);
/// Adds the passes of Shardy's export phase. Requires: none of them is registered.
void register_export_passes(PassRegistry& registry);
/// Adds the passes of docs/spec/interop.md. Requires: none of them is registered.
void register_interop_passes(PassRegistry& registry);

/// Returns a registry with all of them, in that order.
PassRegistry built_in_passes();

}  // namespace shardy::passes
