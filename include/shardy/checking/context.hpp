// Extensions of an embedder: ops with their rules, lowerings and kernels, passes,
// limits.
#pragma once

#include <shardy/partitioning/partition.hpp>
#include <shardy/passes/parts.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::checking {

/// An op of a dialect that the library does not know, or a custom call. Only the name is needed;
/// what is left out: without a rule nothing propagates through the op and it cannot be partitioned,
/// without a lowering it is partitioned by its rule, without a kernel it cannot be simulated.
struct ForeignOp {
  std::string name;                     // `example.rotary`; of a custom call its target
  rules::RuleMaker rule = {};           // how the op relates dims, e.g. by rules::einsum_maker
  rules::RuleMaker lowering_rule = {};  // where `lower` takes pieces that `rule` says it cannot
  /// Its per-device form; empty: operands and results are whole.
  partitioning::ForeignLowering lower = {};
  simulation::ForeignKernel kernel = {};  // what it computes; empty: programs with it cannot run
};

/// One for a compilation, and for the runs of what it makes. Each layer is given its part of it.
/// A value: nothing is registered process-wide.
struct Context {
  partitioning::ForeignOps ops = {};  // rules and lowerings, of all passes and the partitioner
  simulation::RunContext runs = {};   // kernels and limits, of the simulator
  passes::PassRegistry passes = {};   // those of the embedder, for pipelines that name them
  passes::PassParts parts = {};       // choices of the embedder's own, of propagation and reshards

  /// Errors: the library knows the op, or it was added before.
  Status add_op(ForeignOp op);
  /// The same for a custom call. A kernel can be given to one whose rule the library knows, too.
  Status add_custom_call(ForeignOp op);
  /// A rule for the composites of that name, which are what they are decomposed into: `lower` and
  /// `kernel` must be empty.
  Status add_composite(ForeignOp op);

  /// The passes of the library, which know the lowerings, and those of the embedder. Errors: two of
  /// one name.
  Result<passes::PassRegistry> all_passes() const;
};

}  // namespace shardy::checking
