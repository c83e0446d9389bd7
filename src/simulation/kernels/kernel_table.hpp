// All kernels, by their op: those of all ops except the ones listed as having none, and those of
// embedders.
#pragma once

#include <string>

#include "shardy/ir/op_table.hpp"
#include "shardy/simulation/kernels/kernel.hpp"

namespace shardy::simulation {

/// Makes the kernel of one kind of op; defined next to the kernel.
template <ir::OpKind kKind>
Result<Kernel> make_kernel_of(const KernelRequest& request);

#define SHARDY_OP(kind, ...) \
  template <>                \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request);
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP

/// `maker(request)` makes the kernel of that kind.
#define SHARDY_KERNEL(kind, ...)                                                  \
  static_assert(!ir::has_trait(ir::OpKind::kind, ir::kNoKernel));                 \
  template <>                                                                     \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request) { \
    return __VA_ARGS__(request);                                                  \
  }

/// The embedder's kernel of that name among `kernels`, or null.
const ForeignKernel* find_foreign(const ForeignKernels::ByName& kernels, std::string_view name);

/// Runs the embedder's kernel, and refuses results of other types than the op declares.
Kernel foreign_kernel(const KernelRequest& request, ForeignKernel kernel, std::string name);

}  // namespace shardy::simulation
