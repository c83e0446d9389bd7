// The parts of sdy-insert-explicit-reshards. Spec: resharding A.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/export/common_axes.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/propagation/projection.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes::explicit_reshards {

using OptionalSharding = std::optional<TensorSharding>;

// ---- Uses of values (boundary_reshards.cpp) -----------------------------------------------------

/// Reduces the unreduced axes that the operand `use` has and `target` does not have. Spec: A.8.1.
void reduce_use(ir::Module& module, ir::Use use, const OptionalSharding& target);
/// Replaces a reshard that adds unreduced axes by replicated_to_unreduced and sharded_to_unreduced
/// ops. Returns whether the reshard adds unreduced axes. Spec: A.8.2.
bool replace_unreducing_reshard(ir::Module& module, ir::OpId reshard);
/// Reshards the returned values to the shardings of the function's results. Spec: A.11.1.
void reshard_returned(ir::Module& module, ir::OpId function, bool full);
/// Reshards the sources of a data-flow op's edges to the shardings of the edge owners. Spec:
/// A.11.2; partitioning 1.2 (I4) for `stablehlo.if`.
void reshard_edges(ir::Module& module, ir::OpId op, bool full);
/// Reshards the operands of a call to the shardings of the callee's arguments. Spec: A.11.3.
void reshard_call_operands(ir::Module& module, ir::OpId call);

// ---- Ops with a rule (op_reshards.cpp) ----------------------------------------------------------

/// An op, its rule, and the shardings of its tensors, which are the operands, then the results.
struct OpTensors {
  ir::OpId op;
  OpShardingRule rule;
  propagation::FlatRule layout;
  MeshRef mesh;
  std::vector<ReductionOp> combiners;  // per result: how partial results are reduced
  std::vector<OptionalSharding> shardings;
  propagation::Projection projection;
  bool is_lowered = false;  // the rule is the one used for lowering
  /// [tensor][dim]: true if the dim keeps its sharding for any axes of its factors. Empty: no dim
  /// does.
  std::vector<std::vector<bool>> kept = {};
};

/// Returns the shardings of operands, then of results.
std::vector<OptionalSharding> shardings_of(const ir::Module& module, ir::OpId op);
/// Reads the rule and the shardings of an op; std::nullopt if the op has no rule or no mesh.
Result<std::optional<OpTensors>> read_op(const ir::Module& module, ir::OpId op,
                                         const rules::Registry& registry, bool lowering_rules);
FactorAxes factor_axes(const ir::Module& module, const OpTensors& tensors);
/// Reshards a result after `anchor` from `wanted` to its `old` sharding. A result without an old
/// sharding becomes replicated, on the mesh of a collective that uses it. Returns the reshard.
ir::OpId reshard_result(ir::Module& module, ir::OpId anchor, ir::ValueId result,
                        const OptionalSharding& old, const TensorSharding& wanted);
/// Returns the dims of a tensor that follow from the axes of the factors; kept dims do not change.
std::vector<DimSharding> wanted_dims(const OpTensors& tensors, std::size_t tensor,
                                     const propagation::Projection& projection);
/// Recomputes the projection, without the kept dims.
void project_all(OpTensors& tensors);
/// Reshards operands and results to the common axes, one axis list per factor. Spec: A.6.
void reshard_to_common(ir::Module& module, OpTensors& tensors, std::span<const AxisList> common);
/// Reduces the partial results over these axes directly after the op. `marks`: gives the partial
/// results these unreduced axes. Spec: A.7.
void reduce_results(ir::Module& module, const OpTensors& tensors, AxisList axes, bool marks);
/// Returns the axes of all reduction factors in factor order.
AxisList reduction_axes(const OpTensors& tensors, std::span<const AxisList> common);

/// Returns the operands of the op that sdy-recompute-constants computes in any sharding, so that
/// their reshards send nothing.
FreeTensors recomputed_operands(const Module& module, OpId op);

/// Checks whether the op's tensors are resharded to common axes of its rule, if it has one.
bool is_resharded_by_rule(const ir::Module& module, ir::OpId op, bool lowering_rules);
/// Returns the query for the common axes of an op; std::nullopt if its reshards have no prices.
std::optional<CommonAxesQuery> priced_query(const ir::Module& module, const OpTensors& tensors,
                                            BoundAxes bound);

// ---- Shardings of values (value_shardings.cpp) --------------------------------------------------

