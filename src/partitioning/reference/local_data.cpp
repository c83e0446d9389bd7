// Localizes ops that move elements: constants, iota, pads, slices, reshapes, gather and scatter.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ir/dim_set.hpp"
#include "partitioning/families.hpp"
#include "partitioning/gather.hpp"
#include "partitioning/reference/global_to_local.hpp"
#include "partitioning/reference/halo_exchange.hpp"
#include "shardy/algebra/detail/reshape_groups.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/rules/detail/indexed_lowering.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::partitioning {

// ---- Data ---------------------------------------------------------------------------------------

// Constants, iota, pads, slices, reverses and reshapes run on local shards. Spec: partitioning
// 10.2, 10.4.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = constant [1, 2, 3, 4] [{"x"}]    ->   %1 = (constant [0, 2])[partition_id]
//                                              %0 = dynamic_slice [1, 2, 3, 4], %1, sizes = [2]
//   %0 = constant 1.0 : tensor<4xf32>     ->   %0 = constant 1.0 : tensor<2xf32>
//     [{"x"}]

namespace {

using Dims = std::vector<int64_t>;

/// Returns the start of the local shard in each dim.
std::vector<ScalarIndex> tile_begins(LocalProgram& program, ValueId value,
                                     std::span<const int64_t> tile) {
  std::vector<ScalarIndex> begins;
  for (std::size_t dim = 0; dim < tile.size(); ++dim) {
    const AxisList axes = program.axes(value, dim);
    begins.push_back(axes.empty()
                         ? ScalarIndex::of(0)
                         : program.tile_begin(program.sharding(value)->mesh(), axes, tile[dim]));
  }
  return begins;
}

/// Gives a splat constant the local shape. Other literals are sliced on each device.
Status localize_constant(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  const ValueId result = module.result(op);
  const Type local = module.type(result);
  const ir::Literal& literal = *module.attribute<ir::Literal>(op, ir::attr::kValue);
  Emitter& emit = program.emit();
  if (literal.type() == local) {
    program.replace(op, emit.constant(literal));
  } else if (literal.is_splat()) {
    const auto bytes = literal.element_bytes(0);
    program.replace(op,
                    emit.constant(*ir::Literal::make_splat(local, {bytes.begin(), bytes.end()})));
  } else {
    const ValueId whole = emit.constant(literal);
    const std::vector<ScalarIndex> begin = tile_begins(program, result, local.dims());
    program.replace(op, program.dynamic_slice(whole, begin, copy(local.dims())));
  }
  return {};
}

Status localize_iota(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId result = module.result(op);
  const auto dim = static_cast<std::size_t>(ir::view<ir::IotaOp>(module, op).dim);
  if (program.shards(result, dim) == 1) return {};
  Emitter& emit = program.emit();
  const Type type = module.type(result);
  const ValueId own = emit.builder().create_value(OpKind::Iota, {}, type, module.attributes(op));
  const ScalarIndex begin = program.tile_begin(program.sharding(result)->mesh(),
                                               program.axes(result, dim), type.dim(dim));
  ValueId offset = emit.scalar(begin);
  if (type.element() != ElementType::I64) {
    offset =
        emit.builder().create_value(OpKind::Convert, {offset}, Type::tensor({}, type.element()));
  }
  const ValueId sum = emit.binary(OpKind::Add, own, emit.broadcast(offset, type.dims(), {}));
  module.attributes(module.defining_op(own)).erase("sdy.sharding");
  program.replace(op, sum);
  return {};
}

tl::unexpected<Error> differing_dim(const LocalProgram& program, OpId op, std::size_t dim) {
  return program.error(op, "dimension " + std::to_string(dim) +
                               " is sharded differently in an operand and in the result");
}

Status localize_concatenate(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  const auto dim = static_cast<std::size_t>(ir::view<ir::ConcatenateOp>(module, op).dim);
  const ValueId result = module.result(op);
  for (const ValueId operand : module.operands(op)) {
    if (program.shards(operand, dim) > 1 || program.shards(result, dim) > 1) {
      return program.error(op, "dimension " + std::to_string(dim) +
                                   " is sharded but the concatenation is on this dimension.");
    }
    for (std::size_t other = 0; other < program.global(result).dims().size(); ++other) {
      if (program.axes(operand, other) == program.axes(result, other)) continue;
      return differing_dim(program, op, other);
    }
  }
  return {};
}

Status localize_slice(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::SliceOp view = *ir::SliceOp::of(module, op);
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  Dims limits = copy(view.limits);
  for (std::size_t dim = 0; dim < limits.size(); ++dim) {
    const int64_t shards = program.shards(operand, dim);
    if (shards == 1 && program.shards(result, dim) == 1) continue;
    const int64_t used = ceil_div(program.global(result).dim(dim), shards) * view.strides[dim];
    const bool stays = view.starts[dim] == 0 &&
                       program.axes(operand, dim) == program.axes(result, dim) &&
                       ceil_div(program.global(operand).dim(dim), shards) == used;
    if (!stays) {
      return program.error(op, "slices the sharded dimension " + std::to_string(dim));
    }
    limits[dim] = used;
  }
  module.attributes(op).set(ir::attr::kLimitIndices,
                            ir::DenseArrayAttr{ElementType::I64, std::move(limits)});
  return {};
}

// ---- Pad ----------------------------------------------------------------------------------------

/// A padded sharded dim: for each device, the position of its operand shard in its result shard.
struct TilePlaces {
  Dims by_device;
  int64_t least = 0;
  int64_t most = 0;
};

struct PaddedDim {
  int64_t low = 0;
  int64_t spread = 1;  // distance of neighbouring operand elements in the result
  int64_t in = 0;      // operand size of a shard
  int64_t out = 0;
};

/// Checks whether the operand shard of the device contains all operand elements that its result
/// shard needs.
bool has_all(const PaddedDim& dim, int64_t shard, int64_t size) {
  const int64_t begin = shard * dim.out - dim.low;
  const int64_t first = std::max<int64_t>(0, ceil_div(std::max<int64_t>(begin, 0), dim.spread));
  const int64_t last = std::min(size - 1, floor_div(begin + dim.out - 1, dim.spread));
  return first > last || (first >= shard * dim.in && last < (shard + 1) * dim.in);
}

Result<TilePlaces> tile_places(LocalProgram& program, OpId op, const PaddedDim& padded,
                               std::size_t dim) {
  const ValueId operand = program.module().operand(op, 0);
  const AxisList axes = program.axes(operand, dim);
  TilePlaces places;
  for (int64_t shard = 0; shard < sharding_size(axes); ++shard) {
    if (!has_all(padded, shard, program.global(operand).dim(dim))) {
      return program.error(op, "pads the sharded dimension " + std::to_string(dim) +
                                   " so that elements change their device");
    }
  }
  const Mesh& mesh = program.sharding(operand)->mesh();
  places.by_device = table_of(mesh, [&](int64_t position) {
    const int64_t shard = shard_index(mesh, axes, position);
    return shard * padded.in * padded.spread + padded.low - shard * padded.out;
  });
  const auto [least, most] = std::ranges::minmax(places.by_device);
  places.least = least;
  places.most = most;
  return places;
}

Status localize_pad(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::PadOp view = *ir::PadOp::of(module, op);
  const ValueId operand = module.operand(op, 0);
  const Type type = module.type(module.result(op));
  Dims low = copy(view.low);
  Dims high = copy(view.high);
  std::vector<ScalarIndex> begin(low.size(), ScalarIndex::of(0));
  bool needs_slice = false;
  for (std::size_t dim = 0; dim < low.size(); ++dim) {
    if (program.shards(operand, dim) == 1) continue;
    const PaddedDim padded{low[dim], view.interior[dim] + 1, module.type(operand).dim(dim),
                           type.dim(dim)};
    SHARDY_TRY(TilePlaces places, tile_places(program, op, padded, dim));
    const int64_t spread = padded.in == 0 ? 0 : (padded.in - 1) * padded.spread + 1;
    if (places.least == places.most) {
      low[dim] = places.least;
      high[dim] = padded.out - places.least - spread;
      continue;
    }
    low[dim] = std::max<int64_t>(0, places.most);
    high[dim] = std::max<int64_t>(0, padded.out - places.least - spread);
    for (int64_t& place : places.by_device) place = low[dim] - place;
    begin[dim] = program.entry(std::move(places.by_device));
    needs_slice = true;
  }
  ir::AttributeMap attributes = ir::PadOp{low, high, view.interior}.attributes();
  Dims dims = copy(module.type(operand).dims());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim] += low[dim] + high[dim] + std::max<int64_t>(dims[dim] - 1, 0) * view.interior[dim];
  }
  const ValueId made =
      program.emit().builder().create_value(OpKind::Pad, {operand, module.operand(op, 1)},
                                            type.with_dims(std::move(dims)), std::move(attributes));
  program.replace(op, needs_slice ? program.dynamic_slice(made, begin, copy(type.dims())) : made);
  return {};
}

