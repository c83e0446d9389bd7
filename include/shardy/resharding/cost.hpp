#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <shardy/resharding/permute.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/math.hpp>
#include <span>
#include <vector>

namespace shardy {

/// Elements of the local buffers; 0 if a dim is dynamic, the largest int64 if there are more.
inline int64_t local_elements(std::span<const int64_t> shape, const TensorSharding& sharding) {
  if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) return 0;
  return checked_product(sharding.local_shape(shape)).value_or(std::numeric_limits<int64_t>::max());
}

namespace detail {

inline int64_t saturating_mul(int64_t a, int64_t b) {
  return checked_mul(a, b).value_or(std::numeric_limits<int64_t>::max());
}

/// Devices that take part in one exchange of the step.
inline int64_t group_size(const ReshardStep& step) {
  AxisList axes = flatten(step.dim_axes);
  append(axes, step.axes);
  for (const AllToAllParam& param : step.params) append(axes, param.axes);
  return sharding_size(axes);
}

/// Elements of one of the blocks into which each device cuts its buffer, padded where it is uneven.
inline int64_t block_elements(std::span<const int64_t> shape, const TensorSharding& from,
                              const ReshardStep& step) {
  if (local_elements(shape, from) == 0) return 0;
  std::vector<int64_t> block = from.local_shape(shape);
  for (const AllToAllParam& param : step.params) {
    int64_t& size = block[static_cast<std::size_t>(param.target)];
    size = ceil_div(size, sharding_size(param.axes));
  }
  for (std::size_t dim = 0; dim < step.dim_axes.size(); ++dim) {
    block[dim] = ceil_div(block[dim], sharding_size(step.dim_axes[dim]));
  }
  return checked_product(block).value_or(std::numeric_limits<int64_t>::max());
}

}  // namespace detail

/// Elements that each device sends in `step`, where every device reaches every other one directly;
/// of uneven dims, with their padding. Multiply by the size of an element for bytes.
/// Requires: `step` is legal on `from`. Spec: resharding C.1, the column "full".
inline int64_t elements_sent(std::span<const int64_t> shape, const TensorSharding& from,
                             const ReshardStep& step) {
  const int64_t local = local_elements(shape, from);
  const int64_t members = detail::group_size(step);
  switch (step.kind) {
    case StepKind::AllGather:
      return detail::saturating_mul(local, members - 1);
    case StepKind::AllToAll:
    case StepKind::ReduceScatter:
      return detail::saturating_mul(detail::block_elements(shape, from, step), members - 1);
    case StepKind::AllReduce:
      return detail::saturating_mul(2, local - local / members);
    case StepKind::CollectivePermute:
      return permute_moves(from, step.out) ? local : 0;
    case StepKind::AllSlice:
    case StepKind::ShardedToUnreduced:
    case StepKind::ReplicatedToUnreduced:
      return 0;
  }
  return 0;
}

/// What a plan costs each device.
struct PlanCost {
  int64_t elements_sent = 0;
  int64_t num_messages = 0;      // steps that send something
  int64_t peak_elements = 0;     // operand and result of one step, at most
  int64_t largest_elements = 0;  // one buffer, at most

  friend bool operator==(const PlanCost&, const PlanCost&) = default;
};

/// Requires: verify_plan holds. Spec: resharding C.1.
inline PlanCost plan_cost(std::span<const int64_t> shape, const TensorSharding& from,
                          std::span<const ReshardStep> steps) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  PlanCost cost;
  cost.peak_elements = cost.largest_elements = local_elements(shape, from);
  const TensorSharding* here = &from;
  for (const ReshardStep& step : steps) {
    const int64_t sent = elements_sent(shape, *here, step);
    const int64_t before = local_elements(shape, *here);
    const int64_t after = local_elements(shape, step.out);
    cost.elements_sent = checked_add(cost.elements_sent, sent).value_or(kMax);
    cost.num_messages += sent > 0 ? 1 : 0;
    cost.peak_elements = std::max(cost.peak_elements, checked_add(before, after).value_or(kMax));
    cost.largest_elements = std::max(cost.largest_elements, after);
    here = &step.out;
  }
  return cost;
}

}  // namespace shardy
