// The verifiers of the sdy collectives. The out_sharding of a collective must equal the sharding
// that the op computes from its operand. Spec: dialect 4.
#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "ir/op_facts.hpp"
#include "op_facts.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

namespace {

constexpr std::string_view kAxes = "resolved axes";

Result<const TensorSharding*> out_sharding(const Module& module, OpId op) {
  return required_attribute<TensorSharding>(module.attributes(op), attr::kOutSharding,
                                            "a resolved sharding");
}

}  // namespace

Status verify_collective_interface(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  const std::optional<TensorSharding> in = get_sharding(module, module.operand(op, 0));
  if (!in && !allows_missing_input_sharding(module.kind(op))) {
    return fail("collective on operand without sharding");
  }
  SHARDY_TRY(const TensorSharding* out, out_sharding(module, op));
  SHARDY_TRY_STATUS(verify_sharding(context, *out, module.type(module.result(op))));
  if (!in) return {};
  if (!module.is(op, OpKind::SdyCollectivePermute) && in->mesh() != out->mesh()) {
    return fail("result mesh does not match operand mesh");
  }
  if (in->rank() == out->rank()) return {};
  return fail("result sharding has rank " + std::to_string(out->rank()) +
              " but operand sharding has rank " + std::to_string(in->rank()));
}

// ---- Axes of dims -------------------------------------------------------------------------------

namespace {

/// One collective with the shardings of its operand and its result.
struct CollectiveSides {
  const Module& module;
  OpId op;
  TensorSharding in;
  TensorSharding out;

  const Mesh& mesh() const { return out.mesh(); }
  std::string text(const AxisRef& ref) const { return to_string(mesh(), ref); }
  std::string text(const AxisList& axes) const {
    std::string joined;
    for (const AxisRef& ref : axes) joined += (joined.empty() ? "" : ", ") + text(ref);
    return "[" + joined + "]";
  }
};

/// Returns the axes of a dim after the axes `gathered` are removed from their end.
Result<AxisList> gather_axes(const CollectiveSides& op, std::size_t dim, const AxisList& gathered,
                             std::string_view kind) {
  AxisList axes = op.in.dim(dim).axes;
  for (auto ref = gathered.rbegin(); ref != gathered.rend(); ++ref) {
    if (axes.empty() || !can_coexist(*ref, axes.back()) || !suffix_of(*ref, axes.back())) {
      return fail("can't apply " + std::string(kind) + " axis " + op.text(*ref) +
                  " to operand sharding on dimension " + std::to_string(dim));
    }
    const AxisRef last = axes.back();
    axes.pop_back();
    if (const auto rest = prefix_without_overlap(last, *ref)) axes.push_back(*rest);
  }
  return axes;
}

AxisList slice_axes(const CollectiveSides& op, std::size_t dim, const AxisList& sliced) {
  AxisList axes = op.in.dim(dim).axes;
  for (const AxisRef& ref : sliced) append_or_merge(axes, ref);
  return axes;
}

Status expect_dim_axes(const CollectiveSides& op, std::size_t dim, const AxisList& expected) {
  if (op.out.dim(dim).axes == expected) return {};
  return fail("result sharding doesn't match expected sharding " + op.text(expected) +
              " on dimension " + std::to_string(dim));
}

/// Checks that the mesh of an attribute is the mesh of out_sharding, which the axes in the
/// attribute refer to.
Status expect_mesh_of_out(const CollectiveSides& op, const Mesh& mesh, std::string_view name) {
  if (mesh == op.mesh()) return {};
  return fail("attribute '" + std::string(name) + "' is on mesh " + to_string(mesh) +
              ", but out_sharding is on " + to_string(op.mesh()));
}

Result<const std::vector<AxisList>*> axis_lists(const CollectiveSides& op, std::string_view name) {
  SHARDY_TRY(const auto* axes,
             required_attribute<AxesListsAttr>(op.module.attributes(op.op), name, kAxes));
  SHARDY_TRY_STATUS(expect_mesh_of_out(op, axes->mesh, name));
  SHARDY_TRY_STATUS(check_axis_lists(op.mesh(), axes->lists));
  if (axes->lists.size() != op.out.rank()) {
    return fail("result sharding has rank " + std::to_string(op.out.rank()) +
                " but collective axes has rank " + std::to_string(axes->lists.size()));
  }
  return &axes->lists;
}

Result<const AxisList*> sorted_axes(const CollectiveSides& op, std::string_view name,
                                    std::string_view what) {
  SHARDY_TRY(const auto* axes,
             required_attribute<AxesAttr>(op.module.attributes(op.op), name, kAxes));
  SHARDY_TRY_STATUS(expect_mesh_of_out(op, axes->mesh, name));
  SHARDY_TRY_STATUS(check_sorted_axes(op.mesh(), axes->axes, what));
  return &axes->axes;
}

Status expect_gathered(const CollectiveSides& op, const std::vector<AxisList>& lists,
                       std::string_view kind) {
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    SHARDY_TRY(const AxisList expected, gather_axes(op, dim, lists[dim], kind));
    SHARDY_TRY_STATUS(expect_dim_axes(op, dim, expected));
  }
  return {};
}

