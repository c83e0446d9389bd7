#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <set>
#include <shardy/algebra/sharding_text.hpp>
#include <shardy/algebra/text_form.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy {

/// An operand or a result of an op, by its index. Text: `operand-1`.
struct EdgeValueRef {
  enum class Kind { Operand, Result };

  Kind kind = Kind::Operand;
  int64_t index = 0;

  friend bool operator==(const EdgeValueRef&, const EdgeValueRef&) = default;
  friend std::strong_ordering operator<=>(const EdgeValueRef&, const EdgeValueRef&) = default;
};

/// An axis that went from one value of an op to others. Text: `{"a" = operand-1 -> [result-0]}`.
struct AxisEdge {
  SpelledAxisRef axis;
  EdgeValueRef source;
  std::vector<EdgeValueRef> targets;

  friend bool operator==(const AxisEdge&, const AxisEdge&) = default;
  friend std::strong_ordering operator<=>(const AxisEdge&, const AxisEdge&) = default;
};

/// What one step of propagation did to an op. Text: `{step-4 = [...]}`.
struct PropagationStepEdges {
  int64_t step = 0;
  std::vector<AxisEdge> edges;

  friend bool operator==(const PropagationStepEdges&, const PropagationStepEdges&) = default;
  friend std::strong_ordering operator<=>(const PropagationStepEdges&,
                                          const PropagationStepEdges&) = default;
};

/// A debug attribute: which axes came to an op in which step, and from where. Keeps no rule; verify
/// states them. Text: `<[{step-4 = [{"a" = operand-1 -> [operand-0, result-0]}]}]>`.
/// Spec: algebra 10.2, propagation 16.2.
struct PropagationEdges {
  std::vector<PropagationStepEdges> steps;

  friend bool operator==(const PropagationEdges&, const PropagationEdges&) = default;
  friend std::strong_ordering operator<=>(const PropagationEdges&,
                                          const PropagationEdges&) = default;
};

/// The source is not among the targets, and no target is there twice.
inline bool has_distinct_values(const AxisEdge& edge) {
  std::set<EdgeValueRef> seen = {edge.source};
  return std::ranges::all_of(edge.targets,
                             [&](const EdgeValueRef& ref) { return seen.insert(ref).second; });
}

/// Errors: dialect 8, as far as they concern no op.
inline Status verify(const PropagationEdges& edges) {
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

inline std::string to_string(const EdgeValueRef& ref) {
  return (ref.kind == EdgeValueRef::Kind::Operand ? "operand-" : "result-") +
         std::to_string(ref.index);
}
inline std::string to_string(const AxisEdge& edge) {
  return "{" + to_string(edge.axis) + " = " + to_string(edge.source) + " -> [" +
         detail::joined(edge.targets) + "]}";
}
inline std::string to_string(const PropagationStepEdges& step) {
  return "{step-" + std::to_string(step.step) + " = [" + detail::joined(step.edges) + "]}";
}
inline std::string to_string(const PropagationEdges& edges) {
  return "<[" + detail::joined(edges.steps) + "]>";
}

namespace detail {

/// `name-3`
inline Result<int64_t> read_numbered(Scanner& scanner, std::string_view name) {
  SHARDY_TRY_STATUS(scanner.expect(name));
  SHARDY_TRY_STATUS(scanner.expect("-"));
  return scanner.int64();
}

inline Result<EdgeValueRef> read_edge_value(Scanner& scanner) {
  const bool is_operand = scanner.rest().starts_with("operand");
  if (!is_operand && !scanner.rest().starts_with("result")) {
    return scanner.expected("'operand' or 'result'");
  }
  SHARDY_TRY(const int64_t index, read_numbered(scanner, is_operand ? "operand" : "result"));
  return EdgeValueRef{is_operand ? EdgeValueRef::Kind::Operand : EdgeValueRef::Kind::Result, index};
}

inline Result<AxisEdge> read_axis_edge(Scanner& scanner) {
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

inline Result<PropagationStepEdges> read_step_edges(Scanner& scanner) {
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

}  // namespace detail

template <>
struct TextForm<PropagationEdges> {
  static constexpr std::string_view kMnemonic = "propagation_edges";
  static constexpr bool kBracketed = true;
  static Result<PropagationEdges> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
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
  static std::string print(const PropagationEdges& edges) { return to_string(edges); }
};

}  // namespace shardy

template <>
struct std::hash<shardy::EdgeValueRef> {
  std::size_t operator()(const shardy::EdgeValueRef& ref) const noexcept {
    return shardy::hash_of(static_cast<int>(ref.kind), ref.index);
  }
};

template <>
struct std::hash<shardy::AxisEdge> {
  std::size_t operator()(const shardy::AxisEdge& edge) const noexcept {
    return shardy::hash_combine(shardy::hash_of(edge.axis, edge.source),
                                shardy::hash_range(edge.targets));
  }
};

template <>
struct std::hash<shardy::PropagationStepEdges> {
  std::size_t operator()(const shardy::PropagationStepEdges& step) const noexcept {
    return shardy::hash_combine(shardy::hash_of(step.step), shardy::hash_range(step.edges));
  }
};

template <>
struct std::hash<shardy::PropagationEdges> {
  std::size_t operator()(const shardy::PropagationEdges& edges) const noexcept {
    return shardy::hash_range(edges.steps);
  }
};
