// map: a region applied to all elements. Spec: stablehlo 24.4.
#include <memory>
#include <utility>

#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/lane_function.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

struct MapPlan {
  LaneFunction function;
  ir::Type result;
};

Result<Tensors> run_map(const MapPlan& plan, const KernelCall& call) {
  const int64_t num_lanes = plan.result.num_elements();
  if (num_lanes == 0) {
    SHARDY_TRY(Tensor empty, filled_tensor(plan.result, Fill::Zero));
    return Tensors{std::move(empty)};
  }
  Tensors arguments;
  const auto elements = plan.function.arguments();
  for (std::size_t index = 0; index < elements.size(); ++index) {
    SHARDY_TRY(const Tensor x, converted(call.operands[index], elements[index]));
    arguments.push_back(x.reshaped(x.type().with_dims({num_lanes})));
  }
  SHARDY_TRY(const LaneFunction::Lanes map,
             plan.function.lanes(num_lanes, call.operands.subspan(elements.size())));
  SHARDY_TRY(const Tensors results, map(std::move(arguments)));
  return Tensors{results.front().reshaped(plan.result)};
}

Result<Kernel> make_map(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY(LaneFunction function, LaneFunction::make(request));
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    SHARDY_TRY_STATUS(
        expect_conversion(reader, reader.operand(index), function.arguments()[index]));
  }
  auto plan = std::make_shared<const MapPlan>(MapPlan{std::move(function), reader.result()});
  return [plan = std::move(plan)](const KernelCall& call) { return run_map(*plan, call); };
}

}  // namespace

SHARDY_KERNEL(Map, make_map)

}  // namespace shardy::simulation
