// Functions, their calls, and trip counts of loops.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::ir {

/// The function that a `func.call` names, if the module has it.
std::optional<OpId> callee_of(const Module& module, OpId call);

/// The functions and calls of a module, from one walk. Spec: dialect 6,
/// passes 1.5.
struct CallGraph {
  /// The functions with a body, callees before callers; functions that do not call each other in
  /// the order of the module. Calls of a function by itself, directly or indirectly, are not
  /// followed.
  std::vector<OpId> functions;
  /// All calls, those inside of callees first; in a function in program order.
  std::vector<OpId> calls;
  std::vector<OpId> callees;        // of the calls; invalid for unknown functions
  std::optional<OpId> recursive;    // the first function found to be called by itself
  std::optional<OpId> body_wanted;  // the first called function without a body
  bool all_known = true;            // each callee exists
};

/// Returns callers and callees. Cost: linear in the program.
CallGraph call_graph(const Module& module);

/// Errors: a function that calls itself, directly or indirectly.
Status verify_acyclic(const Module& module, const CallGraph& graph);
/// The same. Errors: also a called function without body.
Status verify_bodies(const Module& module, const CallGraph& graph);

/// All functions, callees before their callers; those that call each other in the order of the
/// program. Cost: linear in the program.
std::vector<OpId> functions_in_post_order(const Module& module);

/// Returns one sharding per argument: its own, or a fully open one on the first mesh of an argument
/// that is not maximal. std::nullopt without such a mesh. Spec: dialect 6.
std::optional<std::vector<TensorSharding>> func_arg_shardings(const Module& module, OpId function);

/// The same for the results.
std::optional<std::vector<TensorSharding>> func_result_shardings(const Module& module,
                                                                 OpId function);

/// Returns the trip count of a counting `stablehlo.while`: it compares a number with a
/// loop-invariant one, and each iteration adds a constant to one of them, starting from a constant.
/// Constants are found through reshapes, converts and the unchanged arguments of enclosing loops.
/// std::nullopt: another kind of loop, or a number that would wrap around. Cost: linear in its
/// condition and the definitions of the numbers.
std::optional<int64_t> trip_count(const Module& module, OpId loop);

}  // namespace shardy::ir
