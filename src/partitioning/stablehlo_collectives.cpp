#include "partitioning/stablehlo_collectives.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ir/process_groups.hpp"
#include "partitioning/cleanup.hpp"
#include "partitioning/device_pairs.hpp"
#include "passes/common/bodies.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::IntegerAttr;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

// ---- Channels ----------------------------------------------------------------------------------

int64_t last_channel(const Module& module) {
  int64_t last = 0;
  for (const OpId op : ir::pre_order(module)) last = std::max(last, ir::channel_of(module, op));
  return last;
}

ir::Attribute channel_handle(int64_t channel) {
  return ir::OpaqueAttr{"#stablehlo.channel_handle<handle = " + std::to_string(channel) +
                        ", type = 1>"};
}

// ---- Reducers ----------------------------------------------------------------------------------

namespace {

/// Checks whether `value` is computed only from these block arguments, by ops without regions.
bool depends_only_on(const Module& module, ValueId value, const std::set<ValueId>& arguments) {
  std::vector<ValueId> open = {value};
  std::set<ValueId> seen;
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const OpId op = module.defining_op(next);
    if (!op.valid()) {
      if (!arguments.contains(next)) return false;
      continue;
    }
    if (!module.regions(op).empty()) return false;
    for (const ValueId operand : module.operands(op)) open.push_back(operand);
  }
  return true;
}

}  // namespace

bool has_separate_reducers(const Module& module, OpId op) {
  if (module.regions(op).empty() || module.num_operands(op) == 1) return true;
  const ir::BlockId block = module.block(op);
  const auto args = module.args(block);
  const std::vector<ValueId> returned = module.operands(module.last_op(block));
  for (std::size_t index = 0; index < returned.size(); ++index) {
    const std::set<ValueId> own = {args[index], args[index + returned.size()]};
    if (!depends_only_on(module, returned[index], own)) return false;
  }
  return std::ranges::all_of(module.ops(block), [&](OpId inner) {
    return module.has_trait(inner, ir::kPure) || module.has_trait(inner, ir::kTerminator);
  });
}

/// Returns the part of the reducer that computes one result.
ir::RegionId CollectiveWriter::reducer_of(OpId op, std::size_t index) {
  const ir::BlockId old = module_.block(op);
  const std::size_t count = module_.num_operands(op);
  const ValueId lhs = module_.args(old)[index];
  const ValueId rhs = module_.args(old)[index + count];
  const ir::RegionId region = module_.new_region();
  const std::vector<Type> types = {module_.type(lhs), module_.type(rhs)};
  const ir::BlockId block = module_.new_block(region, types);
  passes::ValueMap map = {{lhs, module_.args(block)[0]}, {rhs, module_.args(block)[1]}};
  passes::clone_ops(module_, old, block, map);
  const OpId last = module_.last_op(block);
  const std::vector<ValueId> result = {module_.operand(last, index)};
  module_.set_operands(last, result);
  if (count > 1) clean_up(module_, block);
  return region;
}

// ---- Groups ------------------------------------------------------------------------------------

namespace {

/// Returns `[#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y", sub_axis_info =
/// (1)2>]`.
std::string axis_refs_text(const Mesh& mesh, const AxisList& axes) {
  std::string text = "[";
  for (const AxisRef& axis : axes) {
    if (text.size() > 1) text += ", ";
    text += "#stablehlo.axis_ref<name = " + in_quotes(mesh.axis_name(axis.axis));
    if (!mesh.is_full(axis)) {
      text += ", sub_axis_info = (" + std::to_string(axis.pre) + ")" + std::to_string(axis.size);
    }
    text += ">";
  }
  return text + "]";
}

}  // namespace

ir::Attribute matrix(const std::vector<int64_t>& numbers, int64_t rows) {
  const int64_t width = rows == 0 ? 2 : static_cast<int64_t>(numbers.size()) / rows;
  return ir::literal_from(Type::tensor({rows, width}, ElementType::I64), numbers);
}

