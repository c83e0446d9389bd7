// The links of a mesh, routes over them, and the cost of collectives.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/permute.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/math.hpp>
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

constexpr double kFemtoseconds = 1e15;  // femtoseconds per second

/// Cost of a collective or of several. Times are in femtoseconds, and times per byte are multiples
/// of 1/16, so sums and products are exact and equal plans have equal costs.
struct Exchange {
  double time = 0;
  double bytes = 0;  // bytes that one device sends
  int64_t messages = 0;

  void add(const Exchange& other) {
    time += other.time;
    bytes += other.bytes;
    messages += other.messages;
  }
};

/// Communication of a collective along one axis, or along all Full axes together.
struct Phase {
  AxisList axes;
  int64_t size = 1;
  Topology topology = Topology::Full;
  int64_t stride = 1;    // number of links between neighbours
  double byte_time = 0;  // time per byte of a link, in femtoseconds
  double latency = 0;
};

/// Returns for each logical position of the mesh of `from` the position that gets its shard.
std::vector<int64_t> permute_targets(const TensorSharding& from, const TensorSharding& to);

/// Returns the mesh axes along which some device differs from its receiver, ascending. If `orders`
/// are on one mesh, these are the axes with a part of different weights in the linear indices of
/// sender and receiver.
std::vector<int32_t> axes_crossed(const PermuteOrders& orders);
std::vector<int32_t> axes_crossed(const Mesh& mesh, std::span<const int64_t> targets);

/// Checks whether all devices have the same data and no partial values, so that a permute moves no
/// data.
bool holds_all(const TensorSharding& sharding);

/// The links of a mesh with their costs. Spec: resharding C.1.
class Links {
 public:
  Links(const Mesh& mesh, const CostModel& model);

  /// Returns whether all axes are Full with equal costs. The cost of a collective then depends only
  /// on the size of its replica groups.
  bool is_uniform() const { return uniform_; }
  double byte_time() const { return byte_time_; }
  double latency() const { return latency_; }
  /// Returns the least time per byte over all links of a device, in femtoseconds.
  double least_byte_time() const { return least_byte_time_; }
  double least_latency() const { return least_latency_; }

  // The parameter `bytes` is the size on a device before the collective. `loads`, if given, gets
  // the bytes along each mesh axis.
  Exchange all_gather(double bytes, AxisSpan axes, std::vector<double>* loads = nullptr) const;
  Exchange all_to_all(double bytes, AxisSpan axes, std::vector<double>* loads = nullptr) const;
  Exchange reduce_scatter(double bytes, AxisSpan axes, std::vector<double>* loads = nullptr) const {
    return all_gather(bytes / static_cast<double>(sharding_size(axes)), axes, loads);
  }
  Exchange all_reduce(double bytes, AxisSpan axes, std::vector<double>* loads = nullptr) const {
    Exchange both = reduce_scatter(bytes, axes, loads);
    both.add(reduce_scatter(bytes, axes, loads));
    return both;
  }
  Exchange permute(double bytes, const TensorSharding& from, const TensorSharding& to,
                   std::vector<double>* loads = nullptr) const;
  Exchange permute(double bytes, const Mesh& mesh, std::span<const int64_t> targets,
                   std::vector<double>* loads) const;
  /// Returns the cost of a permute. `axes` are the axes along which some device differs from its
  /// receiver. `targets` returns the receiver of each device; it is called only if one of `axes` is
  /// a chain.
  Exchange permute(double bytes, const Mesh& mesh, std::span<const int32_t> axes,
                   const std::function<std::vector<int64_t>()>& targets,
                   std::vector<double>* loads) const;

  /// Returns the phases of a collective along `axes`, minor first.
  std::vector<Phase> phases(AxisSpan axes) const;

 private:
  struct Axis {
    int64_t size = 1;
    Topology topology = Topology::Full;
    double byte_time = 0;
    double latency = 0;
  };

  const Axis& at(int32_t axis) const { return axes_[static_cast<std::size_t>(axis)]; }
  double direct_time(double per_peer, AxisSpan axes) const;
  /// Returns the cost of a permute along `axes`. `targets` returns the receiver of each device; it
  /// is called only if one of `axes` is a chain.
  template <class Targets>
  Exchange routed(double bytes, const Mesh& mesh, std::span<const int32_t> axes,
                  const Targets& targets, std::vector<double>* loads) const;

