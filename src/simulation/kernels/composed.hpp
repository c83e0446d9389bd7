// Kernels of ops that are defined by other ops. Spec: stablehlo 29, 30.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// A function that appends the definition of an op to a function: maps its operands to its results.
using Composition = std::function<std::vector<ir::ValueId>(
    ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands)>;

/// Returns a kernel that runs the definition as a separate program. Errors: those of the ops in the
/// definition; result types that differ from the declared ones.
Result<Kernel> composed_kernel(const KernelRequest& request, const Composition& compose);

/// Runs one op without regions on one device. Errors: those of make_kernel and of the kernel.
Result<Tensors> run_single_op(ir::OpKind kind, ir::AttributeMap attributes,
                              std::span<const Tensor> operands,
                              const std::vector<ir::Type>& result_types);

}  // namespace shardy::simulation
