// Function passes after propagation: named computations become functions, clones are merged,
// results get shardings. Spec: passes 5.9 to 5.12.
#include "passes/common/functions.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "passes/common/ops.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::passes {

// ---- Named computations -------------------------------------------------------------------------
// Named computations become private functions and calls. Spec: passes 5.9.
//
//   %0 = sdy.named_computation<"f">(%a) (%x) {         %0 = call @f(%a) [{"x", ?}]
//     %1 = sdy.data_flow_edge %x [{"x", ?}]
//     %2 = negate %1 [{"x", ?}]                        func.func private @f(%x [{"x", ?}]) {
//     sdy.return %2                                ->    %2 = negate %x [{"x", ?}]
//   }                                                    return %2
//   %3 = sdy.data_flow_edge %0 [{"x", ?}]              }

using ir::EdgeOwners;

namespace {

/// Returns the shardings of the edge ops if any edge op has one; else the shardings in the op's own
/// attribute.
std::optional<ir::ShardingList> shardings(const Module& module, OpId op, EdgeOwners which) {
  const std::vector<ValueId> owners = ir::edge_owners(module, op, which);
  const TensorSharding* first = nullptr;
  std::vector<const TensorSharding*> of_edges;
  for (const ValueId owner : owners) {
    const auto edge = ir::edge_op_of_owner(module, owner);
    of_edges.push_back(edge ? module.attribute<TensorSharding>(*edge, ir::attr::kSharding)
                            : nullptr);
    if (first == nullptr) first = of_edges.back();
  }
  if (first == nullptr) {
    const auto* stored = module.attribute<ir::ShardingList>(
        op, which == EdgeOwners::BlockArgs ? ir::attr::kInShardings : ir::attr::kOutShardings);
    return stored != nullptr ? std::optional(*stored) : std::nullopt;
  }
  ir::ShardingList list;
  for (std::size_t index = 0; index < owners.size(); ++index) {
    list.shardings.push_back(of_edges[index] != nullptr
                                 ? *of_edges[index]
                                 : ir::open_sharding_of(module, owners[index], *first));
  }
  return list;
}

void remove_edges(Module& module, const std::vector<ValueId>& owners) {
  for (const ValueId owner : owners) {
    for (const ir::Use& use : module.uses(owner)) {
      if (!module.is(use.op, OpKind::SdyDataFlowEdge)) continue;
      module.replace_all_uses(module.result(use.op), owner);
      module.erase(use.op);
    }
  }
}

OpId outline(Module& module, OpId op, SymbolTable& symbols) {
  const auto* name = module.attribute<std::string>(op, ir::attr::kName);
  const std::string original = name != nullptr ? *name : std::string();
  const auto in = shardings(module, op, EdgeOwners::BlockArgs);
  const OpId function = outline_body(module, op, symbols, original);
  ir::AttributeMap& attributes = module.attributes(function);
  attributes.set(kOriginalFuncNameAttr, original);
  if (const ir::Attribute* thread = module.attributes(op).find("execution_thread")) {
    attributes.set("execution_thread", *thread);
  }
  const auto args = module.args(module.entry(function));
  remove_edges(module, {args.begin(), args.end()});
  for (std::size_t index = 0; in && index < in->shardings.size(); ++index) {
    ir::set_arg_sharding(module, function, index, in->shardings[index]);
  }
  return function;
}

OpId replace_by_call(Module& module, OpId op, SymbolTable& symbols) {
  auto out = shardings(module, op, EdgeOwners::Results);
  const OpId function = outline(module, op, symbols);
  ir::OpSpec spec{.kind = OpKind::FuncCall};
  spec.operands = module.operands(op);
  spec.result_types = ir::detail::result_types(module, op);
  spec.attributes = module.attributes(op);
  for (const std::string_view own :
       {ir::attr::kName, ir::attr::kInShardings, ir::attr::kOutShardings,
        std::string_view("execution_thread")}) {
    spec.attributes.erase(own);
  }
  spec.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(module.symbol_name(function))});
  if (out) spec.attributes.set(ir::kShardingAttr, *std::move(out));
  return replace_op(module, op, std::move(spec));
}

}  // namespace

