// StableHLO collectives that hand on elements as they are. Spec: stablehlo 31.3.
#include <algorithm>
#include <map>
#include <utility>

#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/stablehlo_collective.hpp"

namespace shardy::simulation {
namespace {

Tensors column(ByRank by_rank, std::size_t operand) {
  Tensors tensors;
  for (const Tensors& operands : by_rank) tensors.push_back(operands[operand]);
  return tensors;
}

// ---- all_gather, all_to_all --------------------------------------------------------------------

Result<Exchanged> join_all(ByRank by_rank, std::size_t dim, const std::vector<ir::Type>& types) {
  const int64_t sent = bytes_of(by_rank[0]) * (std::ssize(by_rank) - 1);
  Tensors all;
  for (std::size_t operand = 0; operand < types.size(); ++operand) {
    SHARDY_TRY(Tensor joined, concatenate(column(by_rank, operand), dim, types[operand]));
    all.push_back(std::move(joined));
  }
  return Exchanged{std::vector<Tensors>(by_rank.size(), all),
                   std::vector<int64_t>(by_rank.size(), sent)};
}

Result<Collective> make_grid_all_gather(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  SHARDY_TRY(const int64_t dim, op.dim("all_gather_dim", op.operand().rank()));
  SHARDY_TRY(const GroupForm form, reduction_form(op));
  SHARDY_TRY(GroupList groups, read_groups(request, op, form));
  const auto place = static_cast<std::size_t>(dim);
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const int64_t part = op.operand(index).dim(place);
    const int64_t whole = op.result(index).dim(place);
    if (part == 0 && whole == 0) continue;
    SHARDY_TRY_STATUS(expect_group_sizes(op, groups, times(whole, part).value_or(-1)));
  }
  return on_groups(request, std::move(groups),
                   [place, types = result_types(op)](ByRank by_rank, int64_t) {
                     return join_all(by_rank, place, types);
                   });
}

struct AllToAll {
  std::size_t split = 0;
  std::size_t concat = 0;
  std::vector<ir::Type> types;
};

Result<Exchanged> exchange_blocks(ByRank by_rank, const AllToAll& plan) {
  const int64_t num_ranks = std::ssize(by_rank);
  const int64_t sent = fraction_of(bytes_of(by_rank[0]), num_ranks - 1, num_ranks);
  Exchanged out{std::vector<Tensors>(by_rank.size()), std::vector<int64_t>(by_rank.size(), sent)};
  for (std::size_t operand = 0; operand < plan.types.size(); ++operand) {
    for (int64_t rank = 0; rank < num_ranks; ++rank) {
      Tensors blocks;
      for (const Tensors& sender : by_rank) {
        SHARDY_TRY(Tensor block, block_of(sender[operand], plan.split, num_ranks, rank));
        blocks.push_back(std::move(block));
      }
      SHARDY_TRY(Tensor joined, concatenate(blocks, plan.concat, plan.types[operand]));
      out.results[static_cast<std::size_t>(rank)].push_back(std::move(joined));
    }
  }
  return out;
}

Result<Collective> make_grid_all_to_all(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  SHARDY_TRY(const int64_t split, op.dim("split_dimension", op.operand().rank()));
  SHARDY_TRY(const int64_t concat, op.dim("concat_dimension", op.operand().rank()));
  SHARDY_TRY(const int64_t count, op.integer("split_count"));
  SHARDY_TRY(GroupList groups, read_groups(request, op, movement_form(op)));
  const bool fits =
      std::ranges::all_of(groups, [&](const auto& group) { return std::ssize(group) == count; });
  SHARDY_TRY_STATUS(
      op.expect(fits, "group size of replica_groups must be " + std::to_string(count)));
  const AllToAll plan{static_cast<std::size_t>(split), static_cast<std::size_t>(concat),
                      result_types(op)};
  return on_groups(request, std::move(groups),
                   [plan](ByRank by_rank, int64_t) { return exchange_blocks(by_rank, plan); });
}

// ---- collective_broadcast ----------------------------------------------------------------------

Result<Collective> make_collective_broadcast(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  const bool is_dynamic = request.module.attributes(request.op).contains("has_dynamic_root");
  SHARDY_TRY(const std::size_t count, num_data_operands(op, is_dynamic));
  SHARDY_TRY(GroupList groups, read_groups(request, op, movement_form(op)));
  const int64_t num_groups = std::ssize(groups);
  add_outsiders(groups, request.grid.size());
  Exchange exchange = [count, is_dynamic, num_groups, types = result_types(op)](
                          ByRank by_rank, int64_t leader) -> Result<Exchanged> {
    SHARDY_TRY(Tensors values, zeros(types));
    std::vector<int64_t> sent(by_rank.size(), 0);
    if (leader < num_groups) {
      SHARDY_TRY(const std::vector<std::size_t> roots, roots_of(by_rank, count, is_dynamic));
      for (std::size_t index = 0; index < count; ++index) {
        values[index] = by_rank[roots[index]][index];
        sent[roots[index]] += values[index].num_bytes() * (std::ssize(by_rank) - 1);
      }
    }
    return Exchanged{std::vector<Tensors>(by_rank.size(), values), std::move(sent)};
  };
  return on_groups(request, std::move(groups), std::move(exchange));
}

// ---- collective_permute ------------------------------------------------------------------------

/// Sources and targets as devices.
struct Permutation {
  GroupList groups;                      // those that exchange anything, directly or not
  std::map<int64_t, int64_t> source_of;  // of each target
};

/// The devices that chains of pairs connect: nobody waits for a device that it has nothing from.
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
  SHARDY_TRY(const auto* const pairs, op.attribute<ir::Literal>("source_target_pairs"));
  const ir::Type& type = pairs->type();
  SHARDY_TRY_STATUS(
      op.expect(type.rank() == 2 && type.dim(1) == 2 && type.element() == ir::ElementType::I64,
                "`source_target_pairs` needs pairs"));
  GroupList rows(2);
  for (int64_t index = 0; index < pairs->num_elements(); ++index) {
    rows[static_cast<std::size_t>(index % 2)].push_back(pairs->at<int64_t>(index));
  }
  SHARDY_TRY(const GroupList devices,
             op.at_op(expand_groups(movement_form(op), rows, request.grid)));
  Permutation permutation;
  const std::size_t half = devices.size() / 2;  // groups of sources, then those of targets
  for (std::size_t group = 0; group < half; ++group) {
    for (std::size_t pair = 0; pair < devices[group].size(); ++pair) {
      const int64_t target = devices[half + group][pair];
      SHARDY_TRY_STATUS(
          op.expect(permutation.source_of.emplace(target, devices[group][pair]).second,
                    "duplicate targets not allowed"));
    }
  }
  permutation.groups = connected(permutation.source_of);
  return permutation;
}

