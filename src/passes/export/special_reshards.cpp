// Ops with reshards of their own: dots, reshapes, single devices.
// Spec: resharding A.9, A.10, A.12.2.
//
//   A.9   sdy.mesh @mesh = <["a"=2, "b"=2]>
//         %0 = dot %a [{"b"}, {"a"}], %b [{"a"}, {}]      %0 = dot %a, %b        [{"b"}, {}]
//           : [{"a"}, {}]                            ->   %1 = sdy.reshard %0    [{"a"}, {}]
//   A.10  sdy.mesh @mesh = <["a"=4, "b"=2]>
//         %0 = reshape %a [{"a", "b"}]               ->   %1 = sdy.reshard %a    [{"a":(1)2}]
//           : 12 -> 6x2                                   %0 = reshape %1        [{"a":(1)2}, {}]
//   A.12.2, sdy.mesh @d1 = <[], device_ids=[1]>
//         %0 = negate %a [<@d1, []>]                 ->   %1 = sdy.reshard %a    <@d1, []>
//                                                         %0 = negate %1         <@d1, []>
//                                                         %2 = sdy.reshard %0    <@mesh, [{}]>
#include <algorithm>
#include <utility>

#include "passes/export/explicit_reshards.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/algebra/reshape_groups.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/propagation/projection.hpp"
#include "shardy/resharding/axis_lists.hpp"

namespace shardy::passes::explicit_reshards {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;
using propagation::FactorShare;

namespace {

// ---- A.9: dots ----------------------------------------------------------------------------------

/// The factor whose axes differ between result and operands.
struct FactorConflict {
  std::size_t factor = 0;
  AxisList wanted;  // axes of the operands
  AxisList have;    // axes of the result
};

/// A walk over the factors of a dot; stops at a factor that rules out the special case.
class DotWalk {
 public:
  DotWalk(const FactorAxes& axes) : axes_(axes) {}

  /// Returns false if the dot is not the special case.
  bool add(std::size_t factor) {
    const auto& lhs = axes_.lists[0][factor];
    const auto& rhs = axes_.lists[1][factor];
    AxisList wanted;
    int64_t size = 0;
    if (lhs && rhs) {
      if (*lhs != *rhs) return false;
      if (!axes_.lists[2][factor]) {
        reduction_.insert(reduction_.end(), lhs->begin(), lhs->end());
        return true;
      }
      wanted = *lhs;
      size = std::max(axes_.tensor_sizes[0], axes_.tensor_sizes[1]);
    } else {
      wanted = lhs ? *lhs : rhs.value_or(AxisList());
      size = axes_.tensor_sizes[lhs ? 0 : 1];
      if (overlaps(AxisSpan(wanted), AxisSpan(one_sided_))) return false;
      append(one_sided_, wanted);
    }
    return compare_with_result(factor, wanted, size);
  }

  std::optional<FactorConflict> conflict() const {
    const bool fits = conflict_ && !conflict_->have.empty() && conflict_->have == reduction_;
    return fits ? conflict_ : std::nullopt;
  }

 private:
  bool compare_with_result(std::size_t factor, const AxisList& wanted, int64_t size) {
    const auto& have = axes_.lists[2][factor];
    if (!have || *have == wanted) return true;
    if (wanted.empty() || conflict_ || axes_.tensor_sizes[2] > size) return false;
    conflict_ = FactorConflict{factor, wanted, *have};
    return true;
  }

  const FactorAxes& axes_;
  AxisList reduction_;
  AxisList one_sided_;
  std::optional<FactorConflict> conflict_;
};

std::optional<FactorConflict> dot_conflict(const FactorAxes& axes) {
  DotWalk walk(axes);
  for (std::size_t factor = 0; factor < axes.num_factors(); ++factor) {
    if (!walk.add(factor)) return std::nullopt;
  }
  return walk.conflict();
}

/// Sets the axes of a factor in a tensor.
void set_factor(OpTensors& tensors, std::size_t tensor, std::size_t factor, const AxisList& axes) {
  const propagation::EntryRange entries = tensors.layout.tensor_entries(tensor);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    if (tensors.layout.entry_factor(entry) != factor) continue;
    tensors.projection.entries[entry].axes = axes;
    tensors.projection.entries[entry].overflow.clear();
  }
}

}  // namespace

void reshard_dot(Module& module, const OpTensors& tensors) {
  const OpId op = tensors.op;
  const OptionalSharding old = ir::get_sharding(module, module.result(op));
  if (!old || module.num_operands(op) != 2 || module.num_results(op) != 1) return;
  const std::optional<FactorConflict> conflict = dot_conflict(factor_axes(module, tensors));
  if (!conflict) return;
  OpTensors changed = tensors;
  set_factor(changed, 2, conflict->factor, conflict->wanted);
  const TensorSharding wanted = old->with_replicated({}).with_dims(
      propagation::back_project(changed.layout, 2, changed.projection));
  const ValueId result = module.result(op);
  ir::set_sharding(module, result, wanted);
  insert_after(module, op, result, reshard_op(module, result, *old));
}

