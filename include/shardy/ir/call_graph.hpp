// Functions, their calls, and trip counts of loops.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::ir {

/// Returns the function that a `func.call` calls; std::nullopt if the module has no function of
/// that name.
std::optional<OpId> callee_of(const Module& module, OpId call);

/// The functions and calls of a module, collected in one walk. Spec: dialect 6, passes 1.5.
struct CallGraph {
  /// The functions with a body. Callees precede callers; functions that do not call each other are
  /// in the order of the module. Recursive calls, direct or indirect, do not affect the order.
  std::vector<OpId> functions;
  /// All calls. Calls in a callee precede calls in its callers; calls in one function are in
  /// program order.
  std::vector<OpId> calls;
  std::vector<OpId> callees;      // callee of each call; invalid if the module has no such function
  std::optional<OpId> recursive;  // first recursive function found; std::nullopt without recursion
  std::optional<OpId> body_wanted;  // first called function that has no body
  bool all_known = true;            // true if every callee exists
};

/// Returns the call graph of `module`. Cost: linear in the program.
CallGraph call_graph(const Module& module);

/// Checks that no function is recursive. Errors: a function that calls itself, directly or
/// indirectly.
Status verify_acyclic(const Module& module, const CallGraph& graph);
/// Checks that no function is recursive and that each called function has a body. Errors: a
/// recursive function; a called function without a body.
Status verify_bodies(const Module& module, const CallGraph& graph);

/// Returns all functions, callees before their callers. Functions that call each other are in
/// program order. Cost: linear in the program.
std::vector<OpId> functions_in_post_order(const Module& module);

/// Returns one sharding per argument of `function`: the argument's sharding, or a fully open
/// sharding if the argument has none. An open sharding is on the mesh of the first sdy collective
/// that uses the argument, else on the first mesh that is not maximal among the meshes of the
/// arguments. Returns std::nullopt if no argument has a sharding on such a mesh. Spec: dialect 6.
std::optional<std::vector<TensorSharding>> func_arg_shardings(const Module& module, OpId function);

/// Returns one sharding per result of `function`, by the rule of func_arg_shardings.
std::optional<std::vector<TensorSharding>> func_result_shardings(const Module& module,
                                                                 OpId function);

/// Returns the trip count of a counting `stablehlo.while`. A counting loop compares a counter with
/// a loop-invariant number. The counter starts at a constant, and each iteration adds a constant to
/// the counter. Constants are also found through reshapes, converts and unchanged arguments of
/// enclosing loops. Returns std::nullopt for other loops, and if a number would overflow. Cost:
/// linear in the ops of the condition and in the definitions of the numbers.
std::optional<int64_t> trip_count(const Module& module, OpId loop);

}  // namespace shardy::ir
