// Ops that run as another op, which is known only when their operands are.
#pragma once

#include <span>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// Runs one op without regions on one device. Errors: as make_kernel, and those of the kernel.
Result<Tensors> run_single_op(ir::OpKind kind, ir::AttributeMap attributes,
                              std::span<const Tensor> operands,
                              const std::vector<ir::Type>& result_types);

}  // namespace shardy::simulation
