// Lowers convolution. Sharded batch, output feature and group dims need no communication, sharded
// contracted dims make the result partial, sharded spatial dims exchange halos. Spec: partitioning
// 7, 8.9.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = convolution(%a, %k), pad = [[1, 1]]
//     : tensor<1x8x1xf32> [{}, {"x"}, {}], tensor<3x1x1xf32>
//   ->
//   %1 = spmd.permute (%a[3:4]) {"x"}, shift -1       : left halo, zeros on the first shard
//   %2 = spmd.permute (%a[0:1]) {"x"}, shift 1        : right halo, zeros on the last shard
//   %3 = concatenate %1, %a, %2, dim = 1              : tensor<1x6x1xf32>
//   %0 = convolution(%3, %k), pad = [[0, 0]]          : tensor<1x4x1xf32>
#include <algorithm>
#include <optional>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

using ir::ConvolutionDims;

namespace {

constexpr std::size_t at(int64_t dim) { return static_cast<std::size_t>(dim); }

/// Dimension numbers, groups and windows of the input op.
struct Convolution {
  ConvolutionDims dims;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
  std::vector<Window> windows;  // per spatial dim
};

Convolution read_convolution(const Module& module, OpId op) {
  const auto view = ir::view<ir::ConvolutionOp>(module, op);
  Convolution convolution{view.dims, view.feature_groups, view.batch_groups, {}};
  const Type& lhs = module.type(module.operand(op, 0));
  for (std::size_t dim = 0; dim < view.window.size(); ++dim) {
    const int64_t base = lhs.dim(at(view.dims.input_spatial[dim]));
    convolution.windows.push_back({view.window[dim], base});
  }
  return convolution;
}

// ---- Groups ----------------------------------------------------------------------------------

struct SplitAxes {
  AxisList major;
  AxisList minor;
};

/// Splits the axis list after `shards` shards; std::nullopt if that position is inside an axis or
/// sub-axis that cannot be split at this position.
std::optional<SplitAxes> split_at(const AxisList& axes, int64_t shards) {
  SplitAxes split;
  for (const AxisRef& axis : axes) {
    if (shards % axis.size == 0 && shards > 1) {
      split.major.push_back(axis);
      shards /= axis.size;
    } else if (shards > 1) {
      if (axis.size % shards != 0) return std::nullopt;
      split.major.push_back({axis.axis, axis.pre, shards});
      split.minor.push_back({axis.axis, axis.pre * shards, axis.size / shards});
      shards = 1;
    } else {
      split.minor.push_back(axis);
    }
  }
  return shards == 1 ? std::optional(std::move(split)) : std::nullopt;
}

/// The sharding of feature groups.
struct FeatureGroupSharding {
  AxisList groups;     // axes of the group dim
  AxisList features;   // axes of the output features: first `groups`, then axes within a group
  int64_t count = 1;   // groups per shard
  bool is_one = true;  // one group per shard, so that dims within a group can be sharded
};

/// The numbers of features per group of one operand and of the result. A shard must not contain
/// part of a group.
struct GroupSizes {
  int64_t groups = 1;
  int64_t input = 1;
  int64_t output = 1;
};

bool keeps_groups_whole(const AxisList& axes, const GroupSizes& sizes) {
  const int64_t shards = sharding_size(axes);
  const int64_t count = ceil_div(sizes.groups, shards);
  return ceil_div(sizes.groups * sizes.input, shards) == count * sizes.input &&
         ceil_div(sizes.groups * sizes.output, shards) == count * sizes.output;
}

/// Returns the longest prefix of the output feature axes that respects the groups.
FeatureGroupSharding shard_groups(const AxisList& axes, const GroupSizes& sizes) {
  const auto split = split_at(axes, sizes.groups);
  if (split && sizes.output % sharding_size(split->minor) == 0)
    return {split->major, axes, 1, true};
  AxisList kept = axes;
  while (!keeps_groups_whole(kept, sizes)) kept.pop_back();
  if (split && sharding_size(kept) < sizes.groups) return {split->major, split->major, 1, true};
  return {kept, kept, ceil_div(sizes.groups, sharding_size(kept)), false};
}

AxisList joined(AxisList major, const AxisList& minor) {
  for (const AxisRef& axis : minor) append_or_merge(major, axis);
  return major;
}

// ---- Plan ------------------------------------------------------------------------------------

/// The axes of all dims of the local op.
struct ConvolutionSharding {
  std::vector<AxisList> lhs;
  std::vector<AxisList> rhs;
  std::vector<AxisList> result;
  AxisList partial;                                   // axes over which the result is partial
  int64_t group_count = 1;                            // of the local op
  std::vector<std::optional<ShardedWindow>> spatial;  // per spatial dim; std::nullopt: not sharded
  std::vector<bool> shards_taps;  // per spatial dim: the kernel is sharded along it
};

class Planner {
 public:
  Planner(const Lowering& lowering, OpId op, const Convolution& convolution)
      : convolution_(convolution),
        lhs_(lowering.local(lowering.input().operand(op, 0))),
        rhs_(lowering.local(lowering.input().operand(op, 1))),
        global_(lowering.input().type(lowering.input().result(op))),
        wanted_(lowering.axes_of(lowering.input().result(op))) {
    const auto* rule = lowering.input().attribute<OpShardingRule>(op, ir::kShardingRuleAttr);
    // A custom rule allows no collective after the op.
    may_reduce_ = rule == nullptr || !rule->is_custom();
    for (const AxisList& axes : wanted_) append(taken_, axes);
  }

