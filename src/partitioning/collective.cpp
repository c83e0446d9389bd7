// Lowers the sdy and StableHLO collectives of the input program.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/process_groups.hpp"
#include "partitioning/families.hpp"
#include "passes/common/ops.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/resharding/detail/axis_lists.hpp"
#include "shardy/resharding/detail/permute.hpp"

namespace shardy::partitioning {

using ir::AxesListsAttr;

// ---- sdy collectives ----------------------------------------------------------------------------

// sdy collectives, which name axes per dim, become spmd communication on local values.
// Spec: partitioning 6.
//
//   sdy.mesh @mesh = <["x"=2, "y"=2]>, %a: tensor<8x8xf32> [{"x"}, {}], %p partial over {"x"}
//   sdy.all_gather [{"x"}, {}] %a          ->  spmd.all_gather %a {"x"}, dim 0      : 4x8 -> 8x8
//   sdy.all_slice [{"y"}, {}] %a           ->  dynamic_slice %a, spmd.coord {"y"} * 2 : 4x8 -> 2x8
//   sdy.all_to_all [{"x"}: 0->1] %a        ->  spmd.all_to_all %a {"x"}, split 1, concat 0
//   sdy.all_reduce {"x"} %p                ->  spmd.all_reduce add %p {"x"}
//   sdy.reduce_scatter [{"x"}, {}] %p      ->  spmd.reduce_scatter add %p {"x"}, dim 0
//   sdy.collective_permute %a [{"y"}, {}]  ->  spmd.permute %a {"x", "y"}, relabel
//   sdy.replicated_to_unreduced {"x"} %b   ->  select (spmd.coord {"x"} == 0), %b, -0.0
//   sdy.sharded_to_unreduced [{"x"}, {}] %a -> %a in zeros at spmd.coord {"x"} * 4  : 4x8 -> 8x8

namespace {

PartitionedValue operand_of(const Lowering& lowering, OpId op) {
  PartitionedValue value = lowering.local(lowering.input().operand(op, 0));
  if (!lowering.is_distributed(value)) value.place = lowering.place_ref();
  return value;
}

Status bind_result(Lowering& lowering, OpId op, PartitionedValue value) {
  lowering.bind(lowering.input().result(op), std::move(value));
  return {};
}

/// Returns the neutral element of a sum as a scalar: -0 for floats, because +0 would turn -0 into
/// +0.
ir::Literal nothing_for(Lowering& lowering, ValueId value) {
  return reducer_identity(OpKind::Add, lowering.output().type(value).element());
}

}  // namespace

ValueId keep_on_first(Lowering& lowering, ValueId value, std::span<const AxisRef> axes,
                      const ir::Literal& nothing) {
  Emitter& emit = lowering.emit();
  const std::vector<int64_t> dims(emit.dims(value).begin(), emit.dims(value).end());
  const ScalarIndex coord = emit.coord(lowering.place(), axes);
  if (coord.constant) return value;
  const ValueId zero = emit.scalar(ScalarIndex::of(0));
  const ValueId first = emit.compare(emit.scalar(coord), zero, "EQ");
  const ValueId others = emit.splat(dims, nothing);
  return emit.select(emit.broadcast(first, dims, {}), value, others);
}

namespace {

/// A note on the gathered operand of a collective, attributed to the user's op that caused it.
class GatherNote {
 public:
  GatherNote(Lowering& lowering, OpId op)
      : lowering_(lowering), op_(op), cause_(passes::cause_of(lowering.input(), op)) {
    what_.first_op = lowering.output().num_ops();
  }

  /// Adds a dim that is gathered along these axes.
  void add(std::size_t dim, std::span<const AxisRef> axes, bool is_asked) {
    if (sharding_size(axes) > 1 && (cause_ || !is_asked)) what_.add(dim, axes);
  }

  void leave(const PartitionedValue& value) {
    if (what_.dims.empty()) return;
    what_.bytes_held = lowering_.output().type(value.value).num_bytes();
    what_.tensor = cause_ ? cause_->tensor : "operand 0";
    what_.reason = cause_ ? cause_->reason : "its shards overlap several shards of the result";
    lowering_.note(op_, what_, cause_ ? cause_->op : std::string());
  }

