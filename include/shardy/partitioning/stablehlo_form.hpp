// The per-device program as plain StableHLO, for compilers without the `spmd` dialect.
#pragma once

#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/support/result.hpp>

namespace shardy::partitioning {

/// Form of the replica groups of collectives.
enum class ReplicaGroupsForm : uint8_t {
  List,  // lists of device ids; size linear in devices
  Mesh   // axes of a mesh
};

/// Form of StableHLO collectives.
struct StablehloForm {
  ReplicaGroupsForm groups = ReplicaGroupsForm::List;  // form of replica groups
  /// Number of replicas if devices are replicas of one partition; else 1. At most one of the two is
  /// more than 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // number of partitions if devices are partitions of one replica
};

/// Replaces all `spmd` ops by StableHLO ops, and sets the numbers of replicas and partitions on the
/// module. Devices compute and send the same values, except for the order of float additions where
/// axes order devices differently from their ids.
///
/// Errors, without changing the module: E_REPLICA_AND_PARTITION; E_MESH_MISMATCH, a mesh without
/// all devices; E_UNSUPPORTED_OP, a reducer that mixes several operands. Spec: partitioning 4.4.
Diagnostics to_stablehlo_form(ir::Module& module, const StablehloForm& form = {});

}  // namespace shardy::partitioning
