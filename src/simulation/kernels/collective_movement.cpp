// StableHLO collectives that hand on elements as they are. Spec: stablehlo 31.3.
#include <algorithm>
#include <map>
#include <utility>

#include "shardy/ir/collective_ops.hpp"
#include "simulation/kernels/collective_grid.hpp"

namespace shardy::simulation {

// ---- all_gather, all_to_all --------------------------------------------------------------------

Result<Collective> make_grid_all_gather(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  const auto place = static_cast<std::size_t>(op.view<ir::AllGatherOp>().dim);
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const int64_t part = op.operand(index).dim(place);
    const int64_t whole = op.result(index).dim(place);
    if (part == 0 && whole == 0) continue;
    SHARDY_TRY_STATUS(expect_group_sizes(op, groups, times(whole, part).value_or(-1)));
  }
  return on_groups(request, std::move(groups),
                   [place, types = result_types(op)](const Gathered& group) {
                     return all_gather(group.by_rank, place, types);
                   });
}

Result<Collective> make_grid_all_to_all(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const auto view = op.view<ir::AllToAllOp>();
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  const bool fits = std::ranges::all_of(
      groups, [&](const auto& group) { return std::ssize(group) == view.split_count; });
  SHARDY_TRY_STATUS(
      op.expect(fits, "group size of replica_groups must be " + std::to_string(view.split_count)));
  return on_groups(request, std::move(groups),
                   [split = static_cast<std::size_t>(view.split_dim),
                    concat = static_cast<std::size_t>(view.concat_dim),
                    types = result_types(op)](const Gathered& group) {
                     return all_to_all(group.by_rank, split, concat, types, group.wanted);
                   });
}

// ---- collective_broadcast ----------------------------------------------------------------------

Result<Collective> make_grid_broadcast(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const bool is_dynamic = has_dynamic_root(op);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  const int64_t num_groups = std::ssize(groups);
  add_outsiders(groups, request.grid.size());
  return on_groups(request, std::move(groups),
                   [count = num_data_operands(op, is_dynamic), is_dynamic, num_groups,
                    types = result_types(op)](const Gathered& group) -> Result<Exchanged> {
                     if (group.leader >= num_groups) {
                       SHARDY_TRY(Tensors nothing, zeros(types));
                       return Exchanged{{std::move(nothing)}, {0}};
                     }
                     SHARDY_TRY(const auto roots, roots_of(group.by_rank, count, is_dynamic));
                     return broadcast(group.by_rank, roots);
                   });
}

// ---- collective_permute ------------------------------------------------------------------------

namespace {

/// Sources and targets as devices.
struct Permutation {
  GroupList groups;                      // those that exchange anything, directly or not
  std::map<int64_t, int64_t> source_of;  // of each target
};

/// Returns the devices that chains of pairs connect: no device waits for one that sends it nothing.
GroupList connected(const std::map<int64_t, int64_t>& source_of) {
  std::map<int64_t, int64_t> root;  // by device: towards the smallest of its group
  const auto find = [&](int64_t device) {
    while (root.emplace(device, device).first->second != device) device = root[device];
    return device;
  };
  for (const auto& [target, source] : source_of) {
    const int64_t a = find(target);
    const int64_t b = find(source);
    root[std::max(a, b)] = std::min(a, b);
  }
  std::map<int64_t, std::vector<int64_t>> groups;
  for (const auto& entry : root) groups[find(entry.first)].push_back(entry.first);
  GroupList list;
  for (auto& entry : groups) list.push_back(std::move(entry.second));
  return list;
}

Result<Permutation> read_pairs(const KernelRequest& request, const OpReader& op) {
  SHARDY_TRY(const auto pairs,
             op.at_op(ir::process_pairs(request.module, request.op, counts_of(request.grid))));
  Permutation permutation;
  for (const auto& [source, target] : pairs) permutation.source_of.emplace(target, source);
  permutation.groups = connected(permutation.source_of);
  return permutation;
}

/// By rank of a group of devices: the rank that it gets something from, -1 if there is none.
std::vector<int64_t> sources_in(const std::vector<int64_t>& devices,
                                const std::map<int64_t, int64_t>& source_of) {
  std::vector<int64_t> sources;
  for (const int64_t device : devices) {
    const auto source = source_of.find(device);
    sources.push_back(source == source_of.end()
                          ? -1
                          : std::ranges::find(devices, source->second) - devices.begin());
  }
  return sources;
}

}  // namespace

Result<Collective> make_grid_permute(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  SHARDY_TRY(Permutation permutation, read_pairs(request, op));
  GroupList groups = permutation.groups;
  add_outsiders(groups, request.grid.size());
  std::vector<std::vector<int64_t>> sources;
  for (const auto& group : groups) sources.push_back(sources_in(group, permutation.source_of));
  Collective collective = on_groups(request, std::move(groups), [sources](const Gathered& group) {
    return permute(group.by_rank, sources[static_cast<std::size_t>(group.leader)]);
  });
  collective.sources = [sources =
                            std::move(sources)](int64_t leader) -> Result<std::vector<int64_t>> {
    return sources[static_cast<std::size_t>(leader)];
  };
  return collective;
}

}  // namespace shardy::simulation
