// Lowers ops that create or reshape elements without moving them: broadcast, iota, constant,
// reshape.
#include <algorithm>
#include <numeric>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/algebra/detail/reshape_groups.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Broadcast ----------------------------------------------------------------------------------

// broadcast, iota, constant and get_dimension_size need no communication.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = broadcast %a, sizes = [3] : [{}, {"x"}]     ->   %0 = broadcast_in_dim %a : 4 -> 3x4
//   %0 = iota dim = 0 : tensor<8xf32> [{"x"}]        ->   %1 = spmd.coord {"x"} * 4 : tensor<i64>
//                                                         %2 = iota + %1 : tensor<4xi64>
//                                                         %0 = convert %2 : tensor<4xf32>
//   %0 = constant [1, 2, 3, 4] [{"x"}]               ->   %1 = spmd.coord {"x"} * 2
//                                                         %0 = dynamic_slice [1, 2, 3, 4], %1
//   %0 = get_dimension_size %a, dim = 0              ->   %0 = constant 8

/// Lowers broadcast to broadcast_in_dim, because the sizes attribute of broadcast has global sizes.
/// Spec: partitioning 8.15.
Status lower_broadcast(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<OpLayout> layout = layout_by_rule(lowering, op);
  if (!layout) return lower_replicated(lowering, op);
  PartitionedValue operand = lowering.local(input.operand(op, 0));
  std::vector<int64_t> mapped(operand.axes.size());
  const Type& global = input.type(input.result(op));
  std::iota(mapped.begin(), mapped.end(), global.rank() - std::ssize(mapped));
  operand = lowering.reshard_to(op, std::move(operand), layout->operands[0]);
  const std::vector<int64_t> dims = lowering.local_dims(global, layout->results[0]);
  lowering.finish(op, lowering.emit().broadcast(operand.value, dims, mapped));
  return {};
}

/// Lowers to a constant: the global size is static.
Status lower_dimension_size(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const auto* dim = input.attribute<IntegerAttr>(op, ir::attr::kDimension);
  if (dim == nullptr) return lower_replicated(lowering, op);
  const int64_t size = input.type(input.operand(op, 0)).dim(static_cast<std::size_t>(dim->value));
  const ir::Literal literal = ir::int_splat_literal(input.type(input.result(op)), size);
  lowering.finish(op, lowering.emit().constant(literal));
  return {};
}

/// Adds the shard offset in i64 and converts once, so that no element is rounded twice. Spec:
/// partitioning 8.1.
Status lower_iota(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const std::vector<int64_t> dims = lowering.local_dims(global, axes);
  const auto dim = static_cast<std::size_t>(ir::view<ir::IotaOp>(input, op).dim);
  if (sharding_size(axes[dim]) == 1) {
    const OpId local = lowering.clone(op, {}, {lowering.local_type(global, axes)});
    lowering.finish(op, lowering.output().result(local));
    return {};
  }
  const ScalarIndex begin = emit.multiply(emit.coord(lowering.place(), axes[dim]),
                                          ceil_div(global.dim(dim), sharding_size(axes[dim])));
  const std::vector<int64_t> line = {dims[dim]};
  const ValueId before = emit.broadcast(emit.scalar(begin), line, {});
  ValueId value = emit.binary(OpKind::Add, emit.iota(dims[dim]), before);
  if (global.element() != ElementType::I64) {
    value =
        emit.builder().create_value(OpKind::Convert, {value}, Type::tensor(line, global.element()));
  }
  const std::vector<int64_t> mapped = {static_cast<int64_t>(dim)};
  lowering.finish(op, emit.broadcast(value, dims, mapped));
  return {};
}

/// Lowers a constant. A splat gets the local shape; other constants are sliced from the global
/// literal. Spec: partitioning 8.2.
Status lower_constant(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const auto* held = input.attribute<ir::Literal>(op, ir::attr::kValue);
  if (held == nullptr) {
    return lowering.error(op, "E_UNSUPPORTED_OP",
                          "constant data is elided; a resource section of the file may hold it");
  }
  const ir::Literal& literal = *held;
  const std::vector<AxisList> axes = lowering.axes_of(result);
  if (literal.is_splat()) {
    const Result<ir::Literal> element =
        ir::Literal::make(Type::tensor({}, literal.type().element()),
                          {literal.stored().begin(), literal.stored().end()});
    SHARDY_TRY(const ir::Literal scalar, element);
    lowering.finish(op, emit.splat(lowering.local_dims(literal.type(), axes), scalar));
    return {};
  }
  PartitionedValue whole =
      lowering.make(emit.constant(literal), input.type(result), std::vector<AxisList>(axes.size()));
  lowering.bind(result, lowering.reshard_to(op, std::move(whole), axes));
  return {};
}

// ---- Reshape ------------------------------------------------------------------------------------

// reshape: local for groups of dims whose operand and result shards agree. Other groups exchange
// halos in flat (row-major) order. Spec: partitioning 8.3.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = reshape %a : tensor<3x2xf32> [{"x"}, {}] -> tensor<6xf32> [{"x"}]
//   ->
//   %1 = reshape %a                                          : tensor<2x2xf32> -> tensor<4xf32>
//   %2 = spmd.permute %1[3:4] {"x"}, shift -1                : the left halo
//   %3 = concatenate %2, %1[0:3]                             : tensor<4xf32>
//   %0 = dynamic_slice %3, 1 - spmd.coord {"x"}, sizes = [3] : tensor<3xf32>

