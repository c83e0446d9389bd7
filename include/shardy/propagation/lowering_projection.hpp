#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/propagation/projection.hpp>
#include <shardy/support/inline.hpp>
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

#ifdef SHARDY_BODIES
#include <limits>
#include <shardy/propagation/detail/axis_cursor.hpp>

namespace shardy::propagation {

SHARDY_INLINE std::vector<AxisList> common_factor_axes(const RuleLayout& layout,
                                                       const Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  std::vector<AxisList> common(layout.num_factors());
  for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
    bool is_first = true;
    for (const uint32_t entry : layout.factor_entries(factor)) {
      const FactorSharding& sharding = projection.entries[entry];
      if (!sharding.is_mapped) continue;
      common[factor] =
          is_first ? sharding.axes : greatest_common_prefix(common[factor], sharding.axes);
      is_first = false;
    }
  }
  return common;
}

SHARDY_INLINE Projection uniform_projection(const RuleLayout& layout,
                                            std::span<const AxisList> axes_per_factor) {
  SHARDY_EXPECTS(axes_per_factor.size() == layout.num_factors());
  Projection projection;
  projection.reset(layout);
  for (std::size_t tensor = 0; tensor < layout.num_tensors(); ++tensor) {
    for (std::size_t dim = 0; dim < layout.rank(tensor); ++dim) {
      const EntryRange factors = layout.dim_entries(tensor, dim);
      for (std::size_t entry = factors.begin; entry < factors.end; ++entry) {
        FactorSharding& sharding = projection.entries[entry];
        sharding.axes = axes_per_factor[layout.entry_factor(entry)];
        sharding.is_mapped = sharding.is_closed = true;
        sharding.is_minor_most = entry + 1 == factors.end;
      }
    }
  }
  return projection;
}

SHARDY_INLINE std::vector<std::size_t> update_factor(const RuleLayout& layout, std::size_t factor,
                                                     const AxisList& axes, const AxisList& overflow,
                                                     Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  std::vector<std::size_t> changed;
  for (const uint32_t entry : layout.factor_entries(factor)) {
    FactorSharding& sharding = projection.entries[entry];
    if (!sharding.is_mapped) continue;
    if (sharding.axes == axes && sharding.overflow == overflow) continue;
    sharding.axes = axes;
    sharding.overflow = overflow;
    changed.push_back(layout.entry_tensor(entry));
  }
  return changed;
}

SHARDY_INLINE int64_t sharding_size(const RuleLayout& layout, std::size_t tensor,
                                    const Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  const EntryRange entries = layout.tensor_entries(tensor);
  int64_t shards = 1;
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    const FactorSharding& sharding = projection.entries[entry];
    for (const AxisList* axes : {&sharding.axes, &sharding.overflow}) {
      shards = checked_mul(shards, shardy::sharding_size(*axes))
                   .value_or(std::numeric_limits<int64_t>::max());
    }
  }
  return shards;
}

SHARDY_INLINE bool has_overflow(const RuleLayout& layout, std::size_t tensor,
                                const Projection& projection) {
  SHARDY_EXPECTS(projection.holds(layout));
  const EntryRange entries = layout.tensor_entries(tensor);
  for (std::size_t entry = entries.begin; entry < entries.end; ++entry) {
    if (!projection.entries[entry].overflow.empty()) return true;
  }
  return false;
}

}  // namespace shardy::propagation

namespace shardy::propagation::detail {

/// Distributes the current axis to the factors in order; the rest of the axis goes to the
/// following factors. False: no factor took a part.
SHARDY_INLINE bool distribute_current(std::span<FactorShare> factors, AxisCursor& cursor,
                                      std::vector<int64_t>& room) {
  bool has_placed = false;
  for (std::size_t factor = 0; factor < factors.size(); ++factor) {
    const int64_t size = cursor.current().size;
    const int64_t fitting = gcd(room[factor], size);
    if (room[factor] <= 1 || (fitting == 1 && size != 1)) continue;
    has_placed = true;
    room[factor] /= fitting;
    const bool is_whole = size == fitting;
    append_merged(factors[factor].axes, 0, is_whole ? cursor.take() : cursor.take_part(fitting));
    if (is_whole) return true;
  }
  return has_placed;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE void distribute_axes(std::span<FactorShare> factors, std::span<const AxisRef> axes) {
  detail::AxisCursor cursor(axes);
  std::vector<int64_t> room;
  for (const FactorShare& factor : factors) room.push_back(factor.size);
  while (!cursor.done() && detail::distribute_current(factors, cursor, room)) {
  }
  if (factors.empty()) return;
  while (!cursor.done()) append_merged(factors.back().overflow, 0, cursor.take());
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
