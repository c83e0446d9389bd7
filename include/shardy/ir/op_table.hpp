// The known ops: name, traits. Everything that must treat all ops walks this table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shardy::ir {

/// What is true of every op of a kind. A bit set.
enum OpTrait : uint32_t {
  kNoTraits = 0,
  kPure = 1U << 0U,           // no side effects: may be dropped when unused, moved, merged
  kElementwise = 1U << 1U,    // element i of the result depends on element i of the operands
  kSameType = 1U << 2U,       // all operands and results have one type
  kTerminator = 1U << 3U,     // ends a block
  kReturnLike = 1U << 4U,     // hands its operands to the op that owns the region
  kDataFlow = 1U << 5U,       // has data-flow edges (dialect 5)
  kCollective = 1U << 6U,     // an sdy collective (dialect 4) or an spmd communication op
  kSymbol = 1U << 7U,         // names itself by `sym_name` in the module
  kIsolated = 1U << 8U,       // regions capture nothing from outside
  kConstantLike = 1U << 9U,   // no operands, a fixed value
  kCommutative = 1U << 10U,   // two operands may be swapped
  kSdyAnnotation = 1U << 11U  // sdy op that only carries sharding information
};

// One row per op: enumerator, name, traits. Families in the order of docs/architecture.md.
#define SHARDY_ELEMENTWISE_OPS(X)                                                               \
  X(Abs, "stablehlo.abs", kPure | kElementwise)                                                 \
  X(Add, "stablehlo.add", kPure | kElementwise | kSameType | kCommutative)                      \
  X(And, "stablehlo.and", kPure | kElementwise | kSameType | kCommutative)                      \
  X(Atan2, "stablehlo.atan2", kPure | kElementwise | kSameType)                                 \
  X(Cbrt, "stablehlo.cbrt", kPure | kElementwise | kSameType)                                   \
  X(Ceil, "stablehlo.ceil", kPure | kElementwise | kSameType)                                   \
  X(Clamp, "stablehlo.clamp", kPure | kElementwise)                                             \
  X(Compare, "stablehlo.compare", kPure | kElementwise)                                         \
  X(Complex, "stablehlo.complex", kPure | kElementwise)                                         \
  X(Convert, "stablehlo.convert", kPure | kElementwise)                                         \
  X(Cosine, "stablehlo.cosine", kPure | kElementwise | kSameType)                               \
  X(CountLeadingZeros, "stablehlo.count_leading_zeros", kPure | kElementwise | kSameType)       \
  X(Divide, "stablehlo.divide", kPure | kElementwise | kSameType)                               \
  X(Exponential, "stablehlo.exponential", kPure | kElementwise | kSameType)                     \
  X(ExponentialMinusOne, "stablehlo.exponential_minus_one", kPure | kElementwise | kSameType)   \
  X(Floor, "stablehlo.floor", kPure | kElementwise | kSameType)                                 \
  X(Imag, "stablehlo.imag", kPure | kElementwise)                                               \
  X(IsFinite, "stablehlo.is_finite", kPure | kElementwise)                                      \
  X(Log, "stablehlo.log", kPure | kElementwise | kSameType)                                     \
  X(LogPlusOne, "stablehlo.log_plus_one", kPure | kElementwise | kSameType)                     \
  X(Logistic, "stablehlo.logistic", kPure | kElementwise | kSameType)                           \
  X(Maximum, "stablehlo.maximum", kPure | kElementwise | kSameType | kCommutative)              \
  X(Minimum, "stablehlo.minimum", kPure | kElementwise | kSameType | kCommutative)              \
  X(Multiply, "stablehlo.multiply", kPure | kElementwise | kSameType | kCommutative)            \
  X(Negate, "stablehlo.negate", kPure | kElementwise | kSameType)                               \
  X(Not, "stablehlo.not", kPure | kElementwise | kSameType)                                     \
  X(Or, "stablehlo.or", kPure | kElementwise | kSameType | kCommutative)                        \
  X(PopulationCount, "stablehlo.popcnt", kPure | kElementwise | kSameType)                      \
  X(Power, "stablehlo.power", kPure | kElementwise | kSameType)                                 \
  X(Real, "stablehlo.real", kPure | kElementwise)                                               \
  X(ReducePrecision, "stablehlo.reduce_precision", kPure | kElementwise | kSameType)            \
  X(Remainder, "stablehlo.remainder", kPure | kElementwise | kSameType)                         \
  X(RoundNearestAfz, "stablehlo.round_nearest_afz", kPure | kElementwise | kSameType)           \
  X(RoundNearestEven, "stablehlo.round_nearest_even", kPure | kElementwise | kSameType)         \
  X(Rsqrt, "stablehlo.rsqrt", kPure | kElementwise | kSameType)                                 \
  X(Select, "stablehlo.select", kPure | kElementwise)                                           \
  X(ShiftLeft, "stablehlo.shift_left", kPure | kElementwise | kSameType)                        \
  X(ShiftRightArithmetic, "stablehlo.shift_right_arithmetic", kPure | kElementwise | kSameType) \
  X(ShiftRightLogical, "stablehlo.shift_right_logical", kPure | kElementwise | kSameType)       \
  X(Sign, "stablehlo.sign", kPure | kElementwise | kSameType)                                   \
  X(Sine, "stablehlo.sine", kPure | kElementwise | kSameType)                                   \
  X(Sqrt, "stablehlo.sqrt", kPure | kElementwise | kSameType)                                   \
  X(Subtract, "stablehlo.subtract", kPure | kElementwise | kSameType)                           \
  X(Tan, "stablehlo.tan", kPure | kElementwise | kSameType)                                     \
  X(Tanh, "stablehlo.tanh", kPure | kElementwise | kSameType)                                   \
  X(Xor, "stablehlo.xor", kPure | kElementwise | kSameType | kCommutative)

