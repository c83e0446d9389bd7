#pragma once

#include <shardy/resharding/cost.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The attribute of a mesh that says what its axes cost, as text.
constexpr std::string_view kAxisCostsAttribute = "shardy.axis_costs";

/// `x=ring:100GB/s:1us, y=full:900GB/s, *=line`: axes with their links, the bandwidth of a link and
/// the time of a message; what is left out is as in AxisCost. `*` is every axis that is not named.
/// Units: B, kB, MB, GB, TB and their binary ones, KiB to TiB, per second; ns, us, ms, s. Errors:
/// another form, a bandwidth that is not positive, a negative time, a repeated name.
Result<CostModel> parse_cost_model(std::string_view text);

/// As parse_cost_model reads it.
std::string to_string(const CostModel& model);

/// `model` with what `other` says instead, axis by axis.
CostModel merged(CostModel model, const CostModel& other);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace shardy::detail {

struct Unit {
  std::string_view name;
  double factor;
};

// Larger units first: a number is written in the first one that it reaches.
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

// Costs beyond are not realistic, and their sums would not be finite.
constexpr double kMostBytesPerSecond = 1e30;
constexpr double kMostSeconds = 1e9;

SHARDY_INLINE std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

/// The parts between the separators; one empty part for an empty text.
SHARDY_INLINE std::vector<std::string_view> parts(std::string_view text, char separator) {
  std::vector<std::string_view> all;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    all.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == std::string_view::npos) return all;
    begin = end + 1;
  }
}

/// "100GB/s": a number, directly followed by one of the units.
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

/// In the largest decimal unit of which there is at least one.
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
    // It speaks of all axes, also of those that were named before.
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