ir::Attribute listed_groups(const Mesh& mesh, const AxisList& axes, int64_t root) {
  std::vector<int64_t> numbers;
  const auto rows = replica_groups(mesh, axes);
  for (std::vector<int64_t> row : rows) {
    std::rotate(row.begin(), row.begin() + root, row.begin() + root + 1);
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  return matrix(numbers, static_cast<int64_t>(rows.size()));
}

ir::Attribute mesh_groups(const std::string& mesh_text, const Mesh& mesh, const AxisList& axes) {
  return ir::OpaqueAttr{"#stablehlo.replica_group_mesh_axes<mesh = " + mesh_text +
                        ", axes = " + axis_refs_text(mesh, axes) + ">"};
}

namespace {

ir::Attribute groups_of(const Module& module, OpId op, ReplicaGroupsForm form) {
  const auto& axes = *module.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  const auto* root = module.attribute<IntegerAttr>(op, ir::attr::kRoot);
  const int64_t first = root == nullptr ? 0 : root->value;
  if (form == ReplicaGroupsForm::List || first != 0) {
    return listed_groups(axes.mesh, axes.axes, first);
  }
  const auto* mesh = module.attribute<ir::SymbolAttr>(op, ir::attr::kMesh);
  return mesh_groups(symbol_text(mesh->name), axes.mesh, axes.axes);
}

int64_t group_size(const Module& module, OpId op) {
  return sharding_size(module.attribute<ir::AxesAttr>(op, ir::attr::kAxes)->axes);
}

/// Checks for collectives whose groups never contain processes of the other kind, so that they need
/// no channel.
bool meets_by_device(OpKind kind) {
  return kind == OpKind::AllGather || kind == OpKind::AllReduce || kind == OpKind::ReduceScatter;
}

}  // namespace

// ---- Writing -----------------------------------------------------------------------------------

/// Returns the op with all operands and results, in replica groups.
OpSpec CollectiveWriter::spec_for(OpId op, OpKind kind) const {
  OpSpec spec{.kind = kind};
  spec.operands = module_.operands(op);
  for (const ValueId result : module_.results(op)) {
    spec.result_types.push_back(module_.type(result));
  }
  spec.attributes.set(ir::attr::kReplicaGroups, groups_of(module_, op, form_.groups));
  return spec;
}

/// Adds a channel: without one, collectives other than reductions and gathers communicate across
/// replicas.
void CollectiveWriter::add_channel(OpSpec& spec) {
  const bool by_device = meets_by_device(spec.kind);
  if (by_device) spec.attributes.set(ir::attr::kUseGlobalDeviceIds, ir::UnitAttr());
  if (by_device || form_.replica_count <= 1) {
    spec.attributes.set(ir::attr::kChannelHandle, channel_handle(++channel_));
  }
}

std::vector<ValueId> CollectiveWriter::made(OpSpec spec, ir::Builder& builder) {
  add_channel(spec);
  return module_.results(builder.create(std::move(spec)));
}

/// Emits one collective per operand, because reducers of StableHLO take one.
std::vector<ValueId> CollectiveWriter::combined(OpId op, ir::Builder& builder) {
  const bool scatters = module_.is(op, OpKind::SpmdReduceScatter);
  std::vector<ValueId> values;
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    OpSpec spec = spec_for(op, scatters ? OpKind::ReduceScatter : OpKind::AllReduce);
    spec.operands = {spec.operands[index]};
    spec.result_types = {spec.result_types[index]};
    if (scatters) {
      const int64_t dim = ir::view<ir::SpmdDimOp>(module_, op).dim;
      spec.attributes.set(ir::attr::kScatterDimension, IntegerAttr{dim, ElementType::I64});
    }
    spec.regions = {reducer_of(op, index)};
    values.push_back(made(std::move(spec), builder).front());
  }
  return values;
}

std::vector<ValueId> CollectiveWriter::permuted(OpId op, ir::Builder& builder) {
  const auto& axes = *module_.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  std::vector<int64_t> numbers;
  for (const auto& [source, target] :
       device_pairs(*ir::view<ir::SpmdPermuteOp>(module_, op).map, axes.mesh, axes.axes)) {
    numbers.push_back(source);
    numbers.push_back(target);
  }
  std::vector<ValueId> values;
  for (const ValueId operand : module_.operands(op)) {
    OpSpec spec{.kind = OpKind::CollectivePermute};
    spec.operands = {operand};
    spec.result_types = {module_.type(operand)};
    spec.attributes.set(ir::attr::kSourceTargetPairs,
                        matrix(numbers, static_cast<int64_t>(numbers.size()) / 2));
    values.push_back(made(std::move(spec), builder).front());
  }
  return values;
}

std::vector<ValueId> CollectiveWriter::write(OpId op, ir::Builder& builder) {
  const auto with = [](OpSpec spec, std::string_view name, int64_t value) {
    spec.attributes.set(name, IntegerAttr{value, ElementType::I64});
    return spec;
  };
  switch (module_.kind(op)) {
    case OpKind::SpmdAllGather: {
      const int64_t dim = ir::view<ir::SpmdDimOp>(module_, op).dim;
      OpSpec spec = with(spec_for(op, OpKind::AllGather), ir::attr::kAllGatherDim, dim);
      return made(std::move(spec), builder);
    }
    case OpKind::SpmdAllToAll: {
      const auto view = ir::view<ir::SpmdAllToAllOp>(module_, op);
      OpSpec spec = with(spec_for(op, OpKind::AllToAll), ir::attr::kSplitDimension, view.split_dim);
      spec = with(std::move(spec), ir::attr::kConcatDimension, view.concat_dim);
      spec = with(std::move(spec), ir::attr::kSplitCount, group_size(module_, op));
      return made(std::move(spec), builder);
    }
    case OpKind::SpmdBroadcastFrom:
      return made(spec_for(op, OpKind::CollectiveBroadcast), builder);
    case OpKind::SpmdPermute:
      return permuted(op, builder);
    default:
      return combined(op, builder);
  }
}

}  // namespace shardy::partitioning
