// All shardings of a module, one after the other.
#pragma once

#include <functional>
#include <set>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy::passes {

/// `value` is whose sharding it is; invalid for results of functions and for ops without results.
using ShardingVisitor = std::function<void(const TensorSharding& sharding, ir::ValueId value)>;
using ShardingTransform = std::function<TensorSharding(const TensorSharding& sharding)>;

/// Visits the shardings under the ops of a block, or of all the module.
///
/// Order: ops in pre-order; per op, arguments or block arguments before results. In the
/// in_shardings of manual computations manual axes are kept. Sharding rules, replica groups and
/// debugging dictionaries are not looked into. Spec: passes 1.11.
void for_each_sharding(const ir::Module& module, const ShardingVisitor& visit);

/// Replaces them by what `transform` makes of them. It is called once for all that are equal, in
/// the order above, and what it returns is kept once for all.
void transform_shardings(ir::Module& module, const ShardingTransform& transform);

/// Erases the mesh ops that neither a sharding nor a per-device op names.
void erase_unused_meshes(ir::Module& module);
/// Names of meshes that shardings, per-device ops or replica groups speak of.
std::set<std::string, std::less<>> used_meshes(const ir::Module& module);

/// Errors: `unknown mesh: @NAME` for a sharding whose mesh the module does not have, in the order
/// of the walk.
Status verify_meshes(const ir::Module& module);

}  // namespace shardy::passes
