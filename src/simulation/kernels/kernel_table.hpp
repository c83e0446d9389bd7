// The table of all kernels by op kind, kernels of embedders, and kernels of ops that are defined by
// other ops. Spec: stablehlo 29, 30.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/simulation/run.hpp"

namespace shardy::simulation {

/// Makes the kernel of an op kind. The specializations are next to the kernels.
template <ir::OpKind kKind>
Result<Kernel> make_kernel_of(const KernelRequest& request);

#define SHARDY_OP(kind, ...) \
  template <>                \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request);
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP

/// Defines that `maker(request)` makes the kernels of that kind.
#define SHARDY_KERNEL(kind, ...)                                                  \
  static_assert(!ir::has_trait(ir::OpKind::kind, ir::kNoKernel));                 \
  template <>                                                                     \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request) { \
    return __VA_ARGS__(request);                                                  \
  }

/// Returns the embedder's kernel of that name; null if none exists.
const ForeignKernel* find_foreign(const ForeignKernels::KernelsByName& kernels,
                                  std::string_view name);

/// Returns a kernel that runs the embedder's kernel and checks that the results have the declared
/// types.
Kernel foreign_kernel(const KernelRequest& request, ForeignKernel kernel, std::string name);

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
