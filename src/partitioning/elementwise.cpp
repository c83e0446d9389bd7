// Elementwise ops, and the fallback that computes an op whole on every device.
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

/// REPLICATE_AND_SLICE. Spec: partitioning 5.9.
Status lower_replicated(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  for (LocalValue& operand : lowering.operands(op)) {
    const std::vector<AxisList> whole(operand.axes.size());
    operands.push_back(lowering.conform(op, std::move(operand), whole).value);
  }
  std::vector<ir::Type> types;
  for (const ValueId result : input.results(op)) types.push_back(input.type(result));
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    const std::vector<AxisList> axes = lowering.axes_of(result);
    LocalValue whole = lowering.make(lowering.output().result(local, index), input.type(result),
                                     std::vector<AxisList>(axes.size()));
    lowering.bind(result, lowering.conform(op, std::move(whole), axes));
  }
  return {};
}

}  // namespace shardy::partitioning
