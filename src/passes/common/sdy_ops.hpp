// Reshards and collectives, and how they get between a value and those that read it.
#pragma once

#include <optional>
#include <string>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::passes {

// ---- Making ops, in no block yet ----------------------------------------------------------------

/// An op with a result of the type of its only operand.
ir::OpSpec unary_op(const ir::Module& module, ir::OpKind kind, ir::ValueId operand);
/// `sdy.reshard` to the sharding.
ir::OpSpec reshard_op(const ir::Module& module, ir::ValueId operand, const TensorSharding& to);
ir::OpSpec all_reduce_op(const ir::Module& module, ir::ValueId operand, AxisList axes,
                         const TensorSharding& out, ReductionOp reduction);

/// Returns whether a collective of SDY reads the value: most want it to have a sharding.
bool feeds_collective(const ir::Module& module, ir::ValueId value);
/// Returns the sharding that an SDY collective assumes for an operand without one: replicated on
/// the mesh of the collective. std::nullopt without such a user.
std::optional<TensorSharding> whole_for_collective(const ir::Module& module, ir::ValueId value);

/// Replaces `op` by a new op with its location; common results replace the old ones.
ir::OpId replace_op(ir::Module& module, ir::OpId op, ir::OpSpec spec);

// ---- Inserting them -----------------------------------------------------------------------------

/// Makes the op right before the one that reads `use`, which then reads the result.
void insert_before_use(ir::Module& module, ir::Use use, ir::OpSpec spec);
/// The collective reads a reshard of its operand to what it takes of one that has no sharding.
void reshard_to_whole(ir::Module& module, ir::Use collective);
/// Collectives on another mesh than that of `has`, the sharding of the value, which is whole, read
/// a reshard to theirs.
void reshard_for_collectives(ir::Module& module, ir::ValueId value, const TensorSharding& has);
/// Makes the op right after `anchor`; it takes over all other uses of `value`, its operand.
ir::OpId insert_after(ir::Module& module, ir::OpId anchor, ir::ValueId value, ir::OpSpec spec);

// ---- Asking -------------------------------------------------------------------------------------

/// A collective takes or gives the value, and so says how it is sharded.
bool is_side_of_collective(const ir::Module& module, ir::ValueId value);

// ---- Meshes -------------------------------------------------------------------------------------

/// Creates a mesh op directly after `after`, or at the top if that is not valid.
ir::OpId insert_mesh(ir::Module& module, ir::OpId after, const std::string& name, const Mesh& mesh);

}  // namespace shardy::passes
