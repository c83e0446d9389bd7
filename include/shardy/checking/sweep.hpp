// Random programs and shardings for differential tests and fuzzing, and checks of a program under
// many random shardings.
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

/// A random number generator with equal results on every platform; std distributions differ between
/// platforms.
class Random {
 public:
  /// Makes a generator. Equal seeds give equal numbers.
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Returns a uniformly distributed number in [low, high]. Requires: low <= high; the difference
  /// fits int64.
  int64_t between(int64_t low, int64_t high) {
    SHARDY_EXPECTS(low <= high && (low >= 0 || high <= std::numeric_limits<int64_t>::max() + low));
    const auto range = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int64_t>(engine_() % range);
  }
  /// Returns true with probability 1 / one_in. Requires: one_in >= 1.
  bool chance(int64_t one_in) { return between(1, one_in) == 1; }
  /// Returns one of the options, each with equal probability. Requires: not empty.
  template <typename T>
  const T& pick(std::span<const T> options) {
    SHARDY_EXPECTS(!options.empty());
    return options[static_cast<std::size_t>(between(0, static_cast<int64_t>(options.size()) - 1))];
  }
  /// Returns one of the options, each with equal probability. Requires: not empty.
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
  bool transcendental = true;  // elementwise functions with rounded results
  bool batch_norms = false;    // batch normalization and its gradient, in floats of 8 to 32 bits
  int64_t max_depth = 0;       // nesting depth of regions and calls; above 0 also sharding groups
  bool barriers = false;       // sdy.propagation_barrier
  bool unreduced = false;      // chains of ops with results that are annotated as unreduced
  bool collectives = false;    // sdy collectives, including collectives without effect
  bool device_orders = false;  // a second mesh with equal axes and other device ids
  bool small_floats = false;   // 8-bit floats
  bool indexed = false;        // gathers, scatters, dynamic slices and updates
  bool windows = false;        // convolutions, reduce_window, select_and_scatter
  bool whole_dims = false;     // sorts, top_k, argmax
  /// Manual computations with free axes. Their bodies have shardings, calls, loops, and named and
  /// manual computations. The mesh has two to four axes of sizes 2, 3 and 4.
  bool free_axes = false;
  bool manual_collectives = false;  // StableHLO collectives in manual computations
};

/// A program with inputs. The function `main` has random shardings of arguments, results and
/// constraints over the mesh `@mesh`; with device_orders, also over `@other`.
///
/// Floats are small integers, and only integers are summed. Results then do not depend on the order
/// of additions, and a sharded run gives equal bits. Batch normalization is an exception.
struct RandomProgram {
  ir::Module module;           // the program, with shardings
  simulation::Tensors inputs;  // one per argument of the main function
};

/// Returns a random program; equal seeds give equal programs. Cost: small programs, at most
/// `max_ops` plus a few ops. Requires: 0 <= min_ops <= max_ops <= 2^20; dims of 1 to 1,024
/// elements, ranks of 1 to 8, 1 to 65,536 devices.
RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options = {});

/// Returns a mesh of one to three axes of sizes 1, 2, 3, 4 or 6, sometimes with permuted device
/// ids.
Mesh random_mesh(Random& random, int64_t max_devices);

/// Returns a mesh for manual computations with free axes: two to four axes of sizes 2, 3 and 4,
/// with at most `max_devices` devices.
Mesh random_manual_mesh(Random& random, int64_t max_devices);

/// Returns a mesh with the axes of `mesh` and its devices in random order.
Mesh other_order(Random& random, const Mesh& mesh);

/// Choice for random shardings: without or with unreduced axes.
enum class Summands : uint8_t { None, Some };

/// Returns a random valid sharding of a tensor that uses no bound axis: with sub-axes, uneven dims,
/// open and closed dims, and replicated axes. Requires: rank <= kMaxRank.
TensorSharding random_sharding(Random& random, const Mesh& mesh, std::size_t rank,
                               const BoundAxes& bound, Summands summands = Summands::None);

/// Returns a tensor of small integers of any sign, or random booleans. Requires: a static tensor
/// type.
simulation::Tensor random_tensor(Random& random, const ir::Type& type);

// ---- Checks of a program under many random shardings -------------------------------------------

/// A case that failed: the program with its shardings, and the reason.
struct SweepFailure {
  uint64_t seed = 0;       // seed of the case: shard_at_random(program, seed) returns `program`
  ir::Module program;      // the program, reduced if requested
  Diagnostics errors;      // errors of a rejected program; empty if results differ
  std::string difference;  // description of the results that differ; empty for a rejected program
};

