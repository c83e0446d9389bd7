// What the StableHLO collectives on a grid of processes share. Spec: stablehlo 31.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulation/kernels/collective.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/process_groups.hpp"

namespace shardy::simulation {

/// Operands of each member of a group.
using ByRank = std::span<const Tensors>;

std::vector<ir::Type> result_types(const OpReader& op);
/// Errors: as group_rows and expand_groups; a process in two groups.
Result<GroupList> read_groups(const KernelRequest& request, const OpReader& op, GroupForm form);
Collective on_groups(const KernelRequest& request, GroupList groups, Exchange exchange);
/// Devices without a group, each as a group of its own behind the others.
void add_outsiders(GroupList& groups, int64_t num_devices);

Result<Tensors> zeros(std::span<const ir::Type> types);
/// All groups have the size that the result types were written for.
Status expect_group_sizes(const OpReader& op, const GroupList& groups, int64_t size);
/// How many times `part` the size `whole` is; nothing if it is no multiple.
std::optional<int64_t> times(int64_t whole, int64_t part);

// ---- Roots -------------------------------------------------------------------------------------

/// Which member each data operand comes from: the first, or as the last operand says.
Result<std::vector<std::size_t>> roots_of(ByRank by_rank, std::size_t num_data, bool is_dynamic);
/// All operands but the roots. Errors: numbers or types that do not fit.
Result<std::size_t> num_data_operands(const OpReader& op, bool is_dynamic);

// ---- Families ----------------------------------------------------------------------------------

struct StablehloCollectiveRow {
  ir::OpKind kind;
  CollectiveMaker make;
};
std::span<const StablehloCollectiveRow> stablehlo_reductions();
std::span<const StablehloCollectiveRow> stablehlo_movements();

}  // namespace shardy::simulation
