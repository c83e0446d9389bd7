#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/mesh.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/permute.hpp>
#include <span>
#include <vector>

namespace shardy::links {

constexpr double kFemtoseconds = 1e15;  // in a second

/// Times are in femtoseconds, and those of a byte are rounded to sixteenths: sums and products of
/// them are exact, so that equal plans compare equal.
struct Exchange {
  double time = 0;
  double bytes = 0;  // that a device sends
  int64_t messages = 0;

  void add(const Exchange& other) {
    time += other.time;
    bytes += other.bytes;
    messages += other.messages;
  }
};

/// Devices that exchange at the same time along one axis, or along all axes that are Full.
struct Phase {
  AxisList axes;
  int64_t size = 1;
  Topology topology = Topology::Full;
  int64_t stride = 1;    // links between neighbours
  double byte_time = 0;  // of a link
  double latency = 0;
};

/// For each logical position of the mesh of `from`, the one that gets its shard.
std::vector<int64_t> permute_targets(const TensorSharding& from, const TensorSharding& to);

/// The mesh axes along which some device differs from its partner, ascending. On one mesh they are
/// those with a part that is not worth as much in the number of the receiver as in the sender's.
std::vector<int32_t> axes_crossed(const PermuteOrders& orders);
std::vector<int32_t> axes_crossed(const Mesh& mesh, std::span<const int64_t> targets);

/// All devices hold the same, and none holds a part of a sum: a permute moves nothing.
bool holds_all(const TensorSharding& sharding);

/// The links of a mesh. Spec: resharding C.1.
class Links {
 public:
  Links(const Mesh& mesh, const CostModel& model);

  /// All axes are Full and cost the same: the loads are those of one exchange among all members.
  bool is_uniform() const { return uniform_; }
  double byte_time() const { return byte_time_; }
  double latency() const { return latency_; }
  /// The least time in which a device can receive a byte, over all its links.
  double least_byte_time() const { return least_byte_time_; }
  double least_latency() const { return least_latency_; }

  // `bytes` is what a device holds before. `loads`, if there, gets the bytes along each mesh axis.
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

  /// The phases of an exchange along `axes`, minor first.
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
  /// Returns the load of `axes`; `targets` lists the target of each device where an axis is a
  /// chain.
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/links_inl.hpp>
#endif
