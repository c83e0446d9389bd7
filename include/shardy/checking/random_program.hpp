// Random programs and shardings, for differential tests and fuzzing.
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

}  // namespace shardy::checking
