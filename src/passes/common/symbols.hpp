// Symbols: names of functions and meshes, what refers to them, copies of functions.
#pragma once

#include <cstdint>
#include <shardy/ir/call_graph.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>

#include "passes/common/call_copies.hpp"

namespace shardy::passes {

inline constexpr std::string_view kOriginalFuncNameAttr = "sdy.original_func_name";

/// Errors: `Failed to lookup function: NAME`. Spec: passes 1.3.
Result<ir::OpId> lookup_function(const ir::Module& module, std::string_view name);

/// The function that a call calls. Errors: those of lookup_function.
Result<ir::OpId> called_function(const ir::Module& module, ir::OpId call);

/// The only function, whatever its name, else `main`. Errors: those of lookup_function.
/// Spec: passes 1.4.
Result<ir::OpId> require_main_function(const ir::Module& module);

/// Name of the function that this one was copied from, else its own. Spec: passes 1.6.
std::string original_name(const ir::Module& module, ir::OpId function);

/// Returns the call graph. Errors: a call of a missing function; a function that calls itself,
/// directly or indirectly. Spec: passes 1.5.
Result<ir::CallGraph> verified_calls(const ir::Module& module);
/// The same. Errors: also a called function without body.
Result<ir::CallGraph> verified_calls_with_bodies(const ir::Module& module);

/// Gives names to new symbols. One pass owns one. Spec: passes 1.3.
class SymbolTable {
 public:
  explicit SymbolTable(ir::Module& module) : module_(&module), trees_(module) {}

  /// `base` if it is free, else `base_0`, `base_1`, ...: one count for all bases.
  std::string unique_name(std::string_view base);
  /// Renames the op so that its name is free and puts it at the end of the module.
  /// Requires: it is in no block.
  void insert(ir::OpId symbol);
  /// A copy of the function, named like it and not yet inserted; what it calls is copied for each
  /// call, and inserted. Errors: those of verified_calls; all copies of the table hold too many ops
  /// (call_copies.hpp). Spec: passes 1.6.
  Result<ir::OpId> clone_function(ir::OpId function);

 private:
  ir::Module* module_;
  int64_t counter_ = 0;
  CallTrees trees_;
  CopySize copied_;
};

/// Makes a call call another function.
void set_callee(ir::Module& module, ir::OpId call, std::string_view name);

/// Erases the private functions that neither a public symbol nor another op of the module reaches
/// by references in attributes. Spec: passes 2.
void erase_dead_symbols(ir::Module& module);

}  // namespace shardy::passes
