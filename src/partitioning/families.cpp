// Lowerings of ops of all kinds, and the table of lowerings by op kind. Spec: partitioning 8.
#include "partitioning/families.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

/// Checks whether each device runs the op unchanged. This holds on one device, and in a manual body
/// if the op has neither operands nor results, or if no free axis can shard it.
bool is_written_per_device(const Lowering& lowering, OpId op) {
  if (lowering.place().mesh.num_devices() == 1) return true;
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
    tl::unexpected<Error> error =
        lowering.error(op, "E_SIDE_EFFECT",
                       "every device would execute its side effects; only a call without side "
                       "effects can be replicated");
    error.value().notes.emplace_back(
        "mhlo.sharding = \"{maximal device=0}\" on the call lets only device 0 execute it");
    return error;
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
  return device_under(passes::single_device_sharding(module, op));
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
  for (const ir::Type& type : types) {
    nothing.push_back(type.is_token()
                          ? skipped.builder().create_value(OpKind::CreateToken, {}, type)
                          : skipped.undefined(type));
  }
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
    // Every device has a token.
    if (types[index].is_tensor()) value.device = position;
    lowering.bind(input.result(op, index), std::move(value));
  }
  return {};
}

PartitionedValue sent_to_all(Lowering& lowering, PartitionedValue value) {
  if (!value.device) return value;
  ir::OpSpec spec{.kind = OpKind::SpmdBroadcastFrom};
  spec.result_types = {lowering.output().type(value.value)};
  spec.attributes.set(ir::attr::kRoot, ir::IntegerAttr{*value.device, ir::ElementType::I64});
  const AxisList axes = axes_to_all(lowering, value.place->mesh);
  value.value = lowering.emit().collective(value.value, *value.place, axes, std::move(spec));
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

LowerOp* find_lowering(OpKind kind) {
  const auto* const row = std::ranges::find(kLowerings, kind, &LoweringRow::kind);
  return row != std::end(kLowerings) ? row->lower : nullptr;
}

// ---- Layouts ------------------------------------------------------------------------------------

// Computes layouts from the sharding rule of an op: the axes of a factor shard every dim that has
// the factor.
//
//   dot ([i, k], [k, j])->([i, j]) of %a [{}, {"y"}] and %b [{"y"}, {}] to [{"x"}, {}]
//                           %a              %b             result
//   Reductions::Whole   ->  [{"x"}, {}]     [{}, {}]       [{"x"}, {}]
//   Reductions::Sharded ->  [{"x"}, {"y"}]  [{"y"}, {}]    [{"x"}, {}], partial over {"y"}

namespace {

std::vector<AxisList> whole(const Type& type) {
  return std::vector<AxisList>(type.is_tensor() ? static_cast<std::size_t>(type.rank()) : 0);
}

/// Returns the only factor of the dim, if it has the size of the dim; else -1.
int32_t only_factor(const OpShardingRule& rule, const DimMapping& dim, int64_t size) {
  return dim.size() == 1 && rule.factor_size(dim[0]) == size ? dim[0] : -1;
}

bool overlaps_any(const AxisList& axes, const std::vector<AxisList>& others) {
  return std::ranges::any_of(others, [&](const AxisList& other) {
    return std::ranges::any_of(axes, [&](const AxisRef& a) {
      return std::ranges::any_of(other, [&](const AxisRef& b) { return overlaps(a, b); });
    });
  });
}

/// An assignment of axes to factors, from which the axes of dims follow.
class FactorAssignment {
 public:
  FactorAssignment(const Lowering& lowering, OpId op, const OpShardingRule& rule)
      : lowering_(lowering),
        input_(lowering.input()),
        op_(op),
        rule_(rule),
        axes_(static_cast<std::size_t>(rule.num_factors())) {}

  OpLayout run(Reductions reductions) {
    take_from_results();
    if (reductions != Reductions::Whole) take_reductions(reductions);
    OpLayout layout = whole_layout(input_, op_);
    layout.reduced_dims.resize(layout.operands.size());
    for (std::size_t index = 0; index < layout.operands.size(); ++index) {
      lay_out(rule_.operands()[index], input_.operand(op_, index), layout.operands[index],
              &layout.reduced_dims[index]);
    }
    for (std::size_t index = 0; index < layout.results.size(); ++index) {
      lay_out(rule_.results()[index], input_.result(op_, index), layout.results[index], nullptr);
    }
    layout.reduced = sort_and_merge(std::move(reduced_));
    layout.sources = sources();
    return layout;
  }

 private:
  int32_t factor_of(const TensorMapping& mapping, ValueId value, std::size_t dim) const {
    return only_factor(rule_, mapping.dims[dim], input_.type(value).dim(dim));
  }
  std::size_t rank(ValueId value) const {
    const Type& type = input_.type(value);
    return type.is_tensor() ? static_cast<std::size_t>(type.rank()) : 0;
  }

  /// Gives each pass-through factor the axes of the first result dim that has the factor.
  void take_from_results() {
    for (std::size_t index = 0; index < input_.num_results(op_); ++index) {
      const ValueId result = input_.result(op_, index);
      const std::vector<AxisList> wanted = lowering_.axes_of(result);
      for (std::size_t dim = 0; dim < wanted.size(); ++dim) {
        if (wanted[dim].empty()) continue;
        const int32_t factor = factor_of(rule_.results()[index], result, dim);
        if (factor < 0 || rule_.factor_kind(factor) != FactorKind::PassThrough) continue;
        AxisList& axes = axes_[static_cast<std::size_t>(factor)];
        if (axes.empty() && !overlaps_any(wanted[dim], axes_)) axes = wanted[dim];
      }
    }
  }

  /// Gives factors that occur in no result the axes of the first operand dim that has the factor.
  /// Axes of result dims are excluded, even if the dim is not sharded.
  void take_reductions(Reductions reductions) {
    AxisList taken;
    for (std::size_t index = 0; index < input_.num_results(op_); ++index) {
      append(taken, flatten(lowering_.axes_of(input_.result(op_, index))));
    }
    for (const int32_t factor : rule_.reduction_factors()) {
      AxisList axes = truncate_by_removing_overlaps(axes_in_operands(factor), taken);
      const int64_t shards = sharding_size(axes);
      const bool is_even = rule_.factor_size(factor) % shards == 0;
      if (shards == 1 || (reductions == Reductions::Even && !is_even)) continue;
      append(taken, axes);
      append(reduced_, axes);
      axes_[static_cast<std::size_t>(factor)] = std::move(axes);
    }
  }

  AxisList axes_in_operands(int32_t factor) const {
    for (std::size_t index = 0; index < input_.num_operands(op_); ++index) {
      const ValueId operand = input_.operand(op_, index);
      const std::vector<AxisList>& held = lowering_.local(operand).axes;
      for (std::size_t dim = 0; dim < held.size(); ++dim) {
        if (factor_of(rule_.operands()[index], operand, dim) == factor) return held[dim];
      }
    }
    return {};
  }

  void lay_out(const TensorMapping& mapping, ValueId value, std::vector<AxisList>& layout,
               std::vector<std::size_t>* reduced) const {
    for (std::size_t dim = 0; dim < layout.size(); ++dim) {
      const int32_t factor = factor_of(mapping, value, dim);
      if (factor < 0) continue;
      layout[dim] = axes_[static_cast<std::size_t>(factor)];
      const bool is_reduced = rule_.factor_kind(factor) == FactorKind::Reduction;
      if (reduced != nullptr && is_reduced && !layout[dim].empty()) reduced->push_back(dim);
    }
  }

  std::vector<int32_t> sources() const {
    if (input_.num_operands(op_) == 0 || input_.num_results(op_) == 0) return {};
    const ValueId operand = input_.operand(op_, 0);
    const ValueId result = input_.result(op_);
    std::vector<int32_t> of_factor(static_cast<std::size_t>(rule_.num_factors()), -1);
    for (std::size_t dim = 0; dim < rank(operand); ++dim) {
      const int32_t factor = factor_of(rule_.operands()[0], operand, dim);
      if (factor >= 0) of_factor[static_cast<std::size_t>(factor)] = static_cast<int32_t>(dim);
    }
    std::vector<int32_t> sources(rank(result), -1);
    for (std::size_t dim = 0; dim < sources.size(); ++dim) {
      const int32_t factor = factor_of(rule_.results()[0], result, dim);
      if (factor >= 0) sources[dim] = of_factor[static_cast<std::size_t>(factor)];
    }
    return sources;
  }

  const Lowering& lowering_;
  const ir::Module& input_;
  OpId op_;
  const OpShardingRule& rule_;
  std::vector<AxisList> axes_;  // per factor
  AxisList reduced_;
};

/// Returns true for ops that only move elements; the padding of their results has the value of the
/// operand's padding.
bool moves_elements(OpKind kind) {
  return kind == OpKind::Transpose || kind == OpKind::BroadcastInDim;
}

}  // namespace

PartitionedValue laid_out_operand(Lowering& lowering, OpId op, std::size_t index,
                                  const OpLayout& layout) {
  PartitionedValue value = lowering.local(lowering.input().operand(op, index));
  value = lowering.reshard_to(op, std::move(value), layout.operands[index]);
  if (layout.reduced.empty() || layout.reduced_dims[index].empty()) return value;
  // Zeroes the padding in all operands of a product: 0 * NaN in the padding of one would make the
  // sum NaN.
  const ir::Literal zero = ir::splat_literal(Type::tensor({}, value.global.element()), 0);
  return lowering.mask(std::move(value), layout.reduced_dims[index], zero);
}

OpLayout whole_layout(const ir::Module& module, OpId op) {
  OpLayout layout;
  layout.operands.reserve(module.num_operands(op));
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    layout.operands.push_back(whole(module.type(module.operand(op, index))));
  }
  layout.results.reserve(module.num_results(op));
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    layout.results.push_back(whole(module.type(module.result(op, index))));
  }
  return layout;
}

