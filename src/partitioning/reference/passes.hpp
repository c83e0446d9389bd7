// The partitioning passes of Shardy. Spec: partitioning 10, passes 5.19.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/process_groups.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::partitioning {

/// Returns the dims of a dot or dot_general.
ir::DotDims dot_dims(const ir::Module& module, ir::OpId op);

/// Checks whether the kernel covers an unpadded spatial dim of the input exactly once, so that the
/// convolution only contracts the dim. `size` is the size of the input's dim.
bool is_contracted(const ir::WindowDim& window, int64_t size);

/// Returns an error if the program has several replicas and several partitions. Shardy's passes
/// support only one of the two.
Diagnostics verify_processes(const ir::ProcessCounts& counts);

/// Returns the op kind that returns the process id.
inline ir::OpKind number_op(const ir::ProcessCounts& counts) {
  return counts.replicas > 1 ? ir::OpKind::ReplicaId : ir::OpKind::PartitionId;
}

/// The type and the sharding of a value before a pass changes its type.
struct OriginalType {
  ir::Type type;
  std::optional<TensorSharding> sharding;
};

// ---- sdy-pad-for-divisibility -------------------------------------------------------------------

/// Treatment of function arguments and results with uneven dims.
enum class FunctionIo { Divisible, Grows };

/// Rounds every dim up to a multiple of the number of its shards. Masks padding that would affect a
/// result, even if callers pass other values in the padding. Errors: uneven arguments and results
/// of functions that must not grow, ops without a known mask.
Diagnostics pad_for_divisibility(ir::Module& module, FunctionIo io = FunctionIo::Divisible);

// ---- sdy-resolve-permutation-factors ------------------------------------------------------------

struct PermutationOptions {
  bool enable_halo_exchange = true;
  ir::ProcessCounts processes = {};
};

/// Replaces slices, pads and reverses by manual computations with halo exchanges, if this is
/// enabled and only neighbours exchange data. For all other permutation ops, and for groups of
/// reshaped dims that do not divide, adds reshards that replicate the dims. Errors: replicas and
/// partitions both above 1, invalid rules.
Diagnostics resolve_permutation_factors(ir::Module& module, const PermutationOptions& options,
                                        const rules::Registry& rules = {});

// ---- sdy-convert-global-to-local ----------------------------------------------------------------

struct GlobalToLocalOptions {
  bool per_dim_all_gather = false;
  bool combine_multi_dimension_reduce_scatter = false;
  bool enable_rgv3 = false;  // replica groups name mesh axes, except for sub-axes
  // Arguments and results keep them as attributes, so that `run` can shard global tensors.
  bool keep_global_types = false;
  ir::ProcessCounts processes = {};
};

/// Gives all values local types. Errors: programs that Shardy rejects or would compile to programs
/// with other results. The module is invalid after an error.
Diagnostics convert_global_to_local(ir::Module& module, const GlobalToLocalOptions& options,
                                    const rules::Registry& rules = {});

// ---- sdy-per-instruction-partitioning -----------------------------------------------------------

/// A filter of ops, such as `dot,selectLow=3,selectHigh=7,func=main`.
struct InstructionFilter {
  std::optional<int64_t> low, high;    // inclusive bounds of op numbers
  std::vector<std::string> parts;      // the op name must contain one of these; empty: any name
  std::vector<std::string> functions;  // names of functions whose ops are taken; empty: all

  bool takes(int64_t number, std::string_view name, std::string_view function) const;
};

/// Parses a filter. Invalid numbers are ignored.
InstructionFilter read_instruction_filter(std::string_view text);

struct InstructionOptions {
  InstructionFilter filter = {};
  bool by_reference = false;  // partitions by Shardy's passes; the options below apply to them only
  bool enable_halo_exchange = true;
  ir::ProcessCounts processes = {};
};

/// Replaces each selected op by a manual computation with the partitioned op. Ops that cannot be
/// partitioned alone stay, with a warning. Error: the shardings of an op have no common mesh.
Diagnostics partition_instructions(ir::Module& module, const InstructionOptions& options,
                                   const ForeignLowerings& lowerings, passes::PassContext& context);
/// Pass form of this function: options of the pass select the ops. Additional error: replicas and
/// partitions both above
/// 1.
Diagnostics partition_instructions(ir::Module& module, const ForeignLowerings& lowerings,
                                   passes::PassContext& context);

// ---- Registration -------------------------------------------------------------------------------

/// Adds the passes above. `lowerings` has the lowerings of an embedder's ops.
void register_reference_passes(passes::PassRegistry& registry, ForeignLowerings lowerings);

}  // namespace shardy::partitioning
