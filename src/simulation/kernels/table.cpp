// From an op to its kernel.
#include <algorithm>
#include <iterator>

#include "shardy/ir/verify.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

#define SHARDY_ROW(kind) KernelRow{ir::OpKind::kind, &make_kernel_of<ir::OpKind::kind>},
constexpr KernelRow kKernels[] = {SHARDY_KERNELS(SHARDY_ROW)};
#undef SHARDY_ROW

const KernelRow* find_row(ir::OpKind kind) {
  const auto* const row = std::ranges::lower_bound(kKernels, kind, {}, &KernelRow::kind);
  return row != std::end(kKernels) && row->kind == kind ? row : nullptr;
}

}  // namespace

bool has_kernel(ir::OpKind kind) { return find_row(kind) != nullptr; }

Result<Kernel> make_kernel(const KernelRequest& request) {
  const KernelRow* const row = find_row(request.module.kind(request.op));
  if (row == nullptr) {
    return fail_at(request.module.location_text(request.op),
                   "unsupported op " + std::string(request.module.name(request.op)));
  }
  SHARDY_TRY_STATUS(ir::verify_types(request.module, request.op));
  return row->make(request);
}

}  // namespace shardy::simulation
