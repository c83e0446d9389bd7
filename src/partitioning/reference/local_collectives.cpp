// Lowers sdy collectives, and the reductions before them, to ops on local shards.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "ir/op_facts.hpp"
#include "partitioning/families.hpp"
#include "partitioning/reference/global_to_local.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "passes/common/functions.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/resharding/detail/permute.hpp"

namespace shardy::partitioning {

using ir::OpSpec;

// ---- Collectives --------------------------------------------------------------------------------

// sdy collectives become StableHLO collectives on local values, in the forms that Shardy emits.
// Spec: partitioning 6, 10.4.
//
//   sdy.mesh @mesh = <["x"=2, "y"=2]>
//   sdy.all_reduce {"y"} %0           ->   stablehlo.all_reduce add %0,
//                                                 replica_groups = [[0, 1], [2, 3]], channel 1
//   sdy.all_gather [{"x"}, {}] %0     ->   stablehlo.all_gather %0, all_gather_dim = 0,
//                                                 replica_groups = [[0, 2], [1, 3]], channel 2

namespace {

using Dims = std::vector<int64_t>;

Dims dims_of(LocalProgram& program, ValueId value) {
  const std::span<const int64_t> dims = program.emit().dims(value);
  return {dims.begin(), dims.end()};
}

const TensorSharding& out_sharding(const LocalProgram& program, OpId op) {
  return *program.module().attribute<TensorSharding>(op, ir::attr::kOutSharding);
}

std::vector<std::size_t> used_dims(const AxisLists& lists) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    if (sharding_size(lists[dim]) > 1) dims.push_back(dim);
  }
  return dims;
}

IntegerAttr number(int64_t value) { return {value, ElementType::I64}; }

// ---- One StableHLO collective -------------------------------------------------------------------

ValueId all_gather(LocalProgram& program, ValueId value, std::size_t dim,
                   const TensorSharding& where, const AxisList& axes) {
  Dims dims = dims_of(program, value);
  dims[dim] *= sharding_size(axes);
  OpSpec spec{.kind = OpKind::AllGather};
  spec.operands = {value};
  spec.result_types = {program.module().type(value).with_dims(std::move(dims))};
  spec.attributes.set(ir::attr::kAllGatherDim, number(static_cast<int64_t>(dim)));
  spec.attributes.set(ir::attr::kReplicaGroups, program.groups(where, axes));
  return program.collective(std::move(spec));
}

ValueId all_reduce(LocalProgram& program, ValueId value, const TensorSharding& where,
                   const AxisList& axes, OpKind combiner) {
  if (sharding_size(axes) == 1) return value;
  const Type type = program.module().type(value);
  OpSpec spec{.kind = OpKind::AllReduce};
  spec.operands = {value};
  spec.result_types = {type};
  spec.attributes.set(ir::attr::kReplicaGroups, program.groups(where, axes));
  spec.regions = {program.emit().reducer_region(combiner, type.element())};
  return program.collective(std::move(spec));
}

ValueId reduce_scatter(LocalProgram& program, ValueId value, std::size_t dim,
                       const TensorSharding& where, const AxisList& axes, OpKind combiner) {
  Dims dims = dims_of(program, value);
  dims[dim] /= sharding_size(axes);
  const Type type = program.module().type(value).with_dims(std::move(dims));
  OpSpec spec{.kind = OpKind::ReduceScatter};
  spec.operands = {value};
  spec.result_types = {type};
  spec.attributes.set(ir::attr::kScatterDimension, number(static_cast<int64_t>(dim)));
  spec.attributes.set(ir::attr::kReplicaGroups, program.groups(where, axes));
  spec.regions = {program.emit().reducer_region(combiner, type.element())};
  return program.collective(std::move(spec));
}

