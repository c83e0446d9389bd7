// Lowerings of ops of all kinds, and the table of lowerings by op kind. Spec: partitioning 8.
#include "partitioning/families.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "partitioning/op_layout.hpp"
#include "passes/common/ops.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Fallback -----------------------------------------------------------------------------------

// Ops without a lowering, custom calls and products are lowered by their sharding rule: local along
// pass-through dims, replicated along other dims. Products also keep sharded contracted dims and
// leave partial sums. Spec: partitioning 5.9, 8.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = cholesky %a : 4x8x8 [{"x"}, {}, {}]       ->   %0 = cholesky %a : 2x8x8
//
//   %0 = dot %a, %b                                ->   %1 = dot %a, %b : 8x8, 8x8 -> 8x8
//     : 8x16 [{}, {"x"}], 16x8 [{"x"}, {}]              %0 = spmd.all_reduce add %1 {"x"}
//
//   %0 = custom_call @foo(%a) : 8 [{"x"}]          ->   %1 = spmd.all_gather %a {"x"}, dim 0
//        (without a rule)                               %2 = custom_call @foo(%1) : 8
//                                                       %0 = slice of %2 at spmd.coord {"x"} * 4

namespace {

bool keeps_types(const ir::Module& module, OpId op) {
  return std::ranges::equal(module.operands(op), module.results(op),
                            [&](ValueId a, ValueId b) { return module.type(a) == module.type(b); });
}

}  // namespace

/// Returns true for ops that add or mask elements of a type that cannot represent zero. Spec:
/// partitioning 5.8.
bool needs_missing_zero(const ir::Module& module, OpId op) {
  constexpr std::array kAddingOrMasking = {
      OpKind::ChloRaggedDot,    OpKind::Convolution,  OpKind::Dot,
      OpKind::DotGeneral,       OpKind::DynamicSlice, OpKind::DynamicUpdateSlice,
      OpKind::Einsum,           OpKind::Gather,       OpKind::Reduce,
      OpKind::ReduceWindow,     OpKind::Scatter,      OpKind::SelectAndScatter,
      OpKind::TorchIndexSelect, OpKind::UnaryEinsum};
  if (std::ranges::find(kAddingOrMasking, module.kind(op)) == kAddingOrMasking.end()) return false;
  const auto lacks_zero = [&](ValueId value) {
    const ir::Type& type = module.type(value);
    return type.is_tensor() && !ir::has_zero(type.element());
  };
  return std::ranges::any_of(module.operands(op), lacks_zero) ||
         std::ranges::any_of(module.results(op), lacks_zero);
}

/// Gathers the operands, computes the op replicated and slices the results (REPLICATE_AND_SLICE).
/// Spec: partitioning 5.9.
Status lower_replicated(Lowering& lowering, OpId op) {
  return lower_laid_out(lowering, op, whole_layout(lowering.input(), op));
}

/// Lowers ops whose attributes do not depend on the sizes of pass-through dims. The op on the
/// operands' shards then computes the results' shards for any content of the padding.
Status lower_by_rule(Lowering& lowering, OpId op) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op);
  return layout ? lower_laid_out(lowering, op, *layout) : lower_replicated(lowering, op);
}

/// Lowers sums of products: sharded contracted dims leave partial sums. Spec: partitioning 8.8.
Status lower_product(Lowering& lowering, OpId op) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Sharded);
  return layout ? lower_laid_out(lowering, op, *layout) : lower_replicated(lowering, op);
}

/// Lowers an op that is defined only by its sharding rule. The effect of padding on its reductions
/// is unknown.
Status lower_by_own_rule(Lowering& lowering, OpId op) {
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op, Reductions::Even);
  return layout ? lower_laid_out(lowering, op, *layout) : lower_replicated(lowering, op);
}

/// Lowers an op of an unregistered dialect. Spec: partitioning 8.21.
Status lower_unknown(Lowering& lowering, OpId op) {
  if (const auto* lower = find_foreign_lowering(lowering.lowerings(), lowering.input(), op)) {
    return lower_foreign(lowering, op, *lower);
  }
  const rules::RuleResult rule =
      lowering.rules().lowering_rule_for(rules::OpView(lowering.input(), op));
  if (!rule) return tl::unexpected(rule.error());
  if (*rule) return lower_by_own_rule(lowering, op);
  tl::unexpected<Error> error =
      lowering.error(op, "E_UNSUPPORTED_OP", "no lowering to a per-device program");
  error.value().notes.push_back(rules::missing_rule_note(rules::OpView(lowering.input(), op)));
  return error;
}

