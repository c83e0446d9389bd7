// Steps of XLA's pipelines that are not about shardings. Spec: interop 6.1, 6.7, 7.1.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/interop/imports.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

// ---- Bodies and callbacks -----------------------------------------------------------------------
// Passes for the bodies of manual computations and for Python callbacks. Spec: interop 6.1, 7.1.
//
//   clone_manual_bodies: one body per call
//     %0 = call @xla.sdy.manual_computation_body(%a)          %0 = call @..body(%a)
//     %1 = call @xla.sdy.manual_computation_body(%0)    ->    %1 = call @..body_0(%0)
//
//   import_callbacks: a result that can have a sharding
//     custom_call @xla_python_cpu_callback(%a) : () ->  %0 = custom_call @.. : tensor<i1>
//
//   export_callbacks: a tuple of the result, or no result if it has no uses
//     %0 = custom_call @.. : T                          ->  %0 = custom_call @.. : tuple<T>
//                                                           %1 = get_tuple_element %0[0]

// ---- Bodies -------------------------------------------------------------------------------------

Diagnostics clone_manual_bodies(Module& module) {
  SymbolTable symbols(module);
  std::set<OpId> called;
  for (const OpId call : ir::call_graph(module).calls) {
    const auto callee = ir::callee_of(module, call);
    const bool is_body =
        callee && module.symbol_name(*callee).find(kManualBody) != std::string_view::npos;
    if (!is_body || called.insert(*callee).second) continue;
    Result<OpId> copy = symbols.clone_function(*callee);
    if (!copy) return {std::move(copy).error()};
    symbols.insert(*copy);
    set_callee(module, call, module.symbol_name(*copy));
  }
  return {};
}

// ---- Callbacks ----------------------------------------------------------------------------------

namespace {

std::vector<OpId> callbacks(const Module& module) {
  std::vector<OpId> found = ir::pre_order(module);
  std::erase_if(found, [&](OpId op) { return !is_callback(call_target(module, op)); });
  return found;
}

/// Inserts a copy of the call with other result types. Keeps the original.
OpId with_results(Module& module, OpId call, std::vector<ir::Type> types) {
  ir::OpSpec spec{.kind = OpKind::CustomCall};
  spec.operands = module.operands(call);
  spec.result_types = std::move(types);
  spec.attributes = module.attributes(call);
  spec.location = module.location(call);
  const OpId made = module.create(std::move(spec));
  module.insert_before(call, made);
  return made;
}

bool gives_nothing(const Module& module, OpId call) {
  if (module.num_results(call) == 0) return true;
  if (module.num_results(call) > 1 || module.num_uses(module.result(call)) > 0) return false;
  const auto* tuple = module.type(module.result(call)).as<ir::TupleType>();
  return tuple != nullptr && tuple->elements.empty();
}

/// Replaces the call by one without results.
void drop_results(Module& module, OpId call) {
  const OpId made = with_results(module, call, {});
  ir::AttributeMap& attributes = module.attributes(made);
  if (attributes.contains(ir::attr::kResultLayouts)) {
    attributes.set(ir::attr::kResultLayouts, ir::ArrayAttr{});
  }
  module.erase(call);
}

/// Replaces the call by one that returns a tuple of its result.
void wrap_result(Module& module, OpId call) {
  const ir::Type type = module.type(module.result(call));
  const OpId made = with_results(module, call, {ir::Type(ir::TupleType{{type}})});
  ir::OpSpec spec{
      .kind = OpKind::GetTupleElement, .operands = {module.result(made)}, .result_types = {type}};
  spec.attributes.set(ir::attr::kIndex, ir::IntegerAttr{0, ir::ElementType::I32});
  if (const ir::Attribute* text = mhlo_sharding(module.attributes(call))) {
    spec.attributes.set(kMhloShardingAttr, *text);
  }
  spec.location = module.location(call);
  const OpId element = module.create(std::move(spec));
  module.insert_before(call, element);
  module.replace_all_uses(module.result(call), module.result(element));
  module.erase(call);
}

void export_callback(Module& module, OpId call) {
  if (module.num_results(call) != 1) return;
  const ValueId result = module.result(call);
  if (module.num_uses(result) == 0) {
    drop_results(module, call);
  } else if (module.type(result).as<ir::TupleType>() == nullptr) {
    wrap_result(module, call);
  }
}

}  // namespace

