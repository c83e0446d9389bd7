// Copies of functions, one per call.
#pragma once

#include <cstdint>
#include <shardy/ir/call_graph.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <unordered_map>

namespace shardy::passes {

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
Status expect_few_copies(const CopySize& copies, std::string at);

/// Checks the copies that are made if each call gets its own function. Requires: the graph is that
/// of the module, without recursion and without missing callees.
Status expect_few_copies(const ir::Module& module, const ir::CallGraph& graph);

}  // namespace shardy::passes
