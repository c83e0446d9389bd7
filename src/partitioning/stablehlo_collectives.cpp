// Helpers that write StableHLO collectives: device coordinates, pairs of devices, groups, channels,
// reducers.
//
//   mesh <["x"=2, "y"=4]>: device number = 4 * x + y
//   coordinate along {"x"}           ->   remainder (divide number, 4), 2
//   coordinate along {"y"}           ->   remainder number, 4
//   groups along {"x"}               ->   [[0, 4], [1, 5], [2, 6], [3, 7]]
//   pairs of shift -1 along {"y"}    ->   [[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [6, 7]]
#include "partitioning/stablehlo_collectives.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/process_groups.hpp"
#include "ir/program_facts.hpp"
#include "partitioning/ir_names.hpp"
#include "partitioning/program_rewrites.hpp"
#include "passes/common/functions.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/scanner.hpp"

namespace shardy::partitioning {

using ir::AttributeMap;
using ir::Builder;
using ir::OpSpec;

// ---- Numbers of devices -------------------------------------------------------------------------

namespace {

Type device_type() { return Type::tensor({}, ElementType::I64); }

/// One digit of a device number: (number / stride) mod size.
struct Digit {
  int64_t stride = 1;
  int64_t size = 1;
};

/// Returns one digit per sub-axis; merges sub-axes that are adjacent in the mesh.
std::vector<Digit> digits_of(const Mesh& mesh, std::span<const AxisRef> axes) {
  std::vector<Digit> digits;
  for (const AxisRef& axis : axes) {
    if (axis.size == 1) continue;
    int64_t stride = mesh.axis_size(axis.axis) / axis.next();
    for (int32_t minor = axis.axis + 1; minor < mesh.num_axes(); ++minor) {
      stride *= mesh.axis_size(minor);
    }
    if (!digits.empty() && digits.back().stride == stride * axis.size) {
      digits.back() = {stride, digits.back().size * axis.size};
    } else {
      digits.push_back({stride, axis.size});
    }
  }
  return digits;
}

ValueId with_number(Builder& builder, OpKind kind, ValueId value, int64_t number) {
  return builder.create_value(kind, {value, i64_constant(builder, number)}, device_type());
}

ValueId digit_of(Builder& builder, const Mesh& mesh, const Digit& digit, ValueId device) {
  ValueId value = device;
  if (digit.stride > 1) value = with_number(builder, OpKind::Divide, value, digit.stride);
  // The most major digit needs no remainder.
  if (digit.stride * digit.size == mesh.num_devices()) return value;
  return with_number(builder, OpKind::Remainder, value, digit.size);
}

ValueId constant(Builder& builder, const ir::Literal& literal) {
  AttributeMap attributes;
  attributes.set(ir::attr::kValue, literal);
  return builder.create_value(OpKind::Constant, {}, literal.type(), std::move(attributes));
}

}  // namespace

ValueId i64_constant(Builder& builder, int64_t number) {
  return constant(builder, ir::int_splat_literal(device_type(), number));
}

ValueId device_number(Builder& builder, OpKind kind) {
  const ValueId number = builder.create_value(kind, {}, Type::tensor({}, ElementType::UI32));
  return builder.create_value(OpKind::Convert, {number}, device_type());
}

ValueId table_entry(Builder& builder, const std::vector<int64_t>& table, ValueId index) {
  const Type type = Type::tensor({static_cast<int64_t>(table.size())}, ElementType::I64);
  AttributeMap sizes;
  sizes.set(ir::attr::kSliceSizes, ir::DenseArrayAttr{ElementType::I64, {1}});
  const ValueId entry = builder.create_value(
      OpKind::DynamicSlice, {constant(builder, ir::literal_from(type, table)), index},
      Type::tensor({1}, ElementType::I64), std::move(sizes));
  return builder.create_value(OpKind::Reshape, {entry}, device_type());
}

ValueId coordinate_of(Builder& builder, const Mesh& mesh, std::span<const AxisRef> axes,
                      ValueId device) {
  const std::vector<Digit> digits = digits_of(mesh, axes);
  if (digits.empty()) return i64_constant(builder, 0);
  if (!mesh.device_ids().empty()) {
    std::vector<int64_t> table(static_cast<std::size_t>(mesh.num_devices()));
    for (int64_t position = 0; position < mesh.num_devices(); ++position) {
      table[static_cast<std::size_t>(mesh.device_at(position))] = shard_index(mesh, axes, position);
    }
    return table_entry(builder, table, device);
  }
  ValueId value = digit_of(builder, mesh, digits.front(), device);
  for (std::size_t index = 1; index < digits.size(); ++index) {
    value = with_number(builder, OpKind::Multiply, value, digits[index].size);
    const ValueId digit = digit_of(builder, mesh, digits[index], device);
    value = builder.create_value(OpKind::Add, {value, digit}, device_type());
  }
  return value;
}

Diagnostics wrong_device_counts(const ir::Module& module) {
  Diagnostics errors;
  const std::vector<ir::OpId> functions = ir::program_functions(module);
  const int64_t devices = ir::devices_of(module, functions);
  for (const ir::OpId function : functions) {
    if (module.is_external(function)) continue;
    for (const ir::OpId op : ir::pre_order(module, module.entry(function))) {
      const auto* axes = module.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
      if (!ir::is_spmd(module.kind(op)) || axes == nullptr) continue;
      if (axes->mesh.num_devices() == devices) continue;
      errors.push_back(passes::error_at(
          module, op,
          std::string(module.name(op)) + ": its mesh has " +
              std::to_string(axes->mesh.num_devices()) + " devices, but the program runs on " +
              std::to_string(devices) + "; all meshes of a program have as many devices"));
      errors.back().code = "E_MESH_MISMATCH";
    }
  }
  return errors;
}

// ---- Pairs of devices ---------------------------------------------------------------------------

namespace {

std::vector<DevicePair> pairs_by_rank(const PermuteMap& map, const Mesh& mesh,
                                      std::span<const AxisRef> axes) {
  std::vector<DevicePair> pairs;
  for (const std::vector<int64_t>& group : replica_groups(mesh, axes)) {
    for (std::size_t rank = 0; rank < group.size(); ++rank) {
      const auto source =
          ir::source_rank(map, static_cast<int64_t>(rank), static_cast<int64_t>(group.size()));
      if (source) pairs.emplace_back(group[static_cast<std::size_t>(*source)], group[rank]);
    }
  }
  return pairs;
}

/// Returns a rank along `order` whose coordinates are shifted by the offsets; empty: not shifted.
int64_t shifted_rank(const AxisList& order, std::span<const int64_t> offsets, int64_t rank) {
  if (offsets.empty()) return rank;
  int64_t shifted = 0;
  int64_t stride = 1;
  for (std::size_t at = order.size(); at-- > 0;) {
    const int64_t size = order[at].size;
    shifted += (rank % size + floor_mod(offsets[at], size)) % size * stride;
    rank /= size;
    stride *= size;
  }
  return shifted;
}

/// Returns the source rank of a receiver. The numbers of the map shift the receiver's coordinates,
/// then those of the source.
std::size_t relabeled_rank(const PermuteMap& map, std::size_t receiver) {
  const std::span<const int64_t> offsets = map.numbers;
  const std::size_t split = std::min(offsets.size(), map.receiver_order.size());
  const int64_t rank =
      shifted_rank(map.receiver_order, offsets.first(split), static_cast<int64_t>(receiver));
  return static_cast<std::size_t>(shifted_rank(map.source_order, offsets.subspan(split), rank));
}

/// Returns the pairs of a relabeling map. Senders and receivers have equal groups, but rank their
/// devices by different axis orders.
std::vector<DevicePair> relabel_pairs(const PermuteMap& map, const Mesh& mesh) {
  const auto senders = replica_groups(mesh, map.source_order);
  const auto receivers = replica_groups(mesh, map.receiver_order);
  std::vector<DevicePair> pairs;
  for (std::size_t group = 0; group < senders.size(); ++group) {
    for (std::size_t rank = 0; rank < senders[group].size(); ++rank) {
      pairs.emplace_back(senders[group][relabeled_rank(map, rank)], receivers[group][rank]);
    }
  }
  return pairs;
}

std::vector<DevicePair> remesh_pairs(const Mesh& from, const Mesh& to) {
  std::vector<DevicePair> pairs;
  for (int64_t position = 0; position < to.num_devices(); ++position) {
    pairs.emplace_back(from.device_at(position), to.device_at(position));
  }
  return pairs;
}

std::vector<DevicePair> listed_pairs(const PermuteMap& map) {
  std::vector<DevicePair> pairs;
  for (std::size_t at = 0; at + 1 < map.numbers.size(); at += 2) {
    pairs.emplace_back(map.numbers[at], map.numbers[at + 1]);
  }
  return pairs;
}

std::vector<DevicePair> unsorted_pairs(const PermuteMap& map, const Mesh& mesh,
                                       std::span<const AxisRef> axes) {
  switch (map.kind) {
    case PermuteMap::Kind::Relabel:
      return relabel_pairs(map, mesh);
    case PermuteMap::Kind::Remesh:
      return remesh_pairs(map.mesh, mesh);
    case PermuteMap::Kind::Pairs:
      return listed_pairs(map);
    default:
      return pairs_by_rank(map, mesh, axes);
  }
}

}  // namespace

std::vector<DevicePair> device_pairs(const PermuteMap& map, const Mesh& mesh,
                                     std::span<const AxisRef> axes) {
  std::vector<DevicePair> pairs = unsorted_pairs(map, mesh, axes);
  std::ranges::sort(pairs, {},
                    [&](const DevicePair& pair) { return mesh.position_of(pair.first); });
  return pairs;
}

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

void CollectiveChannels::add_to(OpSpec& spec) {
  // The groups of gathers and reductions are device ids, so replicas and partitions are never
  // mixed. Spec: partitioning 4.4.
  const bool by_device = spec.kind == OpKind::AllGather || spec.kind == OpKind::AllReduce ||
                         spec.kind == OpKind::ReduceScatter;
  if (by_device) spec.attributes.set(ir::attr::kUseGlobalDeviceIds, ir::UnitAttr());
  if (by_device || replica_count_ <= 1) {
    spec.attributes.set(ir::attr::kChannelHandle, channel_handle(++last_));
  }
}

// ---- Reducers ----------------------------------------------------------------------------------

namespace {

/// Checks whether `value` depends only on the block arguments `arguments`, through ops without
/// regions.
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

/// Returns the region with the part of the reducer that computes one result.
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

/// Returns the axes as text: `[#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y",
/// sub_axis_info = (1)2>]`.
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

ir::Attribute matrix(const std::vector<DevicePair>& pairs) {
  std::vector<int64_t> numbers;
  for (const auto& [source, target] : pairs) numbers.insert(numbers.end(), {source, target});
  return matrix(numbers, std::ssize(pairs));
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

}  // namespace

// ---- Writing -----------------------------------------------------------------------------------

/// Returns a spec of the StableHLO op with all operands and results and with replica groups.
OpSpec CollectiveWriter::spec_for(OpId op, OpKind kind) const {
  OpSpec spec{.kind = kind};
  spec.operands = module_.operands(op);
  for (const ValueId result : module_.results(op)) {
    spec.result_types.push_back(module_.type(result));
  }
  spec.attributes.set(ir::attr::kReplicaGroups, groups_of(module_, op, form_.groups));
  return spec;
}

std::vector<ValueId> CollectiveWriter::made(OpSpec spec, ir::Builder& builder) {
  channels_.add_to(spec);
  return module_.results(builder.create(std::move(spec)));
}

/// Emits one collective per operand, because StableHLO reducers combine a single operand.
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
  const ir::Attribute pairs =
      matrix(device_pairs(*ir::view<ir::SpmdPermuteOp>(module_, op).map, axes.mesh, axes.axes));
  std::vector<ValueId> values;
  for (const ValueId operand : module_.operands(op)) {
    OpSpec spec{.kind = OpKind::CollectivePermute};
    spec.operands = {operand};
    spec.result_types = {module_.type(operand)};
    spec.attributes.set(ir::attr::kSourceTargetPairs, pairs);
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

// ---- spmd-to-stablehlo --------------------------------------------------------------------------

// spmd-to-stablehlo: spmd ops become StableHLO ops with device ids and replica groups. Spec:
// partitioning 4.4.
//
//   sdy.mesh @mesh = <["x"=2, "y"=4]>
//   spmd.coord {"y"}                    ->   remainder (convert partition_id), 4
//   spmd.all_gather %a {"x"}, dim 0     ->   stablehlo.all_gather %a, all_gather_dim = 0,
//                                              groups [[0, 4], [1, 5], [2, 6], [3, 7]]
//   spmd.permute %a {"y"}, shift -1     ->   stablehlo.collective_permute %a,
//                                              [[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [6, 7]]

using ir::AttributeMap;
using ir::Builder;

namespace {

std::vector<OpId> spmd_ops(const Module& module) {
  std::vector<OpId> ops;
  for (const OpId op : ir::pre_order(module)) {
    if (ir::is_spmd(module.kind(op))) ops.push_back(op);
  }
  return ops;
}

/// Rewrites the ops of one module in program order.
class FormWriter {
 public:
  FormWriter(Module& module, const StablehloForm& form)
      : module_(module),
        number_kind_(form.replica_count > 1 ? OpKind::ReplicaId : OpKind::PartitionId),
        collectives_(module, form) {}

  void replace(OpId op);
  /// Removes common subexpressions and dead ops.
  void finish() {
    for (const ir::BlockId block : touched_) clean_up(module_, block);
  }

 private:
  std::vector<ValueId> values_for(OpId op, Builder& builder);
  ValueId device(OpId op);
  ValueId coordinate(OpId op, Builder& builder);
  ValueId floor_op(OpId op, Builder& builder);
  ValueId splat(Builder& builder, const Type& type, int64_t value);

  Module& module_;
  OpKind number_kind_;
  CollectiveWriter collectives_;
  std::map<ir::BlockId, ValueId> devices_;  // the device id that an op in the block computes
  std::set<ir::BlockId> touched_;
};

/// Returns the outermost block whose values the op can use.
ir::BlockId scope_of(const Module& module, OpId op) {
  ir::BlockId scope = module.parent_block(op);
  for (OpId parent = module.parent_op(op); parent.valid() && !module.is(parent, OpKind::Func) &&
                                           !module.has_trait(parent, ir::kIsolated);
       parent = module.parent_op(parent)) {
    scope = module.parent_block(parent);
  }
  return scope;
}

/// Returns the device id, which one op at the start of each function computes.
ValueId FormWriter::device(OpId op) {
  const ir::BlockId scope = scope_of(module_, op);
  const auto known = devices_.find(scope);
  if (known != devices_.end()) return known->second;
  Builder builder = Builder::at_start(module_, scope);
  return devices_[scope] = device_number(builder, number_kind_);
}

ValueId FormWriter::coordinate(OpId op, Builder& builder) {
  const auto* axes = module_.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  return coordinate_of(builder, axes->mesh, axes->axes, device(op));
}

ValueId FormWriter::splat(Builder& builder, const Type& type, int64_t value) {
  AttributeMap attributes;
  attributes.set(ir::attr::kValue, ir::int_splat_literal(type, value));
  return builder.create_value(OpKind::Constant, {}, type, std::move(attributes));
}

/// Rounds the quotient down. StableHLO division rounds towards zero, so the quotient is decremented
/// if the remainder is not zero and has another sign than the divisor.
ValueId FormWriter::floor_op(OpId op, Builder& builder) {
  const bool is_division = module_.is(op, OpKind::SpmdFloorDiv);
  const ValueId a = module_.operand(op, 0);
  const ValueId b = module_.operand(op, 1);
  const Type type = module_.type(a);
  const auto binary = [&](OpKind kind, ValueId x, ValueId y) {
    return builder.create_value(kind, {x, y}, type);
  };
  const auto compare = [&](std::string direction, ValueId x, ValueId y) {
    AttributeMap attributes;
    attributes.set(ir::attr::kComparisonDirection,
                   ir::EnumAttr{"stablehlo.comparison_direction", std::move(direction)});
    return builder.create_value(OpKind::Compare, {x, y}, type.with_element(ir::ElementType::I1),
                                std::move(attributes));
  };
  if (ir::is_unsigned_integer(type.element())) {
    return binary(is_division ? OpKind::Divide : OpKind::Remainder, a, b);
  }
  const ValueId zero = splat(builder, type, 0);
  const ValueId rest = binary(OpKind::Remainder, a, b);
  const ValueId is_rest = compare("NE", rest, zero);
  const ValueId is_negative = compare("LT", b, zero);
  const ValueId other_sign = compare("NE", compare("LT", rest, zero), is_negative);
  const ValueId is_off = builder.create_value(OpKind::And, {is_rest, other_sign},
                                              type.with_element(ir::ElementType::I1));
  if (!is_division) {
    return builder.create_value(OpKind::Select, {is_off, binary(OpKind::Add, rest, b), rest}, type);
  }
  const ValueId quotient = binary(OpKind::Divide, a, b);
  const ValueId less = binary(OpKind::Subtract, quotient, splat(builder, type, 1));
  return builder.create_value(OpKind::Select, {is_off, less, quotient}, type);
}

std::vector<ValueId> FormWriter::values_for(OpId op, Builder& builder) {
  switch (module_.kind(op)) {
    case OpKind::SpmdCoord:
      return {coordinate(op, builder)};
    case OpKind::SpmdDeviceId:
      return {device(op)};
    case OpKind::SpmdUndef:
      return {splat(builder, module_.type(module_.result(op)), 0)};
    case OpKind::SpmdFloorDiv:
    case OpKind::SpmdFloorMod:
      return {floor_op(op, builder)};
    default:
      return collectives_.write(op, builder);
  }
}

void FormWriter::replace(OpId op) {
  touched_.insert(module_.parent_block(op));
  Builder builder = Builder::before(module_, op);
  builder.set_location(module_.location(op));
  const std::vector<ValueId> values = values_for(op, builder);
  for (std::size_t index = 0; index < values.size(); ++index) {
    module_.replace_all_uses(module_.result(op, index), values[index]);
  }
  module_.erase(op);
}

void set_process_counts(Module& module, const StablehloForm& form, int64_t devices) {
  const bool is_replicas = form.replica_count > 1;
  const auto set_count = [&](std::string_view name, int64_t count) {
    module.module_attributes().set(name, ir::IntegerAttr{count, ir::ElementType::I32});
  };
  set_count("mhlo.num_partitions", is_replicas ? 1 : devices);
  set_count("mhlo.num_replicas", is_replicas ? devices : 1);
}

Diagnostics obstacles(const Module& module, const std::vector<OpId>& ops) {
  Diagnostics errors = wrong_device_counts(module);
  for (const OpId op : ops) {
    if (has_separate_reducers(module, op)) continue;
    Error error =
        passes::error_at(module, op,
                         std::string(module.name(op)) +
                             ": StableHLO has no collective whose reducer takes several operands");
    error.code = "E_UNSUPPORTED_OP";
    errors.push_back(std::move(error));
  }
  return errors;
}

}  // namespace

Diagnostics to_stablehlo_form(Module& module, const StablehloForm& form) {
  if (form.replica_count > 1 && form.partition_count > 1) {
    return {Error{.message =
                      "replica_count and partition_count are both greater than 1; only one of "
                      "them may be",
                  .code = "E_REPLICA_AND_PARTITION"}};
  }
  const std::vector<OpId> ops = spmd_ops(module);
  Diagnostics errors = obstacles(module, ops);
  if (!errors.empty()) return errors;
  const int64_t devices = ir::devices_of(module, ir::program_functions(module));
  FormWriter writer(module, form);
  for (const OpId op : ops) writer.replace(op);
  writer.finish();
  set_process_counts(module, form, devices);
  return {};
}

}  // namespace shardy::partitioning
