// Programs of one op, whose reports have its price.
#pragma once

#include <span>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::autoshard {

/// Returns a program whose main function contains only `op`. Its arguments and results have the
/// given shardings, one per operand and result. Scalar constants are copied instead.
ir::Module program_of_op(const ir::Module& module, ir::OpId op,
                         std::span<const TensorSharding> operands,
                         std::span<const TensorSharding> results);

}  // namespace shardy::autoshard
