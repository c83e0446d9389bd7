// Checks that a sharded run of a program gives the results of the unsharded run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/simulation/run.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::checking {

// Comparison of the results of the sharded and the unsharded run.

/// Allowed difference between two tensors.
///
/// Sharding changes the order of float additions. Results that depend on such sums may differ by
/// `relative` times the largest finite magnitude in the reference tensor, or by `least` if that is
/// more, but at most by `absolute`. All other results must be bitwise equal, except that any two
/// NaNs are equal.
struct Tolerance {
  double relative = 0;  // factor of the largest finite magnitude in the reference tensor
  double least = 0;     // raises the bound by `relative` to at least this
  /// Upper limit of the allowed difference.
  double absolute = std::numeric_limits<double>::infinity();
  /// True if rounding may decide overflow, so that an element may be finite in one tensor only.
  bool overflow = false;
  bool operator==(const Tolerance&) const = default;

  /// Returns the allowed difference. `magnitude` is the largest finite magnitude in the reference
  /// tensor.
  double allowed(double magnitude) const {
    return std::min(std::max(relative * magnitude, least), absolute);
  }
};

/// Returns one tolerance per result of `function`. The tolerance is zero for integers, booleans and
/// moved data. For floats, the tolerance is eps * (8 + n): n is the number of elements added by
/// float sums and products on the longest chain of ops to the result, and eps belongs to the
/// coarsest float type on the chain. Sums in regions and called functions count; sums in loops
/// count 128 times. Custom calls and foreign ops count all elements of their first operand if their
/// rule has reductions.
///
/// Requires: a function with a body. Source: docs/guide/checking.md.
std::vector<Tolerance> result_tolerances(const ir::Module& module, ir::OpId function,
                                         const rules::Registry& rules = {});

/// Difference of two tensors.
struct TensorDifference {
  double largest = 0;    // largest |got - want|; infinite if only one of the two is NaN or infinite
  double magnitude = 0;  // largest finite |want|
  int64_t mismatches = 0;  // number of elements that differ by more than the tolerance
  std::optional<int64_t> first_mismatch;  // row-major index of the first such element
};

/// Returns the difference of two tensors. Requires: equal types.
TensorDifference compare(const simulation::Tensor& got, const simulation::Tensor& want,
                         const Tolerance& tolerance);

/// Returns the largest |got - want| over elements that are finite in both tensors. The types may
/// differ. Requires: equal numbers of elements.
double largest_error(const simulation::Tensor& got, const simulation::Tensor& want);

/// Returns the largest finite |element|. Requires: a tensor.
double largest_magnitude(const simulation::Tensor& tensor);

/// A phase of a check, for progress callbacks.
struct CheckPhase {
  std::string_view name;  // text such as "running on all devices"
  int number = 1;         // number of the phase, starting at 1
  int count = 1;          // total number of phases
  double cost_done = 0;   // expected cost of the phases before, in runs on all devices
  double cost = 1;        // expected cost of all phases; positive

  /// Returns the expected share of the time that the phases before took, in [0, 1).
  double fraction_done() const { return cost_done / cost; }
};

/// Options of check.
struct CheckOptions {
  CompileOptions compile = {};      // options of compilation
  simulation::RunOptions run = {};  // the observer is called only for ops of the sharded run
  bool compare = true;              // also run the program unsharded and compare
  bool exact = false;               // also compare over a prime field
  bool wide = false;                // also compare in f64, if the program has narrower floats
  /// Use smaller dims over the prime field if the program is large and its ops treat all elements
  /// of a dim alike. Full sizes are run if results differ.
  bool smaller_dims = true;
  /// Relative tolerance; overrides result_tolerances.
  std::optional<double> tolerance = {};
  std::function<void(const CheckPhase& phase)> progress = {};  // called before each phase
};

/// Comparison of one result of `main`.
struct ResultCheck {
  Tolerance tolerance;          // allowed difference
  TensorDifference difference;  // actual difference
  /// Checks whether no element differs by more than the tolerance.
  bool equal() const { return difference.mismatches == 0; }
};

/// Relative errors of results in narrow floats, compared with results in f64. The errors are
/// relative to the largest magnitude of the f64 results.
struct Accuracy {
  double sharded = 0;    // error of the sharded run
  double unsharded = 0;  // error of the unsharded run
};

/// A comparison of the sharded and the unsharded run in another number type instead of floats.
struct NumberCheck {
  bool done = false;                      // the comparison was run
  std::vector<ResultCheck> results = {};  // one per result of the main function
  std::vector<Accuracy> accuracy = {};    // errors relative to f64; only in a comparison in f64
  std::string impossible = {};            // reason why a requested comparison was not run
  /// The smaller sizes with which the comparison was run, such as "1,024 to 20"; empty for the
  /// sizes of the program.
  std::string smaller_sizes = {};
  std::string failure =
      {};  // error of the sharded run only, or of a `check` op that got other values in both runs
  /// Checks whether all results are equal, or the comparison was not run.
  bool equal() const;
};

/// Result of a check.
struct CheckReport {
  CompiledProgram compiled;          // the program in all stages
  simulation::GlobalResult sharded;  // results of the per-device program
  int64_t num_values = 0;            // number of tensors in the propagated program
  int64_t num_sharded_values = 0;    // number of tensors that no device holds completely
  std::vector<ResultCheck> results;  // one per result; empty if results are not compared
  /// Comparison over a prime field, where sums in any order have equal bits. So any difference is
  /// an error. Spec: stablehlo 37.
  NumberCheck exact = {};
  /// Comparison in f64, where sums in another order have a relative difference of about 2^-52.
  NumberCheck wide = {};
  /// True if `run.cancel` ended the check early. The report then has the results of completed
  /// phases only.
  bool cancelled = false;

  /// Checks whether all comparisons found equal results.
  bool equal() const;
  /// Returns the largest |sharded - unsharded| over all results.
  double largest_difference() const;
};

/// Compiles `module`, runs its per-device program on all devices of its mesh, and compares the
/// results with a run of `module` on one device.
///
/// Padding is poisoned if results are compared, unless the options have another fill.
///
/// `inputs` has one global tensor per argument of `main`. In runs over a prime field, floats are
/// random instead. Errors: those of the failed stage, then the diagnostics of earlier stages.
/// Unequal results and cancelled runs are not errors.
DiagnosedResult<CheckReport> check(const ir::Module& module, const simulation::Tensors& inputs,
                                   const CheckOptions& options = {}, const Context& context = {});

/// Returns inputs for `main`: floats in [-1, 1) and small integers. Equal seeds give equal inputs.
/// Errors: no main function; an argument that is not a static tensor.
Result<simulation::Tensors> random_inputs(const ir::Module& module, uint64_t seed);

}  // namespace shardy::checking