Diagnostics import_callbacks(Module& module) {
  for (const OpId call : callbacks(module)) {
    if (!gives_nothing(module, call)) continue;
    with_results(module, call, {ir::Type::tensor({}, ir::ElementType::I1)});
    module.erase(call);
  }
  return {};
}

Diagnostics export_callbacks(Module& module) {
  for (const OpId call : callbacks(module)) export_callback(module, call);
  return {};
}

// ---- Constants and captured values --------------------------------------------------------------
// Steps of the import pipelines that are not about shardings. Spec: interop 6.1, 6.7.
//
//   %0 = stablehlo.constant 1.0        ->   %0 = sdy.constant 1.0
//
//   %0 = while(%i) {                        %1 = sdy.sharding_constraint %a [{?}]
//     use %a  (captured)               ->   %0 = while(%i) {
//   }                                         use %1
//                                           }

Diagnostics import_constants(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::Constant)) continue;
    ir::OpSpec spec{.kind = OpKind::SdyConstant,
                    .result_types = ir::detail::result_types(module, op),
                    .attributes = module.attributes(op)};
    replace_op(module, op, std::move(spec));
  }
  return {};
}

namespace {

/// The set of ops in the regions of an op.
class NestedOps {
 public:
  NestedOps(const Module& module, OpId outer) : module_(module) {
    add_blocks(outer);
    for (const ir::RegionId region : module.regions(outer)) {
      for (const ir::BlockId block : module.blocks(region)) {
        for (const OpId op : ir::pre_order(module, block)) add(op);
      }
    }
  }

  const std::vector<OpId>& ops() const { return ops_; }
  bool makes(ValueId value) const {
    const ir::ValueOwner owner = module_.owner(value);
    return owner.is_result() ? members_.contains(owner.op) : blocks_.contains(owner.block);
  }

 private:
  void add(OpId op) {
    ops_.push_back(op);
    members_.insert(op);
    add_blocks(op);
  }
  void add_blocks(OpId op) {
    for (const ir::RegionId region : module_.regions(op)) {
      for (const ir::BlockId block : module_.blocks(region)) blocks_.insert(block);
    }
  }

  const Module& module_;
  std::vector<OpId> ops_;
  std::set<OpId> members_;
  std::set<ir::BlockId> blocks_;
};

/// Returns the captured values of a loop in order of their first use, each with its uses.
std::vector<std::pair<ValueId, std::vector<ir::Use>>> captured(const Module& module, OpId loop) {
  const NestedOps inside(module, loop);
  std::vector<std::pair<ValueId, std::vector<ir::Use>>> uses;
  std::map<ValueId, std::size_t> index;
  for (const OpId op : inside.ops()) {
    for (std::size_t operand = 0; operand < module.num_operands(op); ++operand) {
      const ValueId value = module.operand(op, operand);
      if (inside.makes(value)) continue;
      const auto [place, is_new] = index.emplace(value, uses.size());
      if (is_new) uses.emplace_back(value, std::vector<ir::Use>());
      uses[place->second].second.push_back({op, static_cast<uint32_t>(operand)});
    }
  }
  return uses;
}

}  // namespace

Diagnostics open_while_free_vars(Module& module) {
  for (const OpId loop : ir::pre_order(module)) {
    if (!module.is(loop, OpKind::While)) continue;
    for (const auto& [value, uses] : captured(module, loop)) {
      const auto sharding = ir::get_sharding(module, value);
      if (!sharding || sharding->rank() == 0 || *sharding == sharding->fully_open_like()) continue;
      ir::OpSpec spec = unary_op(module, OpKind::SdyShardingConstraint, value);
      spec.attributes.set(ir::attr::kSharding, sharding->fully_open_like());
      spec.location = module.location(loop);
      const OpId constraint = module.create(std::move(spec));
      module.insert_before(loop, constraint);
      for (const ir::Use& use : uses) {
        module.set_operand(use.op, use.operand, module.result(constraint));
      }
    }
  }
  return {};
}

}  // namespace shardy::passes
