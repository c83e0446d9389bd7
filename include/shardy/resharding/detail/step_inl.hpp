// Bodies of step.hpp.
#pragma once

#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/axis_lists.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/inline.hpp>
#include <string>

namespace shardy {

SHARDY_INLINE bool operator==(const AllToAllMove&, const AllToAllMove&) = default;
SHARDY_INLINE bool operator==(const ReshardStep&, const ReshardStep&) = default;

}  // namespace shardy

namespace shardy::detail {

/// Returns the text of the step between the name of the op and `out_sharding`.
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
