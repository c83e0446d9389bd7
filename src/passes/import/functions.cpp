// Import passes for calls and composites: copies of functions, inlined bodies, calls of
// decompositions. Spec: passes 4.9, 4.10, partitioning 8.23.
#include "passes/common/functions.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/program_facts.hpp"
#include "passes/common/ir_names.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/ir_adapter.hpp"

namespace shardy::passes {

// ---- One function per call ----------------------------------------------------------------------
// Each call gets a separate function, so that each call can have its own shardings. Spec: passes
// 4.9.
//
//   %0 = call @f(%a)                     %0 = call @f(%a)
//   %1 = call @f(%0)                     %1 = call @f_0(%0)
//   func.func private @f(%x)       ->    func.func private @f(%x)
//                                        func.func private @f_0(%x) {sdy.original_func_name = "f"}
//
// copy_for_manual_contexts copies a function once per context of its calls. The context of a call
// is the manual axes and the device order of the manual computations around it.
//
//   %0 = call @f(%a)                     %0 = call @f(%a)
//   %1 = manual_computation {"x"} {      %1 = manual_computation {"x"} {
//     %2 = call @f(%b)             ->      %2 = call @f_0(%b)
//     %3 = call @f(%2)                     %3 = call @f_0(%2)
//   }                                    }

namespace {

/// Redirects the call to a copy of its callee.
Status call_copy(Module& module, SymbolTable& symbols, OpId call) {
  SHARDY_TRY(const OpId callee, called_function(module, call));
  SHARDY_TRY(const OpId copy, symbols.clone_function(callee));
  symbols.insert(copy);
  set_callee(module, call, module.symbol_name(copy));
  return {};
}

/// Gives each call in the function a copy of its callee, even calls that `wanted` rejects.
Status call_copies_inside(Module& module, SymbolTable& symbols, OpId function) {
  if (module.is_external(function)) return {};
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    if (!module.is(op, OpKind::FuncCall)) continue;
    SHARDY_TRY_STATUS(call_copy(module, symbols, op));
  }
  return {};
}

Status flatten(Module& module, const FlattenCallGraphOptions& options) {
  SHARDY_TRY(const ir::CallGraph graph, verified_calls(module));
  if (!options.wanted) {
    SHARDY_TRY_STATUS(expect_few_copies(module, graph));
  }
  SymbolTable symbols(module);
  std::unordered_set<OpId> seen;
  for (const OpId call : graph.calls) {
    if (options.wanted && !options.wanted(module, call)) continue;
    SHARDY_TRY(const OpId callee, called_function(module, call));
    if (!seen.insert(callee).second) {
      SHARDY_TRY_STATUS(call_copy(module, symbols, call));
    } else if (options.wanted) {
      SHARDY_TRY_STATUS(call_copies_inside(module, symbols, callee));
    }
  }
  return {};
}

/// Redirects the calls of one function to one copy per context of manual computations.
Status copy_for_contexts(Module& module, SymbolTable& symbols, const std::vector<OpId>& calls) {
  const ir::ManualScopes scopes(module);
  std::vector<std::pair<ir::ManualContext, OpId>> copies;
  for (const OpId call : calls) {
    ir::ManualContext context = scopes.context(call);
    const auto found =
        std::ranges::find_if(copies, [&](const auto& copy) { return copy.first == context; });
    if (found != copies.end()) {
      set_callee(module, call, module.symbol_name(found->second));
      continue;
    }
    // The calls in the first context keep the function.
    if (!copies.empty()) {
      SHARDY_TRY_STATUS(call_copy(module, symbols, call));
    }
    SHARDY_TRY(const OpId own, called_function(module, call));
    copies.emplace_back(std::move(context), own);
  }
  return {};
}

/// Groups the calls by callee, in program order; callers come before callees. Omits functions with
/// one call.
std::vector<std::pair<OpId, std::vector<OpId>>> calls_by_callee(const ir::CallGraph& graph) {
  std::vector<std::pair<OpId, std::vector<OpId>>> lists;
  for (auto function = graph.functions.rbegin(); function != graph.functions.rend(); ++function) {
    std::vector<OpId> calls;
    for (std::size_t index = 0; index < graph.calls.size(); ++index) {
      if (graph.callees[index] == *function) calls.push_back(graph.calls[index]);
    }
    if (calls.size() > 1) lists.emplace_back(*function, std::move(calls));
  }
  return lists;
}

/// Returns the calls of the first function that is called in several contexts of manual
/// computations; callers come before callees. Empty without such a function.
Result<std::vector<OpId>> calls_in_several_contexts(const Module& module) {
  SHARDY_TRY(const ir::CallGraph graph, verified_calls(module));
  const ir::ManualScopes scopes(module);
  for (auto& [function, calls] : calls_by_callee(graph)) {
    const ir::ManualContext first = scopes.context(calls.front());
    const auto differs = [&](OpId call) { return scopes.context(call) != first; };
    if (std::ranges::any_of(calls, differs)) return std::move(calls);
  }
  return std::vector<OpId>();
}

Status split_contexts(Module& module) {
  SymbolTable symbols(module);
  while (true) {
    SHARDY_TRY(const std::vector<OpId> calls, calls_in_several_contexts(module));
    if (calls.empty()) return {};
    SHARDY_TRY_STATUS(copy_for_contexts(module, symbols, calls));
  }
}

}  // namespace

