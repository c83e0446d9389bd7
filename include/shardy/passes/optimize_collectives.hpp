// Rewrites that reduce the traffic of collectives.
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

/// One rewrite, with the cost per device of the collectives that it removed and of those that it
/// added, under the cost model.
struct CollectiveRewrite {
  std::string rule;             // "hoist-slices"
  std::string op;               // op at which it was applied: "sdy.all_slice"
  std::string location;         // of that op; empty if unknown
  int64_t bytes_before = 0;     // sent by a device before the rewrite
  int64_t bytes_after = 0;      // sent by a device after it
  int64_t messages_before = 0;  // in sequence, before the rewrite
  int64_t messages_after = 0;   // in sequence, after the rewrite
  bool operator==(const CollectiveRewrite&) const = default;
};

/// Returns a remark at the location of the rewrite.
Diagnostic diagnostic_of(const CollectiveRewrite& rewrite);
/// Returns one remark per rewrite.
Diagnostics diagnostics_of(std::span<const CollectiveRewrite> rewrites);

/// Options of optimize_collectives.
struct OptimizeCollectivesOptions {
  std::vector<std::string> rules = {};  // names of rules; empty: all
  CostModel model = {};                 // overrides the axis costs of meshes
};

/// Returns the names of all rules, in the order in which they are applied. Spec: resharding C.8.
std::span<const std::string_view> collective_rules();

/// Rewrites collectives if that reduces time, bytes or messages and increases none of them. Results
/// stay equal up to the order of float additions. Returns the rewrites in the order in which they
/// were applied. Errors: unknown rules, invalid axis costs of a mesh.
///
/// Cost: linear in the program; chains of ops are followed for at most 16 or 64 steps.
tl::expected<std::vector<CollectiveRewrite>, Diagnostics> optimize_collectives(
    ir::Module& module, const OptimizeCollectivesOptions& options = {});

}  // namespace shardy::passes
