// Replaces each tuple by several values, arguments, results or operands. Spec: interop 6.8.
//
//   func.func @main(%a: tuple<T, tuple<U, V>> {mhlo.sharding = "{{A}, {B}, {C}}"}) -> tuple<T, U>
//     %0 = stablehlo.get_tuple_element %a[0]
//   ->
//   func.func @main(%a: T {mhlo.sharding = "{A}"}, %b: U {.. "{B}"}, %c: V {.. "{C}"}) -> (T, U)
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "passes/interop/imports.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::RegionId;

namespace {

using Values = std::vector<ValueId>;
using Types = std::vector<Type>;

bool is_tuple(const Type& type) { return type.as<ir::TupleType>() != nullptr; }

/// Appends the types of the elements, including elements of nested tuples. Recursive: parsers limit
/// the depth.
void append_parts(const Type& type, Types& parts) {
  const auto* tuple = type.as<ir::TupleType>();
  if (tuple == nullptr) {
    parts.push_back(type);
    return;
  }
  for (const Type& element : tuple->elements) append_parts(element, parts);
}

Types parts_of(const Type& type) {
  Types parts;
  append_parts(type, parts);
  return parts;
}

template <class Each>
Types parts_of_all(const Each& types) {
  Types parts;
  for (const Type& type : types) append_parts(type, parts);
  return parts;
}

/// Splits `{{..}, /*index=1*/ {..}}` into leaves; empty if the text is a single sharding.
std::vector<std::string> leaves_of(const std::string& text) {
  std::vector<std::string> leaves;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' && ++depth == 2) begin = at;
    if (text[at] != '}') continue;
    if (--depth == 1) leaves.push_back(text.substr(begin, at + 1 - begin));
  }
  return leaves;
}

/// Returns for each element the attributes of its tuple, with the element's leaf of the sharding.
std::vector<AttributeMap> shared_out(const AttributeMap& attributes, std::size_t count) {
  std::vector<AttributeMap> shared(count, attributes);
  const auto* text = attributes.get<std::string>(kMhloShardingAttr);
  const std::vector<std::string> leaves =
      text == nullptr ? std::vector<std::string>() : leaves_of(*text);
  if (leaves.size() != count) return shared;
  for (std::size_t index = 0; index < count; ++index) {
    shared[index].set(kMhloShardingAttr, leaves[index]);
  }
  return shared;
}

/// Returns the attributes per element. The list may be shorter than the list of types.
std::vector<AttributeMap> flat_attributes(const std::vector<AttributeMap>& attributes,
                                          const Types& types) {
  std::vector<AttributeMap> flat;
  for (std::size_t index = 0; index < types.size(); ++index) {
    const AttributeMap own = index < attributes.size() ? attributes[index] : AttributeMap();
    if (!is_tuple(types[index])) {
      flat.push_back(own);
      continue;
    }
    const auto shared = shared_out(own, parts_of(types[index]).size());
    flat.insert(flat.end(), shared.begin(), shared.end());
  }
  return flat;
}

/// Checks whether operands, results and block arguments of the op may be lists of values instead of
/// tuples.
bool may_be_flat(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::Case:
    case OpKind::Composite:
    case OpKind::CustomCall:
    case OpKind::FuncCall:
    case OpKind::If:
    case OpKind::OptimizationBarrier:
    case OpKind::While:
      return true;
    default:
      return module.has_trait(op, ir::kTerminator);
  }
}

class TupleFlattener {
 public:
  explicit TupleFlattener(Module& module) : module_(module) {}

  Diagnostics run() {
    for (const OpId function : module_.functions()) flatten_function(function);
    for (const OpId op : ir::pre_order(module_)) {
      if (Status done = flatten(op); !done) return {std::move(done).error()};
    }
    for (auto op = replaced_.rbegin(); op != replaced_.rend(); ++op) module_.erase(*op);
    for (const auto& [block, count] : old_arguments_) {
      for (std::size_t index = count; index-- > 0;) module_.erase_argument(block, index);
    }
    return {};
  }

 private:
  bool has_tuple(const Values& values) const {
    return std::ranges::any_of(values,
                               [&](ValueId value) { return is_tuple(module_.type(value)); });
  }
  bool has_tuple_argument(OpId op) const {
    for (const RegionId region : module_.regions(op)) {
      for (const BlockId block : module_.blocks(region)) {
        const auto args = module_.args(block);
        if (has_tuple(Values(args.begin(), args.end()))) return true;
      }
    }
    return false;
  }
  Types types_of(const Values& values) const {
    Types types;
    for (const ValueId value : values) types.push_back(module_.type(value));
    return types;
  }

