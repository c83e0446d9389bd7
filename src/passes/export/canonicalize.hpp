// Canonicalization: rewrites that keep the values of a program and simplify its shardings.
#pragma once

#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <string_view>

namespace shardy::passes {

// ---- Single patterns, which return whether they changed the module ------------------------------

/// R1: replaces a reshard by an earlier reshard of its block with an equal layout. Reshapes and
/// transposes between the two are repeated after the earlier one. Spec: dialect 7.1.
bool reuse_reshards(ir::Module& module);

/// R2: merges a reshard into its only user, another reshard. Spec: dialect 7.1.
bool join_reshards(ir::Module& module);

/// Erases dead ops without side effects. Runs with every group of patterns. Collectives count as
/// side effects. Spec: passes 6.
bool erase_dead_ops(ir::Module& module);

/// Applies C1 to C11 to a fixpoint. Spec: dialect 7.2.
bool simplify_collectives(ir::Module& module);

/// MC1: erases unused block arguments of manual computations, with their operands and in_shardings.
/// Spec: dialect 7.3.
bool drop_unused_manual_arguments(ir::Module& module);

/// MC2: erases manual computations without shardings and with an empty body.
bool erase_empty_manual_computations(ir::Module& module);

/// MC3: inlines manual computations whose manual axes have one device.
bool inline_trivial_manual_computations(ir::Module& module);

// ---- All patterns -------------------------------------------------------------------------------

/// Groups of patterns to run.
struct CanonicalizeOptions {
  bool reshards = true;     // label `sdy-reshard`: R2
  bool collectives = true;  // label `sdy-collective`: C1 to C11
  bool unlabelled = true;   // R1, MC1 to MC3
};

/// Returns the group with only this label, `sdy-reshard` or `sdy-collective`; std::nullopt for
/// other labels.
std::optional<CanonicalizeOptions> only_labelled(std::string_view label);

/// Applies the patterns to a fixpoint and erases dead ops. Spec: dialect 7, passes 6.
Diagnostics canonicalize(ir::Module& module, const CanonicalizeOptions& options = {});

}  // namespace shardy::passes
