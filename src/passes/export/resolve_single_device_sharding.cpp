// Ops on a single device become a branch that this device takes, and a sum over all devices. Spec:
// passes 5.18.
//
//   sdy.mesh @mesh = <["x"=2]>, @d1 = <[], device_ids=[1]>
//   %0 = sdy.reshard %a <@d1, []>             %0 = compare EQ, partition_id, 1
//   %1 = negate %0 [<@d1, []>]           ->   %1 = if(%0) { negate %a } else { 0.0 }
//   %2 = sdy.reshard %1 <@mesh, [{}]>         %2 = sdy.all_reduce {"x"} %1
//
// In a manual computation, the sum is over the free axes.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Builder;

namespace {

bool has_device(const Mesh& mesh, int64_t device) {
  const auto ids = mesh.device_ids();
  if (ids.empty()) return device >= 0 && device < mesh.num_devices();
  return std::ranges::find(ids, device) != ids.end();
}

// ---- Finding the ops ----------------------------------------------------------------------------

/// An op and the single device that has its results.
struct SingleDeviceOp {
  OpId op;
  int64_t device = 0;
  AxisList axes = {};  // the axes of the sum
};

Error device_error(const Module& module, OpId op, std::string message) {
  return {"'" + std::string(module.name(op)) + "' op " + std::move(message),
          module.source_location(op),
          {}};
}

/// Returns the device of a result that is a tensor on a single device; else std::nullopt.
std::optional<int64_t> device_of(const Module& module, ValueId result) {
  const auto sharding = ir::get_sharding(module, result);
  if (!sharding || !module.type(result).is_tensor()) return std::nullopt;
  return sharding->mesh().maximal_device_id();
}

bool is_sharded_tensor(const Module& module, ValueId result) {
  const auto sharding = ir::get_sharding(module, result);
  return module.type(result).is_tensor() && sharding && !sharding->mesh().is_maximal() &&
         !sharding->is_fully_replicated();
}

/// Returns an error if the result has an edge op, which the sum would separate from the result.
Status expect_no_edge(const Module& module, OpId op, ValueId result) {
  for (const ir::Use& use : module.uses(result)) {
    const bool is_func_edge = module.is(use.op, OpKind::SdyFuncDataFlowEdge);
    if (!is_func_edge && !module.is(use.op, OpKind::SdyDataFlowEdge)) continue;
    Error error = device_error(module, op, "single-device op has a result with an edge op");
    error.notes.emplace_back(is_func_edge ? "run sdy-sink-func-data-flow-edges first"
                                          : "run sdy-sink-data-flow-edges first");
    return tl::unexpected(std::move(error));
  }
  return {};
}

/// Checks whether other devices can create a zero value of the type.
bool has_neutral_value(const Type& type) { return type.is_static_tensor() || type.is_token(); }

/// Returns the op with its device; std::nullopt if it has no result on a single device.
Result<std::optional<SingleDeviceOp>> single_device_op(const Module& module, OpId op,
                                                       const Mesh& mesh) {
  std::optional<int64_t> device;
  for (const ValueId result : module.results(op)) {
    const std::optional<int64_t> here = device_of(module, result);
    if (here && device && *here != *device) {
      return tl::unexpected(device_error(module, op, "op has results on different single devices"));
    }
    if (here) device = here;
  }
  if (!device) return std::optional<SingleDeviceOp>();
  for (const ValueId result : module.results(op)) {
    if (is_sharded_tensor(module, result)) {
      return tl::unexpected(device_error(module, op, "single-device op has a sharded result"));
    }
    if (!has_neutral_value(module.type(result))) {
      return tl::unexpected(device_error(
          module, op,
          "single-device op has a result that is neither a token nor a tensor of static shape"));
    }
    SHARDY_TRY_STATUS(expect_no_edge(module, op, result));
  }
  // If the mesh did not contain the device, all devices would contribute zeros (deviation 20).
  if (!has_device(mesh, *device)) {
    return tl::unexpected(device_error(
        module, op, "device " + std::to_string(*device) + " is not a device of the mesh"));
  }
  return std::optional(SingleDeviceOp{op, *device});
}

Diagnostics collect(const Module& module, const Mesh& mesh, std::vector<SingleDeviceOp>& ops) {
  Diagnostics errors;
  for (const OpId op : ir::post_order(module)) {
    if (ir::dialect_of(module.kind(op)) == ir::Dialect::Sdy) continue;
    auto found = single_device_op(module, op, mesh);
    if (!found) {
      errors.push_back(std::move(found).error());
    } else if (*found) {
      ops.push_back(**found);
    }
  }
  return errors;
}

// ---- Lowering one -------------------------------------------------------------------------------

ir::Literal splat(const Type& type, int64_t value) {
  std::vector<std::byte> bytes(size_bytes(type.element()));
  for (std::size_t index = 0; index < std::min<std::size_t>(bytes.size(), 8); ++index) {
    bytes[index] = static_cast<std::byte>(value >> (8 * index));
  }
  const auto literal = ir::Literal::make_splat(type, std::move(bytes));
  SHARDY_ASSERT(literal.has_value());  // callers pass only static tensors
  return *literal;
}

ValueId constant(Builder& builder, const Type& type, int64_t value) {
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kValue, splat(type, value));
  return builder.create_value(OpKind::Constant, {}, type, std::move(attributes));
}