namespace {

/// Checks whether each device runs the op of a manual body unchanged. This holds if the op has
/// neither operands nor results, or if no free axis can shard it.
bool is_written_per_device(const Lowering& lowering, OpId op) {
  if (!lowering.in_manual_body()) return false;
  const ir::Module& input = lowering.input();
  if (input.num_operands(op) == 0 && input.num_results(op) == 0) return true;
  const Mesh& mesh = lowering.place().mesh;
  return std::ranges::all_of(full_axes(mesh),
                             [&](const AxisRef& axis) { return lowering.bound().has(mesh, axis); });
}

}  // namespace

/// Lowers a custom call. Spec: partitioning 8.21.
Status lower_custom_call(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  if (const auto* lower = find_foreign_lowering(lowering.lowerings(), input, op)) {
    return lower_foreign(lowering, op, *lower);
  }
  const std::string_view target = rules::call_target(rules::OpView(input, op));
  const bool is_marker = rules::is_manual_marker(target);
  const bool may_annotate =
      target == "Sharding" || target == "xla.sdy.FuncResultSharding" || is_marker;
  if (may_annotate && keeps_types(input, op)) return lower_identity(lowering, op);
  if (is_marker) {
    return lowering.error(op, "E_UNSUPPORTED_OP", std::string(rules::kManualMarkerNote));
  }
  if (target == "CustomSPMDPartitioning") {
    return lowering.error(op, "E_UNSUPPORTED_OP",
                          "a function of Python partitions it, which is not available; register a "
                          "lowering of the custom call, or replace it by ops");
  }
  if (target.starts_with("check.")) return lower_replicated(lowering, op);
  if (passes::only_places(target) && keeps_types(input, op)) return lower_by_own_rule(lowering, op);
  const auto* has_effect = input.attribute<bool>(op, ir::attr::kHasSideEffect);
  if (has_effect != nullptr && *has_effect) {
    if (is_written_per_device(lowering, op)) return lower_replicated(lowering, op);
    return lowering.error(op, "E_SIDE_EFFECT",
                          "every device would execute its side effects; only a call without side "
                          "effects can be replicated");
  }
  return lower_by_own_rule(lowering, op);
}

// ---- Single device ------------------------------------------------------------------------------

// Ops of a value with a maximal sharding run on its single device, in a branch. A broadcast sends
// their values to users on other devices. Spec: partitioning 9.5.
//
//   sdy.mesh @mesh = <["x"=2]>, @d1 = <[], device_ids=[1]>
//   %1 = negate %a [<@d1, []>]                %1 = if (spmd.coord {"x"} == 1) { negate %a }
//                                        ->        else { spmd.undef }
//   %2 = sdy.reshard %1 <@mesh, [{}]>         %2 = spmd.broadcast_from %1 {"x"}, root = 1

std::optional<int64_t> device_under(const std::optional<TensorSharding>& sharding) {
  return sharding ? sharding->mesh().maximal_device_id() : std::nullopt;
}

namespace {

std::optional<int64_t> device_of(const ir::Module& module, OpId op) {
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const auto device = device_under(ir::get_sharding(module, module.result(op, index)));
    if (device) return device;
  }
  return std::nullopt;
}

/// Returns the axes of the mesh along which values of the single device are broadcast.
AxisList axes_to_all(const Lowering& lowering, const Mesh& mesh) {
  AxisList axes = ir::free_axes(mesh, lowering.bound());
  std::erase_if(axes, [](const AxisRef& axis) { return axis.size == 1; });
  return axes;
}

/// Returns a region that returns these values, which ops of `block` define.
ir::RegionId returning(Lowering& lowering, ir::RegionId region, ir::BlockId block,
                       std::vector<ValueId> values) {
  Emitter inner(lowering.output());
  inner.set_block(block);
  ir::OpSpec last{.kind = OpKind::StablehloReturn};
  last.operands = std::move(values);
  inner.builder().create(std::move(last));
  return region;
}

}  // namespace

