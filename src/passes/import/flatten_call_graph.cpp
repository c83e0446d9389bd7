// Each function is called once, so that each call has shardings of its own. Spec: passes 4.9.
#include <unordered_set>

#include "passes/common/symbols.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

/// Makes a call call a copy of what it calls.
Status call_copy(Module& module, SymbolTable& symbols, OpId call) {
  SHARDY_TRY(const OpId callee, called_function(module, call));
  SHARDY_TRY(const OpId copy, symbols.clone_function(callee));
  symbols.insert(copy);
  set_callee(module, call, module.symbol_name(copy));
  return {};
}

/// Calls inside of a function that the predicate may keep from being looked at.
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

}  // namespace

PassErrors flatten_call_graph(Module& module, const FlattenCallGraphOptions& options) {
  Status status = flatten(module, options);
  if (status) return {};
  return {std::move(status).error()};
}

}  // namespace shardy::passes
