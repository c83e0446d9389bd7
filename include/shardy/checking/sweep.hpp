// Random programs and shardings, for differential tests and fuzzing; checks of a program under many
// random shardings.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/checking/check.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/simulation/tensor.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::checking {

/// A random number generator with equal results on every platform, unlike std distributions.
class Random {
 public:
  /// Seeds the generator; equal seeds give equal numbers.
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Returns a uniform number in [low, high]. Requires: low <= high, whose distance fits int64.
  int64_t between(int64_t low, int64_t high) {
    SHARDY_EXPECTS(low <= high && (low >= 0 || high <= std::numeric_limits<int64_t>::max() + low));
    const auto range = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int64_t>(engine_() % range);
  }
  /// Returns true with probability 1 / one_in. Requires: one_in >= 1.
  bool chance(int64_t one_in) { return between(1, one_in) == 1; }
  /// Returns one of the options with equal probability. Requires: not empty.
  template <typename T>
  const T& pick(std::span<const T> options) {
    SHARDY_EXPECTS(!options.empty());
    return options[static_cast<std::size_t>(between(0, static_cast<int64_t>(options.size()) - 1))];
  }
  /// Returns one of the options with equal probability. Requires: not empty.
  template <typename T>
  const T& pick(const std::vector<T>& options) {
    return pick(std::span<const T>(options));
  }

 private:
  std::mt19937_64 engine_;
};

/// Size and features of random programs.
struct RandomProgramOptions {
  int64_t min_ops = 3;         // minimum number of ops of the main function
  int64_t max_ops = 12;        // maximum number of ops of the main function
  int64_t max_rank = 4;        // maximum rank of a value
  int64_t max_dim = 12;        // maximum size of a dim
  int64_t max_devices = 24;    // maximum number of devices of the mesh
  bool transcendental = true;  // elementwise functions with inexact results
  bool batch_norms = false;    // batch normalization and its gradient in floats of 8 to 32 bits
  int64_t max_depth = 0;       // nesting of regions and calls; above 0 also sharding groups
  bool barriers = false;       // sdy.propagation_barrier
  bool unreduced = false;      // chains of ops with results annotated as unreduced
  bool collectives = false;    // sdy collectives, including no-ops
  bool device_orders = false;  // a second mesh with the same axes and other device ids
  bool small_floats = false;   // 8-bit floats
  bool indexed = false;        // gathers, scatters, dynamic slices and updates
  bool windows = false;        // convolutions, reduce_window, select_and_scatter
  bool whole_dims = false;     // sorts, top_k, argmax
  /// Manual computations with free axes, with shardings, calls, loops, named and manual
  /// computations in their bodies. The mesh has two to four axes of sizes 2, 3 and 4.
  bool free_axes = false;
  bool manual_collectives = false;  // StableHLO collectives in manual computations
};

/// A function `main` over the mesh `@mesh` (and `@other` with device_orders) with random shardings
/// of arguments, results and constraints, and inputs for it.
///
/// Floats are small integers, and only integers are summed, so that results do not depend on the
/// order of additions and a sharded run gives equal bits. Batch norms are the exception.
struct RandomProgram {
  ir::Module module;           // the program, with shardings
  simulation::Tensors inputs;  // one per argument of the main function
};

/// Returns a random program; equal seeds give equal programs. Cost: small programs, at most
/// `max_ops` plus a few ops. Requires: 0 <= min_ops <= max_ops <= 2^20; dims of 1 to 1,024
/// elements, ranks of 1 to 8, 1 to 65,536 devices.
RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options = {});

/// Returns a mesh of one to three axes of sizes 1, 2, 3, 4 or 6, sometimes with other device ids.
Mesh random_mesh(Random& random, int64_t max_devices);

/// Returns a mesh for manual computations with free axes: two to four axes of sizes 2, 3 and 4,
/// within `max_devices`.
Mesh random_manual_mesh(Random& random, int64_t max_devices);

/// Returns a mesh with the same axes and devices in random order.
Mesh other_order(Random& random, const Mesh& mesh);

/// Permits unreduced axes in random shardings.
enum class Summands : uint8_t { None, Some };

/// Returns a random valid sharding of a tensor by axes that are not bound: with sub-axes, uneven
/// dims, open and closed dims, replicated axes. Requires: rank <= kMaxRank.
TensorSharding random_sharding(Random& random, const Mesh& mesh, std::size_t rank,
                               const BoundAxes& bound, Summands summands = Summands::None);

/// Returns a tensor of small integers of any sign, or random booleans. Requires: a static tensor
/// type.
simulation::Tensor random_tensor(Random& random, const ir::Type& type);

// ---- Checks of a program under many random shardings -------------------------------------------

