// Bodies of text_form.hpp: edges of propagation.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <shardy/algebra/text_form.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
