#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/support/detail/inline.hpp>
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

/// Axes that an all-to-all moves from the minor end of dim `source` to the minor end of dim
/// `target`.
struct AllToAllMove {
  AxisList axes;       // the moved axes, major to minor
  int64_t source = 0;  // dim that loses the axes
  int64_t target = 0;  // dim that gets the axes

  friend bool operator==(const AllToAllMove&, const AllToAllMove&);
};

/// One collective of a reshard. A step changes the sharding and keeps the value. Each kind uses
/// only some of the lists. Text: `sdy.all_gather [{"b"}, {}] out_sharding=<@m, [..]>`. Spec:
/// dialect 4.3, resharding B.2.
struct ReshardStep {
  StepKind kind = StepKind::CollectivePermute;  // kind of the collective
  AxisLists dim_axes = {};  // axes per dim: AllGather, AllSlice, ReduceScatter, ShardedToUnreduced
  std::vector<AllToAllMove> params = {};  // AllToAll: ascending by source
  AxisList axes = {};                     // AllReduce, ReplicatedToUnreduced: axes in mesh order
  ReductionOp reduction_op = ReductionOp::Sum;  // AllReduce, ReduceScatter
  TensorSharding out;                           // sharding after the step

  friend bool operator==(const ReshardStep&, const ReshardStep&);
};

/// Returns the op name with prefix, such as `sdy.all_gather`. Requires: an enumerator of StepKind.
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

/// Returns the step as the text of an sdy op without its operand.
std::string to_string(const ReshardStep& step);

}  // namespace shardy

#ifdef SHARDY_BODIES
namespace shardy {

SHARDY_INLINE bool operator==(const AllToAllMove&, const AllToAllMove&) = default;
SHARDY_INLINE bool operator==(const ReshardStep&, const ReshardStep&) = default;

}  // namespace shardy

namespace shardy::detail {

/// Returns the text between the op name and `out_sharding`.
SHARDY_INLINE std::string operands_text(const ReshardStep& step) {
  const Mesh& mesh = step.out.mesh();
  const auto list = [&](const AxisList& axes) { return to_string(mesh, axes); };
  const auto param = [&](const AllToAllMove& move) {
    return list(move.axes) + ": " + std::to_string(move.source) + "->" +
           std::to_string(move.target);
  };
  std::string text;
  const bool reduces = step.kind == StepKind::AllReduce || step.kind == StepKind::ReduceScatter;
  if (reduces && step.reduction_op != ReductionOp::Sum) {
    text = std::string(to_string(step.reduction_op)) + " ";
  }
  switch (step.kind) {
    case StepKind::CollectivePermute:
      return text;
    case StepKind::AllToAll:
      return "[" + joined(step.params, param) + "] ";
    case StepKind::AllReduce:
    case StepKind::ReplicatedToUnreduced:
      return text + list(step.axes) + " ";
    default:
      return text + "[" + joined(step.dim_axes, list) + "] ";
  }
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const ReshardStep& step) {
  return std::string(op_name(step.kind)) + " " + detail::operands_text(step) +
         "out_sharding=" + to_string(step.out);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
