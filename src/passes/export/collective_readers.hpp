// Requirements of collectives on the shardings of their operands. Spec: dialect 4, 7.2.
#pragma once

#include <optional>

#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Checks whether all users of the op's result, which has a sharding, accept the sharding `has`
/// instead. Requires: both have the same axes, except where collectives allow open dims.
bool users_accept(const ir::Module& module, ir::OpId op, const std::optional<TensorSharding>& has);

/// Returns the mesh other than `mesh` on which a collective uses the value, or a region argument
/// sharded like it, as a sharding without axes. Ignores replicated_to_unreduced, which follows its
/// operand, and collective_permute, which has its own target.
std::optional<TensorSharding> read_elsewhere(const ir::Module& module, ir::ValueId value,
                                             const Mesh& mesh);

}  // namespace shardy::passes
