// How often the blocks of a program run.
#pragma once

#include <unordered_map>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"

namespace shardy::report {

/// In one run of `main`: callers before callees, loops by what their text tells. Blocks of regions
/// that compute single elements (reducers, comparators) and functions that nothing calls are left
/// out. Requires: no function calls itself. Cost: linear in the module.
class RunTimes {
 public:
  explicit RunTimes(const ir::Module& module);

  /// Nothing runs in a block that is left out.
  Times of(ir::BlockId block) const {
    const auto found = blocks_.find(block);
    return found != blocks_.end() ? found->second : Times{.count = 0};
  }

 private:
  void enter(ir::BlockId block, Times times);
  std::vector<Times> times_inside(ir::OpId op, Times count) const;
  void call(ir::OpId op, Times times);

  const ir::Module& module_;
  std::unordered_map<ir::BlockId, Times> blocks_;       // for look-ups only
  std::unordered_map<ir::OpId, Times> functions_ = {};  // the same
};

}  // namespace shardy::report