Status expect_sliced(const CollectiveSides& op, const std::vector<AxisList>& lists) {
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    SHARDY_TRY_STATUS(expect_dim_axes(op, dim, slice_axes(op, dim, lists[dim])));
  }
  return {};
}

// ---- Reductions ---------------------------------------------------------------------------------

constexpr std::array<std::string_view, 3> kReductionOps = {"sum", "max", "min"};

Result<ReductionOp> reduction_op(const CollectiveSides& op) {
  const Attribute* attribute = op.module.attributes(op.op).find(attr::kReductionOp);
  if (!attribute) return ReductionOp::Sum;
  const auto* value = attribute->as<EnumAttr>();
  if (value && value->kind == "sdy.reduction_op") {
    const auto* const found = std::ranges::find(kReductionOps, value->value);
    if (found != kReductionOps.end()) {
      return static_cast<ReductionOp>(found - kReductionOps.begin());
    }
  }
  return fail("attribute 'reduction_op' must be one of sum max min, of sdy.reduction_op");
}

Status expect_transition(const CollectiveSides& op, ReductionOp remove) {
  const std::optional<TensorSharding> in = op.in;
  const std::optional<TensorSharding> out = op.out;
  return verify_unreduced_transition(std::span(&in, 1), std::span(&out, 1),
                                     {.introduce = std::nullopt, .remove = remove});
}

Status expect_reducible(const CollectiveSides& op, const AxisList& axes) {
  for (const AxisRef& ref : axes) {
    const auto overlaps_ref = [&](const AxisRef& other) { return overlaps(ref, other); };
    if (op.in.any_dim_or_replicated_axis(overlaps_ref)) {
      return fail("reduction axis " + op.text(ref) +
                  " overlaps with operand dimension sharding or replicated axes");
    }
    if (std::ranges::any_of(op.out.unreduced_axes(), overlaps_ref)) {
      return fail("reduction axis " + op.text(ref) + " overlaps with result unreduced axes");
    }
  }
  return {};
}

Status expect_sum(const CollectiveSides& op) {
  if (op.out.reduction_op() == ReductionOp::Sum) return {};
  return fail("out_sharding reduction_op must be SUM");
}

Status expect_unreduced_grown(const CollectiveSides& op, AxisList axes, std::string_view what) {
  const AxisList& before = op.in.unreduced_axes();
  axes.insert(axes.end(), before.begin(), before.end());
  if (op.out.unreduced_axes() == sort_and_merge(std::move(axes))) return {};
  return fail("out_unreduced_axes should be in_unreduced_axes + " + std::string(what));
}

// ---- The kinds ----------------------------------------------------------------------------------

Status verify_all_gather(const CollectiveSides& op) {
  SHARDY_TRY(const auto* lists, axis_lists(op, attr::kGatheringAxes));
  return expect_gathered(op, *lists, "gathering");
}

Status verify_all_slice(const CollectiveSides& op) {
  SHARDY_TRY(const auto* lists, axis_lists(op, attr::kSlicingAxes));
  return expect_sliced(op, *lists);
}

Status verify_all_reduce(const CollectiveSides& op) {
  if (!is_equivalent(op.in, op.out, true)) {
    return fail("operand and result shardings are not equivalent");
  }
  SHARDY_TRY(const AxisList* axes, sorted_axes(op, attr::kReductionAxes, "reduction"));
  SHARDY_TRY_STATUS(expect_reducible(op, *axes));
  SHARDY_TRY(const ReductionOp reduction, reduction_op(op));
  return expect_transition(op, reduction);
}

