// Bodies of dim_sharding.hpp.
#pragma once

#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/dim_sharding.hpp>
#include <shardy/support/inline.hpp>

namespace shardy {

SHARDY_INLINE DimSharding DimSharding::slice_axes(std::size_t skipped, std::size_t count) const {
  SHARDY_ASSERT(skipped <= axes.size() && count <= axes.size() - skipped);
  const AxisSpan part = AxisSpan(axes).subspan(skipped, count);
  return {{part.begin(), part.end()}, is_closed, priority};
}

}  // namespace shardy