/// A failed case: the program with its shardings, and the reason.
struct SweepFailure {
  uint64_t seed = 0;       // of the case: shard_at_random(program, seed) is `program`
  ir::Module program;      // reduced, if requested
  Diagnostics errors;      // why the program was rejected; empty if results differ
  std::string difference;  // which results differ; empty if it was rejected
};

/// Counts of cases compared in another number type.
struct NumberCases {
  int64_t cases = 0;            // number of compared cases
  std::string impossible = {};  // reason why some cases were not compared
  /// Counts a checked case.
  void add(const NumberCheck& check);
};

/// Totals over all cases.
struct SweepReport {
  int64_t cases = 0;                                           // number of programs that were run
  int64_t num_values = 0;                                      // values of all programs
  int64_t num_sharded_values = 0;                              // values with a sharded dim
  std::map<ir::OpKind, simulation::Traffic> collectives = {};  // of the busiest device of each case
  int64_t num_notes = 0;                                       // of replication
  double largest_difference = 0;                               // the largest |sharded - unsharded|
  /// Cases whose floats differ for these inputs only, where rounding decides a choice: they are
  /// equal over a prime field, in f64, and in their own float type for other inputs.
  int64_t num_rounding_choices = 0;
  NumberCases exact = {};                    // if requested by CaseSweepOptions::check
  NumberCases wide = {};                     // of runs in f64
  bool stopped = false;                      // by the caller, before the last case
  std::optional<SweepFailure> failure = {};  // the first failed case

  /// Checks whether every case was equal.
  bool passed() const { return !failure; }
};

/// Progress of a reduction.
struct ReduceProgress {
  int64_t runs = 0;      // number of programs tried
  int64_t max_runs = 0;  // limit
  int64_t num_ops = 0;   // of the smallest failing program
};

/// Options of reduce_program.
struct ReduceOptions {
  int64_t max_runs = 5000;      // limit; the smallest program so far is returned
  CompileOptions compile = {};  // compilation of each attempt
  Context context = {};         // the embedder's ops
  /// Called before each run; false ends the reduction.
  std::function<bool(const ReduceProgress& so_far)> progress = {};
};

/// Options of sweep.
struct CaseSweepOptions {
  int64_t cases = 100;           // number of cases
  uint64_t seed = 1;             // of the first case; later cases use consecutive seeds
  int64_t max_devices = 12;      // of the random meshes
  bool reduce = false;           // reduce the program of a failure by reduce_program
  ReduceOptions reduction = {};  // with the stages and the context of the sweep
  /// Options of each case; cases alternate between two values of padding.
  CheckOptions check = {};
  /// Called with each completed case; a non-empty text is reported as a difference.
  std::function<std::string(const CheckReport& report)> inspect = {};
  /// Called after each case; false ends the sweep.
  std::function<bool(const SweepReport& so_far)> progress = {};
};

/// Returns the program with random shardings over a mesh of one to three axes of sizes 1 to 6,
/// sometimes with other device ids: arguments and results of `main` and some values have open or
/// closed shardings with sub-axes, priorities, replicated axes and, for integers, unreduced axes;
/// some values are in a sharding group, an op may be in a manual computation. Shardings of the
/// input program are removed.
///
/// Programs with collectives or manual computations keep their meshes and the shardings of these
/// ops; other values are sharded over the first mesh with axes.
///
/// Equal seeds give equal programs. Cost: linear in the program.
ir::Module shard_at_random(const ir::Module& program, uint64_t seed, int64_t max_devices = 12);

/// Checks the program under `cases` shardings against one unsharded run, as `check` does; the first
/// failure ends the sweep. With `check.exact` and `check.wide`, a case that is equal in both is
/// repeated with other inputs before differing floats count as a failure (num_rounding_choices),
/// unless a tolerance was given.
///
/// `inputs`: one global tensor per argument of `main`. Errors: no main function, a program that is
/// a per-process program already, those of the unsharded run, a `check` op that fails in it.
Result<SweepReport> sweep(const ir::Module& program, const simulation::Tensors& inputs,
                          const CaseSweepOptions& options = {}, const Context& context = {});

/// Returns a smaller program for which `still_fails` is true. Ops are replaced by arguments, by
/// their operands, or by the bodies of their regions and callees; results, arguments, constraints,
/// shardings, axes and dims are removed; axes and dims shrink; constants become 0, 1 or splats.
/// Repeats until no step succeeds.
///
/// Requires: `still_fails(program)`. Cost: O(n) calls of it per successful step for n ops; O(log n)
/// if most ops are irrelevant; at most `max_runs` in total.
ir::Module reduce_program(const ir::Module& program,
                          const std::function<bool(const ir::Module&)>& still_fails,
                          const ReduceOptions& options = {});

}  // namespace shardy::checking
