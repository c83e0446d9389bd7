// Ops on a single device run in a branch there; their values are broadcast to users elsewhere.
// Spec: partitioning 9.5.
//
//   sdy.mesh @mesh = <["x"=2]>, @d1 = <[], device_ids=[1]>
//   %1 = negate %a [<@d1, []>]                %1 = if (spmd.coord {"x"} == 1) { negate %a }
//                                        ->        else { spmd.undef }
//   %2 = sdy.reshard %1 <@mesh, [{}]>         %2 = spmd.broadcast_from %1 {"x"}, root = 1
#include <algorithm>
#include <utility>

#include "partitioning/families.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

using ir::OpId;
using ir::OpKind;
using ir::ValueId;

std::optional<int64_t> device_under(const std::optional<TensorSharding>& sharding) {
  return sharding ? sharding->mesh().maximal_device_id() : std::nullopt;
}

namespace {

std::optional<int64_t> device_of(const ir::Module& module, OpId op) {
  for (const ValueId result : module.results(op)) {
    const auto device = device_under(ir::get_sharding(module, result));
    if (device) return device;
  }
  return std::nullopt;
}

/// Returns the axes along which the single device is one of several.
AxisList axes_to_all(const Lowering& lowering, const Mesh& mesh) {
  AxisList axes = ir::free_axes(mesh, lowering.bound());
  std::erase_if(axes, [](const AxisRef& axis) { return axis.size == 1; });
  return axes;
}

/// Returns a region with a return of these values, which ops of `block` define.
ir::RegionId returning(Lowering& lowering, ir::RegionId region, ir::BlockId block,
                       std::vector<ValueId> values) {
  Emitter inner(lowering.output());
  inner.set_block(block);
  ir::OpSpec last{.kind = OpKind::StablehloReturn};
  last.operands = std::move(values);
  inner.builder().create(std::move(last));
  return region;
}

}  // namespace

bool is_on_one_device(const ir::Module& module, OpId op) {
  return !module.is(op, OpKind::SdyReshard) && device_of(module, op).has_value();
}

/// Lowers an op in a branch without collectives: values of other devices are received before it.
Status lower_on_one_device(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  ir::Module& output = lowering.output();
  Emitter& emit = lowering.emit();
  const int64_t device = *device_of(input, op);
  const Mesh& mesh = lowering.place().mesh;
  const std::optional<int64_t> in_mesh = mesh.position_of(device);
  if (!in_mesh) {
    return lowering.error(op, "E_UNSUPPORTED_OP",
                          "device " + std::to_string(device) + " is not a device of the mesh");
  }
  const AxisList axes = axes_to_all(lowering, mesh);
  const int64_t position = shard_index(mesh, axes, *in_mesh);
  std::vector<ValueId> operands;
  for (PartitionedValue& value : lowering.operands(op)) {
    const Layout whole{value.place, std::vector<AxisList>(value.axes.size()), {}, OpKind::Add};
    operands.push_back(lowering.reshard_to_layout(op, std::move(value), whole).value);
  }
  std::vector<ir::Type> types;
  for (const ValueId result : input.results(op)) types.push_back(input.type(result));
  const ScalarIndex own = emit.coord(lowering.place(), axes);
  const ValueId wanted = emit.scalar(ScalarIndex::of(position));
  const ValueId is_here = emit.compare(emit.scalar(own), wanted, "EQ");
  const OpId made = lowering.clone(op, std::move(operands), types);
  const ir::RegionId here = output.new_region();
  const ir::RegionId elsewhere = output.new_region();
  const ir::BlockId computes = output.new_block(here);
  const ir::BlockId skips = output.new_block(elsewhere);
  output.remove(made);
  output.append(computes, made);
  Emitter skipped(output);
  skipped.set_block(skips);
  std::vector<ValueId> nothing;
  nothing.reserve(types.size());
  for (const ir::Type& type : types) nothing.push_back(skipped.undefined(type));
  ir::OpSpec branch{.kind = OpKind::If};
  branch.operands = {is_here};
  branch.result_types = types;
  branch.regions = {returning(lowering, here, computes, output.results(made)),
                    returning(lowering, elsewhere, skips, std::move(nothing))};
  const OpId chosen = emit.builder().create(std::move(branch));
  for (std::size_t index = 0; index < types.size(); ++index) {
    const std::vector<AxisList> whole(
        types[index].is_tensor() ? static_cast<std::size_t>(types[index].rank()) : 0);
    PartitionedValue value = lowering.make(output.result(chosen, index), types[index], whole);
    value.device = position;
    lowering.bind(input.result(op, index), std::move(value));
  }
  return {};
}

PartitionedValue sent_to_all(Lowering& lowering, PartitionedValue value) {
  if (!value.device) return value;
  value.value = lowering.emit().broadcast_from(
      value.value, *value.place, axes_to_all(lowering, value.place->mesh), *value.device);
  value.device.reset();
  return value;
}

}  // namespace shardy::partitioning
