// The cost of a reshard step: of the collectives into which it is lowered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/resharding/detail/nesting.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <span>
#include <vector>

namespace shardy::detail {

/// A meter that sums the costs of the collectives of one step.
class StepMeter {
 public:
  StepMeter(const TensorSize& tensor, const TensorSharding& from, const CostModel& model)
      : tensor_(tensor),
        from_(from),
        links_(from.mesh(), model),
        local_(from.local_shape(tensor.shape)) {
    for (const DimSharding& dim : from.dims()) {
      shards_.push_back(dim.sharded_size());
      axes_.push_back(dim.axes);
    }
  }

  /// Returns the cost of the collectives of a step, without the loads of mesh axes. Cost: constant
  /// in the number of devices if Links::permute is.
  const links::Exchange& exchanges(const ReshardStep& step) { return exchanges(step, nullptr); }
  StepCost measure(const ReshardStep& step);

 private:
  double row_bytes(std::size_t dim) const;
  double bytes() const {
    return static_cast<double>(product(local_)) * static_cast<double>(tensor_.element_bytes);
  }
  void split(std::size_t dim, AxisSpan axes);
  void join(std::size_t dim, AxisSpan axes);
  void set_shards(std::size_t dim, int64_t shards) {
    shards_[dim] = shards;
    local_[dim] = ceil_div(tensor_.shape[dim], shards);
  }
  const links::Exchange& exchanges(const ReshardStep& step, std::vector<double>* loads);
  void lists(const ReshardStep& step, std::vector<double>* loads);
  void fit(std::size_t dim, const Nesting& nesting, std::vector<double>* loads);
  Nesting widening(std::size_t dim, AxisSpan axes) const {
    return plan_widening(tensor_.shape[dim], shards_[dim], sharding_size(axes));
  }
  Nesting nesting(std::size_t dim, AxisSpan axes) const {
    const int64_t parts = sharding_size(axes);
    return plan_nesting(tensor_.shape[dim], shards_[dim] / parts, parts);
  }
  void gather(std::size_t dim, AxisSpan axes, std::vector<double>* loads);
  void slice(std::size_t dim, AxisSpan axes, std::vector<double>* loads);
  void scatter(std::size_t dim, AxisSpan axes, std::vector<double>* loads);
  void exchange(const AllToAllMove& move, AxisSpan arrived, std::vector<double>* loads);

