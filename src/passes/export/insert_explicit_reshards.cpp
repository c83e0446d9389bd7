// sdy-insert-explicit-reshards: inserts reshards so that the operands and results of each op agree
// with its sharding rule. Spec: resharding A.
//
//   sdy.mesh @mesh = <["a"=4, "b"=2]>
//   %0 = add %a [{"a"}, {}], %b [{}, {"b"}]         %0 = sdy.reshard %a [{"a"}, {"b"}]
//     : [{"a"}, {"b"}]                         ->   %1 = sdy.reshard %b [{"a"}, {"b"}]
//                                                   %2 = add %0, %1     [{"a"}, {"b"}]
//
//   %0 = dot %a [{}, {"a"}], %b [{"a"}, {}]    ->   %0 = dot %a, %b            [{}, {}]
//     : [{}, {}]                                    %1 = sdy.all_reduce {"a"} %0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "ir/sharding_map.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/common_axes.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "passes/export/export_passes.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::passes {

using explicit_reshards::OpTensors;
using explicit_reshards::OptionalSharding;

namespace {

Status op_error(const Module& module, OpId op, const std::string& message) {
  return fail_at(module.source_location(op),
                 "'" + std::string(module.name(op)) + "' op " + message);
}

// ---- State --------------------------------------------------------------------------------------

/// The mesh of the program, which the first op that needs it looks up.
class ProgramMesh {
 public:
  const std::optional<MeshRef>& of(const Module& module) {
    if (!is_known_) mesh_ = ir::mesh_of_program(module);
    is_known_ = true;
    return mesh_;
  }

 private:
  bool is_known_ = false;
  std::optional<MeshRef> mesh_;
};

/// Returns the sharding of a value before barriers, without a copy.
ir::detail::StoredSharding stored_sharding(const Module& module, ValueId value) {
  return {module, ir::bypass_barriers(module, value)};
}

/// The keys of ops whose tensors agree, so that no op is inserted for them. Most ops agree, and
/// repeated layers have equal keys.
class AgreedOps {
 public:
  struct Key {
    OpShardingRule rule;
    std::vector<uint32_t> shardings;  // of operands, then of results; 0: none
    friend bool operator==(const Key&, const Key&) = default;
  };

  /// Returns the key of an op if the key alone determines whether its tensors agree; else
  /// std::nullopt.
  std::optional<Key> key_of(const Module& module, OpId op) {
    if (!has_plain_rule(module.kind(op)) || module.is(op, OpKind::Reshape)) return std::nullopt;
    const auto* rule = module.attribute<OpShardingRule>(op, ir::kShardingRuleAttr);
    if (rule == nullptr || rule->is_custom()) return std::nullopt;
    Key key{*rule, {}};
    key.shardings.reserve(module.num_operands(op) + module.num_results(op));
    for (std::size_t index = 0; index < module.num_operands(op); ++index) {
      key.shardings.push_back(number_of(stored_sharding(module, module.operand(op, index))));
    }
    for (std::size_t index = 0; index < module.num_results(op); ++index) {
      key.shardings.push_back(number_of({module, module.result(op, index)}));
    }
    return key;
  }

  bool contains(const Key& key) const { return known_.contains(key); }
  void add(Key key) { known_.insert(std::move(key)); }

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const { return hash_range(key.shardings); }
  };

  /// Returns a number above 0 that equal shardings share.
  uint32_t number_of(const ir::detail::StoredSharding& sharding) {
    if (!sharding) return 0;
    if (const uint32_t* known = numbers_.find(*sharding)) return *known;
    return numbers_.add(*sharding, ++num_shardings_);
  }

  ir::ShardingMap<uint32_t> numbers_;
  uint32_t num_shardings_ = 0;
  std::unordered_set<Key, Hash> known_;  // never iterated
};

struct PassState {
  const rules::Registry& registry;
  const InsertExplicitReshardsOptions& options;
  MeshPlanners& planners;
  ProgramMesh mesh = {};
  AgreedOps agreed = {};
};

// ---- One op -------------------------------------------------------------------------------------

bool is_dot(const Module& module, OpId op) {
  return module.is(op, OpKind::Dot) || module.is(op, OpKind::DotGeneral);
}

