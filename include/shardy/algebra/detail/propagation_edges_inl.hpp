// Bodies of propagation_edges.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>

namespace shardy {

SHARDY_INLINE bool operator==(const AxisEdge&, const AxisEdge&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const AxisEdge&, const AxisEdge&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const PropagationStepEdges&,
                                               const PropagationStepEdges&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const PropagationEdges&,
                                               const PropagationEdges&) = default;

SHARDY_INLINE bool operator==(const PropagationStepEdges&, const PropagationStepEdges&) = default;
SHARDY_INLINE bool operator==(const PropagationEdges&, const PropagationEdges&) = default;

SHARDY_INLINE bool has_distinct_values(const AxisEdge& edge) {
  std::set<EdgeValueRef> seen = {edge.source};
  return std::ranges::all_of(edge.targets,
                             [&](const EdgeValueRef& ref) { return seen.insert(ref).second; });
}

SHARDY_INLINE Status verify(const PropagationEdges& edges) {
  std::set<int64_t> steps;
  for (const PropagationStepEdges& step : edges.steps) {
    const std::string number = std::to_string(step.step);
    if (step.step < 0) return fail("negative step index: " + number);
    if (!steps.insert(step.step).second) return fail("duplicate step index");
    const auto bad = std::ranges::find_if_not(step.edges, has_distinct_values);
    if (bad == step.edges.end()) continue;
    return fail("duplicate targets for step index: " + number +
                " and axis: " + to_string(bad->axis));
  }
  return {};
}

SHARDY_INLINE std::string to_string(const EdgeValueRef& ref) {
  return (ref.kind == EdgeValueRef::Kind::Operand ? "operand-" : "result-") +
         std::to_string(ref.index);
}

SHARDY_INLINE std::string to_string(const AxisEdge& edge) {
  return "{" + to_string(edge.axis) + " = " + to_string(edge.source) + " -> [" +
         detail::joined(edge.targets) + "]}";
}

SHARDY_INLINE std::string to_string(const PropagationStepEdges& step) {
  return "{step-" + std::to_string(step.step) + " = [" + detail::joined(step.edges) + "]}";
}

SHARDY_INLINE std::string to_string(const PropagationEdges& edges) {
  return "<[" + detail::joined(edges.steps) + "]>";
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::EdgeValueRef>::operator()(
    const shardy::EdgeValueRef& ref) const {
  return shardy::hash_of(static_cast<int>(ref.kind), ref.index);
}

SHARDY_INLINE std::size_t std::hash<shardy::AxisEdge>::operator()(
    const shardy::AxisEdge& edge) const {
  return shardy::hash_combine(shardy::hash_of(edge.axis, edge.source),
                              shardy::hash_range(edge.targets));
}

SHARDY_INLINE std::size_t std::hash<shardy::PropagationStepEdges>::operator()(
    const shardy::PropagationStepEdges& step) const {
  return shardy::hash_combine(shardy::hash_of(step.step), shardy::hash_range(step.edges));
}

SHARDY_INLINE std::size_t std::hash<shardy::PropagationEdges>::operator()(
    const shardy::PropagationEdges& edges) const {
  return shardy::hash_range(edges.steps);
}
