// The groups of processes of StableHLO collectives. Spec: stablehlo 31.2.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

/// Lists of numbers: of replicas, partitions or devices.
using GroupList = std::vector<std::vector<int64_t>>;

/// What the numbers in `replica_groups` stand for.
enum class GroupForm : uint8_t {
  CrossReplica,
  CrossPartition,
  CrossReplicaAndPartition,
  FlattenedIds
};

/// Devices of each group, in its order. Errors: a number that the grid does not have.
Result<GroupList> expand_groups(GroupForm form, const GroupList& rows, const ProcessGrid& grid);

/// Of the all_reduce family, and of the others.
Result<GroupForm> reduction_form(const OpReader& op);
GroupForm movement_form(const OpReader& op);

/// Rows of `replica_groups` without -1; empty groups are one group of all.
/// Errors: a mesh that is not there, axes that it does not have.
Result<GroupList> group_rows(const OpReader& op, GroupForm form, const ProcessGrid& grid);

}  // namespace shardy::simulation
