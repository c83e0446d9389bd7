// Programs with other numbers instead of floats.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

enum class Numbers : uint8_t {
  Exact,  // elements of a prime field: sums in any order are bitwise equal
  Wide    // f64: sums in another order are almost equal
};

/// Returns the program with all floats as these numbers, complex ones as pairs of them. Conversions
/// to narrower floats do not round: they keep the value of wide numbers, and are a fixed function
/// of exact ones. Checks print their operands instead.
///
/// Accepts source programs and partitioned programs; copies of bits in the latter stay copies.
/// Errors: an op whose meaning depends on the bits of floats, or an op of the embedder.
Result<ir::Module> with_numbers(const ir::Module& module, Numbers numbers);

/// Checks whether a run with wide numbers checks more: the program computes with narrower ones, and
/// returns some of them.
bool gains_by_width(const ir::Module& module);

/// Converts a value to one of these numbers.
Result<simulation::Tensor> with_numbers(const simulation::Tensor& value, Numbers numbers);

/// Checks whether a run on all devices reads `KernelOptions::fill`: the program has `spmd.undef`,
/// or the shards of an argument have padding. If not, runs with different padding are equal.
bool has_undefined_elements(const ir::Module& program);

/// A value of that type for exact runs: random floats from the whole field, other values as given.
Result<simulation::Tensor> exact_input(const simulation::Tensor& value, uint64_t seed);

// A program and its partitioned form, run with other numbers instead of floats.

/// Float values on which a result depends, the result included.
struct FloatTerms {
  double largest = 0;  // finite magnitude
  /// Some value is within a factor of two of the largest number of its narrow type, so the order of
  /// a sum may decide whether it overflows.
  bool near_end = false;
};

/// One unsharded run, and comparisons of sharded ones with it.
class NumberRuns {
 public:
  /// Runs the program. An error of this run is reported by the comparisons.
  NumberRuns(const ir::Module& module, const simulation::Tensors& inputs, Numbers numbers,
             const CheckOptions& options, Context context);

  /// Compares a per-device program of the same function. Stores its results in `outputs`, if that
  /// is not null and the run succeeds.
  NumberCheck compare(const ir::Module& program, const CheckOptions& options,
                      simulation::Tensors* outputs = nullptr) const;

  /// Compares the wide numbers of the sharded run again. If terms cancel, the error of the
  /// unsharded narrow run is a multiple of the bound by the length of sums, and the error of wide
  /// numbers is the same multiple. `narrow` has the bounds of the narrow results by the length of
  /// sums.
  void allow_cancellation(const simulation::Tensors& sharded_wide,
                          const simulation::Tensors& unsharded,
                          const std::vector<ResultCheck>& narrow, NumberCheck& check) const;

  /// Compares the narrow results again, by wide numbers. They may differ by twice the errors of
  /// both runs, each measured against its own run in wide numbers. A run with a missing or an
  /// additional summand is close to its own wide run, and far from the other.
  void tighten(const simulation::Tensors& sharded, const simulation::Tensors& sharded_wide,
               const simulation::Tensors& unsharded, std::vector<ResultCheck>& results) const;

  /// Returns for each result the values of the sharded run in wide numbers from which it is
  /// computed: sums of them round by their magnitude, and overflow near the end of their type.
  std::vector<FloatTerms> terms(const ir::Module& program, const CheckOptions& options) const;

  /// Adds the distances of these results from the unsharded ones in f64.
  void add_accuracy(const simulation::Tensors& sharded, const simulation::Tensors& unsharded,
                    NumberCheck& check) const;

 private:
  /// Values of the operands of `check` ops, by the location of the op.
  using Seen = std::map<std::string, simulation::Tensors>;

  Status run(const ir::Module& module, const simulation::Tensors& inputs,
             const CheckOptions& options);
  static simulation::Printer printer(const ir::Module& module, Seen& seen);
  std::string unseen_before(const Seen& seen) const;

  Numbers numbers_;
  Context context_;
  std::string main_;
  simulation::Tensors inputs_;
  simulation::Tensors reference_;
  Seen seen_;
  std::vector<Tolerance> tolerances_;
  std::string impossible_;
};

}  // namespace shardy::checking
