// Costs of reshard steps, plans and single collectives, and the text form of a cost model.
#pragma once

#include <cstdint>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The cost model of collectives. Spec: resharding C.1.

namespace shardy {

/// Links between the devices along a mesh axis. Full: each pair of devices has a direct path; a
/// device shares its bandwidth among all paths. Ring: a closed chain in one direction.
/// BidirectionalRing: a closed chain in both directions. Line: an open chain in both directions.
enum class Topology : uint8_t { Full, Ring, BidirectionalRing, Line };

/// Returns "full", "ring", "biring" or "line". Requires: an enumerator of Topology.
std::string_view to_string(Topology topology);

/// Topology, bandwidth and latency of a mesh axis.
struct AxisCost {
  Topology topology = Topology::Full;  // links between the devices along the axis
  /// Bandwidth of each link in one direction; Full: of each device; finite, >= 1.
  double bytes_per_second = 100e9;
  double latency_seconds = 0;  // latency of one message; finite, >= 0

  friend bool operator==(const AxisCost&, const AxisCost&);
};

/// The cost of the mesh axis named `axis`.
struct NamedAxisCost {
  std::string axis;  // name of the axis
  AxisCost cost;     // cost of the axis

  friend bool operator==(const NamedAxisCost&, const NamedAxisCost&);
};

/// Costs of mesh axes by name. By default latency is 0 on all axes and bandwidths are equal; plans
/// are then compared by the bytes that they send.
struct CostModel {
  AxisCost other;                   // cost of axes that `axes` does not name
  std::vector<NamedAxisCost> axes;  // a later element overrides earlier ones of the same name

  /// Returns the cost of the axis named `axis`; `other` if the model does not name it.
  const AxisCost& of(std::string_view axis) const;

