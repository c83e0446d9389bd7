// Validation of the results of callbacks.
#pragma once

#include <span>
#include <vector>

#include "shardy/passes/parts.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Checks whether the steps are ops that the dialect allows one after the other, use no bound axis,
/// and end at `to`.
Status verify_plan(const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to,
                   const BoundAxes& bound, std::span<const ReshardStep> steps);

/// Returns whether the lists are what PassParts::common_axes may answer.
Status verify_common_axes(const Meeting& meeting, std::span<const AxisList> reference,
                          std::span<const AxisList> common);

}  // namespace shardy::passes