  TensorSize tensor_;
  const TensorSharding& from_;
  links::Links links_;
  std::vector<int64_t> local_;
  std::vector<int64_t> shards_;
  AxisLists axes_;  // axes of each dim
  links::Exchange cost_;
};

/// Converts the cost of collectives and the loads of axes to the units of StepCost.
StepCost priced(const links::Exchange& exchange, std::span<const double> loads);

/// Returns the cost of the collectives of all steps of a plan.
links::Exchange plan_exchanges(const TensorSize& tensor, const TensorSharding& from,
                               std::span<const ReshardStep> steps, const CostModel& model);

}  // namespace shardy::detail

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace shardy::detail {

SHARDY_INLINE double StepMeter::row_bytes(std::size_t dim) const {
  auto bytes = static_cast<double>(tensor_.element_bytes);
  for (std::size_t other = 0; other < local_.size(); ++other) {
    if (other != dim) bytes *= static_cast<double>(local_[other]);
  }
  return bytes;
}

SHARDY_INLINE void StepMeter::split(std::size_t dim, AxisSpan axes) {
  set_shards(dim, shards_[dim] * sharding_size(axes));
  for (const AxisRef& ref : axes) append_or_merge(axes_[dim], ref);
}

SHARDY_INLINE void StepMeter::join(std::size_t dim, AxisSpan axes) {
  set_shards(dim, shards_[dim] / sharding_size(axes));
  axes_[dim] = set_difference(axes_[dim], axes);
}

/// Adds the exchange after which the shards of the dim nest.
SHARDY_INLINE void StepMeter::fit(std::size_t dim, const Nesting& nesting,
                                  std::vector<double>* loads) {
  links::ShardedDim fitted{row_bytes(dim), local_[dim], axes_[dim]};
  cost_.add(links::nesting_cost(links_, from_.mesh(), nesting, fitted, loads));
  local_[dim] = fitted.length;
}

SHARDY_INLINE void StepMeter::gather(std::size_t dim, AxisSpan axes, std::vector<double>* loads) {
  const Nesting nested = nesting(dim, axes);
  fit(dim, nested, loads);
  if (nested.kind != Nesting::Kind::Whole) cost_.add(links_.all_gather(bytes(), axes, loads));
  join(dim, axes);
}

SHARDY_INLINE void StepMeter::slice(std::size_t dim, AxisSpan axes, std::vector<double>* loads) {
  fit(dim, widening(dim, axes), loads);
  split(dim, axes);
}

SHARDY_INLINE void StepMeter::scatter(std::size_t dim, AxisSpan axes, std::vector<double>* loads) {
  const Nesting wider = widening(dim, axes);
  if (wider.kind == Nesting::Kind::Whole) {
    cost_.add(links_.all_reduce(bytes(), axes, loads));
    slice(dim, axes, loads);
    return;
  }
  fit(dim, wider, loads);
  cost_.add(links_.reduce_scatter(bytes(), axes, loads));
  split(dim, axes);
}

SHARDY_INLINE void StepMeter::exchange(const AllToAllMove& move, AxisSpan arrived,
                                       std::vector<double>* loads) {
  const auto source = static_cast<std::size_t>(move.source);
  const auto target = static_cast<std::size_t>(move.target);
  SHARDY_EXPECTS(source < shards_.size() && target < shards_.size());
  const Nesting nested = nesting(source, move.axes);
  if (nested.kind == Nesting::Kind::Whole) {
    gather(source, move.axes, loads);
    slice(target, arrived, loads);
    return;
  }
  fit(source, nested, loads);
  const Nesting wider = widening(target, move.axes);
  fit(target, wider, loads);
  const int64_t parts = sharding_size(move.axes);
  local_[target] = parts * ceil_div(tensor_.shape[target], shards_[target] * parts);
  cost_.add(links_.all_to_all(bytes(), move.axes, loads));
  join(source, move.axes);
  split(target, arrived);
}

SHARDY_INLINE void StepMeter::lists(const ReshardStep& step, std::vector<double>* loads) {
  for (std::size_t i = 0; i < step.dim_axes.size(); ++i) {
    const bool gathers = step.kind == StepKind::AllGather;
    // The lowering gathers the last dim first.
    const std::size_t dim = gathers ? step.dim_axes.size() - 1 - i : i;
    const AxisList& axes = step.dim_axes[dim];
    if (axes.empty()) continue;
    SHARDY_EXPECTS(dim < shards_.size());
    switch (step.kind) {
      case StepKind::AllGather:
        gather(dim, axes, loads);
        break;
      case StepKind::ReduceScatter:
        scatter(dim, axes, loads);
        break;
      case StepKind::ShardedToUnreduced:
        if (nesting(dim, axes).kind == Nesting::Kind::Nested) {
          join(dim, axes);  // no communication: a shard becomes a partial value in place
        } else {
          gather(dim, axes, loads);
        }
        break;
      default:
        slice(dim, axes, loads);
    }
  }
}

SHARDY_INLINE links::Exchange plan_exchanges(const TensorSize& tensor, const TensorSharding& from,
                                             std::span<const ReshardStep> steps,
                                             const CostModel& model) {
  links::Exchange all;
  const TensorSharding* here = &from;
  for (const ReshardStep& step : steps) {
    all.add(StepMeter(tensor, *here, model).exchanges(step));
    here = &step.out;
  }
  return all;
}

/// Checks whether a step needs a scratch buffer as large as its result: all-to-alls with a
/// permutation, and all-gathers along several dims.
SHARDY_INLINE bool has_scratch(const TensorSharding& from, const ReshardStep& step) {
  if (step.kind == StepKind::AllGather) {
    return std::ranges::count_if(step.dim_axes,
                                 [](const AxisList& list) { return !list.empty(); }) > 1;
  }
  const auto permutes = [&](const AllToAllMove& move) {
    AxisList expected = from.dim(static_cast<std::size_t>(move.target)).axes;
    for (const AxisRef& ref : move.axes) append_or_merge(expected, ref);
    return step.out.dim(static_cast<std::size_t>(move.target)).axes != expected;
  };
  return std::ranges::any_of(step.params, permutes);
}

SHARDY_INLINE const links::Exchange& StepMeter::exchanges(const ReshardStep& step,
                                                          std::vector<double>* loads) {
  if (step.kind == StepKind::CollectivePermute) {
    cost_.add(links_.permute(bytes(), from_, step.out, loads));
  } else if (step.kind == StepKind::AllReduce) {
    cost_.add(links_.all_reduce(bytes(), step.axes, loads));
  } else {
    lists(step, loads);
    for (const AllToAllMove& move : step.params) {
      const auto target = static_cast<std::size_t>(move.target);
      SHARDY_EXPECTS(target < axes_.size());
      exchange(move, set_difference(step.out.dim(target).axes, axes_[target]), loads);
    }
  }
  if (cost_.bytes == 0) cost_ = {};
  return cost_;
}

SHARDY_INLINE StepCost priced(const links::Exchange& exchange, std::span<const double> loads) {
  // Costs saturate at the largest int64.
  const auto ceil = [](double value) {
    constexpr auto kMost = std::numeric_limits<int64_t>::max();
    return value < static_cast<double>(kMost) ? static_cast<int64_t>(std::ceil(value)) : kMost;
  };
  StepCost cost{.bytes = ceil(exchange.bytes),
                .axis_bytes = {},
                .messages = exchange.messages,
                .seconds = exchange.time / links::kFemtoseconds};
  for (const double load : loads) cost.axis_bytes.push_back(ceil(load));
  return cost;
}

SHARDY_INLINE StepCost StepMeter::measure(const ReshardStep& step) {
  const int64_t before = local_bytes(tensor_, from_);
  std::vector<double> loads(from_.mesh().axes().size());
  exchanges(step, &loads);
  StepCost cost = priced(cost_, loads);
  cost.live_bytes = before;
  cost.result_bytes = local_bytes(tensor_, step.out);
  const int64_t copies =
      (step.kind != StepKind::AllReduce ? 1 : 0) + (has_scratch(from_, step) ? 1 : 0);
  for (int64_t i = 0; i < copies; ++i) {
    cost.live_bytes = saturating_add(cost.live_bytes, cost.result_bytes);
  }
  return cost;
}

/// Returns whether the mesh has all axes of the step.
SHARDY_INLINE bool has_axes_of(const Mesh& mesh, const ReshardStep& step) {
  const auto are_known = [&](const AxisList& axes) {
    return std::ranges::all_of(axes, [&](const AxisRef& ref) {
      return ref.axis >= 0 && ref.axis < mesh.num_axes() && ref.size >= 1;
    });
  };
  return are_known(step.axes) && std::ranges::all_of(step.dim_axes, are_known) &&
         std::ranges::all_of(step.params, are_known, &AllToAllMove::axes);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE StepCost step_cost(const TensorSize& tensor, const TensorSharding& from,
                                 const ReshardStep& step, const CostModel& model) {
  SHARDY_EXPECTS(from.rank() == 0 || from.rank() == tensor.shape.size());
  SHARDY_EXPECTS(step.out.rank() == from.rank());
  SHARDY_EXPECTS(step.out.mesh().num_axes() == from.mesh().num_axes());
  SHARDY_EXPECTS(detail::has_axes_of(from.mesh(), step));
  SHARDY_EXPECTS(check_costs(model).has_value());
  return detail::StepMeter(tensor, from, model).measure(step);
}

SHARDY_INLINE StepCost exchange_cost(StepKind kind, int64_t bytes, const Mesh& mesh, AxisSpan axes,
                                     const CostModel& model) {
  for (const AxisRef& axis : axes) {
    SHARDY_EXPECTS(axis.axis >= 0 && axis.axis < mesh.num_axes());
  }
  SHARDY_EXPECTS(bytes >= 0 && check_costs(model).has_value());
  SHARDY_EXPECTS(kind == StepKind::AllGather || kind == StepKind::AllToAll ||
                 kind == StepKind::ReduceScatter || kind == StepKind::AllReduce);
  const links::Links links(mesh, model);
  const auto held = static_cast<double>(bytes);
  std::vector<double> loads(mesh.axes().size());
  switch (kind) {
    case StepKind::AllGather:
      return detail::priced(links.all_gather(held, axes, &loads), loads);
    case StepKind::AllToAll:
      return detail::priced(links.all_to_all(held, axes, &loads), loads);
    case StepKind::ReduceScatter:
      return detail::priced(links.reduce_scatter(held, axes, &loads), loads);
    default:
      return detail::priced(links.all_reduce(held, axes, &loads), loads);
  }
}

SHARDY_INLINE StepCost permute_cost(int64_t bytes, const Mesh& mesh,
                                    std::span<const int64_t> targets, const CostModel& model) {
  SHARDY_EXPECTS(static_cast<int64_t>(targets.size()) == mesh.num_devices());
  for (const int64_t target : targets) SHARDY_EXPECTS(target >= 0 && target < mesh.num_devices());
  SHARDY_EXPECTS(bytes >= 0 && check_costs(model).has_value());
  std::vector<double> loads(mesh.axes().size());
  const links::Links links(mesh, model);
  return detail::priced(links.permute(static_cast<double>(bytes), mesh, targets, &loads), loads);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