#define SHARDY_TENSOR_OPS(X)                                            \
  X(BroadcastInDim, "stablehlo.broadcast_in_dim", kPure)                \
  X(Concatenate, "stablehlo.concatenate", kPure)                        \
  X(Constant, "stablehlo.constant", kPure | kConstantLike)              \
  X(DotGeneral, "stablehlo.dot_general", kPure)                         \
  X(DynamicSlice, "stablehlo.dynamic_slice", kPure)                     \
  X(DynamicUpdateSlice, "stablehlo.dynamic_update_slice", kPure)        \
  X(Iota, "stablehlo.iota", kPure)                                      \
  X(Pad, "stablehlo.pad", kPure)                                        \
  X(Reduce, "stablehlo.reduce", kPure)                                  \
  X(Reshape, "stablehlo.reshape", kPure)                                \
  X(Reverse, "stablehlo.reverse", kPure)                                \
  X(Slice, "stablehlo.slice", kPure)                                    \
  X(Transpose, "stablehlo.transpose", kPure)                            \
  X(AfterAll, "stablehlo.after_all", kPure)                             \
  X(BatchNormGrad, "stablehlo.batch_norm_grad", kPure)                  \
  X(BatchNormInference, "stablehlo.batch_norm_inference", kPure)        \
  X(BatchNormTraining, "stablehlo.batch_norm_training", kPure)          \
  X(BitcastConvert, "stablehlo.bitcast_convert", kPure)                 \
  X(Broadcast, "stablehlo.broadcast", kPure)                            \
  X(Cholesky, "stablehlo.cholesky", kPure)                              \
  X(Composite, "stablehlo.composite", kNoTraits)                        \
  X(Convolution, "stablehlo.convolution", kPure)                        \
  X(CreateToken, "stablehlo.create_token", kPure)                       \
  X(CustomCall, "stablehlo.custom_call", kNoTraits)                     \
  X(Dot, "stablehlo.dot", kPure)                                        \
  X(DynamicBroadcastInDim, "stablehlo.dynamic_broadcast_in_dim", kPure) \
  X(DynamicConv, "stablehlo.dynamic_conv", kPure)                       \
  X(DynamicGather, "stablehlo.dynamic_gather", kPure)                   \
  X(DynamicIota, "stablehlo.dynamic_iota", kPure)                       \
  X(DynamicPad, "stablehlo.dynamic_pad", kPure)                         \
  X(DynamicReshape, "stablehlo.dynamic_reshape", kPure)                 \
  X(Einsum, "stablehlo.einsum", kPure)                                  \
  X(Fft, "stablehlo.fft", kPure)                                        \
  X(Gather, "stablehlo.gather", kPure)                                  \
  X(GetDimensionSize, "stablehlo.get_dimension_size", kPure)            \
  X(GetTupleElement, "stablehlo.get_tuple_element", kPure)              \
  X(Map, "stablehlo.map", kPure)                                        \
  X(RealDynamicSlice, "stablehlo.real_dynamic_slice", kPure)            \
  X(ReduceWindow, "stablehlo.reduce_window", kPure)                     \
  X(Rng, "stablehlo.rng", kNoTraits)                                    \
  X(RngBitGenerator, "stablehlo.rng_bit_generator", kPure)              \
  X(Scatter, "stablehlo.scatter", kPure)                                \
  X(SelectAndScatter, "stablehlo.select_and_scatter", kPure)            \
  X(SetDimensionSize, "stablehlo.set_dimension_size", kPure)            \
  X(Sort, "stablehlo.sort", kPure)                                      \
  X(TorchIndexSelect, "stablehlo.torch_index_select", kPure)            \
  X(TriangularSolve, "stablehlo.triangular_solve", kPure)               \
  X(Tuple, "stablehlo.tuple", kPure)                                    \
  X(UnaryEinsum, "stablehlo.unary_einsum", kPure)                       \
  X(UniformDequantize, "stablehlo.uniform_dequantize", kPure)           \
  X(UniformQuantize, "stablehlo.uniform_quantize", kPure)