  std::vector<Axis> axes_;
  bool uniform_ = true;
  double byte_time_ = 0;
  double latency_ = 0;
  double least_byte_time_ = 0;
  double least_latency_ = 0;
};

}  // namespace shardy::links

#ifdef SHARDY_BODIES
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

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

SHARDY_INLINE double sixteenths(double value) { return std::round(value * 16) / 16; }

SHARDY_INLINE Links::Links(const Mesh& mesh, const CostModel& model) {
  const auto add = [&](const AxisCost& cost, int64_t size) {
    axes_.push_back({size, cost.topology, sixteenths(kFemtoseconds / cost.bytes_per_second),
                     sixteenths(kFemtoseconds * cost.latency_seconds)});
  };
  for (const MeshAxis& axis : mesh.axes()) add(model.of(axis.name), axis.size);
  if (axes_.empty()) add(model.other, 1);
  byte_time_ = axes_.front().byte_time;
  latency_ = least_latency_ = axes_.front().latency;
  // Bandwidth of all links of a device; Full axes of equal speed share one network.
  double rate = 0;
  std::vector<double> networks;
  for (const Axis& axis : axes_) {
    uniform_ = uniform_ && axis.topology == Topology::Full && axis.byte_time == byte_time_ &&
               axis.latency == latency_;
    least_latency_ = std::min(least_latency_, axis.latency);
    if (axis.topology != Topology::Full) {
      rate += (axis.topology == Topology::Ring ? 1 : 2) / axis.byte_time;
    } else if (std::ranges::find(networks, axis.byte_time) == networks.end()) {
      networks.push_back(axis.byte_time);
      rate += 1 / axis.byte_time;
    }
  }
  least_byte_time_ = uniform_ ? byte_time_ : 1 / rate;
}

SHARDY_INLINE std::vector<Phase> Links::phases(AxisSpan axes) const {
  std::vector<Phase> all;
  Phase* direct = nullptr;
  all.reserve(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    const AxisRef& ref = axes[i];
    const Axis& axis = at(ref.axis);
    if (ref.size == 1) continue;
    if (axis.topology == Topology::Full && direct != nullptr) {
      direct->axes.insert(direct->axes.begin(), ref);
      direct->size *= ref.size;
      direct->latency = std::max(direct->latency, axis.latency);
      continue;
    }
    // A sub-axis that is not the major one of its axis has no link that closes the ring.
    const Topology topology =
        axis.topology != Topology::Full && ref.pre > 1 ? Topology::Line : axis.topology;
    all.push_back(
        {{ref}, ref.size, topology, axis.size / ref.next(), axis.byte_time, axis.latency});
    if (axis.topology == Topology::Full) direct = &all.back();
  }
  return all;
}

/// Returns the time for sending `per_peer` bytes to each device of the group along `axes`. Axes of
/// equal speed are one network. Bytes for a device use the slowest network among the axes along
/// which it differs from the sender.
SHARDY_INLINE double Links::direct_time(double per_peer, AxisSpan axes) const {
  std::vector<double> networks;
  for (const AxisRef& ref : axes) networks.push_back(at(ref.axis).byte_time);
  std::ranges::sort(networks);
  networks.erase(std::unique(networks.begin(), networks.end()), networks.end());
  double time = 0;
  double faster = 1;  // number of devices that differ only in faster networks
  for (const double byte_time : networks) {
    double members = 1;
    for (const AxisRef& ref : axes) {
      if (at(ref.axis).byte_time == byte_time) members *= static_cast<double>(ref.size);
    }
    time = std::max(time, per_peer * (members - 1) * faster * byte_time);
    faster *= members;
  }
  return time;
}

