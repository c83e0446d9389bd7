// Random programs with random shardings, for differential tests and fuzzing.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <shardy/algebra/manual_axes.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/simulation/tensor.hpp>
#include <span>
#include <vector>

namespace shardy::checking {

/// The same numbers on every platform, unlike the distributions of the standard library.
class Random {
 public:
  /// Equal seeds give equal numbers.
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Uniform in [low, high]. Requires: low <= high, whose distance fits int64.
  int64_t between(int64_t low, int64_t high) {
    SHARDY_EXPECTS(low <= high && (low >= 0 || high <= std::numeric_limits<int64_t>::max() + low));
    const auto range = static_cast<uint64_t>(high - low) + 1;
    return low + static_cast<int64_t>(engine_() % range);
  }
  /// True once in `one_in` times. Requires: one_in >= 1.
  bool chance(int64_t one_in) { return between(1, one_in) == 1; }
  /// One of the options, each as likely. Requires: not empty.
  template <typename T>
  const T& pick(std::span<const T> options) {
    SHARDY_EXPECTS(!options.empty());
    return options[static_cast<std::size_t>(between(0, static_cast<int64_t>(options.size()) - 1))];
  }
  /// One of the options, each as likely. Requires: not empty.
  template <typename T>
  const T& pick(const std::vector<T>& options) {
    return pick(std::span<const T>(options));
  }

 private:
  std::mt19937_64 engine_;
};

/// How large programs are.
struct RandomProgramOptions {
  int64_t min_ops = 3;         // ops of the main function, at least
  int64_t max_ops = 12;        // ops of the main function, at most
  int64_t max_rank = 4;        // dims of a value, at most
  int64_t max_dim = 12;        // elements along a dim, at most
  int64_t max_devices = 24;    // devices of the mesh, at most
  bool transcendental = true;  // also functions with results other than integers
  bool batch_norms = false;    // normalizations and their gradients in floats of 8 to 32 bits
  int64_t max_depth = 0;       // of regions and calls; also sharding groups, if any
  bool barriers = false;       // sdy.propagation_barrier
  bool unreduced = false;      // chains of ops whose results are annotated as unreduced
  bool collectives = false;    // sdy collectives, also such as have nothing to do
  bool device_orders = false;  // a second mesh with the same axes and other device ids
  bool small_floats = false;   // floats of 8 bits
  bool indexed = false;        // gathers, scatters, slices and updates at run-time indices
  bool windows = false;        // convolutions, reductions of windows, selections
  bool whole_dims = false;     // sorts, top_k, the greatest element and its index
  /// Many manual computations, each with free axes along which all is as outside: shardings, calls,
  /// loops, named and manual computations. The mesh has two to four axes of sizes 2, 3 and 4.
  bool free_axes = false;
  bool manual_collectives = false;  // StableHLO collectives in manual computations
};

/// A function `main` over the mesh `@mesh` (and `@other`, if asked for) whose arguments, results
/// and constraints are sharded at random, and inputs for it.
///
/// Floats hold small integers, and sums are taken of integers only, so that no result depends on
/// the order of additions: a sharded run must give the same bits. Batch norms are the exception.
struct RandomProgram {
  ir::Module module;           // the program, with shardings
  simulation::Tensors inputs;  // one for each argument of its main function
};

/// The same seed gives the same program. Cost: small programs, at most `max_ops` + a few ops.
/// Requires: 0 <= min_ops <= max_ops <= 2^20; dims of 1 to 1,024 elements, ranks of 1 to 8, 1 to
/// 65,536 devices.
RandomProgram random_program(uint64_t seed, const RandomProgramOptions& options = {});

/// A mesh of one to three axes with sizes 1, 2, 3, 4 or 6, at times in another device order.
Mesh random_mesh(Random& random, int64_t max_devices);

/// A mesh for manual computations that leave some axes free: two to four axes of sizes 2, 3 and 4,
/// as far as `max_devices` allow.
Mesh random_manual_mesh(Random& random, int64_t max_devices);

/// The same axes over the same devices in any order.
Mesh other_order(Random& random, const Mesh& mesh);

/// True if devices may hold summands of the values, rather than the values (unreduced axes).
enum class Summands : uint8_t { None, Some };

/// Any valid sharding of a tensor by axes that are not bound: sub-axes, uneven dims, open and
/// closed, replicated axes. Requires: rank <= kMaxRank.
TensorSharding random_sharding(Random& random, const Mesh& mesh, std::size_t rank,
                               const BoundAxes& bound, Summands summands = Summands::None);

/// Small integers of any sign; booleans at random. Requires: a static tensor type.
simulation::Tensor random_tensor(Random& random, const ir::Type& type);

}  // namespace shardy::checking
