#include "visible_values.hpp"

#include "op_facts.hpp"

namespace shardy::ir {

void VisibleValues::forget_results(OpId op) {
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    forget(module_.result(op, index));
  }
}

void VisibleValues::leave_regions(OpId op) {
  for (const RegionId region : module_.regions(op)) {
    for (const BlockId block : module_.blocks(region)) {
      for (const ValueId arg : module_.args(block)) forget(arg);
      for (const OpId inner : module_.ops(block)) forget_results(inner);
    }
  }
  if (innermost() == op) isolated_.pop_back();
}

Status VisibleValues::check(std::size_t operand, ValueId value) const {
  const Entry& entry = values_[value.index()];
  switch (entry.state) {
    case State::Undefined:
      return fail(operand_name(operand) + " is used before it is defined");
    case State::Gone:
      return fail(operand_name(operand) + " is used outside of the region that defines it");
    case State::Visible:
      break;
  }
  if (entry.isolated == innermost()) return {};
  return fail(operand_name(operand) + " is defined outside of the isolated regions of '" +
              std::string(module_.name(innermost())) + "'");
}

Status VisibleValues::check_operands(OpId op) const {
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    SHARDY_TRY_STATUS(check(index, module_.operand(op, index)));
  }
  return {};
}

}  // namespace shardy::ir
