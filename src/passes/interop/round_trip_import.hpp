// Import of XLA's round trip of sdy: frontend attributes, custom calls and bodies. Spec: interop 6.
#pragma once

#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes {

struct RoundTripAttrsOptions {
  /// Keeps shardings of ops other than those that only carry shardings; otherwise these shardings
  /// are dropped and the ops are reported.
  bool keep_ops = true;
  std::vector<ir::OpId>* dropped = nullptr;
};

/// Converts frontend attributes to meshes, shardings and rules; results of functions get the
/// shardings of custom calls. Spec: interop 6.2, 6.3.
Diagnostics import_round_trip_attrs(ir::Module& module, const RoundTripAttrsOptions& options,
                                    ImportedShardings& counts);

/// Replaces bodies between custom calls by manual computations. `reconstructed` receives the
/// location of the first call without in_shardings. Spec: interop 6.6.
Diagnostics import_round_trip_manual(ir::Module& module, ImportedShardings& counts,
                                     Location* reconstructed = nullptr);

/// Replaces the other custom calls by constraints, groups and barriers. Spec: interop 6.7.
Diagnostics import_round_trip_calls(ir::Module& module, ImportedShardings& counts);

/// Erases custom calls that carry the shardings of function results. Spec: interop 6.3.
Status import_func_results(ir::Module& module, ImportedShardings& counts);

/// Replaces `stablehlo.constant` by `sdy.constant`.
Diagnostics import_constants(ir::Module& module);

/// Passes captured values of a loop through a fully open constraint. Spec: interop 6.7.
Diagnostics open_while_free_vars(ir::Module& module);

/// Merges meshes with equal devices and rewrites shardings in axes and sub-axes of one of them.
/// Errors: a manual axis that becomes a sub-axis. Spec: interop 6.5.
Diagnostics fold_meshes(ir::Module& module);

/// Checks for attributes, targets, function names or texts of the round trip.
bool carries_round_trip(const ir::Module& module);
/// Checks for `mhlo.sharding` or custom calls of GSPMD.
bool carries_gspmd(const ir::Module& module);

// ---- Steps of XLA's pipelines other than shardings. Spec: interop 6.1, 7.1 ----------------------

/// Gives each call of a manual computation's body, except the first, a copy of it. Errors: too many
/// copied ops; recursion.
Diagnostics clone_manual_bodies(ir::Module& module);

/// Adds a dummy result, which can have a sharding, to Python callbacks without results or with an
/// unused empty tuple.
Diagnostics import_callbacks(ir::Module& module);

/// Makes Python callbacks return one tuple of their results, as XLA expects.
Diagnostics export_callbacks(ir::Module& module);

}  // namespace shardy::passes