ValueId all_to_all(LocalProgram& program, ValueId value, std::size_t split, std::size_t concat,
                   const TensorSharding& where, const AxisList& axes) {
  const int64_t count = sharding_size(axes);
  Dims dims = dims_of(program, value);
  dims[split] /= count;
  dims[concat] *= count;
  OpSpec spec{.kind = OpKind::AllToAll};
  spec.operands = {value};
  spec.result_types = {program.module().type(value).with_dims(std::move(dims))};
  spec.attributes.set(ir::attr::kSplitDimension, number(static_cast<int64_t>(split)));
  spec.attributes.set(ir::attr::kConcatDimension, number(static_cast<int64_t>(concat)));
  spec.attributes.set(ir::attr::kSplitCount, number(count));
  spec.attributes.set(ir::attr::kReplicaGroups, program.groups(where, axes));
  return program.collective(std::move(spec));
}

// ---- Several dims in one collective -------------------------------------------------------------

/// Returns a transpose order. Leading dim i moves directly before the dim before[i], which is
/// counted without the leading dims.
Dims interleaved(std::span<const std::size_t> before, std::size_t rank) {
  Dims order;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    for (std::size_t index = 0; index < before.size(); ++index) {
      if (before[index] == dim) order.push_back(static_cast<int64_t>(index));
    }
    order.push_back(static_cast<int64_t>(before.size() + dim));
  }
  return order;
}

/// Merges leading dims into others: the shape is [G_1, .., G_m, dims..], and G_i becomes the major
/// part of the dim into[i].
ValueId merge_in(LocalProgram& program, ValueId value, std::span<const std::size_t> into) {
  Emitter& emit = program.emit();
  const Dims from = dims_of(program, value);
  Dims dims(from.begin() + static_cast<std::ptrdiff_t>(into.size()), from.end());
  for (std::size_t index = 0; index < into.size(); ++index) dims[into[index]] *= from[index];
  const ValueId sorted = emit.transpose(value, interleaved(into, dims.size()));
  return emit.reshape(sorted, std::move(dims));
}

/// Splits the major part of size sizes[i] off the dim from[i], for each i. Returns the shape
/// [sizes.., dims..].
ValueId split_off(LocalProgram& program, ValueId value, std::span<const std::size_t> from,
                  const Dims& sizes) {
  Emitter& emit = program.emit();
  const Dims dims = dims_of(program, value);
  Dims split;
  Dims order(from.size());
  Dims rest;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    int64_t left = dims[dim];
    for (std::size_t index = 0; index < from.size(); ++index) {
      if (from[index] != dim) continue;
      order[index] = std::ssize(split);
      split.push_back(sizes[index]);
      left /= sizes[index];
    }
    rest.push_back(std::ssize(split));
    split.push_back(left);
  }
  order.insert(order.end(), rest.begin(), rest.end());
  const ValueId pieces = emit.reshape(value, std::move(split));
  return emit.transpose(pieces, std::move(order));
}

/// Merges the first `count` dims into one.
ValueId merge_first(LocalProgram& program, ValueId value, std::size_t count) {
  const Dims dims = dims_of(program, value);
  const auto end = dims.begin() + static_cast<std::ptrdiff_t>(count);
  Dims merged = {product(std::span(dims).first(count))};
  merged.insert(merged.end(), end, dims.end());
  return program.emit().reshape(value, std::move(merged));
}

Dims sizes_of(const AxisLists& lists, std::span<const std::size_t> dims) {
  Dims sizes;
  for (const std::size_t dim : dims) sizes.push_back(sharding_size(lists[dim]));
  return sizes;
}

/// Gathers several dims in one all-gather along a new leading dim, then moves each block to its
/// dim.
ValueId gather_combined(LocalProgram& program, ValueId value, const TensorSharding& where,
                        const AxisLists& lists) {
  const std::vector<std::size_t> dims = used_dims(lists);
  Dims shape = dims_of(program, value);
  Dims unit = shape;
  unit.insert(unit.begin(), 1);
  value = all_gather(program, program.emit().reshape(value, unit), 0, where, flatten(lists));
  const Dims sizes = sizes_of(lists, dims);
  shape.insert(shape.begin(), sizes.begin(), sizes.end());
  return merge_in(program, program.emit().reshape(value, std::move(shape)), dims);
}