 private:
  Lowering& lowering_;
  OpId op_;
  std::optional<passes::ReshardCause> cause_;
  Lowering::Replicated what_;
};

}  // namespace

/// Emits one all-gather per dim, starting with the last dim. Spec: partitioning 6.
Status lower_all_gather(Lowering& lowering, OpId op) {
  PartitionedValue value = operand_of(lowering, op);
  GatherNote note(lowering, op);
  const auto& lists =
      lowering.input().attribute<AxesListsAttr>(op, ir::attr::kGatheringAxes)->lists;
  for (std::size_t dim = lists.size(); dim-- > 0;) {
    note.add(dim, lists[dim], !lowering.gathers_whole_dim(value, dim, lists[dim]));
    value = lowering.gather(std::move(value), dim, lists[dim]);
  }
  note.leave(value);
  return bind_result(lowering, op, std::move(value));
}

Status lower_all_slice(Lowering& lowering, OpId op) {
  PartitionedValue value = operand_of(lowering, op);
  GatherNote note(lowering, op);
  const auto& lists = lowering.input().attribute<AxesListsAttr>(op, ir::attr::kSlicingAxes)->lists;
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    note.add(dim, value.axes[dim], false);
    value = lowering.slice(std::move(value), dim, lists[dim]);
  }
  note.leave(value);
  return bind_result(lowering, op, std::move(value));
}

namespace {

/// Reorders the blocks of `dim` from the axis order `from` to the axis order `to`; both lists have
/// the same axes or sub-axes. Requires: one block per device of the group, all of equal size.
ValueId reorder_blocks(Emitter& emit, ValueId value, std::size_t dim, AxisSpan from, AxisSpan to) {
  const AxisList had = align_by_decomposition(from, to);
  const AxisList wanted = align_by_decomposition(to, from);
  const std::span<const int64_t> old = emit.dims(value);
  const std::vector<int64_t> dims(old.begin(), old.end());
  const auto begin = static_cast<std::ptrdiff_t>(dim);
  std::vector<int64_t> split(dims.begin(), dims.begin() + begin);
  for (const AxisRef& part : had) split.push_back(part.size);
  split.push_back(dims[dim] / sharding_size(from));
  split.insert(split.end(), dims.begin() + begin + 1, dims.end());
  std::vector<int64_t> order(split.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    order[dim + i] = begin + (std::ranges::find(had, wanted[i]) - had.begin());
  }
  value = emit.transpose(emit.reshape(value, std::move(split)), std::move(order));
  return emit.reshape(value, dims);
}

/// Returns the exchanges in the order that sends the fewest bytes over equal links. An exchange
/// sends a share of the tensor, and the padding of its dims changes the elements that later
/// exchanges send. Equal exchanges keep their order.
std::vector<ir::AllToAllParam> cheapest_order(std::vector<ir::AllToAllParam> params,
                                              const PartitionedValue& value) {
  const auto tile = [&](int64_t dim, int64_t removed, int64_t added) {
    const auto at = static_cast<std::size_t>(dim);
    const int64_t kept = sharding_size(value.axes[at]) / removed;
    const auto shards = static_cast<double>(kept * added);
    return std::max(1.0, std::ceil(static_cast<double>(value.dim(at)) / shards));
  };
  // The elements that the exchange adds, per element that it sends.
  const auto growth = [&](const ir::AllToAllParam& param) {
    const int64_t parts = sharding_size(param.axes);
    if (parts == 1) return 0.0;
    const double wide = tile(param.target_dim, 1, parts) / tile(param.target_dim, 1, 1);
    const double kept = tile(param.source_dim, parts, 1) / tile(param.source_dim, 1, 1);
    const auto count = static_cast<double>(parts);
    return (wide * kept - 1) / (wide * (count - 1));
  };
  std::ranges::stable_sort(params, {}, growth);
  return params;
}

}  // namespace

