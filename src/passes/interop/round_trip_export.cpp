// Export of sdy shardings as frontend attributes and custom calls of XLA's round trip. Spec:
// interop 7.2.
//
//   sdy.mesh @mesh = <["x"=2]>           ->  {xla.sdy.meshes = "{mesh = #sdy.mesh<["x"=2]>}"}
//   %a [<@mesh, [{"x"}p1]>]              ->  %a {xla.sdy.sharding = "#sdy.sharding<@mesh, ..>"}
//   %1 = sdy.sharding_constraint %0      ->  %1 = custom_call @Sharding(%0)
//   func.func -> (T [{"x"}])             ->  %2 = custom_call @xla.sdy.FuncResultSharding(%1)
//     return %1                                return %2
//   %1 = sdy.manual_computation(%0)          %1 = custom_call @xla.sdy.GlobalToLocalShape(%0)
//     manual_axes={"x"} (%x) { body }    ->  %2 = call @xla.sdy.manual_computation_body(%1)
//                                            %3 = custom_call @xla.sdy.LocalToGlobalShape(%2)
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/interop/foreign_export.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"

namespace shardy::passes {

namespace {

std::string list_text(const ir::ShardingList& list) {
  UnresolvedShardings unresolved;
  for (const TensorSharding& sharding : list.shardings) unresolved.push_back(spell(sharding));
  return attribute_text(SdyAttribute(unresolved));
}

/// Returns a custom call with side effects, so that other compilers do not remove it.
ir::OpSpec effect_call(const Module& module, std::string_view target, OpId like) {
  ir::OpSpec spec{.kind = OpKind::CustomCall};
  spec.attributes.set(ir::attr::kCallTargetName, std::string(target));
  spec.attributes.set(ir::attr::kHasSideEffect, true);
  spec.location = module.location(like);
  return spec;
}

// ---- Ops ----------------------------------------------------------------------------------------

void export_constraint(Module& module, OpId op) {
  const auto* sharding = module.attribute<TensorSharding>(op, ir::attr::kSharding);
  ir::OpSpec spec =
      marker_call(module, target::kSharding, module.operand(op, 0), module.type(module.result(op)));
  ir::AttributeMap others = module.attributes(op);
  others.erase(ir::attr::kSharding);
  for (const ir::NamedAttribute& other : others) spec.attributes.set(other.name, other.value);
  if (sharding != nullptr) {
    spec.attributes.set(ir::kShardingAttr, ir::ShardingList{{*sharding}});
    keep_unreduced(spec, *sharding);
  }
  spec.location = module.location(op);
  replace_op(module, op, std::move(spec));
}

void export_group(Module& module, OpId op) {
  const auto* id = module.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId);
  ir::OpSpec spec = effect_call(module, target::kGroup, op);
  spec.operands = module.operands(op);
  set_frontend(spec.attributes, key::kGroupId,
               std::to_string(id != nullptr ? id->value : 0) + " : i64");
  replace_op(module, op, std::move(spec));
}

void export_barrier(Module& module, OpId op) {
  constexpr std::array<std::string_view, 4> kDirections = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  const auto* direction = module.attribute<ir::EnumAttr>(op, ir::attr::kAllowedDirection);
  int number = 0;
  for (std::size_t index = 0; index < kDirections.size(); ++index) {
    if (direction != nullptr && direction->value == kDirections[index]) {
      number = static_cast<int>(index);
    }
  }
  ir::OpSpec spec = effect_call(module, target::kBarrier, op);
  spec.operands = module.operands(op);
  spec.result_types = {module.type(module.result(op))};
  set_frontend(spec.attributes, key::kDirection, std::to_string(number) + " : i32");
  replace_op(module, op, std::move(spec));
}

Status export_op(Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyShardingConstraint:
      export_constraint(module, op);
      return {};
    case OpKind::SdyShardingGroup:
      export_group(module, op);
      return {};
    case OpKind::SdyPropagationBarrier:
      export_barrier(module, op);
      return {};
    case OpKind::SdyReshard:
    case OpKind::SdyNamedComputation:
    case OpKind::SdyDataFlowEdge:
    case OpKind::SdyFuncDataFlowEdge:
      break;
    default:
      if (!ir::is_sdy_collective(module.kind(op))) return {};
  }
  return fail_at_place(module, {op},
                       std::string(module.name(op)) + " is not part of the form of the round trip");
}

}  // namespace

Diagnostics export_round_trip_ops(Module& module) {
  export_constants(module);
  for (const OpId op : ir::pre_order(module)) {
    if (Status status = export_op(module, op); !status) return {std::move(status).error()};
  }
  return {};
}

// ---- Manual computations ------------------------------------------------------------------------

