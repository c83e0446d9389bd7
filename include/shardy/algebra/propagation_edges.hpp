#pragma once

#include <compare>
#include <cstdint>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// A reference to an operand or result of an op. Text: `operand-1`.
struct EdgeValueRef {
  /// Kind of the value.
  enum class Kind { Operand, Result };

  Kind kind = Kind::Operand;  // operand or result
  int64_t index = 0;          // index of the operand or result

  friend bool operator==(const EdgeValueRef&, const EdgeValueRef&) = default;
  friend std::strong_ordering operator<=>(const EdgeValueRef&, const EdgeValueRef&) = default;
};

/// An axis that propagated from one value of an op to others. Text: `{"a" = operand-1 ->
/// [result-0]}`.
struct AxisEdge {
  UnresolvedAxisRef axis;             // name of the axis or sub-axis
  EdgeValueRef source;                // value that had the axis
  std::vector<EdgeValueRef> targets;  // values that got the axis, ascending

  friend bool operator==(const AxisEdge&, const AxisEdge&);
  friend std::strong_ordering operator<=>(const AxisEdge&, const AxisEdge&);
};

/// Edges of one propagation step of an op. Text: `{step-4 = [...]}`.
struct PropagationStepEdges {
  int64_t step = 0;             // number of the step
  std::vector<AxisEdge> edges;  // one edge per axis and source

  friend bool operator==(const PropagationStepEdges&, const PropagationStepEdges&);
  friend std::strong_ordering operator<=>(const PropagationStepEdges&, const PropagationStepEdges&);
};

/// A debug attribute: the axes that propagated through an op, with step and source. Not validated;
/// `verify` checks it. Text: `<[{step-4 = [{"a" = operand-1 -> [operand-0, result-0]}]}]>`. Spec:
/// algebra 10.2, propagation 16.2.
struct PropagationEdges {
  std::vector<PropagationStepEdges> steps;  // steps by ascending number

  friend bool operator==(const PropagationEdges&, const PropagationEdges&);
  friend std::strong_ordering operator<=>(const PropagationEdges&, const PropagationEdges&);
};

/// Checks that the source is not a target, and that targets are distinct.
bool has_distinct_values(const AxisEdge& edge);

/// Checks the attribute without its op. Errors: those of dialect 8 that do not depend on the op.
Status verify(const PropagationEdges& edges);

std::string to_string(const EdgeValueRef& ref);
std::string to_string(const AxisEdge& edge);
std::string to_string(const PropagationStepEdges& step);
std::string to_string(const PropagationEdges& edges);

}  // namespace shardy

template <>
struct std::hash<shardy::EdgeValueRef> {
  std::size_t operator()(const shardy::EdgeValueRef& ref) const;
};

template <>
struct std::hash<shardy::AxisEdge> {
  std::size_t operator()(const shardy::AxisEdge& edge) const;
};

template <>
struct std::hash<shardy::PropagationStepEdges> {
  std::size_t operator()(const shardy::PropagationStepEdges& step) const;
};

template <>
struct std::hash<shardy::PropagationEdges> {
  std::size_t operator()(const shardy::PropagationEdges& edges) const;
};

#ifdef SHARDY_BODIES
#include <algorithm>
#include <set>

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
#endif  // SHARDY_BODIES
