#include "simulation/kernels/foreign.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace shardy::simulation {

const ForeignKernel* find_foreign(const ForeignKernels::ByName& kernels, std::string_view name) {
  const auto found = kernels.find(name);
  return found != kernels.end() ? &found->second : nullptr;
}

Kernel foreign_kernel(const KernelRequest& request, ForeignKernel kernel, std::string name) {
  const ir::Module& module = request.module;
  std::vector<ir::Type> types;
  for (const ir::ValueId result : module.results(request.op)) types.push_back(module.type(result));
  return [kernel = std::move(kernel), name = std::move(name),
          attributes = module.attributes(request.op), types = std::move(types),
          op_name = std::string(module.name(request.op)),
          location = module.location_text(request.op)](const KernelCall& call) -> Result<Tensors> {
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

}  // namespace shardy::simulation
