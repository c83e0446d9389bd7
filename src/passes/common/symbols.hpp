// Symbols: names of functions and meshes, references to them, copies of functions.
#pragma once

#include <cstdint>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/call_graph.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

namespace shardy::passes {

// ---- Copies of functions, one per call ----------------------------------------------------------

/// Limit of the ops in all function copies of one pass. Copies multiply: if each function calls the
/// next one twice, the last of n is copied 2^n times. Spec: passes 1.6.
inline constexpr int64_t kMaxCopiedOps = int64_t{1} << 20;

/// Numbers of functions and of ops, functions included. Saturates at INT64_MAX.
struct CopySize {
  int64_t functions = 0;
  int64_t ops = 0;

  CopySize& operator+=(const CopySize& other);
};

/// Sizes of functions after every call in them, and in their callees, has a copy of its own.
class CallTrees {
 public:
  explicit CallTrees(const ir::Module& module) : module_(&module) {}

  /// Returns the size, computed once per function. Requires: callees exist; no recursion.
  CopySize size(ir::OpId function);

 private:
  /// Computes the size from the known sizes of the callees.
  CopySize count(ir::OpId function) const;

  const ir::Module* module_;
  std::unordered_map<ir::OpId, CopySize> sizes_;
};

/// Errors: the copies contain more than kMaxCopiedOps ops. `at`: location of the error.
Status expect_few_copies(const CopySize& copies, Location at);

/// Checks the copies that are made if each call gets its own function. Requires: the graph is that
/// of the module, without recursion and without missing callees.
Status expect_few_copies(const ir::Module& module, const ir::CallGraph& graph);

// ---- Names and references -----------------------------------------------------------------------

inline constexpr std::string_view kOriginalFuncNameAttr = "sdy.original_func_name";

/// Errors: `Failed to lookup function: NAME`. Spec: passes 1.3.
Result<ir::OpId> lookup_function(const ir::Module& module, std::string_view name);

/// Returns the callee of a call, or the function in another attribute, such as the decomposition of
/// a composite. Errors: those of lookup_function.
Result<ir::OpId> called_function(const ir::Module& module, ir::OpId call,
                                 std::string_view attribute = ir::attr::kCallee);

/// Returns the only function, with any name, else `main`. Errors: those of lookup_function.
/// Spec: passes 1.4.
Result<ir::OpId> require_main_function(const ir::Module& module);

/// Returns the name of the function that this one was copied from, else its own. Spec: passes 1.6.
std::string original_name(const ir::Module& module, ir::OpId function);

/// Returns the call graph. Errors: a call of a missing function; a function that calls itself,
/// directly or indirectly. Spec: passes 1.5.
Result<ir::CallGraph> verified_calls(const ir::Module& module);
/// Returns the call graph. Errors: those of verified_calls; a called function without a body.
Result<ir::CallGraph> verified_calls_with_bodies(const ir::Module& module);

/// A generator of unique symbol names. Each pass creates one. Spec: passes 1.3.
class SymbolTable {
 public:
  explicit SymbolTable(ir::Module& module) : module_(&module), trees_(module) {}

  /// Returns `base` if it is free, else `base_0`, `base_1`, ... with one counter for all bases.
  std::string unique_name(std::string_view base);
  /// Renames the op if its name is taken and appends it to the module. Requires: it is in no block.
  void insert(ir::OpId symbol);
  /// Returns a copy of the function under the same name, not yet inserted; its callees are copied
  /// for each call, and inserted. Errors: those of verified_calls; the copies of the table exceed
  /// kMaxCopiedOps. Spec: passes 1.6.
  Result<ir::OpId> clone_function(ir::OpId function);

 private:
  ir::Module* module_;
  int64_t counter_ = 0;
  CallTrees trees_;
  CopySize copied_;
};

void set_callee(ir::Module& module, ir::OpId call, std::string_view name);

/// Erases the private functions that neither a public symbol nor another op reaches by references
/// in attributes. Spec: passes 2.
void erase_dead_symbols(ir::Module& module);

}  // namespace shardy::passes