Diagnostics copy_for_manual_contexts(Module& module) {
  const bool has_manual = std::ranges::any_of(
      ir::pre_order(module), [&](OpId op) { return module.is(op, OpKind::SdyManualComputation); });
  if (!has_manual) return {};
  Status status = split_contexts(module);
  if (status) return {};
  return {std::move(status).error()};
}

Diagnostics flatten_call_graph(Module& module, const FlattenCallGraphOptions& options) {
  Status status = flatten(module, options);
  if (status) return {};
  return {std::move(status).error()};
}

// ---- Calls as named computations ----------------------------------------------------------------
// A call becomes a named computation with the body of the function. Spec: passes 4.10.
//
//   %0 = call @f(%a) [{"y"}]                  %0 = sdy.named_computation<"f">(%a)
//                                                    in_shardings=[[{"x"}]]
//   func.func private @f(%x [{"x"}]) {   ->          out_shardings=[[{"y"}]] (%x) {
//     %1 = negate %x                              %1 = negate %x
//     return %1                                   sdy.return %1
//   }                                           }
//
// With data-flow edges, sdy.data_flow_edge ops follow the block arguments and the results.

namespace {

class Importer {
 public:
  Importer(Module& module, const ImportFuncCallsOptions& options)
      : module_(module), options_(options) {}

  Status run() {
    SHARDY_TRY(const ir::CallGraph graph, verified_calls_with_bodies(module_));
    SHARDY_TRY_STATUS(expect_few_copies(module_, graph));
    for (std::size_t index = 0; index < graph.calls.size(); ++index) {
      import_call(graph.calls[index], graph.callees[index]);
    }
    for (const OpId function : called_) module_.erase(function);
    if (options_.add_data_flow_edges_on_named_computations) add_edges();
    return {};
  }

 private:
  ir::AttributeMap attributes(OpId call, OpId function) const {
    ir::AttributeMap result;
    for (const ir::NamedAttribute& entry : module_.attributes(call)) {
      if (entry.name == ir::attr::kCallee || entry.name == ir::kShardingAttr) continue;
      result.set(entry.name, entry.value);
    }
    result.set(ir::attr::kName, original_name(module_, function));
    if (auto in = ir::func_arg_shardings(module_, function)) {
      result.set(ir::attr::kInShardings, ShardingList{*std::move(in)});
    }
    if (const auto* out = module_.attribute<ShardingList>(call, ir::kShardingAttr)) {
      result.set(ir::attr::kOutShardings, *out);
    }
    if (const ir::Attribute* thread = module_.attributes(function).find("execution_thread")) {
      result.set("execution_thread", *thread);
    }
    return result;
  }

  /// Creates the named computation with an empty block.
  OpId make_computation(OpId call, OpId function) {
    ir::OpSpec spec{.kind = OpKind::SdyNamedComputation};
    spec.operands = module_.operands(call);
    for (const ValueId result : module_.results(call)) {
      spec.result_types.push_back(module_.type(result));
    }
    spec.attributes = attributes(call, function);
    spec.location = module_.location(call);
    const ir::RegionId region = module_.new_region();
    const std::vector<ir::Type> types = ir::detail::operand_types(module_, call);
    module_.new_block(region, types);
    spec.regions = {region};
    const OpId computation = module_.create(std::move(spec));
    module_.insert_before(call, computation);
    for (std::size_t index = 0; index < module_.num_results(call); ++index) {
      module_.replace_all_uses(module_.result(call, index), module_.result(computation, index));
    }
    return computation;
  }

