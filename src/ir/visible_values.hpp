// The values that an op may use: those defined before it in its block or around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// The values visible at each op, in a walk over a module in program order. Every step takes
/// constant time per value.
///
/// In a region of several blocks, which only unknown ops have, values of earlier blocks stay
/// visible, because the control flow between the blocks is unknown.
class VisibleValues {
 public:
  explicit VisibleValues(const Module& module) : module_(module), values_(module.num_values()) {}

  void define_arguments(BlockId block) {
    for (const ValueId arg : module_.args(block)) define(arg);
  }
  void define_results(OpId op) {
    for (std::size_t index = 0; index < module_.num_results(op); ++index) {
      define(module_.result(op, index));
    }
  }
  void enter_regions(OpId op) {
    if (module_.has_trait(op, kIsolated)) isolated_.push_back(op);
  }
  /// Removes the values that the regions define.
  void leave_regions(OpId op);

  Status check_operands(OpId op) const;

 private:
  enum class State : uint8_t { Undefined, Visible, Gone };
  struct Entry {
    State state = State::Undefined;
    OpId isolated;  // the innermost isolated op around the definition
  };

  OpId innermost() const { return isolated_.empty() ? OpId() : isolated_.back(); }
  void define(ValueId value) { values_[value.index()] = Entry{State::Visible, innermost()}; }
  void forget(ValueId value) { values_[value.index()].state = State::Gone; }
  void forget_results(OpId op);
  Status check(std::size_t operand, ValueId value) const;

  const Module& module_;
  std::vector<Entry> values_;
  std::vector<OpId> isolated_;
};

}  // namespace shardy::ir
