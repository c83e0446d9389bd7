// Copies of functions, one per call.
#pragma once

#include <cstdint>
#include <shardy/ir/call_graph.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <unordered_map>

namespace shardy::passes {

/// Ops that the copies of functions which one pass makes may hold. Calls multiply: where each
/// function calls the next one twice, the last of n is copied 2^n times. Spec: passes 1.6.
inline constexpr int64_t kMaxCopiedOps = int64_t{1} << 20;

/// Functions and their ops, the functions themselves among them. Sums that do not fit stay at
/// INT64_MAX.
struct CopySize {
  int64_t functions = 0;
  int64_t ops = 0;

  CopySize& operator+=(const CopySize& other);
};

/// Sizes of functions with a copy of its own for each call in them, and in what these call.
class CallTrees {
 public:
  explicit CallTrees(const ir::Module& module) : module_(&module) {}

  /// Counted once per function. Requires: what it calls is there and does not call it.
  CopySize size(ir::OpId function);

 private:
  /// With what is known of the functions that it calls.
  CopySize count(ir::OpId function) const;

  const ir::Module* module_;
  std::unordered_map<ir::OpId, CopySize> sizes_;
};

/// Errors: the copies hold more than kMaxCopiedOps. `at`: the place to name.
Status expect_few_copies(const CopySize& copies, std::string at);

/// The same of all copies that are made when each call gets its own function.
/// Requires: the graph is that of the module, without recursion, and knows all callees.
Status expect_few_copies(const ir::Module& module, const ir::CallGraph& graph);

}  // namespace shardy::passes