/// Returns true for a concatenate whose tensors have different shardings. It always gets the full
/// version.
bool is_mixed_concatenate(const Module& module, OpId op) {
  if (!module.is(op, OpKind::Concatenate)) return false;
  const OptionalSharding result = ir::get_sharding(module, module.result(op));
  return std::ranges::any_of(module.operands(op), [&](ValueId operand) {
    return ir::get_sharding(module, operand) != result;
  });
}

bool has_full_version(const Module& module, OpId op) {
  return module.name(op) == "mhlo.ragged_dot" || module.is(op, OpKind::ChloRaggedDot) ||
         is_mixed_concatenate(module, op);
}

/// Reduces the unreduced axes of all operands (A.8.1). Errors: results with different unreduced
/// axes; a partial operand of an op without a sharding rule.
Status reduce_operands(Module& module, OpId op) {
  const bool has_results = module.num_results(op) != 0;
  const OptionalSharding target =
      has_results ? ir::get_sharding(module, module.result(op)) : std::nullopt;
  const AxisList wanted = target ? target->unreduced_axes() : AxisList();
  for (std::size_t index = 1; index < module.num_results(op); ++index) {
    const OptionalSharding other = ir::get_sharding(module, module.result(op, index));
    if ((other ? other->unreduced_axes() : AxisList()) != wanted) {
      return op_error(module, op, "all results must have the same unreduced axes");
    }
  }
  for (uint32_t operand = 0; operand < module.num_operands(op); ++operand) {
    const OptionalSharding have = ir::get_sharding(module, module.operand(op, operand));
    if (!has_results && have && !have->unreduced_axes().empty()) {
      return op_error(module, op, "has no results but an unreduced operand");
    }
    explicit_reshards::reduce_use(module, {op, operand}, target);
  }
  return {};
}

/// Checks whether a single device has a result, or runs an op without results in the native
/// pipeline.
bool is_on_single_device(const Module& module, OpId op, bool lowering_rules) {
  if (module.num_results(op) == 0 && !lowering_rules) return false;
  return single_device_sharding(module, op).has_value();
}

/// Returns the axes that the minimal version reduces: the axes of reduction factors if the results
/// are unreduced.
Result<AxisList> minimal_reduction_axes(const Module& module, const OpTensors& tensors) {
  const OptionalSharding first = ir::get_sharding(module, module.result(tensors.op));
  if (!first || first->unreduced_axes().empty()) return AxisList();
  const FactorAxes factors = explicit_reshards::factor_axes(module, tensors);
  std::vector<AxisList> common(factors.num_factors());
  for (const int32_t reduction : tensors.rule.reduction_factors()) {
    const auto factor = static_cast<std::size_t>(reduction);
    bool is_first = true;
    for (const auto& lists : factors.lists) {
      if (!lists[factor]) continue;
      if (!is_first && *lists[factor] != common[factor]) {
        return tl::unexpected(
            op_error(module, tensors.op,
                     "has a reduction factor that is not sharded everywhere alike")
                .error());
      }
      common[factor] = *lists[factor];
      is_first = false;
    }
  }
  return explicit_reshards::reduction_axes(tensors, common);
}

/// Inserts the reshard of the dot special case and the reductions. Sets `agree` if nothing has to
/// be reduced.
Status process_minimal(Module& module, const OpTensors& tensors, bool marks, bool& agree) {
  const OpId op = tensors.op;
  if (is_dot(module, op)) {
    explicit_reshards::reshard_dot(module, tensors);
  }
  SHARDY_TRY(AxisList axes, minimal_reduction_axes(module, tensors));
  agree = axes.empty();
  explicit_reshards::reduce_results(module, tensors, std::move(axes), marks);
  return {};
}