void export_named_computations(Module& module) {
  SymbolTable symbols(module);
  std::vector<OpId> calls;
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::SdyNamedComputation)) continue;
    calls.push_back(replace_by_call(module, op, symbols));
  }
  for (const OpId call : calls) remove_edges(module, module.results(call));
}

// ---- Results ------------------------------------------------------------------------------------
// Gives function results, and the calls of these functions, shardings. Spec: passes 5.10, 5.12.
//
//   sdy-propagate-to-func-results, for all functions but main:
//     func.func private @f(%a [{"x"}]) -> [{"y"}] { return %a }   ->   @f(%a [{"x"}]) -> [{"x"}]
//
//   sdy-insert-func-call-reshards, for @f with the result sharding [{"x"}]:
//     %0 = call @f(%a) [{"y"}]                                    ->   %0 = call @f(%a) [{"x"}]
//                                                                      %1 = sdy.reshard %0 [{"y"}]

namespace {

void set_result_shardings(Module& module, OpId function) {
  const OpId last = module.last_op(module.entry(function));
  if (!last.valid() || !module.is(last, OpKind::FuncReturn)) return;
  auto& attributes = module.function(function).result_attributes;
  if (attributes.size() < module.num_operands(last)) attributes.resize(module.num_operands(last));
  for (std::size_t index = 0; index < module.num_operands(last); ++index) {
    const auto sharding = ir::get_sharding(module, module.operand(last, index));
    if (sharding) {
      attributes[index].set(ir::kShardingAttr, *sharding);
    } else {
      attributes[index].erase(ir::kShardingAttr);
    }
  }
}

/// Returns the shardings of the callee's results; results without one count as fully closed.
/// std::nullopt if neither the callee nor the call has shardings.
std::optional<std::vector<TensorSharding>> produced(const Module& module, OpId call, OpId callee) {
  if (auto shardings = ir::func_result_shardings(module, callee)) return shardings;
  const auto* wanted = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (wanted == nullptr) return std::nullopt;
  std::vector<TensorSharding> closed;
  for (const TensorSharding& sharding : wanted->shardings) {
    closed.push_back(sharding.fully_closed_like());
  }
  return closed;
}

/// Checks whether a collective that requires the exact dim shardings of its operand, including open
/// dims, uses the value.
bool wants_same_dims(const Module& module, ValueId value) {
  return std::ranges::any_of(module.uses(value), [&](const ir::Use& use) {
    return module.is(use.op, OpKind::SdyReplicatedToUnreduced);
  });
}

void reshard_results(Module& module, OpId call, OpId callee) {
  auto shardings = produced(module, call, callee);
  if (!shardings || shardings->size() != module.num_results(call)) return;
  for (std::size_t index = 0; index < shardings->size(); ++index) {
    const std::optional<TensorSharding> have = (*shardings)[index];
    const ValueId result = module.result(call, index);
    const auto wanted = ir::detail::get_in_list(module.attributes(call), ir::kShardingAttr, index);
    const bool is_same = have == wanted || !wants_same_dims(module, result);
    if (is_equivalent(have, wanted) && is_same) {
      reshard_for_collectives(module, result, *have);
      continue;
    }
    const TensorSharding to = wanted ? *wanted : have->fully_closed_like();
    // The reshard is inserted directly after the call, so reshards of later results precede those
    // of earlier ones.
    const OpId made = insert_after(module, call, result, reshard_op(module, result, to));
    reshard_for_collectives(module, module.result(made), to);
  }
  module.attributes(call).set(ir::kShardingAttr, ir::ShardingList{*std::move(shardings)});
}

}  // namespace

