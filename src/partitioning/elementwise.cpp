// Elementwise ops.
#include <utility>

#include "partitioning/families.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::ValueId;

/// All factors are local; scalar operands of clamp and select stay whole. Spec: partitioning 8.
Status lower_elementwise(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  std::vector<ValueId> operands;
  for (LocalValue& operand : lowering.operands(op)) {
    const bool scalar = operand.global.rank() == 0;
    operands.push_back(scalar ? operand.value
                              : lowering.conform(op, std::move(operand), axes).value);
  }
  const ir::Type type = lowering.local_type(input.type(result), axes);
  const OpId local = lowering.clone(op, std::move(operands), {type});
  lowering.finish(op, lowering.output().result(local));
  return {};
}

}  // namespace shardy::partitioning