/// Scatters several dims in one reduce-scatter: moves the blocks to a leading dim and scatters that
/// dim.
ValueId scatter_combined(LocalProgram& program, ValueId value, const TensorSharding& where,
                         const AxisLists& lists, OpKind combiner) {
  const std::vector<std::size_t> dims = used_dims(lists);
  value = split_off(program, value, dims, sizes_of(lists, dims));
  value = merge_first(program, value, dims.size());
  value = reduce_scatter(program, value, 0, where, flatten(lists), combiner);
  Dims shape = dims_of(program, value);
  shape.erase(shape.begin());
  return program.emit().reshape(value, std::move(shape));
}

/// Slices the block that the device keeps from each dim.
ValueId own_block(LocalProgram& program, ValueId value, const Mesh& mesh, const AxisLists& lists) {
  std::vector<ScalarIndex> begin;
  Dims sizes = dims_of(program, value);
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    if (dim < lists.size()) sizes[dim] /= sharding_size(lists[dim]);
    begin.push_back(dim < lists.size() ? program.tile_begin(mesh, lists[dim], sizes[dim])
                                       : ScalarIndex::of(0));
  }
  return program.dynamic_slice(value, begin, std::move(sizes));
}

// ---- Ops ----------------------------------------------------------------------------------------

ValueId localize_all_gather(LocalProgram& program, OpId op, ValueId value) {
  const TensorSharding where = out_sharding(program, op);
  const AxisLists lists =
      program.module().attribute<ir::AxesListsAttr>(op, ir::attr::kGatheringAxes)->lists;
  const std::vector<std::size_t> dims = used_dims(lists);
  if (dims.size() > 1 && !program.options().per_dim_all_gather) {
    return gather_combined(program, value, where, lists);
  }
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    value = all_gather(program, value, *dim, where, lists[*dim]);
  }
  return value;
}

ValueId localize_reduce_scatter(LocalProgram& program, OpId op, ValueId value) {
  const TensorSharding where = out_sharding(program, op);
  const AxisLists lists =
      program.module().attribute<ir::AxesListsAttr>(op, ir::attr::kReduceScatterAxes)->lists;
  const OpKind combiner = program.combiner(op);
  const std::vector<std::size_t> dims = used_dims(lists);
  if (dims.size() == 1) {
    return reduce_scatter(program, value, dims[0], where, lists[dims[0]], combiner);
  }
  if (dims.size() > 1 && program.options().combine_multi_dimension_reduce_scatter) {
    return scatter_combined(program, value, where, lists, combiner);
  }
  value = all_reduce(program, value, where, flatten(lists), combiner);
  return own_block(program, value, where.mesh(), lists);
}

/// Emits one all-to-all for all pairs of source and target dims. Several pairs share a leading dim
/// that contains the blocks.
ValueId localize_all_to_all(LocalProgram& program, OpId op, ValueId value) {
  const TensorSharding where = out_sharding(program, op);
  std::vector<ir::AllToAllParam> params =
      program.module().attribute<ir::AllToAllAttr>(op, ir::attr::kParams)->params;
  std::ranges::stable_sort(params, {}, &ir::AllToAllParam::target_dim);
  if (params.size() == 1) {
    return all_to_all(program, value, static_cast<std::size_t>(params[0].target_dim),
                      static_cast<std::size_t>(params[0].source_dim), where, params[0].axes);
  }
  AxisList axes;
  Dims sizes;
  std::vector<std::size_t> targets;
  std::vector<std::size_t> sources;
  for (const ir::AllToAllParam& param : params) {
    axes.insert(axes.end(), param.axes.begin(), param.axes.end());
    sizes.push_back(sharding_size(param.axes));
    targets.push_back(static_cast<std::size_t>(param.target_dim));
    sources.push_back(static_cast<std::size_t>(param.source_dim));
  }
  value = split_off(program, value, targets, sizes);
  Dims shape = dims_of(program, value);
  value = all_to_all(program, merge_first(program, value, params.size()), 0, 0, where, axes);
  return merge_in(program, program.emit().reshape(value, std::move(shape)), sources);
}