  void flatten_function(OpId function) {
    ir::FunctionData& data = module_.function(function);
    const Types args = module_.arg_types(function);
    if (!std::ranges::any_of(args, is_tuple) && !std::ranges::any_of(data.result_types, is_tuple)) {
      return;
    }
    // Result indices change, so aliasing hints would be wrong.
    for (AttributeMap& attributes : data.arg_attributes) attributes.erase(kAliasingOutputAttr);
    data.arg_attributes = flat_attributes(data.arg_attributes, args);
    data.result_attributes = flat_attributes(data.result_attributes, data.result_types);
    data.result_types = parts_of_all(data.result_types);
    data.declared_arg_types = parts_of_all(data.declared_arg_types);
    if (!module_.is_external(function)) flatten_arguments(module_.entry(function));
  }

  /// Appends the new arguments. The old ones have no uses after all ops are converted.
  void flatten_arguments(BlockId block) {
    const auto args = module_.args(block);
    const Values old(args.begin(), args.end());
    if (!has_tuple(old)) return;
    old_arguments_.emplace_back(block, old.size());
    for (const ValueId arg : old) {
      Values parts;
      for (const Type& type : parts_of(Type(module_.type(arg)))) {
        parts.push_back(module_.add_argument(block, type));
      }
      if (is_tuple(module_.type(arg))) {
        parts_.emplace(arg, std::move(parts));
      } else {
        module_.replace_all_uses(arg, parts.front());
      }
    }
  }

  Status flatten(OpId op) {
    if (module_.is(op, OpKind::Func)) return {};
    const Values operands = module_.operands(op);
    const Values results = module_.results(op);
    if (!has_tuple(operands) && !has_tuple(results) && !has_tuple_argument(op)) return {};
    for (const ValueId operand : operands) {
      const bool is_known = !is_tuple(module_.type(operand)) || parts_.contains(operand);
      if (!is_known) return refuse(op, "is defined after it");
    }
    if (module_.is(op, OpKind::Tuple)) return flatten_tuple(op);
    if (module_.is(op, OpKind::GetTupleElement)) return flatten_element(op);
    if (!may_be_flat(module_, op)) return refuse(op, "is not passed on as several values");
    SHARDY_TRY_STATUS(check_attributes(op));
    module_.set_operands(op, flat(operands));
    const OpId made = has_tuple(results) ? with_flat_results(op) : op;
    for (const RegionId region : module_.regions(made)) {
      for (const BlockId block : module_.blocks(region)) flatten_arguments(block);
    }
    return {};
  }

  tl::unexpected<Error> refuse(OpId op, std::string_view why) const {
    return fail_at(module_.source_location(op),
                   std::string(module_.name(op)) + ": a tuple " + std::string(why));
  }

  Values flat(const Values& values) const {
    Values all;
    for (const ValueId value : values) {
      const auto found = parts_.find(value);
      if (found == parts_.end()) {
        all.push_back(value);
      } else {
        all.insert(all.end(), found->second.begin(), found->second.end());
      }
    }
    return all;
  }

  Status flatten_tuple(OpId op) {
    parts_.emplace(module_.result(op), flat(module_.operands(op)));
    replaced_.push_back(op);
    return {};
  }

