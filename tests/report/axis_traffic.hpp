// Bytes along each mesh axis, from the events of a run: which devices met, and what each one held.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "partitioning/collective_view.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/simulation/run.hpp"

namespace shardy_test {

/// Bytes that each device sends along each axis. Those for a peer go along the first of the
/// collective's axes in which both differ; those of a permute along each axis in which they differ.
/// Rooted collectives load the links of the root. Spec: resharding C.1 (`full` axes).
class AxisTraffic {
 public:
  explicit AxisTraffic(const shardy::ir::Module& program) : program_(program), views_(program) {}

  void add(const shardy::simulation::OpEvent& event) {
    if (!event.instance) return;
    int64_t bytes = 0;
    const bool has_root_operand = program_.attributes(event.op).contains("has_dynamic_root");
    const std::size_t count = event.operands.size() - (has_root_operand ? 1 : 0);
    for (std::size_t index = 0; index < count; ++index) bytes += event.operands[index].num_bytes();
    Met& met = met_[*event.instance];
    met.op = event.op;
    met.bytes = bytes;
    met.sent[event.device] = event.bytes_sent;
  }

  /// Most bytes that any device sends along each axis. An exchange whose groups are not axes is in
  /// none.
  std::map<std::string, int64_t> busiest() const {
    std::map<std::string, std::map<int64_t, int64_t>> loads;  // by axis and device
    for (const auto& [instance, met] : met_) add_loads(met, loads);
    std::map<std::string, int64_t> most;
    for (const auto& [axis, by_device] : loads) {
      for (const auto& [device, bytes] : by_device) most[axis] = std::max(most[axis], bytes);
    }
    std::erase_if(most, [](const auto& each) { return each.second == 0; });
    return most;
  }

 private:
  using Loads = std::map<std::string, std::map<int64_t, int64_t>>;
  using ExchangePattern = shardy::partitioning::ExchangePattern;
  using View = shardy::partitioning::CollectiveView;

  struct Met {
    shardy::ir::OpId op;
    int64_t bytes = 0;                // of the operands of one device
    std::map<int64_t, int64_t> sent;  // by the devices of the group
  };

  static int64_t coordinate(const View& view, const shardy::AxisRef& ref, int64_t device) {
    int64_t stride = 1;
    for (int32_t minor = view.mesh.num_axes(); --minor > ref.axis;) {
      stride *= view.mesh.axis_size(minor);
    }
    const int64_t whole = *view.mesh.position_of(device) / stride % view.mesh.axis_size(ref.axis);
    return whole / (view.mesh.axis_size(ref.axis) / (ref.pre * ref.size)) % ref.size;
  }

  void add_loads(const Met& met, Loads& loads) const {
    const View view = *views_.of(met.op);
    if (view.mesh_name.empty()) return;
    if (view.exchange == ExchangePattern::Permute) {
      for (const auto& [source, target] : pairs_of(view)) {
        if (!met.sent.contains(source)) continue;
        for (int32_t axis = 0; axis < view.mesh.num_axes(); ++axis) {
          const shardy::AxisRef ref = view.mesh.full_axis(axis);
          if (coordinate(view, ref, source) == coordinate(view, ref, target)) continue;
          loads[view.mesh.axis_name(axis)][source] += met.sent.at(source);
        }
      }
      return;
    }
    const bool is_rooted =
        view.exchange == ExchangePattern::Broadcast || view.exchange == ExchangePattern::Reduce;
    for (const auto& [device, sent] : met.sent) {
      const bool is_root = (view.exchange == ExchangePattern::Broadcast) == (sent > 0);
      if (is_rooted && !is_root) continue;
      for (const auto& [axis, peers] : peers_by_axis(view, met, device)) {
        loads[view.mesh.axis_name(axis)][device] += share(view.exchange, met, peers);
      }
    }
  }

  /// Peers by the axis along which their bytes go.
  static std::map<int32_t, int64_t> peers_by_axis(const View& view, const Met& met,
                                                  int64_t device) {
    std::map<int32_t, int64_t> peers;
    for (const auto& [other, sent] : met.sent) {
      for (const shardy::AxisRef& ref : view.axes) {
        if (coordinate(view, ref, device) == coordinate(view, ref, other)) continue;
        ++peers[ref.axis];
        break;
      }
    }
    return peers;
  }

  /// Bytes for so many peers, rounded up.
  static int64_t share(ExchangePattern exchange, const Met& met, int64_t peers) {
    const int64_t group = std::ssize(met.sent);
    const auto over_group = [&](int64_t bytes) { return (bytes * peers + group - 1) / group; };
    if (exchange == ExchangePattern::AllReduce) return over_group(2 * met.bytes);
    const bool is_divided =
        exchange == ExchangePattern::ReduceScatter || exchange == ExchangePattern::AllToAll;
    return is_divided ? over_group(met.bytes) : met.bytes * peers;
  }

  const shardy::ir::Module& program_;
  shardy::partitioning::CollectiveViews views_;
  std::map<int64_t, Met> met_;  // by the instance of the collective
};

}  // namespace shardy_test