/// Returns the position along `axes` of the device with number `id`. Requires: the mesh is ordered
/// by device id.
ValueId computed_position(Builder& builder, ValueId id, const Mesh& mesh, const AxisList& axes) {
  const Type type = Type::tensor({}, ir::ElementType::I64);
  const auto with = [&](OpKind kind, ValueId value, int64_t number) {
    return builder.create_value(kind, {value, constant(builder, type, number)}, type);
  };
  ValueId position = constant(builder, type, 0);
  for (const AxisRef& axis : axes) {
    int64_t stride = 1;
    for (int32_t minor = axis.axis + 1; minor < mesh.num_axes(); ++minor) {
      stride *= mesh.axis_size(minor);
    }
    const ValueId coordinate =
        with(OpKind::Remainder, with(OpKind::Divide, id, stride), mesh.axis_size(axis.axis));
    position = builder.create_value(
        OpKind::Add, {with(OpKind::Multiply, position, mesh.axis_size(axis.axis)), coordinate},
        type);
  }
  return position;
}

/// Returns the position of the device `id` along `axes`. Uses a table if the mesh lists device ids.
ValueId position_along(Builder& builder, ValueId id, const Mesh& mesh, const AxisList& axes) {
  if (mesh.device_ids().empty()) return computed_position(builder, id, mesh, axes);
  std::vector<int64_t> positions(static_cast<std::size_t>(mesh.num_devices()));
  for (int64_t position = 0; position < mesh.num_devices(); ++position) {
    positions[static_cast<std::size_t>(mesh.device_at(position))] =
        shard_index(mesh, axes, position);
  }
  const Type type = Type::tensor({mesh.num_devices()}, ir::ElementType::I64);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kValue, ir::literal_from(type, positions));
  const ValueId table = builder.create_value(OpKind::Constant, {}, type, std::move(attributes));
  ir::AttributeMap sizes;
  sizes.set(ir::attr::kSliceSizes, ir::DenseArrayAttr{ir::ElementType::I64, {1}});
  const Type one = Type::tensor({1}, ir::ElementType::I64);
  const ValueId row =
      builder.create_value(OpKind::DynamicSlice, {table, id}, one, std::move(sizes));
  return builder.create_value(OpKind::Reshape, {row}, Type::tensor({}, ir::ElementType::I64));
}

/// Creates an i1 value that is true on the device that computes the op. Under bound axes, it
/// compares only the position along the free axes.
ValueId is_device(Builder& builder, const SingleDeviceOp& single, const Mesh& mesh,
                  const DeviceCounts& counts) {
  const OpKind kind = counts.replica_count > 1 ? OpKind::ReplicaId : OpKind::PartitionId;
  const Type wide = Type::tensor({}, ir::ElementType::I64);
  const ValueId id = builder.create_value(kind, {}, Type::tensor({}, ir::ElementType::UI32));
  ValueId own = builder.create_value(OpKind::Convert, {id}, wide);
  int64_t device = single.device;
  if (single.axes.size() < mesh.axes().size()) {
    own = position_along(builder, own, mesh, single.axes);
    device = shard_index(mesh, single.axes, *mesh.position_of(device));
  }
  const ValueId wanted = constant(builder, wide, device);
  ir::AttributeMap attributes;
  attributes.set(ir::attr::kComparisonDirection,
                 ir::EnumAttr{"stablehlo.comparison_direction", "EQ"});
  return builder.create_value(OpKind::Compare, {own, wanted}, Type::tensor({}, ir::ElementType::I1),
                              std::move(attributes));
}

void finish_branch(Module& module, ir::BlockId block, std::vector<ValueId> values,
                   ir::LocationId location) {
  Builder builder(module, block);
  builder.set_location(location);
  builder.create({.kind = OpKind::StablehloReturn, .operands = std::move(values)});
}

