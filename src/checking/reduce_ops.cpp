#include "checking/reduce_ops.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "passes/common/clone.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ir::AttributeMap;
using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

std::vector<OpId> ops_of(const Module& module, OpId function) {
  const auto enters = [&](OpId op) {
    return module.is(op, OpKind::While) || module.is(op, OpKind::Case) || module.is(op, OpKind::If);
  };
  std::vector<OpId> ops = ir::pre_order(module, module.entry(function), enters);
  std::erase_if(ops, [&](OpId op) { return module.num_results(op) == 0; });
  return ops;
}

std::vector<ValueId> values_of(const Module& module) {
  std::vector<ValueId> values;
  for (const OpId op : ir::pre_order(module)) {
    for (const ValueId result : module.results(op)) values.push_back(result);
    for (const ir::RegionId region : module.regions(op)) {
      for (const BlockId block : module.blocks(region)) {
        for (const ValueId arg : module.args(block)) values.push_back(arg);
      }
    }
  }
  return values;
}

bool keep_result(Module& module, OpId function, std::size_t kept) {
  const OpId end = module.last_op(module.entry(function));
  const ValueId value = module.operand(end, kept);
  module.set_operands(end, std::vector<ValueId>{value});
  ir::FunctionData& data = module.function(function);
  data.result_types = {data.result_types[kept]};
  if (kept < data.result_attributes.size()) {
    data.result_attributes = {data.result_attributes[kept]};
  }
  return true;
}

bool return_value(Module& module, OpId function, std::size_t index, ValueId value) {
  module.set_operand(module.last_op(module.entry(function)), index, value);
  ir::FunctionData& data = module.function(function);
  data.result_types[index] = module.type(value);
  if (index < data.result_attributes.size()) {
    data.result_attributes[index].erase(ir::kShardingAttr);
  }
  return true;
}

bool return_only(Module& module, OpId function, ValueId value) {
  const OpId end = module.last_op(module.entry(function));
  if (!module.type(value).is_tensor() || module.operands(end) == std::vector<ValueId>{value}) {
    return false;
  }
  module.set_operands(end, std::vector<ValueId>{value});
  ir::FunctionData& data = module.function(function);
  data.result_types = {module.type(value)};
  data.result_attributes.clear();
  for (const OpId op : effects_of(module, function)) module.erase(op);
  return true;
}

std::vector<OpId> effects_of(const Module& module, OpId function) {
  std::vector<OpId> ops;
  for (const OpId op : module.ops(module.entry(function))) {
    if (module.num_results(op) == 0 && !module.has_trait(op, ir::kTerminator)) ops.push_back(op);
  }
  return ops;
}

void cut_op(Module& module, OpId function, OpId op) {
  if (module.is_erased(op)) return;  // with the op around it
  for (const ValueId result : module.results(op)) {
    if (module.num_uses(result) == 0) continue;
    const BlockId entry = module.entry(function);
    const auto sharding = ir::get_sharding(module, result);
    const ValueId argument = module.add_argument(entry, module.type(result));
    auto& attributes = module.function(function).arg_attributes;
    attributes.resize(module.args(entry).size());
    if (sharding) attributes.back().set(ir::kShardingAttr, *sharding);
    module.replace_all_uses(result, argument);
  }
  module.erase(op);
}

