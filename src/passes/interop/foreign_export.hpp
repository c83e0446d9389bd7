// Writing sdy as GSPMD and as XLA's round trip. Spec: interop 7.
#pragma once

#include <string>
#include <vector>

#include "passes/common/symbols.hpp"
#include "passes/interop/carriers.hpp"
#include "passes/interop/sharding_strings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::passes {

// ---- To GSPMD -----------------------------------------------------------------------------------

/// Constraints and reshards become copies, or `@Sharding`; barriers and collectives that GSPMD
/// finds by itself go. Errors: edges, collectives on partial values.
PassErrors export_gspmd_ops(ir::Module& module, bool keeps_constraints);

/// Manual computations become functions and calls between custom calls.
PassErrors export_gspmd_manual(ir::Module& module, bool makes_constraints,
                               const ShardingStrings& strings);

/// Manual computations become private functions and calls of them, without a word of shardings.
/// Errors: one whose operands and results have other shapes than its body.
PassErrors erase_manual_computations(ir::Module& module);

struct GspmdStringsOptions {
  ShardingStrings strings = {};
  bool adds_missing = true;  // to control flow
  bool erases_meshes = true;
  bool clears_reverse = false;  // `stablehlo.reverse` keeps no sharding
};

/// `sdy.sharding` becomes `mhlo.sharding` everywhere.
PassErrors export_gspmd_strings(ir::Module& module, const GspmdStringsOptions& options);

// ---- To the round trip --------------------------------------------------------------------------

/// Constraints, groups and barriers become custom calls. Errors: what is not part of the form.
PassErrors export_round_trip_ops(ir::Module& module);
/// Manual computations become functions and calls between custom calls.
PassErrors export_round_trip_manual(ir::Module& module);
/// Shardings, rules and meshes are written as frontend attributes and custom calls. `with_names`:
/// shardings are not, as texts with the names of axes carry them.
PassErrors export_round_trip_attrs(ir::Module& module, bool with_names);

// ---- Both ---------------------------------------------------------------------------------------

/// Returns a custom call of one operand and one result.
ir::OpSpec marker_call(const ir::Module& module, std::string_view target, ir::ValueId operand,
                       ir::Type result);

/// Marks a `@Sharding` with unreduced axes as one with side effects, so that XLA keeps it: without
/// it the value would be partial where no op knows.
void keep_unreduced(ir::OpSpec& spec, const TensorSharding& sharding);

/// `sdy.constant` becomes `stablehlo.constant`.
void export_constants(ir::Module& module);

}  // namespace shardy::passes