/// Checks whether the target dims have the axis order in which the blocks are sent.
bool keeps_order(const LocalProgram& program, OpId op) {
  const TensorSharding& to = out_sharding(program, op);
  const ValueId operand = program.module().operand(op, 0);
  for (const ir::AllToAllParam& param :
       program.module().attribute<ir::AllToAllAttr>(op, ir::attr::kParams)->params) {
    const auto target = static_cast<std::size_t>(param.target_dim);
    AxisList wanted = program.axes(operand, target);
    for (const AxisRef& axis : param.axes) append_or_merge(wanted, axis);
    if (wanted != to.dim(target).axes) return false;
  }
  return true;
}

/// Returns the (source, target) pairs of all devices, ordered by the source's position on the mesh.
/// Spec: dialect 4.7.
std::vector<DevicePair> pairs_of(const TensorSharding& from, const TensorSharding& to) {
  const PermuteOrders orders = permute_orders(from, to);
  const std::vector<int64_t> senders = replica_groups(from.mesh(), orders.sender).front();
  const std::vector<int64_t> receivers = replica_groups(to.mesh(), orders.receiver).front();
  std::vector<DevicePair> pairs;
  for (std::size_t index = 0; index < senders.size(); ++index) {
    pairs.emplace_back(senders[index], receivers[index]);
  }
  std::ranges::sort(pairs, {},
                    [&](const DevicePair& pair) { return from.mesh().position_of(pair.first); });
  return pairs;
}

ValueId localize_permute(LocalProgram& program, OpId op, ValueId value) {
  const TensorSharding to = out_sharding(program, op);
  const auto& from = program.sharding(program.module().operand(op, 0));
  if (!from || !permute_moves(*from, to)) return value;
  OpSpec spec{.kind = OpKind::CollectivePermute};
  spec.operands = {value};
  spec.result_types = {program.module().type(value)};
  spec.attributes.set(ir::attr::kSourceTargetPairs, matrix(pairs_of(*from, to)));
  return program.collective(std::move(spec));
}

/// Returns the neutral element of a sum for the type: -0 for floats.
ValueId nothing(LocalProgram& program, const Type& type) {
  const double zero = ir::is_float(type.element()) ? -0.0 : 0.0;
  return program.emit().constant(ir::splat_literal(type, zero));
}

ValueId localize_to_unreduced(LocalProgram& program, OpId op, ValueId value) {
  Emitter& emit = program.emit();
  const TensorSharding where = out_sharding(program, op);
  const Type type = program.module().type(value);
  if (program.module().is(op, OpKind::SdyReplicatedToUnreduced)) {
    const AxisList axes = program.module().attribute<ir::AxesAttr>(op, ir::attr::kAxes)->axes;
    const ScalarIndex rank = program.tile_begin(where.mesh(), axes, 1);
    const ValueId zero = emit.scalar(ScalarIndex::of(0));
    const ValueId first = emit.compare(emit.scalar(rank), zero, "EQ");
    const ValueId others = nothing(program, type);
    return emit.select(emit.broadcast(first, type.dims(), {}), value, others);
  }
  const AxisLists lists = program.module().attribute<ir::AxesListsAttr>(op, ir::attr::kAxes)->lists;
  Dims dims(type.dims().begin(), type.dims().end());
  std::vector<ValueId> operands = {ValueId(), value};
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    operands.push_back(emit.scalar(program.tile_begin(where.mesh(), lists[dim], dims[dim])));
    dims[dim] *= sharding_size(lists[dim]);
  }
  const Type whole = type.with_dims(std::move(dims));
  operands.front() = nothing(program, whole);
  return emit.builder().create_value(OpKind::DynamicUpdateSlice, std::move(operands), whole);
}

}  // namespace

