// All dims are closed and explicitly replicated axes are dropped. Spec: passes 5.8.
//
//   [{"x", ?}, {?}], replicated={"y"}, unreduced={"z"}   ->   [{"x"}, {}], unreduced={"z"}
#include "passes/common/sharding_walker.hpp"
#include "passes/export/export_passes.hpp"

namespace shardy::passes {

void close_shardings(ir::Module& module) {
  transform_shardings(module,
                      [](const TensorSharding& sharding) { return sharding.closed_like(); });
}

}  // namespace shardy::passes
