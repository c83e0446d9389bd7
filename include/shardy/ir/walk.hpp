// Walks over all ops of a module without recursion, the calls of its functions, and trip counts of
// loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <vector>

namespace shardy::ir {

namespace detail {

/// The progress of a walk through the regions of one op.
struct WalkedRegions {
  OpId op;
  std::size_t region = 0;
  std::size_t block = 0;

  /// Returns the first op of the next block that is not empty; invalid after the last block.
  OpId next_block(const Module& module) {
    const auto regions = module.regions(op);
    for (; region < regions.size(); ++region, block = 0) {
      const auto blocks = module.blocks(regions[region]);
      while (block < blocks.size()) {
        const OpId first = module.first_op(blocks[block++]);
        if (first.valid()) return first;
      }
    }
    return OpId();
  }
};

/// Visits the ops of `block` and of their regions, in order. Calls `before` before an op's regions
/// and `after` after them. Follows each link between ops once and forward, because in large modules
/// reading the links takes most of the time.
template <class Enters, class Before, class After>
void walk(const Module& module, BlockId block, const Enters& enters, const Before& before,
          const After& after) {
  std::vector<WalkedRegions> open;
  OpId op = module.first_op(block);
  while (op.valid() || !open.empty()) {
    if (!op.valid()) {
      op = open.back().next_block(module);
      if (op.valid()) continue;
      op = open.back().op;
      open.pop_back();
    } else {
      before(op);
      if (!module.regions(op).empty() && enters(op)) {
        open.push_back({op});
        op = OpId();
        continue;
      }
    }
    after(op);
    op = module.next(op);
  }
}

}  // namespace detail

/// Returns the ops of `block` and its regions in pre-order: an op precedes the ops of its regions.
/// Skips the regions of ops for which `enters` returns false.
template <class Enters>
std::vector<OpId> pre_order(const Module& module, BlockId block, const Enters& enters) {
  std::vector<OpId> order;
  detail::walk(
      module, block, enters, [&](OpId op) { order.push_back(op); }, [](OpId) {});
  return order;
}

/// Returns the ops of `block` and its regions in pre-order: an op precedes the ops of its regions.
std::vector<OpId> pre_order(const Module& module, BlockId block);

/// Returns all ops of the module in the order of the text.
inline std::vector<OpId> pre_order(const Module& module) {
  return pre_order(module, module.body());
}

/// Returns the ops of `block` and its regions in post-order: the ops of an op's regions precede the
/// op. Skips the regions of ops for which `enters` returns false.
template <class Enters>
std::vector<OpId> post_order(const Module& module, BlockId block, const Enters& enters) {
  std::vector<OpId> order;
  detail::walk(
      module, block, enters, [](OpId) {}, [&](OpId op) { order.push_back(op); });
  return order;
}

/// Returns the ops of `block` and its regions in post-order: the ops of an op's regions precede the
/// op.
std::vector<OpId> post_order(const Module& module, BlockId block);

/// Returns all ops of the module in post-order: the ops of an op's regions precede the op.
inline std::vector<OpId> post_order(const Module& module) {
  return post_order(module, module.body());
}

/// Returns the function that contains an op; invalid at top level.
inline OpId enclosing_function(const Module& module, OpId op) {
  while (op.valid() && !module.is(op, OpKind::Func)) op = module.parent_op(op);
  return op;
}

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

#ifdef SHARDY_BODIES
namespace shardy::ir {

SHARDY_INLINE std::vector<OpId> pre_order(const Module& module, BlockId block) {
  return pre_order(module, block, [](OpId) { return true; });
}

SHARDY_INLINE std::vector<OpId> post_order(const Module& module, BlockId block) {
  return post_order(module, block, [](OpId) { return true; });
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
