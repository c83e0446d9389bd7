// What communication ops do once all members of a group are there. Spec: partitioning 4.2, 4.3.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"
#include "simulation/device_group.hpp"

namespace shardy::simulation {

/// By rank in the group: the results, and the bytes this rank sent to others.
struct Exchanged {
  std::vector<Tensors> results;
  std::vector<int64_t> bytes_sent;
};

/// Takes the operands of each rank, and the logical position of rank 0.
using Exchange =
    std::function<Result<Exchanged>(std::span<const Tensors> operands, int64_t leader)>;

struct Collective {
  DeviceGroups groups;
  Exchange exchange;
};

/// True for the communication ops of the spmd dialect.
bool is_communication(ir::OpKind kind);

/// Errors: attributes or types that do not fit; a group with devices that the run does not have.
Result<Collective> make_collective(const KernelRequest& request);

/// Source rank per receiving rank of a group, -1 where the map gives none.
using SourceMap = std::function<Result<std::vector<int64_t>>(int64_t leader)>;

/// Errors: numbers or lists that do not fit the map. Spec: partitioning 4.3.
Result<SourceMap> make_source_map(const ir::PermuteMap& map, const DeviceGroups& groups);

}  // namespace shardy::simulation
