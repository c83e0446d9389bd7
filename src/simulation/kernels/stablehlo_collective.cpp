// StableHLO collectives on a grid of processes. Spec: stablehlo 31.3.
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "shardy/ir/number.hpp"
#include "simulation/kernels/collective.hpp"
#include "simulation/kernels/conversion.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/kernels/process_groups.hpp"

namespace shardy::simulation {
namespace {

using ByRank = std::span<const Tensors>;

std::vector<ir::Type> result_types(const OpReader& op) {
  std::vector<ir::Type> types;
  for (std::size_t index = 0; index < op.module().num_results(op.op()); ++index) {
    types.push_back(op.result(index));
  }
  return types;
}

Result<GroupList> read_groups(const KernelRequest& request, const OpReader& op, GroupForm form) {
  SHARDY_TRY(const GroupList rows, group_rows(op, form, request.grid));
  SHARDY_TRY(GroupList groups, op.at_op(expand_groups(form, rows, request.grid)));
  std::vector<int64_t> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  SHARDY_TRY_STATUS(op.expect(twice == all.end(), "a process is in two groups"));
  return groups;
}

Collective collective(const KernelRequest& request, GroupList groups, Exchange exchange) {
  return {request.module.kind(request.op), channel_of(request.module, request.op),
          MeetingGroups(std::move(groups)), std::move(exchange)};
}

/// Devices without a group, each as a group of its own behind the others.
void add_outsiders(GroupList& groups, int64_t num_devices) {
  std::vector<bool> is_inside(static_cast<std::size_t>(num_devices), false);
  for (const auto& group : groups) {
    for (const int64_t device : group) is_inside[static_cast<std::size_t>(device)] = true;
  }
  for (int64_t device = 0; device < num_devices; ++device) {
    if (!is_inside[static_cast<std::size_t>(device)]) groups.push_back({device});
  }
}

Result<Tensors> zeros(std::span<const ir::Type> types) {
  Tensors values;
  for (const ir::Type& type : types) {
    SHARDY_TRY(Tensor value, filled_tensor(type, Fill::Zero));
    values.push_back(std::move(value));
  }
  return values;
}

/// All groups have the size that the result types were written for.
Status expect_sizes(const OpReader& op, const GroupList& groups, int64_t size) {
  const bool fits =
      std::ranges::all_of(groups, [&](const auto& group) { return std::ssize(group) == size; });
  return op.expect(
      fits, "the groups do not have the size that the result types need, " + std::to_string(size));
}

/// How many times `part` the size `whole` is; nothing if it is no multiple.
std::optional<int64_t> times(int64_t whole, int64_t part) {
  if (part == 0 || whole % part != 0) return std::nullopt;
  return whole / part;
}

Tensors column(ByRank by_rank, std::size_t operand) {
  Tensors tensors;
  for (const Tensors& operands : by_rank) tensors.push_back(operands[operand]);
  return tensors;
}

// ---- all_gather, all_to_all --------------------------------------------------------------------

Result<Exchanged> gather(ByRank by_rank, std::size_t dim, const std::vector<ir::Type>& types) {
  const int64_t sent = bytes_of(by_rank[0]) * (std::ssize(by_rank) - 1);
  Tensors all;
  for (std::size_t operand = 0; operand < types.size(); ++operand) {
    SHARDY_TRY(Tensor joined, concatenate(column(by_rank, operand), dim, types[operand]));
    all.push_back(std::move(joined));
  }
  return Exchanged{std::vector<Tensors>(by_rank.size(), all),
                   std::vector<int64_t>(by_rank.size(), sent)};
}

Result<Collective> make_all_gather(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  SHARDY_TRY(const int64_t dim, op.dim("all_gather_dim", op.operand().rank()));
  SHARDY_TRY(const GroupForm form, reduction_form(op));
  SHARDY_TRY(GroupList groups, read_groups(request, op, form));
  const auto place = static_cast<std::size_t>(dim);
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    const int64_t part = op.operand(index).dim(place);
    const int64_t whole = op.result(index).dim(place);
    if (part == 0 && whole == 0) continue;
    SHARDY_TRY_STATUS(expect_sizes(op, groups, times(whole, part).value_or(-1)));
  }
  return collective(request, std::move(groups),
                    [place, types = result_types(op)](ByRank by_rank, int64_t) {
                      return gather(by_rank, place, types);
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

Result<Collective> make_all_to_all(const KernelRequest& request) {
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
  return collective(request, std::move(groups),
                    [plan](ByRank by_rank, int64_t) { return exchange_blocks(by_rank, plan); });
}

// ---- Reductions --------------------------------------------------------------------------------

/// Operands of all members, in the order of devices; the reduced ones.
using Reduce = std::function<Result<Tensors>(ByRank by_device)>;

/// By device: the rank of each member of each group. Spec: stablehlo 35 H12.
std::vector<std::vector<std::size_t>> device_orders(const GroupList& groups) {
  std::vector<std::vector<std::size_t>> orders;
  for (const auto& group : groups) {
    std::vector<std::size_t>& order = orders.emplace_back(group.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t rank) { return group[rank]; });
  }
  return orders;
}

Result<Tensor> converted(const Tensor& tensor, ir::ElementType element) {
  const ir::ElementType from = tensor.type().element();
  if (from == element) return tensor;
  const std::optional<Conversion> conversion = Conversion::pick(from, element);
  if (!conversion) return fail("element type is not supported");
  SHARDY_TRY(TensorWriter out, TensorWriter::make(tensor.type().with_element(element)));
  conversion->run(tensor.data(), out.data(), static_cast<std::size_t>(tensor.num_elements()));
  return std::move(out).finish();
}

/// The region of the op, for each operand by itself, which is converted to the type that the region
/// accumulates in.
Result<Reduce> region_reduce(const KernelRequest& request) {
  SHARDY_TRY(Fold fold, make_group_fold(request, 1));
  return [fold = std::move(fold)](ByRank by_device) -> Result<Tensors> {
    Tensors results;
    for (std::size_t operand = 0; operand < by_device[0].size(); ++operand) {
      std::vector<Tensors> values;
      for (const Tensors& operands : by_device) {
        SHARDY_TRY(Tensor value, converted(operands[operand], fold.accumulators()[0]));
        values.push_back({std::move(value)});
      }
      SHARDY_TRY(Tensors folded, fold_ranks(fold, values));
      results.push_back(std::move(folded[0]));
    }
    return results;
  };
}

Result<Reduce> sum_reduce(const OpReader& op) {
  const FoldLoop add = pick_fold_loop(ir::OpKind::Add, op.operand().element());
  if (!add) return op.unsupported_element(op.operand().element());
  return [add](ByRank by_device) -> Result<Tensors> {
    const Tensor& first = by_device[0][0];
    SHARDY_TRY(TensorWriter acc, TensorWriter::make(first.type()));
    std::ranges::copy(first.bytes(), acc.data());
    for (const Tensors& next : by_device.subspan(1)) {
      add(acc.data(), next[0].data(), static_cast<std::size_t>(first.num_elements()), false);
    }
    return Tensors{std::move(acc).finish()};
  };
}

/// Reduces the first `count` operands of a group.
Result<Tensors> reduce_group(const Reduce& reduce, std::size_t count,
                             const std::vector<std::size_t>& order, ByRank by_rank) {
  std::vector<Tensors> by_device;
  for (const std::size_t rank : order) {
    by_device.emplace_back(by_rank[rank].begin(),
                           by_rank[rank].begin() + static_cast<std::ptrdiff_t>(count));
  }
  return reduce(by_device);
}

Result<Collective> make_all_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  const bool is_sum = request.module.is(request.op, ir::OpKind::CrossReplicaSum);
  SHARDY_TRY(const GroupForm form, reduction_form(op));
  SHARDY_TRY(GroupList groups, read_groups(request, op, form));
  SHARDY_TRY(Reduce reduce, is_sum ? sum_reduce(op) : region_reduce(request));
  Exchange exchange = [reduce = std::move(reduce), orders = device_orders(groups)](
                          ByRank by_rank, int64_t leader) -> Result<Exchanged> {
    const int64_t num_ranks = std::ssize(by_rank);
    SHARDY_TRY(
        const Tensors folded,
        reduce_group(reduce, by_rank[0].size(), orders[static_cast<std::size_t>(leader)], by_rank));
    const int64_t sent = fraction_of(bytes_of(by_rank[0]), 2 * (num_ranks - 1), num_ranks);
    return Exchanged{std::vector<Tensors>(by_rank.size(), folded),
                     std::vector<int64_t>(by_rank.size(), sent)};
  };
  return collective(request, std::move(groups), std::move(exchange));
}

Result<Collective> make_reduce_scatter(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, 1, 1));
  SHARDY_TRY(const int64_t dim, op.dim("scatter_dimension", op.operand().rank()));
  const auto place = static_cast<std::size_t>(dim);
  SHARDY_TRY(const GroupForm form, reduction_form(op));
  SHARDY_TRY(GroupList groups, read_groups(request, op, form));
  const int64_t whole = op.operand().dim(place);
  const int64_t part = op.result().dim(place);
  if (whole != 0 || part != 0) {
    SHARDY_TRY_STATUS(expect_sizes(op, groups, times(whole, part).value_or(-1)));
  }
  SHARDY_TRY(Reduce reduce, region_reduce(request));
  Exchange exchange = [reduce = std::move(reduce), orders = device_orders(groups), place](
                          ByRank by_rank, int64_t leader) -> Result<Exchanged> {
    const int64_t num_ranks = std::ssize(by_rank);
    SHARDY_TRY(const Tensors folded,
               reduce_group(reduce, 1, orders[static_cast<std::size_t>(leader)], by_rank));
    const int64_t sent = fraction_of(bytes_of(by_rank[0]), num_ranks - 1, num_ranks);
    Exchanged out{{}, std::vector<int64_t>(by_rank.size(), sent)};
    SHARDY_TRY(const Tensors blocks, blocks_of(folded[0], place, num_ranks));
    for (const Tensor& block : blocks) out.results.push_back({block});
    return out;
  };
  return collective(request, std::move(groups), std::move(exchange));
}