bool is_on_one_device(const ir::Module& module, OpId op) {
  return !module.is(op, OpKind::SdyReshard) && device_of(module, op).has_value();
}

/// Lowers an op in a branch that contains no collectives. Values of other devices are received
/// before the branch.
Status lower_on_one_device(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  ir::Module& output = lowering.output();
  Emitter& emit = lowering.emit();
  const int64_t device = *device_of(input, op);
  const Mesh& mesh = lowering.place().mesh;
  const std::optional<int64_t> in_mesh = mesh.position_of(device);
  if (!in_mesh) {
    return lowering.error(op, "E_UNSUPPORTED_OP",
                          "device " + std::to_string(device) + " is not a device of the mesh");
  }
  const AxisList axes = axes_to_all(lowering, mesh);
  const int64_t position = shard_index(mesh, axes, *in_mesh);
  std::vector<ValueId> operands;
  for (PartitionedValue& value : lowering.operands(op)) {
    const Layout whole{value.place, std::vector<AxisList>(value.axes.size()), {}, OpKind::Add};
    operands.push_back(lowering.reshard_to_layout(op, std::move(value), whole).value);
  }
  std::vector<ir::Type> types;
  for (const ValueId result : input.results(op)) types.push_back(input.type(result));
  const ScalarIndex own = emit.coord(lowering.place(), axes);
  const ValueId wanted = emit.scalar(ScalarIndex::of(position));
  const ValueId is_here = emit.compare(emit.scalar(own), wanted, "EQ");
  const OpId made = lowering.clone(op, std::move(operands), types);
  const ir::RegionId here = output.new_region();
  const ir::RegionId elsewhere = output.new_region();
  const ir::BlockId computes = output.new_block(here);
  const ir::BlockId skips = output.new_block(elsewhere);
  output.remove(made);
  output.append(computes, made);
  Emitter skipped(output);
  skipped.set_block(skips);
  std::vector<ValueId> nothing;
  nothing.reserve(types.size());
  for (const ir::Type& type : types) nothing.push_back(skipped.undefined(type));
  ir::OpSpec branch{.kind = OpKind::If};
  branch.operands = {is_here};
  branch.result_types = types;
  branch.regions = {returning(lowering, here, computes, output.results(made)),
                    returning(lowering, elsewhere, skips, std::move(nothing))};
  const OpId chosen = emit.builder().create(std::move(branch));
  for (std::size_t index = 0; index < types.size(); ++index) {
    const std::vector<AxisList> whole(
        types[index].is_tensor() ? static_cast<std::size_t>(types[index].rank()) : 0);
    PartitionedValue value = lowering.make(output.result(chosen, index), types[index], whole);
    value.device = position;
    lowering.bind(input.result(op, index), std::move(value));
  }
  return {};
}

PartitionedValue sent_to_all(Lowering& lowering, PartitionedValue value) {
  if (!value.device) return value;
  value.value = lowering.emit().broadcast_from(
      value.value, *value.place, axes_to_all(lowering, value.place->mesh), *value.device);
  value.device.reset();
  return value;
}

// ---- Foreign ops --------------------------------------------------------------------------------

// An embedder's callback lowers the ops that the embedder registered.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = "example.rotary"(%a) : 8x4 [{"x"}, {}]
//   ->  callback: operand(0, axes) : 4x4, clone or other ops, set_result(0, value, axes)
//   %1 = "example.rotary"(%a) : 4x4, resharded to [{"x"}, {}] if axes differ

OpLowering::OpLowering(Lowering& lowering, OpId op)
    : lowering_(&lowering), op_(op), results_(lowering.input().num_results(op)) {}

const ir::Module& OpLowering::program() const { return lowering_->input(); }
const Type& OpLowering::operand_type(std::size_t index) const {
  return program().type(program().operand(op_, index));
}
const Type& OpLowering::result_type(std::size_t index) const {
  return program().type(program().result(op_, index));
}

OpLowering::Axes OpLowering::operand_axes(std::size_t index) const {
  return lowering_->local(program().operand(op_, index)).axes;
}
OpLowering::Axes OpLowering::result_axes(std::size_t index) const {
  return lowering_->axes_of(program().result(op_, index));
}

