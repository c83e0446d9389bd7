#include "passes/common/symbols.hpp"

#include <utility>
#include <vector>

#include "passes/common/clone.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/main_function.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

Result<OpId> lookup_function(const Module& module, std::string_view name) {
  const std::optional<OpId> op = module.find_symbol(name);
  if (op && module.is(*op, OpKind::Func)) return *op;
  return fail("Failed to lookup function: " + std::string(name));
}

Result<OpId> called_function(const Module& module, OpId call) {
  const auto* symbol = module.attribute<ir::SymbolAttr>(call, ir::attr::kCallee);
  Result<OpId> function =
      lookup_function(module, symbol ? std::string_view(symbol->name) : std::string_view());
  if (!function) function.error().location = module.location_text(call);
  return function;
}

Result<OpId> require_main_function(const Module& module) {
  const std::optional<OpId> main = module.main_function();
  if (main) return *main;
  return tl::unexpected(ir::no_main_function(module, "Failed to lookup function: main"));
}

std::string original_name(const Module& module, OpId function) {
  const auto* name = module.attribute<std::string>(function, kOriginalFuncNameAttr);
  return name ? *name : std::string(module.symbol_name(function));
}

namespace {

/// Reports the first call of a missing function.
Status verify_callees(const Module& module, const ir::CallGraph& graph) {
  if (graph.all_known) return {};
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::FuncCall)) continue;
    SHARDY_TRY_STATUS(called_function(module, op));
  }
  return {};
}

}  // namespace

Result<ir::CallGraph> verified_calls(const Module& module) {
  ir::CallGraph graph = ir::call_graph(module);
  SHARDY_TRY_STATUS(verify_callees(module, graph));
  SHARDY_TRY_STATUS(ir::verify_acyclic(module, graph));
  return graph;
}

Result<ir::CallGraph> verified_calls_with_bodies(const Module& module) {
  SHARDY_TRY(ir::CallGraph graph, verified_calls(module));
  SHARDY_TRY_STATUS(ir::verify_bodies(module, graph));
  return graph;
}

// ---- Names --------------------------------------------------------------------------------------

std::string SymbolTable::unique_name(std::string_view base) {
  std::string name(base);
  while (module_->find_symbol(name)) {
    name = std::string(base) + "_" + std::to_string(counter_++);
  }
  return name;
}

void SymbolTable::insert(OpId symbol) {
  const std::string base(module_->symbol_name(symbol));
  module_->set_symbol_name(symbol, unique_name(base));
  module_->append(module_->body(), symbol);
}

void set_callee(Module& module, OpId call, std::string_view name) {
  module.attributes(call).set(ir::attr::kCallee, ir::SymbolAttr{std::string(name)});
}

namespace {

std::vector<OpId> calls_under(const Module& module, OpId function) {
  std::vector<OpId> calls;
  if (module.is_external(function)) return calls;
  for (const OpId op : ir::pre_order(module, module.entry(function))) {
    if (module.is(op, OpKind::FuncCall)) calls.push_back(op);
  }
  return calls;
}

/// Position in the copy of one function: the next of its calls whose callee is copied.
struct CloneFrame {
  OpId copy;
  std::vector<OpId> calls;
  std::size_t next = 0;
};

CloneFrame start_clone(Module& module, OpId function) {
  ValueMap map;
  const OpId copy = clone_op(module, function, map);
  module.attributes(copy).set(kOriginalFuncNameAttr, original_name(module, function));
  return CloneFrame{copy, calls_under(module, copy)};
}

}  // namespace

Result<OpId> SymbolTable::clone_function(OpId function) {
  copied_ += trees_.size(function);
  SHARDY_TRY_STATUS(expect_few_copies(copied_, module_->location_text(function)));
  std::vector<CloneFrame> stack = {start_clone(*module_, function)};
  while (stack.back().next < stack.back().calls.size() || stack.size() > 1) {
    CloneFrame& top = stack.back();
    if (top.next < top.calls.size()) {
      SHARDY_TRY(const OpId callee, called_function(*module_, top.calls[top.next]));
      stack.push_back(start_clone(*module_, callee));
      continue;
    }
    const OpId done = top.copy;
    stack.pop_back();
    insert(done);
    CloneFrame& caller = stack.back();
    set_callee(*module_, caller.calls[caller.next++], module_->symbol_name(done));
  }
  return stack.back().copy;
}

}  // namespace shardy::passes
