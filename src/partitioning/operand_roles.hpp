// Effect of an op on operands that are partial. Spec: partitioning 3.1.
#pragma once

#include <cstdint>
#include <vector>

#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

enum class OperandRole : uint8_t {
  Whole,    // the op needs the complete value
  Summand,  // linear in all operands of this role together
  Factor    // linear in each operand of this role separately
};

/// Returns the role of each operand of `op` when partial values are reduced by `reducer` (add,
/// maximum or minimum).
///
/// Linearity is that of the op's specification: with non-finite floats, or where sums round,
/// reducing the results may differ from the result of the reduced operand.
std::vector<OperandRole> operand_roles(const ir::Module& module, ir::OpId op, ir::OpKind reducer);

}  // namespace shardy::partitioning
