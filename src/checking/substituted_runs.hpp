// Programs with other numbers instead of floats, and their runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

enum class NumberDomain : uint8_t {
  Exact,  // elements of a prime field: sums in any order are bitwise equal
  Wide    // f64: sums in different orders are almost equal
};

/// Replaces all floats of the program by these numbers, and complex numbers by pairs. Conversions
/// to narrower floats do not round: they keep the value of wide numbers, and are a fixed function
/// of exact numbers. Checks print their operands instead.
///
/// Accepts source programs and partitioned programs. In partitioned programs, integers with the
/// bits of floats keep the bits of the new numbers. Errors: an op whose meaning depends on the bits
/// of floats; an op of the embedder.
Result<ir::Module> with_numbers(const ir::Module& module, NumberDomain numbers);

/// Checks whether a run with wide numbers checks more: the program computes with narrower numbers
/// and returns some of them.
bool gains_by_width(const ir::Module& module);

/// Converts a value to these numbers.
Result<simulation::Tensor> with_numbers(const simulation::Tensor& value, NumberDomain numbers);

/// Checks whether a run on all devices reads `KernelOptions::fill`: the program has `spmd.undef`,
/// or the shards of an argument have padding. If not, runs with different padding are equal.
bool has_undefined_elements(const ir::Module& program);

/// Returns a value of the type for exact runs: random elements of the field instead of floats,
/// other elements unchanged.
Result<simulation::Tensor> exact_input(const simulation::Tensor& value, uint64_t seed);

// A program and its partitioned form, run with other numbers instead of floats.

/// The float values on which a result depends, including the result.
struct FloatTerms {
  double largest = 0;  // largest finite magnitude
  /// A value is within a factor of two of the largest number of its narrow type, so the order of a
  /// sum may determine whether it overflows.
  bool near_end = false;
};

/// One unsharded run, and comparisons of sharded runs with it.
class NumberRuns {
 public:
  /// Runs the program. The comparisons report an error of this run.
  NumberRuns(const ir::Module& module, const simulation::Tensors& inputs, NumberDomain numbers,
             const CheckOptions& options, Context context);

  /// Compares a per-device program of the same function. Stores its results in `outputs` unless
  /// `outputs` is null or the run fails.
  NumberCheck compare(const ir::Module& program, const CheckOptions& options,
                      simulation::Tensors* outputs = nullptr) const;

  /// Compares the wide numbers of the sharded run again, with a larger bound. If terms cancel, the
  /// error of the unsharded narrow run exceeds the bound from the length of sums by a factor. The
  /// error of wide numbers may exceed its bound by the same factor. `narrow` has the bounds of the
  /// narrow results.
  void allow_cancellation(const simulation::Tensors& sharded_wide,
                          const simulation::Tensors& unsharded,
                          const std::vector<ResultCheck>& narrow, NumberCheck& check) const;

  /// Compares the narrow results again, by means of wide numbers. They may differ by twice the
  /// errors of both runs, where each error is the difference of a run to its own run in wide
  /// numbers. A run with a missing or an additional summand is close to its own wide run, but far
  /// from the other run.
  void tighten(const simulation::Tensors& sharded, const simulation::Tensors& sharded_wide,
               const simulation::Tensors& unsharded, std::vector<ResultCheck>& results) const;

  /// Returns for each result the values from which the sharded run in wide numbers computes it.
  /// Sums of these values round by their magnitude and overflow near the end of their type.
  std::vector<FloatTerms> terms(const ir::Module& program, const CheckOptions& options) const;

  /// Adds the distances of the sharded results from the unsharded results in f64.
  void add_accuracy(const simulation::Tensors& sharded, const simulation::Tensors& unsharded,
                    NumberCheck& check) const;

 private:
  /// The operand values of `check` ops by the location of the op.
  using CheckOperands = std::map<std::string, simulation::Tensors>;

  Status run(const ir::Module& module, const simulation::Tensors& inputs,
             const CheckOptions& options);
  static simulation::Printer printer(const ir::Module& module, CheckOperands& seen);
  std::string unseen_before(const CheckOperands& seen) const;

  NumberDomain numbers_;
  Context context_;
  std::string main_;
  simulation::Tensors inputs_;
  simulation::Tensors reference_;
  CheckOperands seen_;
  std::vector<Tolerance> tolerances_;
  std::string impossible_;
};

/// The unsharded runs of later comparisons. With several workers they run one after the other on a
/// thread of their own, beside the runs of the caller. So memory holds the values of at most one of
/// them, in addition to those of the caller's run. With one worker, `take` runs them.
///
///   caller:      all devices | one device | exact, all devices  | f64, all devices
///   own thread:  exact, one device   | f64, one device
class RunsAhead {
 public:
  using Run = std::function<NumberRuns(std::stop_token)>;

  /// Starts the runs. `num_workers` and `cancel` are those of simulation::RunOptions. A run gets a
  /// token that is stopped by `cancel`, and at the end of this object.
  RunsAhead(std::vector<Run> runs, int64_t num_workers, std::stop_token cancel);
  RunsAhead(const RunsAhead&) = delete;
  RunsAhead& operator=(const RunsAhead&) = delete;
  ~RunsAhead() { stop_.request_stop(); }

  /// Waits for the next run and returns its results. Throws what a contract handler threw in the
  /// run. Requires: at most one call per run.
  NumberRuns take();

 private:
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_cancel_;
  std::vector<std::packaged_task<NumberRuns()>> tasks_;
  std::vector<std::future<NumberRuns>> results_;
  std::size_t num_taken_ = 0;
  std::jthread thread_;  // ends before the other members
};

}  // namespace shardy::checking