Status localize_collective(LocalProgram& program, OpId op) {
  const ir::Module& module = program.module();
  const ValueId value = module.operand(op, 0);
  if (module.is(op, OpKind::SdyAllToAll) && !keeps_order(program, op)) {
    return program.error(op, "brings axes to a dim in another order than its sharding");
  }
  const auto made = [&]() -> ValueId {
    switch (module.kind(op)) {
      case OpKind::SdyAllGather:
        return localize_all_gather(program, op, value);
      case OpKind::SdyAllSlice:
        return own_block(program, value, out_sharding(program, op).mesh(),
                         module.attribute<ir::AxesListsAttr>(op, ir::attr::kSlicingAxes)->lists);
      case OpKind::SdyAllReduce:
        return all_reduce(program, value, out_sharding(program, op),
                          module.attribute<ir::AxesAttr>(op, ir::attr::kReductionAxes)->axes,
                          program.combiner(op));
      case OpKind::SdyReduceScatter:
        return localize_reduce_scatter(program, op, value);
      case OpKind::SdyAllToAll:
        return localize_all_to_all(program, op, value);
      case OpKind::SdyCollectivePermute:
        return localize_permute(program, op, value);
      default:
        return localize_to_unreduced(program, op, value);
    }
  }();
  program.replace(op, made);
  return {};
}

// ---- Reductions ---------------------------------------------------------------------------------

// Ops that reduce dims run on local shards if the collective after them reduces the partial
// results. Spec: partitioning 10.4.
//
//   sdy.mesh @mesh = <["y"=2]>
//   %0 = dot_general %a, %b                       %0 = dot_general %a, %b
//     : 8x16 [{}, {"y"}], 16x4 [{"y"}, {}]   ->     : 8x8, 8x4
//   %1 = sdy.all_reduce {"y"} %0                  %1 = stablehlo.all_reduce add %0

namespace {

/// The axes and the reducer of the op's partial results: from the declared unreduced axes of the
/// result, else from the collective after the op.
struct Combination {
  AxisList axes;
  OpKind combiner = OpKind::Add;
  OpId collective;  // invalid for declared axes
};

std::optional<Combination> later_combination(const LocalProgram& program, ValueId result) {
  const Module& module = program.module();
  const auto& sharding = program.sharding(result);
  if (sharding && !sharding->unreduced_axes().empty()) {
    return Combination{sort_and_merge(sharding->unreduced_axes()),
                       ir::reducer_of(sharding->reduction_op()), OpId()};
  }
  if (module.num_uses(result) != 1) return std::nullopt;
  const OpId user = module.uses(result).front().op;
  if (!ir::completes_reduction(module.kind(user))) return std::nullopt;
  return Combination{sort_and_merge(ir::combined_axes(module, user)),
                     ir::reducer_of(ir::collective_reduction(module, user)), user};
}

/// Checks whether both combine elements of the type alike.
bool are_equal(OpKind a, OpKind b, ElementType element) {
  const auto number = [&](OpKind kind) {
    if (element != ElementType::I1) return kind;
    return kind == OpKind::Or ? OpKind::Maximum : kind == OpKind::And ? OpKind::Minimum : kind;
  };
  return number(a) == number(b);
}

/// Checks whether the attribute of a collective can name the combiner.
bool has_name(OpKind combiner, ElementType element) {
  return combiner == OpKind::Add || are_equal(combiner, OpKind::Maximum, element) ||
         are_equal(combiner, OpKind::Minimum, element);
}

/// Checks whether an op that completes reductions uses the value.
bool is_completed(const Module& module, ValueId value) {
  return std::ranges::any_of(module.uses(value), [&](const ir::Use& use) {
    return ir::completes_reduction(module.kind(use.op));
  });
}

AxisList without_units(AxisList axes) {
  std::erase_if(axes, [](const AxisRef& axis) { return axis.size == 1; });
  return axes;
}

/// Adds the axes of one dim of a value, except axes that overlap the list.
void add_axes(const LocalProgram& program, ValueId value, std::size_t dim, AxisList& axes) {
  for (const AxisRef& axis : program.axes(value, dim)) {
    if (!overlaps(axis, axes)) axes.push_back(axis);
  }
}

}  // namespace

OpKind later_combiner(const LocalProgram& program, OpId op) {
  const auto later = later_combination(program, program.module().result(op));
  return later ? later->combiner : OpKind::Add;
}