/// Returns zeros and new tokens from the branch of the other devices.
void fill_with_zeros(Module& module, ir::BlockId block, const std::vector<Type>& types,
                     ir::LocationId location) {
  Builder builder(module, block);
  builder.set_location(location);
  std::vector<ValueId> values;
  values.reserve(types.size());
  for (const Type& type : types) {
    values.push_back(type.is_tensor() ? constant(builder, type, 0)
                                      : builder.create_value(OpKind::CreateToken, {}, type));
  }
  finish_branch(module, block, std::move(values), location);
}

/// Replaces operands that are reshards to the device by the values before these reshards. Returns
/// the reshards, which may be dead now.
std::vector<OpId> bypass_operand_reshards(Module& module, OpId op) {
  std::vector<OpId> bypassed;
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    const OpId reshard = module.defining_op(module.operand(op, index));
    if (!reshard.valid() || !module.is(reshard, OpKind::SdyReshard)) continue;
    const auto* to = module.attribute<TensorSharding>(reshard, ir::attr::kSharding);
    if (to == nullptr || !to->mesh().is_maximal()) continue;
    module.set_operand(op, index, module.operand(reshard, 0));
    bypassed.push_back(reshard);
  }
  return bypassed;
}

/// Sums the results of the branches over all devices. Replaces reshards to the sharding of the sum
/// by the sum.
OpId sum_over_devices(Module& module, OpId after, ValueId result, const MeshRef& mesh,
                      const AxisList& axes) {
  const TensorSharding out =
      TensorSharding::fully_closed(mesh.mesh, mesh.name, module.type(result).dims().size());
  const OpId sum = insert_after(module, after, result,
                                all_reduce_op(module, result, axes, out, ReductionOp::Sum));
  for (const ir::Use& use : module.uses(module.result(sum))) {
    const auto* to = module.is(use.op, OpKind::SdyReshard)
                         ? module.attribute<TensorSharding>(use.op, ir::attr::kSharding)
                         : nullptr;
    if (to == nullptr || *to != out) continue;
    module.replace_all_uses(module.result(use.op), module.result(sum));
    module.erase(use.op);
  }
  return sum;
}

void lower(Module& module, const SingleDeviceOp& single, const MeshRef& mesh,
           const DeviceCounts& counts) {
  const OpId op = single.op;
  const ir::LocationId location = module.location(op);
  Builder builder = Builder::before(module, op);
  builder.set_location(location);
  const ValueId here = is_device(builder, single, mesh.mesh, counts);
  const std::vector<Type> types = ir::detail::result_types(module, op);
  const ir::RegionId yes = module.new_region();
  const ir::RegionId no = module.new_region();
  const OpId branch = builder.create(
      {.kind = OpKind::If, .operands = {here}, .result_types = types, .regions = {yes, no}});
  for (std::size_t index = 0; index < types.size(); ++index) {
    module.replace_all_uses(module.result(op, index), module.result(branch, index));
  }
  const std::vector<OpId> bypassed = bypass_operand_reshards(module, op);
  module.attributes(op).erase(ir::kShardingAttr);
  const ir::BlockId taken = module.new_block(yes);
  module.remove(op);
  module.append(taken, op);
  finish_branch(module, taken, module.results(op), location);
  fill_with_zeros(module, module.new_block(no), types, location);
  OpId last = branch;
  for (const ValueId result : module.results(branch)) {
    if (module.type(result).is_tensor())
      last = sum_over_devices(module, last, result, mesh, single.axes);
  }
  for (const OpId reshard : bypassed) {
    if (!module.is_erased(reshard) && module.num_uses(module.result(reshard)) == 0) {
      module.erase(reshard);
    }
  }
}

}  // namespace

Diagnostics resolve_single_device_sharding(Module& module, const DeviceCounts& counts) {
  const std::optional<MeshRef> mesh = ir::mesh_of_program(module);
  if (!mesh) return {};
  std::vector<SingleDeviceOp> ops;
  Diagnostics errors = collect(module, mesh->mesh, ops);
  if (!errors.empty() || ops.empty()) return errors;
  if (counts.replica_count > 1 && counts.partition_count > 1) {
    return {
        device_error(module, ops.front().op,
                     "Shardy partitioner does not support replica_count > 1 && partition_count > "
                     "1 yet.")};
  }
  const ir::ManualScopes scopes(module);
  for (SingleDeviceOp& op : ops) {
    op.axes = ir::free_axes(mesh->mesh, scopes.at(op.op));
    lower(module, op, *mesh, counts);
  }
  return {};
}

}  // namespace shardy::passes
