#pragma once

#include <cstdint>
#include <shardy/algebra/mesh.hpp>
#include <span>
#include <vector>

namespace shardy::links {

/// Bytes over the busiest directed link of a chain of neighbours along one mesh axis, and how many
/// links the longest way has.
struct RouteLoad {
  double load = 0;
  int64_t hops = 0;
};

/// A mesh axis whose devices are chained: closed chains take the shorter way, half of the flow each
/// way where both are as long; one-way ones go up only.
struct Chain {
  int32_t axis = 0;
  bool is_closed = false;
  bool is_one_way = false;
};

/// Returns the load of `chain` if the device at each logical position p sends `bytes` to
/// `targets[p]`, axis by axis in mesh order. Cost: positions times the size of the axis.
RouteLoad route_load(const Mesh& mesh, std::span<const int64_t> targets, double bytes,
                     const Chain& chain);

}  // namespace shardy::links

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/routes_inl.hpp>
#endif
