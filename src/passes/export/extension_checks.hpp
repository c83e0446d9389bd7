// Validation of the results of callbacks.
#pragma once

#include <span>
#include <vector>

#include "shardy/passes/export_pipeline.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Checks that the dialect allows the steps in sequence, that they use no bound axis, and that they
/// end at `to`.
Status verify_plan(const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to,
                   const BoundAxes& bound, std::span<const ReshardStep> steps);

/// Checks that the lists meet the contract of Extensions::common_axes.
Status verify_common_axes(const CommonAxesQuery& query, std::span<const AxisList> reference,
                          std::span<const AxisList> common);

}  // namespace shardy::passes