/// Lowers sdy.all_to_all. If the result's sharding has the axes in another order, the blocks are
/// reordered before they are sent.
Status lower_all_to_all(Lowering& lowering, OpId op) {
  Emitter& emit = lowering.emit();
  PartitionedValue value = operand_of(lowering, op);
  const std::vector<AxisList> wanted = lowering.axes_of(lowering.input().result(op));
  GatherNote note(lowering, op);
  const auto& params = lowering.input().attribute<ir::AllToAllAttr>(op, ir::attr::kParams)->params;
  for (const ir::AllToAllParam& param : cheapest_order(params, value)) {
    const auto source = static_cast<std::size_t>(param.source_dim);
    const auto target = static_cast<std::size_t>(param.target_dim);
    const int64_t parts = sharding_size(param.axes);
    const AxisList kept = set_difference(value.axes[source], param.axes);
    const AxisList arrived = set_difference(wanted[target], value.axes[target]);
    if (lowering.gathers_whole_dim(value, source, param.axes)) {
      note.add(source, param.axes, false);
      value = lowering.gather(std::move(value), source, param.axes);
      value = lowering.slice(std::move(value), target, arrived);
      continue;
    }
    if (const auto exchange = lowering.nesting(value, source, param.axes)) {
      value.value = lowering.exchange_flat_halo(value.value, *exchange);
    }
    value.value = lowering.widened(value, target, parts);
    if (merged(arrived) != merged(param.axes)) {
      value.value = reorder_blocks(emit, value.value, target, arrived, param.axes);
    }
    value.value = emit.all_to_all(value.value, lowering.place(), param.axes, target, source);
    value.axes[source] = kept;
    for (const AxisRef& axis : arrived) append_or_merge(value.axes[target], axis);
    const int64_t source_tile = ceil_div(value.dim(source), sharding_size(kept));
    value.value = emit.slice(value.value, source, 0, source_tile);
    std::ranges::fill(value.padding, std::nullopt);
  }
  note.leave(value);
  return bind_result(lowering, op, std::move(value));
}

/// Reduces over the axes along which the value is partial. Other axes of the op change nothing.
Status lower_all_reduce(Lowering& lowering, OpId op) {
  const AxisList& axes =
      lowering.input().attribute<ir::AxesAttr>(op, ir::attr::kReductionAxes)->axes;
  return bind_result(lowering, op, lowering.combined(operand_of(lowering, op), axes));
}

namespace {

/// Reduces a partial value before its device order changes. Dims that the reduction leaves
/// replicated are then sharded on the mesh of the result.
PartitionedValue combined_for_other_order(Lowering& lowering, PartitionedValue value,
                                          std::span<const AxisList> lists,
                                          const TensorSharding& out) {
  for (const AxisList& axes : lists) value = lowering.combined(std::move(value), axes);
  if (lowering.is_distributed(value)) return value;
  lowering.set_place(
      std::make_shared<const DeviceOrder>(DeviceOrder{out.mesh(), out.mesh_name().value_or("")}));
  value.place = lowering.place_ref();
  return value;
}

}  // namespace

Status lower_reduce_scatter(Lowering& lowering, OpId op) {
  Emitter& emit = lowering.emit();
  PartitionedValue value = operand_of(lowering, op);
  const auto& lists =
      lowering.input().attribute<AxesListsAttr>(op, ir::attr::kReduceScatterAxes)->lists;
  const auto* out = lowering.input().attribute<TensorSharding>(op, ir::attr::kOutSharding);
  if (!(value.place->mesh == out->mesh())) {
    value = combined_for_other_order(lowering, std::move(value), lists, *out);
  }
  GatherNote note(lowering, op);
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    const int64_t parts = sharding_size(lists[dim]);
    const Tiling old = value.tiling(dim);
    const bool at_once = intersection(lists[dim], value.partial_axes()) == lists[dim] &&
                         (tiles_nest(old.size, old.shards, parts) ||
                          lowering.widening(value, dim, parts).has_value());
    if (parts == 1 || !at_once) {
      value = lowering.combined(std::move(value), lists[dim]);
      note.add(dim, value.axes[dim], false);
      value = lowering.slice(std::move(value), dim, lists[dim]);
      continue;
    }
    value.value = lowering.widened(value, dim, parts);
    for (const AxisRef& axis : lists[dim]) append_or_merge(value.axes[dim], axis);
    value.value =
        emit.reduce_scatter(value.value, lowering.place(), lists[dim], dim, value.partial->reducer);
    value.partial->axes = set_difference(value.partial->axes, lists[dim]);
    std::ranges::fill(value.padding, std::nullopt);
    value = lowering.with_init(std::move(value));
  }
  note.leave(value);
  return bind_result(lowering, op, std::move(value));
}

