// Properties of ops, the reshards and collectives that passes insert between a value and its users,
// and preconditions of passes.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pipeline.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "passes/common/ir_names.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::passes {

// ---- Creating ops without inserting them --------------------------------------------------------

/// Returns an op whose result has the type of its only operand.
ir::OpSpec unary_op(const ir::Module& module, ir::OpKind kind, ir::ValueId operand);
/// Returns an `sdy.reshard` to the sharding.
ir::OpSpec reshard_op(const ir::Module& module, ir::ValueId operand, const TensorSharding& to);
ir::OpSpec all_reduce_op(const ir::Module& module, ir::ValueId operand, AxisList axes,
                         const TensorSharding& out, ReductionOp reduction);

/// Checks whether an sdy collective uses the value. Most collectives require that their operand has
/// a sharding.
bool feeds_collective(const ir::Module& module, ir::ValueId value);
/// Returns the sharding that an sdy collective assumes for an operand without a sharding:
/// replicated on the mesh of the collective. std::nullopt if no sdy collective uses the value.
std::optional<TensorSharding> whole_for_collective(const ir::Module& module, ir::ValueId value);

/// Replaces `op` by a new op at its location. The results that both have are replaced.
ir::OpId replace_op(ir::Module& module, ir::OpId op, ir::OpSpec spec);

// ---- Inserting ops ------------------------------------------------------------------------------

/// Inserts the op before the user of `use` and replaces that operand by the op's result.
void insert_before_use(ir::Module& module, ir::Use use, ir::OpSpec spec);
/// Reshards the operand of the collective to the replicated sharding that the collective assumes.
void reshard_to_whole(ir::Module& module, ir::Use collective);
/// Reshards a replicated value for collectives whose mesh differs from the mesh of `has`, the
/// value's sharding.
void reshard_for_collectives(ir::Module& module, ir::ValueId value, const TensorSharding& has);
/// Inserts the op after `anchor`. Its operand is `value`; all other uses of `value` are replaced by
/// its result.
ir::OpId insert_after(ir::Module& module, ir::OpId anchor, ir::ValueId value, ir::OpSpec spec);

// ---- Queries ------------------------------------------------------------------------------------

/// Returns true for op kinds whose rule is equal for propagation and lowering and depends only on
/// the op's types and attributes.
bool has_plain_rule(ir::OpKind kind);

/// Returns the first maximal sharding of the results, or the maximal sharding of an op without
/// results; std::nullopt if the op does not run on a single device.
std::optional<TensorSharding> single_device_sharding(const ir::Module& module, ir::OpId op);

/// Checks whether an operand or a result has unreduced axes. With `bypass_barriers`, the sharding
/// of a result of a barrier is that of the value before the barrier.
bool has_unreduced_tensor(const ir::Module& module, ir::OpId op, bool bypass_barriers = false);

/// Checks whether the value is an operand or result of a collective. The collective then determines
/// its sharding.
bool is_side_of_collective(const ir::Module& module, ir::ValueId value);

// ---- Meshes -------------------------------------------------------------------------------------

/// Inserts a mesh op after `after`, or at the top of the module if `after` is invalid.
ir::OpId insert_mesh(ir::Module& module, ir::OpId after, const std::string& name, const Mesh& mesh);

// ---- Causes: the op for which a reshard was inserted although no sharding requires it -----------

/// The attribute of the reshard and of the collectives that replace it. Spec: partitioning 5.10.
inline constexpr const char* kCauseAttr = "sdy.cause";

/// During compilation, the attribute of ops and function results that have the shardings of the
/// source program.
inline constexpr const char* kWrittenAttr = "sdy.written";

/// The attribute of reshards and sharding constraints that has the number of the copy, an integer.
/// Equal reshards with different numbers are not merged, and none is hoisted. Spec: resharding C.8.
inline constexpr const char* kCopyAttr = "shardy.copy";

struct ReshardCause {
  std::string op;      // "stablehlo.sort"
  std::string tensor;  // "operand 0"
  std::string reason;
};

void set_cause(ir::Module& module, ir::OpId op, const ReshardCause& cause);
std::optional<ReshardCause> cause_of(const ir::Module& module, ir::OpId op);
/// Copies the cause of `from` to the attributes of another op.
void copy_cause(const ir::Module& module, ir::OpId from, ir::AttributeMap& to);

