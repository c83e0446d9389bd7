// Import of XLA's round trip of sdy: frontend attributes, custom calls and bodies. Spec: interop 6.
#pragma once

#include <string>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::passes {

struct RoundTripAttrsOptions {
  /// True: keeps the shardings of ops. False: drops them, except on ops whose purpose is a
  /// sharding, and reports these ops.
  bool keep_ops = true;
  std::vector<ir::OpId>* dropped = nullptr;
};

/// Converts frontend attributes to meshes, shardings and rules. Results of functions get the
/// shardings of custom calls. Spec: interop 6.2, 6.3.
Diagnostics import_round_trip_attrs(ir::Module& module, const RoundTripAttrsOptions& options,
                                    ImportedShardings& counts);

/// Replaces bodies between custom calls by manual computations. `reconstructed` gets the location
/// of the first call without in_shardings. Spec: interop 6.6.
Diagnostics import_round_trip_manual(ir::Module& module, ImportedShardings& counts,
                                     Location* reconstructed = nullptr);

/// Replaces the other custom calls by constraints, groups and barriers. Spec: interop 6.7.
Diagnostics import_round_trip_calls(ir::Module& module, ImportedShardings& counts);

/// Erases custom calls that have the shardings of function results. Spec: interop 6.3.
Status import_func_results(ir::Module& module, ImportedShardings& counts);

/// Replaces `stablehlo.constant` by `sdy.constant`.
Diagnostics import_constants(ir::Module& module);

/// Makes loops use each captured value through a fully open constraint. Spec: interop 6.7.
Diagnostics open_while_free_vars(ir::Module& module);

/// Merges meshes with equal devices. Shardings are rewritten to axes and sub-axes of one of these
/// meshes. Error: a manual axis would become a sub-axis. Spec: interop 6.5.
Diagnostics fold_meshes(ir::Module& module);

/// Returns true for attributes, call targets, function names or texts of the round trip.
bool carries_round_trip(const ir::Module& module);
/// Returns true for `mhlo.sharding` or custom calls of GSPMD.
bool carries_gspmd(const ir::Module& module);

// ---- Steps of XLA's pipelines that are not about shardings. Spec: interop 6.1, 7.1 --------------

/// Gives each call of a manual computation's body, except the first one, a copy of the body.
/// Errors: too many copied ops; recursion.
Diagnostics clone_manual_bodies(ir::Module& module);

/// Adds a dummy result, which can have a sharding, to Python callbacks that have no results or an
/// unused empty tuple.
Diagnostics import_callbacks(ir::Module& module);

/// Makes Python callbacks return one tuple of their results, as XLA expects.
Diagnostics export_callbacks(ir::Module& module);

}  // namespace shardy::passes