// ---- Dynamic slices, reshapes -------------------------------------------------------------------

/// Checks whether `part`, the slice or the update, has all of a dim, or the dim is unsharded.
bool has_whole_dim(const LocalProgram& program, ValueId whole, ValueId part, std::size_t dim) {
  if (program.shards(whole, dim) == 1 && program.shards(part, dim) == 1) return true;
  return program.global(whole).dim(dim) == program.global(part).dim(dim) &&
         program.axes(whole, dim) == program.axes(part, dim);
}

tl::unexpected<Error> partial_dim(const LocalProgram& program, OpId op, std::size_t dim) {
  return program.error(op, "takes part of the sharded dimension " + std::to_string(dim));
}

Status localize_dynamic_slice(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId result = module.result(op);
  for (std::size_t dim = 0; dim < program.global(result).dims().size(); ++dim) {
    if (!has_whole_dim(program, module.operand(op, 0), result, dim)) {
      return partial_dim(program, op, dim);
    }
  }
  module.attributes(op).set(ir::attr::kSliceSizes,
                            ir::DenseArrayAttr{ElementType::I64, copy(module.type(result).dims())});
  return {};
}

// An update of one element along a sharded dim is in one shard, as is one whose constant start and
// end are in the same shard.
//
//   %0 = dynamic_update_slice %a, %u, %i       %1 = clamp(%i, 0, 7) - [0, 4][partition_id]
//     : 8 [{"x"}], 1                      ->   %2 = 0 <= %1 < 4
//                                              %3 = dynamic_update_slice %a, %u, (%2 ? %1 : 0)
//                                              %0 = %2 ? %3 : %a