ValueId OpLowering::operand(std::size_t index, const Axes& axes,
                            const std::optional<ir::Literal>& padding) {
  PartitionedValue value = lowering_->local(program().operand(op_, index));
  value = lowering_->reshard_to(op_, std::move(value), axes);
  if (!padding) return value.value;
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < axes.size(); ++dim) dims.push_back(dim);
  return lowering_->mask(std::move(value), dims, *padding).value;
}

ir::Module& OpLowering::local_program() { return lowering_->output(); }
ir::Builder& OpLowering::builder() { return lowering_->emit().builder(); }

ValueId OpLowering::coordinate(std::span<const AxisRef> axes) { return tile_begin(axes, 1); }

ValueId OpLowering::tile_begin(std::span<const AxisRef> axes, int64_t size) {
  Emitter& emit = lowering_->emit();
  const int64_t tile = ceil_div(size, sharding_size(axes));
  const ScalarIndex begin = emit.multiply(emit.coord(lowering_->place(), axes), tile);
  return emit.scalar(begin);
}

ValueId OpLowering::all_reduce(ValueId value, std::span<const AxisRef> axes, OpKind reducer) {
  return lowering_->emit().all_reduce(value, lowering_->place(), axes, reducer);
}

ValueId OpLowering::all_gather(ValueId value, std::span<const AxisRef> axes, std::size_t dim) {
  return lowering_->emit().all_gather(value, lowering_->place(), axes, dim);
}

OpId OpLowering::clone(std::vector<ValueId> operands, std::span<const Axes> results) {
  std::vector<Type> types;
  for (std::size_t index = 0; index < results.size(); ++index) {
    types.push_back(lowering_->local_type(result_type(index), results[index]));
  }
  return lowering_->clone(op_, std::move(operands), std::move(types));
}

void OpLowering::set_result(std::size_t index, ValueId value, const Axes& axes) {
  results_[index].emplace(value, axes);
}

tl::unexpected<Error> OpLowering::error(const std::string& message) const {
  return lowering_->error(op_, "E_UNSUPPORTED_OP", message);
}

Status OpLowering::finish() {
  for (std::size_t index = 0; index < results_.size(); ++index) {
    const std::string name = "result " + std::to_string(index);
    if (!results_[index]) return error("its lowering gave no " + name);
    const auto& [value, axes] = *results_[index];
    const Type wanted = lowering_->local_type(result_type(index), axes);
    const Type& given = lowering_->output().type(value);
    if (given != wanted) {
      return error("its lowering gave " + name + " as " + ir::to_string(given) + ", not " +
                   ir::to_string(wanted));
    }
    const ValueId result = program().result(op_, index);
    PartitionedValue made = lowering_->make(value, result_type(index), axes);
    lowering_->bind(result,
                    lowering_->reshard_to(op_, std::move(made), lowering_->axes_of(result)));
  }
  return {};
}

const ForeignLowering* find_foreign_lowering(const ForeignLowerings& known,
                                             const ir::Module& module, OpId op) {
  const OpKind kind = module.kind(op);
  if (kind != OpKind::Unknown && kind != OpKind::CustomCall) return nullptr;
  const bool is_call = kind == OpKind::CustomCall;
  const ForeignLowerings::LoweringsByName& rows = is_call ? known.custom_calls : known.ops;
  const auto found =
      rows.find(is_call ? rules::call_target(rules::OpView(module, op)) : module.name(op));
  return found != rows.end() ? &found->second : nullptr;
}

Status lower_foreign(Lowering& lowering, OpId op, const ForeignLowering& lower) {
  OpLowering view(lowering, op);
  SHARDY_TRY_STATUS(lower(view));
  return view.finish();
}

// ---- Table --------------------------------------------------------------------------------------