Diagnostics propagate_to_func_results(Module& module) {
  Result<OpId> main = require_main_function(module);
  if (!main) return {std::move(main).error()};
  for (const OpId function : module.functions()) {
    if (function == *main || module.is_external(function)) continue;
    set_result_shardings(module, function);
  }
  return {};
}

Diagnostics insert_func_call_reshards(Module& module) {
  Diagnostics errors;
  for (const OpId call : ir::post_order(module)) {
    if (!module.is(call, OpKind::FuncCall)) continue;
    Result<OpId> callee = called_function(module, call);
    if (callee) {
      reshard_results(module, call, *callee);
    } else {
      errors.push_back(std::move(callee).error());
    }
  }
  return errors;
}

// ---- Equality of bodies -------------------------------------------------------------------------

using ir::NamedAttribute;

namespace {

bool has_part(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// Checks whether propagation wrote the attribute. The shardings of constraints and reshards come
/// from the user.
bool is_annotation(const Module& module, OpId op, const NamedAttribute& entry) {
  if (has_part(entry.name, "sharding_origin") || has_part(entry.name, "propagation_edges")) {
    return true;
  }
  if (module.is(op, OpKind::SdyShardingConstraint) || module.is(op, OpKind::SdyReshard)) {
    return false;
  }
  const ir::Attribute& value = entry.value;
  return value.as<TensorSharding>() != nullptr || value.as<ir::ShardingList>() != nullptr ||
         value.as<OpShardingRule>() != nullptr;
}

std::vector<const NamedAttribute*> compared_attributes(const Module& module, OpId op) {
  std::vector<const NamedAttribute*> compared;
  const bool is_call = module.is(op, OpKind::FuncCall);
  for (const NamedAttribute& entry : module.attributes(op)) {
    if (is_annotation(module, op, entry) || (is_call && entry.name == ir::attr::kCallee)) continue;
    compared.push_back(&entry);
  }
  return compared;
}

bool same_attributes(const Module& module, OpId a, OpId b) {
  const auto same = [](const NamedAttribute* x, const NamedAttribute* y) {
    return x->name == y->name && x->value == y->value;
  };
  return std::ranges::equal(compared_attributes(module, a), compared_attributes(module, b), same);
}

/// A comparison of two bodies op by op, which maps the values of one body to the values of the
/// other.
class BodyComparison {
 public:
  explicit BodyComparison(const Module& module) : module_(module) {}

  /// Maps the arguments of block a to the arguments of block b.
  bool same_arguments(BlockId a, BlockId b) { return bind(module_.args(a), module_.args(b)); }

  /// Maps the results and block arguments of op a to the results and block arguments of op b.
  bool same_op(OpId a, OpId b) {
    return module_.name(a) == module_.name(b) && same_operands(a, b) &&
           same_attributes(module_, a, b) && bind(module_.results(a), module_.results(b)) &&
           same_regions(a, b);
  }

 private:
  template <class Values>
  bool bind(const Values& a, const Values& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t index = 0; index < a.size(); ++index) {
      if (module_.type(a[index]) != module_.type(b[index])) return false;
      counterparts_[a[index]] = b[index];
    }
    return true;
  }

  bool same_operands(OpId a, OpId b) const {
    if (module_.num_operands(a) != module_.num_operands(b)) return false;
    for (std::size_t index = 0; index < module_.num_operands(a); ++index) {
      if (mapped(counterparts_, module_.operand(a, index)) != module_.operand(b, index)) {
        return false;
      }
    }
    return true;
  }

  bool same_regions(OpId a, OpId b) {
    const auto left = module_.regions(a);
    const auto right = module_.regions(b);
    if (left.size() != right.size()) return false;
    for (std::size_t region = 0; region < left.size(); ++region) {
      const auto blocks = module_.blocks(left[region]);
      const auto others = module_.blocks(right[region]);
      if (blocks.size() != others.size()) return false;
      for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (!same_arguments(blocks[block], others[block])) return false;
      }
    }
    return true;
  }

  const Module& module_;
  ValueMap counterparts_;
};

