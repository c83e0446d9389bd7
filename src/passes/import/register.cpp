// The passes of the import phase. Spec: passes 4.
#include "shardy/passes/built_in.hpp"

namespace shardy::passes {

void register_import_passes(PassRegistry& /*registry*/) {}

}  // namespace shardy::passes
