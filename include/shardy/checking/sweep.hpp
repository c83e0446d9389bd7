// Checking a program under many shardings.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/checking/check.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::checking {

/// The program with the case's sharding, and what is wrong with it.
struct SweepFailure {
  uint64_t seed = 0;       // of the case: shard_at_random(program, seed) is `program`
  ir::Module program;      // reduced, if that was asked for
  Diagnostics errors;      // why it was refused; empty where results differ
  std::string difference;  // which results differ; empty where it was refused
};

/// Cases that were compared with other numbers instead of floats.
struct NumberCases {
  int64_t cases = 0;            // how many were run with this kind of numbers
  std::string impossible = {};  // why some were not, or none
  /// Counts a case that was checked.
  void add(const NumberCheck& check);
};

/// Totals over all cases.
struct SweepReport {
  int64_t cases = 0;               // how many programs or shardings were run
  int64_t num_values = 0;          // values of all programs
  int64_t num_sharded_values = 0;  // of those, values that a mesh axis shards
  std::map<ir::OpKind, simulation::Traffic> collectives = {};  // of the busiest device of each case
  int64_t num_notes = 0;                                       // of replication
  double largest_difference = 0;  // the largest |sharded - unsharded| of all elements
  /// Cases whose floats differ for these inputs only, where rounding decides a choice: they are
  /// equal over a prime field, in f64, and in their own floats for other inputs.
  int64_t num_rounding_choices = 0;
  NumberCases exact = {};                    // if SweepOptions::check asks for it
  NumberCases wide = {};                     // of the runs in f64
  bool stopped = false;                      // before the last case, by the caller
  std::optional<SweepFailure> failure = {};  // the first that was not equal

  /// Returns whether every case was equal.
  bool passed() const { return !failure; }
};

/// How far a reduction is.
struct ReduceProgress {
  int64_t runs = 0;      // of programs that were tried
  int64_t max_runs = 0;  // of the whole reduction, at most
  int64_t num_ops = 0;   // of what still fails
};

/// How a failing case is made smaller.
struct ReduceOptions {
  int64_t max_runs = 5000;      // then the smallest program so far is it
  CompileOptions compile = {};  // how each attempt is compiled
  Context context = {};         // what the embedder knows of ops
  /// Called before each run; false ends the reduction.
  std::function<bool(const ReduceProgress& so_far)> progress = {};
};

/// Options of a sweep.
struct SweepOptions {
  int64_t cases = 100;           // how many programs or shardings
  uint64_t seed = 1;             // of the first case; the others have the next ones
  int64_t max_devices = 12;      // of the meshes that are tried
  bool reduce = false;           // the program of a failure is made small: reduce_program
  ReduceOptions reduction = {};  // with the stages and the context of the sweep
  /// Of each case; what fills padding is a poison, in turn two of them.
  CheckOptions check = {};
  /// Called with each case that ran; a text that is not empty is a difference, as of results.
  std::function<std::string(const CheckReport& report)> inspect = {};
  /// Called after each case; false ends the sweep.
  std::function<bool(const SweepReport& so_far)> progress = {};
};

/// Shards the program at random over a mesh of one to three axes with sizes from 1 to 6, at
/// times in another device order: arguments and results of `main` and some values in between have
/// open or closed shardings with sub-axes, priorities, replicated axes and, if they are integers,
/// unreduced ones; some values are in a group, some op may be in a manual computation. The
/// shardings of the program are removed.
///
/// One with collectives or manual computations keeps its meshes and their operands and results; the
/// rest is sharded at random over its first mesh that has axes.
///
/// The same seed gives the same program. Cost: linear in the program.
ir::Module shard_at_random(const ir::Module& program, uint64_t seed, int64_t max_devices = 12);

/// Checks the program under `cases` shardings against one unsharded run, as `check` does; the first
/// failure ends the sweep. With `check.exact` and `check.wide`, a case that both call equal is
/// tried with other inputs before its own floats count as a failure (num_rounding_choices), unless
/// a tolerance was given.
///
/// Inputs are global tensors, one per argument of `main`. Errors: no main function, a program that
/// is one per process already, those of the unsharded run, a `check` op that fails in it.
Result<SweepReport> sweep(const ir::Module& program, const simulation::Tensors& inputs,
                          const SweepOptions& options = {}, const Context& context = {});

/// A smaller program for which `still_fails`. Ops become arguments, are passed by, or make place
/// for the bodies of loops, branches and callees; results, arguments, constraints and shardings go,
/// as do axes of shardings and of meshes, and dims; sizes of axes and dims shrink, constants become
/// 0, 1, or one element everywhere: one after the other, as long as any of that is possible.
///
/// Requires: `still_fails(program)`. Cost: O(n) calls of it for each change that is kept, with n
/// ops; `log n` of them where most ops have nothing to do with it; `max_runs` at most.
ir::Module reduce_program(const ir::Module& program,
                          const std::function<bool(const ir::Module&)>& still_fails,
                          const ReduceOptions& options = {});

}  // namespace shardy::checking