Result<AxisList> axes_to_combine(LocalProgram& program, OpId op, AxisList axes, OpKind combiner) {
  const Module& module = program.module();
  axes = without_units(sort_and_merge(std::move(axes)));
  if (axes.empty()) return axes;
  bool is_partial = false;
  for (const ValueId result : module.results(op)) {
    const auto later = later_combination(program, result);
    if (!later && !is_completed(module, result)) continue;
    is_partial = true;
    if (!later || without_units(later->axes) != axes) {
      return program.error(op,
                           "combines elements along a sharded dimension, but its only user is not "
                           "an all-reduce over exactly these axes");
    }
    const ElementType element = program.module().type(result).element();
    const bool is_sum = later->combiner == OpKind::Add;
    if (is_sum && later->collective.valid() && !has_name(combiner, element)) {
      program.set_combiner(later->collective, combiner);
      continue;
    }
    if (!are_equal(later->combiner, combiner, element)) {
      return program.error(op, "combines elements by another op than the all-reduce that uses it");
    }
  }
  return is_partial ? AxisList() : axes;
}

namespace {

/// Makes the next ops after the op.
void start_after(LocalProgram& program, OpId op) {
  ir::Builder builder = ir::Builder::after(program.module(), op);
  builder.set_location(program.module().location(op));
  program.emit().set_builder(builder);
}

}  // namespace

ValueId combine(LocalProgram& program, ValueId value, const TensorSharding& where,
                const AxisList& axes, OpKind combiner) {
  return all_reduce(program, value, where, axes, combiner);
}

Status combine_result(LocalProgram& program, OpId op, const AxisList& axes,
                      const TensorSharding& where, OpKind combiner) {
  Module& module = program.module();
  SHARDY_TRY(const AxisList missing, axes_to_combine(program, op, axes, combiner));
  if (missing.empty()) return {};
  const ValueId result = module.result(op);
  const std::vector<ir::Use> uses = module.uses(result);
  start_after(program, op);
  const ValueId whole = all_reduce(program, result, where, missing, combiner);
  program.record(whole, result);
  for (const ir::Use& use : uses) module.set_operand(use.op, use.operand, whole);
  return {};
}

bool is_contracted(const ir::WindowDim& window, int64_t size) {
  return window.size == size && window.low == 0 && window.high == 0 && window.base_dilation == 1 &&
         window.window_dilation == 1 && !window.reversed;
}

ir::DotDims dot_dims(const Module& module, OpId op) {
  const auto* general = module.attribute<ir::DotDims>(op, ir::attr::kDotDimensionNumbers);
  if (general != nullptr) return *general;
  return {.lhs_contracting = {module.type(module.operand(op, 0)).rank() - 1},
          .rhs_contracting = {0}};
}

namespace {

/// Adds the partial results of a product whose contracted dims are sharded along the axes.
Status sum_partial_results(LocalProgram& program, OpId op, const AxisList& axes) {
  const auto& where = program.sharding(program.module().operand(op, 1));
  return where ? combine_result(program, op, axes, *where, OpKind::Add) : Status();
}

Status localize_dot(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  const ir::DotDims dims = dot_dims(module, op);
  AxisList axes;
  for (std::size_t index = 0; index < dims.lhs_contracting.size(); ++index) {
    const auto lhs = static_cast<std::size_t>(dims.lhs_contracting[index]);
    const auto rhs = static_cast<std::size_t>(dims.rhs_contracting[index]);
    if (program.axes(module.operand(op, 0), lhs) != program.axes(module.operand(op, 1), rhs)) {
      return program.error(
          op, "has a contracting dimension that is sharded differently in its operands");
    }
    add_axes(program, module.operand(op, 0), lhs, axes);
  }
  return sum_partial_results(program, op, axes);
}

// A reduce by another region than a known reducer: the results of all shards are gathered and
// reduced by a copy of the region.
//
//   %0 = reduce(%a init: %z) {region}, dimensions = [1] : 8x16 [{}, {"x"}] -> 8
//   ->
//   %1 = reduce(%a init: %z) {region}, dimensions = [1] : 8x8 -> 8
//   %2 = all_gather (reshape %1), dim 0                 : 1x8 -> 2x8
//   %0 = reduce(%2 init: %z) {region}, dimensions = [0] : 2x8 -> 8

/// Checks whether all initial values are identities of known reducers.
bool starts_neutral(const Module& module, OpId op) {
  const std::size_t count = module.num_results(op);
  const auto reducers = ir::recognized_reducers(module, op, count);
  if (!reducers) return false;
  for (std::size_t index = 0; index < count; ++index) {
    if (!is_neutral(module, module.operand(op, count + index), (*reducers)[index])) return false;
  }
  return true;
}

/// Checks whether shards may start from the initial values, and are in the order of the elements.
bool can_reduce_twice(const LocalProgram& program, OpId op, std::span<const int64_t> dims) {
  const Module& module = program.module();
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const ValueId result = module.result(op, index);
    const auto& sharding = program.sharding(result);
    const bool is_partial = sharding && !sharding->unreduced_axes().empty();
    const ElementType element = module.type(module.operand(op, index)).element();
    if (is_partial || is_completed(module, result)) return false;
    if (module.type(result).element() != element) return false;
  }
  const ValueId operand = module.operand(op, 0);
  bool is_inside = false;  // after a dim along which a shard has several elements
  for (const int64_t dim : dims) {
    const auto index = static_cast<std::size_t>(dim);
    if (is_inside && program.shards(operand, index) > 1) return false;
    is_inside |= module.type(operand).dim(index) > 1;
  }
  return is_idempotent(module, op) || starts_neutral(module, op);
}

