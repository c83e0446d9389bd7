// spmd-to-stablehlo: spmd ops become StableHLO ops with device ids and replica groups. Spec:
// partitioning 4.4.
//
//   sdy.mesh @mesh = <["x"=2, "y"=4]>
//   spmd.coord {"y"}                    ->   remainder (convert partition_id), 4
//   spmd.all_gather %a {"x"}, dim 0     ->   stablehlo.all_gather %a, all_gather_dim = 0,
//                                              groups [[0, 4], [1, 5], [2, 6], [3, 7]]
//   spmd.permute %a {"y"}, shift -1     ->   stablehlo.collective_permute %a,
//                                              [[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [6, 7]]
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "partitioning/ir_names.hpp"
#include "partitioning/program_rewrites.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::partitioning {

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
    return {Error{.message = "devices are either replicas or partitions",
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
