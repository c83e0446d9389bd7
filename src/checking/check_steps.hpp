// The steps of a check, for callers that run some steps once for many programs.
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

/// Runs `module` on one device. Errors: no main function; errors of the run.
Result<simulation::GlobalResult> run_unsharded(const ir::Module& module,
                                               const simulation::Tensors& inputs,
                                               const CheckOptions& options, const Context& context);

/// Checks whether a stop of `run.cancel` was requested.
bool is_cancelled(const CheckOptions& options);

/// Expected costs of the phases of a check; the unit is a run on all devices. The numbers come from
/// benchmarks/check_phases.py and serve only the progress line.
struct PhaseCosts {
  static constexpr double kCompile = 0.5;
  static constexpr double kRun = 1;
  static constexpr double kExact = 8;         // an unsharded and a sharded run
  static constexpr double kSmallExact = 0.2;  // the same with smaller dims
  static constexpr double kWide = 4;          // an unsharded and a sharded run

  std::vector<double> all = {kCompile, kRun};

  /// Returns the phase of this number, from 1.
  CheckPhase phase(std::string_view name, std::size_t number) const;
};

/// Compiles the program and runs it on all devices, as the first phases. Errors: those of `check`.
DiagnosedResult<CheckReport> run_sharded(const ir::Module& module,
                                         const simulation::Tensors& inputs,
                                         const CheckOptions& options, const Context& context,
                                         const PhaseCosts& phases = {});

/// Adds the comparison with the results of the unsharded run to the report of the sharded run.
void compare_with(const simulation::GlobalResult& reference, const ir::Module& module,
                  const CheckOptions& options, const Context& context, CheckReport& report);

/// Adds the comparison in f64. Unless the user set a tolerance, allows other results to differ by
/// the rounding errors measured in f64. Requires: compare_with was called.
void compare_wide(const NumberRuns& wide, const simulation::GlobalResult& reference,
                  const CheckOptions& options, CheckReport& report);

/// Returns warnings for ops with reducers other than ir::kReducers. If such a reducer is not a
/// monoid, the sharded and the unsharded run may differ. Spec: partitioning 5.8.
Diagnostics open_reducers(const ir::Module& module);

/// Returns one line per result, such as `result 0: equal (largest difference 0, allowed 0)`.
std::string comparison_text(const CheckReport& report);

// A reference in which no device has a complete value: the program under other shardings.

/// Returns the program in which only `results` keep their shardings. Each argument is sharded along
/// its largest dim over as many axes of the mesh as the dim allows. In a run, a device has the same
/// parts of results as with the shardings of the program, but computes them from other parts of all
/// other values.
///
/// Errors: no main function; manual computations, which depend on their shardings; results that are
/// unreduced or have no mesh.
Result<ir::Module> sharded_by_rows(const ir::Module& module,
                                   std::span<const simulation::WholeValue> results);

}  // namespace shardy::checking
