// Creation and insertion of reshards and collectives between a value and its users.
#pragma once

#include <optional>
#include <string>

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

/// Checks whether the value is an operand or a result of a collective, which determines its
/// sharding.
bool is_side_of_collective(const ir::Module& module, ir::ValueId value);

// ---- Meshes -------------------------------------------------------------------------------------

/// Inserts a mesh op after `after`, or at the top of the module if `after` is invalid.
ir::OpId insert_mesh(ir::Module& module, ir::OpId after, const std::string& name, const Mesh& mesh);

}  // namespace shardy::passes
