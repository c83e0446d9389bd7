// Bodies of dim_sharding.hpp.
#pragma once

#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/dim_sharding.hpp>
#include <shardy/support/inline.hpp>

namespace shardy {

SHARDY_INLINE bool operator==(const DimSharding&, const DimSharding&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const DimSharding&, const DimSharding&) = default;

SHARDY_INLINE DimSharding DimSharding::slice_axes(std::size_t skipped, std::size_t count) const {
  SHARDY_EXPECTS(skipped <= axes.size() && count <= axes.size() - skipped);
  const AxisSpan part = AxisSpan(axes).subspan(skipped, count);
  return {{part.begin(), part.end()}, is_closed, priority};
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::DimSharding>::operator()(
    const shardy::DimSharding& dim) const {
  return shardy::hash_combine(shardy::hash_range(dim.axes),
                              shardy::hash_of(dim.is_closed, dim.priority));
}