Status verify_reduce_scatter(const CollectiveSides& op) {
  SHARDY_TRY(const ReductionOp reduction, reduction_op(op));
  SHARDY_TRY_STATUS(expect_transition(op, reduction));
  SHARDY_TRY(const auto* lists, axis_lists(op, attr::kReduceScatterAxes));
  return expect_sliced(op, *lists);
}

Status verify_sharded_to_unreduced(const CollectiveSides& op) {
  SHARDY_TRY_STATUS(expect_sum(op));
  SHARDY_TRY(const auto* lists, axis_lists(op, attr::kAxes));
  SHARDY_TRY_STATUS(expect_gathered(op, *lists, "shard-to-unreduce"));
  AxisList all;
  for (const AxisList& list : *lists) all.insert(all.end(), list.begin(), list.end());
  return expect_unreduced_grown(op, std::move(all), "sharded_to_unreduced_axes");
}

Status verify_replicated_to_unreduced(const CollectiveSides& op) {
  SHARDY_TRY_STATUS(expect_sum(op));
  if (!std::ranges::equal(op.in.dims(), op.out.dims())) {
    return fail("input and output must share the same dimension shardings");
  }
  SHARDY_TRY(const auto* attribute,
             required_attribute<AxesAttr>(op.module.attributes(op.op), attr::kAxes, kAxes));
  if (attribute->axes.empty()) return fail("r2u axes must not be empty");
  SHARDY_TRY(const AxisList* axes, sorted_axes(op, attr::kAxes, "r2u"));
  const AxisList dim_axes = op.in.dim_axes();
  for (const AxisRef& ref : *axes) {
    if (overlaps(ref, AxisSpan(dim_axes))) {
      return fail("r2u axis " + op.text(ref) + " overlaps with operand dimension sharding");
    }
    if (overlaps(ref, AxisSpan(op.in.unreduced_axes()))) {
      return fail("r2u axis " + op.text(ref) + " overlaps with operand unreduced axes");
    }
  }
  return expect_unreduced_grown(op, *axes, "replicated_to_unreduced_axes");
}

/// Returns whether every axis of the operand can coexist with every axis of the result. Otherwise
/// no mesh coordinates would pair the devices.
bool axes_can_coexist(const CollectiveSides& op) {
  const AxisList before = op.in.ordered_axis_refs();
  return std::ranges::all_of(op.out.ordered_axis_refs(), [&](const AxisRef& after) {
    return std::ranges::all_of(before, [&](const AxisRef& ref) { return can_coexist(ref, after); });
  });
}

Status verify_collective_permute(const CollectiveSides& op) {
  const Mesh& in = op.in.mesh();
  const Mesh& out = op.out.mesh();
  if (!std::ranges::equal(in.axes(), out.axes())) {
    return fail("result mesh has different axes than operand mesh");
  }
  if (op.in.mesh_ref() != op.out.mesh_ref() &&
      std::ranges::equal(in.device_ids(), out.device_ids())) {
    return fail("result mesh name is different but same device ids as operand");
  }
  if (!axes_can_coexist(op)) return fail("result axes can't coexist with operand axes");
  for (std::size_t dim = 0; dim < op.out.rank(); ++dim) {
    const int64_t before = op.in.dim(dim).sharded_size();
    const int64_t after = op.out.dim(dim).sharded_size();
    if (before == after) continue;
    return fail("sharded size of result doesn't match operand on dimension " + std::to_string(dim) +
                ": " + std::to_string(after) + " != " + std::to_string(before));
  }
  return {};
}

// ---- all_to_all ---------------------------------------------------------------------------------

Status expect_param_dim(std::string_view what, int64_t dim, std::size_t rank) {
  if (dim >= 0 && dim < static_cast<int64_t>(rank)) return {};
  return fail(std::string(what) + " dimension " + std::to_string(dim) + " is out of range [0, " +
              std::to_string(rank) + ")");
}

/// Checks each param in turn: valid axes, dims in range and not repeated, source dims ascending.
Status verify_params(const Mesh& mesh, std::span<const AllToAllParam> params, std::size_t rank) {
  std::vector<bool> used(rank, false);
  std::vector<AxisList> lists;
  std::optional<int64_t> previous;
  for (const AllToAllParam& param : params) {
    lists.push_back(param.axes);  // at most rank lists, because each param uses up two dims
    SHARDY_TRY_STATUS(check_axis_lists(mesh, lists));
    SHARDY_TRY_STATUS(expect_param_dim("source", param.source_dim, rank));
    SHARDY_TRY_STATUS(expect_param_dim("target", param.target_dim, rank));
    for (const int64_t dim : {param.source_dim, param.target_dim}) {
      if (used[static_cast<std::size_t>(dim)]) {
        return fail("overlapping source/target dimensions in all-to-all params: " +
                    std::to_string(dim));
      }
      used[static_cast<std::size_t>(dim)] = true;
    }
    if (previous && param.source_dim < *previous) {
      return fail("source dimensions are not sorted in ascending order: " +
                  std::to_string(param.source_dim) + " appears after " + std::to_string(*previous));
    }
    previous = param.source_dim;
  }
  return {};
}