  friend bool operator==(const CostModel&, const CostModel&);
};

/// Checks that all costs are within the limits of AxisCost. Errors: `axis "x": bandwidth nan; ...`;
/// an invalid latency or topology.
Status check_costs(const CostModel& model);

/// Cost of a step or plan on one device; each member is a maximum over all devices.
struct StepCost {
  int64_t bytes = 0;                     // bytes sent, which equal the bytes received
  std::vector<int64_t> axis_bytes = {};  // bytes over the busiest link along each mesh axis
  int64_t messages = 0;                  // number of messages that run one after the other
  double seconds = 0;                    // modelled time from the first message to the last
  int64_t live_bytes = 0;                // bytes of operand, result and scratch buffers
  int64_t result_bytes = 0;              // bytes of the result
};

/// Size of a tensor for the cost model.
struct TensorSize {
  std::span<const int64_t> shape;  // global shape
  int64_t element_bytes = 1;       // bytes of one element, >= 1
};

/// Returns the bytes of the largest shard. Requires: as TensorSharding::local_shape; the bytes fit
/// int64.
int64_t local_bytes(const TensorSize& tensor, const TensorSharding& sharding);

/// Returns the cost of `step` on a tensor with the sharding `from`. Padding of uneven dims counts
/// as data. Requires: the step is legal after `from`; check_costs(model). Cost: constant in the
/// number of devices, except for a permute along axes that are not Full or between device orders.
StepCost step_cost(const TensorSize& tensor, const TensorSharding& from, const ReshardStep& step,
                   const CostModel& model = {});

/// Returns the total cost of a plan and its peak memory. Requires: each step is legal after the
/// step before it; all meshes have equal numbers of axes; check_costs(model).
StepCost plan_cost(const TensorSize& tensor, const TensorSharding& from,
                   std::span<const ReshardStep> steps, const CostModel& model = {});

/// Returns the cost of one collective over the replica groups of devices that differ only along
/// `axes`. Each device has `bytes` before the collective. `kind` is AllGather, AllToAll,
/// ReduceScatter or AllReduce. live_bytes and result_bytes are not computed. Requires: one of these
/// kinds; bytes >= 0; check_costs(model). Cost: constant in the number of devices.
StepCost exchange_cost(StepKind kind, int64_t bytes, const Mesh& mesh, AxisSpan axes,
                       const CostModel& model = {});

/// Returns the cost of a collective-permute in which the device at logical position p of `mesh`
/// sends `bytes` to the device at position `targets[p]`, or nothing if targets[p] == p. live_bytes
/// and result_bytes are not computed. Requires: one target per device, each a position of the mesh;
/// bytes >= 0; check_costs(model). Cost: number of devices times the sizes of axes that are not
/// Full.
StepCost permute_cost(int64_t bytes, const Mesh& mesh, std::span<const int64_t> targets,
                      const CostModel& model = {});

/// Returns a lower bound of the bytes that some device receives under any plan: the part of its
/// shard under `to` that it does not have under `from`. Requires: as local_bytes, for both
/// shardings; no single-device sharding. Spec: resharding C.3.
int64_t least_bytes(const TensorSize& tensor, const TensorSharding& from, const TensorSharding& to);

namespace detail {

/// Returns whether the axes `a` and `b` of a dim can give some device disjoint blocks of the dim.
/// Blocks can be disjoint if, after the common prefix, both lists continue with axes of independent
/// coordinates. Changes of other dims do not matter.
bool can_be_disjoint(AxisSpan a, AxisSpan b);

}  // namespace detail

/// Name of the mesh attribute with the cost model of its axes, as text.
constexpr std::string_view kAxisCostsAttribute = "shardy.axis_costs";

/// Parses a cost model: `x=ring:100GB/s:1us, y=full:900GB/s, *=line`. Each axis has a topology, a
/// bandwidth and a latency; omitted items have the defaults of AxisCost. `*` gives the cost of all
/// axes without an own entry. Units of bandwidth: B, kB, MB, GB, TB and KiB to TiB, per second.
/// Units of latency: ns, us, ms, s. Errors: any other text, a bandwidth that is not positive, a
/// negative latency, a repeated name.
Result<CostModel> parse_cost_model(std::string_view text);

/// Returns the text that parse_cost_model parses to `model`.
std::string to_string(const CostModel& model);

/// Returns `model`, with each cost replaced that `other` defines.
CostModel merged(CostModel model, const CostModel& other);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/resharding/detail/step_meter.hpp>  // defines functions of this header
#include <shardy/support/detail/math.hpp>
#include <utility>

namespace shardy {

SHARDY_INLINE bool operator==(const AxisCost&, const AxisCost&) = default;
SHARDY_INLINE bool operator==(const NamedAxisCost&, const NamedAxisCost&) = default;
SHARDY_INLINE bool operator==(const CostModel&, const CostModel&) = default;

SHARDY_INLINE std::string_view to_string(Topology topology) {
  constexpr std::array<std::string_view, 4> kNames = {"full", "ring", "biring", "line"};
  SHARDY_EXPECTS(static_cast<std::size_t>(topology) < kNames.size());
  return kNames[static_cast<std::size_t>(topology)];
}

SHARDY_INLINE const AxisCost& CostModel::of(std::string_view axis) const {
  for (auto row = axes.rbegin(); row != axes.rend(); ++row) {
    if (row->axis == axis) return row->cost;
  }
  return other;
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Status check_cost(const std::string& axis, const AxisCost& cost) {
  const auto wrong = [&](const std::string& what, const std::string& allowed) {
    return fail(axis + ": " + what + "; " + allowed);
  };
  if (static_cast<std::size_t>(cost.topology) > static_cast<std::size_t>(Topology::Line)) {
    return wrong("topology " + std::to_string(static_cast<int>(cost.topology)),
                 "it must be an enumerator of Topology");
  }
  if (!std::isfinite(cost.bytes_per_second) || cost.bytes_per_second < 1) {
    return wrong("bandwidth " + std::to_string(cost.bytes_per_second) + " B/s",
                 "it must be finite and at least 1");
  }
  if (!std::isfinite(cost.latency_seconds) || cost.latency_seconds < 0) {
    return wrong("latency " + std::to_string(cost.latency_seconds) + " s",
                 "it must be finite and at least 0");
  }
  return {};
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Status check_costs(const CostModel& model) {
  SHARDY_TRY_STATUS(detail::check_cost("other axes", model.other));
  for (const NamedAxisCost& each : model.axes) {
    SHARDY_TRY_STATUS(detail::check_cost("axis \"" + each.axis + "\"", each.cost));
  }
  return {};
}

SHARDY_INLINE int64_t local_bytes(const TensorSize& tensor, const TensorSharding& sharding) {
  const std::optional<int64_t> elements = checked_product(sharding.local_shape(tensor.shape));
  const auto bytes = elements ? checked_mul(*elements, tensor.element_bytes) : std::nullopt;
  SHARDY_EXPECTS(bytes && *bytes >= 0);
  return *bytes;
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE bool can_be_disjoint(AxisSpan a, AxisSpan b) {
  const AxisList common = greatest_common_prefix(a, b);
  const auto first = [&](AxisSpan list) -> std::optional<AxisRef> {
    for (const AxisRef& ref : rest_after(list, common)) {
      if (ref.size > 1) return ref;
    }
    return std::nullopt;
  };
  const std::optional<AxisRef> left = first(a);
  const std::optional<AxisRef> right = first(b);
  return left && right && can_coexist(*left, *right) &&
         (left->axis != right->axis || left->pre != right->pre);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE StepCost plan_cost(const TensorSize& tensor, const TensorSharding& from,
                                 std::span<const ReshardStep> steps, const CostModel& model) {
  SHARDY_EXPECTS(check_costs(model).has_value());
  StepCost all{.result_bytes = local_bytes(tensor, from)};
  all.live_bytes = all.result_bytes;
  all.axis_bytes.resize(from.mesh().axes().size());
  const TensorSharding* here = &from;
  for (const ReshardStep& step : steps) {
    const StepCost cost = step_cost(tensor, *here, step, model);
    all.bytes = saturating_add(all.bytes, cost.bytes);
    all.messages += cost.messages;
    all.seconds += cost.seconds;
    all.live_bytes = std::max(all.live_bytes, cost.live_bytes);
    all.result_bytes = std::max(all.result_bytes, cost.result_bytes);
    SHARDY_EXPECTS(cost.axis_bytes.size() == all.axis_bytes.size());
    for (std::size_t axis = 0; axis < all.axis_bytes.size(); ++axis) {
      all.axis_bytes[axis] = saturating_add(all.axis_bytes[axis], cost.axis_bytes[axis]);
    }
    here = &step.out;
  }
  return all;
}

SHARDY_INLINE int64_t least_bytes(const TensorSize& tensor, const TensorSharding& from,
                                  const TensorSharding& to) {
  if (!set_difference(to.unreduced_axes(), from.unreduced_axes()).empty()) return 0;
  const std::vector<int64_t> have = from.local_shape(tensor.shape);
  const std::vector<int64_t> want = to.local_shape(tensor.shape);
  const int64_t wanted = local_bytes(tensor, to);
  if (!set_difference(from.unreduced_axes(), to.unreduced_axes()).empty()) return wanted;
  // Both meshes have one device order, unless every device has the full result.
  const bool same_devices = from.mesh() == to.mesh();
  std::vector<int64_t> kept;  // size of the common part of both shards, per dim
  bool disjoint = false;      // some device has no part of its result
  for (std::size_t dim = 0; dim < want.size(); ++dim) {
    kept.push_back(std::min(have[dim], want[dim]));
    disjoint = disjoint || detail::can_be_disjoint(from.dim(dim).axes, to.dim(dim).axes);
  }
  const bool is_even = from.evenly_divided_shape(tensor.shape).has_value() &&
                       to.evenly_divided_shape(tensor.shape).has_value();
  return same_devices && is_even && disjoint ? wanted
                                             : wanted - product(kept) * tensor.element_bytes;
}

}  // namespace shardy

namespace shardy::detail {

struct Unit {
  std::string_view name;
  double factor;
};

// Units in descending order: a number is printed in the first unit that it reaches.
constexpr auto kBandwidths = std::to_array<Unit>({
    {"TiB/s", 1024.0 * 1024 * 1024 * 1024},
    {"TB/s", 1e12},
    {"GiB/s", 1024.0 * 1024 * 1024},
    {"GB/s", 1e9},
    {"MiB/s", 1024.0 * 1024},
    {"MB/s", 1e6},
    {"KiB/s", 1024.0},
    {"kB/s", 1e3},
    {"B/s", 1.0},
});
constexpr auto kTimes = std::to_array<Unit>({{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}});

// Higher bandwidths are not realistic, and sums of such costs could overflow.
constexpr double kMostBytesPerSecond = 1e30;
constexpr double kMostSeconds = 1e9;

SHARDY_INLINE std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// Splits the text at the separators. An empty text has one empty part.
SHARDY_INLINE std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> all;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    all.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == std::string_view::npos) return all;
    begin = end + 1;
  }
}

/// Parses a number directly followed by a unit, such as "100GB/s".
SHARDY_INLINE std::optional<double> quantity(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name(rest, static_cast<std::size_t>(end - rest));
  const auto unit = std::ranges::find(units, name, &Unit::name);
  const bool is_finite = value >= 0 && value < 1e300;
  if (unit == units.end() || !is_finite) return std::nullopt;
  return value * unit->factor;
}

/// Prints the value in the largest decimal unit in which it is at least 1.
SHARDY_INLINE std::string quantity_text(double value, std::span<const Unit> units) {
  const Unit* best = &units.back();
  for (const Unit& unit : units) {
    const bool is_binary = unit.name.find('i') != std::string_view::npos;
    if (is_binary || value < unit.factor) continue;
    best = &unit;
    break;
  }
  std::array<char, 32> buffer = {};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value / best->factor);
  return std::string(buffer.data(), end.ptr) + std::string(best->name);
}

SHARDY_INLINE Result<AxisCost> parse_axis_cost(std::string_view text) {
  const std::vector<std::string_view> fields = parts(text, ':');
  constexpr auto kTopologies =
      std::to_array({Topology::Full, Topology::Ring, Topology::BidirectionalRing, Topology::Line});
  AxisCost cost;
  const auto topology =
      std::ranges::find(kTopologies, fields.front(), [](Topology kind) { return to_string(kind); });
  if (topology == kTopologies.end()) {
    return fail("expected full, ring, biring or line, got: " + std::string(fields.front()));
  }
  cost.topology = *topology;
  if (fields.size() > 3) return fail("expected LINKS:BANDWIDTH:TIME, got: " + std::string(text));
  if (fields.size() > 1) {
    const std::optional<double> bandwidth = quantity(fields[1], kBandwidths);
    if (!bandwidth || *bandwidth <= 0) {
      return fail("expected a bandwidth like 100GB/s, got: " + std::string(fields[1]));
    }
    if (*bandwidth < 1 || *bandwidth > kMostBytesPerSecond) {
      return fail("expected a bandwidth from 1B/s to 1e21GB/s, got: " + std::string(fields[1]));
    }
    cost.bytes_per_second = *bandwidth;
  }
  if (fields.size() > 2) {
    const std::optional<double> latency = quantity(fields[2], kTimes);
    if (!latency) return fail("expected a time like 1us, got: " + std::string(fields[2]));
    if (*latency > kMostSeconds) {
      return fail("expected a time up to 1e9s, got: " + std::string(fields[2]));
    }
    cost.latency_seconds = *latency;
  }
  return cost;
}

SHARDY_INLINE std::string axis_cost_text(const AxisCost& cost) {
  return std::string(to_string(cost.topology)) + ":" +
         quantity_text(cost.bytes_per_second, kBandwidths) + ":" +
         quantity_text(cost.latency_seconds, kTimes);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<CostModel> parse_cost_model(std::string_view text) {
  CostModel model;
  bool has_other = false;
  if (detail::trimmed(text).empty()) return model;
  for (const std::string_view entry : detail::parts(text, ',')) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail("expected AXIS=LINKS:BANDWIDTH:TIME, got: " + std::string(entry));
    }
    const std::string name(detail::trimmed(entry.substr(0, equals)));
    SHARDY_TRY(const AxisCost cost,
               detail::parse_axis_cost(detail::trimmed(entry.substr(equals + 1))));
    const bool is_known =
        name == "*" ? has_other
                    : std::ranges::find(model.axes, name, &NamedAxisCost::axis) != model.axes.end();
    if (is_known) return fail("two costs of axis " + name);
    if (name == "*") {
      model.other = cost;
      has_other = true;
    } else {
      model.axes.push_back({name, cost});
    }
  }
  return model;
}

SHARDY_INLINE std::string to_string(const CostModel& model) {
  std::string text;
  const auto add = [&](const std::string& name, const AxisCost& cost) {
    if (!text.empty()) text += ",";
    text += name + "=" + detail::axis_cost_text(cost);
  };
  for (const NamedAxisCost& row : model.axes) add(row.axis, row.cost);
  if (model.other != AxisCost()) add("*", model.other);
  return text;
}

SHARDY_INLINE CostModel merged(CostModel model, const CostModel& other) {
  if (other.other != AxisCost()) {
    // `*` of `other` overrides all axes, including the named axes of `model`.
    model.axes.clear();
    model.other = other.other;
  }
  for (const NamedAxisCost& row : other.axes) {
    const auto found = std::ranges::find(model.axes, row.axis, &NamedAxisCost::axis);
    if (found == model.axes.end()) {
      model.axes.push_back(row);
    } else {
      found->cost = row.cost;
    }
  }
  return model;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
