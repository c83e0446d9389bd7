// The operands of ops and the uses of values.
//
//   %2 = add %0, %0     slots   0: %0 of op 2 -> 1     list of %0: 2 uses, the newest in slot 2
//   %3 = tanh %0                1: %0 of op 2 -> end
//                               2: %0 of op 3 -> 0
#pragma once

#include <cstdint>
#include <shardy/ir/op_table.hpp>
#include <shardy/support/contract.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::ir {

/// Operands of ops, in slots. The slots of one op are consecutive. The slots that have a value form
/// a doubly linked list, the newest use first, so that a use is removed in constant time.
class UseTable {
 public:
  /// Marks the end of a list.
  static constexpr uint32_t kEnd = UINT32_MAX;

  /// Adds the next value, without uses.
  void add_value() { shardy::detail::push_row(lists_, UseList()); }
  /// Adds the operands of an op. Returns the slot of the first one.
  uint32_t add_operands(OpId op, std::span<const ValueId> values);
  ValueId value(uint32_t slot) const { return slots_[slot].value; }
  OpId op(uint32_t slot) const { return slots_[slot].op; }

  uint32_t num_uses(ValueId value) const { return list(value).count; }
  /// Returns the slot of the newest use of a value; kEnd without uses.
  uint32_t first(ValueId value) const { return list(value).first; }
  /// Returns the slot of the next older use of the value in `slot`; kEnd after the last one.
  uint32_t next(uint32_t slot) const { return slots_[slot].next; }

  /// Replaces the value in a slot. The new use is the newest one of `value`.
  void replace(uint32_t slot, ValueId value);
  /// Removes a use. The slot must not be used again.
  void remove(uint32_t slot);

 private:
  struct OperandSlot {
    ValueId value;
    OpId op;
    uint32_t prev = kEnd, next = kEnd;
  };
  struct UseList {
    uint32_t first = kEnd;
    uint32_t count = 0;
  };
  UseList& list(ValueId value) {
    SHARDY_EXPECTS(shardy::detail::is_in(value, lists_));
    return lists_[value.index()];
  }
  const UseList& list(ValueId value) const {
    SHARDY_EXPECTS(shardy::detail::is_in(value, lists_));
    return lists_[value.index()];
  }
  void add(uint32_t slot, ValueId value);

  std::vector<OperandSlot> slots_;
  std::vector<UseList> lists_;  // by value
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
namespace shardy::ir {

SHARDY_INLINE uint32_t UseTable::add_operands(OpId op, std::span<const ValueId> values) {
  const auto first = static_cast<uint32_t>(slots_.size());
  for (const ValueId value : values) {
    shardy::detail::push_row(slots_, OperandSlot{ValueId(), op});
    add(static_cast<uint32_t>(slots_.size() - 1), value);
  }
  return first;
}

SHARDY_INLINE void UseTable::add(uint32_t slot, ValueId value) {
  UseList& uses = list(value);
  slots_[slot].value = value;
  slots_[slot].prev = kEnd;
  slots_[slot].next = uses.first;
  if (uses.first != kEnd) slots_[uses.first].prev = slot;
  uses.first = slot;
  ++uses.count;
}

SHARDY_INLINE void UseTable::remove(uint32_t slot) {
  const OperandSlot link = slots_[slot];
  UseList& uses = list(link.value);
  (link.prev != kEnd ? slots_[link.prev].next : uses.first) = link.next;
  if (link.next != kEnd) slots_[link.next].prev = link.prev;
  --uses.count;
}

SHARDY_INLINE void UseTable::replace(uint32_t slot, ValueId value) {
  remove(slot);
  add(slot, value);
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
