// Canonicalization: patterns of collectives and manual computations, dead ops, and the fixpoint of
// all patterns.

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/detail/ir_op.hpp"
#include "shardy/resharding/detail/axis_lists.hpp"

namespace shardy::passes {

// ---- Collectives --------------------------------------------------------------------------------
// Canonicalization patterns of collectives, C1 to C11. Spec: dialect 7.2.
//
//   C1-C5  all_gather [{}, {}] %x                              ->  %x  (no axes: a no-op)
//   C6     all_slice [{"x"}] (all_gather [{"x"}] %x)           ->  %x
//   C7     all_reduce {"x"} (replicated_to_unreduced {"x"} %x) ->  %x
//   C8     all_reduce {"x"} (sharded_to_unreduced [{"x"}] %x)  ->  all_gather [{"x"}] %x
//   C9     all_to_all without users                            ->  erased
//   C10    all_to_all [{"y"}: 2->3] (all_to_all [{"x"}: 0->1] %x)
//          ->  all_to_all [{"x"}: 0->1, {"y"}: 2->3] %x
//   C11    all_slice [{"x"}, {}] (all_reduce {"x"} %x)         ->  reduce_scatter [{"x"}, {}] %x

using ir::AxesAttr;
using ir::AxesListsAttr;

namespace {

const std::vector<AxisList>* lists(const Module& module, OpId op) {
  for (const std::string_view name : {ir::attr::kGatheringAxes, ir::attr::kSlicingAxes,
                                      ir::attr::kReduceScatterAxes, ir::attr::kAxes}) {
    if (const auto* attribute = module.attribute<AxesListsAttr>(op, name)) {
      return &attribute->lists;
    }
  }
  return nullptr;
}

const AxisList& reduction_axes(const Module& module, OpId op) {
  return module.attribute<AxesAttr>(op, ir::attr::kReductionAxes)->axes;
}

/// Returns true for C1 to C5: the collective changes nothing.
bool does_nothing(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyAllGather:
    case OpKind::SdyAllSlice:
    case OpKind::SdyReduceScatter:
      return all_empty(*lists(module, op));
    case OpKind::SdyAllReduce:
      return reduction_axes(module, op).empty();
    case OpKind::SdyCollectivePermute:
      return is_equivalent(ir::get_sharding(module, module.operand(op, 0)),
                           ir::get_sharding(module, module.result(op)));
    default:
      return false;
  }
}

OpId producer(const Module& module, OpId op, OpKind kind) {
  const OpId inner = module.defining_op(module.operand(op, 0));
  return inner.valid() && module.is(inner, kind) ? inner : OpId();
}

/// Returns the original value if the op reverts the collective that defines its operand (C6, C7);
/// else invalid.
ValueId undone_value(const Module& module, OpId op) {
  if (module.is(op, OpKind::SdyAllSlice)) {
    const OpId gather = producer(module, op, OpKind::SdyAllGather);
    if (gather.valid() && *lists(module, gather) == *lists(module, op)) {
      return module.operand(gather, 0);
    }
  }
  if (module.is(op, OpKind::SdyAllReduce)) {
    const OpId unreduce = producer(module, op, OpKind::SdyReplicatedToUnreduced);
    if (unreduce.valid() &&
        module.attribute<AxesAttr>(unreduce, ir::attr::kAxes)->axes == reduction_axes(module, op)) {
      return module.operand(unreduce, 0);
    }
  }
  return {};
}

void replace(Module& module, OpId op, ValueId value) {
  module.replace_all_uses(module.result(op), value);
  module.erase(op);
}

OpId make(Module& module, OpId before, OpKind kind, ValueId operand, ir::AttributeMap attributes) {
  ir::OpSpec spec = unary_op(module, kind, operand);
  spec.attributes = std::move(attributes);
  spec.location = module.location(before);
  const OpId made = module.create(std::move(spec));
  module.insert_before(before, made);
  return made;
}

/// Replaces a reduction of sharded_to_unreduced by an all-gather (C8).
bool gather_instead(Module& module, OpId op) {
  if (!module.is(op, OpKind::SdyAllReduce)) return false;
  const OpId inner = producer(module, op, OpKind::SdyShardedToUnreduced);
  if (!inner.valid()) return false;
  if (sort_and_merge(flatten(*lists(module, inner))) != reduction_axes(module, op)) return false;
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kGatheringAxes,
                 *module.attribute<AxesListsAttr>(inner, ir::attr::kAxes));
  attributes.set(ir::attr::kOutSharding,
                 *module.attribute<TensorSharding>(op, ir::attr::kOutSharding));
  const OpId gather =
      make(module, op, OpKind::SdyAllGather, module.operand(inner, 0), std::move(attributes));
  copy_cause(module, op, module.attributes(gather));
  replace(module, op, module.result(gather));
  return true;
}