struct LocalIndex {
  ValueId index;   // in the local shard; 0 if it is in another shard
  ValueId is_own;  // whether it is in the local shard
};

/// Checks whether the update is in one shard of the dim, wherever it starts at run time.
bool is_in_one_shard(const LocalProgram& program, OpId op, std::size_t dim) {
  const Module& module = program.module();
  const ValueId whole = module.operand(op, 0);
  const int64_t size = program.global(module.operand(op, 1)).dim(dim);
  const int64_t tile = module.type(whole).dim(dim);
  if (size == 1) return true;
  const auto start = rules::constant_start(module, module.operand(op, 2 + dim));
  if (!start || size > tile) return false;
  const int64_t first = std::clamp<int64_t>(*start, 0, program.global(whole).dim(dim) - size);
  return first / tile == (first + size - 1) / tile;
}

LocalIndex local_index(LocalProgram& program, ValueId whole, std::size_t dim, ValueId index,
                       int64_t size) {
  Emitter& emit = program.emit();
  const int64_t tile = program.module().type(whole).dim(dim);
  const ScalarIndex begin =
      program.tile_begin(program.sharding(whole)->mesh(), program.axes(whole, dim), tile);
  const ValueId zero = emit.scalar(ScalarIndex::of(0));
  const ValueId shifted =
      emit.binary(OpKind::Subtract, emit.clamp(index, 0, program.global(whole).dim(dim) - size),
                  emit.scalar(begin));
  const ValueId is_own = emit.both(emit.compare(shifted, zero, "GE"),
                                   emit.compare(shifted, emit.scalar(ScalarIndex::of(tile)), "LT"));
  return {emit.select(is_own, shifted, zero), is_own};
}

