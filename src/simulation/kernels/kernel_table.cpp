#include "simulation/kernels/kernel_table.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/verify.hpp"
#include "simulation/kernels/chlo.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/machine.hpp"
#include "simulation/program.hpp"

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

namespace {

/// The module of a definition and its compiled program. The program points to the module, so both
/// are allocated together.
struct Definition {
  ir::Module module;
  Program program;
};

Result<ir::Module> write_definition(const OpReader& reader, const Composition& compose) {
  ir::GraphBuilder graph;
  graph.location(reader.module().source_location(reader.op()));
  graph.function("main");
  std::vector<ir::ValueId> operands;
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    operands.push_back(graph.argument(reader.operand(index)));
  }
  graph.ret(compose(graph, operands));
  return graph.finish();
}

Status verify_results(const OpReader& reader, const ir::Module& definition, ir::OpId main) {
  const ir::OpId last = definition.last_op(definition.entry(main));
  const auto results = definition.operands(last);
  SHARDY_TRY_STATUS(reader.expect(results.size() == reader.module().num_results(reader.op()),
                                  "has another number of results"));
  for (std::size_t index = 0; index < results.size(); ++index) {
    const ir::Type& type = definition.type(results[index]);
    SHARDY_TRY_STATUS(reader.expect_result(type.dims(), type.element(), index));
  }
  return {};
}

}  // namespace

Result<Kernel> composed_kernel(const KernelRequest& request, const Composition& compose) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  auto definition = std::make_shared<Definition>();
  SHARDY_TRY(definition->module, reader.at_op(write_definition(reader, compose)));
  const std::optional<ir::OpId> main = definition->module.find_symbol("main");
  SHARDY_ASSERT(main.has_value());
  SHARDY_TRY_STATUS(verify_results(reader, definition->module, *main));
  SHARDY_TRY(definition->program, compile_function(definition->module, *main, {}));
  return [definition = std::shared_ptr<const Definition>(std::move(definition))](
             const KernelCall& call) -> Result<Tensors> {
    return run_to_end(definition->program, {call.operands.begin(), call.operands.end()});
  };
}

Result<Tensors> run_single_op(ir::OpKind kind, ir::AttributeMap attributes,
                              std::span<const Tensor> operands,
                              const std::vector<ir::Type>& result_types) {
  std::vector<ir::Type> types;
  for (const Tensor& operand : operands) types.push_back(operand.type());
  ir::Module module;
  const ir::BlockId body = module.entry(module.add_function("main", types, result_types));
  ir::OpSpec spec{.kind = kind};
  spec.operands.assign(module.args(body).begin(), module.args(body).end());
  spec.result_types = result_types;
  spec.attributes = std::move(attributes);
  const ir::OpId op = module.create(std::move(spec));
  module.append(body, op);
  return evaluate(module, op, operands);
}

}  // namespace shardy::simulation
