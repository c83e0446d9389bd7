#include "shardy/passes/built_in.hpp"

namespace shardy::passes {

PassRegistry built_in_passes() {
  PassRegistry registry;
  register_common_passes(registry);
  register_import_passes(registry);
  register_propagation_passes(registry);
  register_export_passes(registry);
  register_interop_passes(registry);
  return registry;
}

}  // namespace shardy::passes
