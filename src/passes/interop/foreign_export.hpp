// Export of sdy to GSPMD and to XLA's round trip. Spec: interop 7.
#pragma once

#include <string>
#include <vector>

#include "passes/common/symbols.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "passes/interop/sharding_strings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::passes {

// ---- To GSPMD -----------------------------------------------------------------------------------

/// Replaces constraints and reshards by copies or `@Sharding` calls; erases barriers and
/// collectives that GSPMD infers. Errors: edge ops, collectives on partial values.
PassErrors export_gspmd_ops(ir::Module& module, bool keeps_constraints);

/// Replaces manual computations by functions and their calls between custom calls.
PassErrors export_gspmd_manual(ir::Module& module, bool makes_constraints,
                               const ShardingStrings& strings);

/// Replaces manual computations by private functions and calls, without shardings. Errors: operands
/// or results with other shapes than in the body.
PassErrors erase_manual_computations(ir::Module& module);

struct GspmdStringsOptions {
  ShardingStrings strings = {};
  bool adds_missing = true;  // replicated shardings of control flow
  bool erases_meshes = true;
  bool clears_reverse = false;  // `stablehlo.reverse` keeps no sharding
};

/// Replaces `sdy.sharding` by `mhlo.sharding` everywhere.
PassErrors export_gspmd_strings(ir::Module& module, const GspmdStringsOptions& options);

// ---- To the round trip --------------------------------------------------------------------------

/// Replaces constraints, groups and barriers by custom calls. Errors: ops that the form does not
/// have.
PassErrors export_round_trip_ops(ir::Module& module);
/// Replaces manual computations by functions and their calls between custom calls.
PassErrors export_round_trip_manual(ir::Module& module);
/// Writes shardings, rules and meshes as frontend attributes and custom calls. `with_names`: not
/// the shardings, which texts with axis names contain.
PassErrors export_round_trip_attrs(ir::Module& module, bool with_names);

// ---- Shared -------------------------------------------------------------------------------------

/// Returns a custom call of one operand and one result.
ir::OpSpec marker_call(const ir::Module& module, std::string_view target, ir::ValueId operand,
                       ir::Type result);

/// Marks a `@Sharding` call with unreduced axes as having side effects, so that XLA keeps it.
/// Without it no op would show that the value is partial.
void keep_unreduced(ir::OpSpec& spec, const TensorSharding& sharding);

/// Replaces `sdy.constant` by `stablehlo.constant`.
void export_constants(ir::Module& module);

}  // namespace shardy::passes