std::optional<OpLayout> layout_by_rule(const Lowering& lowering, OpId op, Reductions reductions) {
  const rules::RuleResult rule = lowering.rule_of(op);
  if (!rule || !*rule) return std::nullopt;
  return FactorAssignment(lowering, op, **rule).run(reductions);
}

namespace {

/// Gives the dims of a result the padding values of the dims of the operand that they come from.
void keep_padding(const OpLayout& layout, std::span<const std::optional<ir::Literal>> padding,
                  PartitionedValue& made) {
  for (std::size_t dim = 0; dim < made.axes.size(); ++dim) {
    const int32_t from = layout.sources[dim];
    if (from >= 0) made.padding[dim] = padding[static_cast<std::size_t>(from)];
  }
}

}  // namespace

Status lower_laid_out(Lowering& lowering, OpId op, const OpLayout& layout) {
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  std::vector<std::optional<ir::Literal>> padding;  // padding values of the first operand
  operands.reserve(input.num_operands(op));
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    const PartitionedValue& held = lowering.local(input.operand(op, index));
    // laid_out_operand would return a copy.
    const bool is_laid_out = layout.reduced.empty() && held.axes == layout.operands[index];
    if (is_laid_out && index == 0 && moves_elements(input.kind(op))) padding = held.padding;
    if (is_laid_out) {
      operands.push_back(held.value);
      continue;
    }
    PartitionedValue operand = laid_out_operand(lowering, op, index, layout);
    operands.push_back(operand.value);
    if (index == 0) padding = std::move(operand.padding);
  }
  std::vector<Type> types;
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    types.push_back(
        lowering.local_type(input.type(input.result(op, index)), layout.results[index]));
  }
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  const bool keeps_padding = moves_elements(input.kind(op)) && !layout.sources.empty();
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    PartitionedValue made = lowering.make(lowering.output().result(local, index),
                                          input.type(result), layout.results[index]);
    if (keeps_padding) keep_padding(layout, padding, made);
    if (sharding_size(layout.reduced) > 1) {
      made.partial = PartialResult{layout.reduced, OpKind::Add, ValueId()};
    }
    lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
  }
  return {};
}

}  // namespace shardy::partitioning
