// Values whose reshards may run at the same time as operations.
#pragma once

#include <unordered_set>

#include "shardy/ir/module.hpp"

// Spec: autoshard U.3, report::DeviceRates::hidden_share.

namespace shardy::autoshard {

/// Finds, in main, values of arguments alone, and ops whose results only elementwise ops before
/// results of main use. Collectives of a report are hideable by the same rules.
class HideableValues {
 public:
  explicit HideableValues(const ir::Module& module);

  /// Checks whether a value is an argument, or moved or converted from one.
  bool is_early(ir::ValueId value) const { return early_.contains(value); }
  /// Checks whether reshards of operands of an op are used late: the return included.
  bool is_late(ir::OpId op) const { return late_.contains(op); }

 private:
  std::unordered_set<ir::ValueId> early_;  // for look-ups only
  std::unordered_set<ir::OpId> late_;      // the same
};

}  // namespace shardy::autoshard