// Ops that talk to other devices, to the host, or ask where they run.
#define SHARDY_DISTRIBUTION_OPS(X)                                    \
  X(AllGather, "stablehlo.all_gather", kNoTraits)                     \
  X(AllReduce, "stablehlo.all_reduce", kNoTraits)                     \
  X(AllToAll, "stablehlo.all_to_all", kNoTraits)                      \
  X(AsyncDone, "stablehlo.async_done", kNoTraits)                     \
  X(AsyncStart, "stablehlo.async_start", kIsolated)                   \
  X(CollectiveBroadcast, "stablehlo.collective_broadcast", kNoTraits) \
  X(CollectivePermute, "stablehlo.collective_permute", kNoTraits)     \
  X(CollectiveReduce, "stablehlo.collective_reduce", kNoTraits)       \
  X(CrossReplicaSum, "stablehlo.cross-replica-sum", kNoTraits)        \
  X(Infeed, "stablehlo.infeed", kNoTraits)                            \
  X(Outfeed, "stablehlo.outfeed", kNoTraits)                          \
  X(PartitionId, "stablehlo.partition_id", kNoTraits)                 \
  X(Recv, "stablehlo.recv", kNoTraits)                                \
  X(ReduceScatter, "stablehlo.reduce_scatter", kNoTraits)             \
  X(ReplicaId, "stablehlo.replica_id", kNoTraits)                     \
  X(Send, "stablehlo.send", kNoTraits)

