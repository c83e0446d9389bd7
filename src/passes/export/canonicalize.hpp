// Canonicalization: rewrites that leave the values of a program and simplify its shardings.
#pragma once

#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <string_view>

namespace shardy::passes {

// ---- Single patterns: each says whether it changed something ------------------------------------

/// R1: a reshard becomes the result of an earlier one of its block that lays the tensor out alike,
/// with the reshapes and transposes in between. Spec: dialect 7.1.
bool reuse_reshards(ir::Module& module);

/// R2: a reshard of a reshard that is used once goes directly to its target. Spec: dialect 7.1.
bool join_reshards(ir::Module& module);

/// Erases ops without effects and uses, with every set of patterns. Collectives count as
/// ops with effects. Spec: passes 6.
bool erase_dead_ops(ir::Module& module);

/// C1 to C11, until none fits. Spec: dialect 7.2.
bool simplify_collectives(ir::Module& module);

/// MC1: block arguments of manual computations without uses go, with their operands and
/// in_shardings. Spec: dialect 7.3.
bool drop_unused_manual_arguments(ir::Module& module);

/// MC2: a manual computation without shardings and with nothing in its body goes.
bool erase_empty_manual_computations(ir::Module& module);

/// MC3: the body of a manual computation whose manual axes have one device takes its place.
bool inline_trivial_manual_computations(ir::Module& module);

// ---- All of them --------------------------------------------------------------------------------

/// Groups of patterns that run.
struct CanonicalizeOptions {
  bool reshards = true;     // label `sdy-reshard`: R2
  bool collectives = true;  // label `sdy-collective`: C1 to C11
  bool unlabelled = true;   // R1, MC1 to MC3
};

/// The group of patterns of a label alone: `sdy-reshard`, `sdy-collective`; nothing for other text.
std::optional<CanonicalizeOptions> only_labelled(std::string_view label);

/// Applies the patterns until none fits, and erases dead ops. Spec: dialect 7, passes 6.
PassErrors canonicalize(ir::Module& module, const CanonicalizeOptions& options = {});

}  // namespace shardy::passes
