#pragma once

#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/axis_lists.hpp>

namespace shardy {

/// Axes along which a value with partial results along `from` must be reduced, to be partial at
/// most along `to`; in mesh order. An axis that cannot coexist with one of `to` is reduced as a
/// whole. Spec: resharding A.8.1.
AxisList axes_to_reduce(AxisSpan from, AxisSpan to);

/// How a value becomes partial along more axes: reshard it to `before`, make it partial along
/// `replicated`, where the dims do not use it, then along `sharded`, which leaves the dims.
struct UnreducedIntroduction {
  TensorSharding before;  // to reshard to first
  AxisList replicated;    // axes along which devices that hold the same become partial
  AxisLists sharded;      // axes that leave each dim and become partial
};

/// The way from `from` to the unreduced axes of `to`. `before` is on the mesh of `to`, with the
/// unreduced axes of `from`. Requires: same rank, those of `from` are among those of `to`.
/// Spec: resharding A.8.2.
UnreducedIntroduction introduce_unreduced(const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/unreduced_inl.hpp>
#endif