namespace {

/// Returns the sharding of `value`. A value without a sharding gets the closed one without axes on
/// `mesh`.
TensorSharding sharding_on(const ir::Module& module, ValueId value, const DeviceOrder& place) {
  if (auto sharding = ir::get_sharding(module, value)) return *std::move(sharding);
  const auto rank = static_cast<std::size_t>(module.type(value).rank());
  return TensorSharding::fully_closed(place.mesh, place.mesh_name, rank);
}

/// Drops axes that a permute ignores: axes of size 1, which do not distinguish devices, and bound
/// axes.
AxisList permuted_parts(const Lowering& lowering, const Mesh& mesh, AxisList order) {
  std::erase_if(order, [&](const AxisRef& part) {
    return part.size == 1 || lowering.bound().has(mesh, part);
  });
  return order;
}

}  // namespace

/// Lowers sdy.collective_permute. The order of the permute lists the axes of the dims first, then
/// the unreduced axes, then all others, so that partial results of different elements are not
/// mixed. Spec: dialect 4.7.
Status lower_collective_permute(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  PartitionedValue value = operand_of(lowering, op);
  const ValueId result = input.result(op);
  const TensorSharding from = sharding_on(input, input.operand(op, 0), *value.place);
  const TensorSharding to = sharding_on(input, result, *value.place);
  // The operand's device order on the devices, which may differ from the order of its declared
  // sharding.
  const DeviceOrder source = *value.place;
  const DeviceOrder target =
      lowering.body_place() ? *lowering.body_place()
                            : DeviceOrder{to.mesh(), to.mesh_name().value_or(source.mesh_name)};
  if (!lowering.is_distributed(value)) {  // all devices have the same elements
    value.axes = lowering.axes_of(result);
    value.place = std::make_shared<const DeviceOrder>(target);
    return bind_result(lowering, op, std::move(value));
  }
  PermuteOrders orders = permute_orders(from, to);
  orders = {permuted_parts(lowering, source.mesh, std::move(orders.sender)),
            permuted_parts(lowering, source.mesh, std::move(orders.receiver))};
  AxisList parts = orders.sender;
  std::ranges::sort(parts);
  if (orders.sender != orders.receiver) {
    PermuteMap map;
    map.kind = PermuteMap::Kind::Relabel;
    map.mesh = source.mesh;
    map.source_order = std::move(orders.sender);
    map.receiver_order = std::move(orders.receiver);
    value.value = lowering.emit().permute(value.value, source, parts, std::move(map));
  }
  if (!(target.mesh == source.mesh)) {
    PermuteMap map;
    map.kind = PermuteMap::Kind::Remesh;
    map.mesh = source.mesh;
    value.value = lowering.emit().permute(value.value, target, parts, std::move(map));
  }
  value.axes = lowering.axes_of(result);
  value.place = std::make_shared<const DeviceOrder>(target);
  if (value.partial) value.partial->axes = to.unreduced_axes();
  std::ranges::fill(value.padding, std::nullopt);
  return bind_result(lowering, op, std::move(value));
}

Status lower_replicated_to_unreduced(Lowering& lowering, OpId op) {
  PartitionedValue value = operand_of(lowering, op);
  const AxisList& axes = lowering.input().attribute<ir::AxesAttr>(op, ir::attr::kAxes)->axes;
  return bind_result(lowering, op, lowering.as_summands(std::move(value), axes, OpKind::Add));
}

