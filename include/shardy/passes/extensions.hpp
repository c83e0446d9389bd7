// Replacements of decisions in propagation, reshards and plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/propagation/extensions.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <span>
#include <vector>

namespace shardy::passes {

/// A tensor of an op: its sharding before the op, or its required sharding after it.
struct QueryTensor {
  TensorSharding sharding;     // all dims closed
  std::vector<int64_t> shape;  // global dims
  int64_t element_bytes = 1;   // size of an element
};

/// An op whose tensors have different axes for some factor of its rule and have to be resharded.
struct CommonAxesQuery {
  OpShardingRule rule;               // of the op
  std::vector<QueryTensor> tensors;  // operands, then results; all on one mesh
  std::size_t num_operands = 0;      // operands are the first tensors
  BoundAxes bound;                   // axes that no factor may use
};

/// Callbacks that replace decisions of the passes; empty: the passes decide by their options. A
/// value: nothing is registered process-wide. Threads: as propagation::PropagationExtensions.
struct Extensions {
  /// Callbacks of all passes that propagate.
  propagation::PropagationExtensions propagation = {};
  /// Plans each distinct reshard. Its errors become errors of the pass, as do plans with steps that
  /// resharding B does not allow or that end at another sharding. Like any plan, the result is
  /// rewritten by sdy-optimize-collectives. Spec: resharding B.
  PlanMaker plan_reshard = nullptr;
  /// Chooses the common axes of an op's tensors, one list per factor; `reference` is the choice by
  /// the options of the pass. Must return axes of the mesh that are not bound and do not overlap;
  /// per factor the reference's axes, or axes whose product divides the factor size, and none for
  /// factors that need replication. Not called for ops with permutation factors or dims of several
  /// factors, for partial tensors, and for reductions other than sums. Spec: resharding A.5, C.7.
  std::function<std::vector<AxisList>(const CommonAxesQuery& query,
                                      std::span<const AxisList> reference)>
      common_axes = nullptr;
};

}  // namespace shardy::passes