namespace {

/// The lowering of one group of dims: axes of operand and result, and whether elements move.
struct GroupPlan {
  std::vector<AxisList> in_axes;   // per operand dim of the group
  std::vector<AxisList> out_axes;  // per result dim of the group, before the final slice
  std::optional<FlatTiling> from;  // set if halos are exchanged in flat order
  std::optional<FlatTiling> to;
  int64_t size = 0;  // number of elements of the group
};

std::vector<AxisList> without_unit_dims(std::span<const int64_t> dims,
                                        std::span<const AxisList> axes) {
  std::vector<AxisList> kept(axes.begin(), axes.end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == 1) kept[dim].clear();
  }
  return kept;
}

/// Gives a group with one operand dim and one result dim the axes of the result.
void shard_equally(std::span<const int64_t> in, std::span<const int64_t> out, GroupPlan& plan) {
  const auto is_large = [](int64_t dim) { return dim != 1; };
  if (std::ranges::count_if(in, is_large) != 1 || std::ranges::count_if(out, is_large) != 1) return;
  const auto in_dim = std::ranges::find_if(in, is_large) - in.begin();
  const auto out_dim = std::ranges::find_if(out, is_large) - out.begin();
  plan.in_axes[static_cast<std::size_t>(in_dim)] = plan.out_axes[static_cast<std::size_t>(out_dim)];
}

GroupPlan plan_group(std::span<const int64_t> in, std::span<const AxisList> in_axes,
                     std::span<const int64_t> out, std::span<const AxisList> out_axes) {
  GroupPlan plan{without_unit_dims(in, in_axes), without_unit_dims(out, out_axes), {}, {}, 0};
  shard_equally(in, out, plan);
  plan.size = product(in);
  switch (group_move(in, plan.in_axes, out, plan.out_axes)) {
    case GroupMove::None:
      return plan;
    case GroupMove::Exchange:
      plan.from = flat_tiling(in, plan.in_axes);
      plan.to = flat_tiling(out, plan.out_axes);
      return plan;
    default:
      return {std::vector<AxisList>(in.size()), std::vector<AxisList>(out.size()), {}, {}, 0};
  }
}

/// Flattens each group into one dim and exchanges halos to get the result's shards.
ValueId exchange_groups(Lowering& lowering, ValueId value, std::span<const GroupPlan> plans) {
  Emitter& emit = lowering.emit();
  std::vector<int64_t> flat;
  std::size_t next = 0;
  for (const GroupPlan& plan : plans) {
    flat.push_back(1);
    for (std::size_t dim = 0; dim < plan.in_axes.size(); ++dim) {
      flat.back() *= emit.dim(value, next++);
    }
  }
  const auto moves = [](const GroupPlan& plan) { return plan.from.has_value(); };
  if (std::ranges::none_of(plans, moves)) return value;
  value = emit.reshape(value, std::move(flat));
  for (std::size_t group = 0; group < plans.size(); ++group) {
    const GroupPlan& plan = plans[group];
    if (!plan.from) continue;
    value = lowering.exchange_flat_halo(value, {group, plan.size, *plan.from, *plan.to});
  }
  return value;
}

}  // namespace

/// Lowers reshape. Spec: partitioning 8.3.
Status lower_reshape(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  Emitter& emit = lowering.emit();
  const ValueId result = input.result(op);
  const Type& global = input.type(result);
  const std::vector<AxisList> result_axes = lowering.axes_of(result);
  PartitionedValue operand = lowering.local(input.operand(op, 0));
  if (global.num_elements() == 0) return lowering.finish_empty(op);
  const std::span<const int64_t> in = operand.global.dims();
  const std::span<const int64_t> out = global.dims();
  std::vector<GroupPlan> plans;
  std::vector<AxisList> in_axes;
  std::vector<AxisList> out_axes;
  for (const ReshapeGroup& group : reshape_groups(in, out)) {
    const std::span<const AxisList> group_in(operand.axes.data() + group.in_begin,
                                             group.in_end - group.in_begin);
    const std::span<const AxisList> group_out(result_axes.data() + group.out_begin,
                                              group.out_end - group.out_begin);
    plans.push_back(plan_group(in.subspan(group.in_begin, group_in.size()), group_in,
                               out.subspan(group.out_begin, group_out.size()), group_out));
    in_axes.insert(in_axes.end(), plans.back().in_axes.begin(), plans.back().in_axes.end());
    out_axes.insert(out_axes.end(), plans.back().out_axes.begin(), plans.back().out_axes.end());
  }
  operand = lowering.reshard_to(op, std::move(operand), in_axes);
  const ValueId value = emit.reshape(exchange_groups(lowering, operand.value, plans),
                                     lowering.local_dims(global, out_axes));
  PartitionedValue made = lowering.make(value, global, std::move(out_axes));
  lowering.bind(result, lowering.reshard_to(op, std::move(made), result_axes));
  return {};
}

}  // namespace shardy::partitioning
