#pragma once

#include <compare>
#include <cstdint>
#include <shardy/algebra/spelled.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// An operand or a result of an op, by its index. Text: `operand-1`.
struct EdgeValueRef {
  /// On which side of the op the value is.
  enum class Kind { Operand, Result };

  Kind kind = Kind::Operand;  // on which side of the op it is
  int64_t index = 0;          // which operand or result

  friend bool operator==(const EdgeValueRef&, const EdgeValueRef&) = default;
  friend std::strong_ordering operator<=>(const EdgeValueRef&, const EdgeValueRef&) = default;
};

/// An axis that went from one value of an op to others. Text: `{"a" = operand-1 -> [result-0]}`.
struct AxisEdge {
  SpelledAxisRef axis;                // as it is spelled
  EdgeValueRef source;                // where it came from
  std::vector<EdgeValueRef> targets;  // where it went, ascending

  friend bool operator==(const AxisEdge&, const AxisEdge&);
  friend std::strong_ordering operator<=>(const AxisEdge&, const AxisEdge&);
};

/// Edges of one step of propagation at an op. Text: `{step-4 = [...]}`.
struct PropagationStepEdges {
  int64_t step = 0;             // number of the step
  std::vector<AxisEdge> edges;  // one for each axis that moved

  friend bool operator==(const PropagationStepEdges&, const PropagationStepEdges&);
  friend std::strong_ordering operator<=>(const PropagationStepEdges&, const PropagationStepEdges&);
};

/// A debug attribute: which axes came to an op in which step, and from where. Keeps no rule; verify
/// states them. Text: `<[{step-4 = [{"a" = operand-1 -> [operand-0, result-0]}]}]>`.
/// Spec: algebra 10.2, propagation 16.2.
struct PropagationEdges {
  std::vector<PropagationStepEdges> steps;  // by ascending number

  friend bool operator==(const PropagationEdges&, const PropagationEdges&);
  friend std::strong_ordering operator<=>(const PropagationEdges&, const PropagationEdges&);
};

/// The source is not among the targets, and no target is there twice.
bool has_distinct_values(const AxisEdge& edge);

/// Errors: dialect 8, as far as they concern no op.
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/propagation_edges_inl.hpp>
#endif