/// Returns the query for the common axes of an op; std::nullopt if a type is unknown.
std::optional<CommonAxesQuery> common_axes_query(const Module& module, const OpTensors& tensors,
                                                 BoundAxes bound) {
  const std::size_t num_operands = module.num_operands(tensors.op);
  CommonAxesQuery query{tensors.rule, {}, num_operands, std::move(bound)};
  for (std::size_t tensor = 0; tensor < tensors.shardings.size(); ++tensor) {
    const ir::Type& type =
        module.type(tensor < num_operands ? module.operand(tensors.op, tensor)
                                          : module.result(tensors.op, tensor - num_operands));
    if (!type.is_static_tensor()) return std::nullopt;
    const OptionalSharding& have = tensors.shardings[tensor];
    const auto rank = static_cast<std::size_t>(type.rank());
    TensorSharding sharding =
        have ? have->closed_like()
             : TensorSharding::fully_closed(tensors.mesh.mesh, tensors.mesh.name, rank);
    if (sharding.rank() != rank || sharding.mesh().is_maximal()) return std::nullopt;
    query.tensors.push_back({std::move(sharding),
                             {type.dims().begin(), type.dims().end()},
                             static_cast<int64_t>(ir::size_bytes(type.element()))});
  }
  return query;
}

}  // namespace

std::optional<CommonAxesQuery> explicit_reshards::priced_query(const Module& module,
                                                               const OpTensors& tensors,
                                                               BoundAxes bound) {
  const bool is_sum = std::ranges::all_of(
      tensors.combiners, [](ReductionOp combiner) { return combiner == ReductionOp::Sum; });
  if (!is_sum) return std::nullopt;
  std::optional<CommonAxesQuery> query = common_axes_query(module, tensors, std::move(bound));
  if (!query || !can_price(*query)) return std::nullopt;
  return query;
}

