// The table of all kernels by op kind, and kernels of embedders.
#pragma once

#include <string>

#include "shardy/ir/op_table.hpp"
#include "shardy/simulation/kernels/kernel.hpp"

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

}  // namespace shardy::simulation