#define SHARDY_CHLO_OPS(X)                                                             \
  X(ChloAcos, "chlo.acos", kPure)                                                      \
  X(ChloAcosh, "chlo.acosh", kPure)                                                    \
  X(ChloAsin, "chlo.asin", kPure)                                                      \
  X(ChloAsinh, "chlo.asinh", kPure)                                                    \
  X(ChloAtan, "chlo.atan", kPure)                                                      \
  X(ChloAtanh, "chlo.atanh", kPure)                                                    \
  X(ChloBesselI1e, "chlo.bessel_i1e", kPure)                                           \
  X(ChloConj, "chlo.conj", kPure)                                                      \
  X(ChloCosh, "chlo.cosh", kPure)                                                      \
  X(ChloDigamma, "chlo.digamma", kPure)                                                \
  X(ChloErf, "chlo.erf", kPure)                                                        \
  X(ChloErfInv, "chlo.erf_inv", kPure)                                                 \
  X(ChloErfc, "chlo.erfc", kPure)                                                      \
  X(ChloIsInf, "chlo.is_inf", kPure)                                                   \
  X(ChloIsNegInf, "chlo.is_neg_inf", kPure)                                            \
  X(ChloIsPosInf, "chlo.is_pos_inf", kPure)                                            \
  X(ChloLgamma, "chlo.lgamma", kPure)                                                  \
  X(ChloSinh, "chlo.sinh", kPure)                                                      \
  X(ChloSquare, "chlo.square", kPure)                                                  \
  X(ChloTan, "chlo.tan", kPure)                                                        \
  X(ChloAsinAcosKernel, "chlo._asin_acos_kernel", kPure)                               \
  X(ChloMulhi, "chlo.mulhi", kPure)                                                    \
  X(ChloNextAfter, "chlo.next_after", kPure)                                           \
  X(ChloPolygamma, "chlo.polygamma", kPure)                                            \
  X(ChloZeta, "chlo.zeta", kPure)                                                      \
  X(ChloBroadcastAdd, "chlo.broadcast_add", kPure)                                     \
  X(ChloBroadcastAnd, "chlo.broadcast_and", kPure)                                     \
  X(ChloBroadcastAtan2, "chlo.broadcast_atan2", kPure)                                 \
  X(ChloBroadcastCompare, "chlo.broadcast_compare", kPure)                             \
  X(ChloBroadcastComplex, "chlo.broadcast_complex", kPure)                             \
  X(ChloBroadcastDivide, "chlo.broadcast_divide", kPure)                               \
  X(ChloBroadcastMaximum, "chlo.broadcast_maximum", kPure)                             \
  X(ChloBroadcastMinimum, "chlo.broadcast_minimum", kPure)                             \
  X(ChloBroadcastMultiply, "chlo.broadcast_multiply", kPure)                           \
  X(ChloBroadcastNextAfter, "chlo.broadcast_next_after", kPure)                        \
  X(ChloBroadcastOr, "chlo.broadcast_or", kPure)                                       \
  X(ChloBroadcastPolygamma, "chlo.broadcast_polygamma", kPure)                         \
  X(ChloBroadcastPower, "chlo.broadcast_power", kPure)                                 \
  X(ChloBroadcastRemainder, "chlo.broadcast_remainder", kPure)                         \
  X(ChloBroadcastSelect, "chlo.broadcast_select", kPure)                               \
  X(ChloBroadcastShiftLeft, "chlo.broadcast_shift_left", kPure)                        \
  X(ChloBroadcastShiftRightArithmetic, "chlo.broadcast_shift_right_arithmetic", kPure) \
  X(ChloBroadcastShiftRightLogical, "chlo.broadcast_shift_right_logical", kPure)       \
  X(ChloBroadcastSubtract, "chlo.broadcast_subtract", kPure)                           \
  X(ChloBroadcastXor, "chlo.broadcast_xor", kPure)                                     \
  X(ChloBroadcastZeta, "chlo.broadcast_zeta", kPure)                                   \
  X(ChloConstant, "chlo.constant", kPure | kConstantLike)                              \
  X(ChloConstantLike, "chlo.constant_like", kPure)                                     \
  X(ChloRaggedDot, "chlo.ragged_dot", kPure)                                           \
  X(ChloScan, "chlo.scan", kPure | kIsolated)                                          \
  X(ChloTopK, "chlo.top_k", kPure)

// What test programs are made of. Spec: stablehlo 12, 31.4, 32.
#define SHARDY_CHECK_OPS(X)                                              \
  X(CheckExpectAlmostEq, "check.expect_almost_eq", kNoTraits)            \
  X(CheckExpectAlmostEqConst, "check.expect_almost_eq_const", kNoTraits) \
  X(CheckExpectClose, "check.expect_close", kNoTraits)                   \
  X(CheckExpectEq, "check.expect_eq", kNoTraits)                         \
  X(CheckExpectEqConst, "check.expect_eq_const", kNoTraits)              \
  X(CheckExpectSerializedEq, "check.expect_serialized_eq", kNoTraits)    \
  X(InterpreterPrint, "interpreter.print", kNoTraits)                    \
  X(InterpreterProbe, "interpreter.probe", kNoTraits)                    \
  X(InterpreterRunParallel, "interpreter.run_parallel", kNoTraits)

#define SHARDY_CONTROL_FLOW_OPS(X)                                            \
  X(Case, "stablehlo.case", kDataFlow)                                        \
  X(If, "stablehlo.if", kNoTraits)                                            \
  X(OptimizationBarrier, "stablehlo.optimization_barrier", kPure | kDataFlow) \
  X(StablehloReturn, "stablehlo.return", kPure | kTerminator | kReturnLike)   \
  X(While, "stablehlo.while", kDataFlow)                                      \
  X(BuiltinModule, "builtin.module", kSymbol | kIsolated)                     \
  X(Func, "func.func", kSymbol | kIsolated)                                   \
  X(FuncReturn, "func.return", kPure | kTerminator | kReturnLike)             \
  X(FuncCall, "func.call", kNoTraits)

