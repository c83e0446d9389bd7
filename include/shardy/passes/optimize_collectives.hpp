// Rewrites of a program whose reshards are collectives, after which these send less.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::passes {

/// One rewrite. Bytes are those that a device sends for the collectives that it took away, and for
/// those that it made, under the cost model.
struct CollectiveRewrite {
  std::string rule;             // "slice-earlier"
  std::string op;               // where it began: "sdy.all_slice"
  std::string location;         // of that op, empty when unknown
  int64_t bytes_before = 0;     // sent by a device before the rewrite
  int64_t bytes_after = 0;      // sent by a device after it
  int64_t messages_before = 0;  // one after the other, before the rewrite
  int64_t messages_after = 0;   // one after the other, after it
  bool operator==(const CollectiveRewrite&) const = default;
};

/// A remark at the place of the rewrite.
Diagnostic diagnostic_of(const CollectiveRewrite& rewrite);
/// One for each.
Diagnostics diagnostics_of(std::span<const CollectiveRewrite> rewrites);

/// Options of optimize_collectives.
struct OptimizeCollectivesOptions {
  std::vector<std::string> rules = {};  // names; empty: all
  CostModel model = {};                 // counts instead of what meshes say
};

/// Names of all rules, in the order in which they are tried. Spec: resharding C.8.
std::span<const std::string_view> collective_rules();

/// Rewrites collectives where that is cheaper: less time, bytes or messages, and more of none of
/// them. Results stay the same but for the order in which floats are added. What was done, in the
/// order in which it was done. Errors: a rule that there is not, costs of a mesh that cannot be
/// read.
///
/// Cost: linear in the program, but for ops in a chain, which are followed 16 or 64 steps far.
tl::expected<std::vector<CollectiveRewrite>, Diagnostics> optimize_collectives(
    ir::Module& module, const OptimizeCollectivesOptions& options = {});

}  // namespace shardy::passes
