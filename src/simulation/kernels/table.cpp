// The table from op kinds to kernels.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/verify.hpp"
#include "simulation/kernels/chlo.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {
namespace {

template <ir::OpKind kKind>
constexpr KernelMaker maker_of() {
  if constexpr (ir::has_trait(kKind, ir::kNoKernel)) {
    return nullptr;
  } else {
    return &make_kernel_of<kKind>;
  }
}

/// Makers in the order of OpKind; null if the op has no kernel.
constexpr KernelMaker kMakers[] = {
#define SHARDY_OP(kind, ...) maker_of<ir::OpKind::kind>(),
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP
    nullptr};

KernelMaker find_maker(ir::OpKind kind) { return kMakers[static_cast<std::size_t>(kind)]; }

}  // namespace

const ForeignKernel* find_foreign(const ForeignKernels::KernelsByName& kernels,
                                  std::string_view name) {
  const auto found = kernels.find(name);
  return found != kernels.end() ? &found->second : nullptr;
}

Kernel foreign_kernel(const KernelRequest& request, ForeignKernel kernel, std::string name) {
  const ir::Module& module = request.module;
  std::vector<ir::Type> types;
  for (const ir::ValueId result : module.results(request.op)) types.push_back(module.type(result));
  return
      [kernel = std::move(kernel), name = std::move(name),
       attributes = module.attributes(request.op), types = std::move(types),
       op_name = std::string(module.name(request.op)),
       location = module.source_location(request.op)](const KernelCall& call) -> Result<Tensors> {
        Result<Tensors> results = kernel({name, attributes, call.operands, types});
        if (!results) return results;
        const bool fits = std::ranges::equal(
            *results, types,
            [](const Tensor& x, const ir::Type& type) { return x && x.type() == type; });
        if (fits) return results;
        return fail_at(location, op_name + ": the kernel of " + name +
                                     " gave results of other types than declared");
      };
}

bool has_kernel(ir::OpKind kind) { return find_maker(kind) != nullptr; }

Result<Kernel> make_kernel(const KernelRequest& request) {
  const ir::Module& module = request.module;
  if (const KernelMaker make = find_maker(module.kind(request.op))) {
    SHARDY_TRY_STATUS(ir::verify_types(module, request.op));
    if (is_exact_function(module, request.op)) return exact_function(request);
    return make(request);
  }
  const std::string name(module.name(request.op));
  const bool is_foreign = module.is(request.op, ir::OpKind::Unknown);
  const ForeignKernel* own =
      is_foreign && request.foreign != nullptr ? find_foreign(request.foreign->ops, name) : nullptr;
  if (own != nullptr) return foreign_kernel(request, *own, name);
  Error error{"unsupported op " + name, module.source_location(request.op)};
  if (is_foreign) error.notes.emplace_back("an embedder can give it a kernel (ForeignKernels)");
  return tl::unexpected(std::move(error));
}

}  // namespace shardy::simulation