namespace {

struct LowerRow {
  OpKind kind;
  LowerOp* lower;
};

// Pure ops without a row are lowered by their sharding rule. Spec: partitioning 5.9.
constexpr std::array kRows = {
    LowerRow{OpKind::AllGather, &lower_process_collective},
    LowerRow{OpKind::AllReduce, &lower_process_collective},
    LowerRow{OpKind::AllToAll, &lower_process_collective},
    LowerRow{OpKind::BatchNormGrad, &lower_batch_norm_grad},
    LowerRow{OpKind::BatchNormTraining, &lower_batch_norm_training},
    LowerRow{OpKind::Broadcast, &lower_broadcast},
    LowerRow{OpKind::CheckExpectAlmostEq, &lower_replicated},
    LowerRow{OpKind::CheckExpectAlmostEqConst, &lower_replicated},
    LowerRow{OpKind::CheckExpectClose, &lower_replicated},
    LowerRow{OpKind::CheckExpectEq, &lower_replicated},
    LowerRow{OpKind::CheckExpectEqConst, &lower_replicated},
    LowerRow{OpKind::CheckExpectSerializedEq, &lower_replicated},
    LowerRow{OpKind::ChloRaggedDot, &lower_ragged_dot},
    LowerRow{OpKind::ChloTopK, &lower_top_k},
    LowerRow{OpKind::Cholesky, &lower_by_rule},
    LowerRow{OpKind::CollectiveBroadcast, &lower_process_collective},
    LowerRow{OpKind::CollectivePermute, &lower_process_collective},
    LowerRow{OpKind::CollectiveReduce, &lower_process_collective},
    LowerRow{OpKind::Concatenate, &lower_concatenate},
    LowerRow{OpKind::Constant, &lower_constant},
    LowerRow{OpKind::Convolution, &lower_convolution},
    LowerRow{OpKind::CustomCall, &lower_custom_call},
    LowerRow{OpKind::Dot, &lower_product},
    LowerRow{OpKind::DotGeneral, &lower_product},
    LowerRow{OpKind::DynamicSlice, &lower_dynamic_slice},
    LowerRow{OpKind::DynamicUpdateSlice, &lower_dynamic_update_slice},
    LowerRow{OpKind::Einsum, &lower_product},
    LowerRow{OpKind::Fft, &lower_by_rule},
    LowerRow{OpKind::Gather, &lower_gather},
    LowerRow{OpKind::GetDimensionSize, &lower_dimension_size},
    LowerRow{OpKind::Iota, &lower_iota},
    LowerRow{OpKind::OptimizationBarrier, &lower_optimization_barrier},
    LowerRow{OpKind::Pad, &lower_pad},
    LowerRow{OpKind::PartitionId, &lower_process_number},
    LowerRow{OpKind::Reduce, &lower_reduce},
    LowerRow{OpKind::ReduceScatter, &lower_process_collective},
    LowerRow{OpKind::ReduceWindow, &lower_reduce_window},
    LowerRow{OpKind::ReplicaId, &lower_process_number},
    LowerRow{OpKind::Reshape, &lower_reshape},
    LowerRow{OpKind::Reverse, &lower_reverse},
    LowerRow{OpKind::Rng, &lower_rng},
    LowerRow{OpKind::RngBitGenerator, &lower_rng_bit_generator},
    LowerRow{OpKind::Scatter, &lower_scatter},
    LowerRow{OpKind::SelectAndScatter, &lower_select_and_scatter},
    LowerRow{OpKind::Slice, &lower_slice},
    LowerRow{OpKind::Sort, &lower_sort},
    LowerRow{OpKind::TorchIndexSelect, &lower_torch_index_select},
    LowerRow{OpKind::TriangularSolve, &lower_by_rule},
    LowerRow{OpKind::UnaryEinsum, &lower_product},
    LowerRow{OpKind::SdyAllGather, &lower_all_gather},
    LowerRow{OpKind::SdyAllReduce, &lower_all_reduce},
    LowerRow{OpKind::SdyAllSlice, &lower_all_slice},
    LowerRow{OpKind::SdyAllToAll, &lower_all_to_all},
    LowerRow{OpKind::SdyCollectivePermute, &lower_collective_permute},
    LowerRow{OpKind::SdyConstant, &lower_constant},
    LowerRow{OpKind::SdyPropagationBarrier, &lower_identity},
    LowerRow{OpKind::SdyReduceScatter, &lower_reduce_scatter},
    LowerRow{OpKind::SdyReplicatedToUnreduced, &lower_replicated_to_unreduced},
    LowerRow{OpKind::SdyReshard, &lower_reshard},
    LowerRow{OpKind::SdyShardedToUnreduced, &lower_sharded_to_unreduced},
    LowerRow{OpKind::Unknown, &lower_unknown},
};

}  // namespace

LowerOp* find_lowering(OpKind kind) {
  const auto* const row = std::ranges::find(kRows, kind, &LowerRow::kind);
  return row != kRows.end() ? row->lower : nullptr;
}

}  // namespace shardy::partitioning