// ---- Roots -------------------------------------------------------------------------------------

/// Which member each data operand comes from: the first, or as the last operand says.
Result<std::vector<std::size_t>> roots_of(ByRank by_rank, std::size_t num_data, bool is_dynamic) {
  std::vector<std::size_t> roots(num_data, 0);
  if (!is_dynamic) return roots;
  const Tensor& positions = by_rank[0].back();
  const std::size_t size = ir::size_bytes(positions.type().element());
  for (std::size_t index = 0; index < num_data; ++index) {
    const int64_t root =
        ir::decode_int(positions.bytes().subspan(index * size, size), positions.type().element());
    if (root < 0 || root >= std::ssize(by_rank)) {
      return fail("root " + std::to_string(root) + " is no position in a group of " +
                  std::to_string(by_rank.size()));
    }
    roots[index] = static_cast<std::size_t>(root);
  }
  return roots;
}

Result<std::size_t> num_data_operands(const OpReader& op, bool is_dynamic) {
  const std::size_t extra = is_dynamic ? 1 : 0;
  SHARDY_TRY_STATUS(op.expect(op.num_operands() > extra, "needs an operand with data"));
  const std::size_t count = op.num_operands() - extra;
  const bool fits = !is_dynamic || (op.operand(count).rank() == 1 &&
                                    op.operand(count).dim(0) == static_cast<int64_t>(count) &&
                                    ir::is_integer(op.operand(count).element()));
  SHARDY_TRY_STATUS(op.expect(fits, "needs one root per operand with data"));
  SHARDY_TRY_STATUS(op.expect(op.module().num_results(op.op()) == count,
                              "needs as many results as operands with data"));
  return count;
}

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
  return collective(request, std::move(groups), std::move(exchange));
}