ir::RegionId copy_of_body(Module& module, OpId op) {
  const ir::BlockId body = module.blocks(module.regions(op).front()).front();
  const std::vector<ValueId> args(module.args(body).begin(), module.args(body).end());
  std::vector<Type> types;
  types.reserve(args.size());
  for (const ValueId arg : args) types.push_back(module.type(arg));
  const ir::RegionId region = module.new_region();
  const ir::BlockId block = module.new_block(region, types);
  passes::ValueMap map;
  for (std::size_t index = 0; index < args.size(); ++index) {
    map[args[index]] = module.args(block)[index];
  }
  passes::clone_ops(module, body, block, map);
  return region;
}

void reduce_twice(LocalProgram& program, OpId op, const AxisList& axes) {
  Module& module = program.module();
  const TensorSharding where = *program.sharding(module.operand(op, 0));
  const std::vector<ValueId> results = module.results(op);
  start_after(program, op);
  OpSpec spec{.kind = OpKind::Reduce};
  std::vector<std::vector<ir::Use>> uses;
  for (const ValueId result : results) {
    uses.push_back(module.uses(result));
    Dims row = dims_of(program, result);
    row.insert(row.begin(), 1);
    const ValueId partial = program.emit().reshape(result, std::move(row));
    spec.operands.push_back(all_gather(program, partial, 0, where, axes));
    spec.result_types.push_back(module.type(result));
  }
  for (std::size_t index = 0; index < results.size(); ++index) {
    spec.operands.push_back(module.operand(op, results.size() + index));
  }
  spec.attributes = module.attributes(op);
  spec.attributes.set(ir::attr::kDimensions, ir::DenseArrayAttr{ElementType::I64, {0}});
  spec.regions = {copy_of_body(module, op)};
  const OpId all = program.emit().builder().create(std::move(spec));
  for (std::size_t index = 0; index < results.size(); ++index) {
    const ValueId whole = module.result(all, index);
    program.record(whole, results[index]);
    for (const ir::Use& use : uses[index]) module.set_operand(use.op, use.operand, whole);
  }
}

Status localize_reduce(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  const std::size_t count = module.num_operands(op) / 2;
  AxisList axes;
  Dims dims = module.attribute<ir::DenseArrayAttr>(op, ir::attr::kDimensions)->values;
  std::ranges::sort(dims);
  for (const int64_t dim : dims) {
    add_axes(program, module.operand(op, 0), static_cast<std::size_t>(dim), axes);
  }
  if (without_units(axes).empty()) return {};
  const auto reducers = ir::recognized_reducers(module, op, count);
  if ((!reducers || count != 1) && can_reduce_twice(program, op, dims)) {
    reduce_twice(program, op, axes);
    return {};
  }
  if (!reducers || count != 1) {
    return program.error(op, "reduces a sharded dimension by a region that no all-reduce supports");
  }
  if (!is_neutral(module, module.operand(op, 1), reducers->front())) {
    return program.error(
        op, "reduces a sharded dimension from an initial value that every device would count");
  }
  return combine_result(program, op, axes, *program.sharding(module.operand(op, 0)),
                        reducers->front());
}