namespace {

/// Returns the axes that the caller's callback chooses; std::nullopt without a callback.
Result<std::optional<std::vector<AxisList>>> asked_axes(const Module& module, OpId op,
                                                        const Extensions* extensions,
                                                        const CommonAxesQuery& query,
                                                        std::span<const AxisList> reference) {
  if (extensions == nullptr || !extensions->common_axes) return std::nullopt;
  std::vector<AxisList> common = extensions->common_axes(query, reference);
  const Status valid = verify_common_axes(query, reference, common);
  if (valid) return common;
  return tl::unexpected(
      op_error(module, op, "extension 'common_axes' returned " + valid.error().message).error());
}

/// Reports axes that differ from the reference.
void report_choice(const Module& module, OpId op, const StepCost& before, const StepCost& after,
                   const PassState& state) {
  if (!state.options.chosen) return;
  state.options.chosen({.rule = std::string(kBestCommonAxes),
                        .op = std::string(module.name(op)),
                        .location = module.source_location(op),
                        .bytes_before = before.bytes,
                        .bytes_after = after.bytes,
                        .messages_before = before.messages,
                        .messages_after = after.messages});
}

/// Returns the axes with the least cost, and reports them if they differ from the reference.
/// Operands that are recomputed in any sharding cost nothing.
std::vector<AxisList> cheapest_axes(const Module& module, OpId op, const CommonAxesQuery& query,
                                    const std::vector<AxisList>& reference, PassState& state,
                                    PricedPlanner& planner) {
  const FreeTensors free = state.options.lowering_rules
                               ? explicit_reshards::recomputed_operands(module, op)
                               : FreeTensors();
  const BestAxes best =
      state.planners.best_axes(planner).find(query, reference, planner, state.options.limits, free);
  if (best.axes != reference) report_choice(module, op, best.before, best.after, state);
  return best.axes;
}

/// Returns the common axes from the callback, the cheapest axes, or the axes of the reference.
Result<std::vector<AxisList>> chosen_axes(const Module& module, const OpTensors& tensors,
                                          std::vector<AxisList> reference, PassState& state) {
  MeshPlanners& planners = state.planners;
  const std::optional<CommonAxesQuery> query =
      explicit_reshards::priced_query(module, tensors, planners.bound_at(tensors.op));
  if (!query) return reference;
  PricedPlanner& planner = planners.planner(tensors.mesh.name.value_or(""));
  if (planners.kind() == PlanKind::Best) {
    reference = cheapest_axes(module, tensors.op, *query, reference, state, planner);
  }
  SHARDY_TRY(auto asked,
             asked_axes(module, tensors.op, state.options.extensions, *query, reference));
  return asked ? *std::move(asked) : std::move(reference);
}

/// Splits an fft if its reshards cost less than the common axes.
bool splits_transform(Module& module, const OpTensors& tensors, std::span<const AxisList> common,
                      MeshPlanners& planners) {
  if (!module.is(tensors.op, OpKind::Fft)) return false;
  const std::optional<CommonAxesQuery> query =
      common_axes_query(module, tensors, planners.bound_at(tensors.op));
  if (!query || !can_price(*query)) return false;
  PricedPlanner& planner = planners.planner(tensors.mesh.name.value_or(""));
  const StepCost at_once = common_axes_cost(*query, common, planner);
  return explicit_reshards::split_transform(module, tensors.op, *query, at_once, planner);
}

/// Returns the shardings of a reshape with overflow axes: as in the reference, or only with the
/// axes that operand and result share, if this costs less.
explicit_reshards::ReshapeSides reshape_sides(const Module& module, const OpTensors& tensors,
                                              PassState& state) {
  explicit_reshards::ReshapeSides reference = explicit_reshards::redistributed_sides(tensors);
  MeshPlanners& planners = state.planners;
  const std::optional<CommonAxesQuery> query =
      common_axes_query(module, tensors, planners.bound_at(tensors.op));
  const bool is_best = planners.kind() == PlanKind::Best && query;
  const bool is_whole = is_best && std::ranges::all_of(query->tensors, [](const QueryTensor& at) {
                          return at.sharding.unreduced_axes().empty();
                        });
  if (!is_whole) return reference;
  PricedPlanner& planner = planners.planner(tensors.mesh.name.value_or(""));
  explicit_reshards::ReshapeSides shared = explicit_reshards::shared_sides(tensors);
  const StepCost before = explicit_reshards::reshape_cost(*query, reference, planner);
  const StepCost after = explicit_reshards::reshape_cost(*query, shared, planner);
  if (std::tie(after.seconds, after.bytes) >= std::tie(before.seconds, before.bytes)) {
    return reference;
  }
  report_choice(module, tensors.op, before, after, state);
  return shared;
}

/// Inserts all reshards and reductions for the op. Sets `agree` if its tensors have compatible axes
/// and nothing has to be reduced.
Status process_full(Module& module, OpTensors& tensors, PassState& state, bool& agree) {
  const InsertExplicitReshardsOptions& options = state.options;
  if (explicit_reshards::is_reshape_with_overflow(module, tensors)) {
    explicit_reshards::reshard_reshape(module, tensors, reshape_sides(module, tensors, state));
    return {};
  }
  const FactorAxes factors = explicit_reshards::factor_axes(module, tensors);
  std::vector<AxisList> common = common_axes(factors);
  const bool may_change = state.planners.kind() == PlanKind::Best || options.extensions != nullptr;
  const bool are_compatible = compatible_axes(factors).has_value();
  if (may_change && !are_compatible) {
    SHARDY_TRY(common, chosen_axes(module, tensors, std::move(common), state));
  }
  const bool is_asked = options.extensions != nullptr && options.extensions->common_axes;
  if (options.lowering_rules && !is_asked &&
      splits_transform(module, tensors, common, state.planners)) {
    return {};
  }
  AxisList reduced = explicit_reshards::reduction_axes(tensors, common);
  agree = are_compatible && reduced.empty();
  explicit_reshards::reshard_to_common(module, tensors, common);
  explicit_reshards::reduce_results(module, tensors, std::move(reduced),
                                    options.mark_partial_results);
  return {};
}

bool is_sharded(const Module& module, ValueId value) {
  const ir::detail::StoredSharding sharding = stored_sharding(module, value);
  return sharding && !(sharding->is_fully_replicated() && sharding->unreduced_axes().empty());
}

/// Returns whether a dim of the sharding has the axis or a sub-axis of it.
bool has_in_dims(const ir::detail::StoredSharding& sharding, int32_t axis) {
  return sharding && std::ranges::any_of(sharding->dims(), [&](const DimSharding& dim) {
           return std::ranges::find(dim.axes, axis, &AxisRef::axis) != dim.axes.end();
         });
}

/// Checks whether the dot special case (A.9) is possible: the result has axes that the contracting
/// dims of both operands have, too.
bool may_conflict(const Module& module, OpId dot) {
  if (!is_dot(module, dot)) return false;
  const ir::detail::StoredSharding lhs = stored_sharding(module, module.operand(dot, 0));
  if (!lhs) return false;
  const ir::detail::StoredSharding rhs = stored_sharding(module, module.operand(dot, 1));
  const ir::detail::StoredSharding result = stored_sharding(module, module.result(dot));
  const auto is_in_all = [&](const AxisRef& axis) {
    return has_in_dims(rhs, axis.axis) && has_in_dims(result, axis.axis);
  };
  return std::ranges::any_of(lhs->dims(), [&](const DimSharding& dim) {
    return std::ranges::any_of(dim.axes, is_in_all);
  });
}

/// Checks cheaply whether the rule must be computed. True if a tensor is sharded and, in the
/// minimal version, the results are unreduced or a dot may be a special case.
bool depends_on_rule(const Module& module, OpId op, bool is_full) {
  if (module.num_results(op) == 0) return false;
  if (!is_full) {
    const ir::detail::StoredSharding first(module, module.result(op));
    return (first && !first->unreduced_axes().empty()) || may_conflict(module, op);
  }
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    if (is_sharded(module, module.result(op, index))) return true;
  }
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    if (is_sharded(module, module.operand(op, index))) return true;
  }
  return false;
}

