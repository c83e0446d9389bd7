#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/axis_lists.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The collectives of the SDY dialect. Spec: dialect 4.3.
enum class StepKind {
  AllGather,
  AllSlice,
  AllToAll,
  CollectivePermute,
  AllReduce,
  ReduceScatter,
  ShardedToUnreduced,
  ReplicatedToUnreduced,
};

/// `axes` leave the back of dim `source` and join the back of dim `target`.
struct AllToAllMove {
  AxisList axes;       // in the order in which the dim has them
  int64_t source = 0;  // dim that has them before
  int64_t target = 0;  // dim that has them after

  friend bool operator==(const AllToAllMove&, const AllToAllMove&);
};

/// One collective on the way of a tensor from one sharding to another; it moves data, its value
/// stays. Only the lists of its kind are filled. Text: `sdy.all_gather [{"b"}, {}]
/// out_sharding=<@m, [..]>`. Spec: dialect 4.3, resharding B.2.
struct ReshardStep {
  StepKind kind = StepKind::CollectivePermute;  // which collective it is
  AxisLists dim_axes = {};                // AllGather, AllSlice, ReduceScatter, ShardedToUnreduced
  std::vector<AllToAllMove> params = {};  // AllToAll, by ascending source
  AxisList axes = {};                     // AllReduce, ReplicatedToUnreduced: a set in mesh order
  ReductionOp reduction_op = ReductionOp::Sum;  // AllReduce, ReduceScatter
  TensorSharding out;                           // the sharding after the step

  friend bool operator==(const ReshardStep&, const ReshardStep&);
};

/// The name of the op in the SDY dialect, with prefix. Requires: an enumerator of StepKind.
constexpr std::string_view op_name(StepKind kind) {
  constexpr auto kNames = std::to_array<std::string_view>({
      "sdy.all_gather",
      "sdy.all_slice",
      "sdy.all_to_all",
      "sdy.collective_permute",
      "sdy.all_reduce",
      "sdy.reduce_scatter",
      "sdy.sharded_to_unreduced",
      "sdy.replicated_to_unreduced",
  });
  SHARDY_EXPECTS(static_cast<std::size_t>(kind) < kNames.size());
  return kNames[static_cast<std::size_t>(kind)];
}

/// As in an SDY program, but without the operand.
std::string to_string(const ReshardStep& step);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/step_inl.hpp>
#endif
