// sdy-convert-global-to-local: global types become local, sdy collectives become StableHLO ones.
// Spec: partitioning 10.4.
//
//   sdy.mesh @mesh = <["x"=2, "y"=2]>
//   %0 = dot_general %a, %b [{"x"}, {}]                  %0 = dot_general %a, %b
//     : 8x16 [{"x"}, {"y"}], 16x4 [{"y"}, {}]      ->      : 4x8, 8x4 -> 4x4
//   %1 = sdy.all_reduce {"y"} %0                         %1 = stablehlo.all_reduce add %0,
//                                                               replica_groups = [[0, 1], [2, 3]]
//   %2 = sdy.all_gather [{"x"}, {}] %1                   %2 = stablehlo.all_gather %1, dim 0,
//                                                               replica_groups = [[0, 2], [1, 3]]
#include "partitioning/reference/global_to_local.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/op_facts.hpp"
#include "ir/process_groups.hpp"
#include "partitioning/reference/passes.hpp"
#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::partitioning {

// ---- State --------------------------------------------------------------------------------------

LocalProgram::LocalProgram(Module& module, const GlobalToLocalOptions& options,
                           const rules::Registry& rules)
    : module_(module),
      options_(options),
      rules_(rules),
      emit_(module),
      channels_(module, options.processes.replicas) {
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

OpKind LocalProgram::combiner(OpId collective) const {
  const auto found = combiners_.find(collective);
  return found != combiners_.end() ? found->second
                                   : ir::reducer_of(ir::collective_reduction(module_, collective));
}

void LocalProgram::record(ValueId made, ValueId old) {
  if (made.index() < was_.size()) return;
  was_.resize(made.index() + 1);
  was_[made.index()] = was_[old.index()];
}

void LocalProgram::replace(OpId op, ValueId value) {
  record(value, module_.result(op));
  module_.replace_all_uses(module_.result(op), value);
  module_.erase(op);
}

ScalarIndex LocalProgram::entry(std::vector<int64_t> by_device) {
  const bool is_zero = std::ranges::all_of(by_device, [](int64_t number) { return number == 0; });
  if (is_zero) return ScalarIndex::of(0);
  const ValueId device = device_number(emit_.builder(), number_op(options_.processes));
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
  channels_.add_to(spec);
  return module_.result(emit_.builder().create(std::move(spec)));
}

tl::unexpected<Error> LocalProgram::error(OpId op, const std::string& message) const {
  return tl::unexpected(
      passes::error_at(module_, op, "'" + std::string(module_.name(op)) + "' op " + message));
}

namespace {

// ---- Types --------------------------------------------------------------------------------------

/// Converts all values to local types, after checking that each value has one.
class TypeChange {
 public:
  explicit TypeChange(LocalProgram& program) : program_(program) {}

  Diagnostics run() {
    for (const OpId op : ir::pre_order(program_.module())) look_at(op);
    if (!errors_.empty()) return std::move(errors_);
    for (auto& [value, type] : types_) program_.module().set_type(value, std::move(type));
    for (auto& [function, types] : results_) {
      program_.module().function(function).result_types = std::move(types);
    }
    return {};
  }

 private:
  void look_at(OpId op) {
    const Module& module = program_.module();
    for (const ValueId result : module.results(op)) take(op, result);
    for (const ir::RegionId region : module.regions(op)) {
      for (const ir::BlockId block : module.blocks(region)) {
        for (const ValueId arg : module.args(block)) take(op, arg);
      }
    }
    if (module.is(op, OpKind::Func)) take_results(op);
  }

  void take(OpId op, ValueId value) {
    Result<Type> type = program_.local_type(program_.global(value), program_.sharding(value));
    if (type) {
      types_.emplace_back(value, *std::move(type));
    } else {
      errors_.push_back(program_.error(op, type.error().message).value());
    }
  }

  void take_results(OpId function) {
    const Module& module = program_.module();
    std::vector<Type> types = module.function(function).result_types;
    for (std::size_t index = 0; index < types.size(); ++index) {
      Result<Type> type =
          program_.local_type(types[index], ir::result_sharding(module, function, index));
      if (!type) {
        errors_.push_back(program_.error(function, type.error().message).value());
        return;
      }
      types[index] = *std::move(type);
    }
    results_.emplace_back(function, std::move(types));
  }

  LocalProgram& program_;
  std::vector<std::pair<ValueId, Type>> types_;
  std::vector<std::pair<OpId, std::vector<Type>>> results_;
  Diagnostics errors_;
};

/// Adds global types to arguments and results, so that `shardy run` can shard global tensors.
void declare_global_types(Module& module) {
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    ir::FunctionData& data = module.function(function);
    const std::vector<Type> args = module.arg_types(function);
    data.arg_attributes.resize(args.size());
    data.result_attributes.resize(data.result_types.size());
    for (std::size_t index = 0; index < args.size(); ++index) {
      data.arg_attributes[index].set("spmd.global_type", ir::TypeAttr{args[index]});
    }
    for (std::size_t index = 0; index < data.result_types.size(); ++index) {
      data.result_attributes[index].set("spmd.global_type", ir::TypeAttr{data.result_types[index]});
    }
  }
}

// ---- Ops ----------------------------------------------------------------------------------------

bool has_shards(const LocalProgram& program, ValueId value) {
  const auto& sharding = program.sharding(value);
  return sharding && !sharding->is_fully_replicated();
}

bool has_sharded_result(const LocalProgram& program, OpId op) {
  return std::ranges::any_of(program.module().results(op),
                             [&](ValueId value) { return has_shards(program, value); });
}

bool has_sharded_operand(const LocalProgram& program, OpId op) {
  return std::ranges::any_of(program.module().operands(op),
                             [&](ValueId value) { return has_shards(program, value); });
}

/// Checks whether elements of a dim depend on elements in other shards of the dim.
bool needs_others(const OpShardingRule& rule, const DimMapping& dim) {
  return std::ranges::any_of(dim, [&](int32_t factor) {
    const FactorKind kind = rule.factor_kind(factor);
    return kind == FactorKind::NeedReplication || kind == FactorKind::Permutation;
  });
}

/// Returns an error if the op runs on local shards and is sharded along dims that its rule does not
/// allow.
Status expect_sharded_by_rule(const LocalProgram& program, OpId op, const Module& global) {
  const auto rule = program.rules().rule_for(rules::OpView(global, op));
  if (!rule || !*rule) {
    const bool is_sharded = has_sharded_result(program, op) || has_sharded_operand(program, op);
    if (!is_sharded || global.has_trait(op, ir::kTerminator)) return {};
    return program.error(op, "has no sharding rule, but sharded operands or results");
  }
  const std::size_t num_operands = global.num_operands(op);
  for (std::size_t tensor = 0; tensor < (*rule)->num_tensors(); ++tensor) {
    const ValueId value = tensor < num_operands ? global.operand(op, tensor)
                                                : global.result(op, tensor - num_operands);
    const std::vector<DimMapping>& dims = (*rule)->tensor(tensor).dims;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      if (program.shards(value, dim) > 1 && needs_others(**rule, dims[dim])) {
        return program.error(op, "needs all of the sharded dimension " + std::to_string(dim) +
                                     " of " + (tensor < num_operands ? "an operand" : "a result"));
      }
    }
  }
  return {};
}