/// Writes the device's block into a zero-filled buffer of the gathered size. Spec: partitioning 6.
Status lower_sharded_to_unreduced(Lowering& lowering, OpId op) {
  Emitter& emit = lowering.emit();
  PartitionedValue value = operand_of(lowering, op);
  const auto& lists = lowering.input().attribute<AxesListsAttr>(op, ir::attr::kAxes)->lists;
  AxisList all = value.partial_axes();
  GatherNote note(lowering, op);
  for (std::size_t dim = 0; dim < lists.size(); ++dim) {
    if (lists[dim].empty()) continue;
    append(all, lists[dim]);
    const AxisList kept = set_difference(value.axes[dim], lists[dim]);
    const int64_t parts = sharding_size(lists[dim]);
    const int64_t tile = ceil_div(value.dim(dim), sharding_size(kept));
    if (!tiles_nest(value.dim(dim), sharding_size(kept), parts)) {
      note.add(dim, lists[dim], false);
      value = lowering.gather(std::move(value), dim, lists[dim]);
      value.value =
          keep_on_first(lowering, value.value, lists[dim], nothing_for(lowering, value.value));
      continue;
    }
    const int64_t own = emit.dim(value.value, dim);
    const ValueId nothing = emit.constant(nothing_for(lowering, value.value));
    // Pads the block on both sides by the size of all other blocks. A slice of the gathered size
    // then has the block at its offset.
    const int64_t room = (parts - 1) * own;
    const ValueId wide = emit.pad(value.value, dim, {room, room, 0}, nothing);
    const ScalarIndex begin = emit.multiply(emit.coord(lowering.place(), lists[dim]), own);
    const ScalarIndex offset = emit.subtract(ScalarIndex::of(room), begin);
    value.value = emit.dynamic_slice(wide, dim, offset, parts * own);
    value.value = emit.slice(value.value, dim, 0, tile);
    value.axes[dim] = kept;
  }
  note.leave(value);
  value.partial = PartialResult{sort_and_merge(std::move(all)), OpKind::Add, ValueId()};
  std::ranges::fill(value.padding, std::nullopt);
  return bind_result(lowering, op, std::move(value));
}

/// Lowers a reshard that earlier passes left in the program: gathers and slices, or returns an
/// error. Spec: partitioning 1.2.
Status lower_reshard(Lowering& lowering, OpId op) {
  PartitionedValue value = operand_of(lowering, op);
  const auto to = device_under(ir::get_sharding(lowering.input(), lowering.input().result(op)));
  const auto from =
      device_under(ir::get_sharding(lowering.input(), lowering.input().operand(op, 0)));
  if (to) {  // broadcasts to all devices, unless the target device already has the value
    if (to != from) value = sent_to_all(lowering, std::move(value));
    const Layout whole{value.place, std::vector<AxisList>(value.axes.size()), {}, OpKind::Add};
    return bind_result(lowering, op, lowering.reshard_to_layout(op, std::move(value), whole));
  }
  if (value.device) {
    value = sent_to_all(lowering, std::move(value));
    const Layout whole = lowering.layout_of(lowering.input().result(op));
    return bind_result(lowering, op, lowering.reshard_to_layout(op, std::move(value), whole));
  }
  const bool moves_nothing = lowering.layout_of(lowering.input().result(op)).place_is_free() &&
                             !Lowering::is_sharded(operand_of(lowering, op));
  if (!moves_nothing && !lowering.options().lenient_reshard) {
    return lowering.error(op, "E_UNRESOLVED_OP",
                          "reshards must be lowered to collectives before partitioning");
  }
  const Layout layout = lowering.layout_of(lowering.input().result(op));
  return bind_result(lowering, op,
                     lowering.reshard_to_layout(op, operand_of(lowering, op), layout));
}

Status lower_identity(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    PartitionedValue value = lowering.local(input.operand(op, index));
    lowering.bind(result,
                  lowering.reshard_to_layout(op, std::move(value), lowering.layout_of(result)));
  }
  return {};
}

/// Lowers a barrier to a barrier on local operands. Cleanup does not merge equal collectives on its
/// two sides. Spec: partitioning 8, resharding C.8.
Status lower_optimization_barrier(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  std::vector<PartitionedValue> values;
  std::vector<ValueId> operands;
  std::vector<ir::Type> types;
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    values.push_back(lowering.reshard_to_layout(op, lowering.local(input.operand(op, index)),
                                                lowering.layout_of(input.result(op, index))));
    operands.push_back(values.back().value);
    types.push_back(lowering.output().type(operands.back()));
  }
  const OpId barrier = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < values.size(); ++index) {
    values[index].value = lowering.output().result(barrier, index);
    lowering.bind(input.result(op, index), std::move(values[index]));
  }
  return {};
}

// ---- StableHLO collectives ----------------------------------------------------------------------

// StableHLO collectives of the input program, with explicit replica groups.
// Spec: partitioning 8.22, 9.4; stablehlo 31.
//
//   In a manual computation the op is kept with local operands:
//     %1 = stablehlo.all_reduce %b {replica_groups = [[0, 1]]}   ->   the same : tensor<4xf32>
//     %1 = stablehlo.partition_id                                ->   the same
//   Outside the program is one process, process 0:
//     %1 = stablehlo.all_reduce %a {replica_groups = [[0]]}      ->   %a, resharded to %1
//     %1 = stablehlo.partition_id                                ->   error E_DEVICE_ID

