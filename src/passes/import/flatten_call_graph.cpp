// Each call calls a function of its own, so that each call can have its own shardings.
// Spec: passes 4.9.
//
//   %0 = call @f(%a)                     %0 = call @f(%a)
//   %1 = call @f(%0)                     %1 = call @f_0(%0)
//   func.func private @f(%x)       ->    func.func private @f(%x)
//                                        func.func private @f_0(%x) {sdy.original_func_name = "f"}
//
// copy_for_manual_contexts copies a function once per context of manual computations around its
// calls, which is their manual axes and their device order:
//
//   %0 = call @f(%a)                     %0 = call @f(%a)
//   %1 = manual_computation {"x"} {      %1 = manual_computation {"x"} {
//     %2 = call @f(%b)             ->      %2 = call @f_0(%b)
//     %3 = call @f(%2)                     %3 = call @f_0(%2)
//   }                                    }
#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/manual_scopes.hpp"
#include "passes/common/symbols.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

/// Redirects the call to a copy of its callee.
Status call_copy(Module& module, SymbolTable& symbols, OpId call) {
  SHARDY_TRY(const OpId callee, called_function(module, call));
  SHARDY_TRY(const OpId copy, symbols.clone_function(callee));
  symbols.insert(copy);
  set_callee(module, call, module.symbol_name(copy));
  return {};
}

/// Gives each call inside the function a copy of its callee, even calls that `wanted` rejects.
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
    // The first context keeps the function.
    if (!copies.empty()) {
      SHARDY_TRY_STATUS(call_copy(module, symbols, call));
    }
    SHARDY_TRY(const OpId own, called_function(module, call));
    copies.emplace_back(std::move(context), own);
  }
  return {};
}

/// Groups the calls by callee, in program order; callers come before callees. Functions with one
/// call are left out.
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

/// Returns the calls of the first function, callers before callees, that is called in several
/// contexts of manual computations; empty if none is.
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

PassErrors copy_for_manual_contexts(Module& module) {
  const bool has_manual = std::ranges::any_of(
      ir::pre_order(module), [&](OpId op) { return module.is(op, OpKind::SdyManualComputation); });
  if (!has_manual) return {};
  Status status = split_contexts(module);
  if (status) return {};
  return {std::move(status).error()};
}

PassErrors flatten_call_graph(Module& module, const FlattenCallGraphOptions& options) {
  Status status = flatten(module, options);
  if (status) return {};
  return {std::move(status).error()};
}

}  // namespace shardy::passes