Status process_op(Module& module, OpId op, PassState& state) {
  const InsertExplicitReshardsOptions& options = state.options;
  if (has_unreduced_tensor(module, op)) {
    SHARDY_TRY_STATUS(reduce_operands(module, op));
  }
  if (module.is(op, OpKind::SdyReshard)) {
    explicit_reshards::replace_unreducing_reshard(module, op);
    return {};
  }
  if (is_on_single_device(module, op, options.lowering_rules)) {
    return explicit_reshards::reshard_single_device(module, op, state.mesh.of(module));
  }
  const bool is_full = options.enable_full_version || has_full_version(module, op);
  if (!depends_on_rule(module, op, is_full)) return {};
  std::optional<AgreedOps::Key> key;
  const bool is_keyed = is_full ? options.lowering_rules : is_dot(module, op);
  if (is_keyed) key = state.agreed.key_of(module, op);
  if (key && state.agreed.contains(*key)) return {};
  SHARDY_TRY(std::optional<OpTensors> tensors,
             explicit_reshards::read_op(module, op, state.registry, options.lowering_rules));
  if (!tensors) return {};
  const std::size_t num_ops = module.num_ops();
  bool agree = false;
  if (is_full) {
    if (options.lowering_rules) explicit_reshards::keep_exchanged_dims(module, *tensors);
    SHARDY_TRY_STATUS(process_full(module, *tensors, state, agree));
  } else {
    SHARDY_TRY_STATUS(process_minimal(module, *tensors, options.mark_partial_results, agree));
  }
  if (key && agree && module.num_ops() == num_ops) state.agreed.add(*std::move(key));
  return {};
}

}  // namespace

bool explicit_reshards::is_resharded_by_rule(const Module& module, OpId op, bool lowering_rules) {
  // Collectives define the shardings of their operands and results.
  const bool has_own =
      module.has_trait(op, ir::kTerminator) || module.has_trait(op, ir::kDataFlow) ||
      module.has_trait(op, ir::kCollective) || module.is(op, OpKind::FuncCall) ||
      module.is(op, OpKind::SdyReshard) || (lowering_rules && module.is(op, OpKind::If));
  return !has_own && !is_on_single_device(module, op, lowering_rules);
}