Status localize_update(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ValueId whole = module.operand(op, 0);
  const ValueId update = module.operand(op, 1);
  std::vector<std::size_t> located;
  for (std::size_t dim = 0; dim < program.global(whole).dims().size(); ++dim) {
    if (program.axes(whole, dim) != program.axes(module.result(op), dim)) {
      return differing_dim(program, op, dim);
    }
    if (has_whole_dim(program, whole, update, dim)) continue;
    if (!is_in_one_shard(program, op, dim) || program.shards(update, dim) != 1) {
      return partial_dim(program, op, dim);
    }
    located.push_back(dim);
  }
  if (located.empty()) return {};
  Emitter& emit = program.emit();
  std::vector<ValueId> operands = module.operands(op);
  for (std::size_t index = 2; index < operands.size(); ++index) {
    operands[index] = emit.to_i64(operands[index]);
  }
  ValueId is_own;
  for (const std::size_t dim : located) {
    const int64_t size = program.global(update).dim(dim);
    const LocalIndex local = local_index(program, whole, dim, operands[2 + dim], size);
    operands[2 + dim] = local.index;
    is_own = emit.both(is_own, local.is_own);
  }
  const Type type = module.type(whole);
  const ValueId updated = emit.builder().create_value(OpKind::DynamicUpdateSlice, operands, type);
  program.replace(op, emit.select(emit.broadcast(is_own, type.dims(), {}), updated, whole));
  return {};
}

/// Returns a sharding with only the axes of the given sharding.
TensorSharding placement_of(const TensorSharding& sharding) {
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) {
    std::erase_if(dim.axes, [](const AxisRef& axis) { return axis.size == 1; });
  }
  return sharding.with_dims(std::move(dims)).with_replicated({});
}

Status localize_reshape(LocalProgram& program, OpId op) {
  const ValueId operand = program.module().operand(op, 0);
  const ValueId result = program.module().result(op);
  const auto sharding = [&](ValueId value, const std::optional<TensorSharding>& other) {
    const auto& own = program.sharding(value);
    return own ? placement_of(*own)
               : TensorSharding::fully_closed(other->mesh(), other->mesh_name(),
                                              program.global(value).dims().size());
  };
  const auto& from = program.sharding(operand);
  const auto& to = program.sharding(result);
  if (!from && !to) return {};
  const Dims in = copy(program.global(operand).dims());
  const Dims out = copy(program.global(result).dims());
  if (equivalent_across_reshape(sharding(operand, to), in, sharding(result, from), out)) return {};
  return program.error(op, "has elements that change their device");
}

/// Checks that along each sharded reversed dim, the result has the reversed device order of the
/// operand.
Status localize_reverse(LocalProgram& program, OpId op) {
  const Module& module = program.module();
  const auto& from = program.sharding(module.operand(op, 0));
  const auto& to = program.sharding(module.result(op));
  AxisList axes;
  std::string dims;
  for (const int64_t dim : ir::view<ir::ReverseOp>(module, op).dims) {
    const AxisList own = program.axes(module.operand(op, 0), static_cast<std::size_t>(dim));
    if (sharding_size(own) > 1) dims = std::to_string(dim);
    append(axes, own);
  }
  if (dims.empty() || (to && mirrored(from->mesh(), axes) == to->mesh())) return {};
  return program.error(op, "reverses the sharded dimension " + dims);
}

}  // namespace

Status localize_data(LocalProgram& program, OpId op) {
  Module& module = program.module();
  switch (module.kind(op)) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
      return localize_constant(program, op);
    case OpKind::Iota:
      return localize_iota(program, op);
    case OpKind::Concatenate:
      return localize_concatenate(program, op);
    case OpKind::Slice:
      return localize_slice(program, op);
    case OpKind::Pad:
      return localize_pad(program, op);
    case OpKind::Reshape:
      return localize_reshape(program, op);
    case OpKind::Reverse:
      return localize_reverse(program, op);
    case OpKind::DynamicUpdateSlice:
      return localize_update(program, op);
    default:  // dynamic_slice
      return localize_dynamic_slice(program, op);
  }
}

// ---- Lookups ------------------------------------------------------------------------------------

// gather and scatter run on the local shard of the table. Spec: partitioning 8.16, 8.17, 10.4.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = gather %a, %i                    %2 = clamp(%i, 0, 7) - [0, 4][partition_id]
//     : 8x3 [{"x"}, {}], 4x1 -> 4x3  ->   %3 = gather %a, %2 : 4x3, 4x1 -> 4x3
//   %1 = sdy.all_reduce {"x"} %0          %4 = select (0 <= %2 < 4), %3, -0.0
//                                         %1 = stablehlo.all_reduce add %4