SHARDY_INLINE Exchange Links::all_gather(double bytes, AxisSpan axes,
                                         std::vector<double>* loads) const {
  const auto members = static_cast<double>(sharding_size(axes));
  Exchange all{.bytes = bytes * (members - 1)};
  if (members == 1) return all;
  if (uniform_ && loads == nullptr) {
    return {all.bytes * byte_time_ + latency_, all.bytes, 1};
  }
  double held = bytes;
  for (const Phase& phase : phases(axes)) {
    const auto size = static_cast<double>(phase.size);
    const bool halves = phase.topology == Topology::BidirectionalRing;
    const double load = held * (size - 1) / (halves ? 2 : 1) * static_cast<double>(phase.stride);
    const int64_t messages = phase.topology == Topology::Full ? 1
                             : halves                         ? phase.size / 2
                                                              : phase.size - 1;
    const bool direct = phase.topology == Topology::Full;
    all.time += (direct ? direct_time(held, phase.axes) : load * phase.byte_time) +
                static_cast<double>(messages) * phase.latency;
    all.messages += messages;
    double gathered = held;
    for (std::size_t i = phase.axes.size(); loads != nullptr && i-- > 0;) {
      const AxisRef& ref = phase.axes[i];
      (*loads)[static_cast<std::size_t>(ref.axis)] +=
          direct ? gathered * static_cast<double>(ref.size - 1) : load;
      gathered *= static_cast<double>(ref.size);
    }
    held *= size;
  }
  return all;
}

/// Returns the bytes over the busiest link for one exchange in a phase whose topology is not Full.
SHARDY_INLINE double exchange_load(const Phase& phase, double bytes) {
  const auto size = static_cast<double>(phase.size);
  const auto stride = static_cast<double>(phase.stride);
  // Number of pairs with one device on each side of the middle of the chain. size * size overflows
  // int64 from 2^32 on.
  const double across = std::floor(size * size / 4);
  const double crossing = bytes / size * across * stride;
  switch (phase.topology) {
    case Topology::Full:
      return bytes / size * (size - 1);
    case Topology::Ring:
      return bytes * (size - 1) / 2 * stride;
    case Topology::BidirectionalRing:
      return crossing / 2;
    case Topology::Line:
      return crossing;
  }
  return 0;
}

SHARDY_INLINE Exchange Links::all_to_all(double bytes, AxisSpan axes,
                                         std::vector<double>* loads) const {
  const auto members = static_cast<double>(sharding_size(axes));
  Exchange all{.bytes = bytes / members * (members - 1)};
  if (members == 1) return all;
  if (uniform_ && loads == nullptr) {
    return {all.bytes * byte_time_ + latency_, all.bytes, 1};
  }
  for (const Phase& phase : phases(axes)) {
    const bool direct = phase.topology == Topology::Full;
    const bool halves = phase.topology == Topology::BidirectionalRing;
    const double load = exchange_load(phase, bytes);
    const int64_t messages = direct ? 1 : halves ? phase.size / 2 : phase.size - 1;
    const double per_peer = bytes / static_cast<double>(phase.size);
    all.time += (direct ? direct_time(per_peer, phase.axes) : load * phase.byte_time) +
                static_cast<double>(messages) * phase.latency;
    all.messages += messages;
    double below = per_peer;
    for (std::size_t i = phase.axes.size(); loads != nullptr && i-- > 0;) {
      const AxisRef& ref = phase.axes[i];
      (*loads)[static_cast<std::size_t>(ref.axis)] +=
          direct ? below * static_cast<double>(ref.size - 1) : load;
      below *= static_cast<double>(ref.size);
    }
  }
  return all;
}

SHARDY_INLINE std::vector<int64_t> permute_targets(const TensorSharding& from,
                                                   const TensorSharding& to) {
  const PermuteOrders orders = permute_orders(from, to);
  std::vector<int64_t> targets(static_cast<std::size_t>(from.mesh().num_devices()));
  for (int64_t index = 0; index < from.mesh().num_devices(); ++index) {
    const int64_t sender = detail::device_of(from.mesh(), orders.sender, index);
    const int64_t receiver = detail::device_of(to.mesh(), orders.receiver, index);
    targets[static_cast<std::size_t>(*from.mesh().position_of(sender))] =
        *from.mesh().position_of(receiver);
  }
  return targets;
}

/// Returns the axis refs of `order`, each with the weight of its coordinate in the linear index.
SHARDY_INLINE std::vector<std::pair<AxisRef, int64_t>> places(AxisSpan order) {
  std::vector<std::pair<AxisRef, int64_t>> all;
  int64_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0; stride *= order[i].size) {
    if (order[i].size > 1) all.emplace_back(order[i], stride);
  }
  std::ranges::sort(all);
  return all;
}