namespace {

Status visit(Module& module, OpId op, PassState& state) {
  const InsertExplicitReshardsOptions& options = state.options;
  if (module.has_trait(op, ir::kTerminator)) return {};
  const bool is_branch = options.lowering_rules && module.is(op, OpKind::If);
  if (module.has_trait(op, ir::kDataFlow) || is_branch) {
    explicit_reshards::reshard_edges(module, op, options.enable_full_version);
    return {};
  }
  if (module.is(op, OpKind::FuncCall)) {
    explicit_reshards::reshard_call_operands(module, op);
    return {};
  }
  // Collectives define the shardings of their operands and results.
  if (module.has_trait(op, ir::kCollective)) return {};
  return process_op(module, op, state);
}

// ---- Functions ----------------------------------------------------------------------------------

Status check_function(const Module& module, OpId function, bool has_one_device) {
  using Kind = DiagnosticSubject::Kind;
  const auto check = [&](const OptionalSharding& sharding, Kind kind, std::size_t index) {
    if (!sharding || !sharding->mesh().is_maximal()) return Status();
    if (has_one_device && sharding->mesh().maximal_device_id() == 0) return Status();
    const std::string what = kind == Kind::Argument ? "argument " : "result ";
    return Status(tl::unexpected(Error{
        .message = "function " + what + std::to_string(index) +
                   " cannot have a single-device (maximal) sharding attribute",
        .location = module.source_location(function),
        .subject = {.kind = kind, .is_sharding = true, .index = static_cast<uint32_t>(index)}}));
  };
  const ir::FunctionData& data = module.function(function);
  for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
    SHARDY_TRY_STATUS(check(ir::arg_sharding(module, function, index), Kind::Argument, index));
  }
  for (std::size_t index = 0; index < data.result_attributes.size(); ++index) {
    SHARDY_TRY_STATUS(check(ir::result_sharding(module, function, index), Kind::Result, index));
  }
  return {};
}

/// Returns the out_sharding of a collective that uses the value; null if none exists.
const TensorSharding* collective_reading(const Module& module, ValueId value) {
  for (const ir::Use& use : module.uses(value)) {
    if (!ir::is_sdy_collective(module.kind(use.op))) continue;
    return module.attribute<TensorSharding>(use.op, ir::attr::kOutSharding);
  }
  return nullptr;
}

/// Reshards the operands of collectives that follow a barrier: to the barrier's sharding, or to
/// replicated if it has none. The result does not depend on the ops before the barrier.
void reshard_for_collectives_after(Module& module, OpId barrier) {
  const ValueId result = module.result(barrier);
  const TensorSharding* reads = collective_reading(module, result);
  const OptionalSharding above = ir::get_sharding(module, module.operand(barrier, 0));
  const OptionalSharding own = ir::get_sharding(module, result);
  if (reads == nullptr || above == own) return;
  const TensorSharding wanted =
      own ? *own : TensorSharding::fully_closed(reads->mesh(), reads->mesh_name(), reads->rank());
  insert_before_use(module, {barrier, 0}, reshard_op(module, module.operand(barrier, 0), wanted));
}

/// Erases propagation barriers, which have no effect after propagation. Users of the barrier then
/// have the sharding of its operand. Spec: partitioning 1.2 (I3).
void erase_barriers(Module& module, OpId function) {
  for (const OpId op : ir::post_order(module, module.entry(function))) {
    if (!module.is(op, OpKind::SdyPropagationBarrier)) continue;
    reshard_for_collectives_after(module, op);
    module.replace_all_uses(module.result(op), module.operand(op, 0));
    module.erase(op);
  }
}

/// Inserts an optimization barrier before reshards with `shardy.copy`, one per block, value and
/// copy. Equal reshards of several copies then stay several collectives, and reshards in a loop
/// stay in the loop. Only the partitioning pipeline does this; Shardy's export keeps the attribute.
/// Spec: resharding C.8.
Status separate_copies(Module& module, OpId function) {
  std::map<std::tuple<ir::BlockId, ValueId, int64_t>, ValueId> barriers;
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    if (!module.is(op, OpKind::SdyReshard) || !module.attributes(op).contains(kCopyAttr)) continue;
    const auto* copy = module.attribute<ir::IntegerAttr>(op, kCopyAttr);
    if (copy == nullptr) {
      return op_error(module, op, "shardy.copy is not an integer; write shardy.copy = 1 : i64");
    }
    const ValueId value = module.operand(op, 0);
    ValueId& result = barriers[{module.parent_block(op), value, copy->value}];
    if (!result.valid()) {
      ir::OpSpec spec{.kind = OpKind::OptimizationBarrier};
      spec.operands = {value};
      spec.result_types = {module.type(value)};
      spec.location = module.location(op);
      if (const OptionalSharding sharding = ir::get_sharding(module, value)) {
        spec.attributes.set(std::string(ir::kShardingAttr), ir::ShardingList{{*sharding}});
      }
      const OpId barrier = module.create(std::move(spec));
      module.insert_before(op, barrier);
      result = module.result(barrier);
    }
    module.set_operand(op, 0, result);
    module.attributes(op).erase(kCopyAttr);
  }
  return {};
}

