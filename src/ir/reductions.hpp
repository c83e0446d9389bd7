// How partial results combine: the word of an annotation, the op that does it, the collective.
#pragma once

#include <optional>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// The op that combines two parts.
OpKind reducer_of(ReductionOp reduction);
/// The word for what this op combines; nothing for all but sums, maxima and minima.
std::optional<ReductionOp> reduction_of(OpKind reducer);

/// Returns whether a collective of sdy combines partial results: an all-reduce or a reduce-scatter.
bool completes_reduction(OpKind kind);
/// Returns whether a collective of sdy takes an operand without sharding. Spec: dialect 4.
bool allows_missing_input_sharding(OpKind kind);

/// Returns `reduction_op` of a verified collective of sdy; Sum if the op does not have it.
ReductionOp collective_reduction(const Module& module, OpId collective);
/// Over which axes the collective combines, major to minor, dim by dim. Requires:
/// completes_reduction.
AxisList combined_axes(const Module& module, OpId collective);

}  // namespace shardy::ir
