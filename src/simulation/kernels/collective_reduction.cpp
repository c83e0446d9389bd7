// StableHLO collectives that fold elements of all members. Spec: stablehlo 31.3.
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "shardy/ir/collective_ops.hpp"
#include "simulation/kernels/collective_grid.hpp"
#include "simulation/kernels/convert.hpp"

namespace shardy::simulation {
namespace {

/// Values from outside that the region of one rank uses.
using Captured = std::span<const Tensor>;
/// Operands of all members, in the order of devices; the reduced ones.
using Reduce =
    std::function<Result<Tensors>(ByRank by_device, ThreadPool* pool, Captured captured)>;

using ReducingExchange = std::function<Result<Exchanged>(const Gathered& group, Captured captured)>;

/// The operands of the ranks, without captured values.
struct Brought {
  std::vector<Tensors> operands;
  std::vector<Tensors> captured;

  Brought(ByRank by_rank, std::size_t num_captured) {
    for (const Tensors& all : by_rank) {
      const auto end = all.end() - static_cast<std::ptrdiff_t>(num_captured);
      operands.emplace_back(all.begin(), end);
      captured.emplace_back(end, all.end());
    }
  }
};

/// Each rank folds with the values that it sees itself; those that see the same fold once.
Result<Exchanged> fold_by_captured(const ReducingExchange& exchange, const Brought& brought,
                                   const Gathered& group) {
  Exchanged out;
  std::vector<std::shared_ptr<const Exchanged>> runs;
  for (std::size_t rank = 0; rank < brought.operands.size(); ++rank) {
    const auto same = static_cast<std::size_t>(
        std::ranges::find(brought.captured, brought.captured[rank]) - brought.captured.begin());
    if (same < rank) {
      runs.push_back(runs[same]);
    } else {
      SHARDY_TRY(Exchanged run,
                 exchange({brought.operands, group.leader, group.pool}, brought.captured[rank]));
      runs.push_back(std::make_shared<const Exchanged>(std::move(run)));
    }
    out.results.push_back(runs.back()->results[rank]);
    out.bytes_sent.push_back(runs.back()->bytes_sent[rank]);
  }
  return out;
}

Collective reducing(const KernelRequest& request, GroupList groups, ReducingExchange exchange) {
  const std::size_t num_captured = request.captured.size();
  return on_groups(request, std::move(groups),
                   [exchange = std::move(exchange), num_captured](const Gathered& group) {
                     if (num_captured == 0) return exchange(group, {});
                     return fold_by_captured(exchange, Brought(group.by_rank, num_captured), group);
                   });
}

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

/// The region of the op, for each operand by itself, which is converted to the type that the region
/// accumulates in.
Result<Reduce> region_reduce(const KernelRequest& request) {
  SHARDY_TRY(Fold fold, make_group_fold(request, 1));
  return [fold = std::move(fold)](ByRank by_device, ThreadPool* pool,
                                  Captured captured) -> Result<Tensors> {
    Tensors results;
    for (std::size_t operand = 0; operand < by_device[0].size(); ++operand) {
      std::vector<Tensors> values;
      for (const Tensors& operands : by_device) {
        SHARDY_TRY(Tensor value, converted(operands[operand], fold.accumulators()[0]));
        values.push_back({std::move(value)});
      }
      SHARDY_TRY(Tensors folded, fold_ranks(fold, values, pool, captured));
      results.push_back(std::move(folded[0]));
    }
    return results;
  };
}

Result<Reduce> sum_reduce(const OpReader& op) {
  const FoldLoop add = pick_fold_loop(ir::OpKind::Add, op.operand().element());
  if (!add) return op.unsupported_element(op.operand().element());
  return [add](ByRank by_device, ThreadPool* pool, Captured /*captured*/) -> Result<Tensors> {
    SHARDY_TRY(Tensor sum, fold_ranks(add, by_device, 0, pool));
    return Tensors{std::move(sum)};
  };
}

/// Reduces the first `count` operands of a group.
Result<Tensors> reduce_group(const Reduce& reduce, std::size_t count,
                             const std::vector<std::size_t>& order, const Gathered& group,
                             Captured captured) {
  std::vector<Tensors> by_device;
  by_device.reserve(order.size());
  for (const std::size_t rank : order) {
    const Tensors& operands = group.by_rank[rank];
    by_device.emplace_back(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return reduce(by_device, group.pool, captured);
}

}  // namespace

Result<Collective> make_grid_all_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const bool is_sum = request.module.is(request.op, ir::OpKind::CrossReplicaSum);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  SHARDY_TRY(Reduce reduce, is_sum ? sum_reduce(op) : region_reduce(request));
  ReducingExchange exchange = [reduce = std::move(reduce), orders = device_orders(groups)](
                                  const Gathered& group, Captured captured) -> Result<Exchanged> {
    SHARDY_TRY(const Tensors folded,
               reduce_group(reduce, group.by_rank[0].size(),
                            orders[static_cast<std::size_t>(group.leader)], group, captured));
    return all_reduce(group.by_rank.size(), bytes_of(group.by_rank[0]), folded);
  };
  return reducing(request, std::move(groups), std::move(exchange));
}

Result<Collective> make_grid_reduce_scatter(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const auto place = static_cast<std::size_t>(op.view<ir::ReduceScatterOp>().dim);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  const int64_t whole = op.operand().dim(place);
  const int64_t part = op.result().dim(place);
  if (whole != 0 || part != 0) {
    SHARDY_TRY_STATUS(expect_group_sizes(op, groups, times(whole, part).value_or(-1)));
  }
  SHARDY_TRY(Reduce reduce, region_reduce(request));
  ReducingExchange exchange = [reduce = std::move(reduce), orders = device_orders(groups), place](
                                  const Gathered& group, Captured captured) -> Result<Exchanged> {
    SHARDY_TRY(
        const Tensors folded,
        reduce_group(reduce, 1, orders[static_cast<std::size_t>(group.leader)], group, captured));
    return reduce_scatter(group.by_rank, folded, place);
  };
  return reducing(request, std::move(groups), std::move(exchange));
}

Result<Collective> make_grid_reduce(const KernelRequest& request) {
  SHARDY_TRY(const OpReader op, OpReader::make(request));
  const bool is_dynamic = has_dynamic_root(op);
  const std::size_t count = num_data_operands(op, is_dynamic);
  SHARDY_TRY(GroupList groups, read_groups(request, op));
  SHARDY_TRY(Reduce reduce, region_reduce(request));
  ReducingExchange exchange = [count, is_dynamic, reduce = std::move(reduce),
                               orders = device_orders(groups), types = result_types(op)](
                                  const Gathered& group, Captured captured) -> Result<Exchanged> {
    const ByRank by_rank = group.by_rank;
    SHARDY_TRY(const std::vector<std::size_t> roots, roots_of(by_rank, count, is_dynamic));
    SHARDY_TRY(const Tensors folded,
               reduce_group(reduce, count, orders[static_cast<std::size_t>(group.leader)], group,
                            captured));
    SHARDY_TRY(const Tensors nothing, zeros(types));
    Exchanged out{std::vector<Tensors>(by_rank.size(), nothing),
                  std::vector<int64_t>(by_rank.size(), bytes_of(by_rank[0]))};
    for (std::size_t index = 0; index < count; ++index) {
      out.results[roots[index]][index] = folded[index];
      out.bytes_sent[roots[index]] -= by_rank[0][index].num_bytes();
    }
    return out;
  };
  return reducing(request, std::move(groups), std::move(exchange));
}

}  // namespace shardy::simulation