/// Returns a hash of the body. Equal bodies have equal hashes; callees of calls are ignored.
std::size_t hash_of_body(const Module& module, OpId function) {
  if (module.is_external(function)) return 0;
  // Numbers values in the order of their definitions.
  std::unordered_map<ValueId, std::size_t> numbers;
  std::size_t hash = 0;
  const auto define = [&](const auto& values) {
    for (const ValueId value : values) {
      numbers.emplace(value, numbers.size() + 1);
      hash = hash_combine(hash, ir::hash_of_type(module.type(value)));
    }
  };
  define(module.args(module.entry(function)));
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    hash = hash_combine(hash, hash_of(module.name(op)));
    for (const ValueId operand : module.operands(op)) {
      const auto number = numbers.find(operand);
      hash = hash_combine(hash, number != numbers.end() ? number->second : 0);
    }
    for (const NamedAttribute* entry : compared_attributes(module, op)) {
      hash = hash_combine(hash, ir::hash_of_attribute(entry->value));
    }
    define(module.results(op));
    for (const ir::RegionId region : module.regions(op)) {
      for (const BlockId block : module.blocks(region)) define(module.args(block));
    }
  }
  return hash;
}

/// Checks whether both functions have equal types and equal ops in the same order. Ignores
/// shardings. `same_callee(a, b)` decides whether two calls are equal.
bool have_same_body(const Module& module, OpId a, OpId b,
                    const std::function<bool(OpId, OpId)>& same_callee) {
  if (a == b) return true;
  if (module.is_external(a) || module.is_external(b)) return false;
  if (module.function(a).result_types != module.function(b).result_types) return false;
  BodyComparison comparison(module);
  if (!comparison.same_arguments(module.entry(a), module.entry(b))) return false;
  return std::ranges::equal(ir::pre_order(module, module.entry(a)),
                            ir::pre_order(module, module.entry(b)), [&](OpId x, OpId y) {
                              const bool is_call = module.is(x, OpKind::FuncCall);
                              return comparison.same_op(x, y) && (!is_call || same_callee(x, y));
                            });
}

}  // namespace

// ---- Calls of clones ----------------------------------------------------------------------------
// Calls of clones of one function that have equal boundary shardings become calls of one clone.
// Spec: passes 5.11.
//
//   %0 = call @f(%a)                                   %0 = call @f(%a)
//   %1 = call @f_0(%a)                                 %1 = call @f(%a)
//   func.func private @f(%x [{"x"}])             ->    func.func private @f(%x [{"x"}])
//   func.func private @f_0(%x [{"x"}])                 func.func private @f_0(%x [{"x"}])
//     {sdy.original_func_name = "f"}                   (dead)

