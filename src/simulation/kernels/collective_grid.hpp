// Common parts of the StableHLO collectives on a grid of processes. Spec: stablehlo 31.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/process_groups.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "simulation/kernels/collective.hpp"
#include "simulation/kernels/op_reader.hpp"

namespace shardy::simulation {

using ir::GroupList;

/// The counts of processes of a grid.
inline ir::ProcessCounts counts_of(const ProcessGrid& grid) {
  return {grid.num_replicas, grid.num_partitions};
}

/// Errors: as ir::process_groups.
Result<GroupList> read_groups(const KernelRequest& request, const OpReader& op);
Collective on_groups(const KernelRequest& request, GroupList groups, Exchange exchange);
/// Appends each device without a group as a group of its own.
void add_outsiders(GroupList& groups, int64_t num_devices);

/// All groups have the size that the result types were written for.
Status expect_group_sizes(const OpReader& op, const GroupList& groups, int64_t size);
/// Returns whole / part; std::nullopt if `whole` is not a multiple.
std::optional<int64_t> times(int64_t whole, int64_t part);

// ---- Roots -------------------------------------------------------------------------------------

/// Returns the member that each data operand comes from: the first, or the value of the last
/// operand.
Result<std::vector<std::size_t>> roots_of(ByRank by_rank, std::size_t num_data, bool is_dynamic);
/// The last operand says who sends.
inline bool has_dynamic_root(const OpReader& op) {
  return op.module().attributes(op.op()).contains(ir::attr::kHasDynamicRoot);
}
/// All operands but the roots.
std::size_t num_data_operands(const OpReader& op, bool is_dynamic);

// ---- Makers ------------------------------------------------------------------------------------

Result<Collective> make_grid_all_gather(const KernelRequest& request);
Result<Collective> make_grid_all_to_all(const KernelRequest& request);
Result<Collective> make_grid_broadcast(const KernelRequest& request);
Result<Collective> make_grid_permute(const KernelRequest& request);
/// Also of cross-replica-sum.
Result<Collective> make_grid_all_reduce(const KernelRequest& request);
Result<Collective> make_grid_reduce(const KernelRequest& request);
Result<Collective> make_grid_reduce_scatter(const KernelRequest& request);

}  // namespace shardy::simulation