// ---- Windows ------------------------------------------------------------------------------------

/// Returns an error if a sharded dim has padding or windows that cross shards.
Status expect_tiling(LocalProgram& program, OpId op, std::span<const ir::WindowDim> window,
                     ValueId whole, ValueId windows) {
  for (std::size_t dim = 0; dim < window.size(); ++dim) {
    if (program.shards(whole, dim) == 1 && program.shards(windows, dim) == 1) continue;
    const ir::WindowDim& w = window[dim];
    const bool stays =
        program.axes(whole, dim) == program.axes(windows, dim) && w.low == 0 && w.high == 0 &&
        w.stride >= w.size && w.base_dilation == 1 && w.window_dilation == 1 &&
        program.module().type(whole).dim(dim) == program.module().type(windows).dim(dim) * w.stride;
    if (stays) continue;
    return program.error(op,
                         "has windows that reach over shards of dimension " + std::to_string(dim));
  }
  return {};
}

Status localize_convolution(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::ConvolutionOp view = *ir::ConvolutionOp::of(module, op);
  const ir::ConvolutionDims dims = view.dims;
  const ValueId lhs = module.operand(op, 0);
  const ValueId rhs = module.operand(op, 1);
  const ValueId result = module.result(op);
  const auto at = [](int64_t dim) { return static_cast<std::size_t>(dim); };
  for (std::size_t index = 0; index < dims.input_spatial.size(); ++index) {
    const std::size_t dim = at(dims.input_spatial[index]);
    const AxisList axes = without_units(program.axes(lhs, dim));
    const bool stays =
        axes == without_units(program.axes(rhs, at(dims.kernel_spatial[index]))) &&
        (axes.empty() || is_contracted(view.window[index], module.type(lhs).dim(dim)));
    if (stays && program.shards(result, at(dims.output_spatial[index])) == 1) continue;
    return program.error(op,
                         "has windows that reach over shards of dimension " + std::to_string(dim));
  }
  AxisList contracted;
  add_axes(program, rhs, at(dims.kernel_input_feature), contracted);
  for (const int64_t dim : dims.kernel_spatial) add_axes(program, rhs, at(dim), contracted);
  SHARDY_TRY_STATUS(sum_partial_results(program, op, contracted));
  const auto divide = [&](std::string_view name, int64_t groups, int64_t shards) {
    if (groups == 1) return;
    module.attributes(op).set(
        name, ir::IntegerAttr{groups / std::min(groups, shards), ir::ElementType::I64});
  };
  const int64_t feature_groups = view.feature_groups;
  const int64_t batch_groups = view.batch_groups;
  if (feature_groups > 1) {
    divide(ir::attr::kFeatureGroupCount, feature_groups,
           program.shards(lhs, at(dims.input_feature)));
  }
  if (batch_groups > 1) {
    divide(ir::attr::kBatchGroupCount, batch_groups,
           program.shards(result, at(dims.output_feature)));
  }
  return {};
}

}  // namespace

Status localize_reduction(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  switch (module.kind(op)) {
    case OpKind::Reduce:
      return localize_reduce(program, op);
    case OpKind::Convolution:
      return localize_convolution(program, op);
    case OpKind::ReduceWindow:
      return expect_tiling(program, op, ir::ReduceWindowOp::of(module, op)->window,
                           module.operand(op, 0), module.result(op));
    case OpKind::SelectAndScatter:
      return expect_tiling(program, op, ir::SelectAndScatterOp::of(module, op)->window,
                           module.operand(op, 0), module.operand(op, 1));
    default:
      return localize_dot(program, op);
  }
}

}  // namespace shardy::partitioning
