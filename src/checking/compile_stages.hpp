// The two stages of compile, for callers that compile several variants of one program, the last
// step of lower_program, and notes on donated buffers and on memory that custom calls name.
//
//   module --propagate_program--> all values sharded --lower_program--> per-device program
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

/// A program in which all values have shardings. The shardings that the user wrote are marked.
struct PropagatedProgram {
  ir::Module module;
  std::vector<std::string> axes;  // axes of the source program's meshes; empty without axis costs
  Diagnostics diagnostics;        // diagnostics of propagation
};

/// Verifies and propagates a program. Errors: those of compile up to the end of propagation. With
/// `is_variant`, the program differs from a verified one in annotations only and is not verified.
DiagnosedResult<PropagatedProgram> propagate_program(const ir::Module& module,
                                                     const CompileOptions& options,
                                                     const Context& context,
                                                     bool is_variant = false);

/// Returns the whole program of a per-device program without some of its equal layers;
/// std::nullopt if it has none.
using Unfolding = std::function<std::optional<ir::Module>(const ir::Module& program)>;

/// Resources of a lowering that belong to its caller.
struct SharedLowering {
  passes::KnownPlans* plans = nullptr;  // results of searches of other variants
  bool uses_threads = false;            // programs that are compared are optimized side by side
  /// Null, or the whole programs of the per-device programs. Decisions then compare the costs of
  /// whole programs, and the result is a whole per-device program.
  const Unfolding* unfold = nullptr;
};

/// Lowers and partitions a propagated program. The result depends only on the arguments. Errors:
/// those of later stages of compile; a program that `unfold` refuses. Requires: options and context
/// are equal to those of propagate_program.
DiagnosedResult<CompiledProgram> lower_program(PropagatedProgram program,
                                               const CompileOptions& options,
                                               const Context& context,
                                               const SharedLowering& shared = {});

/// Returns the rules of CollectiveOptions, including its default rules.
std::vector<std::string> chosen_rules(const CompileOptions& options);
/// Checks whether the options name a rewrite rule of all_collective_rules, or imply it.
bool has_rule(const CompileOptions& options, std::string_view rule);

/// Returns the error of an exceeded limit; empty if none is exceeded. `bytes`: bytes of programs
/// that `limits` does not hold.
Diagnostics exceeded(LimitChecker& limits, std::string_view phase, int64_t bytes = 0);

/// A partitioned program with the rewrites of its collectives.
struct OptimizedProgram {
  ir::Module collectives;
  partitioning::PartitionResult result;
  std::vector<passes::CollectiveRewrite> rewrites;
};

/// The requested program with another choice of common axes or of shardings. Its reshards are
/// lowered to collectives.
struct OtherAxes {
  ir::Module collectives;
  bool is_reference = false;  // has the axes of the reference, although the cheapest are requested
  bool has_moved = false;     // shardings that propagation chose
  std::vector<passes::CollectiveRewrite>
      choices;  // ops whose axes or shardings differ from the reference
};

/// Makes the programs to compare with the requested one, in the order of comparison. Null: none.
using OtherPrograms = std::function<std::vector<OtherAxes>()>;

/// The parts of a compilation that its stages share.
struct StageResources {
  LimitChecker& limits;  // holds the programs of earlier stages
  passes::KnownPlans& plans;
  bool uses_threads = false;          // optimizes `others` side by side
  const Unfolding* unfold = nullptr;  // of SharedLowering
};

/// Partitions the program, whose reshards are lowered to collectives, with the requested rewrites.
/// If the result sends more bytes or has a higher peak, keeps only the rules that do not cause
/// this. Returns one of `others` instead if it can be partitioned, sends the fewest bytes, takes no
/// more time and, unless it is the reference, sends at most 5 % more bytes before rewrites and has
/// no higher peak. Spec: resharding C.8.
DiagnosedResult<OptimizedProgram> partition_optimized(ir::Module collectives,
                                                      const OtherPrograms& others,
                                                      const CompileOptions& options,
                                                      const Context& context,
                                                      const StageResources& resources);

/// Checks whether a device has the argument and the result of main with equal types and shardings.
/// Requires: main has both.
bool can_take_buffer(const ir::Module& program, std::size_t argument, std::size_t result);

/// Returns a note for each argument of the per-device program that donates its buffer
/// (`tf.aliasing_output`) to a result with another type or sharding. Spec: interop 2.5.
Diagnostics donation_notes(const ir::Module& program);

/// Returns one note, N_PLACEMENT, per custom call of the per-device program that names the memory
/// of its result. Spec: interop 3.4.
Diagnostics placement_notes(const ir::Module& program);

}  // namespace shardy::checking