  ConvolutionSharding plan() {
    plan_.lhs.resize(lhs_.axes.size());
    plan_.rhs.resize(rhs_.axes.size());
    plan_.result.resize(wanted_.size());
    if (convolution_.feature_groups > 1) {
      plan_feature_groups();
    } else if (convolution_.batch_groups > 1) {
      plan_batch_groups();
    } else {
      plan_features();
    }
    for (std::size_t dim = 0; dim < convolution_.windows.size(); ++dim) plan_spatial(dim);
    plan_.partial = sort_and_merge(std::move(plan_.partial));
    return std::move(plan_);
  }

 private:
  const ConvolutionDims& dims() const { return convolution_.dims; }
  AxisList& lhs_axes(int64_t dim) { return plan_.lhs[at(dim)]; }
  AxisList& rhs_axes(int64_t dim) { return plan_.rhs[at(dim)]; }
  AxisList& result_axes(int64_t dim) { return plan_.result[at(dim)]; }

  /// Returns the axes that shard the contracted dims of both operands and no other dim.
  AxisList summed(const AxisList& lhs, const AxisList& rhs) {
    if (!may_reduce_) return {};
    AxisList axes = truncate_by_removing_overlaps(greatest_common_prefix(lhs, rhs), taken_);
    return axes;
  }
  void sum_over(const AxisList& axes) {
    append(taken_, axes);
    append(plan_.partial, axes);
  }

  void plan_batch() {
    result_axes(dims().output_batch) = wanted_[at(dims().output_batch)];
    lhs_axes(dims().input_batch) = result_axes(dims().output_batch);
  }
  void plan_input_features() {
    const AxisList axes =
        summed(lhs_.axes[at(dims().input_feature)], rhs_.axes[at(dims().kernel_input_feature)]);
    lhs_axes(dims().input_feature) = axes;
    rhs_axes(dims().kernel_input_feature) = axes;
    sum_over(axes);
  }
  void plan_features() {
    plan_batch();
    plan_input_features();
    result_axes(dims().output_feature) = wanted_[at(dims().output_feature)];
    rhs_axes(dims().kernel_output_feature) = result_axes(dims().output_feature);
  }
  void shard_output_features(const FeatureGroupSharding& sharded) {
    result_axes(dims().output_feature) = sharded.features;
    rhs_axes(dims().kernel_output_feature) = sharded.features;
    plan_.group_count = sharded.count;
  }

  void plan_feature_groups() {
    plan_batch();
    const int64_t groups = convolution_.feature_groups;
    const int64_t input = rhs_.dim(at(dims().kernel_input_feature));
    const int64_t output = global_.dim(at(dims().output_feature)) / groups;
    const FeatureGroupSharding sharded =
        shard_groups(wanted_[at(dims().output_feature)], {groups, input, output});
    shard_output_features(sharded);
    lhs_axes(dims().input_feature) = sharded.groups;
    if (!sharded.is_one) return;
    const auto split = split_at(lhs_.axes[at(dims().input_feature)], groups);
    if (!split || split->major != sharded.groups) return;
    const AxisList axes = summed(split->minor, rhs_.axes[at(dims().kernel_input_feature)]);
    if (input % sharding_size(axes) != 0) return;
    lhs_axes(dims().input_feature) = joined(sharded.groups, axes);
    rhs_axes(dims().kernel_input_feature) = axes;
    sum_over(axes);
  }

