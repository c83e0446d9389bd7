// The steps of a check, for callers that run some of them once for many programs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/simulation/rank_run.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

class NumberRuns;

/// Runs `module` on one device. Errors: no main function, those of the run.
Result<simulation::GlobalResult> run_unsharded(const ir::Module& module,
                                               const simulation::Tensors& inputs,
                                               const CheckOptions& options, const Context& context);

/// Checks whether `run.cancel` of the options was asked to stop.
bool is_cancelled(const CheckOptions& options);

/// Expected costs of the phases of a check, in runs on all devices. They are measured on whole
/// programs (benchmarks/check_phases.py), for progress only.
struct PhaseCosts {
  static constexpr double kCompile = 0.5;
  static constexpr double kRun = 1;
  static constexpr double kExact = 8;  // an unsharded and a sharded run
  static constexpr double kWide = 4;   // the same

  std::vector<double> all = {kCompile, kRun};

  /// Returns the phase of this number, from 1.
  CheckPhase phase(std::string_view name, std::size_t number) const;
};

/// Compiles the program and runs it on all devices, as the first phases. Errors: as of `check`.
DiagnosedResult<CheckReport> run_sharded(const ir::Module& module,
                                         const simulation::Tensors& inputs,
                                         const CheckOptions& options, const Context& context,
                                         const PhaseCosts& phases = {});

/// Adds the comparison with the results of the unsharded run to the report of the sharded one.
void compare_with(const simulation::GlobalResult& reference, const ir::Module& module,
                  const CheckOptions& options, const Context& context, CheckReport& report);

/// Adds the comparison in f64, and allows the other results to differ by the effect of rounding
/// that it measures, unless a tolerance was asked for. Requires: compare_with was called.
void compare_wide(const NumberRuns& wide, const simulation::GlobalResult& reference,
                  const CheckOptions& options, CheckReport& report);

/// Warns about ops with reducers other than ir::kReducers: if such a reducer is not a monoid, the
/// sharded and the unsharded run may differ. Spec: partitioning 5.8.
Diagnostics open_reducers(const ir::Module& module);

/// `result 0: equal (largest difference 0, allowed 0)`, a line for each result.
std::string comparison_text(const CheckReport& report);

// The same program under other shardings, as a reference that no device holds whole.

/// The program with only the shardings of `results`: each argument is sharded along its largest dim
/// over as many axes of the mesh as fit. In a run, a device has the same parts of results as under
/// the shardings of the program, computed from other parts of all other values.
///
/// Errors: no main function; manual computations, which are written for their shardings; results
/// that are unreduced, or that no mesh has.
Result<ir::Module> sharded_by_rows(const ir::Module& module,
                                   std::span<const simulation::WholeValue> results);

}  // namespace shardy::checking
