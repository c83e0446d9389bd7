// The processes that meet in a collective of StableHLO. Spec: stablehlo 31.2.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// Replicas times partitions; the device of a process is replica * partitions + partition.
struct ProcessCounts {
  int64_t replicas = 1;
  int64_t partitions = 1;
};

/// Rows of devices.
using GroupList = std::vector<std::vector<int64_t>>;

/// Devices of each group of a collective with `replica_groups`, in the order of the group; empty
/// groups are one group of all. Errors: a process that does not exist or is in two groups, a mesh
/// or axes that do not exist, `use_global_device_ids` without a channel.
Result<GroupList> process_groups(const Module& module, OpId op, const ProcessCounts& counts);

/// Source and target device of each pair of a collective_permute. Errors: as process_groups; a
/// device that is the target of two pairs.
Result<std::vector<std::pair<int64_t, int64_t>>> process_pairs(const Module& module, OpId op,
                                                               const ProcessCounts& counts);

}  // namespace shardy::ir
