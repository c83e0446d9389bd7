// Constants, iota, pads, slices, reverses and reshapes on local shards.
// Spec: partitioning 10.2, 10.4.
//
//   sdy.mesh @mesh = <["x"=2]>
//   %0 = constant [1, 2, 3, 4] [{"x"}]    ->   %1 = (constant [0, 2])[partition_id]
//                                              %0 = dynamic_slice [1, 2, 3, 4], %1, sizes = [2]
//   %0 = constant 1.0 : tensor<4xf32>     ->   %0 = constant 1.0 : tensor<2xf32>
//     [{"x"}]
#include <algorithm>
#include <string>
#include <utility>

#include "partitioning/halo_computation.hpp"
#include "partitioning/local_program.hpp"
#include "shardy/algebra/reshape_groups.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

using Dims = std::vector<int64_t>;

Dims copy(std::span<const int64_t> numbers) { return {numbers.begin(), numbers.end()}; }

/// Returns the start of the own shard in each dim.
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

/// Shrinks a splat constant; slices other literals on each device.
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
      return program.error(op, "dimension " + std::to_string(other) +
                                   " is sharded differently in an operand and in the result");
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
    const bool stays =
        view.starts[dim] == 0 && view.strides[dim] == 1 &&
        program.axes(operand, dim) == program.axes(result, dim) &&
        ceil_div(program.global(operand).dim(dim), shards) == ceil_div(limits[dim], shards);
    if (!stays) {
      return program.error(op, "slices the sharded dimension " + std::to_string(dim));
    }
    limits[dim] = module.type(result).dim(dim);
  }
  module.attributes(op).set(ir::attr::kLimitIndices,
                            ir::DenseArrayAttr{ElementType::I64, std::move(limits)});
  return {};
}

// ---- Pad ----------------------------------------------------------------------------------------

/// One sharded dim: where each device's shard of the operand starts in its shard of the result.
struct TilePlaces {
  Dims by_device;
  int64_t least = 0;
  int64_t most = 0;
};

struct PaddedDim {
  int64_t low = 0;
  int64_t spread = 1;  // distance of neighbouring elements
  int64_t in = 0;      // shard size of the operand
  int64_t out = 0;
};

/// Checks whether the own shard contains all elements of the operand that the device needs.
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
  bool is_cut = false;
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
    is_cut = true;
  }
  ir::AttributeMap attributes = ir::PadOp{low, high, view.interior}.attributes();
  Dims dims = copy(module.type(operand).dims());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim] += low[dim] + high[dim] + std::max<int64_t>(dims[dim] - 1, 0) * view.interior[dim];
  }
  const ValueId made =
      program.emit().builder().create_value(OpKind::Pad, {operand, module.operand(op, 1)},
                                            type.with_dims(std::move(dims)), std::move(attributes));
  program.replace(op, is_cut ? program.dynamic_slice(made, begin, copy(type.dims())) : made);
  return {};
}

// ---- Dynamic slices, reshapes -------------------------------------------------------------------

/// Errors: a dim that is not taken whole is sharded; `part` is the slice or the update.
Status expect_whole(LocalProgram& program, OpId op, ValueId whole, ValueId part) {
  for (std::size_t dim = 0; dim < program.global(whole).dims().size(); ++dim) {
    if (program.shards(whole, dim) == 1 && program.shards(part, dim) == 1) continue;
    if (program.global(whole).dim(dim) == program.global(part).dim(dim) &&
        program.axes(whole, dim) == program.axes(part, dim)) {
      continue;
    }
    return program.error(op, "takes part of the sharded dimension " + std::to_string(dim));
  }
  return {};
}

/// Returns the sharding without attributes other than axes.
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

/// Checks that the devices of the result are those of the operand in reverse order along sharded
/// reversed dims.
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
      return expect_whole(program, op, module.operand(op, 0), module.operand(op, 1));
    default: {  // dynamic_slice
      SHARDY_TRY_STATUS(expect_whole(program, op, module.operand(op, 0), module.result(op)));
      module.attributes(op).set(
          ir::attr::kSliceSizes,
          ir::DenseArrayAttr{ElementType::I64, copy(module.type(module.result(op)).dims())});
      return {};
    }
  }
}

}  // namespace shardy::partitioning
