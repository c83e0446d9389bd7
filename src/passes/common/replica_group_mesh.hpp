// The mesh in the replica groups of a StableHLO collective.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::passes {

/// Returns the mesh of `replica_groups = #stablehlo.replica_group_mesh_axes<mesh = .., axes = ..>`;
/// std::nullopt if the op has no groups of that form. Spec: stablehlo 31.2.
std::optional<MeshOrRef> replica_group_mesh(const ir::Module& module, ir::OpId op);

/// Replaces the mesh of the replica groups. Requires: replica_group_mesh returns one.
void set_replica_group_mesh(ir::Module& module, ir::OpId op, const MeshOrRef& mesh);

}  // namespace shardy::passes