using Localize = Status (*)(LocalProgram&, OpId);

Localize localizer_of(OpKind kind) {
  switch (kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::Iota:
    case OpKind::Concatenate:
    case OpKind::Slice:
    case OpKind::Pad:
    case OpKind::Reshape:
    case OpKind::Reverse:
    case OpKind::DynamicSlice:
    case OpKind::DynamicUpdateSlice:
      return &localize_data;
    case OpKind::Dot:
    case OpKind::DotGeneral:
    case OpKind::Reduce:
    case OpKind::Convolution:
    case OpKind::ReduceWindow:
    case OpKind::SelectAndScatter:
      return &localize_reduction;
    case OpKind::Gather:
    case OpKind::Scatter:
      return &localize_indexed;
    default:
      return ir::is_sdy_collective(kind) ? &localize_collective : nullptr;
  }
}

Status localize(LocalProgram& program, OpId op, const Module& global) {
  Module& module = program.module();
  const OpKind kind = module.kind(op);
  program.emit().start_before(op);
  if (const Localize own = localizer_of(kind)) return own(program, op);
  if (kind == OpKind::SdyPropagationBarrier &&
      module.type(module.operand(op, 0)) == module.type(module.result(op))) {
    program.replace(op, module.operand(op, 0));
    return {};
  }
  if (module.has_trait(op, ir::kSdyAnnotation)) {
    return program.error(op, "is left: run the export passes and sdy-reshard-to-collectives first");
  }
  if ((kind == OpKind::RngBitGenerator || kind == OpKind::Rng) && has_sharded_result(program, op)) {
    return program.error(op, "with a sharded result would give the same bits on all devices");
  }
  if (ir::dialect_of(kind) == ir::Dialect::StableHlo && !module.has_trait(op, ir::kDataFlow)) {
    return expect_sharded_by_rule(program, op, global);
  }
  return {};
}

