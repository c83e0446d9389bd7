#include "report/live_values.hpp"

#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::report {

std::vector<ir::ValueId> live_values(const ir::Module& module) {
  std::vector<ir::ValueId> values;
  for (const ir::OpId op : ir::pre_order(module)) {
    for (std::size_t region = 0; region < module.regions(op).size(); ++region) {
      const auto block = ir::entry_block(module, op, region);
      if (!block) continue;
      values.insert(values.end(), module.args(*block).begin(), module.args(*block).end());
    }
    for (const ir::ValueId result : module.results(op)) values.push_back(result);
  }
  return values;
}

}  // namespace shardy::report