#define SHARDY_SDY_OPS(X)                                                                 \
  X(SdyMesh, "sdy.mesh", kSymbol)                                                         \
  X(SdyShardingConstraint, "sdy.sharding_constraint", kSameType | kSdyAnnotation)         \
  X(SdyReshard, "sdy.reshard", kPure | kSameType | kSdyAnnotation)                        \
  X(SdyShardingGroup, "sdy.sharding_group", kSdyAnnotation)                               \
  X(SdyPropagationBarrier, "sdy.propagation_barrier", kPure | kSameType | kSdyAnnotation) \
  X(SdyConstant, "sdy.constant", kPure)                                                   \
  X(SdyReturn, "sdy.return", kPure | kTerminator | kReturnLike)                           \
  X(SdyNamedComputation, "sdy.named_computation", kDataFlow | kIsolated)                  \
  X(SdyManualComputation, "sdy.manual_computation", kDataFlow | kIsolated)                \
  X(SdyDataFlowEdge, "sdy.data_flow_edge", kSameType | kSdyAnnotation)                    \
  X(SdyFuncDataFlowEdge, "sdy.func_data_flow_edge", kSameType | kSdyAnnotation)           \
  X(SdyAllGather, "sdy.all_gather", kSameType | kCollective)                              \
  X(SdyAllSlice, "sdy.all_slice", kSameType | kCollective)                                \
  X(SdyAllToAll, "sdy.all_to_all", kSameType | kCollective)                               \
  X(SdyCollectivePermute, "sdy.collective_permute", kSameType | kCollective)              \
  X(SdyAllReduce, "sdy.all_reduce", kSameType | kCollective)                              \
  X(SdyReduceScatter, "sdy.reduce_scatter", kSameType | kCollective)                      \
  X(SdyShardedToUnreduced, "sdy.sharded_to_unreduced", kSameType | kCollective)           \
  X(SdyReplicatedToUnreduced, "sdy.replicated_to_unreduced", kSameType | kCollective)

// Ops that only a per-device program has. Spec: partitioning 4.1, 4.2.
#define SHARDY_SPMD_OPS(X)                                         \
  X(SpmdCoord, "spmd.coord", kPure)                                \
  X(SpmdDeviceId, "spmd.device_id", kPure)                         \
  X(SpmdUndef, "spmd.undef", kPure)                                \
  X(SpmdFloorDiv, "spmd.floordiv", kPure | kSameType)              \
  X(SpmdFloorMod, "spmd.floormod", kPure | kSameType)              \
  X(SpmdAllGather, "spmd.all_gather", kPure | kCollective)         \
  X(SpmdAllReduce, "spmd.all_reduce", kPure | kCollective)         \
  X(SpmdReduceScatter, "spmd.reduce_scatter", kPure | kCollective) \
  X(SpmdAllToAll, "spmd.all_to_all", kPure | kCollective)          \
  X(SpmdPermute, "spmd.permute", kPure | kCollective)              \
  X(SpmdBroadcastFrom, "spmd.broadcast_from", kPure | kCollective)

#define SHARDY_ALL_OPS(X)    \
  SHARDY_ELEMENTWISE_OPS(X)  \
  SHARDY_TENSOR_OPS(X)       \
  SHARDY_DISTRIBUTION_OPS(X) \
  SHARDY_CHLO_OPS(X)         \
  SHARDY_CHECK_OPS(X)        \
  SHARDY_CONTROL_FLOW_OPS(X) \
  SHARDY_SDY_OPS(X)          \
  SHARDY_SPMD_OPS(X)

/// The op a name stands for. Unknown: any name that is not in the table; such an op is legal and
/// opaque.
enum class OpKind : uint16_t {
#define SHARDY_OP_ENUMERATOR(kind, name, traits) kind,
  SHARDY_ALL_OPS(SHARDY_OP_ENUMERATOR)
#undef SHARDY_OP_ENUMERATOR
      Unknown
};

struct OpInfo {
  OpKind kind;
  std::string_view name;
  uint32_t traits;
};

inline constexpr OpInfo kOps[] = {
#define SHARDY_OP_ROW(kind, name, traits) {OpKind::kind, name, traits},
    SHARDY_ALL_OPS(SHARDY_OP_ROW)
#undef SHARDY_OP_ROW
        {OpKind::Unknown, "", kNoTraits}};

inline constexpr std::size_t kNumKnownOps = static_cast<std::size_t>(OpKind::Unknown);

constexpr const OpInfo& info(OpKind kind) { return kOps[static_cast<std::size_t>(kind)]; }
/// The ops of per-device programs. Spec: partitioning 4.
constexpr bool is_spmd(OpKind kind) {
  return kind >= OpKind::SpmdCoord && kind <= OpKind::SpmdBroadcastFrom;
}

constexpr bool has_trait(OpKind kind, OpTrait trait) { return (info(kind).traits & trait) != 0; }

/// The kind of that name; Unknown when the table has none.
OpKind find_op(std::string_view name);

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/op_table_inl.hpp>
#endif