  void plan_batch_groups() {
    plan_input_features();
    const int64_t groups = convolution_.batch_groups;
    const int64_t batches = global_.dim(at(dims().output_batch));
    const int64_t output = global_.dim(at(dims().output_feature)) / groups;
    const FeatureGroupSharding sharded =
        shard_groups(wanted_[at(dims().output_feature)], {groups, batches, output});
    shard_output_features(sharded);
    lhs_axes(dims().input_batch) = sharded.groups;
    const AxisList& inside = wanted_[at(dims().output_batch)];
    if (!sharded.is_one || batches % sharding_size(inside) != 0) return;
    lhs_axes(dims().input_batch) = joined(sharded.groups, inside);
    result_axes(dims().output_batch) = inside;
  }

  void plan_spatial(std::size_t dim) {
    const Window& window = convolution_.windows[dim];
    const auto base = at(dims().input_spatial[dim]);
    const auto kernel = at(dims().kernel_spatial[dim]);
    const auto result = at(dims().output_spatial[dim]);
    plan_.spatial.emplace_back();
    plan_.shards_taps.push_back(false);
    const AxisList& moved = wanted_[result];
    // A shard smaller than a halo: the op runs replicated.
    if (is_sharded(moved) && window.base == 1) return;
    if (is_sharded(moved)) {
      plan_.lhs[base] = plan_.result[result] = moved;
      if (!window.is_element())
        plan_.spatial.back() = ShardedWindow::of_windows(base, moved, window);
      return;
    }
    const AxisList axes = summed(lhs_.axes[base], rhs_.axes[kernel]);
    if (!is_sharded(axes)) return;
    plan_.lhs[base] = plan_.rhs[kernel] = axes;
    plan_.spatial.back() = ShardedWindow::of_taps(base, axes, window);
    plan_.shards_taps.back() = true;
    sum_over(axes);
  }

