// Values that only pass through: tuples, tokens; sizes of dims. Ops that are known and never run.
// Spec: stablehlo 28, 36.
#include <algorithm>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

Result<Kernel> make_tuple(const KernelRequest&) {
  return [](const KernelCall& call) -> Result<Tensors> {
    return Tensors{Tensor::tuple({call.operands.begin(), call.operands.end()})};
  };
}

Result<Kernel> make_get_tuple_element(const KernelRequest& request) {
  const auto view = ir::view<ir::GetTupleElementOp>(request.module, request.op);
  return [index = static_cast<std::size_t>(view.index)](const KernelCall& call) -> Result<Tensors> {
    return Tensors{call.operands[0].parts()[index]};
  };
}

Result<Kernel> make_token(const KernelRequest&) {
  return [](const KernelCall&) -> Result<Tensors> { return Tensors{Tensor::token()}; };
}

/// Hands on values of any type.
Result<Kernel> make_barrier(const KernelRequest&) {
  return [](const KernelCall& call) -> Result<Tensors> {
    return Tensors(call.operands.begin(), call.operands.end());
  };
}

Result<Kernel> make_get_dimension_size(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const int64_t dim = reader.view<ir::DimensionSizeOp>().dim;
  const int64_t size[] = {reader.operand().dim(static_cast<std::size_t>(dim))};
  SHARDY_TRY(Tensor value, Tensor::from_integers(reader.result(), size));
  return
      [value = std::move(value)](const KernelCall&) -> Result<Tensors> { return Tensors{value}; };
}

// ---- Out of scope ------------------------------------------------------------------------------

Result<Kernel> refuse_host_transfer(const KernelRequest& request) {
  return op_fail(request.module, request.op, "host transfer is not supported");
}
Result<Kernel> refuse_dynamic_shape(const KernelRequest& request) {
  return op_fail(request.module, request.op, "dynamic shapes are not supported");
}
Result<Kernel> refuse_quantized(const KernelRequest& request) {
  return op_fail(request.module, request.op, "quantized types are not supported");
}

}  // namespace

SHARDY_KERNEL(Tuple, make_tuple)
SHARDY_KERNEL(GetTupleElement, make_get_tuple_element)
SHARDY_KERNEL(AfterAll, make_token)
SHARDY_KERNEL(CreateToken, make_token)
SHARDY_KERNEL(OptimizationBarrier, make_barrier)
SHARDY_KERNEL(GetDimensionSize, make_get_dimension_size)
SHARDY_KERNEL(Infeed, refuse_host_transfer)
SHARDY_KERNEL(Outfeed, refuse_host_transfer)
SHARDY_KERNEL(Send, refuse_host_transfer)
SHARDY_KERNEL(Recv, refuse_host_transfer)
SHARDY_KERNEL(RealDynamicSlice, refuse_dynamic_shape)
SHARDY_KERNEL(SetDimensionSize, refuse_dynamic_shape)
SHARDY_KERNEL(UniformQuantize, refuse_quantized)
SHARDY_KERNEL(UniformDequantize, refuse_quantized)

}  // namespace shardy::simulation