namespace {

std::size_t position(int64_t dim) { return static_cast<std::size_t>(dim); }

std::optional<std::size_t> place_in(const Dims& dims, std::size_t dim) {
  const auto found = std::ranges::find(dims, static_cast<int64_t>(dim));
  if (found == dims.end()) return std::nullopt;
  return static_cast<std::size_t>(found - dims.begin());
}

/// The index vectors of an op as one tensor per component.
class IndexComponents {
 public:
  IndexComponents(LocalProgram& program, ValueId indices, int64_t vector_dim)
      : emit_(program.emit()), vector_dim_(position(vector_dim)) {
    indices_ = emit_.to_i64(indices);
    const auto dims = emit_.dims(indices_);
    has_vector_ = vector_dim_ < dims.size();
    const int64_t count = has_vector_ ? dims[vector_dim_] : 1;
    for (int64_t index = 0; index < count; ++index) {
      parts_.push_back(has_vector_ ? emit_.slice(indices_, vector_dim_, index, index + 1)
                                   : indices_);
    }
  }

  void clamp(std::size_t component, int64_t high) {
    parts_[component] = emit_.clamp(parts_[component], 0, high);
  }
  void subtract(std::size_t component, const ScalarIndex& number) {
    const ValueId scalar = emit_.scalar(number);
    const ValueId spread = emit_.broadcast(scalar, emit_.dims(parts_[component]), {});
    parts_[component] = emit_.binary(OpKind::Subtract, parts_[component], spread);
  }
  /// Returns an i1 mask, in the shape of the batch dims, of the positions whose component is in [0,
  /// size).
  ValueId is_within(std::size_t component, int64_t size) {
    const Dims dims(emit_.dims(parts_[component]).begin(), emit_.dims(parts_[component]).end());
    const auto filled = [&](int64_t number) {
      return emit_.broadcast(emit_.scalar(ScalarIndex::of(number)), dims, {});
    };
    const ValueId above = emit_.compare(parts_[component], filled(0), "GE");
    const ValueId below = emit_.compare(parts_[component], filled(size), "LT");
    Dims batch = dims;
    if (has_vector_) batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(vector_dim_));
    return emit_.reshape(emit_.both(above, below), std::move(batch));
  }
  ValueId joined() { return has_vector_ ? emit_.concatenate(parts_, vector_dim_) : parts_.front(); }

 private:
  Emitter& emit_;
  ValueId indices_;
  std::size_t vector_dim_;
  bool has_vector_ = true;
  std::vector<ValueId> parts_;
};

ScalarIndex tile_of(LocalProgram& program, ValueId value, std::size_t dim) {
  return program.tile_begin(program.sharding(value)->mesh(), program.axes(value, dim),
                            program.module().type(value).dim(dim));
}

// ---- Gather -------------------------------------------------------------------------------------

struct LocalGatherPlan {
  Dims slice_sizes;
  std::vector<std::size_t> located;  // sharded table dims that the indices point into
  AxisList axes;                     // axes of these dims
};

std::vector<AxisList> axes_of(const LocalProgram& program, ValueId value) {
  std::vector<AxisList> axes;
  for (std::size_t dim = 0; dim < program.global(value).dims().size(); ++dim) {
    axes.push_back(program.axes(value, dim));
  }
  return axes;
}

/// Returns the plan of the gather if it needs no reshards and looks up whole rows.
Result<LocalGatherPlan> plan_local_gather(LocalProgram& program, OpId op,
                                          const ir::GatherOp& view) {
  const Module& module = program.module();
  const ValueId operand = module.operand(op, 0);
  const ValueId result = module.result(op);
  const GatherForm form{.dims = view.dims,
                        .sizes = copy(view.slice_sizes),
                        .counted = {},
                        .table = program.global(operand),
                        .indices = program.global(module.operand(op, 1)),
                        .result = program.global(result)};
  const std::vector<AxisList> have = axes_of(program, operand);
  const GatherPlan wanted = plan_gather(form, have, axes_of(program, result));
  LocalGatherPlan plan{form.sizes, {}, {}};
  for (std::size_t dim = 0; dim < have.size(); ++dim) {
    const auto located = std::ranges::find(wanted.located, dim, &GatherPlan::IndexedTableDim::dim);
    const bool is_located = located != wanted.located.end();
    const bool is_kept = wanted.table[dim] == have[dim];
    if (is_located && is_kept && !located->offset_dim) {
      plan.located.push_back(dim);
      append(plan.axes, have[dim]);
    } else if (!is_located && is_kept && form.sizes[dim] == form.table.dim(dim)) {
      plan.slice_sizes[dim] = module.type(operand).dim(dim);
    } else if (sharding_size(have[dim]) > 1 && !ir::has_dim(view.dims.operand_batching_dims, dim)) {
      return program.error(op, "looks up part of the sharded dimension " + std::to_string(dim));
    }
  }
  return plan;
}

