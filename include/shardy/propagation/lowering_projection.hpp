#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/propagation/projection.hpp>
#include <span>
#include <vector>

// Queries of lowering about projections. Spec: propagation 18.

namespace shardy::propagation {

/// Per factor, the axes that all tensors mapped to it begin with. Requires:
/// projection.holds(layout).
std::vector<AxisList> common_factor_axes(const RuleLayout& layout, const Projection& projection);

/// The projection in which every tensor has the given axes on each of its factors, all closed.
/// Requires: one list per factor.
Projection uniform_projection(const RuleLayout& layout, std::span<const AxisList> axes_per_factor);

/// Overwrites the axes and the overflow of `factor` in all tensors mapped to it; returns the
/// tensors that this changed. Requires: projection.holds(layout), factor < layout.num_factors().
std::vector<std::size_t> update_factor(const RuleLayout& layout, std::size_t factor,
                                       const AxisList& axes, const AxisList& overflow,
                                       Projection& projection);

/// Number of shards of a tensor, overflows included. Requires: projection.holds(layout), tensor <
/// layout.num_tensors().
int64_t sharding_size(const RuleLayout& layout, std::size_t tensor, const Projection& projection);

/// Returns whether a dim of the tensor has axes that its factors could not take. Requires:
/// projection.holds(layout), tensor < layout.num_tensors().
bool has_overflow(const RuleLayout& layout, std::size_t tensor, const Projection& projection);

/// A factor that axes are distributed to.
struct FactorShare {
  int64_t size = 1;        // elements along it; shards that it can take
  AxisList axes = {};      // that it took, major to minor
  AxisList overflow = {};  // of the last one: axes that no factor took
};

/// Distributes `axes`, major first, over `factors`: each axis goes to the first factor that it
/// divides what is left of. Requires: sizes >= 0; no axes or overflows yet.
void distribute_axes(std::span<FactorShare> factors, std::span<const AxisRef> axes);

}  // namespace shardy::propagation

#ifdef SHARDY_HEADER_ONLY
#include <shardy/propagation/detail/lowering_projection_inl.hpp>
#endif
