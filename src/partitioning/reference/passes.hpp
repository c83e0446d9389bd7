// Shardy's own partitioning passes. Spec: partitioning 10, passes 5.19.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/process_groups.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

/// Returns the dims of a dot or of a dot_general.
ir::DotDims dot_dims(const ir::Module& module, ir::OpId op);

/// Returns an error for several replicas and several partitions: Shardy's passes support one kind
/// of process.
Diagnostics verify_processes(const ir::ProcessCounts& counts);

/// Returns the op that has the number of the process.
inline ir::OpKind number_op(const ir::ProcessCounts& counts) {
  return counts.replicas > 1 ? ir::OpKind::ReplicaId : ir::OpKind::PartitionId;
}

// ---- sdy-pad-for-divisibility -------------------------------------------------------------------

/// Treatment of function arguments and results with uneven dims.
enum class FunctionIo { Divisible, Grows };

/// Rounds every dim up to a multiple of its shards and masks padding that would reach a result,
/// also if callers pass other values there. Errors: uneven arguments and results of functions that
/// may not grow, ops without a known mask.
Diagnostics pad_for_divisibility(ir::Module& module, FunctionIo io = FunctionIo::Divisible);

// ---- sdy-resolve-permutation-factors ------------------------------------------------------------

struct PermutationOptions {
  bool enable_halo_exchange = true;
  ir::ProcessCounts processes = {};
};

/// Replaces slices, pads and reverses by manual computations with halo exchanges, if enabled and
/// possible with neighbours. Replicates the dims of all others, and groups of reshaped dims that do
/// not divide, by reshards around the op. Errors: replicas and partitions both above 1, invalid
/// rules.
Diagnostics resolve_permutation_factors(ir::Module& module, const PermutationOptions& options,
                                        const rules::Registry& rules = {});

// ---- sdy-convert-global-to-local ----------------------------------------------------------------

struct GlobalToLocalOptions {
  bool per_dim_all_gather = false;
  bool combine_multi_dimension_reduce_scatter = false;
  bool enable_rgv3 = false;        // replica groups name axes unless sub-axes are used
  bool keep_global_types = false;  // arguments and results carry them, so that the program runs
  ir::ProcessCounts processes = {};
};

/// Gives all values local types. Errors: programs that Shardy rejects or would compile to other
/// values; the module is then invalid.
Diagnostics convert_global_to_local(ir::Module& module, const GlobalToLocalOptions& options,
                                    const rules::Registry& rules = {});

// ---- sdy-per-instruction-partitioning -----------------------------------------------------------

/// Filter of the candidates: `dot,selectLow=3,selectHigh=7`.
struct InstructionFilter {
  std::optional<int64_t> low, high;  // inclusive bounds of op numbers
  std::vector<std::string> parts;    // the op name must contain one of these; empty: any name

  bool takes(int64_t number, std::string_view name) const;
};

/// Parses a filter; invalid numbers are ignored.
InstructionFilter read_instruction_filter(std::string_view text);

struct InstructionOptions {
  InstructionFilter filter = {};
  bool by_reference = false;  // by Shardy's passes; the other options are for these
  bool enable_halo_exchange = true;
  ir::ProcessCounts processes = {};
};

/// Wraps each chosen op, partitioned, in a manual computation. Ops that cannot be partitioned alone
/// stay, with a warning. Errors: an op whose shardings have no common mesh.
Diagnostics partition_instructions(ir::Module& module, const InstructionOptions& options,
                                   const ForeignLowerings& lowerings, passes::PassContext& context);
/// Runs as a pass whose options choose the ops. Errors: also replicas and partitions both above 1.
Diagnostics partition_instructions(ir::Module& module, const ForeignLowerings& lowerings,
                                   passes::PassContext& context);

// ---- Registration -------------------------------------------------------------------------------

/// Adds the passes above. `lowerings`: lowerings of an embedder's ops.
void register_reference_passes(passes::PassRegistry& registry, ForeignLowerings lowerings);

}  // namespace shardy::partitioning
