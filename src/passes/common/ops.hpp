// Properties of ops, and the reshards and collectives that passes create between a value and its
// users.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
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

/// Checks whether an SDY collective uses the value; most require it to have a sharding.
bool feeds_collective(const ir::Module& module, ir::ValueId value);
/// Returns the sharding that an SDY collective assumes for an operand without one: replicated on
/// the mesh of the collective. std::nullopt without such a user.
std::optional<TensorSharding> whole_for_collective(const ir::Module& module, ir::ValueId value);

/// Replaces `op` by a new op with its location; common results replace the old ones.
ir::OpId replace_op(ir::Module& module, ir::OpId op, ir::OpSpec spec);

// ---- Inserting ops ------------------------------------------------------------------------------

/// Inserts the op before the user of `use` and replaces that use by its result.
void insert_before_use(ir::Module& module, ir::Use use, ir::OpSpec spec);
/// Reshards the operand of the collective to the replicated sharding that it assumes.
void reshard_to_whole(ir::Module& module, ir::Use collective);
/// Reshards a replicated value for collectives on another mesh than that of `has`, the sharding of
/// the value.
void reshard_for_collectives(ir::Module& module, ir::ValueId value, const TensorSharding& has);
/// Inserts the op after `anchor` and replaces all other uses of `value`, its operand, by its
/// result.
ir::OpId insert_after(ir::Module& module, ir::OpId anchor, ir::ValueId value, ir::OpSpec spec);

// ---- Queries ------------------------------------------------------------------------------------

/// Checks for kinds with one rule for propagation and lowering, which depends on the types of the
/// op and on its own attributes alone: not on its regions, nor on other ops.
bool has_plain_rule(ir::OpKind kind);

/// Checks whether the value is an operand or a result of a collective, which determines its
/// sharding.
bool is_side_of_collective(const ir::Module& module, ir::ValueId value);

// ---- Meshes -------------------------------------------------------------------------------------

/// Inserts a mesh op after `after`, or at the top of the module if `after` is invalid.
ir::OpId insert_mesh(ir::Module& module, ir::OpId after, const std::string& name, const Mesh& mesh);

// ---- Causes: the op for which a reshard was inserted although no sharding requires it -----------

/// Attribute of the reshard and of the collectives it becomes. Spec: partitioning 5.10.
inline constexpr const char* kCauseAttr = "sdy.cause";

/// Attribute, during compilation, of ops whose results have the shardings of the source program,
/// and of such results of functions.
inline constexpr const char* kWrittenAttr = "sdy.written";

/// Attribute of reshards and sharding constraints: the number of the copy, an integer. Equal
/// reshards of several copies are not merged, and no copy is hoisted. Spec: resharding C.8.
inline constexpr const char* kCopyAttr = "shardy.copy";

struct ReshardCause {
  std::string op;      // "stablehlo.sort"
  std::string tensor;  // "operand 0"
  std::string reason;
};

void set_cause(ir::Module& module, ir::OpId op, const ReshardCause& cause);
std::optional<ReshardCause> cause_of(const ir::Module& module, ir::OpId op);
/// Copies the cause of `from` to `to`.
void copy_cause(ir::Module& module, ir::OpId from, ir::OpId to);

// ---- Classification of ops that can be copied, moved and merged ---------------------------------

/// Checks whether the op is elementwise, in StableHLO or SDY: element i of the result depends only
/// on element i of the operands. Spec: passes 4.4.
bool is_elementwise(const ir::Module& module, ir::OpId op);

/// Checks whether the op has no effect but its results and only static shapes, so it cannot fail.
bool is_pure_static(const ir::Module& module, ir::OpId op);

/// Checks whether the regions compute single elements, as in reduce, sort and scatter. Such regions
/// move no data between devices; those of loops and branches may.
bool has_element_regions(const ir::Module& module, ir::OpId op);

/// Checks whether constant operands give a constant result: broadcast_in_dim, reshape, slice and
/// elementwise ops.
bool keeps_constants(const ir::Module& module, ir::OpId op);

// ---- Common subexpressions ----------------------------------------------------------------------

/// Merges ops with equal operands, result types and attributes. Hashes of ops are stored: operands
/// of earlier ops must not change meanwhile.
class EqualOps {
 public:
  /// The attribute `ignored` does not count.
  explicit EqualOps(ir::Module& module, std::string_view ignored = {})
      : module_(module), ignored_(ignored) {}

  /// Replaces the op by the first equal one with the same `kind` and `scope`, two numbers that the
  /// caller chooses, and erases it. Returns false if the op is the first one.
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

/// Checks whether a call of `target` is the identity on values. Such calls have has_side_effect
/// only to keep other compilers from removing them.
inline bool only_places(std::string_view target) {
  constexpr std::array<std::string_view, 4> kTargets = {"annotate_device_placement", "MoveToHost",
                                                        "MoveToDevice", "LayoutConstraint"};
  return std::ranges::find(kTargets, target) != kTargets.end();
}

}  // namespace shardy::passes
