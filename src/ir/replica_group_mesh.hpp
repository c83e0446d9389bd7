// The texts of collectives of StableHLO: replica groups that are axes of a mesh, and channel
// handles. Spec: stablehlo 31.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// `#stablehlo.replica_group_mesh_axes<mesh = .., axes = [..]>`.
struct ReplicaGroupMesh {
  MeshOrRef mesh;
  std::size_t mesh_begin = 0;  // offset of its text
  std::size_t mesh_end = 0;
  SpelledAxisList axes;
};

bool is_replica_group_mesh(std::string_view text);
Result<ReplicaGroupMesh> parse_replica_group_mesh(std::string_view text);

/// `#stablehlo.mesh<axes = [..], device_ids = ..>`.
Result<Mesh> parse_stablehlo_mesh(std::string_view text);
std::string stablehlo_mesh_text(const Mesh& mesh);

/// The number in the channel handle of a collective of StableHLO, 0 if it has none.
int64_t channel_of(const Module& module, OpId op);

}  // namespace shardy::ir
