#include "simulation/kernels/single_op.hpp"

#include <utility>

namespace shardy::simulation {

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
