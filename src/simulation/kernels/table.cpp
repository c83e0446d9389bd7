// From an op to its kernel.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "shardy/ir/verify.hpp"
#include "simulation/kernels/foreign.hpp"
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
  const ir::Module& module = request.module;
  if (const KernelRow* const row = find_row(module.kind(request.op))) {
    SHARDY_TRY_STATUS(ir::verify_types(module, request.op));
    return row->make(request);
  }
  const std::string name(module.name(request.op));
  const bool is_foreign = module.is(request.op, ir::OpKind::Unknown);
  const ForeignKernel* own =
      is_foreign && request.foreign != nullptr ? find_foreign(request.foreign->ops, name) : nullptr;
  if (own != nullptr) return foreign_kernel(request, *own, name);
  Error error{"unsupported op " + name, module.location_text(request.op)};
  if (is_foreign) error.notes.emplace_back("an embedder can give it a kernel (ForeignKernels)");
  return tl::unexpected(std::move(error));
}

}  // namespace shardy::simulation