  void import_call(OpId call, OpId function) {
    const OpId computation = make_computation(call, function);
    const BlockId body = module_.block(computation);
    const auto moved = bodies_.find(function);
    if (moved == bodies_.end()) {
      move_body(function, body);
      bodies_.emplace(function, body);
      called_.push_back(function);
    } else {
      warn_of_copy(call, function);
      copy_body(moved->second, body);
    }
    module_.erase(call);
  }

  void move_body(OpId function, BlockId body) {
    const BlockId entry = module_.entry(function);
    for (std::size_t index = 0; index < module_.args(entry).size(); ++index) {
      module_.replace_all_uses(module_.args(entry)[index], module_.args(body)[index]);
    }
    module_.splice(entry, body);
    const OpId last = module_.last_op(body);
    ir::OpSpec spec{.kind = OpKind::SdyReturn};
    spec.operands = module_.operands(last);
    spec.attributes = module_.attributes(last);
    spec.location = module_.location(last);
    module_.erase(last);
    module_.append(body, module_.create(std::move(spec)));
  }

  void copy_body(BlockId from, BlockId to) {
    ValueMap map;
    for (std::size_t index = 0; index < module_.args(from).size(); ++index) {
      map[module_.args(from)[index]] = module_.args(to)[index];
    }
    clone_ops(module_, from, to, map);
  }

  void warn_of_copy(OpId call, OpId function) {
    if (has_warned_ || !options_.warn) return;
    has_warned_ = true;
    options_.warn(call,
                  "function @" + std::string(module_.symbol_name(function)) +
                      " has multiple call ops, we need to clone the function body for each "
                      "call",
                  "this is not an error: each call can have its own shardings; "
                  "sdy-flatten-call-graph makes each copy a function");
  }

  void add_edges() {
    for (const OpId op : ir::post_order(module_)) {
      if (module_.is(op, OpKind::SdyNamedComputation)) ir::insert_data_flow_edges(module_, op);
    }
  }

  Module& module_;
  const ImportFuncCallsOptions& options_;
  // Bodies of the functions called so far, which later calls copy.
  std::unordered_map<OpId, BlockId> bodies_;
  std::vector<OpId> called_;
  bool has_warned_ = false;
};

}  // namespace

Diagnostics import_func_calls(Module& module, const ImportFuncCallsOptions& options) {
  Status status = Importer(module, options).run();
  if (status) return {};
  return {std::move(status).error()};
}

// ---- Composites ---------------------------------------------------------------------------------
// A composite becomes a call of its decomposition. Spec: partitioning 8.23.
//
//   %0 = stablehlo.composite "f" %a {decomposition = @f}   ->   %0 = call @f(%a)
// A composite with a sharding rule is first propagated by the rule. It then calls a separate copy
// of the decomposition, whose arguments and results get the shardings of the composite:
//
//   %0 = stablehlo.composite "f" %a {decomposition = @f, sdy.sharding_rule = ..} [{"x"}]
//   func.func private @f(%x)
//   ->
//   %0 = call @f_0(%a) [{"x"}]
//   func.func private @f_0(%x [{"x"}])

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
    SHARDY_TRY(const OpId function, called_function(module, composite, ir::attr::kDecomposition));
    if (module.is_external(function)) {
      return fail_at(module.source_location(composite), "the decomposition has no body");
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

Diagnostics composites_to_calls(Module& module, const rules::Registry& rules, bool all) {
  std::vector<OpId> found = composites(module, false, rules);
  const std::vector<OpId> ruled = all ? composites(module, true, rules) : std::vector<OpId>();
  found.insert(found.end(), ruled.begin(), ruled.end());
  for (const OpId composite : found) {
    const Result<OpId> function = called_function(module, composite, ir::attr::kDecomposition);
    if (!function) return {function.error()};
    replace_by_call(module, composite, module.symbol_name(*function));
  }
  return {};
}

Diagnostics ruled_composites_to_calls(Module& module, const rules::Registry& rules,
                                      const propagation::PropagationExtensions* extensions) {
  // Limit of nested decompositions; equal to the limit of nested regions.
  constexpr int kMaxDepth = 1000;
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