// ---- A.10: reshapes -----------------------------------------------------------------------------

namespace {

/// Returns all axes of a tensor by ascending factor, each factor's overflow after its axes.
AxisList axes_by_factor(const OpTensors& tensors, std::size_t tensor) {
  const propagation::EntryRange entries = tensors.layout.tensor_entries(tensor);
  std::vector<std::size_t> order;
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) order.push_back(entry);
  std::ranges::sort(order, {},
                    [&](std::size_t entry) { return tensors.layout.entry_factor(entry); });
  AxisList all;
  for (const std::size_t entry : order) {
    const propagation::FactorSharding& factor = tensors.projection.entries[entry];
    append(all, factor.axes);
    append(all, factor.overflow);
  }
  return all;
}

/// Distributes the axes over the factors of a tensor and reads its dims from the result.
void redistribute(OpTensors& tensors, std::size_t tensor, const AxisList& axes) {
  const propagation::RuleLayout& layout = tensors.layout;
  const propagation::EntryRange entries = layout.tensor_entries(tensor);
  std::vector<FactorShare> shares;
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    shares.push_back({.size = layout.factor_size(layout.entry_factor(entry))});
  }
  propagation::distribute_axes(shares, axes);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    propagation::FactorSharding& factor = tensors.projection.entries[entry];
    factor.axes = std::move(shares[entry - entries.begin].axes);
    factor.overflow = std::move(shares[entry - entries.begin].overflow);
    factor.is_mapped = true;
  }
  const std::vector<DimSharding> dims =
      propagation::back_project(layout, tensor, tensors.projection);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    tensors.projection.entries[entry] = {};
  }
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    propagation::project_dim(layout, layout.dim_entries(tensor, dim), dims[dim].axes,
                             dims[dim].is_closed, tensors.projection);
  }
}

/// Returns the sharding by the common axes if it places data differently from that of the tensor.
OptionalSharding other_sharding(const OpTensors& tensors, std::size_t tensor,
                                const propagation::Projection& common) {
  const OptionalSharding& old = tensors.shardings[tensor];
  const TensorSharding base =
      old ? old->with_replicated({}).with_mesh(tensors.mesh)
          : TensorSharding::fully_closed(tensors.mesh.mesh, tensors.mesh.name,
                                         tensors.layout.rank(tensor));
  const TensorSharding wanted = base.with_dims(wanted_dims(tensors, tensor, common));
  return is_equivalent(old, OptionalSharding(wanted)) ? std::nullopt : OptionalSharding(wanted);
}

}  // namespace

void keep_exchanged_dims(const Module& module, OpTensors& tensors) {
  if (!module.is(tensors.op, OpKind::Reshape)) return;
  const OptionalSharding& from = tensors.shardings[0];
  const OptionalSharding& to = tensors.shardings[1];
  const ir::Type& in = module.type(module.operand(tensors.op, 0));
  const ir::Type& out = module.type(module.result(tensors.op));
  if (!from || !to || !in.is_static_tensor() || !out.is_static_tensor()) return;
  const std::vector<AxisList> in_axes = dim_axes(*from);
  const std::vector<AxisList> out_axes = dim_axes(*to);
  std::vector<std::vector<bool>> kept = {std::vector<bool>(in_axes.size()),
                                         std::vector<bool>(out_axes.size())};
  for (const ReshapeGroup& group : reshape_groups(in.dims(), out.dims())) {
    const std::size_t num_in = group.in_end - group.in_begin;
    const std::size_t num_out = group.out_end - group.out_begin;
    const GroupMove move = group_move(in.dims().subspan(group.in_begin, num_in),
                                      std::span(in_axes).subspan(group.in_begin, num_in),
                                      out.dims().subspan(group.out_begin, num_out),
                                      std::span(out_axes).subspan(group.out_begin, num_out));
    if (move != GroupMove::Exchange) continue;
    for (std::size_t dim = group.in_begin; dim < group.in_end; ++dim) kept[0][dim] = true;
    for (std::size_t dim = group.out_begin; dim < group.out_end; ++dim) kept[1][dim] = true;
  }
  tensors.kept = std::move(kept);
  project_all(tensors);
}

bool is_reshape_with_overflow(const Module& module, const OpTensors& tensors) {
  if (!module.is(tensors.op, OpKind::Reshape)) return false;
  return propagation::has_overflow(tensors.layout, 0, tensors.projection) ||
         propagation::has_overflow(tensors.layout, 1, tensors.projection);
}

