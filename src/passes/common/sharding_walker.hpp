// Functions that visit and rewrite all shardings of a module.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>

namespace shardy::passes {

/// Called with a sharding and the value that has it. `value` is invalid for results of functions
/// and for ops without results.
using ShardingVisitor = std::function<void(const TensorSharding& sharding, ir::ValueId value)>;
using ShardingTransform = std::function<TensorSharding(const TensorSharding& sharding)>;

/// Visits the shardings of the ops in a block, or in the whole module.
///
/// Order: ops in pre-order; for each op, arguments or block arguments before results. The
/// in_shardings of manual computations include manual axes. Sharding rules, replica groups and
/// debugging dictionaries are skipped. Spec: passes 1.11.
void for_each_sharding(const ir::Module& module, const ShardingVisitor& visit);

/// Replaces each sharding by the result of `transform`. Calls `transform` once per distinct
/// sharding, in the order of for_each_sharding.
void transform_shardings(ir::Module& module, const ShardingTransform& transform);

/// Erases mesh ops to which neither a sharding nor a per-device op refers.
void erase_unused_meshes(ir::Module& module);
/// Returns the names of meshes that shardings, per-device ops or replica groups reference.
std::set<std::string, std::less<>> used_meshes(const ir::Module& module);

/// Returns the error `unknown mesh: @NAME` for the first sharding whose mesh is not in the module.
Status verify_meshes(const ir::Module& module);

// ---- The mesh in the replica groups of a StableHLO collective -----------------------------------

/// Returns the mesh of `replica_groups = #stablehlo.replica_group_mesh_axes<mesh = .., axes = ..>`;
/// std::nullopt if the op has no groups of that form. Spec: stablehlo 31.2.
std::optional<MeshOrRef> replica_group_mesh(const ir::Module& module, ir::OpId op);

/// Replaces the mesh of the replica groups. Requires: replica_group_mesh returns one.
void set_replica_group_mesh(ir::Module& module, ir::OpId op, const MeshOrRef& mesh);

}  // namespace shardy::passes
