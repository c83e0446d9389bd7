// Extensions of an embedder: ops with rules, lowerings and kernels; passes; limits.
#pragma once

#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/parts.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::checking {

/// An op of an unregistered dialect, or a custom call. Only the name is required: without a rule
/// nothing propagates through the op and it cannot be partitioned; without a lowering it is
/// partitioned by its rule; without a kernel it cannot be simulated.
struct ForeignOp {
  std::string name;            // `example.rotary`; for a custom call its target
  rules::RuleMaker rule = {};  // sharding rule, for example by rules::einsum_maker
  rules::RuleMaker lowering_rule =
      {};  // rule for `lower`, if it accepts shardings that `rule` excludes
  /// Lowering to the per-device program; empty: by the rule.
  partitioning::ForeignLowering lower = {};
  simulation::ForeignKernel kernel = {};  // empty: programs with the op cannot run
};

/// Extensions for compilations and for runs of their results. A value: nothing is registered
/// process-wide.
struct Context {
  partitioning::ForeignOps ops = {};  // sharding rules and lowerings
  simulation::RunContext runs = {};   // kernels and limits of the simulator
  passes::PassRegistry passes = {};   // the embedder's passes, for pipelines that name them
  passes::PassParts parts = {};       // replaced decisions of propagation and reshards

  /// Adds an op. Errors: the library has the op, or it was added before.
  Status add_op(ForeignOp op);
  /// Adds a custom call. Errors: as add_op; a kernel alone may be added for a known target.
  Status add_custom_call(ForeignOp op);
  /// Adds a rule for composites of that name, which are computed by their decomposition. Errors: as
  /// add_op; `lower` or `kernel` is not empty.
  Status add_composite(ForeignOp op);

  /// Returns the passes of the library, with the embedder's lowerings, and those of the embedder.
  /// Errors: duplicate names.
  Result<passes::PassRegistry> all_passes() const;
};

}  // namespace shardy::checking