/// Changes shardings of values that propagation chose so that the reshards of the ops around them
/// cost less. Reports each change. Spec: C.7.
void choose_value_shardings(ir::Module& module, ir::OpId function, const rules::Registry& registry,
                            MeshPlanners& planners, const InsertExplicitReshardsOptions& options);

// ---- Causes (boundary_reshards.cpp) -------------------------------------------------------------

/// Marks the reshards with number `first_new` or later, which were inserted for `op`, if they make
/// a value less sharded and the source program does not require this. Spec: partitioning 5.10.
void mark_causes(ir::Module& module, ir::OpId op, std::size_t first_new,
                 const rules::Registry& registry);
/// Marks reshards like mark_causes, for the values that the function returns.
void mark_returned(ir::Module& module, ir::OpId function, std::size_t first_new,
                   const rules::Registry& registry);

// ---- Special ops (special_reshards.cpp) ---------------------------------------------------------

/// Reshards a dot whose result has the axes of its reduction (the dot special case). Spec: A.9.
void reshard_dot(ir::Module& module, const OpTensors& tensors);
/// Keeps the sharding of those dims of a reshape between whose shards the lowering of the reshape
/// exchanges elements. Spec: partitioning 1.2 (I4), 8.3.
void keep_exchanged_dims(const ir::Module& module, OpTensors& tensors);
bool is_reshape_with_overflow(const ir::Module& module, const OpTensors& tensors);
/// Shardings of the operand and the result with which a reshape is local; std::nullopt: unchanged.
struct ReshapeSides {
  OptionalSharding operand;
  OptionalSharding result;
};
/// Returns the shardings with the axes that Shardy distributes over the factors. Spec: A.10.
ReshapeSides redistributed_sides(OpTensors tensors);
/// Returns the shardings with the axes that both operand and result have along each factor.
ReshapeSides shared_sides(const OpTensors& tensors);
/// Returns the cost of the reshards to `sides.operand` and from `sides.result`. Requires: no tensor
/// is unreduced.
StepCost reshape_cost(const CommonAxesQuery& query, const ReshapeSides& sides,
                      PricedPlanner& planner);
/// Reshards a reshape whose factors have overflow axes. Spec: A.10.
void reshard_reshape(ir::Module& module, OpTensors& tensors, const ReshapeSides& sides);
/// Splits an fft of several dims into ffts with reshards in between if this costs less than
/// `at_once`, the cost of the common axes. Erases the op if it is split. Spec: A.10.1.
bool split_transform(ir::Module& module, ir::OpId op, const CommonAxesQuery& query,
                     const StepCost& at_once, PricedPlanner& planner);
/// Rewrites top_k along a dim that a reshape merges from sharded dims: ranks the elements of each
/// device, then the candidates of all devices. Applies if the candidates have fewer bytes. Spec:
/// A.10.2.
void rank_merged_dims_apart(ir::Module& module, ir::OpId function);
/// Rewrites sorts along a sharded dim of which only slices of the first or last elements are used:
/// sorts the elements of each device, then the candidates of all devices. Applies if all candidates
/// together have fewer elements than a shard. Spec: A.10.6.
void sort_ends_apart(ir::Module& module, ir::OpId function);
/// Replaces slices of a pad by pads of the pad's operand. Applies if the pad changes the shards of
/// a dim and all its users are slices as large as the operand. Spec: A.10.3.
void fold_slices_of_pads(ir::Module& module, ir::OpId function);
/// Computes values that are made of slices and written into a larger value in the shape of the
/// larger value, if fewer bytes are sent then. Spec: A.10.4.
void compute_in_frames(ir::Module& module, ir::OpId function);
/// Reshards a value before a loop to another dim if the loop slices it along its sharded dim and
/// the slices have more elements than a shard. Spec: A.10.5.
void shard_slices_of_loops(ir::Module& module, ir::OpId function);
/// Converts a value to a narrower type before, instead of after, a slice of a sharded dim, because
/// the slice sends elements. Spec: A.10.3.
void cast_before_slices(ir::Module& module, ir::OpId function);
/// Reshards operands to the single device that has results of the op, and results from that device
/// to `mesh`, the mesh of the program. Error: results on several devices. Spec: A.12.2.
Status reshard_single_device(ir::Module& module, ir::OpId op, const std::optional<MeshRef>& mesh);

}  // namespace shardy::passes::explicit_reshards
