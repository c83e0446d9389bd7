// The parts of sdy-insert-explicit-reshards. Spec: resharding A.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "passes/common/sdy_ops.hpp"
#include "passes/export/common_axes.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/parts.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/propagation/projection.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes::explicit_reshards {

using OptionalSharding = std::optional<TensorSharding>;

// ---- Uses of values (boundary_reshards.cpp) -----------------------------------------------------

/// Combines the unreduced axes of what `use` reads that `target` does not have. Spec: A.8.1.
void reduce_use(ir::Module& module, ir::Use use, const OptionalSharding& target);
/// A reshard that adds unreduced axes becomes the ops that do so; true if it was one. Spec: A.8.2.
bool replace_unreducing_reshard(ir::Module& module, ir::OpId reshard);
/// Brings what is returned to the shardings of the function's results. Spec: A.11.1.
void reshard_returned(ir::Module& module, ir::OpId function, bool full);
/// Brings what flows along the edges of a data-flow op to the shardings of their owners.
/// Spec: A.11.2; partitioning 1.2 (I4) for `stablehlo.if`.
void reshard_edges(ir::Module& module, ir::OpId op, bool full);
/// Brings the operands of a call to the shardings of the callee's arguments. Spec: A.11.3.
void reshard_call_operands(ir::Module& module, ir::OpId call);

// ---- Ops with a rule (op_reshards.cpp) ----------------------------------------------------------

/// An op, its rule, and the shardings of its tensors: operands, then results.
struct OpTensors {
  ir::OpId op;
  OpShardingRule rule;
  propagation::RuleLayout layout;
  MeshRef mesh;
  std::vector<ReductionOp> combiners;  // per result: how partial results combine
  std::vector<OptionalSharding> shardings;
  propagation::Projection projection;
  bool is_lowered = false;  // the rule is the one by which the op is lowered
  /// Dims that stay as they are, whatever their factors get; empty: none of any tensor.
  std::vector<std::vector<bool>> kept = {};
};

/// std::nullopt if the op has no rule or no mesh.
Result<std::optional<OpTensors>> read_op(const ir::Module& module, ir::OpId op,
                                         const rules::Registry& registry, bool lowering_rules);
FactorAxes factor_axes(const ir::Module& module, const OpTensors& tensors);
/// Reshards a result from `wanted` back to its `old` sharding after `anchor`; one
/// that had none is replicated, on the mesh of a collective that reads it. Returns the reshard.
ir::OpId reshard_result(ir::Module& module, ir::OpId anchor, ir::ValueId result,
                        const OptionalSharding& old, const TensorSharding& wanted);
/// Returns the dims of a tensor by the projection, except kept dims.
std::vector<DimSharding> wanted_dims(const OpTensors& tensors, std::size_t tensor,
                                     const propagation::Projection& projection);
/// Reads the projection anew, from which kept dims are left out.
void project_all(OpTensors& tensors);
/// Brings operands and results to the common axes, one list per factor. Spec: A.6.
void reshard_to_common(ir::Module& module, OpTensors& tensors, std::span<const AxisList> common);
/// Partial results over these axes are combined right after the op. Spec: A.7.
void reduce_results(ir::Module& module, const OpTensors& tensors, AxisList axes);
/// The axes of all reduction factors, in their order.
AxisList reduction_axes(const OpTensors& tensors, std::span<const AxisList> common);

// ---- Causes (reshard_causes.cpp) ----------------------------------------------------------------

/// Reshards from the op numbered `first_new` on, which were inserted for `op`, say so if they make
/// a value less sharded and no sharding that was written asks for it. Spec: partitioning 5.10.
void mark_causes(ir::Module& module, ir::OpId op, std::size_t first_new,
                 const rules::Registry& registry);
/// The same for what the function returns.
void mark_returned(ir::Module& module, ir::OpId function, std::size_t first_new,
                   const rules::Registry& registry);

// ---- Special ops (special_reshards.cpp) ---------------------------------------------------------

/// A dot whose result keeps the axes of its reduction is computed more parallel. Spec: A.9.
void reshard_dot(ir::Module& module, const OpTensors& tensors);
/// Dims of a reshape stay as they are where its lowering moves pieces between them. Spec:
/// partitioning 1.2 (I4), 8.3.
void keep_exchanged_dims(const ir::Module& module, OpTensors& tensors);
bool is_reshape_with_overflow(const ir::Module& module, const OpTensors& tensors);
/// Spec: A.10.
void reshard_reshape(ir::Module& module, OpTensors& tensors);
/// A transform of several dims becomes transforms of fewer with exchanges in between, if that costs
/// less than `at_once`, the cost of the meeting. The op is then erased. Spec: A.10.1.
bool split_transform(ir::Module& module, ir::OpId op, const Meeting& meeting,
                     const StepCost& at_once, ReshardPlanner& planner);
/// A top_k of a dim that a reshape merges from sharded dims ranks the elements of each device, then
/// these candidates, if they are fewer bytes. Spec: A.10.2.
void rank_merged_dims_apart(ir::Module& module, ir::OpId function);
/// Slices of a pad whose tiles are others than those of its operand become pads of the operand, if
/// all of its users are slices as large as the operand. Spec: A.10.3.
void fold_slices_of_pads(ir::Module& module, ir::OpId function);
/// The op has a result on a single device; its operands go there, its results go from there to
/// `mesh`, that of the program. Errors: results on several devices. Spec: A.12.2.
Status reshard_single_device(ir::Module& module, ir::OpId op, const std::optional<MeshRef>& mesh);

}  // namespace shardy::passes::explicit_reshards
