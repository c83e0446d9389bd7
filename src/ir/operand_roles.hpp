// The effect of ops on partial operands: which operands an op is linear in. Spec: partitioning 3.1.
#pragma once

#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::ir {

enum class OperandRole : uint8_t {
  Whole,    // the op needs the complete (reduced) value
  Summand,  // linear in all operands of this role together
  Factor    // linear in each operand of this role separately
};

/// Returns the role of each operand of `op` for partial values that `reducer` reduces: add, maximum
/// or minimum.
///
/// The roles follow the op's specification in exact arithmetic. With non-finite or rounded floats,
/// a reduction of the op's results may differ from the op of the reduced operand.
std::vector<OperandRole> operand_roles(const Module& module, OpId op, OpKind reducer);

}  // namespace shardy::ir
