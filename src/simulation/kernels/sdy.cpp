// Ops that hand on their operands: annotations, barriers, and SDY collectives of a global program,
// whose values are whole. Spec: stablehlo 28.1.
#include <optional>

#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {
namespace {

Result<Kernel> make_identity(const KernelRequest& request) {
  SHARDY_TRY_STATUS(OpReader::make(request));
  return [](const KernelCall& call) -> Result<Tensors> {
    return Tensors(call.operands.begin(), call.operands.end());
  };
}

/// In a per-device program such an op would have to move data.
Result<Kernel> make_global_identity(const KernelRequest& request) {
  if (request.is_global) return make_identity(request);
  return op_fail(request.module, request.op, "is no op of a per-device program");
}

Result<Kernel> make_nothing(const KernelRequest& request) {
  SHARDY_TRY_STATUS(OpReader::make(request));
  return [](const KernelCall&) -> Result<Tensors> { return Tensors{}; };
}

}  // namespace

SHARDY_KERNEL(SdyPropagationBarrier, make_identity)
SHARDY_KERNEL(SdyDataFlowEdge, make_identity)
SHARDY_KERNEL(SdyFuncDataFlowEdge, make_identity)
SHARDY_KERNEL(SdyShardingGroup, make_nothing)
SHARDY_KERNEL(SdyShardingConstraint, make_global_identity)
SHARDY_KERNEL(SdyReshard, make_global_identity)
SHARDY_KERNEL(SdyAllGather, make_global_identity)
SHARDY_KERNEL(SdyAllSlice, make_global_identity)
SHARDY_KERNEL(SdyAllToAll, make_global_identity)
SHARDY_KERNEL(SdyCollectivePermute, make_global_identity)
SHARDY_KERNEL(SdyAllReduce, make_global_identity)
SHARDY_KERNEL(SdyReduceScatter, make_global_identity)
SHARDY_KERNEL(SdyShardedToUnreduced, make_global_identity)
SHARDY_KERNEL(SdyReplicatedToUnreduced, make_global_identity)

}  // namespace shardy::simulation
