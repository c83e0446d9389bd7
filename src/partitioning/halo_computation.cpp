#include "partitioning/halo_computation.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

Type local_type(const Type& type, const TensorSharding& sharding) {
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim] /= sharding_size(sharding.dim(dim).axes);
  }
  return type.with_dims(std::move(dims));
}

std::vector<std::string> axis_names(const TensorSharding& sharding) {
  const Mesh& mesh = sharding.mesh();
  std::vector<std::string> names;
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    bool is_used = false;
    for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
      is_used = is_used || overlaps(mesh.full_axis(axis), sharding.dim(dim).axes);
    }
    if (is_used) names.push_back(mesh.axis_name(axis));
  }
  return names;
}

}  // namespace

HaloComputation::HaloComputation(Module& module, OpId op, ValueId operand,
                                 const TensorSharding& sharding, std::vector<ValueId> scalars,
                                 ReferenceHaloOptions& options)
    : module_(module),
      op_(op),
      options_(options),
      sharding_(sharding),
      operands_(std::move(scalars)),
      region_(module.new_region()),
      emit_(module) {
  operands_.insert(operands_.begin(), operand);
  std::vector<Type> types;
  for (const ValueId value : operands_) types.push_back(module.type(value));
  types.front() = local_type(types.front(), sharding);
  body_ = module.new_block(region_, types);
  emit_.set_block(body_);
  emit_.set_location(module.location(op));
}

ValueId HaloComputation::shard(std::size_t dim) {
  if (!device_) device_ = device_number(emit_.builder(), options_.number);
  return coordinate_of(emit_.builder(), sharding_.mesh(), sharding_.dim(dim).axes, *device_);
}

ValueId HaloComputation::from_behind(ValueId value, std::size_t dim, int64_t distance) {
  if (distance == 0) return value;
  const Mesh& mesh = sharding_.mesh();
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const std::vector<int64_t>& group : replica_groups(mesh, sharding_.dim(dim).axes)) {
    const auto size = std::ssize(group);
    for (int64_t target = 0; target < size; ++target) {
      const int64_t source = target - distance;
      if (source < 0 || source >= size) continue;
      pairs.emplace_back(group[static_cast<std::size_t>(source)],
                         group[static_cast<std::size_t>(target)]);
    }
  }
  std::ranges::sort(pairs, {}, [&](const auto& pair) { return mesh.position_of(pair.first); });
  std::vector<int64_t> numbers;
  for (const auto& [source, target] : pairs) {
    numbers.push_back(source);
    numbers.push_back(target);
  }
  ir::OpSpec spec{.kind = OpKind::CollectivePermute};
  spec.operands = {value};
  spec.result_types = {module_.type(value)};
  if (options_.number == OpKind::PartitionId) {
    spec.attributes.set(ir::attr::kChannelHandle, channel_handle(++options_.channel));
  }
  spec.attributes.set(ir::attr::kSourceTargetPairs, matrix(numbers, std::ssize(pairs)));
  return module_.result(emit_.builder().create(std::move(spec)));
}

namespace {

/// Returns the sharding with the axes of the dims only.
TensorSharding cut_only(const TensorSharding& sharding) {
  std::vector<DimSharding> dims;
  for (const DimSharding& dim : sharding.dims()) {
    dims.push_back({.axes = dim.axes, .is_closed = true});
  }
  return TensorSharding::fully_closed(sharding.mesh(), sharding.mesh_name(), sharding.rank())
      .with_dims(std::move(dims));
}

}  // namespace

ValueId HaloComputation::finish(ValueId value, const Type& type, const TensorSharding& sharding) {
  ir::OpSpec last{.kind = OpKind::SdyReturn};
  last.operands = {value};
  emit_.builder().create(std::move(last));
  ir::ShardingList in;
  in.shardings.push_back(cut_only(sharding_));
  for (std::size_t index = 1; index < operands_.size(); ++index) {
    in.shardings.push_back(
        TensorSharding::fully_closed(sharding_.mesh(), sharding_.mesh_name(), 0));
  }
  ir::OpSpec spec{.kind = OpKind::SdyManualComputation};
  spec.operands = operands_;
  spec.result_types = {type};
  spec.attributes.set(ir::attr::kOutShardings, ir::ShardingList{{cut_only(sharding)}});
  spec.attributes.set(ir::attr::kInShardings, std::move(in));
  spec.attributes.set(ir::attr::kManualAxes, ir::ManualAxesAttr{axis_names(sharding_)});
  spec.regions = {region_};
  ir::Builder builder = ir::Builder::before(module_, op_);
  builder.set_location(module_.location(op_));
  return module_.result(builder.create(std::move(spec)));
}

ValueId pad_all(Emitter& emit, ValueId value, const ir::PadOp& pad, ValueId fill) {
  std::vector<int64_t> dims(emit.dims(value).begin(), emit.dims(value).end());
  bool is_padded = false;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    is_padded = is_padded || pad.low[dim] != 0 || pad.high[dim] != 0 || pad.interior[dim] != 0;
    const int64_t gaps = std::max<int64_t>(dims[dim] - 1, 0) * pad.interior[dim];
    dims[dim] += pad.low[dim] + pad.high[dim] + gaps;
  }
  if (!is_padded) return value;
  const Type type = emit.module().type(value).with_dims(std::move(dims));
  return emit.builder().create_value(OpKind::Pad, {value, fill}, type, pad.attributes());
}

ValueId slice_all(Emitter& emit, ValueId value, const ir::SliceOp& slice) {
  std::vector<int64_t> dims;
  for (std::size_t dim = 0; dim < slice.starts.size(); ++dim) {
    dims.push_back(ceil_div(slice.limits[dim] - slice.starts[dim], slice.strides[dim]));
  }
  if (std::ranges::equal(dims, emit.dims(value))) return value;
  const Type type = emit.module().type(value).with_dims(std::move(dims));
  return emit.builder().create_value(OpKind::Slice, {value}, type, slice.attributes());
}

ValueId fill_behind(Emitter& emit, ValueId value, const Type& type, ValueId fill,
                    const TensorSharding& sharding) {
  std::vector<int64_t> high;
  for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
    high.push_back(type.dim(dim) - emit.dim(value, dim));
  }
  const std::vector<int64_t> none(high.size(), 0);
  const ValueId made = pad_all(emit, value, ir::PadOp{none, high, none}, fill);
  if (made != value) ir::set_sharding(emit.module(), made, sharding);
  return made;
}

ValueId cut_behind(Emitter& emit, ValueId value, const Type& type, const TensorSharding& sharding) {
  const std::vector<int64_t> begin(type.dims().size(), 0);
  const std::vector<int64_t> strides(type.dims().size(), 1);
  const ValueId made = slice_all(emit, value, ir::SliceOp{begin, type.dims(), strides});
  if (made != value) ir::set_sharding(emit.module(), made, sharding);
  return made;
}

}  // namespace shardy::partitioning