namespace {

/// Returns the dims that the op splits or concatenates.
std::vector<std::size_t> moved_dims(const ir::Module& input, OpId op) {
  constexpr std::array<std::string_view, 4> kNames = {
      ir::attr::kAllGatherDim, ir::attr::kScatterDimension, ir::attr::kSplitDimension,
      ir::attr::kConcatDimension};
  std::vector<std::size_t> dims;
  for (const std::string_view name : kNames) {
    const auto* dim = input.attribute<ir::IntegerAttr>(op, name);
    if (dim != nullptr) dims.push_back(static_cast<std::size_t>(dim->value));
  }
  return dims;
}

bool folds(OpKind kind) {
  return kind == OpKind::AllGather || kind == OpKind::AllReduce || kind == OpKind::ReduceScatter ||
         kind == OpKind::CollectiveReduce;
}

/// Returns the replica groups, one row of device ids per group; std::nullopt if the op lists no
/// devices.
std::optional<ir::GroupList> device_rows(const ir::Module& input, OpId op, const Mesh& mesh) {
  const bool is_spelled =
      !folds(input.kind(op)) || input.attributes(op).contains(ir::attr::kUseGlobalDeviceIds);
  if (!is_spelled) return std::nullopt;
  const bool is_pairs = input.is(op, OpKind::CollectivePermute);
  const auto name = is_pairs ? ir::attr::kSourceTargetPairs : ir::attr::kReplicaGroups;
  const auto* text = input.attribute<ir::OpaqueAttr>(op, name);
  if (text != nullptr && ir::is_replica_group_mesh(text->text)) {
    const auto groups = ir::process_groups(input, op, {1, mesh.num_devices()});
    return groups ? std::optional(*groups) : std::nullopt;
  }
  const auto* numbers = input.attribute<ir::Literal>(op, name);
  const bool is_matrix = numbers != nullptr && numbers->num_elements() > 0 &&
                         numbers->type().rank() == 2 &&
                         numbers->type().element() == ir::ElementType::I64;
  if (!is_matrix) return std::nullopt;
  ir::GroupList rows(static_cast<std::size_t>(numbers->type().dim(0)));
  for (int64_t index = 0; index < numbers->num_elements(); ++index) {
    const auto device = numbers->at<int64_t>(index);
    const bool is_padding = device == -1;  // -1 pads a row that is shorter than the longest one
    if (is_padding) continue;
    rows[static_cast<std::size_t>(index / numbers->type().dim(1))].push_back(device);
  }
  return rows;
}

/// Checks whether all devices of each group have the same block of a dim that is sharded over
/// `axes`. If not, the op needs the unsharded dim, because its groups connect only devices that
/// differ along manual axes.
bool meets_within_blocks(const ir::GroupList& rows, const Mesh& mesh, const AxisList& axes) {
  for (const std::vector<int64_t>& row : rows) {
    std::optional<int64_t> block;
    for (const int64_t device : row) {
      const std::optional<int64_t> position = mesh.position_of(device);
      if (!position) return false;
      const int64_t own = shard_index(mesh, axes, *position);
      if (block.value_or(own) != own) return false;
      block = own;
    }
  }
  return true;
}

/// Returns the axes per dim with which the op is correct on local operands.
std::vector<AxisList> local_axes(const Lowering& lowering, OpId op, std::vector<AxisList> axes) {
  const Mesh& mesh = lowering.place().mesh;
  const std::optional<ir::GroupList> rows = device_rows(lowering.input(), op, mesh);
  for (AxisList& list : axes) {
    if (list.empty()) continue;
    if (!rows || !meets_within_blocks(*rows, mesh, list)) list.clear();
  }
  for (const std::size_t dim : moved_dims(lowering.input(), op)) {
    if (dim < axes.size()) axes[dim].clear();
  }
  return axes;
}

/// Returns the first process other than 0 that the op lists; std::nullopt if none.
std::optional<int64_t> other_process(const ir::Module& input, OpId op) {
  for (const std::string_view name : {ir::attr::kReplicaGroups, ir::attr::kSourceTargetPairs}) {
    const auto* rows = input.attribute<ir::Literal>(op, name);
    if (rows == nullptr || rows->type().element() != ir::ElementType::I64) continue;
    for (int64_t index = 0; index < rows->num_elements(); ++index) {
      const auto process = rows->at<int64_t>(index);
      if (process > 0) return process;
    }
  }
  return std::nullopt;
}

/// Checks whether process 0 receives data. A permute or broadcast without groups sends nothing to
/// it.
bool is_served(const ir::Module& input, OpId op) {
  const auto is_empty = [&](std::string_view name) {
    const auto* rows = input.attribute<ir::Literal>(op, name);
    return rows != nullptr && rows->num_elements() == 0;
  };
  if (input.is(op, OpKind::CollectivePermute)) return !is_empty(ir::attr::kSourceTargetPairs);
  return !input.is(op, OpKind::CollectiveBroadcast) || !is_empty(ir::attr::kReplicaGroups);
}

/// Lowers an op outside of manual computations. The program is then a single process, process 0,
/// which exchanges data only with itself.
Status lower_as_one_process(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const std::optional<int64_t> other = other_process(input, op);
  if (other || input.attributes(op).contains("replica_group_mesh_axes")) {
    const std::string who = other ? "process " + std::to_string(*other) : "axes of a mesh";
    return lowering.error(op, "E_DEVICE_ID",
                          "refers to " + who +
                              ", but outside of a manual computation the program is one process, "
                              "number 0; put the op into a manual computation");
  }
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    const ir::Type& type = input.type(result);
    if (!(input.type(input.operand(op, index)) == type)) {
      return lowering.error(op, "E_DEVICE_ID", "a result of one process has the operand's shape");
    }
    const Layout layout = lowering.layout_of(result);
    if (is_served(input, op)) {
      PartitionedValue value = lowering.local(input.operand(op, index));
      lowering.bind(result, lowering.reshard_to(op, std::move(value), layout.axes));
    } else {
      const ir::Literal zero = ir::splat_literal(ir::Type::tensor({}, type.element()), 0);
      const ValueId zeros = lowering.emit().splat(lowering.local_dims(type, layout.axes), zero);
      lowering.bind(result, lowering.make(zeros, type, layout.axes));
    }
  }
  return {};
}

}  // namespace

