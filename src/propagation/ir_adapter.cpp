#include "shardy/propagation/ir_adapter.hpp"

#include "shardy/propagation/ir_propagate.hpp"

namespace shardy::propagation {

Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options) {
  NoObserver nobody;
  return propagate(module, options, nobody);
}

}  // namespace shardy::propagation
