// Bytes that the steps of a plan send. Spec: resharding C.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <shardy/resharding/detail/permute.hpp>
#include <shardy/resharding/step.hpp>
#include <span>

#include "resharding/data_oracle.hpp"

namespace shardy::testing {

inline int64_t local_elements(std::span<const int64_t> shape, const TensorSharding& sharding) {
  return oracle::volume(sharding.local_shape(shape));
}

/// Devices that take part in one exchange of the step.
inline int64_t group_size(const ReshardStep& step) {
  AxisList axes = flatten(step.dim_axes);
  append(axes, step.axes);
  for (const AllToAllMove& param : step.params) append(axes, param.axes);
  return sharding_size(axes);
}

/// Elements that each device sends in `step`, where every device reaches every other one directly:
/// the column "full". Requires: `step` is legal on `from`, dims are divisible.
inline int64_t elements_sent(std::span<const int64_t> shape, const TensorSharding& from,
                             const ReshardStep& step) {
  const int64_t local = local_elements(shape, from);
  const int64_t members = group_size(step);
  switch (step.kind) {
    case StepKind::AllGather:
      return local * (members - 1);
    case StepKind::AllToAll:
    case StepKind::ReduceScatter:
      return local / members * (members - 1);
    case StepKind::AllReduce:
      return 2 * (local - local / members);
    case StepKind::CollectivePermute:
      return permute_moves(from, step.out) ? local : 0;
    default:
      return 0;
  }
}

struct PlanCost {
  int64_t elements_sent = 0;
  int64_t largest_elements = 0;  // one buffer, at most
};

inline PlanCost plan_cost(std::span<const int64_t> shape, const TensorSharding& from,
                          std::span<const ReshardStep> steps) {
  PlanCost cost{.largest_elements = local_elements(shape, from)};
  const TensorSharding* here = &from;
  for (const ReshardStep& step : steps) {
    cost.elements_sent += elements_sent(shape, *here, step);
    cost.largest_elements = std::max(cost.largest_elements, local_elements(shape, step.out));
    here = &step.out;
  }
  return cost;
}

}  // namespace shardy::testing
