// The attributes that say how shardings came about. Spec: dialect 8.2.
#include <algorithm>
#include <string>

#include "shardy/algebra/equivalence.hpp"
#include "shardy/algebra/propagation_edges.hpp"
#include "shardy/algebra/text_form.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

namespace {

constexpr std::string_view kPropagationEdges = "sdy.propagation_edges";

bool is_text_of_edges(const Attribute& attribute) {
  const auto* opaque = attribute.as<OpaqueAttr>();
  if (!opaque) return false;
  const std::string_view text = opaque->text;
  return text.starts_with("#sdy.propagation_edges<") || text.starts_with("#sdy<propagation_edges");
}

tl::unexpected<Error> wrong_type(std::string_view name) {
  return fail(
      "should have a propagation edges attribute of type PropagationEdges for attr named '" +
      std::string(name) + "'");
}

/// These attributes travel as text. The rules of the value come before those of its place.
Result<PropagationEdges> read_edges(const Attribute& attribute, std::string_view name) {
  if (!is_text_of_edges(attribute)) return wrong_type(name);
  SHARDY_TRY(PropagationEdges edges,
             parse_value<PropagationEdges>(attribute.as<OpaqueAttr>()->text));
  SHARDY_TRY_STATUS(verify(edges));
  return edges;
}

/// Operands and results of a step: those of the op; the operands of an edge op are the sources of
/// the edge. Spec: dialect 5.1.
struct StepValues {
  std::vector<ValueId> operands;
  std::vector<ValueId> results;

  const std::vector<ValueId>& of(EdgeValueRef::Kind kind) const {
    return kind == EdgeValueRef::Kind::Operand ? operands : results;
  }
  bool has(const EdgeValueRef& ref) const {
    return ref.index >= 0 && ref.index < static_cast<int64_t>(of(ref.kind).size());
  }
};

StepValues step_values(const Module& module, OpId op) {
  StepValues values{module.operands(op), module.results(op)};
  if (!module.is(op, OpKind::SdyDataFlowEdge)) return values;
  const std::vector<Use> sources = edge_sources(module, values.operands.front());
  if (sources.empty()) return values;  // on a value that owns no edge
  values.operands.clear();
  for (const Use& source : sources) {
    values.operands.push_back(module.operand(source.op, source.operand));
  }
  return values;
}

/// Calls `visit` with the source and the targets of each axis, in order; stops at an error.
template <class Visit>
Status for_each_value(const PropagationEdges& edges, Visit visit) {
  for (const PropagationStepEdges& step : edges.steps) {
    for (const AxisEdge& edge : step.edges) {
      SHARDY_TRY_STATUS(visit(edge.source));
      for (const EdgeValueRef& target : edge.targets) {
        SHARDY_TRY_STATUS(visit(target));
      }
    }
  }
  return {};
}

Status expect_in_range(const StepValues& values, const EdgeValueRef& ref) {
  if (values.has(ref)) return {};
  const bool is_operand = ref.kind == EdgeValueRef::Kind::Operand;
  return fail("expected a value ref to have " +
              std::string(is_operand ? "an operand" : "a result") + " index in range [0, " +
              std::to_string(values.of(ref.kind).size()) + "), got: " + std::to_string(ref.index));
}

/// Returns the sharding of each reference to a value, in order. Operands of a function's edge are
/// values of callers and have none.
std::vector<std::optional<TensorSharding>> shardings_of(const Module& module, OpId op,
                                                        const StepValues& values,
                                                        const PropagationEdges& edges) {
  const bool is_func_edge = module.is(op, OpKind::SdyFuncDataFlowEdge);
  std::vector<std::optional<TensorSharding>> shardings;
  const Status visited = for_each_value(edges, [&](const EdgeValueRef& ref) -> Status {
    if (!values.has(ref) || (is_func_edge && ref.kind == EdgeValueRef::Kind::Operand)) return {};
    const ValueId value = values.of(ref.kind)[static_cast<std::size_t>(ref.index)];
    if (auto sharding = get_sharding(module, value)) shardings.emplace_back(*std::move(sharding));
    return {};
  });
  SHARDY_ASSERT(visited.has_value());
  return shardings;
}

Status expect_axes_of(const Mesh& mesh, const PropagationEdges& edges) {
  for (const PropagationStepEdges& step : edges.steps) {
    for (const AxisEdge& edge : step.edges) {
      if (!mesh.find_axis(edge.axis.name)) {
        return fail("expected axis ref to be in one of the meshes");
      }
    }
  }
  return {};
}

Status verify_edges_of_op(const Module& module, OpId op) {
  const Attribute* attribute = module.attributes(op).find(kPropagationEdges);
  if (!attribute) return {};
  SHARDY_TRY(const PropagationEdges edges, read_edges(*attribute, kPropagationEdges));
  const StepValues values = step_values(module, op);
  const bool is_func_edge = module.is(op, OpKind::SdyFuncDataFlowEdge);
  if (!is_func_edge) {
    SHARDY_TRY_STATUS(for_each_value(
        edges, [&](const EdgeValueRef& ref) { return expect_in_range(values, ref); }));
  }
  const auto shardings = shardings_of(module, op, values, edges);
  if (shardings.empty() && is_func_edge) return {};
  if (shardings.empty()) return fail("expected propagation edges attr to reference a sharding");
  const std::optional<MeshRef> mesh = common_mesh(shardings);
  if (!mesh)
    return fail("expected a common mesh of the shardings that propagation edges reference");
  return expect_axes_of(mesh->mesh, edges);
}

/// Verifies the edges of a data-flow op, whose values are those of its former edge ops.
Status verify_edges_array(const AttributeMap& attributes, std::string_view name) {
  const Attribute* attribute = attributes.find(name);
  if (!attribute) return {};
  const auto* array = attribute->as<ArrayAttr>();
  if (!array) return wrong_type(name);
  for (const Attribute& element : array->elements) {
    SHARDY_TRY_STATUS(read_edges(element, name));
  }
  return {};
}

}  // namespace

Status verify_debug(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  SHARDY_TRY_STATUS(verify_edges_of_op(module, op));
  for (const std::string_view name :
       {"sdy.block_arg_propagation_edges", "sdy.result_propagation_edges"}) {
    SHARDY_TRY_STATUS(verify_edges_array(module.attributes(op), name));
  }
  return {};
}

}  // namespace shardy::ir
