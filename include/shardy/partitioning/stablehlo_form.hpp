// The per-device program as plain StableHLO, for compilers that know no `spmd` ops.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>

namespace shardy::partitioning {

/// How a collective says who meets whom.
enum class ReplicaGroupsForm : uint8_t {
  List,  // rows of devices: as long as there are devices
  Mesh   // axes of a mesh
};

/// How the collectives of StableHLO name devices.
struct StablehloForm {
  ReplicaGroupsForm groups = ReplicaGroupsForm::List;  // how a collective names its groups
  /// More than one replica: devices are the replicas of one partition, else the partitions of one
  /// replica. At most one of the two may be more than 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // devices that are partitions of one replica; see replica_count
};

/// Replaces all `spmd` ops by StableHLO ops, and says in the module how many processes there are.
/// What devices compute and send stays the same, but for the order in which floats are added where
/// axes name devices in another order than that of their ids.
///
/// Errors, with the module left as it was: E_REPLICA_AND_PARTITION; E_MESH_MISMATCH, a mesh that
/// has not all devices; E_UNSUPPORTED_OP, a reducer that mixes several operands. Spec: partitioning
/// 4.4.
Diagnostics to_stablehlo_form(ir::Module& module, const StablehloForm& form = {});

}  // namespace shardy::partitioning
