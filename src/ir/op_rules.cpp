#include "op_rules.hpp"

#include <array>
#include <utility>

#include "infer_families.hpp"

namespace shardy::ir {

namespace {

/// An op without regions and further checks.
constexpr OpRule plain(OpKind kind, Count operands, InferFunction infer,
                       VerifyFunction verify = nullptr, VerifyFunction verify_uses = nullptr) {
  return {kind, operands, exactly(0), OpKind::Unknown, infer, verify, verify_uses};
}
constexpr OpRule unary(OpKind kind) { return plain(kind, exactly(1), &infer_elementwise); }
constexpr OpRule binary(OpKind kind) { return plain(kind, exactly(2), &infer_elementwise); }
constexpr OpRule collective(OpKind kind) {
  return plain(kind, exactly(1), &infer_same_tensor, &verify_collective_interface,
               &verify_collective);
}

using enum OpKind;

// In the order of OpKind.
constexpr OpRule kRules[] = {
    unary(Abs),
    binary(Add),
    binary(And),
    binary(Atan2),
    unary(Cbrt),
    unary(Ceil),
    plain(Clamp, exactly(3), &infer_clamp),
    plain(Compare, exactly(2), &infer_compare),
    binary(Complex),
    plain(Convert, exactly(1), &infer_convert),
    unary(Cosine),
    unary(CountLeadingZeros),
    binary(Divide),
    unary(Exponential),
    unary(ExponentialMinusOne),
    unary(Floor),
    unary(Imag),
    unary(IsFinite),
    unary(Log),
    unary(LogPlusOne),
    unary(Logistic),
    binary(Maximum),
    binary(Minimum),
    binary(Multiply),
    unary(Negate),
    unary(Not),
    binary(Or),
    unary(PopulationCount),
    binary(Power),
    unary(Real),
    plain(ReducePrecision, exactly(1), &infer_reduce_precision),
    binary(Remainder),
    unary(RoundNearestAfz),
    unary(RoundNearestEven),
    unary(Rsqrt),
    plain(Select, exactly(3), &infer_select),
    binary(ShiftLeft),
    binary(ShiftRightArithmetic),
    binary(ShiftRightLogical),
    unary(Sign),
    unary(Sine),
    unary(Sqrt),
    binary(Subtract),
    unary(Tan),
    unary(Tanh),
    binary(Xor),

    plain(BroadcastInDim, exactly(1), &infer_broadcast_in_dim),
    plain(Concatenate, at_least(1), &infer_concatenate),
    plain(Constant, exactly(0), &infer_constant),
    plain(DotGeneral, exactly(2), &infer_dot_general),
    plain(DynamicSlice, at_least(1), &infer_dynamic_slice),
    plain(DynamicUpdateSlice, at_least(2), &infer_dynamic_update_slice),
    plain(Iota, exactly(0), &infer_iota),
    plain(Pad, exactly(2), &infer_pad),
    {Reduce, at_least(2), exactly(1), StablehloReturn, &infer_reduce},
    plain(Reshape, exactly(1), &infer_reshape),
    plain(Reverse, exactly(1), &infer_reverse),
    plain(Slice, exactly(1), &infer_slice),
    plain(Transpose, exactly(1), &infer_transpose),
    plain(AfterAll, at_least(0), &infer_token),
    plain(BatchNormGrad, exactly(5), &infer_batch_norm),
    plain(BatchNormInference, exactly(5), &infer_batch_norm),
    plain(BatchNormTraining, exactly(3), &infer_batch_norm),
    plain(BitcastConvert, exactly(1), &infer_bitcast_convert),
    plain(Broadcast, exactly(1), &infer_broadcast),
    plain(Cholesky, exactly(1), &infer_cholesky),
    {Composite, at_least(0), at_least(0), StablehloReturn, &infer_written},
    plain(Convolution, exactly(2), &infer_convolution),
    plain(CreateToken, exactly(0), &infer_token),
    plain(CustomCall, at_least(0), &infer_written),
    plain(Dot, exactly(2), &infer_dot),
    plain(DynamicBroadcastInDim, exactly(2), &infer_written),
    plain(DynamicConv, exactly(3), &infer_written),
    plain(DynamicGather, exactly(3), &infer_written),
    plain(DynamicIota, exactly(1), &infer_written),
    plain(DynamicPad, exactly(5), &infer_written),
    plain(DynamicReshape, exactly(2), &infer_written),
    plain(Einsum, exactly(2), &infer_written),
    plain(Fft, exactly(1), &infer_fft),
    plain(Gather, exactly(2), &infer_gather),
    plain(GetDimensionSize, exactly(1), &infer_dimension_size),
    plain(GetTupleElement, exactly(1), &infer_get_tuple_element),
    {Map, at_least(1), exactly(1), StablehloReturn, &infer_map},
    plain(RealDynamicSlice, exactly(4), &infer_written),
    {ReduceWindow, at_least(2), exactly(1), StablehloReturn, &infer_reduce_window},
    plain(Rng, exactly(3), &infer_written),
    plain(RngBitGenerator, exactly(1), &infer_written),
    {Scatter, at_least(3), exactly(1), StablehloReturn, &infer_scatter},
    {SelectAndScatter, exactly(3), exactly(2), StablehloReturn, &infer_select_and_scatter},
    plain(SetDimensionSize, exactly(2), &infer_dimension_size),
    {Sort, at_least(1), exactly(1), StablehloReturn, &infer_sort},
    plain(TorchIndexSelect, exactly(2), &infer_written),
    plain(TriangularSolve, exactly(2), &infer_triangular_solve),
    plain(Tuple, at_least(0), &infer_tuple),
    plain(UnaryEinsum, exactly(1), &infer_written),
    plain(UniformDequantize, exactly(1), &infer_written),
    plain(UniformQuantize, exactly(1), &infer_written),

    plain(AllGather, at_least(1), &infer_all_gather),
    {AllReduce, at_least(1), exactly(1), StablehloReturn, &infer_all_reduce},
    plain(AllToAll, at_least(1), &infer_all_to_all),
    plain(AsyncDone, exactly(1), &infer_written),
    {AsyncStart, at_least(0), exactly(1), StablehloReturn, &infer_written},
    plain(CollectiveBroadcast, at_least(1), &infer_collective_broadcast),
    plain(CollectivePermute, exactly(1), &infer_collective_permute),
    {CollectiveReduce, at_least(1), exactly(1), StablehloReturn, &infer_all_reduce},
    plain(CrossReplicaSum, exactly(1), &infer_all_reduce),
    plain(Infeed, exactly(1), &infer_written),
    plain(Outfeed, at_least(1), &infer_token),
    plain(PartitionId, exactly(0), &infer_device_number),
    plain(Recv, exactly(1), &infer_written),
    {ReduceScatter, exactly(1), exactly(1), StablehloReturn, &infer_reduce_scatter},
    plain(ReplicaId, exactly(0), &infer_device_number),
    plain(Send, at_least(1), &infer_token),

    unary(ChloAcos),
    unary(ChloAcosh),
    unary(ChloAsin),
    unary(ChloAsinh),
    unary(ChloAtan),
    unary(ChloAtanh),
    unary(ChloBesselI1e),
    unary(ChloConj),
    unary(ChloCosh),
    unary(ChloDigamma),
    unary(ChloErf),
    unary(ChloErfInv),
    unary(ChloErfc),
    unary(ChloIsInf),
    unary(ChloIsNegInf),
    unary(ChloIsPosInf),
    unary(ChloLgamma),
    unary(ChloSinh),
    unary(ChloSquare),
    unary(ChloTan),
    unary(ChloAsinAcosKernel),
    binary(ChloMulhi),
    binary(ChloNextAfter),
    binary(ChloPolygamma),
    binary(ChloZeta),
    plain(ChloBroadcastAdd, exactly(2), &infer_written),
    plain(ChloBroadcastAnd, exactly(2), &infer_written),
    plain(ChloBroadcastAtan2, exactly(2), &infer_written),
    plain(ChloBroadcastCompare, exactly(2), &infer_written),
    plain(ChloBroadcastComplex, exactly(2), &infer_written),
    plain(ChloBroadcastDivide, exactly(2), &infer_written),
    plain(ChloBroadcastMaximum, exactly(2), &infer_written),
    plain(ChloBroadcastMinimum, exactly(2), &infer_written),
    plain(ChloBroadcastMultiply, exactly(2), &infer_written),
    plain(ChloBroadcastNextAfter, exactly(2), &infer_written),
    plain(ChloBroadcastOr, exactly(2), &infer_written),
    plain(ChloBroadcastPolygamma, exactly(2), &infer_written),
    plain(ChloBroadcastPower, exactly(2), &infer_written),
    plain(ChloBroadcastRemainder, exactly(2), &infer_written),
    plain(ChloBroadcastSelect, exactly(3), &infer_written),
    plain(ChloBroadcastShiftLeft, exactly(2), &infer_written),
    plain(ChloBroadcastShiftRightArithmetic, exactly(2), &infer_written),
    plain(ChloBroadcastShiftRightLogical, exactly(2), &infer_written),
    plain(ChloBroadcastSubtract, exactly(2), &infer_written),
    plain(ChloBroadcastXor, exactly(2), &infer_written),
    plain(ChloBroadcastZeta, exactly(2), &infer_written),
    plain(ChloConstant, exactly(0), &infer_constant),
    plain(ChloConstantLike, exactly(1), &infer_written),
    plain(ChloRaggedDot, exactly(3), &infer_written),
    {ChloScan, at_least(0), exactly(1), StablehloReturn, &infer_written},
    plain(ChloTopK, exactly(1), &infer_top_k),

    plain(CheckExpectAlmostEq, exactly(2), &infer_check),
    plain(CheckExpectAlmostEqConst, exactly(1), &infer_check),
    plain(CheckExpectClose, exactly(2), &infer_check),
    plain(CheckExpectEq, exactly(2), &infer_check),
    plain(CheckExpectEqConst, exactly(1), &infer_check),
    plain(CheckExpectSerializedEq, exactly(1), &infer_nothing),
    plain(InterpreterPrint, exactly(1), &infer_nothing),
    plain(InterpreterProbe, exactly(1), &infer_operand_types),
    plain(InterpreterRunParallel, at_least(0), &infer_written),

    {Case, exactly(1), at_least(1), StablehloReturn, &infer_case},
    {If, exactly(1), exactly(2), StablehloReturn, &infer_if},
    plain(OptimizationBarrier, at_least(0), &infer_operand_types),
    plain(StablehloReturn, at_least(0), &infer_nothing, &verify_terminator),
    {While, at_least(0), exactly(2), StablehloReturn, &infer_while},
    {BuiltinModule, exactly(0), exactly(1), Unknown, &infer_nothing, &verify_nested_module},
    {Func, exactly(0), exactly(1), FuncReturn, &infer_nothing, &verify_function},
    plain(FuncReturn, at_least(0), &infer_nothing, &verify_terminator),
    plain(FuncCall, at_least(0), &infer_call),

    plain(SdyMesh, exactly(0), &infer_nothing, &verify_mesh),
    plain(SdyShardingConstraint, exactly(1), &infer_operand_types, nullptr, &verify_reshard),
    plain(SdyReshard, exactly(1), &infer_operand_types, nullptr, &verify_reshard),
    plain(SdyShardingGroup, exactly(1), &infer_sharding_group),
    plain(SdyPropagationBarrier, exactly(1), &infer_propagation_barrier),
    plain(SdyConstant, exactly(0), &infer_constant),
    plain(SdyReturn, at_least(0), &infer_nothing, &verify_terminator),
    {SdyNamedComputation, at_least(0), exactly(1), SdyReturn, &infer_named_computation, nullptr,
     &verify_named_computation},
    {SdyManualComputation, at_least(0), exactly(1), SdyReturn, &infer_manual_computation,
     &verify_manual_scope, &verify_manual_computation},
    plain(SdyDataFlowEdge, exactly(1), &infer_same_tensor, nullptr, &verify_data_flow_edge),
    plain(SdyFuncDataFlowEdge, exactly(1), &infer_same_tensor, nullptr,
          &verify_func_data_flow_edge),
    collective(SdyAllGather),
    collective(SdyAllSlice),
    collective(SdyAllToAll),
    collective(SdyCollectivePermute),
    collective(SdyAllReduce),
    collective(SdyReduceScatter),
    collective(SdyShardedToUnreduced),
    collective(SdyReplicatedToUnreduced),

    plain(SpmdCoord, exactly(0), &infer_spmd_coord),
    plain(SpmdDeviceId, exactly(0), &infer_spmd_device_id),
    plain(SpmdUndef, exactly(0), &infer_spmd_undef),
    plain(SpmdFloorDiv, exactly(2), &infer_spmd_integer_arithmetic),
    plain(SpmdFloorMod, exactly(2), &infer_spmd_integer_arithmetic),
    plain(SpmdAllGather, at_least(1), &infer_spmd_all_gather),
    {SpmdAllReduce, at_least(1), exactly(1), StablehloReturn, &infer_spmd_all_reduce},
    {SpmdReduceScatter, at_least(1), exactly(1), StablehloReturn, &infer_spmd_reduce_scatter},
    plain(SpmdAllToAll, at_least(1), &infer_spmd_all_to_all),
    plain(SpmdPermute, at_least(1), &infer_spmd_permute),
    plain(SpmdBroadcastFrom, at_least(1), &infer_spmd_broadcast_from),
};

constexpr bool in_order() {
  for (std::size_t index = 0; index < std::size(kRules); ++index) {
    if (static_cast<std::size_t>(kRules[index].kind) != index) return false;
  }
  return std::size(kRules) == kNumKnownOps;
}
static_assert(in_order(), "kRules must have one row per op, in the order of OpKind");

Status check_count(const Count& count, std::size_t actual, std::string_view noun) {
  if (count.holds(actual)) return {};
  const bool at_least_so_many = count.most == kAnyNumber;
  return fail((at_least_so_many ? "expects at least " : "expects ") + counted(count.least, noun) +
              ", got " + std::to_string(actual));
}

Status check_region(const OpFacts& op, std::size_t index, OpKind terminator) {
  const std::string name = "region " + std::to_string(index);
  const auto blocks = op.module.blocks(op.regions[index]);
  if (blocks.size() != 1) {
    return fail(name + " must have one block, got " + std::to_string(blocks.size()));
  }
  if (terminator == OpKind::Unknown) return {};
  const OpId last = op.module.last_op(blocks.front());
  if (last.valid() && may_end_region(op.kind, op.module.kind(last))) return {};
  return fail("block of " + name + " must end in '" + std::string(info(terminator).name) + "'");
}

}  // namespace

const OpRule& rule_of(OpKind kind) {
  SHARDY_ASSERT(kind != OpKind::Unknown);
  return kRules[static_cast<std::size_t>(kind)];
}

bool may_end_region(OpKind owner, OpKind terminator) {
  const OpRule& rule = rule_of(owner);
  if (rule.regions.most == 0) return false;
  return owner == OpKind::Func ? has_trait(terminator, kReturnLike) : terminator == rule.terminator;
}

Error named(std::string_view op_name, Error error) {
  return with_prefix("'" + std::string(op_name) + "' op ", std::move(error));
}

Status check_structure(const OpFacts& op) {
  const OpRule& rule = rule_of(op.kind);
  SHARDY_TRY_STATUS(check_count(rule.operands, op.num_operands(), "operand"));
  SHARDY_TRY_STATUS(check_count(rule.regions, op.regions.size(), "region"));
  for (std::size_t index = 0; index < op.regions.size(); ++index) {
    const bool is_declaration =
        op.kind == OpKind::Func && op.module.blocks(op.regions[index]).empty();
    if (is_declaration) continue;
    SHARDY_TRY_STATUS(check_region(op, index, rule.terminator));
  }
  return {};
}

}  // namespace shardy::ir