/// Checks whether the axes join the target dim in another order, which out_sharding gives. This is
/// an extension of Shardy.
bool arrives_reordered(const CollectiveSides& op, std::size_t target, const AxisList& axes) {
  const AxisList& before = op.in.dim(target).axes;
  const AxisList& after = op.out.dim(target).axes;
  return prefix_status(before, after) == PrefixStatus::StrictPrefix &&
         sort_and_merge(set_difference(after, before)) == sort_and_merge(axes);
}

Status verify_all_to_all(const CollectiveSides& op) {
  SHARDY_TRY(const auto* attribute,
             required_attribute<AllToAllAttr>(op.module.attributes(op.op), attr::kParams, kAxes));
  if (attribute->params.empty()) return fail("parameter list is empty");
  SHARDY_TRY_STATUS(expect_mesh_of_out(op, attribute->mesh, attr::kParams));
  SHARDY_TRY_STATUS(verify_params(op.mesh(), attribute->params, op.out.rank()));
  std::vector<bool> moved(op.out.rank(), false);
  for (const AllToAllParam& param : attribute->params) {
    const auto source = static_cast<std::size_t>(param.source_dim);
    const auto target = static_cast<std::size_t>(param.target_dim);
    SHARDY_TRY(const AxisList gathered, gather_axes(op, source, param.axes, "all-to-all"));
    SHARDY_TRY_STATUS(expect_dim_axes(op, source, gathered));
    if (!arrives_reordered(op, target, param.axes)) {
      SHARDY_TRY_STATUS(expect_dim_axes(op, target, slice_axes(op, target, param.axes)));
    }
    moved[source] = moved[target] = true;
  }
  for (std::size_t dim = 0; dim < moved.size(); ++dim) {
    if (moved[dim]) continue;
    SHARDY_TRY_STATUS(expect_dim_axes(op, dim, op.in.dim(dim).axes));
  }
  return {};
}

/// Checks that no enclosing manual computation binds the reduction axes.
Status expect_free_reduction(const VerifyContext& context, OpId op) {
  const auto* axes = context.module.attribute<AxesAttr>(op, attr::kReductionAxes);
  if (axes == nullptr || context.scope.empty()) return {};
  for (const AxisRef& ref : axes->axes) {
    SHARDY_TRY_STATUS(expect_free_axis(context, axes->mesh.axis_name(ref.axis)));
  }
  return {};
}

struct CollectiveRow {
  OpKind kind;
  Status (*verify)(const CollectiveSides&);
};

constexpr CollectiveRow kCollectives[] = {
    {OpKind::SdyAllGather, &verify_all_gather},
    {OpKind::SdyAllSlice, &verify_all_slice},
    {OpKind::SdyAllToAll, &verify_all_to_all},
    {OpKind::SdyCollectivePermute, &verify_collective_permute},
    {OpKind::SdyAllReduce, &verify_all_reduce},
    {OpKind::SdyReduceScatter, &verify_reduce_scatter},
    {OpKind::SdyShardedToUnreduced, &verify_sharded_to_unreduced},
    {OpKind::SdyReplicatedToUnreduced, &verify_replicated_to_unreduced},
};

}  // namespace

Status verify_collective(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  const auto* const row = std::ranges::find(kCollectives, module.kind(op), &CollectiveRow::kind);
  SHARDY_ASSERT(row != std::end(kCollectives));
  SHARDY_TRY(const TensorSharding* out, out_sharding(module, op));
  const std::optional<TensorSharding> in = get_sharding(module, module.operand(op, 0));
  // An operand without a sharding counts as replicated.
  SHARDY_TRY_STATUS(
      row->verify(CollectiveSides{module, op, in.value_or(out->fully_open_like()), *out}));
  return expect_free_reduction(context, op);
}

}  // namespace shardy::ir
