// Composites become calls of their decompositions. Spec: partitioning 8.23.
//
//   %0 = stablehlo.composite "f" %a {decomposition = @f}   ->   %0 = call @f(%a)
//
// A composite with a sharding rule is propagated by the rule first. Then it calls a copy of its
// own, whose arguments and results have the shardings of the composite:
//
//   %0 = stablehlo.composite "f" %a {decomposition = @f, sdy.sharding_rule = ..} [{"x"}]
//   func.func private @f(%x)
//   ->
//   %0 = call @f_0(%a) [{"x"}]
//   func.func private @f_0(%x [{"x"}])
#include <utility>
#include <vector>

#include "passes/common/symbols.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/ir_adapter.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

bool has_rule(const Module& module, OpId op, const rules::Registry& rules) {
  return module.attributes(op).contains(ir::kShardingRuleAttr) ||
         rules.has_own(rules::OpView(module, op));
}

std::vector<OpId> composites(const Module& module, bool with_rule, const rules::Registry& rules) {
  std::vector<OpId> found;
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, OpKind::Composite) && has_rule(module, op, rules) == with_rule)
      found.push_back(op);
  }
  return found;
}

Result<OpId> decomposition_of(const Module& module, OpId composite) {
  const auto* symbol = module.attribute<ir::SymbolAttr>(composite, ir::attr::kDecomposition);
  Result<OpId> function =
      lookup_function(module, symbol ? std::string_view(symbol->name) : std::string_view());
  if (!function) function.error().location = module.location_text(composite);
  return function;
}

void replace_by_call(Module& module, OpId composite, std::string_view callee) {
  ir::OpSpec spec{.kind = OpKind::FuncCall};
  spec.operands = module.operands(composite);
  for (const ir::ValueId result : module.results(composite)) {
    spec.result_types.push_back(module.type(result));
  }
  spec.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(callee)});
  for (const std::string_view kept : {ir::kShardingAttr, ir::kDrawAttr}) {
    const ir::Attribute* attribute = module.attributes(composite).find(kept);
    if (attribute != nullptr) spec.attributes.set(std::string(kept), *attribute);
  }
  ir::Builder builder = ir::Builder::before(module, composite);
  builder.set_location(module.location(composite));
  const OpId call = builder.create(std::move(spec));
  for (std::size_t index = 0; index < module.num_results(composite); ++index) {
    module.replace_all_uses(module.result(composite, index), module.result(call, index));
  }
  module.erase(composite);
}

/// Gives the arguments and returned values of the function the shardings of the composite's
/// operands and results.
void give_shardings(Module& module, OpId composite, OpId function) {
  const auto args = module.args(module.entry(function));
  for (std::size_t index = 0; index < args.size(); ++index) {
    const auto sharding = ir::get_sharding(module, module.operand(composite, index));
    if (sharding) ir::set_arg_sharding(module, function, index, *sharding);
  }
  const OpId last = module.last_op(module.entry(function));
  for (std::size_t index = 0; index < module.num_results(composite); ++index) {
    const auto sharding = ir::get_sharding(module, module.result(composite, index));
    const ir::ValueId returned = module.operand(last, index);
    if (sharding && !ir::get_sharding(module, returned)) {
      ir::set_sharding(module, returned, *sharding);
    }
  }
}

Status call_own_copies(Module& module, std::span<const OpId> found) {
  SymbolTable symbols(module);
  for (const OpId composite : found) {
    SHARDY_TRY(const OpId function, decomposition_of(module, composite));
    if (module.is_external(function)) {
      return fail_at(module.location_text(composite), "the decomposition has no body");
    }
    SHARDY_TRY(const OpId copy, symbols.clone_function(function));
    symbols.insert(copy);
    module.attributes(copy).set("sym_visibility", std::string("private"));
    give_shardings(module, composite, copy);
    replace_by_call(module, composite, module.symbol_name(copy));
  }
  return {};
}

}  // namespace

PassErrors composites_to_calls(Module& module, const rules::Registry& rules, bool all) {
  std::vector<OpId> found = composites(module, false, rules);
  const std::vector<OpId> ruled = all ? composites(module, true, rules) : std::vector<OpId>();
  found.insert(found.end(), ruled.begin(), ruled.end());
  for (const OpId composite : found) {
    const Result<OpId> function = decomposition_of(module, composite);
    if (!function) return {function.error()};
    replace_by_call(module, composite, module.symbol_name(*function));
  }
  return {};
}

PassErrors ruled_composites_to_calls(Module& module, const rules::Registry& rules,
                                     const propagation::PropagationExtensions* extensions) {
  constexpr int kMaxDepth = 1000;  // nested decompositions; equals the limit of nested regions
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const std::vector<OpId> found = composites(module, true, rules);
    if (found.empty()) return {};
    if (Status done = call_own_copies(module, found); !done) return {done.error()};
    propagation::PropagationOptions options;
    options.keep_sharding_rules = true;
    options.lowering_rules = true;
    options.registry = &rules;
    options.extensions = extensions;
    const auto report = propagation::propagate(module, options);
    if (!report) return {report.error()};
  }
  return {Error{"a composite is a part of its own decomposition"}};
}

}  // namespace shardy::passes
