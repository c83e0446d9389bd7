// The values whose reshards can run at the same time as operations.
#pragma once

#include <unordered_set>

#include "shardy/ir/module.hpp"

// Spec: autoshard U.3, report::DeviceRates::hidden_share.

namespace shardy::autoshard {

/// Finds values in main that depend only on arguments, and ops whose results only elementwise ops
/// before the results of main use. The collectives in a report are hideable by the same rules.
class HideableValues {
 public:
  explicit HideableValues(const ir::Module& module);

  /// Checks whether a value is an argument, or is moved or converted from one.
  bool is_early(ir::ValueId value) const { return early_.contains(value); }
  /// Checks whether reshards of the op's operands are used late. True for the return op, too.
  bool is_late(ir::OpId op) const { return late_.contains(op); }

 private:
  std::unordered_set<ir::ValueId> early_;  // never iterated
  std::unordered_set<ir::OpId> late_;      // never iterated
};

}  // namespace shardy::autoshard