/// Numbers of cases that were compared in another number type.
struct NumberCases {
  int64_t cases = 0;            // number of compared cases
  std::string impossible = {};  // reason why some cases were not compared
  /// Counts a checked case.
  void add(const NumberCheck& check);
};

/// Totals over all cases.
struct SweepReport {
  int64_t cases = 0;               // number of programs that were run
  int64_t num_values = 0;          // number of tensors in all programs
  int64_t num_sharded_values = 0;  // values with a sharded dim
  /// Traffic of the busiest device, summed over cases.
  std::map<ir::OpKind, simulation::Traffic> collectives = {};
  int64_t num_notes = 0;          // number of replication notes
  double largest_difference = 0;  // the largest |sharded - unsharded|
  /// Number of cases whose floats differ only for these inputs, because rounding decides a choice.
  /// Such cases are equal over a prime field, in f64, and in their own float type for other inputs.
  int64_t num_rounding_choices = 0;
  NumberCases exact = {};  // comparisons over a prime field, if requested
  NumberCases wide = {};   // comparisons in f64, if requested
  bool stopped = false;    // true if the caller ended the sweep before the last case
  std::optional<SweepFailure> failure = {};  // first case that failed

  /// Checks whether every case was equal.
  bool passed() const { return !failure; }
};

/// Progress of a reduction.
struct ReduceProgress {
  int64_t runs = 0;      // number of programs tried
  int64_t max_runs = 0;  // limit of tried programs
  int64_t num_ops = 0;   // number of ops of the smallest failing program so far
};

/// Options of reduce_program.
struct ReduceOptions {
  /// Limit of tried programs; at the limit, the smallest one so far is returned.
  int64_t max_runs = 5000;
  CompileOptions compile = {};  // compilation of each attempt
  Context context = {};         // ops of the embedder
  /// Called before each try. Returning false ends the reduction.
  std::function<bool(const ReduceProgress& so_far)> progress = {};
};

/// Options of sweep.
struct CaseSweepOptions {
  int64_t cases = 100;           // number of cases
  uint64_t seed = 1;             // seed of the first case; later cases use consecutive seeds
  int64_t max_devices = 12;      // maximal number of devices of random meshes
  bool reduce = false;           // reduce the program of a failure by reduce_program
  ReduceOptions reduction = {};  // its stages and context are not used
  /// Options of each case. Cases alternate between two contents of padding.
  CheckOptions check = {};
  /// Called after each case; a text that is not empty is reported as a difference.
  std::function<std::string(const CheckReport& report)> inspect = {};
  /// Called after each case. Returning false ends the sweep.
  std::function<bool(const SweepReport& so_far)> progress = {};
};

/// Returns the program with random shardings. The mesh has one to three axes of sizes 1 to 6,
/// sometimes with permuted device ids. Arguments and results of `main` and some values have open or
/// closed shardings with sub-axes, priorities, replicated axes and, for integers, unreduced axes.
/// Some values are in a sharding group, and an op may be in a manual computation. Shardings of the
/// input program are removed.
///
/// Programs with collectives or manual computations keep their meshes and the shardings of these
/// ops. Other values are sharded over the first mesh with axes.
///
/// Equal seeds give equal programs. Cost: linear in the program.
ir::Module shard_at_random(const ir::Module& program, uint64_t seed, int64_t max_devices = 12);

/// Checks the program under `cases` random shardings against one unsharded run, in the same way as
/// `check`. The first failure ends the sweep. Suppose floats differ in a case that is equal in both
/// `check.exact` and `check.wide`, and no tolerance was given. The case is then repeated with other
/// inputs. If these results are equal, num_rounding_choices counts the case; otherwise the case is
/// a failure.
///
/// `inputs` has one global tensor per argument of `main`. Errors: no main function; a per-process
/// program; those of the unsharded run; a `check` op that fails in the unsharded run.
Result<SweepReport> sweep(const ir::Module& program, const simulation::Tensors& inputs,
                          const CaseSweepOptions& options = {}, const Context& context = {});

/// Returns a smaller program for which `still_fails` returns true. Ops are replaced by arguments,
/// by their operands, or by the bodies of their regions and callees. Results, arguments,
/// constraints, shardings, axes and dims are removed. Axes and dims shrink. Constants become 0, 1
/// or splats. Steps are repeated until none succeeds.
///
/// Requires: `still_fails(program)`. Cost: O(n) calls of `still_fails` per successful step for n
/// ops; O(log n) if most ops are irrelevant; at most `max_runs` calls in total.
ir::Module reduce_program(const ir::Module& program,
                          const std::function<bool(const ir::Module&)>& still_fails,
                          const ReduceOptions& options = {});

}  // namespace shardy::checking
