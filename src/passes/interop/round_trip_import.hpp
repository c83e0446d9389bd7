// Import of what XLA's round trip leaves of sdy: frontend attributes, custom calls and bodies.
// Spec: interop 6.
#pragma once

#include <string>
#include <vector>

#include "passes/interop/carriers.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/interop.hpp"
#include "shardy/passes/pass.hpp"

namespace shardy::passes {

struct RoundTripAttrsOptions {
  /// Keeps shardings of ops that do not exist to carry them; otherwise they are dropped,
  /// and those ops are reported.
  bool keep_ops = true;
  std::vector<ir::OpId>* dropped = nullptr;
};

/// Frontend attributes become meshes, shardings and rules; function results get what custom calls
/// carry for them. Spec: interop 6.2, 6.3.
PassErrors import_round_trip_attrs(ir::Module& module, const RoundTripAttrsOptions& options,
                                   ImportedShardings& counts);

/// Bodies between custom calls become manual computations. `reconstructed` is told the place of
/// the first call without in_shardings. Spec: interop 6.6.
PassErrors import_round_trip_manual(ir::Module& module, ImportedShardings& counts,
                                    std::string* reconstructed = nullptr);

/// The other custom calls become constraints, groups and barriers. Spec: interop 6.7.
PassErrors import_round_trip_calls(ir::Module& module, ImportedShardings& counts);

/// Custom calls that carry the shardings of function results. Spec: interop 6.3.
Status import_func_results(ir::Module& module, ImportedShardings& counts);

/// Constants become `sdy.constant`.
PassErrors import_constants(ir::Module& module);

/// Passes captured values of a loop through a fully open constraint. Spec: interop 6.7.
PassErrors open_while_free_vars(ir::Module& module);

/// Meshes with the same devices become one, in whose axes and sub-axes all is written.
/// Errors: a manual axis that is a part of one there. Spec: interop 6.5.
PassErrors fold_meshes(ir::Module& module);

/// Returns whether keys, targets, names of functions or texts of the round trip stand in the
/// module.
bool carries_round_trip(const ir::Module& module);
/// Returns whether `mhlo.sharding` or custom calls of GSPMD do.
bool carries_gspmd(const ir::Module& module);

}  // namespace shardy::passes
