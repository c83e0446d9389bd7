// What communication ops do once all members of a group are there. Spec: partitioning 4.2, 4.3.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "shardy/simulation/kernels/kernel.hpp"
#include "simulation/device_group.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/meeting_groups.hpp"

namespace shardy::simulation {

/// By rank in the group: the results, and the bytes this rank sent to others.
struct Exchanged {
  std::vector<Tensors> results;
  std::vector<int64_t> bytes_sent;
};

/// Takes the operands of each rank, then what its region uses from outside, and the logical
/// position of rank 0.
using Exchange =
    std::function<Result<Exchanged>(std::span<const Tensors> operands, int64_t leader)>;

struct Collective {
  ir::OpKind kind;
  int64_t channel;  // 0 if it has none
  MeetingGroups groups;
  Exchange exchange;
};

/// True for the communication ops of the spmd dialect and for the StableHLO collectives.
bool is_communication(ir::OpKind kind);

/// Errors: attributes or types that do not fit; a group with devices that the run does not have.
Result<Collective> make_collective(const KernelRequest& request);
/// Null for other ops than the StableHLO collectives.
using CollectiveMaker = Result<Collective> (*)(const KernelRequest& request);
CollectiveMaker find_stablehlo_collective(ir::OpKind kind);

/// A manual computation inside of others on the same mesh, whose devices run the program: all of
/// them meet for it. Errors: as of manual_computation; another number of devices.
Result<Collective> make_nested_manual(const KernelRequest& request,
                                      std::span<const std::string> outer_axes);

// ---- Parts of exchanges ------------------------------------------------------------------------

/// ceil(bytes * numerator / denominator) without the large product.
int64_t fraction_of(int64_t bytes, int64_t numerator, int64_t denominator);
int64_t bytes_of(const Tensors& tensors);
/// Equal parts along a dim. Requires: `count` divides it.
Result<Tensors> blocks_of(const Tensor& tensor, std::size_t dim, int64_t count);
/// Operand by operand over all ranks: acc = x_0, then acc = reducer(acc, x_r).
/// `captured` are the values that the reducer uses from outside. Spec: partitioning 11.4.
Result<Tensors> fold_ranks(const Fold& fold, std::span<const Tensors> by_rank,
                           std::span<const Tensor> captured = {});
/// The reducer of a collective.
Result<Fold> make_group_fold(const KernelRequest& request, std::size_t num_operands);

/// Source rank per receiving rank of a group, -1 where the map gives none.
using SourceMap = std::function<Result<std::vector<int64_t>>(int64_t leader)>;

/// Errors: numbers or lists that do not fit the map. Spec: partitioning 4.3.
Result<SourceMap> make_source_map(const ir::PermuteMap& map, const DeviceGroups& groups);

}  // namespace shardy::simulation