namespace {

void export_computation(Module& module, OpId op, SymbolTable& symbols) {
  const auto* own = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  const auto* in = module.attribute<ir::ShardingList>(op, ir::attr::kInShardings);
  const auto* out = module.attribute<ir::ShardingList>(op, ir::attr::kOutShardings);
  const std::string axes = attribute_text(SdyAttribute(own != nullptr ? own->names : ManualAxes()));
  const std::string ins = list_text(in != nullptr ? *in : ir::ShardingList());
  const std::string outs = list_text(out != nullptr ? *out : ir::ShardingList());
  const OpId function = outline_body(module, op, symbols, "xla.sdy.manual_computation_body");
  ir::OpSpec call{.kind = OpKind::FuncCall};
  if (module.num_operands(op) > 0) {
    ir::OpSpec enter = effect_call(module, target::kGlobalToLocal, op);
    enter.operands = module.operands(op);
    enter.result_types = module.arg_types(function);
    set_frontend(enter.attributes, key::kIn, ins);
    set_frontend(enter.attributes, key::kManualAxes, axes);
    const OpId made = module.create(std::move(enter));
    module.insert_before(op, made);
    call.operands = module.results(made);
  }
  call.result_types = module.function(function).result_types;
  call.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(module.symbol_name(function))});
  set_frontend(call.attributes, "inlineable", "false");
  const bool is_alone = module.num_operands(op) == 0 && module.num_results(op) == 0;
  if (is_alone) set_frontend(call.attributes, key::kManualAxes, axes);
  call.location = module.location(op);
  const OpId made = module.create(std::move(call));
  module.insert_before(op, made);
  if (module.num_results(op) > 0) {
    ir::OpSpec leave = effect_call(module, target::kLocalToGlobal, op);
    leave.operands = module.results(made);
    leave.result_types = ir::detail::result_types(module, op);
    set_frontend(leave.attributes, key::kOut, outs);
    set_frontend(leave.attributes, key::kManualAxes, axes);
    replace_op(module, op, std::move(leave));
  } else {
    module.erase(op);
  }
}

}  // namespace

Diagnostics export_round_trip_manual(Module& module) {
  SymbolTable symbols(module);
  for (const OpId op : manual_computations(module)) export_computation(module, op, symbols);
  return {};
}

// ---- Attributes ---------------------------------------------------------------------------------

namespace {

void export_module_meshes(Module& module) {
  std::map<std::string, Mesh> meshes;
  for (const OpId op : module.meshes()) {
    const auto* mesh = module.attribute<Mesh>(op, ir::attr::kMesh);
    if (mesh != nullptr) meshes.emplace(module.symbol_name(op), *mesh);
  }
  std::string text;
  for (const auto& [name, mesh] : meshes) {
    text += text.empty() ? "{" : ", ";
    const bool is_bare = is_ident(name) && name.find('$') == std::string::npos;
    text += (is_bare ? name : in_quotes(name)) + " = " + attribute_text(mesh);
  }
  if (!text.empty()) set_frontend(module.module_attributes(), key::kMeshes, text + "}");
}

void export_op_attrs(Module& module, OpId op, bool with_names) {
  ir::AttributeMap& attributes = module.attributes(op);
  if (const auto* rule = attributes.get<OpShardingRule>(ir::kShardingRuleAttr)) {
    set_frontend(attributes, key::kRule, attribute_text(*rule));
    attributes.erase(ir::kShardingRuleAttr);
  }
  const auto* list = attributes.get<ir::ShardingList>(ir::kShardingAttr);
  if (list != nullptr && !with_names) set_frontend(attributes, key::kSharding, list_text(*list));
}

/// Inserts FuncResultSharding calls before the return.
void export_results(Module& module, OpId function) {
  if (module.is_external(function)) return;
  const OpId last = module.last_op(module.entry(function));
  for (std::size_t index = 0; index < module.num_operands(last); ++index) {
    const auto sharding = ir::result_sharding(module, function, index);
    if (!sharding) continue;
    const ValueId value = module.operand(last, index);
    ir::OpSpec spec = effect_call(module, target::kFuncResult, last);
    spec.operands = {value};
    spec.result_types = {module.type(value)};
    set_frontend(spec.attributes, key::kSharding, list_text({{*sharding}}));
    const OpId made = module.create(std::move(spec));
    module.insert_before(last, made);
    module.set_operand(last, index, module.result(made));
  }
}

void export_signature_attrs(Module& module, OpId function, bool with_names) {
  ir::FunctionData& data = module.function(function);
  for (ir::AttributeMap& attributes : data.arg_attributes) {
    const auto* sharding = attributes.get<TensorSharding>(ir::kShardingAttr);
    if (sharding == nullptr || with_names) continue;
    set_frontend(attributes, key::kSharding, attribute_text(*sharding));
  }
  if (const auto* name = module.attribute<std::string>(function, kOriginalFuncNameAttr)) {
    set_frontend(module.attributes(function), key::kOriginalName, std::string(*name));
    module.attributes(function).erase(kOriginalFuncNameAttr);
  }
  if (!with_names) export_results(module, function);
}

/// Checks whether the module has a call of a manual computation. Its attributes name a mesh, even
/// if the shardings of other ops are written with axis names only.
bool names_meshes(const Module& module) {
  return std::ranges::any_of(ir::pre_order(module), [&](OpId op) {
    const ir::AttributeMap& attributes = module.attributes(op);
    return frontend_entry(attributes, key::kIn) != nullptr ||
           frontend_entry(attributes, key::kOut) != nullptr;
  });
}

}  // namespace

Diagnostics export_round_trip_attrs(Module& module, bool with_names) {
  for (const OpId op : ir::pre_order(module)) {
    if (module.is(op, OpKind::Func)) {
      export_signature_attrs(module, op, with_names);
    } else {
      export_op_attrs(module, op, with_names);
    }
  }
  if (!with_names || names_meshes(module)) export_module_meshes(module);
  return {};
}

}  // namespace shardy::passes