/// Merges two all-to-alls over distinct dims (C10).
bool join_all_to_alls(Module& module, OpId op) {
  if (!module.is(op, OpKind::SdyAllToAll)) return false;
  const OpId inner = producer(module, op, OpKind::SdyAllToAll);
  if (!inner.valid() || module.num_uses(module.result(inner)) != 1) return false;
  ir::AllToAllAttr joined = *module.attribute<ir::AllToAllAttr>(inner, ir::attr::kParams);
  const auto& outer = module.attribute<ir::AllToAllAttr>(op, ir::attr::kParams)->params;
  joined.params.insert(joined.params.end(), outer.begin(), outer.end());
  std::vector<int64_t> dims;
  for (const ir::AllToAllParam& param : joined.params) {
    dims.push_back(param.source_dim);
    dims.push_back(param.target_dim);
  }
  std::ranges::sort(dims);
  if (std::ranges::adjacent_find(dims) != dims.end()) return false;
  std::ranges::sort(joined.params, {}, &ir::AllToAllParam::source_dim);
  module.attributes(op).set(ir::attr::kParams, std::move(joined));
  module.set_operand(op, 0, module.operand(inner, 0));
  module.erase(inner);
  return true;
}

// ---- C11: reduce-scatter fusion ----------------------------------------------------------------

struct ScatterSplit {
  std::vector<AxisList> taken;
  std::vector<AxisList> residual;
};

/// Splits the slicing axis lists so that their longest prefixes contain exactly the reduction axes.
std::optional<ScatterSplit> split_for_scatter(AxisList left, const std::vector<AxisList>& slicing) {
  ScatterSplit split;
  for (const AxisList& list : slicing) {
    std::size_t used = 0;
    while (used < list.size()) {
      const auto found = std::ranges::find(left, list[used]);
      if (found == left.end()) break;
      left.erase(found);
      ++used;
    }
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(used);
    split.taken.emplace_back(list.begin(), middle);
    split.residual.emplace_back(middle, list.end());
  }
  if (!left.empty()) return std::nullopt;
  return split;
}

/// Returns all users of an all-reduce if they are all-slices with equal axis lists; else empty.
std::vector<OpId> slicing_users(const Module& module, OpId reduce) {
  std::vector<OpId> users;
  for (const ir::Use& use : module.uses(module.result(reduce))) {
    const bool slice = module.is(use.op, OpKind::SdyAllSlice) &&
                       module.parent_block(use.op) == module.parent_block(reduce);
    if (!slice) return {};
    if (!users.empty() && *lists(module, use.op) != *lists(module, users.front())) return {};
    users.push_back(use.op);
  }
  std::ranges::sort(users, [&](OpId a, OpId b) { return module.is_before(a, b); });
  return users;
}

