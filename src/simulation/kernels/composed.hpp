// Kernels of ops that are defined by other ops. Spec: stablehlo 29, 30.
#pragma once

#include <functional>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// Writes the definition of an op: gets its operands, returns its results.
using Composition = std::function<std::vector<ir::ValueId>(
    ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands)>;

/// Runs the definition as a program of its own. Errors: those of the ops it is made of, results of
/// other types than the op declares.
Result<Kernel> composed_kernel(const KernelRequest& request, const Composition& compose);

}  // namespace shardy::simulation
