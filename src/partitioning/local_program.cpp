#include "partitioning/local_program.hpp"

#include <algorithm>
#include <utility>

#include "ir/process_groups.hpp"
#include "partitioning/device_number.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

LocalProgram::LocalProgram(Module& module, const GlobalToLocalOptions& options,
                           const rules::Registry& rules)
    : module_(module),
      options_(options),
      rules_(rules),
      emit_(module),
      channel_(last_channel(module)) {
  was_.resize(module.num_values());
  const auto take = [&](ValueId value) {
    was_[value.index()] = {module.type(value), ir::get_sharding(module, value)};
  };
  for (const OpId op : ir::pre_order(module)) {
    for (const ValueId result : module.results(op)) take(result);
    for (const ir::RegionId region : module.regions(op)) {
      for (const ir::BlockId block : module.blocks(region)) {
        for (const ValueId arg : module.args(block)) take(arg);
      }
    }
  }
}

AxisList LocalProgram::axes(ValueId value, std::size_t dim) const {
  const std::optional<TensorSharding>& sharding = this->sharding(value);
  return sharding && dim < sharding->rank() ? sharding->dim(dim).axes : AxisList();
}

Result<Type> LocalProgram::local_type(const Type& type,
                                      const std::optional<TensorSharding>& sharding) const {
  if (!type.is_tensor() || !sharding) return type;
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  for (std::size_t dim = 0; dim < std::min(dims.size(), sharding->rank()); ++dim) {
    const int64_t shards = sharding_size(sharding->dim(dim).axes);
    if (shards == 1) continue;
    if (dims[dim] < 0 || dims[dim] % shards != 0) {
      return fail("dim " + std::to_string(dim) + " of " + ir::to_string(type) +
                  " is not divisible by its " + std::to_string(shards) + " shards");
    }
    dims[dim] /= shards;
  }
  return type.with_dims(std::move(dims));
}

void LocalProgram::start(OpId op) {
  ir::Builder builder = ir::Builder::before(module_, op);
  builder.set_location(module_.location(op));
  emit_.set_builder(builder);
}

void LocalProgram::replace(OpId op, ValueId value) {
  if (value.index() >= was_.size()) {
    was_.resize(value.index() + 1);
    was_[value.index()] = was_[module_.result(op).index()];
  }
  module_.replace_all_uses(module_.result(op), value);
  module_.erase(op);
}

ScalarIndex LocalProgram::entry(std::vector<int64_t> by_device) {
  const bool is_zero = std::ranges::all_of(by_device, [](int64_t number) { return number == 0; });
  if (is_zero) return ScalarIndex::of(0);
  const OpKind kind = options_.replica_count > 1 ? OpKind::ReplicaId : OpKind::PartitionId;
  const ValueId device = device_number(emit_.builder(), kind);
  return {std::nullopt, table_entry(emit_.builder(), by_device, device)};
}

ScalarIndex LocalProgram::tile_begin(const Mesh& mesh, std::span<const AxisRef> axes,
                                     int64_t tile) {
  if (sharding_size(axes) == 1) return ScalarIndex::of(0);
  return entry(
      table_of(mesh, [&](int64_t position) { return shard_index(mesh, axes, position) * tile; }));
}

ValueId LocalProgram::dynamic_slice(ValueId value, const std::vector<ScalarIndex>& begin,
                                    std::vector<int64_t> sizes) {
  if (std::ranges::equal(emit_.dims(value), sizes)) return value;
  std::vector<ValueId> operands = {value};
  for (const ScalarIndex& index : begin) operands.push_back(emit_.scalar(index));
  const Type type = module_.type(value).with_dims(sizes);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kSliceSizes, ir::DenseArrayAttr{ir::ElementType::I64, std::move(sizes)});
  return emit_.builder().create_value(OpKind::DynamicSlice, std::move(operands), type,
                                      std::move(attributes));
}

ir::Attribute LocalProgram::groups(const TensorSharding& where, const AxisList& axes) const {
  const Mesh& mesh = where.mesh();
  const bool is_split =
      !std::ranges::all_of(axes, [&](const AxisRef& axis) { return mesh.is_full(axis); });
  if (!options_.enable_rgv3 || is_split) return listed_groups(mesh, axes);
  const std::string text =
      where.mesh_name() ? symbol_text(*where.mesh_name()) : ir::stablehlo_mesh_text(mesh);
  return mesh_groups(text, mesh, axes);
}

ValueId LocalProgram::collective(ir::OpSpec spec) {
  const bool by_device = spec.kind == OpKind::AllGather || spec.kind == OpKind::AllReduce ||
                         spec.kind == OpKind::ReduceScatter;
  if (by_device) spec.attributes.set(ir::attr::kUseGlobalDeviceIds, ir::UnitAttr());
  // With a channel, the op would communicate across partitions (partitioning 4.4).
  if (by_device || options_.replica_count <= 1) {
    spec.attributes.set(ir::attr::kChannelHandle, channel_handle(++channel_));
  }
  return module_.result(emit_.builder().create(std::move(spec)));
}

tl::unexpected<Error> LocalProgram::error(OpId op, const std::string& message) const {
  return tl::unexpected(
      passes::error_at(module_, op, "'" + std::string(module_.name(op)) + "' op " + message));
}

}  // namespace shardy::partitioning