/// Shifts indices to the local shard. Returns an i1 mask, in the shape of the batch dims, of the
/// positions whose element is in the shard.
ValueId shift_and_find(LocalProgram& program, OpId op, const ir::GatherDims& dims,
                       const LocalGatherPlan& plan, IndexComponents& indices) {
  Emitter& emit = program.emit();
  const ValueId operand = program.module().operand(op, 0);
  ValueId hit;
  for (const std::size_t dim : plan.located) {
    const ScalarIndex begin = tile_of(program, operand, dim);
    const int64_t tile = program.module().type(operand).dim(dim);
    const auto component = place_in(dims.start_index_map, dim);
    if (component) {
      indices.clamp(*component, program.global(operand).dim(dim) - 1);
      indices.subtract(*component, begin);
      hit = emit.both(hit, indices.is_within(*component, tile));
      continue;
    }
    // A dim without index component has start 0, which is in the first shard.
    const ValueId zero = emit.scalar(ScalarIndex::of(0));
    const ValueId first = emit.compare(emit.scalar(begin), zero, "EQ");
    Dims batch(emit.dims(indices.joined()).begin(), emit.dims(indices.joined()).end());
    const auto vector_dim = static_cast<std::ptrdiff_t>(dims.index_vector_dim);
    if (vector_dim < std::ssize(batch)) batch.erase(batch.begin() + vector_dim);
    hit = emit.both(hit, emit.broadcast(first, batch, {}));
  }
  return hit;
}

Status localize_gather(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::GatherOp view = *ir::GatherOp::of(module, op);
  const ir::GatherDims dims = view.dims;
  SHARDY_TRY(const LocalGatherPlan plan, plan_local_gather(program, op, view));
  ir::AttributeMap attributes = module.attributes(op);
  attributes.set(ir::attr::kSliceSizes, ir::DenseArrayAttr{ElementType::I64, plan.slice_sizes});
  if (plan.located.empty()) {
    module.attributes(op) = std::move(attributes);
    return {};
  }
  const OpKind combiner = later_combiner(program, op);
  SHARDY_TRY(const AxisList missing, axes_to_combine(program, op, plan.axes, combiner));
  Emitter& emit = program.emit();
  IndexComponents indices(program, module.operand(op, 1), dims.index_vector_dim);
  const ValueId hit = shift_and_find(program, op, dims, plan, indices);
  const Type type = module.type(module.result(op));
  attributes.set(ir::attr::kIndicesAreSorted, false);
  const ValueId rows = emit.builder().create_value(
      OpKind::Gather, {module.operand(op, 0), indices.joined()}, type, std::move(attributes));
  Dims batch;
  for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
    if (!ir::has_dim(dims.offset_dims, dim)) batch.push_back(static_cast<int64_t>(dim));
  }
  const Dims shape(type.dims().begin(), type.dims().end());
  const ValueId others = emit.splat(shape, reducer_identity(combiner, type.element()));
  const ValueId own = emit.select(emit.broadcast(hit, shape, batch), rows, others);
  const TensorSharding where = *program.sharding(module.operand(op, 0));
  program.replace(op, combine(program, own, where, missing, combiner));
  return {};
}

// ---- Scatter ------------------------------------------------------------------------------------

/// Returns the dim of the slices or updates along which the window extends in a dim of the table;
/// std::nullopt if the table dim is collapsed or a batching dim. `windows` lists all window dims in
/// order.
std::optional<std::size_t> window_dim(const Dims& windows, const Dims& collapsed,
                                      const Dims& batching, std::size_t dim) {
  const std::vector<std::size_t> in_table = windowed_dims(dim + 1, collapsed, batching);
  if (in_table.empty() || in_table.back() != dim) return std::nullopt;
  return position(windows[in_table.size() - 1]);
}

