// Tuples around custom calls that carry shardings. Spec: interop 5.5.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/interop/gspmd_import.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// The operands, with those that are tuples in pieces; nothing if there is none.
std::optional<std::vector<ValueId>> flat_operands(const Module& module, OpId call) {
  std::vector<ValueId> flat;
  bool has_tuple = false;
  for (const ValueId operand : module.operands(call)) {
    const OpId maker = module.defining_op(operand);
    if (maker.valid() && module.is(maker, OpKind::Tuple)) {
      has_tuple = true;
      for (const ValueId element : module.operands(maker)) flat.push_back(element);
    } else {
      flat.push_back(operand);
    }
  }
  return has_tuple ? std::optional(std::move(flat)) : std::nullopt;
}

/// The pieces of the one result, if it is a tuple of which all users take pieces.
const ir::TupleType* flat_result(const Module& module, OpId call) {
  if (module.num_results(call) != 1) return nullptr;
  const auto* tuple = module.type(module.result(call)).as<ir::TupleType>();
  if (tuple == nullptr || tuple->elements.empty()) return nullptr;
  for (const ir::Use& use : module.uses(module.result(call))) {
    if (!module.is(use.op, OpKind::GetTupleElement)) return nullptr;
  }
  return tuple;
}

void flatten_call(Module& module, OpId call) {
  const auto operands = flat_operands(module, call);
  const ir::TupleType* tuple = flat_result(module, call);
  if (!operands && tuple == nullptr) return;
  ir::OpSpec spec{.kind = OpKind::CustomCall};
  spec.operands = operands ? *operands : module.operands(call);
  spec.result_types = tuple != nullptr
                          ? std::vector<ir::Type>(tuple->elements.begin(), tuple->elements.end())
                          : ir::detail::result_types(module, call);
  spec.attributes = module.attributes(call);
  spec.location = module.location(call);
  const bool was_tuple = tuple != nullptr;
  const OpId flat = module.create(std::move(spec));
  module.insert_before(call, flat);
  if (was_tuple) {
    for (const ir::Use& use : module.uses(module.result(call))) {
      const auto* index = module.attribute<ir::IntegerAttr>(use.op, ir::attr::kIndex);
      module.replace_all_uses(module.result(use.op),
                              module.result(flat, static_cast<std::size_t>(index->value)));
      module.erase(use.op);
    }
  } else {
    for (std::size_t index = 0; index < module.num_results(call); ++index) {
      module.replace_all_uses(module.result(call, index), module.result(flat, index));
    }
  }
  const std::vector<ValueId> old = module.operands(call);
  module.erase(call);
  for (const ValueId operand : old) {
    const OpId maker = module.defining_op(operand);
    const bool is_dead = maker.valid() && !module.is_erased(maker) &&
                         module.is(maker, OpKind::Tuple) && module.num_uses(operand) == 0;
    if (is_dead) module.erase(maker);
  }
}

/// By its target, or since something is written on it.
bool carries_sharding(const Module& module, OpId op) {
  const std::string_view name = call_target(module, op);
  if (name.empty()) return false;
  const ir::AttributeMap& attributes = module.attributes(op);
  return name == target::kSharding || name == target::kFullToShard ||
         name == target::kShardToFull || name.starts_with(key::kPrefix) || is_callback(name) ||
         mhlo_sharding(attributes) != nullptr ||
         frontend_entry(attributes, key::kSharding) != nullptr;
}

}  // namespace

void flatten_tuples(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (module.is_erased(op) || !carries_sharding(module, op)) continue;
    flatten_call(module, op);
  }
}

}  // namespace shardy::passes
