#pragma once

#include <cstdint>
#include <shardy/resharding/step.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The cost model of collectives. Spec: resharding C.1.

namespace shardy {

/// How the devices along a mesh axis are linked. Full: each reaches each other one directly, and
/// shares its bandwidth among them; the others are chains of neighbours, closed (rings, in one
/// direction or both) or open (a line, in both directions).
enum class Topology : uint8_t { Full, Ring, BidirectionalRing, Line };

/// "full", "ring", "biring", "line". Requires: an enumerator of Topology.
std::string_view to_string(Topology topology);

/// Bandwidth, latency and link of a mesh axis.
struct AxisCost {
  Topology topology = Topology::Full;  // how its devices are linked
  double bytes_per_second = 100e9;     // of a directed link; Full: of a device. At least 1, finite
  double latency_seconds = 0;          // of one message; at least 0, finite

  friend bool operator==(const AxisCost&, const AxisCost&);
};

/// Cost of one axis of a mesh, by name.
struct NamedAxisCost {
  std::string axis;  // name of the axis
  AxisCost cost;     // of that axis

  friend bool operator==(const NamedAxisCost&, const NamedAxisCost&);
};

/// Costs of mesh axes by name. Without latency, the default, plans rank by the bytes they
/// send, whatever the bandwidth.
struct CostModel {
  AxisCost other;                   // of axes that are not named
  std::vector<NamedAxisCost> axes;  // a later one of the same name wins

  /// Returns the cost of the axis of that name; `other` if the model does not name it.
  const AxisCost& of(std::string_view axis) const;

  friend bool operator==(const CostModel&, const CostModel&);
};

/// Checks that all costs of a model can be computed with. Errors: `axis "x": bandwidth nan; ...`, a
/// latency or a topology that AxisCost does not allow.
Status check_costs(const CostModel& model);

/// Cost of a step for a device, the maximum over all devices.
struct StepCost {
  int64_t bytes = 0;                     // sent, as many are received
  std::vector<int64_t> axis_bytes = {};  // over the busiest link along each mesh axis
  int64_t messages = 0;                  // one after the other
  double seconds = 0;                    // modelled, from the first message to the last
  int64_t live_bytes = 0;                // what goes in, comes out and is scratch
  int64_t result_bytes = 0;              // what comes out
};

/// A tensor as costs see it: elements of the global tensor, bytes of an element.
struct TensorSize {
  std::span<const int64_t> shape;  // elements along each dim
  int64_t element_bytes = 1;       // >= 1
};

/// Returns the bytes of a shard, the maximum over devices. Requires: as
/// TensorSharding::local_shape; as many bytes as int64 can count.
int64_t local_bytes(const TensorSize& tensor, const TensorSharding& sharding);

/// Returns the cost of `step` on a tensor sharded like `from`. Uneven dims count with their
/// padding. Requires: the step is legal there; check_costs(model). Cost: constant in the number of
/// devices, but for a permute along axes that are not Full, or to another order of devices.
StepCost step_cost(const TensorSize& tensor, const TensorSharding& from, const ReshardStep& step,
                   const CostModel& model = {});

/// Returns the total cost of a plan and its peak memory. Requires: each step is legal where
/// the one before ends, and ends on a mesh with as many axes; check_costs(model).
StepCost plan_cost(const TensorSize& tensor, const TensorSharding& from,
                   std::span<const ReshardStep> steps, const CostModel& model = {});

/// Returns the cost of one exchange among the devices that differ along `axes` only, each of which
/// holds `bytes` before: of an all_gather, all_to_all, reduce_scatter or all_reduce. What is live
/// is left out. Requires: one of these kinds; bytes >= 0; check_costs(model). Cost: constant in the
/// number of devices.
StepCost exchange_cost(StepKind kind, int64_t bytes, const Mesh& mesh, AxisSpan axes,
                       const CostModel& model = {});

/// Returns the cost of a collective-permute where the device at each place of `mesh` sends `bytes`
/// to the one at `targets[place]`, or nothing if that is itself. What is live is left out.
/// Requires: one target per device, each a place of the mesh; bytes >= 0; check_costs(model). Cost:
/// devices, times the size of axes that are not Full.
StepCost permute_cost(int64_t bytes, const Mesh& mesh, std::span<const int64_t> targets,
                      const CostModel& model = {});

/// Bytes that some device has to receive, whatever the plan: what of its shard under `to` it does
/// not hold under `from`. Requires: as local_bytes, of both; not on a single device.
/// Spec: resharding C.3.
int64_t least_bytes(const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/cost_inl.hpp>
#endif