TensorSharding scatter_sharding(const Module& module, OpId reduce, OpId slice,
                                const std::vector<AxisList>& taken) {
  const TensorSharding sliced = *ir::get_sharding(module, module.result(slice));
  const TensorSharding reduced = *ir::get_sharding(module, module.result(reduce));
  const auto operand = ir::get_sharding(module, module.operand(reduce, 0));
  std::vector<AxisList> axes(taken.size());
  for (std::size_t dim = 0; dim < taken.size(); ++dim) {
    if (operand) axes[dim] = operand->dim(dim).axes;
    for (const AxisRef& axis : taken[dim]) append_or_merge(axes[dim], axis);
  }
  return sliced.with_mesh(reduced.mesh_ref()).with_dims(closed_dims(axes));
}

bool fuse_reduce_scatter(Module& module, OpId reduce) {
  if (!module.is(reduce, OpKind::SdyAllReduce)) return false;
  const std::vector<OpId> slices = slicing_users(module, reduce);
  if (slices.empty()) return false;
  const auto split =
      split_for_scatter(reduction_axes(module, reduce), *lists(module, slices.front()));
  if (!split) return false;
  const TensorSharding sliced =
      *module.attribute<TensorSharding>(slices.front(), ir::attr::kOutSharding);
  const TensorSharding scattered = scatter_sharding(module, reduce, slices.front(), split->taken);
  const bool has_rest = !all_empty(split->residual);
  const bool fits = std::ranges::all_of(slices, [&](OpId slice) {
    return users_accept(module, slice, has_rest ? sliced : scattered);
  });
  if (!fits) return false;
  const Mesh mesh = module.attribute<AxesAttr>(reduce, ir::attr::kReductionAxes)->mesh;
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kReduceScatterAxes, AxesListsAttr{mesh, split->taken});
  if (const auto* reduction = module.attribute<ir::EnumAttr>(reduce, ir::attr::kReductionOp)) {
    attributes.set(ir::attr::kReductionOp, ir::EnumAttr(*reduction));
  }
  attributes.set(ir::attr::kOutSharding, scattered);
  const OpId scatter = make(module, slices.front(), OpKind::SdyReduceScatter,
                            module.operand(reduce, 0), std::move(attributes));
  ValueId value = module.result(scatter);
  if (has_rest) {
    ir::AttributeMap rest;
    rest.set(ir::attr::kSlicingAxes, AxesListsAttr{mesh, split->residual});
    rest.set(ir::attr::kOutSharding, sliced);
    value =
        module.result(make(module, slices.front(), OpKind::SdyAllSlice, value, std::move(rest)));
  }
  for (const OpId slice : slices) replace(module, slice, value);
  module.erase(reduce);
  return true;
}

/// Applies the first matching pattern.
bool rewrite(Module& module, OpId op) {
  if (module.is(op, OpKind::SdyAllToAll) && module.num_uses(module.result(op)) == 0) {
    module.erase(op);
    return true;
  }
  const ValueId value = does_nothing(module, op) ? module.operand(op, 0) : undone_value(module, op);
  if (value.valid() && users_accept(module, op, ir::get_sharding(module, value))) {
    replace(module, op, value);
    return true;
  }
  return gather_instead(module, op) || join_all_to_alls(module, op) ||
         fuse_reduce_scatter(module, op);
}

}  // namespace

bool simplify_collectives(Module& module) {
  bool changed_any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (const OpId op : ir::pre_order(module)) {
      if (module.is_erased(op) || !ir::is_sdy_collective(module.kind(op))) continue;
      changed = rewrite(module, op) || changed;
    }
    changed_any = changed_any || changed;
  }
  return changed_any;
}

// ---- Manual computations ------------------------------------------------------------------------
// Canonicalization patterns of manual computations, MC1 to MC3. Spec: dialect 7.3.
//
//   MC1  manual_computation(%a, %b) (%x, %y) { f %x }   ->   manual_computation(%a) (%x) { f %x }
//   MC2  manual_computation() {}, without shardings     ->   erased
//   MC3  manual_computation(%a) (%x) { body }           ->   body with %a instead of %x
//        if all manual axes have size 1, or no device does other work