// ---- Manual computations ------------------------------------------------------------------------

Status inline_manual(LocalProgram& program, OpId op) {
  Module& module = program.module();
  const ir::BlockId body = module.block(op);
  const OpId last = module.last_op(body);
  const auto same = [&](ValueId a, ValueId b) { return module.type(a) == module.type(b); };
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    const ValueId arg = module.args(body)[index];
    if (!same(arg, module.operand(op, index))) {
      return program.error(
          op, "has an operand whose local type differs from that of its block argument");
    }
    module.replace_all_uses(arg, module.operand(op, index));
  }
  for (OpId inner = module.first_op(body); inner != last;) {
    const OpId next = module.next(inner);
    module.remove(inner);
    module.insert_before(op, inner);
    inner = next;
  }
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    if (!same(module.result(op, index), module.operand(last, index))) {
      return program.error(op, "has a result whose local type differs from that of its terminator");
    }
    module.replace_all_uses(module.result(op, index), module.operand(last, index));
  }
  module.erase(op);
  return {};
}

/// Returns the axes of size above 1 that shard a dim; none without a sharding.
AxisList sharding_axes(const std::optional<TensorSharding>& sharding, std::size_t dim) {
  AxisList axes;
  if (!sharding || dim >= sharding->rank()) return axes;
  for (const AxisRef& axis : sharding->dim(dim).axes) {
    if (axis.size != 1) append_or_merge(axes, axis);
  }
  return axes;
}

/// Checks whether each device has the same shard of a tensor with either sharding.
bool have_equal_shards(const std::optional<TensorSharding>& a,
                       const std::optional<TensorSharding>& b) {
  for (std::size_t dim = 0; dim < std::max(a ? a->rank() : 0, b ? b->rank() : 0); ++dim) {
    if (sharding_axes(a, dim) != sharding_axes(b, dim)) return false;
  }
  return true;
}

/// Returns an error if the local type or the axes of a returned value differ from those of the
/// declared result. `global` is the program before the pass.
Status expect_returned(const LocalProgram& program, const Module& global, OpId op) {
  const Module& module = program.module();
  const OpId function = ir::enclosing_function(module, op);
  const std::vector<Type>& wanted = module.function(function).result_types;
  for (std::size_t index = 0; index < wanted.size(); ++index) {
    if (module.type(module.operand(op, index)) == wanted[index] &&
        have_equal_shards(ir::get_sharding(global, global.operand(op, index)),
                          ir::result_sharding(global, function, index))) {
      continue;
    }
    return program.error(op, "returns a value whose sharding differs from that of result " +
                                 std::to_string(index) + " of the function");
  }
  return {};
}

}  // namespace

Diagnostics convert_global_to_local(Module& module, const GlobalToLocalOptions& options,
                                    const rules::Registry& rules) {
  Diagnostics errors = verify_processes(options.processes);
  if (!errors.empty()) return errors;
  const Module global = module;
  if (options.keep_global_types) declare_global_types(module);
  LocalProgram program(module, options, rules);
  errors = TypeChange(program).run();
  if (!errors.empty()) return errors;
  const std::vector<OpId> ops = ir::pre_order(module);
  const auto add = [&](const Status& status) {
    if (!status) errors.push_back(status.error());
  };
  for (const OpId op : ops) add(localize(program, op, global));
  if (!errors.empty()) return errors;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    if (module.is_erased(*op)) continue;
    if (module.is(*op, OpKind::SdyManualComputation)) add(inline_manual(program, *op));
    if (module.is(*op, OpKind::FuncReturn)) add(expect_returned(program, global, *op));
  }
  return errors;
}

}  // namespace shardy::partitioning