bool pass_by_all(Module& module, OpId op) {
  const std::size_t count = module.num_results(op);
  if (count < 2 || count > module.num_operands(op)) return false;
  for (std::size_t index = 0; index < count; ++index) {
    if (module.type(module.operand(op, index)) != module.type(module.result(op, index))) {
      return false;
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    module.replace_all_uses(module.result(op, index), module.operand(op, index));
  }
  module.erase(op);
  return true;
}

namespace {

/// Returns the block that replaces the op.
std::optional<BlockId> body_of(const Module& module, OpId op, std::size_t body) {
  switch (module.kind(op)) {
    case OpKind::While:
      return module.block(op, 1);
    case OpKind::Case:
    case OpKind::If:
    case OpKind::SdyNamedComputation:
    case OpKind::SdyManualComputation:
      return module.block(op, body);
    case OpKind::FuncCall: {
      const std::optional<OpId> callee = ir::callee_of(module, op);
      if (!callee || module.is_external(*callee)) return std::nullopt;
      return module.entry(*callee);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::size_t num_bodies(const Module& module, OpId op) {
  if (module.is_erased(op)) return 0;
  const bool branches = module.is(op, OpKind::Case) || module.is(op, OpKind::If);
  if (branches) return module.regions(op).size();
  return body_of(module, op, 0) ? 1 : 0;
}

bool inline_body(Module& module, OpId op, std::size_t body) {
  const std::optional<BlockId> block = body_of(module, op, body);
  if (!block) return false;
  const std::vector<ValueId> args(module.args(*block).begin(), module.args(*block).end());
  if (args.size() > module.num_operands(op)) return false;
  passes::ValueMap map;
  for (std::size_t index = 0; index < args.size(); ++index) {
    const ValueId operand = module.operand(op, index);
    if (module.type(operand) != module.type(args[index])) return false;
    map.emplace(args[index], operand);
  }
  std::vector<OpId> ops;
  for (const OpId inner : module.ops(*block)) ops.push_back(inner);
  const OpId end = ops.back();
  ops.pop_back();
  for (const OpId inner : ops) module.insert_before(op, passes::clone_op(module, inner, map));
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const ValueId made = passes::mapped(map, module.operand(end, index));
    if (module.type(made) != module.type(module.result(op, index))) return false;
    module.replace_all_uses(module.result(op, index), made);
  }
  module.erase(op);
  return true;
}

bool drop_sharding_at(Module& module, const ShardingPlace& place) {
  if (place.side == ShardingPlace::Side::Op) {
    return place.name == ir::kShardingAttr && module.attributes(place.op).erase(place.name);
  }
  ir::FunctionData& data = module.function(place.op);
  const bool is_arg = place.side == ShardingPlace::Side::Argument;
  return (is_arg ? data.arg_attributes : data.result_attributes)[place.index].erase(place.name);
}

std::vector<ir::Literal> simpler_literals(const ir::Literal& literal) {
  if (literal.num_elements() == 0) return {};
  std::vector<ir::Literal> simpler;
  const auto is_known = [&](const ir::Literal& other) { return other == literal; };
  for (const double value : {0.0, 1.0}) {
    auto made =
        ir::Literal::make_splat(literal.type(), ir::encode(value, literal.type().element()));
    if (!made) continue;
    if (is_known(*made)) return {};
    simpler.push_back(*std::move(made));
  }
  if (!literal.is_splat()) {
    const std::span<const std::byte> first = literal.element_bytes(0);
    simpler.push_back(
        *ir::Literal::make_splat(literal.type(), std::vector(first.begin(), first.end())));
    if (is_known(simpler.back())) simpler.pop_back();
  }
  return simpler;
}

void fix_arguments(Module& module, OpId function, const std::vector<ir::Literal>& literals) {
  const BlockId entry = module.entry(function);
  for (std::size_t index = literals.size(); index-- > 0;) {
    const ValueId argument = module.args(entry)[index];
    ir::OpSpec spec{.kind = OpKind::Constant, .result_types = {module.type(argument)}};
    spec.attributes.set(ir::attr::kValue, literals[index]);
    const OpId constant = module.create(std::move(spec));
    module.insert_before(module.first_op(entry), constant);
    if (const auto sharding = ir::arg_sharding(module, function, index)) {
      ir::set_sharding(module, module.result(constant), *sharding);
    }
    module.replace_all_uses(argument, module.result(constant));
    module.erase_argument(entry, index);
    auto& attributes = module.function(function).arg_attributes;
    if (index < attributes.size()) {
      attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(index));
    }
  }
}

}  // namespace shardy::checking