Result<Collective> make_collective_permute(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  SHARDY_TRY(Permutation permutation, read_pairs(request, op));
  GroupList groups = permutation.groups;
  add_outsiders(groups, request.grid.size());
  Exchange exchange = [groups, sources = std::move(permutation.source_of),
                       types = result_types(op)](ByRank by_rank,
                                                 int64_t leader) -> Result<Exchanged> {
    SHARDY_TRY(const Tensors nothing, zeros(types));
    const std::vector<int64_t>& devices = groups[static_cast<std::size_t>(leader)];
    Exchanged out{std::vector<Tensors>(by_rank.size(), nothing),
                  std::vector<int64_t>(by_rank.size(), 0)};
    for (std::size_t rank = 0; rank < devices.size(); ++rank) {
      const auto source = sources.find(devices[rank]);
      if (source == sources.end()) continue;
      const auto from =
          static_cast<std::size_t>(std::ranges::find(devices, source->second) - devices.begin());
      out.results[rank] = by_rank[from];
      if (from != rank) out.bytes_sent[from] += bytes_of(by_rank[from]);
    }
    return out;
  };
  return on_groups(request, std::move(groups), std::move(exchange));
}

constexpr StablehloCollectiveRow kMovements[] = {
    {ir::OpKind::AllGather, &make_grid_all_gather},
    {ir::OpKind::AllToAll, &make_grid_all_to_all},
    {ir::OpKind::CollectiveBroadcast, &make_collective_broadcast},
    {ir::OpKind::CollectivePermute, &make_collective_permute},
};

}  // namespace

std::span<const StablehloCollectiveRow> stablehlo_movements() { return kMovements; }

}  // namespace shardy::simulation
