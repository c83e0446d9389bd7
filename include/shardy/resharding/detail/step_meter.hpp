#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
#include <span>
#include <vector>

namespace shardy::detail {

/// Adds up what the exchanges of one step cost.
class StepMeter {
 public:
  StepMeter(const TensorSize& tensor, const TensorSharding& from, const CostModel& model)
      : tensor_(tensor),
        from_(from),
        links_(from.mesh(), model),
        local_(from.local_shape(tensor.shape)) {
    for (const DimSharding& dim : from.dims()) shards_.push_back(dim.sharded_size());
  }

  /// The cost of the exchanges, without what goes along each mesh axis. Cost: constant in the
  /// number of devices where Links::permute is.
  const links::Exchange& exchanges(const ReshardStep& step) { return exchanges(step, nullptr); }
  StepCost measure(const ReshardStep& step);

 private:
  double bytes() const {
    return static_cast<double>(product(local_)) * static_cast<double>(tensor_.element_bytes);
  }
  void split(std::size_t dim, AxisSpan axes) {
    SHARDY_EXPECTS(dim < shards_.size());
    set_shards(dim, shards_[dim] * sharding_size(axes));
  }
  void join(std::size_t dim, AxisSpan axes) {
    SHARDY_EXPECTS(dim < shards_.size());
    set_shards(dim, shards_[dim] / sharding_size(axes));
  }
  void set_shards(std::size_t dim, int64_t shards) {
    SHARDY_EXPECTS(dim < shards_.size());
    shards_[dim] = shards;
    local_[dim] = ceil_div(tensor_.shape[dim], shards);
  }
  /// Returns the bytes of the dim padded to equal blocks along `axes`.
  double padded_bytes(std::size_t dim, AxisSpan axes) const {
    SHARDY_EXPECTS(dim < shards_.size());
    const int64_t parts = sharding_size(axes);
    const int64_t block = ceil_div(tensor_.shape[dim], shards_[dim] * parts);
    std::vector<int64_t> padded = local_;
    padded[dim] = std::max(local_[dim], parts * block);
    return static_cast<double>(product(padded)) * static_cast<double>(tensor_.element_bytes);
  }
  const links::Exchange& exchanges(const ReshardStep& step, std::vector<double>* loads);
  void lists(const ReshardStep& step, std::vector<double>* loads);
  void exchange(const AllToAllMove& move, std::vector<double>* loads) {
    const auto target = static_cast<std::size_t>(move.target);
    cost_.add(links_.all_to_all(padded_bytes(target, move.axes), move.axes, loads));
    join(static_cast<std::size_t>(move.source), move.axes);
    split(target, move.axes);
  }

  TensorSize tensor_;
  const TensorSharding& from_;
  links::Links links_;
  std::vector<int64_t> local_;
  std::vector<int64_t> shards_;
  links::Exchange cost_;
};

/// An exchange and what it loads each axis with, in the units of a user.
StepCost priced(const links::Exchange& exchange, std::span<const double> loads);

/// The loads of all steps of a plan.
links::Exchange plan_exchanges(const TensorSize& tensor, const TensorSharding& from,
                               std::span<const ReshardStep> steps, const CostModel& model);

}  // namespace shardy::detail

#ifdef SHARDY_BODIES
#include <cmath>
#include <limits>

namespace shardy::detail {

SHARDY_INLINE void StepMeter::lists(const ReshardStep& step, std::vector<double>* loads) {
  for (std::size_t i = 0; i < step.dim_axes.size(); ++i) {
    const bool gathers = step.kind == StepKind::AllGather;
    // Gathers begin at the last dim, as they are lowered.
    const std::size_t dim = gathers ? step.dim_axes.size() - 1 - i : i;
    const AxisList& axes = step.dim_axes[dim];
    if (axes.empty()) continue;
    if (gathers) cost_.add(links_.all_gather(bytes(), axes, loads));
    if (step.kind == StepKind::ReduceScatter) {
      cost_.add(links_.reduce_scatter(padded_bytes(dim, axes), axes, loads));
    }
    const bool joins = gathers || step.kind == StepKind::ShardedToUnreduced;
    if (joins) join(dim, axes);
    if (!joins) split(dim, axes);
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

/// Permuting all-to-alls and gathers along several dims write their result twice.
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
    for (const AllToAllMove& move : step.params) exchange(move, loads);
  }
  if (cost_.bytes == 0) cost_ = {};
  return cost_;
}

SHARDY_INLINE StepCost priced(const links::Exchange& exchange, std::span<const double> loads) {
  // Costs saturate at the limit of int64.
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

}  // namespace shardy::detail
#endif  // SHARDY_BODIES
