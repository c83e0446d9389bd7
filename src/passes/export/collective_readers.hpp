// Requirements of collectives on the shardings of their operands. Spec: dialect 4, 7.2.
#pragma once

#include <optional>

#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Checks whether all users of the op's result, which has a sharding, accept the sharding `has`
/// instead, where that has the same axes but for what collectives leave open.
bool users_accept(const ir::Module& module, ir::OpId op, const std::optional<TensorSharding>& has);

/// The other mesh than `mesh` on which a collective reads the value, or an argument of a region
/// that is sharded like it, with its name, as a sharding that says nothing else. A
/// replicated_to_unreduced follows its operand, a permute says itself where it goes.
std::optional<TensorSharding> read_elsewhere(const ir::Module& module, ir::ValueId value,
                                             const Mesh& mesh);

}  // namespace shardy::passes