Status lower_process_collective(Lowering& lowering, OpId op) {
  if (!lowering.in_manual_body()) return lower_as_one_process(lowering, op);
  const ir::Module& input = lowering.input();
  std::vector<ValueId> operands;
  std::vector<ir::Type> types;
  std::vector<std::vector<AxisList>> layouts;
  for (std::size_t index = 0; index < input.num_operands(op); ++index) {
    PartitionedValue operand = lowering.local(input.operand(op, index));
    const bool has_result =
        // A broadcast has no result on process 0 if no group contains it.
        index < input.num_results(op);
    const std::vector<AxisList> axes =
        has_result ? local_axes(lowering, op, lowering.axes_of(input.result(op, index)))
                   : std::vector<AxisList>(operand.axes.size());
    operands.push_back(lowering.reshard_to(op, std::move(operand), axes).value);
    if (!has_result) continue;
    types.push_back(lowering.local_type(input.type(input.result(op, index)), axes));
    layouts.push_back(axes);
  }
  const OpId local = lowering.clone(op, std::move(operands), std::move(types));
  for (std::size_t index = 0; index < input.num_results(op); ++index) {
    const ValueId result = input.result(op, index);
    PartitionedValue made = lowering.make(lowering.output().result(local, index),
                                          input.type(result), std::move(layouts[index]));
    lowering.bind(result, lowering.reshard_to(op, std::move(made), lowering.axes_of(result)));
  }
  return {};
}

/// Returns an error outside of manual computations: the single process has no device id.
Status lower_process_number(Lowering& lowering, OpId op) {
  if (!lowering.in_manual_body()) {
    return lowering.error(op, "E_DEVICE_ID",
                          "differs by device; use it inside of a manual computation");
  }
  const OpId local = lowering.clone(op, {}, {lowering.input().type(lowering.input().result(op))});
  lowering.finish(op, lowering.output().result(local));
  return {};
}

}  // namespace shardy::partitioning
