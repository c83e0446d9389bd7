// The replica groups of StableHLO collectives, and the sources of permute maps. Spec: stablehlo
// 31.2, partitioning 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// The numbers of replicas and partitions. A process runs on the device with the number replica *
/// partitions + partition.
struct ProcessCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;
};

/// Lists of device ids, one list per group.
using GroupList = std::vector<std::vector<int64_t>>;

/// Returns the devices of each group of a collective with `replica_groups`, in the order of the
/// group. An empty `replica_groups` means one group of all devices. Errors: a process that does not
/// exist or is in two groups; a mesh or axes that do not exist; `use_global_device_ids` without a
/// channel.
Result<GroupList> process_groups(const Module& module, OpId op, const ProcessCounts& counts);

/// Returns the source and the target device of each pair of a collective_permute. Errors: those of
/// process_groups; a device that is the target of two pairs.
Result<std::vector<std::pair<int64_t, int64_t>>> process_pairs(const Module& module, OpId op,
                                                               const ProcessCounts& counts);

/// A parsed `#stablehlo.replica_group_mesh_axes<mesh = .., axes = [..]>`.
struct ReplicaGroupMesh {
  MeshOrRef mesh;
  std::size_t mesh_begin = 0;  // offset of the mesh in the text
  std::size_t mesh_end = 0;
  UnresolvedAxisList axes;
};

bool is_replica_group_mesh(std::string_view text);
Result<ReplicaGroupMesh> parse_replica_group_mesh(std::string_view text);

/// Parses `#stablehlo.mesh<axes = [..], device_ids = ..>`.
Result<Mesh> parse_stablehlo_mesh(std::string_view text);
std::string stablehlo_mesh_text(const Mesh& mesh);

/// Returns the number in the channel handle of a StableHLO collective; 0 if the op has no channel
/// handle.
int64_t channel_of(const Module& module, OpId op);

/// Sources and receivers of larger groups are not listed.
constexpr int64_t kMostListedRanks = int64_t{1} << 20;

/// Returns the rank from which the receiving rank of a group of `size` devices gets its data;
/// std::nullopt if it gets none. Requires: a map that is equal in all groups: not Relabel, Remesh
/// or Pairs.
std::optional<int64_t> source_rank(const PermuteMap& map, int64_t receiver, int64_t size);

}  // namespace shardy::ir