  Status flatten_element(OpId op) {
    const ValueId tuple = module_.operand(op, 0);
    const auto& elements = module_.type(tuple).as<ir::TupleType>()->elements;
    const auto index =
        static_cast<std::size_t>(module_.attribute<ir::IntegerAttr>(op, ir::attr::kIndex)->value);
    const std::size_t begin = parts_of_all(std::span(elements).first(index)).size();
    const std::size_t count = parts_of(elements[index]).size();
    const Values& all = parts_.at(tuple);
    const ValueId result = module_.result(op);
    if (is_tuple(module_.type(result))) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
      parts_.emplace(result, Values(first, first + static_cast<std::ptrdiff_t>(count)));
    } else {
      module_.replace_all_uses(result, all[begin]);
    }
    replaced_.push_back(op);
    return {};
  }

  /// Checks attributes that contain operand indices.
  Status check_attributes(OpId op) const {
    if (!module_.is(op, OpKind::CustomCall) || !has_tuple(module_.operands(op))) return {};
    for (const std::string_view name :
         {ir::attr::kOperandLayouts, ir::attr::kOutputOperandAliases}) {
      const auto* list = module_.attribute<ir::ArrayAttr>(op, name);
      if (list != nullptr && !list->elements.empty()) {
        return refuse(op, "is an operand that '" + std::string(name) + "' refers to");
      }
    }
    return {};
  }

  /// Creates an op with the same body and with elements instead of tuples as results.
  OpId with_flat_results(OpId op) {
    ir::OpSpec spec{.kind = module_.kind(op)};
    spec.operands = module_.operands(op);
    spec.result_types = parts_of_all(types_of(module_.results(op)));
    spec.attributes = module_.attributes(op);
    spec.location = module_.location(op);
    const std::vector<RegionId> regions(module_.regions(op).begin(), module_.regions(op).end());
    for (const RegionId region : regions) spec.regions.push_back(moved(region));
    share_sharding(op, spec);
    const OpId flat = module_.create(std::move(spec));
    module_.insert_before(op, flat);
    std::size_t next = 0;
    for (const ValueId result : module_.results(op)) {
      Values parts;
      const std::size_t count = parts_of(Type(module_.type(result))).size();
      for (std::size_t part = 0; part < count; ++part)
        parts.push_back(module_.result(flat, next++));
      if (is_tuple(module_.type(result))) {
        parts_.emplace(result, std::move(parts));
      } else {
        module_.replace_all_uses(result, parts.front());
      }
    }
    replaced_.push_back(op);
    return flat;
  }

  /// Copies a single sharding of a tuple to all elements. An empty tuple becomes no results: the
  /// sharding then is the op's own.
  void share_sharding(OpId op, ir::OpSpec& spec) const {
    const auto* held = module_.attribute<ir::ShardingList>(op, ir::kShardingAttr);
    if (held == nullptr || held->shardings.size() == spec.result_types.size()) return;
    if (held->shardings.size() != 1 || spec.result_types.empty()) return;
    ir::ShardingList all = *held;
    all.shardings.resize(spec.result_types.size(), held->shardings.front());
    spec.attributes.set(std::string(ir::kShardingAttr), std::move(all));
  }

  RegionId moved(RegionId region) {
    const RegionId made = module_.new_region();
    const std::vector<BlockId> blocks(module_.blocks(region).begin(), module_.blocks(region).end());
    for (const BlockId block : blocks) {
      const auto args = module_.args(block);
      const Values old(args.begin(), args.end());
      const BlockId to = module_.new_block(made, types_of(old));
      for (std::size_t index = 0; index < old.size(); ++index) {
        module_.replace_all_uses(old[index], module_.args(to)[index]);
      }
      module_.splice(block, to);
    }
    return made;
  }

  Module& module_;
  std::map<ValueId, Values> parts_;  // elements of the tuples visited so far
  std::vector<OpId> replaced_;       // users come after definitions
  // Numbers of old arguments, which come first in a block.
  std::vector<std::pair<BlockId, std::size_t>> old_arguments_;
};

}  // namespace

bool has_tuples(const Module& module) {
  const auto any = [&](const auto& types) { return std::ranges::any_of(types, is_tuple); };
  for (const OpId function : module.functions()) {
    if (any(module.arg_types(function)) || any(module.function(function).result_types)) return true;
  }
  return std::ranges::any_of(ir::pre_order(module), [&](OpId op) {
    return std::ranges::any_of(module.results(op),
                               [&](ValueId value) { return is_tuple(module.type(value)); });
  });
}

Diagnostics tuples_to_values(Module& module) {
  return has_tuples(module) ? TupleFlattener(module).run() : Diagnostics();
}

// ---- Custom calls -------------------------------------------------------------------------------
// Custom calls use and return several values instead of tuples. Spec: interop 5.5, 6.1.
//
//   %0 = stablehlo.tuple %a, %b                              %0:2 = custom_call @f(%a, %b)
//   %1 = custom_call @f(%0) : tuple<T, U>               ->   use %0#0
//   %2 = stablehlo.get_tuple_element %1[0]                   %1 = stablehlo.tuple %0#0, %0#1
//   use %2, %1                                               use %1

