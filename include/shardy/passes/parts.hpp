// Parts of propagation and of the way to collectives that a caller may replace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/parts.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <span>
#include <vector>

namespace shardy::passes {

/// One tensor of an op: its sharding before the op, or the wanted one after it.
struct MeetingTensor {
  TensorSharding sharding;     // all dims closed
  std::vector<int64_t> shape;  // elements along each dim of the global tensor
  int64_t element_bytes = 1;   // of one element
};

/// An op whose tensors do not agree on the axes of some factor of its rule, and have to meet.
struct Meeting {
  OpShardingRule rule;                 // of the op
  std::vector<MeetingTensor> tensors;  // operands, then results; all on one mesh
  std::size_t num_operands = 0;        // the first tensors
  BoundAxes bound;                     // axes that no factor may get
};

/// Callbacks that replace choices of the passes; an empty one means the options of the passes.
/// A value: nothing is registered process-wide. Threads: as propagation::Parts.
struct PassParts {
  /// Callbacks of all passes that propagate.
  propagation::Parts propagation = {};
  /// Makes the steps of each reshard, once for reshards that are alike. Errors become those of the
  /// pass. A plan that the steps of resharding B do not allow, or that does not end at the sharding
  /// that was asked for, is an error, too. What comes out is rewritten by sdy-optimize-collectives
  /// like any other plan. Spec: resharding B.
  PlanMaker plan_reshard = nullptr;
  /// The axes on which the tensors of an op meet, one list per factor; `reference` is what the
  /// options of the pass choose. Must be: axes of the mesh that are not bound and do not overlap;
  /// for each factor what the reference has, or axes whose product divides the size of the factor,
  /// and none along one that needs replication. Not asked for ops with permutation factors or
  /// several factors in a dim, for partial tensors, and for other combiners than sums. Spec:
  /// resharding A.5, C.7.
  std::function<std::vector<AxisList>(const Meeting& meeting, std::span<const AxisList> reference)>
      common_axes = nullptr;
};

}  // namespace shardy::passes
