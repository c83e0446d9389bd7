// Effect of an op on operands that are partial. Spec: partitioning 3.1.
#pragma once

#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

enum class OperandRole : uint8_t {
  Whole,    // the op must see the value itself
  Summand,  // the op commutes with combining if all operands of this role are summands
  Factor    // the op commutes with combining if one operand of this role is a summand
};

/// The role of each operand of `op` when summands combine by `reducer` (add, maximum or minimum).
///
/// Linear is meant as the specification of the op has it: where floats are not finite, or where
/// sums of them round, the parts may add up to something else than the whole.
std::vector<OperandRole> operand_roles(const ir::Module& module, ir::OpId op, ir::OpKind reducer);

}  // namespace shardy::partitioning