namespace {

const ir::TupleType* tuple_type(const Module& module, ValueId value) {
  return module.type(value).as<ir::TupleType>();
}

OpId insert_element(Module& module, OpId before, ValueId tuple, std::size_t index) {
  ir::OpSpec spec{.kind = OpKind::GetTupleElement,
                  .operands = {tuple},
                  .result_types = {tuple_type(module, tuple)->elements[index]}};
  spec.attributes.set(ir::attr::kIndex,
                      ir::IntegerAttr{static_cast<int64_t>(index), ir::ElementType::I32});
  spec.location = module.location(before);
  const OpId element = module.create(std::move(spec));
  module.insert_before(before, element);
  return element;
}

/// Returns the elements of a tuple. Inserts get_tuple_element ops before the call for a tuple that
/// no `stablehlo.tuple` makes.
std::vector<ValueId> elements_of(Module& module, OpId call, ValueId tuple) {
  const OpId maker = module.defining_op(tuple);
  if (maker.valid() && module.is(maker, OpKind::Tuple)) return module.operands(maker);
  std::vector<ValueId> elements;
  const std::size_t count = tuple_type(module, tuple)->elements.size();
  for (std::size_t index = 0; index < count; ++index) {
    elements.push_back(module.result(insert_element(module, call, tuple, index)));
  }
  return elements;
}

/// Returns the operands of a call in which elements replace tuples, including nested ones.
std::vector<ValueId> flat_operands(Module& module, OpId call) {
  std::vector<ValueId> flat;
  std::vector<ValueId> open = module.operands(call);
  std::ranges::reverse(open);
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (tuple_type(module, value) == nullptr) {
      flat.push_back(value);
      continue;
    }
    const std::vector<ValueId> elements = elements_of(module, call, value);
    open.insert(open.end(), elements.rbegin(), elements.rend());
  }
  return flat;
}

/// Erases dead tuples, and tuples that only dead tuples use.
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

/// Replaces the uses of the tuple `result` of `call` by its elements. Uses other than
/// get_tuple_element use a new tuple of the elements.
void replace_tuple(Module& module, OpId call, ValueId result,
                   const std::vector<ValueId>& elements) {
  for (const ir::Use& use : module.uses(result)) {
    if (!module.is(use.op, OpKind::GetTupleElement)) continue;
    const auto* index = module.attribute<ir::IntegerAttr>(use.op, ir::attr::kIndex);
    module.replace_all_uses(module.result(use.op),
                            elements[static_cast<std::size_t>(index->value)]);
    module.erase(use.op);
  }
  if (module.num_uses(result) == 0) return;
  ir::OpSpec spec{.kind = OpKind::Tuple,
                  .operands = elements,
                  .result_types = {module.type(result)},
                  .location = module.location(call)};
  const OpId tuple = module.create(std::move(spec));
  module.insert_before(call, tuple);
  module.replace_all_uses(result, module.result(tuple));
}

/// Removes one level of tuples from the results and all levels from the operands. Returns the new
/// call; std::nullopt if the call has no tuples.
std::optional<OpId> flatten_call(Module& module, OpId call) {
  const std::vector<ValueId> old = module.operands(call);
  const std::vector<ValueId> results = module.results(call);
  const auto is_tuple_value = [&](ValueId value) { return tuple_type(module, value) != nullptr; };
  if (std::ranges::none_of(old, is_tuple_value) && std::ranges::none_of(results, is_tuple_value)) {
    return std::nullopt;
  }
  ir::OpSpec spec{.kind = OpKind::CustomCall};
  spec.operands = flat_operands(module, call);
  for (const ValueId result : results) {
    const ir::TupleType* tuple = tuple_type(module, result);
    const Types parts = tuple != nullptr ? tuple->elements : Types{module.type(result)};
    spec.result_types.insert(spec.result_types.end(), parts.begin(), parts.end());
  }
  spec.attributes = module.attributes(call);
  spec.location = module.location(call);
  const OpId flat = module.create(std::move(spec));
  module.insert_before(call, flat);
  const std::vector<ValueId> values = module.results(flat);
  auto next = values.begin();
  for (const ValueId result : results) {
    const ir::TupleType* tuple = tuple_type(module, result);
    if (tuple == nullptr) {
      module.replace_all_uses(result, *next++);
      continue;
    }
    const auto end = next + static_cast<std::ptrdiff_t>(tuple->elements.size());
    replace_tuple(module, call, result, {next, end});
    next = end;
  }
  module.erase(call);
  erase_dead_tuples(module, old);
  return flat;
}

}  // namespace

void flatten_tuples(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (module.is_erased(op) || !module.is(op, OpKind::CustomCall)) continue;
    for (std::optional<OpId> flat = op; flat;) flat = flatten_call(module, *flat);
  }
}

}  // namespace shardy::passes