  const Convolution& convolution_;
  const PartitionedValue& lhs_;
  const PartitionedValue& rhs_;
  const Type& global_;
  std::vector<AxisList> wanted_;
  bool may_reduce_ = true;
  AxisList taken_;
  ConvolutionSharding plan_;
};

// ---- Applying --------------------------------------------------------------------------------

ir::Literal zero_of(const PartitionedValue& value) {
  return ir::splat_literal(Type::tensor({}, value.global.element()), 0);
}

/// Reshards the kernel taps (its spatial dims) in the order of the windows and zeroes their
/// padding.
PartitionedValue shard_kernel(Lowering& lowering, const Convolution& convolution,
                              const ConvolutionSharding& plan, PartitionedValue rhs) {
  std::vector<int64_t> backwards;
  std::vector<std::size_t> summed = {at(convolution.dims.kernel_input_feature)};
  for (std::size_t dim = 0; dim < plan.spatial.size(); ++dim) {
    if (!plan.shards_taps[dim]) continue;
    const int64_t kernel = convolution.dims.kernel_spatial[dim];
    summed.push_back(at(kernel));
    if (convolution.windows[dim].reversed) backwards.push_back(kernel);
  }
  if (!backwards.empty()) {
    rhs.value = reversed(lowering, rhs, backwards);
    std::ranges::fill(rhs.padding, std::nullopt);
  }
  const ir::Literal zero = zero_of(rhs);
  return lowering.mask(std::move(rhs), summed, zero);
}

/// Sets the attributes that differ between the local and the global op.
void set_attributes(Lowering& lowering, OpId local, const Convolution& convolution,
                    const ConvolutionSharding& plan) {
  std::vector<LocalPadding> padding;
  std::vector<int64_t> dilation;
  std::vector<int64_t> reversal;
  for (std::size_t dim = 0; dim < plan.spatial.size(); ++dim) {
    const Window& window = convolution.windows[dim];
    const auto& sharded = plan.spatial[dim];
    padding.push_back(sharded ? local_padding(*sharded)
                              : LocalPadding{window.low, window.high, window.base_dilation});
    dilation.push_back(padding.back().base_dilation);
    reversal.push_back(window.reversed && !plan.shards_taps[dim] ? 1 : 0);
  }
  ir::AttributeMap& attributes = lowering.output().attributes(local);
  const auto is_sharded_dim = [](const std::optional<ShardedWindow>& sharded) {
    return sharded.has_value();
  };
  if (std::ranges::any_of(plan.spatial, is_sharded_dim)) {
    attributes.set(ir::attr::kPadding, padding_literal(padding));
    attributes.set(ir::attr::kLhsDilation,
                   ir::DenseArrayAttr{ir::ElementType::I64, std::move(dilation)});
    if (attributes.contains(ir::attr::kWindowReversal)) {
      attributes.set(ir::attr::kWindowReversal,
                     ir::DenseArrayAttr{ir::ElementType::I1, std::move(reversal)});
    }
  }
  const IntegerAttr count{plan.group_count, ir::ElementType::I64};
  if (convolution.feature_groups > 1) attributes.set(ir::attr::kFeatureGroupCount, count);
  if (convolution.batch_groups > 1) attributes.set(ir::attr::kBatchGroupCount, count);
}

Status lower_sharded_convolution(Lowering& lowering, OpId op, const Convolution& convolution,
                                 const ConvolutionSharding& plan) {
  const Module& input = lowering.input();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  PartitionedValue lhs = lowering.reshard_to(op, lowering.local(input.operand(op, 0)), plan.lhs);
  PartitionedValue rhs = lowering.reshard_to(op, lowering.local(input.operand(op, 1)), plan.rhs);
  if (is_sharded(plan.rhs[at(convolution.dims.kernel_input_feature)])) {
    // Zeroes the padding of both operands: 0 * NaN in the padding of one would make the sum NaN.
    const std::size_t feature = at(convolution.dims.input_feature);
    const ir::Literal zero = zero_of(lhs);
    lhs = lowering.mask(std::move(lhs), std::span(&feature, 1), zero);
  }
  rhs = shard_kernel(lowering, convolution, plan, std::move(rhs));
  std::vector<ShardedWindow> windows;
  for (const auto& sharded : plan.spatial) {
    if (sharded) windows.push_back(*sharded);
  }
  const ValueId fill = lowering.emit().splat({}, zero_of(lhs));
  const ValueId base = exchange_windows(lowering, 0, lhs, windows, fill);
  std::vector<int64_t> dims = lowering.local_dims(global, plan.result);
  for (std::size_t dim = 0; dim < plan.spatial.size(); ++dim) {
    if (!plan.spatial[dim]) continue;
    dims[at(convolution.dims.output_spatial[dim])] = plan.spatial[dim]->plan.local_count();
  }
  const OpId local = lowering.clone(op, {base, rhs.value}, {global.with_dims(std::move(dims))});
  set_attributes(lowering, local, convolution, plan);
  ValueId value = lowering.output().result(local);
  for (std::size_t dim = 0; dim < plan.spatial.size(); ++dim) {
    if (!plan.spatial[dim]) continue;
    value =
        own_windows(lowering, value, at(convolution.dims.output_spatial[dim]), *plan.spatial[dim]);
  }
  PartitionedValue made = lowering.make(value, global, plan.result);
  if (is_sharded(plan.partial)) made.partial = PartialResult{plan.partial, OpKind::Add, ValueId()};
  lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
  return {};
}

}  // namespace

/// Lowers the op. Spec: partitioning 8.9.
Status lower_convolution(Lowering& lowering, OpId op) {
  const Module& input = lowering.input();
  const Convolution convolution = read_convolution(input, op);
  if (std::ranges::any_of(convolution.windows, is_too_large)) {
    return lowering.error(op, "E_UNSUPPORTED_OP", "windows are too large to be lowered");
  }
  const auto is_empty = [&](ValueId value) { return input.type(value).num_elements() == 0; };
  if (is_empty(input.result(op)) || is_empty(input.operand(op, 0)) ||
      is_empty(input.operand(op, 1))) {
    return lower_replicated(lowering, op);
  }
  return lower_sharded_convolution(lowering, op, convolution,
                                   Planner(lowering, op, convolution).plan());
}

}  // namespace shardy::partitioning
