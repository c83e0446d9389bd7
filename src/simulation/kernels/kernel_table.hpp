// All kernels, by the op that they compute.
#pragma once

#include <algorithm>

#include "shardy/simulation/kernels/kernel.hpp"

// In the order of ir::OpKind.
// clang-format off
#define SHARDY_KERNELS(X) \
  X(Abs) X(Add) X(And) X(Atan2) X(Cbrt) X(Ceil) X(Clamp) X(Compare) X(Complex) X(Convert)         \
  X(Cosine) X(CountLeadingZeros) X(Divide) X(Exponential) X(ExponentialMinusOne) X(Floor) X(Imag) \
  X(IsFinite) X(Log) X(LogPlusOne) X(Logistic) X(Maximum) X(Minimum) X(Multiply) X(Negate) X(Not) \
  X(Or) X(PopulationCount) X(Power) X(Real) X(ReducePrecision) X(Remainder) X(RoundNearestAfz)    \
  X(RoundNearestEven) X(Rsqrt) X(Select) X(ShiftLeft) X(ShiftRightArithmetic)                     \
  X(ShiftRightLogical) X(Sign) X(Sine) X(Sqrt) X(Subtract) X(Tan) X(Tanh) X(Xor)                  \
  X(BroadcastInDim) X(Concatenate) X(Constant) X(DotGeneral) X(DynamicSlice)                      \
  X(DynamicUpdateSlice) X(Iota) X(Pad) X(Reduce) X(Reshape) X(Reverse) X(Slice) X(Transpose)      \
  X(AfterAll) X(BatchNormGrad) X(BatchNormInference) X(BatchNormTraining) X(BitcastConvert)       \
  X(Broadcast) X(Cholesky) X(Convolution) X(CreateToken) X(CustomCall) X(Dot)                     \
  X(DynamicBroadcastInDim) X(DynamicConv) X(DynamicGather) X(DynamicIota) X(DynamicPad)           \
  X(DynamicReshape) X(Einsum) X(Fft) X(Gather) X(GetDimensionSize) X(GetTupleElement) X(Map)      \
  X(RealDynamicSlice) X(ReduceWindow) X(Rng) X(RngBitGenerator) X(Scatter) X(SelectAndScatter)    \
  X(SetDimensionSize) X(Sort) X(TorchIndexSelect) X(TriangularSolve) X(Tuple) X(UnaryEinsum)      \
  X(UniformDequantize) X(UniformQuantize) X(Infeed) X(Outfeed) X(PartitionId) X(Recv)             \
  X(ReplicaId) X(Send) X(ChloAcos) X(ChloAcosh) X(ChloAsin) X(ChloAsinh) X(ChloAtan) X(ChloAtanh) \
  X(ChloBesselI1e) X(ChloConj) X(ChloCosh) X(ChloDigamma) X(ChloErf) X(ChloErfInv) X(ChloErfc)    \
  X(ChloIsInf) X(ChloIsNegInf) X(ChloIsPosInf) X(ChloLgamma) X(ChloSinh) X(ChloSquare) X(ChloTan) \
  X(ChloMulhi) X(ChloNextAfter) X(ChloPolygamma) X(ChloZeta) X(ChloBroadcastAdd)                  \
  X(ChloBroadcastAnd) X(ChloBroadcastAtan2) X(ChloBroadcastCompare) X(ChloBroadcastComplex)       \
  X(ChloBroadcastDivide) X(ChloBroadcastMaximum) X(ChloBroadcastMinimum) X(ChloBroadcastMultiply) \
  X(ChloBroadcastNextAfter) X(ChloBroadcastOr) X(ChloBroadcastPolygamma) X(ChloBroadcastPower)    \
  X(ChloBroadcastRemainder) X(ChloBroadcastSelect) X(ChloBroadcastShiftLeft)                      \
  X(ChloBroadcastShiftRightArithmetic) X(ChloBroadcastShiftRightLogical) X(ChloBroadcastSubtract) \
  X(ChloBroadcastXor) X(ChloBroadcastZeta) X(ChloConstant) X(ChloConstantLike) X(ChloTopK)        \
  X(CheckExpectAlmostEq) X(CheckExpectAlmostEqConst) X(CheckExpectClose) X(CheckExpectEq)         \
  X(CheckExpectEqConst) X(CheckExpectSerializedEq) X(InterpreterPrint) X(InterpreterProbe)        \
  X(InterpreterRunParallel) X(OptimizationBarrier) X(SdyShardingConstraint) X(SdyReshard)         \
  X(SdyShardingGroup) X(SdyPropagationBarrier) X(SdyConstant) X(SdyManualComputation)             \
  X(SdyDataFlowEdge) X(SdyFuncDataFlowEdge) X(SdyAllGather) X(SdyAllSlice) X(SdyAllToAll)         \
  X(SdyCollectivePermute) X(SdyAllReduce) X(SdyReduceScatter) X(SdyShardedToUnreduced)            \
  X(SdyReplicatedToUnreduced) X(SpmdCoord) X(SpmdDeviceId) X(SpmdUndef) X(SpmdFloorDiv)           \
  X(SpmdFloorMod)
// clang-format on

namespace shardy::simulation {

#define SHARDY_KIND(kind) ir::OpKind::kind,
inline constexpr ir::OpKind kKernelKinds[] = {SHARDY_KERNELS(SHARDY_KIND)};
#undef SHARDY_KIND
static_assert(std::ranges::adjacent_find(kKernelKinds, std::ranges::greater_equal()) ==
                  std::end(kKernelKinds),
              "an op stands once in the list, in the order of OpKind");

/// Makes the kernel of one kind of op, for those of the list; defined next to what it computes.
template <ir::OpKind kind>
Result<Kernel> make_kernel_of(const KernelRequest& request);

#define SHARDY_DECLARE_KERNEL(kind) \
  template <>                       \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request);
SHARDY_KERNELS(SHARDY_DECLARE_KERNEL)
#undef SHARDY_DECLARE_KERNEL

/// `maker(request)` makes the kernel of that kind.
#define SHARDY_KERNEL(kind, ...)                                                  \
  static_assert(std::ranges::binary_search(kKernelKinds, ir::OpKind::kind));      \
  template <>                                                                     \
  Result<Kernel> make_kernel_of<ir::OpKind::kind>(const KernelRequest& request) { \
    return __VA_ARGS__(request);                                                  \
  }

}  // namespace shardy::simulation
