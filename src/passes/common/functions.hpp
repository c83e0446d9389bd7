// Functions and bodies: symbols and references to them, copies of functions and of ops with their
// regions, outlining into functions, inlining into the parent.
#pragma once

#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/passes/pipeline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::passes {

// ---- Copies of functions, one per call ----------------------------------------------------------

/// The largest number of ops in all function copies of one pass. The number of copies can be
/// exponential: if each of n functions calls the next one twice, the last one is copied 2^n times.
/// Spec: passes 1.6.
inline constexpr int64_t kMaxCopiedOps = int64_t{1} << 20;

/// Numbers of functions and of ops; a function counts as an op. Both saturate at INT64_MAX.
struct CopySize {
  int64_t functions = 0;
  int64_t ops = 0;

  CopySize& operator+=(const CopySize& other);
};

/// The sizes of functions if each call in them, and in their callees, gets a separate copy of its
/// callee.
class CallTrees {
 public:
  explicit CallTrees(const ir::Module& module) : module_(&module) {}

  /// Returns the size, which is computed once per function. Requires: callees exist; no recursion.
  CopySize size(ir::OpId function);

 private:
  /// Computes the size from the sizes of the callees.
  CopySize count(ir::OpId function) const;

  const ir::Module* module_;
  std::unordered_map<ir::OpId, CopySize> sizes_;
};

/// Returns an error if the copies contain more than kMaxCopiedOps ops; `at` is its location.
Status expect_few_copies(const CopySize& copies, Location at);

/// Checks the number of copies that result if each call gets a separate function. Requires: the
/// graph belongs to the module and has neither recursion nor missing callees.
Status expect_few_copies(const ir::Module& module, const ir::CallGraph& graph);

// ---- Names and references -----------------------------------------------------------------------

inline constexpr std::string_view kOriginalFuncNameAttr = "sdy.original_func_name";

/// Returns the function. Error: `Failed to lookup function: NAME`. Spec: passes 1.3.
Result<ir::OpId> lookup_function(const ir::Module& module, std::string_view name);

/// Returns the callee of a call, or the function to which another attribute refers, such as the
/// decomposition of a composite. Errors: those of lookup_function.
Result<ir::OpId> called_function(const ir::Module& module, ir::OpId call,
                                 std::string_view attribute = ir::attr::kCallee);

/// Returns the only function, which may have any name; with several functions, `main`. Errors:
/// those of lookup_function. Spec: passes 1.4.
Result<ir::OpId> require_main_function(const ir::Module& module);

/// Returns the name of the function from which this function was copied; its own name if it is not
/// a copy. Spec: passes 1.6.
std::string original_name(const ir::Module& module, ir::OpId function);

/// Returns the call graph. Errors: a call of a missing function; recursion. Spec: passes 1.5.
Result<ir::CallGraph> verified_calls(const ir::Module& module);
/// Returns the call graph. Errors: those of verified_calls; a called function without a body.
Result<ir::CallGraph> verified_calls_with_bodies(const ir::Module& module);

/// A generator of unique symbol names. Each pass creates its own generator. Spec: passes 1.3.
class SymbolTable {
 public:
  explicit SymbolTable(ir::Module& module) : module_(&module), trees_(module) {}

  /// Returns `base` if it is not used, else `base_0`, `base_1`, ... with one counter for all bases.
  std::string unique_name(std::string_view base);
  /// Appends the op to the module. Renames the op if its name is used. Requires: the op is in no
  /// block.
  void insert(ir::OpId symbol);
  /// Returns a copy of the function with the same name, which is not inserted yet. Copies its
  /// callees once per call and inserts these copies. Errors: those of verified_calls; this table's
  /// copies exceed kMaxCopiedOps. Spec: passes 1.6.
  Result<ir::OpId> clone_function(ir::OpId function);

 private:
  ir::Module* module_;
  int64_t counter_ = 0;
  CallTrees trees_;
  CopySize copied_;
};

void set_callee(ir::Module& module, ir::OpId call, std::string_view name);

/// Checks whether only ops of the module may refer to the symbol.
bool is_private(const ir::Module& module, ir::OpId symbol);

/// Erases the private functions that neither a public symbol nor another op reaches by references
/// in attributes. Spec: passes 2.
void erase_dead_symbols(ir::Module& module);

// ---- Copies of ops with their regions -----------------------------------------------------------

/// A map from original to copied values; never iterated.
using ValueMap = std::unordered_map<ir::ValueId, ir::ValueId>;

inline ir::ValueId mapped(const ValueMap& map, ir::ValueId value) {
  const auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

/// Clones the op without inserting it into a block. Replaces the operands that `map` contains. Adds
/// results and block arguments of the copy to `map`.
ir::OpId clone_op(ir::Module& module, ir::OpId op, ValueMap& map);

/// Copies the ops of `from` to the end of `to`. Requires: `map` contains the arguments of `from`.
void clone_ops(ir::Module& module, ir::BlockId from, ir::BlockId to, ValueMap& map);

/// Clones an op of the module `from` into `module` without inserting it into a block. `map` maps
/// values of `from` to values of `module`. Requires: `map` contains all outer values that the op
/// uses, and each region has one block.
ir::OpId clone_op_into(ir::Module& module, const ir::Module& from, ir::OpId op, ValueMap& map);

/// Moves the ops of the first region of `op`, which has one block, into a new region for another
/// op.
ir::RegionId moved_body(ir::Module& module, ir::OpId op);

// ---- Bodies of manual and named computations, and of functions ----------------------------------

/// Returns the manual computations. Inner ones come first, so that they are rewritten before the
/// computations that contain them.
std::vector<ir::OpId> manual_computations(const ir::Module& module);

/// Returns the shardings of the list attribute; empty if the op does not have it.
std::vector<TensorSharding> shardings_in(const ir::Module& module, ir::OpId op,
                                         std::string_view name);

/// Moves the body into a private function with the results of the body, at the end of the module.
ir::OpId outline_body(ir::Module& module, ir::OpId computation, SymbolTable& symbols,
                      std::string_view name);

/// Replaces calls by the bodies of their functions, inner calls first, and erases private functions
/// without calls. Keeps calls with `inlineable = "false"`, functions with `no_inline`, and
/// functions whose body is not a single block. Errors: a call of an unknown function, recursion,
/// more than kMaxCopiedOps copied ops.
Diagnostics inline_calls(ir::Module& module);

/// A call and its function.
struct FunctionCall {
  ir::OpId call;
  ir::OpId function;
};

/// Returns the calls of private functions that inline_calls would inline and that have no other
/// call, callees first. Empty if a function is unknown or recursive.
std::vector<FunctionCall> single_calls(const ir::Module& module);

/// Moves the bodies of functions with one call (single_calls) to these calls. Ops and values keep
/// their ids.
void move_single_calls(ir::Module& module);

/// Replaces the computation by its body. Requires: types are equal inside and outside.
void inline_body(ir::Module& module, ir::OpId computation);

}  // namespace shardy::passes