// ---- Classification of ops that can be copied, moved and merged ---------------------------------

/// Checks whether the op is elementwise, in StableHLO or SDY: element i of the result depends only
/// on element i of the operands. Spec: passes 4.4.
bool is_elementwise(const ir::Module& module, ir::OpId op);

/// Checks whether the op has only static shapes and no side effects, so that it cannot fail.
bool is_pure_static(const ir::Module& module, ir::OpId op);

/// Checks whether the regions of the op compute single elements, as in reduce, sort and scatter.
/// Such regions move no data between devices; regions of loops and branches may.
bool has_element_regions(const ir::Module& module, ir::OpId op);

/// Checks whether the op has a constant result if its operands are constant: broadcast_in_dim,
/// reshape, slice and elementwise ops.
bool keeps_constants(const ir::Module& module, ir::OpId op);

// ---- Common subexpressions ----------------------------------------------------------------------

/// Merges ops with equal operands, result types and attributes. Stores the hashes of ops, so the
/// operands of earlier ops must not change in between.
class EqualOps {
 public:
  /// Comparisons ignore the attribute `ignored`.
  explicit EqualOps(ir::Module& module, std::string_view ignored = {})
      : module_(module), ignored_(ignored) {}

  /// Replaces the op by the first equal op with the same `kind` and `scope`, and erases the op. The
  /// caller chooses these two numbers. Returns false if the op is the first one.
  bool merge(ir::OpId op, uint32_t kind, uint32_t scope = 0);

 private:
  struct SeenOp {
    ir::OpId op;
    uint32_t kind;
    uint32_t scope;
  };
  std::size_t hash(const SeenOp& seen) const;
  bool is_equal(const SeenOp& a, const SeenOp& b) const;
  bool has_ignored(ir::OpId op) const;

  ir::Module& module_;
  std::string_view ignored_;
  std::unordered_map<std::size_t, std::vector<SeenOp>> seen_;  // by hash; never iterated
};

// ---- Placements ---------------------------------------------------------------------------------
// Custom calls that only place a value, for example in host memory. Spec: interop 3.4.

/// Checks whether a call of `target` returns its operand. Such calls have `has_side_effect` only to
/// prevent other compilers from removing them.
inline bool only_places(std::string_view target) {
  constexpr std::array<std::string_view, 4> kTargets = {"annotate_device_placement", "MoveToHost",
                                                        "MoveToDevice", "LayoutConstraint"};
  return std::ranges::find(kTargets, target) != kTargets.end();
}

// ---- Preconditions ------------------------------------------------------------------------------
// Preconditions that passes have beyond a valid module, such as passes that must run before.

/// Returns an error for an `sdy.data_flow_edge` whose operand is not an edge owner. Passes would
/// not treat the edge op and its input as one value. Spec: passes 2.
Diagnostics require_owned_edges(const ir::Module& module);
/// Returns an error for an `sdy.func_data_flow_edge`.
Diagnostics require_no_func_edges(const ir::Module& module);
/// Returns an error for an sdy collective. The note names the pass xla-sdy-export-ops.
Diagnostics require_no_sdy_collectives(const ir::Module& module);
/// Returns an error for an edge op with unreduced axes whose operand is not an edge owner. Sinking
/// would drop these axes.
Diagnostics require_sinkable_edges(const ir::Module& module);
/// Returns an error for an sdy collective on an inlined mesh if other meshes get names.
Diagnostics require_named_meshes(const ir::Module& module);
/// Returns an error for an sdy collective, because the shardings of its operand and result define
/// it. The note refers to the lowering of collectives.
Diagnostics require_no_collectives(const ir::Module& module);

/// Returns an error for an open sharding of a manual computation that does not use the full manual
/// axes. Propagation could shard values of the body along these axes. Spec: passes 4.6.
Diagnostics require_mentioned_manual_axes(const ir::Module& module);
/// Returns an error for an op that introduces unreduced axes with a reduction other than a sum. No
/// collective reduces these axes, because a value without a sharding is replicated. Spec: dialect
/// 3.1, 4.9.
Diagnostics require_introduced_sums(const ir::Module& module);

}  // namespace shardy::passes