/// Erases a sharding, or a list of shardings, on device 0 only.
void erase_maximal(ir::AttributeMap& attributes) {
  const auto is_maximal = [](const TensorSharding& sharding) {
    return sharding.mesh().maximal_device_id() == 0;
  };
  const auto* one = attributes.get<TensorSharding>(ir::kShardingAttr);
  const auto* list = attributes.get<ir::ShardingList>(ir::kShardingAttr);
  if ((one != nullptr && is_maximal(*one)) ||
      (list != nullptr && std::ranges::any_of(list->shardings, is_maximal))) {
    attributes.erase(ir::kShardingAttr);
  }
}

/// Erases shardings on device 0 if the program has one device: they have no effect. Spec: A.2.
void erase_maximal_shardings(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    erase_maximal(module.attributes(op));
    if (!module.is(op, OpKind::Func)) continue;
    ir::FunctionData& data = module.function(op);
    for (ir::AttributeMap& attributes : data.arg_attributes) erase_maximal(attributes);
    for (ir::AttributeMap& attributes : data.result_attributes) erase_maximal(attributes);
  }
}

/// Rewrites a function for the rules of the lowering.
Status prepare_for_lowering(Module& module, OpId function) {
  erase_barriers(module, function);
  Status separated = separate_copies(module, function);
  explicit_reshards::rank_merged_dims_apart(module, function);
  explicit_reshards::sort_ends_apart(module, function);
  explicit_reshards::fold_slices_of_pads(module, function);
  explicit_reshards::compute_in_frames(module, function);
  explicit_reshards::shard_slices_of_loops(module, function);
  explicit_reshards::cast_before_slices(module, function);
  return separated;
}

void add_error(Status status, Diagnostics& errors) {
  if (!status) errors.push_back(std::move(status).error());
}

/// Inserts the reshards of the ops of a function. Returns false if a limit is exceeded.
bool visit_ops(Module& module, OpId function, PassState& state, Diagnostics& errors) {
  // The regions of such ops use replicated captured values.
  const auto enters = [&](OpId op) { return !has_element_regions(module, op); };
  const InsertExplicitReshardsOptions& options = state.options;
  for (const OpId op : ir::post_order(module, module.entry(function), enters)) {
    if (options.limits != nullptr && !options.limits->may_continue()) return false;
    const std::size_t first_new = module.num_ops();
    add_error(visit(module, op, state), errors);
    if (options.lowering_rules)
      explicit_reshards::mark_causes(module, op, first_new, state.registry);
  }
  return true;
}

}  // namespace

Diagnostics insert_explicit_reshards(Module& module, const InsertExplicitReshardsOptions& options,
                                     const rules::Registry& rules) {
  MeshPlanners planners(module, options.common_axes, options.best,
                        options.extensions != nullptr ? options.extensions->plan_reshard : nullptr,
                        options.limits, options.plans);
  Diagnostics errors = planners.errors();
  if (!errors.empty()) return errors;
  const bool has_one_device = !ir::mesh_of_program(module);
  if (options.lowering_rules && has_one_device) erase_maximal_shardings(module);
  PassState state{rules, options, planners};
  const bool is_asked = options.extensions != nullptr && options.extensions->common_axes;
  const bool moves = options.move_shardings && options.common_axes == PlanKind::Best &&
                     options.lowering_rules && options.enable_full_version && !is_asked;
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    if (Status status = check_function(module, function, has_one_device); !status) {
      errors.push_back(std::move(status).error());
      continue;
    }
    if (options.lowering_rules) add_error(prepare_for_lowering(module, function), errors);
    if (moves) {
      explicit_reshards::choose_value_shardings(module, function, rules, planners, options);
    }
    if (!visit_ops(module, function, state, errors)) return errors;
    const std::size_t first_new = module.num_ops();
    explicit_reshards::reshard_returned(module, function, options.enable_full_version);
    if (options.lowering_rules) {
      explicit_reshards::mark_returned(module, function, first_new, rules);
    }
  }
  // Adds the errors of plans that were only compared.
  std::ranges::copy(planners.errors(), std::back_inserter(errors));
  return errors;
}

}  // namespace shardy::passes
