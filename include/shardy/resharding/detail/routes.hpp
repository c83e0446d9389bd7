#pragma once

#include <cstdint>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::links {

/// Bytes over the busiest directed link of a chain of devices along one mesh axis, and the number
/// of links of the longest route.
struct RouteLoad {
  double load = 0;
  int64_t hops = 0;
};

/// A mesh axis whose devices form a chain. In a closed chain, data take the shorter direction, and
/// half of them each direction if both are equally long. In a one-way chain, all data move to
/// higher coordinates.
struct LinkChain {
  int32_t axis = 0;
  bool is_closed = false;
  bool is_one_way = false;
};

/// Returns the load of `chain` if the device at each logical position p sends `bytes` to position
/// `targets[p]`. Data are routed axis by axis, in mesh order. Cost: number of positions times the
/// size of the axis.
RouteLoad route_load(const Mesh& mesh, std::span<const int64_t> targets, double bytes,
                     const LinkChain& chain);

}  // namespace shardy::links

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>

namespace shardy::links {

/// The flows over the links along one axis: up[p] from position p to the next coordinate, down[p]
/// to the previous coordinate.
class ChainFlows {
 public:
  ChainFlows(const Mesh& mesh, const LinkChain& chain)
      : size_(mesh.axis_size(chain.axis)),
        chain_(chain),
        up_(static_cast<std::size_t>(mesh.num_devices())),
        down_(up_.size()) {
    for (int32_t minor = chain.axis + 1; minor < mesh.num_axes(); ++minor) {
      stride_ *= mesh.axis_size(minor);
    }
  }

  int64_t coordinate(int64_t position) const { return position / stride_ % size_; }
  int64_t moved(int64_t position, int64_t coordinate) const {
    return position + (coordinate - this->coordinate(position)) * stride_;
  }

  void send(int64_t position, int64_t target, double bytes);

  RouteLoad result() const {
    const double most = std::max(*std::ranges::max_element(up_), *std::ranges::max_element(down_));
    return {most, hops_};
  }

 private:
  void go(int64_t position, int64_t links, int64_t direction, double bytes) {
    hops_ = std::max(hops_, links);
    std::vector<double>& flows = direction > 0 ? up_ : down_;
    int64_t at = coordinate(position);
    for (; links > 0; --links, at = (at + direction + size_) % size_) {
      flows[static_cast<std::size_t>(moved(position, at))] += bytes;
    }
  }

  int64_t size_;
  int64_t stride_ = 1;
  LinkChain chain_;
  std::vector<double> up_;
  std::vector<double> down_;
  int64_t hops_ = 0;
};

SHARDY_INLINE void ChainFlows::send(int64_t position, int64_t target, double bytes) {
  const int64_t ahead = target - coordinate(position);
  if (ahead == 0) return;
  if (!chain_.is_closed) {
    go(position, std::max(ahead, -ahead), ahead > 0 ? 1 : -1, bytes);
    return;
  }
  const int64_t up = (ahead + size_) % size_;
  const int64_t down = size_ - up;
  if (chain_.is_one_way || up < down) {
    go(position, up, 1, bytes);
  } else if (down < up) {
    go(position, down, -1, bytes);
  } else {
    go(position, up, 1, bytes / 2);
    go(position, down, -1, bytes / 2);
  }
}

SHARDY_INLINE RouteLoad route_load(const Mesh& mesh, std::span<const int64_t> targets, double bytes,
                                   const LinkChain& chain) {
  ChainFlows flows(mesh, chain);
  int64_t minor = 1;  // number of devices along the chain's axis and all later axes
  for (int32_t axis = chain.axis; axis < mesh.num_axes(); ++axis) minor *= mesh.axis_size(axis);
  for (std::size_t source = 0; source < targets.size(); ++source) {
    // Along earlier mesh axes, the data have already reached the coordinates of the target.
    const int64_t target = targets[source];
    const int64_t begin = target / minor * minor + static_cast<int64_t>(source) % minor;
    flows.send(begin, flows.coordinate(target), bytes);
  }
  return flows.result();
}

}  // namespace shardy::links
#endif  // SHARDY_BODIES
