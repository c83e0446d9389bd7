#include "simulation/kernels/composed.hpp"

#include <memory>
#include <utility>

#include "simulation/kernels/op_reader.hpp"
#include "simulation/machine.hpp"
#include "simulation/program.hpp"

namespace shardy::simulation {
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