namespace {

bool has_no_shardings(const Module& module, OpId op) {
  return shardings_in(module, op, ir::attr::kInShardings).empty() &&
         shardings_in(module, op, ir::attr::kOutShardings).empty();
}

bool drop_unused_arguments(Module& module, OpId op) {
  const BlockId body = module.block(op);
  std::vector<ValueId> operands;
  ShardingList kept;
  const std::vector<TensorSharding> in = shardings_in(module, op, ir::attr::kInShardings);
  const std::size_t before = module.args(body).size();
  std::vector<std::size_t> unused;
  for (std::size_t index = 0; index < before; ++index) {
    if (module.num_uses(module.args(body)[index]) == 0) {
      unused.push_back(index);
      continue;
    }
    operands.push_back(module.operand(op, index));
    kept.shardings.push_back(in[index]);
  }
  if (unused.empty()) return false;
  for (auto index = unused.rbegin(); index != unused.rend(); ++index) {
    module.erase_argument(body, *index);
  }
  module.set_operands(op, operands);
  module.attributes(op).set(ir::attr::kInShardings, std::move(kept));
  return true;
}

bool is_empty(const Module& module, OpId op) {
  const BlockId body = module.block(op);
  return has_no_shardings(module, op) && module.first_op(body) == module.last_op(body);
}

/// Returns the product of the sizes of the manual axes; 1 without shardings (dialect 11, D5).
std::optional<int64_t> manual_devices(const Module& module, OpId op) {
  if (has_no_shardings(module, op)) return 1;
  std::vector<std::optional<TensorSharding>> all;
  for (const std::string_view name : {ir::attr::kInShardings, ir::attr::kOutShardings}) {
    for (TensorSharding& sharding : shardings_in(module, op, name))
      all.emplace_back(std::move(sharding));
  }
  int64_t devices = 1;
  const AxisNames manual = ir::detail::manual_axes_of(module, op);
  const std::optional<MeshRef> mesh = common_mesh(all);
  if (!mesh && !manual.empty()) return std::nullopt;
  for (const std::string& axis : manual) {
    const auto size = mesh->mesh.axis_size(axis);
    if (!size) return std::nullopt;
    devices *= *size;  // cannot overflow, because the axes belong to one mesh
  }
  return devices;
}

bool splits_a_value(const TensorSharding& sharding, AxisNames manual) {
  const auto is_manual = [&](const AxisRef& axis) {
    return std::ranges::find(manual, sharding.mesh().axis_name(axis.axis)) != manual.end() &&
           axis.size > 1;
  };
  const auto has_manual = [&](AxisSpan axes) { return std::ranges::any_of(axes, is_manual); };
  return has_manual(sharding.unreduced_axes()) ||
         std::ranges::any_of(sharding.dims(),
                             [&](const DimSharding& dim) { return has_manual(dim.axes); });
}

/// Returns true if the op, apart from the ops in its regions, gives equal results on all devices
/// that have equal operands.
bool is_equal_on_devices(const Module& module, OpId op) {
  const OpKind kind = module.kind(op);
  const bool is_plain = ir::has_trait(kind, ir::kPure) && !ir::has_trait(kind, ir::kCollective) &&
                        !ir::has_trait(kind, ir::kPlace);
  const bool is_transparent = ir::has_trait(kind, ir::kDataFlow) || kind == OpKind::If ||
                              kind == OpKind::SdyShardingConstraint ||
                              ir::has_trait(kind, ir::kTerminator);
  return is_plain || is_transparent;
}

/// Returns true if the manual axes have no effect: the body sees the global values, and computes
/// the same on each device.
bool is_global(const Module& module, OpId op) {
  const AxisNames manual = ir::detail::manual_axes_of(module, op);
  for (const std::string_view name : {ir::attr::kInShardings, ir::attr::kOutShardings}) {
    for (const TensorSharding& sharding : shardings_in(module, op, name)) {
      if (splits_a_value(sharding, manual)) return false;
    }
  }
  return std::ranges::all_of(ir::pre_order(module, module.block(op)),
                             [&](OpId inner) { return is_equal_on_devices(module, inner); });
}

/// Returns true for edge ops on block arguments and results. Inlining would separate these from
/// their edges.
bool has_edge_ops(const Module& module, OpId op) {
  for (const auto& owners :
       {ir::block_arg_edge_owners(module, op), ir::result_edge_owners(module, op)}) {
    for (const ValueId owner : owners) {
      if (ir::edge_op_of_owner(module, owner)) return true;
    }
  }
  return false;
}

}  // namespace

