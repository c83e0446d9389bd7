// Export of sdy shardings to GSPMD and to XLA's round trip of sdy. Spec: interop 7.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "passes/interop/sharding_attributes.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

// ---- Shardings as XLA's text. Spec: interop 2.2, 2.3, 7.1 ---------------------------------------

struct ShardingStrings {
  bool with_names = false;             // write axis names
  bool simplifies_replicated = false;  // with names: omit the mesh of replicated shardings

  /// Returns the text of a replicated value, or of an op whose results are all replicated.
  std::string replicated() const;
  /// Returns the text of a value's sharding, including the manual axes around the value, in XLA's
  /// normal form. Errors: features without a text form.
  Result<std::string> of(const TensorSharding& sharding, std::span<const std::string> manual) const;
  /// Returns the text of all results of an op. It is a tuple unless the op has one result.
  Result<std::string> of(std::span<const TensorSharding> shardings,
                         std::span<const std::string> manual) const;
};

// ---- To GSPMD -----------------------------------------------------------------------------------

/// Replaces constraints and reshards by copies or `@Sharding` calls, and erases barriers and
/// collectives that GSPMD infers. Errors: edge ops, collectives on partial values.
Diagnostics export_gspmd_ops(ir::Module& module, bool keeps_constraints);

/// Replaces manual computations by functions, which are called between custom calls.
Diagnostics export_gspmd_manual(ir::Module& module, bool makes_constraints,
                                const ShardingStrings& strings);

/// Replaces manual computations by private functions and calls, without shardings. Error: operands
/// or results whose shape differs in the body.
Diagnostics erase_manual_computations(ir::Module& module);

struct GspmdStringsOptions {
  ShardingStrings strings = {};
  bool adds_missing = true;  // adds replicated shardings to control flow
  bool erases_meshes = true;
  bool clears_reverse = false;  // removes the sharding of `stablehlo.reverse`
};

/// Replaces `sdy.sharding` by `mhlo.sharding` everywhere.
Diagnostics export_gspmd_strings(ir::Module& module, const GspmdStringsOptions& options);

// ---- To the round trip --------------------------------------------------------------------------

/// Replaces constraints, groups and barriers by custom calls. Error: ops that the form does not
/// support.
Diagnostics export_round_trip_ops(ir::Module& module);
/// Replaces manual computations by functions, which are called between custom calls.
Diagnostics export_round_trip_manual(ir::Module& module);
/// Writes shardings, rules and meshes as frontend attributes and custom calls. With `with_names`,
/// omits the shardings, because `mhlo.sharding` texts with axis names contain them.
Diagnostics export_round_trip_attrs(ir::Module& module, bool with_names);

// ---- Shared -------------------------------------------------------------------------------------

/// Returns a custom call with one operand and one result.
ir::OpSpec marker_call(const ir::Module& module, std::string_view target, ir::ValueId operand,
                       ir::Type result);

/// Marks a `@Sharding` call with unreduced axes as having side effects, so that XLA keeps it. No
/// other op shows that the value is partial.
void keep_unreduced(ir::OpSpec& spec, const TensorSharding& sharding);

/// Replaces `sdy.constant` by `stablehlo.constant`.
void export_constants(ir::Module& module);

// ---- Shardings of a partitioned program as module attributes. Spec: interop 2.5, 7.1 ------------

/// Checks whether main is a per-device program: it has local shapes, and global types and shardings
/// as attributes.
bool is_device_program(const ir::Module& module);

/// Exports the shardings of a per-device program's arguments and results as `mhlo.spmd_*`. The
/// types are local, but `mhlo.sharding` would apply to global shapes. Errors: shardings without a
/// text form.
Status export_device_program(ir::Module& module, const ShardingStrings& strings);

/// Erases the exported shardings of per-device programs.
void erase_device_shardings(ir::Module& module);

/// Replaces `sdy.parameters_shardings` and `sdy.output_shardings` of the module by `mhlo.spmd_*`.
/// Errors: not one sharding per argument or result; an unknown mesh; a sharding without a text
/// form.
Status export_module_lists(ir::Module& module, const ShardingStrings& strings);

/// The inverse of export_module_lists: sets `mhlo.sharding` from the lists on the arguments and
/// results of a per-device program that have no sharding. Errors: not one text per argument; values
/// that are not texts.
Status place_module_lists(ir::Module& module);

// ---- Unsupported features of a form. Spec: interop 7.3 ------------------------------------------

/// Returns one warning per kind of unsupported feature, with its number of occurrences and the
/// first place.
Diagnostics unsupported_features(const ir::Module& module, ExportForm form);

}  // namespace shardy::passes