void reshard_reshape(Module& module, OpTensors& tensors) {
  const bool prefers_operand = propagation::sharding_size(tensors.layout, 0, tensors.projection) >=
                               propagation::sharding_size(tensors.layout, 1, tensors.projection);
  AxisList all = axes_by_factor(tensors, prefers_operand ? 0 : 1);
  // Axes along which the tensor is unreduced cannot shard its dims (A.15).
  for (const OptionalSharding& sharding : tensors.shardings) {
    if (sharding) truncate_without_overlap(all, sharding->unreduced_axes());
  }
  redistribute(tensors, 0, all);
  redistribute(tensors, 1, all);
  const propagation::Projection common = propagation::uniform_projection(
      tensors.layout, propagation::common_factor_axes(tensors.layout, tensors.projection));
  if (const auto wanted = other_sharding(tensors, 0, common)) {
    insert_before_use(module, {tensors.op, 0},
                      reshard_op(module, module.operand(tensors.op, 0), *wanted));
  }
  const auto wanted = other_sharding(tensors, 1, common);
  if (!wanted) return;
  const ValueId result = module.result(tensors.op);
  const OptionalSharding old = ir::get_sharding(module, result);
  ir::set_sharding(module, result, *wanted);
  reshard_result(module, tensors.op, result, old, *wanted);
}

// ---- A.12.2: single devices ---------------------------------------------------------------------

namespace {

TensorSharding replicated_on(const MeshRef& mesh, const ir::Type& type) {
  return TensorSharding::fully_closed(mesh.mesh, mesh.name, ir::sharding_rank(type));
}

bool is_single_device(const OptionalSharding& sharding) {
  return sharding && sharding->mesh().is_maximal();
}

/// Returns the sharding of the one device that has results. Errors: several devices.
Result<TensorSharding> the_device(const Module& module, OpId op) {
  OptionalSharding found;
  for (const ValueId result : module.results(op)) {
    const OptionalSharding sharding = ir::get_sharding(module, result);
    if (!is_single_device(sharding)) continue;
    if (found && !(found->mesh() == sharding->mesh())) {
      return fail_at(module.location_text(op),
                     "'" + std::string(module.name(op)) +
                         "' op has conflicting single-device result shardings");
    }
    if (!found) found = sharding;
  }
  return *found;
}

bool is_replicated_on(const OptionalSharding& sharding, const MeshRef& mesh) {
  return sharding && sharding->mesh() == mesh.mesh && sharding->is_fully_replicated() &&
         sharding->unreduced_axes().empty();
}

void send_operands(Module& module, OpId op, const TensorSharding& device, const MeshRef& mesh) {
  for (uint32_t index = 0; index < module.num_operands(op); ++index) {
    const ValueId operand = module.operand(op, index);
    if (!module.type(operand).is_tensor()) continue;
    const OptionalSharding have = ir::get_sharding(module, operand);
    if (is_single_device(have) && have->mesh() == device.mesh()) continue;
    if (!is_replicated_on(have, mesh)) {
      insert_before_use(module, {op, index},
                        reshard_op(module, operand, replicated_on(mesh, module.type(operand))));
    }
    insert_before_use(module, {op, index}, reshard_op(module, module.operand(op, index), device));
  }
}

void spread_results(Module& module, OpId op, const TensorSharding& device, const MeshRef& mesh) {
  ir::ShardingList own;
  OpId last = op;
  for (const ValueId result : module.results(op)) {
    const TensorSharding replicated = replicated_on(mesh, module.type(result));
    own.shardings.push_back(module.type(result).is_tensor() ? device : replicated);
    if (!module.type(result).is_tensor()) continue;
    const OptionalSharding old = ir::get_sharding(module, result);
    last = insert_after(module, last, result, reshard_op(module, result, replicated));
    if (!old || is_single_device(old) || is_replicated_on(old, mesh)) continue;
    const ValueId spread = module.result(last);
    last = insert_after(module, last, spread, reshard_op(module, spread, *old));
  }
  const std::string_view single = ir::detail::single_sharding_attr(module.kind(op));
  if (single.empty()) {
    module.attributes(op).set(ir::kShardingAttr, std::move(own));
  } else if (!own.shardings.empty()) {
    module.attributes(op).set(single, own.shardings.front());
  }
}

}  // namespace

Status reshard_single_device(Module& module, OpId op, const std::optional<MeshRef>& mesh) {
  SHARDY_TRY(const TensorSharding device, the_device(module, op));
  if (!mesh) return {};
  send_operands(module, op, device, *mesh);
  spread_results(module, op, device, *mesh);
  return {};
}

}  // namespace shardy::passes::explicit_reshards