namespace {

constexpr std::string_view kManualAxes = "sdy.func_manual_axes";

/// Returns the manual axes in the attribute and the manual axes of the computations around the
/// calls.
std::vector<std::string> manual_axes(const Module& module, const ir::ManualScopes& scopes,
                                     OpId function) {
  const auto* axes = module.attribute<ir::ManualAxesAttr>(function, kManualAxes);
  std::vector<std::string> names = axes != nullptr ? axes->names : std::vector<std::string>();
  for (const auto& [name, binder] : scopes.of_function(function)) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// The first function with the same original name, an equal body, the same manual axes and the same
/// order of devices. Different user functions may have one original name (deviation 22).
class Originals {
 public:
  explicit Originals(const Module& module) : module_(module), scopes_(module) {
    // Callees come first, so that calls of clones count as calls of one function.
    for (const OpId function : ir::functions_in_post_order(module)) add(function);
  }

  OpId of(OpId function) const {
    const auto found = originals_.find(function);
    return found != originals_.end() ? found->second : function;
  }

 private:
  void add(OpId function) {
    std::vector<OpId>& others =
        by_name_[{original_name(module_, function), manual_axes(module_, scopes_, function),
                  body_mesh(function)}][hash_of_body(module_, function)];
    const auto same_callee = [&](OpId a, OpId b) {
      const std::optional<OpId> first = ir::callee_of(module_, a);
      const std::optional<OpId> second = ir::callee_of(module_, b);
      return first && second && of(*first) == of(*second);
    };
    const auto found = std::ranges::find_if(
        others, [&](OpId other) { return have_same_body(module_, other, function, same_callee); });
    originals_[function] = found == others.end() ? function : *found;
    if (originals_[function] == function) others.push_back(function);
  }

  /// Returns the mesh of the outermost manual computation around the function's calls; empty
  /// without one.
  std::string body_mesh(OpId function) const {
    const OpId manual = scopes_.outermost(function);
    const auto mesh = manual.valid() ? ir::mesh_of_manual(module_, manual) : std::nullopt;
    return mesh ? to_string(mesh->mesh) : std::string();
  }

  const Module& module_;
  ir::ManualScopes scopes_;
  using ByBody = std::unordered_map<std::size_t, std::vector<OpId>>;  // key: hash of the body

  // Key: original name, manual axes, mesh of the manual body.
  std::map<std::tuple<std::string, std::vector<std::string>, std::string>, ByBody> by_name_;
  std::map<OpId, OpId> originals_;
};

/// The key that functions must share to be merged.
struct Key {
  OpId original;
  std::optional<std::vector<TensorSharding>> args;
  std::optional<std::vector<TensorSharding>> results;

  friend std::strong_ordering operator<=>(const Key&, const Key&) = default;
};

Key key_of(const Module& module, const Originals& originals, OpId function, bool with_shardings) {
  Key key{originals.of(function), {}, {}};
  if (!with_shardings) return key;
  key.args = ir::func_arg_shardings(module, function);
  key.results = ir::func_result_shardings(module, function);
  return key;
}

struct Call {
  OpId op;
  OpId callee;
};

using Representatives = std::map<Key, OpId>;

/// Replaces all callees by the most frequent one; on ties, by the first one.
void choose_most_called(const Module& module, const Originals& originals,
                        const std::vector<Call>& calls, Representatives& chosen) {
  std::map<Key, int64_t> counts;
  for (const Call& call : calls) {
    const int64_t count = ++counts[key_of(module, originals, call.callee, true)];
    OpId& representative = chosen.at(key_of(module, originals, call.callee, false));
    if (count > counts[key_of(module, originals, representative, true)])
      representative = call.callee;
  }
}

Diagnostics collect_calls(const Module& module, std::vector<Call>& calls) {
  Diagnostics errors;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::FuncCall)) continue;
    Result<OpId> callee = called_function(module, op);
    if (callee) {
      calls.push_back({op, *callee});
    } else {
      errors.push_back(std::move(callee).error());
    }
  }
  return errors;
}

void unite_callees(Module& module, const std::vector<Call>& calls,
                   const UnflattenOptions& options) {
  if (calls.empty()) return;  // no body has to be compared
  const Originals originals(module);
  const bool with_shardings = !options.dedup_functions_fully;
  Representatives chosen;
  for (const Call& call : calls) {
    chosen.emplace(key_of(module, originals, call.callee, with_shardings), call.callee);
  }
  if (options.dedup_functions_fully) choose_most_called(module, originals, calls, chosen);
  for (const Call& call : calls) {
    const OpId callee = chosen.at(key_of(module, originals, call.callee, with_shardings));
    set_callee(module, call.op, module.symbol_name(callee));
  }
}

}  // namespace

Diagnostics unflatten_call_graph(Module& module, const UnflattenOptions& options) {
  std::vector<Call> calls;
  Diagnostics errors = collect_calls(module, calls);
  if (!errors.empty()) return errors;
  unite_callees(module, calls, options);
  for (const OpId function : module.functions()) {
    module.attributes(function).erase(kOriginalFuncNameAttr);
    module.attributes(function).erase(kManualAxes);
  }
  return {};
}

}  // namespace shardy::passes