Result<Collective> make_collective_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request, std::nullopt, std::nullopt));
  const bool is_dynamic = request.module.attributes(request.op).contains("has_dynamic_root");
  SHARDY_TRY(const std::size_t count, num_data_operands(op, is_dynamic));
  SHARDY_TRY(const GroupForm form, reduction_form(op));
  SHARDY_TRY(GroupList groups, read_groups(request, op, form));
  SHARDY_TRY(Reduce reduce, region_reduce(request));
  Exchange exchange = [count, is_dynamic, reduce = std::move(reduce),
                       orders = device_orders(groups), types = result_types(op)](
                          ByRank by_rank, int64_t leader) -> Result<Exchanged> {
    SHARDY_TRY(const std::vector<std::size_t> roots, roots_of(by_rank, count, is_dynamic));
    SHARDY_TRY(const Tensors folded,
               reduce_group(reduce, count, orders[static_cast<std::size_t>(leader)], by_rank));
    SHARDY_TRY(const Tensors nothing, zeros(types));
    Exchanged out{std::vector<Tensors>(by_rank.size(), nothing),
                  std::vector<int64_t>(by_rank.size(), bytes_of(by_rank[0]))};
    for (std::size_t index = 0; index < count; ++index) {
      out.results[roots[index]][index] = folded[index];
      out.bytes_sent[roots[index]] -= by_rank[0][index].num_bytes();
    }
    return out;
  };
  return collective(request, std::move(groups), std::move(exchange));
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
  return collective(request, std::move(groups), std::move(exchange));
}

// ---- Table -------------------------------------------------------------------------------------

struct CollectiveRow {
  ir::OpKind kind;
  CollectiveMaker make;
};
constexpr CollectiveRow kStablehloCollectiveRows[] = {
    {ir::OpKind::AllGather, &make_all_gather},
    {ir::OpKind::AllReduce, &make_all_reduce},
    {ir::OpKind::AllToAll, &make_all_to_all},
    {ir::OpKind::CollectiveBroadcast, &make_collective_broadcast},
    {ir::OpKind::CollectivePermute, &make_collective_permute},
    {ir::OpKind::CollectiveReduce, &make_collective_reduce},
    {ir::OpKind::CrossReplicaSum, &make_all_reduce},
    {ir::OpKind::ReduceScatter, &make_reduce_scatter},
};

}  // namespace

CollectiveMaker find_stablehlo_collective(ir::OpKind kind) {
  const auto* const row = std::ranges::find(kStablehloCollectiveRows, kind, &CollectiveRow::kind);
  return row == std::end(kStablehloCollectiveRows) ? nullptr : row->make;
}

}  // namespace shardy::simulation
