#pragma once

#include <shardy/resharding/step.hpp>
#include <shardy/resharding/unreduced.hpp>
#include <vector>

namespace shardy::detail {

/// Appends the steps that make a value partial along more axes, from `here` on, which has the dims
/// of `way.before`.
void introduce(TensorSharding here, const UnreducedIntroduction& way, const TensorSharding& to,
               std::vector<ReshardStep>& steps);

}  // namespace shardy::detail

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/unreduced_steps_inl.hpp>
#endif
