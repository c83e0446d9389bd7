// How often the blocks of a program run.
#pragma once

#include <cstdint>
#include <optional>
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

  /// Count 0 for a block that is left out.
  Times of(ir::BlockId block) const { return runs_of(block).times; }

  /// The same count, times the devices along the manual axes around each run: the body of a
  /// manual computation computes one part of a value on each of them.
  double parts_of(ir::BlockId block) const { return runs_of(block).parts; }

 private:
  struct Runs {
    Times times = {};
    double parts = 1;
  };

  Runs runs_of(ir::BlockId block) const {
    const auto found = blocks_.find(block);
    return found != blocks_.end() ? found->second : Runs{{.count = 0}, 0};
  }
  static Runs multiplied(Runs runs, std::optional<int64_t> by);
  static Runs added(const Runs& a, const Runs& b);
  void enter(ir::BlockId block, Runs runs);
  std::vector<Runs> runs_inside(ir::OpId op, Runs runs) const;
  void call(ir::OpId op, const Runs& runs);

  const ir::Module& module_;
  std::unordered_map<ir::BlockId, Runs> blocks_;       // for look-ups only
  std::unordered_map<ir::OpId, Runs> functions_ = {};  // the same
};

}  // namespace shardy::report
