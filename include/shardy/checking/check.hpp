// Runs a program sharded and compares it with the unsharded run.
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

// Comparison of results of a sharded run with those of the unsharded run.

/// Allowed difference between two tensors.
///
/// Sharding changes the order of float additions. Results that depend on such sums may differ by
/// `relative` times the largest finite magnitude in the reference tensor, or by `least` if that is
/// more, and at most by `absolute`; all other results must be equal bit by bit, except that any two
/// NaNs are equal.
struct Tolerance {
  double relative = 0;  // relative to the largest finite magnitude in the reference
  double least = 0;     // always allowed
  double absolute = std::numeric_limits<double>::infinity();  // upper limit
  bool overflow =
      false;  // an element may be finite in one tensor only, because rounding decides overflow
  bool operator==(const Tolerance&) const = default;

  /// Returns the allowed difference; `magnitude` is that of the reference.
  double allowed(double magnitude) const {
    return std::min(std::max(relative * magnitude, least), absolute);
  }
};

/// Returns one tolerance per result of `function`: zero for integers, booleans and moved data; for
/// floats eps * (8 + the number of elements added by float sums and products on the longest chain
/// to the result), with eps of the coarsest float type on the chain. Sums in regions and called
/// functions count, those in loops 128 times. Custom calls and foreign ops count all elements of
/// their first operand if their rule has reductions.
///
/// Requires: a function with a body. Source: docs/guide/checking.md.
std::vector<Tolerance> result_tolerances(const ir::Module& module, ir::OpId function,
                                         const rules::Registry& rules = {});

/// Difference of two tensors.
struct Difference {
  double largest = 0;                     // |got - want|; infinite if only one is NaN or infinite
  double magnitude = 0;                   // largest finite |want|
  int64_t mismatches = 0;                 // number of elements beyond the tolerance
  std::optional<int64_t> first_mismatch;  // row-major index
};

/// Returns the difference of two tensors. Requires: equal types.
Difference compare(const simulation::Tensor& got, const simulation::Tensor& want,
                   const Tolerance& tolerance);

/// Returns the largest |got - want| of elements that are finite in both; types may differ.
/// Requires: equal numbers of elements.
double largest_error(const simulation::Tensor& got, const simulation::Tensor& want);

/// Returns the largest finite |element|. Requires: a tensor.
double largest_magnitude(const simulation::Tensor& tensor);

/// A phase of a check that starts.
struct CheckPhase {
  std::string_view name;  // as "running on all devices"
  int number = 1;         // from 1
  int count = 1;          // total number of phases
  double cost_done = 0;   // expected cost of the phases before, in runs on all devices
  double cost = 1;        // expected cost of all phases; positive

  /// Returns the expected share of the time that the phases before took, in [0, 1).
  double fraction_done() const { return cost_done / cost; }
};

/// Options of check.
struct CheckOptions {
  CompileOptions compile = {};           // options of compilation
  simulation::RunOptions run = {};       // the observer receives ops of the sharded run only
  bool compare = true;                   // also run unsharded and compare
  bool exact = false;                    // also compare over a prime field
  bool wide = false;                     // also compare in f64 if floats are narrower
  std::optional<double> tolerance = {};  // relative; overrides the derived bound
  std::function<void(const CheckPhase& phase)> progress = {};  // called before each phase
};

/// Comparison of one result of `main`.
struct ResultCheck {
  Tolerance tolerance;    // allowed difference
  Difference difference;  // actual difference
  /// Checks whether no element differs by more than the tolerance.
  bool equal() const { return difference.mismatches == 0; }
};

/// Relative errors of the narrow-float results against those in f64, relative to the largest
/// magnitude of the latter.
struct Accuracy {
  double sharded = 0;    // of the sharded run
  double unsharded = 0;  // of the unsharded run
};

/// A comparison of both programs in another number type instead of floats.
struct NumberCheck {
  bool done = false;                      // the comparison was run
  std::vector<ResultCheck> results = {};  // one per result of the main function
  std::vector<Accuracy> accuracy = {};    // for f64 only
  std::string impossible = {};            // reason why a requested comparison was not run
  std::string failure =
      {};  // error of the sharded run only, or at a `check` op that received other values
  /// Checks whether all results are equal, or no comparison was run.
  bool equal() const;
};

/// Result of a check.
struct CheckReport {
  CompiledProgram compiled;          // all stages of the program
  simulation::GlobalResult sharded;  // results of the per-device program
  int64_t num_values = 0;            // number of tensors in the propagated program
  int64_t num_sharded_values = 0;    // number of tensors that no device holds completely
  std::vector<ResultCheck> results;  // per result; empty unless compared
  /// Comparison over a prime field, where sums in any order have equal bits, so that any difference
  /// is an error. Spec: stablehlo 37.
  NumberCheck exact = {};
  /// Comparison in f64, where sums in another order differ by a relative error of about 2^-52.
  NumberCheck wide = {};
  /// `run.cancel` ended the check early; results of completed phases are present. Those of the
  /// sharded run are missing if it was cancelled.
  bool cancelled = false;

  /// Checks whether all comparisons found equal results.
  bool equal() const;
  /// Returns the largest |sharded - unsharded| over all results.
  double largest_difference() const;
};

/// Compiles `module`, runs its per-device program on all devices of its mesh, and compares the
/// results with those of the run of `module` on one device.
///
/// If results are compared, padding is poisoned unless another fill was requested.
///
/// `inputs`: one global tensor per argument of `main`; floats of runs over a prime field are random
/// instead. Errors: those of the failed stage, followed by the earlier diagnostics.
/// Unequal results and cancelled runs are not errors.
DiagnosedResult<CheckReport> check(const ir::Module& module, const simulation::Tensors& inputs,
                                   const CheckOptions& options = {}, const Context& context = {});

/// Returns inputs for `main`: floats in [-1, 1), small integers. Equal seeds give equal inputs.
/// Errors: no main function, an argument that is not a static tensor.
Result<simulation::Tensors> random_inputs(const ir::Module& module, uint64_t seed);

}  // namespace shardy::checking