/// Returns the sharded dims along which each device applies only the updates in its shard.
Result<std::vector<std::size_t>> located_dims(LocalProgram& program, OpId op,
                                              const ir::ScatterDims& dims, ValueId input,
                                              ValueId updates) {
  std::vector<std::size_t> located;
  for (std::size_t dim = 0; dim < program.global(input).dims().size(); ++dim) {
    if (program.shards(input, dim) == 1 || ir::has_dim(dims.input_batching_dims, dim)) continue;
    const auto window = window_dim(dims.update_window_dims, dims.inserted_window_dims,
                                   dims.input_batching_dims, dim);
    const bool is_indexed = place_in(dims.scatter_dims_to_operand_dims, dim).has_value();
    const bool is_window_sharded =
        window && program.axes(updates, *window) == program.axes(input, dim);
    if (is_window_sharded && !is_indexed &&
        program.global(updates).dim(*window) == program.global(input).dim(dim)) {
      continue;
    }
    if (is_window_sharded || !is_indexed) {
      return program.error(op, "writes to part of the sharded dimension " + std::to_string(dim));
    }
    located.push_back(dim);
  }
  return located;
}

AxisList axes_of_updates(LocalProgram& program, const ir::ScatterDims& dims, ValueId input,
                         ValueId updates) {
  AxisList axes;
  const auto& sharding = program.sharding(updates);
  if (!sharding) return axes;
  for (std::size_t dim = 0; dim < sharding->rank(); ++dim) {
    if (ir::has_dim(dims.update_window_dims, dim)) continue;
    for (const AxisRef& axis : program.axes(updates, dim)) {
      bool is_of_input = false;  // true for a batching dim
      for (std::size_t own = 0; own < program.global(input).dims().size(); ++own) {
        is_of_input = is_of_input || overlaps(axis, program.axes(input, own));
      }
      if (!is_of_input) axes.push_back(axis);
    }
  }
  return axes;
}

/// Keeps the input on the first device of each group, because the results of the devices are added.
Status keep_input_once(LocalProgram& program, OpId op, const AxisList& axes) {
  Module& module = program.module();
  Emitter& emit = program.emit();
  const auto reducers = ir::recognized_reducers(module, op, 1);
  if (!reducers || module.num_results(op) != 1) {
    return program.error(op, "combines sharded updates by a region that no all-reduce supports");
  }
  const ValueId input = module.operand(op, 0);
  const Type type = module.type(input);
  const Dims shape(type.dims().begin(), type.dims().end());
  const TensorSharding where = *program.sharding(module.operand(op, 2));
  const Mesh& mesh = where.mesh();
  const ScalarIndex rank = program.tile_begin(mesh, axes, 1);
  const ValueId zero = emit.scalar(ScalarIndex::of(0));
  const ValueId first = emit.compare(emit.scalar(rank), zero, "EQ");
  const ValueId none = emit.splat(shape, reducer_identity(reducers->front(), type.element()));
  module.set_operand(op, 0, emit.select(emit.broadcast(first, shape, {}), input, none));
  return combine_result(program, op, axes, where, reducers->front());
}

Status localize_scatter(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::ScatterDims dims = ir::ScatterOp::of(module, op)->dims;
  const std::size_t count = module.num_results(op);
  const ValueId input = module.operand(op, 0);
  const ValueId updates = module.operand(op, count + 1);
  SHARDY_TRY(const auto located, located_dims(program, op, dims, input, updates));
  if (!located.empty()) {
    IndexComponents indices(program, module.operand(op, count), dims.index_vector_dim);
    for (const std::size_t dim : located) {
      indices.subtract(*place_in(dims.scatter_dims_to_operand_dims, dim),
                       tile_of(program, input, dim));
    }
    module.set_operand(op, count, indices.joined());
    module.attributes(op).set(ir::attr::kIndicesAreSorted, false);
  }
  const AxisList axes = axes_of_updates(program, dims, input, updates);
  return sharding_size(axes) == 1 ? Status() : keep_input_once(program, op, axes);
}

}  // namespace

Status localize_indexed(LocalProgram& program, OpId op) {
  return program.module().is(op, OpKind::Gather) ? localize_gather(program, op)
                                                 : localize_scatter(program, op);
}

}  // namespace shardy::partitioning
