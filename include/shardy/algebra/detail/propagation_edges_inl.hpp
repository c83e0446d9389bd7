// Bodies of propagation_edges.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <shardy/algebra/propagation_edges.hpp>
#include <shardy/algebra/sharding_text.hpp>
#include <shardy/algebra/text_form.hpp>
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

namespace shardy::detail {

/// `name-3`
SHARDY_INLINE Result<int64_t> read_numbered(Scanner& scanner, std::string_view name) {
  SHARDY_TRY_STATUS(scanner.expect(name));
  SHARDY_TRY_STATUS(scanner.expect("-"));
  return scanner.int64();
}

SHARDY_INLINE Result<EdgeValueRef> read_edge_value(Scanner& scanner) {
  const bool is_operand = scanner.rest().starts_with("operand");
  if (!is_operand && !scanner.rest().starts_with("result")) {
    return scanner.expected("'operand' or 'result'");
  }
  SHARDY_TRY(const int64_t index, read_numbered(scanner, is_operand ? "operand" : "result"));
  return EdgeValueRef{is_operand ? EdgeValueRef::Kind::Operand : EdgeValueRef::Kind::Result, index};
}

SHARDY_INLINE Result<AxisEdge> read_axis_edge(Scanner& scanner) {
  AxisEdge edge;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY(edge.axis, read_axis_ref(scanner));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(edge.source, read_edge_value(scanner));
  SHARDY_TRY_STATUS(scanner.expect("->"));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (scanner.peek() == ']') return scanner.expected("'operand' or 'result'");
  SHARDY_TRY_STATUS(
      read_list(scanner, "]", [&] { return read_into(scanner, edge.targets, read_edge_value); }));
  SHARDY_TRY_STATUS(scanner.expect("}"));
  return edge;
}

SHARDY_INLINE Result<PropagationStepEdges> read_step_edges(Scanner& scanner) {
  PropagationStepEdges step;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY(step.step, read_numbered(scanner, "step"));
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (scanner.peek() == ']') return scanner.expected("'{'");
  SHARDY_TRY_STATUS(
      read_list(scanner, "]", [&] { return read_into(scanner, step.edges, read_axis_edge); }));
  SHARDY_TRY_STATUS(scanner.expect("}"));
  return step;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<PropagationEdges> TextForm<shardy::PropagationEdges>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
  PropagationEdges edges;
  SHARDY_TRY_STATUS(scanner.expect("<"));
  SHARDY_TRY_STATUS(scanner.expect("["));
  if (scanner.peek() == ']') return scanner.expected("'{'");
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&] {
    return detail::read_into(scanner, edges.steps, detail::read_step_edges);
  }));
  SHARDY_TRY_STATUS(scanner.expect(">"));
  return edges;
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::EdgeValueRef>::operator()(
    const shardy::EdgeValueRef& ref) const noexcept {
  return shardy::hash_of(static_cast<int>(ref.kind), ref.index);
}

SHARDY_INLINE std::size_t std::hash<shardy::AxisEdge>::operator()(
    const shardy::AxisEdge& edge) const noexcept {
  return shardy::hash_combine(shardy::hash_of(edge.axis, edge.source),
                              shardy::hash_range(edge.targets));
}

SHARDY_INLINE std::size_t std::hash<shardy::PropagationStepEdges>::operator()(
    const shardy::PropagationStepEdges& step) const noexcept {
  return shardy::hash_combine(shardy::hash_of(step.step), shardy::hash_range(step.edges));
}

SHARDY_INLINE std::size_t std::hash<shardy::PropagationEdges>::operator()(
    const shardy::PropagationEdges& edges) const noexcept {
  return shardy::hash_range(edges.steps);
}
