// Custom calls that carry shardings take and return values instead of tuples. Spec: interop 5.5.
//
//   %0 = stablehlo.tuple %a, %b                              %0:2 = custom_call @Sharding(%a, %b)
//   %1 = custom_call @Sharding(%0) : tuple<T, T>        ->   use %0#0
//   %2 = stablehlo.get_tuple_element %1[0]
//   use %2
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

bool is_made_tuple(const Module& module, ValueId value) {
  const OpId maker = module.defining_op(value);
  return maker.valid() && module.is(maker, OpKind::Tuple);
}

/// Returns the operands of a call with the elements of tuples, also nested ones, in place of the
/// tuples.
std::vector<ValueId> flat_operands(const Module& module, OpId call) {
  std::vector<ValueId> flat;
  std::vector<ValueId> open = module.operands(call);
  std::ranges::reverse(open);
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (!is_made_tuple(module, value)) {
      flat.push_back(value);
      continue;
    }
    std::vector<ValueId> elements = module.operands(module.defining_op(value));
    open.insert(open.end(), elements.rbegin(), elements.rend());
  }
  return flat;
}

/// Returns the tuple type of a result if all its users are get_tuple_element; else null.
const ir::TupleType* taken_apart(const Module& module, ValueId result) {
  const auto* tuple = module.type(result).as<ir::TupleType>();
  if (tuple == nullptr || tuple->elements.empty()) return nullptr;
  const std::vector<ir::Use> uses = module.uses(result);
  const bool all = std::ranges::all_of(
      uses, [&](const ir::Use& use) { return module.is(use.op, OpKind::GetTupleElement); });
  return all ? tuple : nullptr;
}

/// Erases dead tuples and the tuples that only they used.
void erase_dead_tuples(Module& module, std::vector<ValueId> values) {
  while (!values.empty()) {
    const OpId maker = module.defining_op(values.back());
    values.pop_back();
    const bool is_dead = maker.valid() && !module.is_erased(maker) &&
                         module.is(maker, OpKind::Tuple) &&
                         module.num_uses(module.result(maker)) == 0;
    if (!is_dead) continue;
    const std::vector<ValueId> elements = module.operands(maker);
    values.insert(values.end(), elements.begin(), elements.end());
    module.erase(maker);
  }
}

/// Replaces the get_tuple_element users of `result` by the results of `flat` from `first` on.
void replace_elements(Module& module, ValueId result, OpId flat, std::size_t first) {
  for (const ir::Use& use : module.uses(result)) {
    const auto* index = module.attribute<ir::IntegerAttr>(use.op, ir::attr::kIndex);
    module.replace_all_uses(module.result(use.op),
                            module.result(flat, first + static_cast<std::size_t>(index->value)));
    module.erase(use.op);
  }
}

/// Removes one level of tuples from the results and all levels from the operands. Returns the new
/// call; std::nullopt if the call has no tuples.
std::optional<OpId> flatten_call(Module& module, OpId call) {
  const std::vector<ValueId> old = module.operands(call);
  const std::vector<ValueId> results = module.results(call);
  ir::OpSpec spec{.kind = OpKind::CustomCall};
  spec.operands = flat_operands(module, call);
  for (const ValueId result : results) {
    const ir::TupleType* tuple = taken_apart(module, result);
    if (tuple == nullptr) {
      spec.result_types.push_back(module.type(result));
    } else {
      spec.result_types.insert(spec.result_types.end(), tuple->elements.begin(),
                               tuple->elements.end());
    }
  }
  const bool has_tuple = std::ranges::any_of(
      results, [&](ValueId result) { return taken_apart(module, result) != nullptr; });
  if (!has_tuple && spec.operands == old) return std::nullopt;
  spec.attributes = module.attributes(call);
  spec.location = module.location(call);
  const OpId flat = module.create(std::move(spec));
  module.insert_before(call, flat);
  std::size_t first = 0;
  for (const ValueId result : results) {
    const ir::TupleType* tuple = taken_apart(module, result);
    const std::size_t count = tuple != nullptr ? tuple->elements.size() : 1;
    if (tuple == nullptr) {
      module.replace_all_uses(result, module.result(flat, first));
    } else {
      replace_elements(module, result, flat, first);
    }
    first += count;
  }
  module.erase(call);
  erase_dead_tuples(module, old);
  return flat;
}

/// Checks for a sharding by the target of the call or by its attributes.
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
    for (std::optional<OpId> flat = op; flat;) flat = flatten_call(module, *flat);
  }
}

}  // namespace shardy::passes
