// Kernels of ops that are defined by other ops, or run as another one. Spec: stablehlo 29, 30.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// Writes the definition of an op: gets its operands, returns its results.
using Composition = std::function<std::vector<ir::ValueId>(
    ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands)>;

/// Runs the definition as a separate program. Errors: those of the ops in the definition, and
/// results of other types than the op declares.
Result<Kernel> composed_kernel(const KernelRequest& request, const Composition& compose);

/// Runs one op without regions on one device. Errors: as make_kernel, and those of the kernel.
Result<Tensors> run_single_op(ir::OpKind kind, ir::AttributeMap attributes,
                              std::span<const Tensor> operands,
                              const std::vector<ir::Type>& result_types);

}  // namespace shardy::simulation
