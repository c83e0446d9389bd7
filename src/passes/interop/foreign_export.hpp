// Export of sdy to GSPMD and to XLA's round trip. Spec: interop 7.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

// ---- Shardings as XLA's text. Spec: interop 2.2, 2.3, 7.1 ---------------------------------------

struct ShardingStrings {
  bool with_names = false;             // write axis names
  bool simplifies_replicated = false;  // with names: omit the mesh of replicated shardings

  /// Returns the text of a value's sharding with the manual axes around it, in XLA's normal form.
  /// Errors: features without a text form.
  Result<std::string> of(const TensorSharding& sharding, std::span<const std::string> manual) const;
  /// Returns the text of all results of an op: a tuple unless the op has one result.
  Result<std::string> of(std::span<const TensorSharding> shardings,
                         std::span<const std::string> manual) const;
};

// ---- To GSPMD -----------------------------------------------------------------------------------

/// Replaces constraints and reshards by copies or `@Sharding` calls; erases barriers and
/// collectives that GSPMD infers. Errors: edge ops, collectives on partial values.
Diagnostics export_gspmd_ops(ir::Module& module, bool keeps_constraints);

/// Replaces manual computations by functions and their calls between custom calls.
Diagnostics export_gspmd_manual(ir::Module& module, bool makes_constraints,
                                const ShardingStrings& strings);

/// Replaces manual computations by private functions and calls, without shardings. Errors: operands
/// or results with other shapes than in the body.
Diagnostics erase_manual_computations(ir::Module& module);

struct GspmdStringsOptions {
  ShardingStrings strings = {};
  bool adds_missing = true;  // replicated shardings of control flow
  bool erases_meshes = true;
  bool clears_reverse = false;  // `stablehlo.reverse` keeps no sharding
};

/// Replaces `sdy.sharding` by `mhlo.sharding` everywhere.
Diagnostics export_gspmd_strings(ir::Module& module, const GspmdStringsOptions& options);

// ---- To the round trip --------------------------------------------------------------------------

/// Replaces constraints, groups and barriers by custom calls. Errors: ops that the form does not
/// have.
Diagnostics export_round_trip_ops(ir::Module& module);
/// Replaces manual computations by functions and their calls between custom calls.
Diagnostics export_round_trip_manual(ir::Module& module);
/// Writes shardings, rules and meshes as frontend attributes and custom calls. `with_names`: not
/// the shardings, which texts with axis names contain.
Diagnostics export_round_trip_attrs(ir::Module& module, bool with_names);

// ---- Shared -------------------------------------------------------------------------------------

/// Returns a custom call of one operand and one result.
ir::OpSpec marker_call(const ir::Module& module, std::string_view target, ir::ValueId operand,
                       ir::Type result);

/// Marks a `@Sharding` call with unreduced axes as having side effects, so that XLA keeps it.
/// Without it no op would show that the value is partial.
void keep_unreduced(ir::OpSpec& spec, const TensorSharding& sharding);

/// Replaces `sdy.constant` by `stablehlo.constant`.
void export_constants(ir::Module& module);

// ---- Shardings of a partitioned program as lists of the module. Spec: interop 2.5, 7.1 ----------

/// Checks whether main is a per-device program: local shapes with global types and shardings as
/// attributes.
bool is_device_program(const ir::Module& module);

/// Exports shardings of arguments and results of a per-device program as `mhlo.spmd_*`:
/// `mhlo.sharding` would apply to global shapes, but the types are local. Errors: shardings without
/// a text form.
Status export_device_program(ir::Module& module, const ShardingStrings& strings);

/// Erases shardings of device programs that were exported.
void erase_device_shardings(ir::Module& module);

/// Replaces `sdy.parameters_shardings` and `sdy.output_shardings` of the module by `mhlo.spmd_*`.
/// Errors: not one per argument or result; an unknown mesh; a sharding without a text form.
Status export_module_lists(ir::Module& module, const ShardingStrings& strings);

/// The inverse: gives arguments and results of a per-device program without shardings those of the
/// lists, as `mhlo.sharding`. Errors: not one text per argument; values that are not texts.
Status place_module_lists(ir::Module& module);

// ---- Unsupported features of a form. Spec: interop 7.3 ------------------------------------------

/// Returns one warning per kind of unsupported feature, with the number of occurrences and the
/// first place.
Diagnostics unsupported_features(const ir::Module& module, ExportForm form);

}  // namespace shardy::passes