SHARDY_INLINE std::vector<int32_t> axes_crossed(const PermuteOrders& orders) {
  const auto sent = places(orders.sender);
  const auto received = places(orders.receiver);
  std::vector<int32_t> axes;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const int32_t axis = sent[i].first.axis;
    if (sent[i] != received[i] && (axes.empty() || axes.back() != axis)) axes.push_back(axis);
  }
  return axes;
}

SHARDY_INLINE std::vector<int32_t> axes_crossed(const Mesh& mesh,
                                                std::span<const int64_t> targets) {
  std::vector<int32_t> axes;
  int64_t minor = mesh.num_devices();
  for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
    const int64_t size = mesh.axis_size(axis);
    minor /= size;
    bool is_crossed = false;
    for (int64_t source = 0; source < std::ssize(targets) && !is_crossed; ++source) {
      const int64_t target = targets[static_cast<std::size_t>(source)];
      is_crossed = source / minor % size != target / minor % size;
    }
    if (is_crossed) axes.push_back(axis);
  }
  return axes;
}

/// Checks whether all shards are equal and no device has a partial value.
SHARDY_INLINE bool holds_all(const TensorSharding& sharding) {
  const auto is_real = [](const AxisRef& ref) { return ref.size > 1; };
  return std::ranges::none_of(sharding.dim_axes(), is_real) &&
         std::ranges::none_of(sharding.unreduced_axes(), is_real);
}

template <class Targets>
Exchange Links::routed(double bytes, const Mesh& mesh, std::span<const int32_t> axes,
                       const Targets& targets, std::vector<double>* loads) const {
  Exchange all{.bytes = bytes};
  double latency = 0;
  AxisList direct;  // Full axes along which data are sent
  for (const int32_t axis : axes) {
    const Axis& links = at(axis);
    RouteLoad route{bytes, 0};
    if (links.topology == Topology::Full) {
      direct.push_back(mesh.full_axis(axis));
    } else {
      const LinkChain chain{axis, links.topology != Topology::Line,
                            links.topology == Topology::Ring};
      route = route_load(mesh, targets(), bytes, chain);
    }
    all.time = std::max(all.time, route.load * links.byte_time);
    all.messages += route.hops;
    latency += static_cast<double>(route.hops) * links.latency;
    if (loads != nullptr) (*loads)[static_cast<std::size_t>(axis)] += route.load;
  }
  double slowest = 0;
  for (const AxisRef& ref : direct) slowest = std::max(slowest, at(ref.axis).latency);
  all.messages += direct.empty() ? 0 : 1;
  all.time += latency + slowest;
  return all;
}

SHARDY_INLINE Exchange Links::permute(double bytes, const Mesh& mesh,
                                      std::span<const int64_t> targets,
                                      std::vector<double>* loads) const {
  const std::vector<int32_t> axes = axes_crossed(mesh, targets);
  if (bytes == 0 || axes.empty()) return {};
  return routed(
      bytes, mesh, axes, [&] { return targets; }, loads);
}

SHARDY_INLINE Exchange Links::permute(double bytes, const Mesh& mesh, std::span<const int32_t> axes,
                                      const std::function<std::vector<int64_t>()>& targets,
                                      std::vector<double>* loads) const {
  if (bytes == 0 || axes.empty()) return {};
  return routed(bytes, mesh, axes, targets, loads);
}

SHARDY_INLINE Exchange Links::permute(double bytes, const TensorSharding& from,
                                      const TensorSharding& to, std::vector<double>* loads) const {
  if (bytes == 0 || holds_all(from) || !permute_moves(from, to)) return {};
  if (uniform_ && loads == nullptr) return {bytes * byte_time_ + latency_, bytes, 1};
  if (from.mesh() != to.mesh())
    return permute(bytes, from.mesh(), permute_targets(from, to), loads);
  std::vector<int64_t> targets;
  const auto known = [&]() -> std::span<const int64_t> {
    if (targets.empty()) targets = permute_targets(from, to);
    return targets;
  };
  return routed(bytes, from.mesh(), axes_crossed(permute_orders(from, to)), known, loads);
}

}  // namespace shardy::links
#endif  // SHARDY_BODIES
