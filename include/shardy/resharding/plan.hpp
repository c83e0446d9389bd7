#pragma once

#include <cstdint>
#include <shardy/resharding/step.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <vector>

namespace shardy {

/// The collectives that take a tensor from `from` to `to`, as Shardy chooses them, and also where
/// it gives up: sizes that do not divide one another, refs that cannot coexist, unreduced axes that
/// change. A plan to a replicated tensor stays on the mesh of `from`; no step means that each
/// device has what it needs.
///
/// Units: `shape` in elements of the global tensor, any sizes. Errors: a single-device sharding,
/// ranks that differ, meshes that differ in more than device ids, another reduction of unreduced
/// axes that stay, new unreduced axes of another reduction than sum. Spec: resharding A.8, B.3,
/// B.4, B.5.
Result<std::vector<ReshardStep>> plan_reshard(std::span<const int64_t> shape,
                                              const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/plan_inl.hpp>
#endif
