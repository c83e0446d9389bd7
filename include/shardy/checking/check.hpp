// Running a program sharded, and proving it equal to the unsharded run.
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

// Comparing the results of a sharded run with those of the unsharded one.

/// How two tensors may differ and still count as equal.
///
/// Float sums may be added up in another order when a program is sharded. A result that depends on
/// such sums may differ by `relative` times the largest finite magnitude in the reference tensor,
/// or by `least` where that is more, and not by more than `absolute`; everything else must be equal
/// bit by bit, except that a NaN equals any NaN.
struct Tolerance {
  double relative = 0;  // of the largest finite magnitude in the reference
  double least = 0;     // difference that is always allowed
  double absolute = std::numeric_limits<double>::infinity();  // difference that is never exceeded
  bool overflow = false;  // elements may be finite in one only: rounding decides what overflows
  bool operator==(const Tolerance&) const = default;

  /// `magnitude` is that of the reference.
  double allowed(double magnitude) const {
    return std::min(std::max(relative * magnitude, least), absolute);
  }
};

/// One per result of `function`: nothing for integers, booleans and moved data; for floats
/// eps * (8 + the number of elements that float sums and products above the result add up, in the
/// longest chain), where eps is that of the coarsest float type in the chain. Sums in regions and
/// in called functions count, those in loops 128 times. Custom calls and foreign ops add up all of
/// their first operand if their rule has reductions.
///
/// Requires: a function with a body. docs/guide/checking.md derives the bound.
std::vector<Tolerance> result_tolerances(const ir::Module& module, ir::OpId function,
                                         const rules::Registry& rules = {});

/// How far two tensors lie apart, and where.
struct Difference {
  double largest = 0;      // |got - want|, infinite where only one is NaN or infinite
  double magnitude = 0;    // largest finite |want|
  int64_t mismatches = 0;  // elements beyond the tolerance
  std::optional<int64_t> first_mismatch;  // row-major position
};

/// Requires: tensors of equal types.
Difference compare(const simulation::Tensor& got, const simulation::Tensor& want,
                   const Tolerance& tolerance);

/// The largest |got - want| of elements that are finite in both; their types may differ.
/// Requires: tensors with as many elements.
double largest_error(const simulation::Tensor& got, const simulation::Tensor& want);

/// The largest finite |element|. Requires: a tensor.
double largest_magnitude(const simulation::Tensor& tensor);

/// A phase of a check that begins.
struct CheckPhase {
  std::string_view name;  // "running on all devices"
  int number = 1;         // from 1
  int count = 1;          // phases in all

  /// Share of the phases that are done.
  double fraction_done() const { return static_cast<double>(number - 1) / count; }
};

/// How a program is compiled, run, and compared.
struct CheckOptions {
  CompileOptions compile = {};           // how it is compiled
  simulation::RunOptions run = {};       // the observer sees the run on all devices only
  bool compare = true;                   // also run unsharded and compare
  bool exact = false;                    // compare runs over a prime field, too
  bool wide = false;                     // compare runs in f64, too, if floats are narrower
  std::optional<double> tolerance = {};  // relative, instead of the derived bound
  std::function<void(const CheckPhase& phase)> progress = {};  // called before each phase
};

/// One result of `main` under comparison.
struct ResultCheck {
  Tolerance tolerance;    // how far results may lie apart
  Difference difference;  // how far they lie apart
  /// Returns whether no element lies further apart than the tolerance allows.
  bool equal() const { return difference.mismatches == 0; }
};

/// How far the narrow results of both runs are from those in f64, relative to the largest of these.
struct Accuracy {
  double sharded = 0;    // largest distance of the sharded run from the exact result
  double unsharded = 0;  // largest distance of the unsharded run from the exact result
};

/// A comparison of both programs with other numbers instead of all floats.
struct NumberCheck {
  bool done = false;                      // whether this kind of numbers was run
  std::vector<ResultCheck> results = {};  // one for each result of the main function
  std::vector<Accuracy> accuracy = {};    // of wide numbers only
  std::string impossible = {};            // why it was not done, although it was asked for
  std::string failure = {};  // of the sharded run alone, or at a `check` op, which saw other values
  /// Returns whether all results are equal, or nothing was run.
  bool equal() const;
};

/// The outcome of a check.
struct CheckReport {
  CompiledProgram compiled;          // the program in all its stages
  simulation::GlobalResult sharded;  // what the per-device program gave
  int64_t num_values = 0;            // tensors of the propagated program
  int64_t num_sharded_values = 0;    // those of which no device holds all
  std::vector<ResultCheck> results;  // empty unless compared
  /// Floats as elements of a prime field, where sums in any order have the same bits: what differs
  /// in one bit differs. Spec: stablehlo 37.
  NumberCheck exact = {};
  /// Floats as f64: sums in another order differ by 2^-52 or so of themselves.
  NumberCheck wide = {};
  /// `run.cancel` ended the check early: it has the results of the phases that were completed.
  /// Those of the run on all devices are missing if that one was cancelled.
  bool cancelled = false;

  /// In all comparisons.
  bool equal() const;
  /// The largest |sharded - unsharded| over all results.
  double largest_difference() const;
};

/// Compiles `module`, runs its per-device program on all devices of its mesh, and compares what
/// comes out with the run of `module` on one device.
///
/// Padding is poison if results are compared and nothing else was asked for.
///
/// Inputs are global tensors, one per argument of `main`; floats of exact runs are drawn at random
/// instead. Errors: those of the stage that failed, then the earlier diagnostics;
/// results that differ are no error, nor is a run that was cancelled.
tl::expected<CheckReport, Diagnostics> check(const ir::Module& module,
                                             const simulation::Tensors& inputs,
                                             const CheckOptions& options = {},
                                             const Context& context = {});

/// Inputs for `main`: floats in [-1, 1), small integers. The same seed gives the same inputs.
/// Errors: no main function, an argument that is not a static tensor.
Result<simulation::Tensors> random_inputs(const ir::Module& module, uint64_t seed);

}  // namespace shardy::checking