bool drop_unused_manual_arguments(Module& module) {
  bool changed = false;
  for (const OpId op : manual_computations(module)) {
    changed = drop_unused_arguments(module, op) || changed;
  }
  return changed;
}

bool erase_empty_manual_computations(Module& module) {
  bool changed = false;
  for (const OpId op : manual_computations(module)) {
    if (!is_empty(module, op)) continue;
    module.erase(op);
    changed = true;
  }
  return changed;
}

bool inline_trivial_manual_computations(Module& module) {
  bool changed = false;
  for (const OpId op : manual_computations(module)) {
    const bool is_trivial = manual_devices(module, op) == 1 || is_global(module, op);
    if (!is_trivial || has_edge_ops(module, op)) continue;
    inline_body(module, op);
    changed = true;
  }
  return changed;
}

// ---- Dead ops -----------------------------------------------------------------------------------
// Dead code elimination. Spec: passes 6.
//
//   %0 = negate %a
//   %1 = abs %0            ->    return %a
//   return %a

bool erase_dead_ops(Module& module) {
  const std::vector<OpId> order = ir::pre_order(module);
  const std::vector<bool> removable = propagation::detail::removable_ops(module, order);
  bool changed = false;
  // In reverse order, an op used only by dead ops is dead when the loop reaches it.
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    if (!removable[op->index()]) continue;
    const bool is_used = std::ranges::any_of(
        module.results(*op), [&](ValueId result) { return module.num_uses(result) != 0; });
    if (is_used) continue;
    module.erase(*op);
    changed = true;
  }
  return changed;
}

// ---- All patterns -------------------------------------------------------------------------------
// Applies all canonicalization patterns until none matches.

namespace {

using Pattern = bool (*)(ir::Module&);

struct PatternRow {
  Pattern apply;
  bool CanonicalizeOptions::*group;
};

constexpr std::array kPatterns = {
    PatternRow{&join_reshards, &CanonicalizeOptions::reshards},
    PatternRow{&simplify_collectives, &CanonicalizeOptions::collectives},
    PatternRow{&reuse_reshards, &CanonicalizeOptions::unlabelled},
    PatternRow{&drop_unused_manual_arguments, &CanonicalizeOptions::unlabelled},
    PatternRow{&erase_empty_manual_computations, &CanonicalizeOptions::unlabelled},
    PatternRow{&inline_trivial_manual_computations, &CanonicalizeOptions::unlabelled},
};

}  // namespace

std::optional<CanonicalizeOptions> only_labelled(std::string_view label) {
  CanonicalizeOptions options{.reshards = false, .collectives = false, .unlabelled = false};
  if (label == "sdy-reshard") {
    options.reshards = true;
    return options;
  }
  if (label == "sdy-collective") {
    options.collectives = true;
    return options;
  }
  return std::nullopt;
}

Diagnostics canonicalize(ir::Module& module, const CanonicalizeOptions& options) {
  // Terminates, because each pattern reduces the number of reshards, collectives or manual
  // computations.
  for (bool changed = true; changed;) {
    changed = erase_dead_ops(module);
    for (const PatternRow& row : kPatterns) {
      if (options.*row.group) changed = row.apply(module) || changed;
    }
  }
  return {};
}

}  // namespace shardy::passes
