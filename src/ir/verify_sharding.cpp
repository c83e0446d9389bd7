// Checks of shardings and rules attached to values and ops, of the attributes that record their
// origins, and of the sdy ops that carry shardings. Spec: algebra 7.3, 9.2, 9.3; dialect 1.2, 1.3,
// 3, 8.2.
#include <algorithm>
#include <string>

#include "ir/program_facts.hpp"
#include "op_facts.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/manual_axes.hpp"
#include "shardy/algebra/propagation_edges.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "verify_context.hpp"

namespace shardy::ir {
namespace {

/// Checks that the mesh of a sharding equals the mesh of that name in the module.
Status expect_mesh_of_module(const VerifyContext& context, const TensorSharding& sharding) {
  if (!sharding.mesh_name()) return {};
  const std::string& name = *sharding.mesh_name();
  // Regions may nest deeply, so most lookups do not search around the op.
  const std::optional<Mesh> mesh = context.in_nested_module
                                       ? nearest_mesh(context.module, context.op, name)
                                       : context.module.find_mesh(name);
  if (!mesh) return fail_unknown_mesh(*sharding.mesh_name());
  if (*mesh == sharding.mesh()) return {};
  return fail("sharding is on mesh " + to_string(sharding.mesh()) + ", but " +
              symbol_text(*sharding.mesh_name()) + " is " + to_string(*mesh));
}

Status expect_free_axes(const VerifyContext& context, const TensorSharding& sharding) {
  if (context.scope.empty()) return {};
  Status status;
  sharding.any_axis([&](const AxisRef& ref) {
    status = expect_free_axis(context, sharding.mesh().axis_name(ref.axis));
    return !status.has_value();
  });
  return status;
}

/// Checks the sharding of an op without results.
Status verify_without_value(const VerifyContext& context, const TensorSharding& sharding) {
  SHARDY_TRY_STATUS(expect_mesh_of_module(context, sharding));
  if (sharding.rank() == 0 && sharding.empty_axes()) return {};
  return fail(
      "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced "
      "axes");
}

constexpr std::string_view kNotResolved =
    "should have a resolved sharding attribute: shardings are resolved before they are verified";

Status verify_result_shardings(const VerifyContext& context, OpId op) {
  const Attribute* attribute = context.module.attributes(op).find(kShardingAttr);
  if (!attribute) return {};
  if (attribute->as<UnresolvedShardingList>()) return fail(std::string(kNotResolved));
  const auto* list = attribute->as<ShardingList>();
  if (!list) return fail("should have a sharding attribute of type TensorShardingPerValue");
  return verify_per_value(context, list->shardings, detail::result_types(context.module, op),
                          "result ");
}

/// Returns the shapes for the check of a rule. The objects own the texts and dims that their views
/// refer to.
std::vector<CheckedShape> shapes_of(const Module& module, std::span<const ValueId> values) {
  std::vector<CheckedShape> shapes;
  shapes.reserve(values.size());
  for (const ValueId value : values) shapes.emplace_back(module.type(value));
  return shapes;
}

std::vector<ValueShape> views_of(std::span<const CheckedShape> shapes) {
  std::vector<ValueShape> views;
  views.reserve(shapes.size());
  for (const CheckedShape& shape : shapes) views.push_back(shape.view());
  return views;
}

/// Returns the shapes of tensors; std::nullopt if a value is not a tensor.
std::optional<std::vector<ValueShape>> tensor_shapes(const Module& module,
                                                     std::span<const ValueId> values) {
  std::vector<ValueShape> shapes;
  shapes.reserve(values.size());
  for (const ValueId value : values) {
    const auto shape = shape_without_text(module.type(value));
    if (!shape) return std::nullopt;
    shapes.push_back(*shape);
  }
  return shapes;
}

/// Checks whether a rule fits the shapes of the op, without writing an error message.
bool fits(const OpShardingRule& rule, const Module& module, OpId op) {
  const auto operands = tensor_shapes(module, module.operands(op));
  const auto results = tensor_shapes(module, module.results(op));
  return operands && results && rule.verify_for(*operands, *results).has_value();
}

Status verify_rule(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  const Attribute* attribute = module.attributes(op).find(kShardingRuleAttr);
  if (!attribute) return {};
  const auto* rule = attribute->as<OpShardingRule>();
  if (!rule) return fail("should have a sharding rule attribute of type OpShardingRule");
  if (fits(*rule, module, op)) return {};
  const std::vector<CheckedShape> operands = shapes_of(module, module.operands(op));
  const std::vector<CheckedShape> results = shapes_of(module, module.results(op));
  return rule->verify_for(views_of(operands), views_of(results));
}

/// The attributes of the arguments of a function, or of its results.
struct FunctionSide {
  DiagnosticSubject::Kind kind;
  const std::vector<AttributeMap>& attributes;
  const std::vector<Type>& types;
};

Status verify_function_value(const VerifyContext& context, const AttributeMap& attributes,
                             const Type& type) {
  const Attribute* attribute = attributes.find(kShardingAttr);
  if (!attribute) return {};
  if (attribute->as<UnresolvedSharding>()) return fail(std::string(kNotResolved));
  const auto* sharding = attribute->as<TensorSharding>();
  if (!sharding) return fail("should have a sharding attribute of type TensorSharding");
  return verify_sharding(context, *sharding, type);
}

Status verify_function_side(const VerifyContext& context, const FunctionSide& side) {
  if (side.attributes.size() > side.types.size()) {
    const bool has_args = side.kind == DiagnosticSubject::Kind::Argument;
    return fail("has " + std::to_string(side.types.size()) + (has_args ? " arg" : " result") +
                "s, but attributes for " + std::to_string(side.attributes.size()));
  }
  for (std::size_t index = 0; index < side.attributes.size(); ++index) {
    Status status = verify_function_value(context, side.attributes[index], side.types[index]);
    if (status) continue;
    return tl::unexpected(
        about_function_value(side.kind, index, about_sharding(std::move(status).error())));
  }
  return {};
}

/// Checks that `tf.aliasing_output` of each argument names a result. Skips functions that return
/// tuples, whose elements become separate results only later.
Status verify_aliases(const FunctionData& data) {
  constexpr std::string_view kAliasingOutput = "tf.aliasing_output";
  const auto is_tuple = [](const Type& type) { return type.as<TupleType>() != nullptr; };
  if (std::ranges::any_of(data.result_types, is_tuple)) return {};
  for (std::size_t index = 0; index < data.arg_attributes.size(); ++index) {
    const Attribute* attribute = data.arg_attributes[index].find(kAliasingOutput);
    if (attribute == nullptr) continue;
    const auto* result = attribute->as<IntegerAttr>();
    const auto count = static_cast<int64_t>(data.result_types.size());
    if (result != nullptr && result->value >= 0 && result->value < count) continue;
    const std::string given =
        result != nullptr ? " = " + std::to_string(result->value) : " is not an integer";
    return tl::unexpected(about_function_value(
        DiagnosticSubject::Kind::Argument, index,
        {std::string(kAliasingOutput) + given + ", but the function has " + std::to_string(count) +
         (count == 1 ? " result" : " results") + "; it is the index of a result, from 0"}));
  }
  return {};
}

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

/// Reads an attribute that is stored as text. Errors in the value precede errors in its position.
Result<PropagationEdges> read_edges(const Attribute& attribute, std::string_view name) {
  if (!is_text_of_edges(attribute)) return wrong_type(name);
  SHARDY_TRY(PropagationEdges edges,
             parse_value<PropagationEdges>(attribute.as<OpaqueAttr>()->text));
  SHARDY_TRY_STATUS(verify(edges));
  return edges;
}

/// The operands and results of the op. For an edge op, the operands are the sources of its edge.
/// Spec: dialect 5.1.
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
  if (sources.empty()) return values;  // the value of the op does not have an edge
  values.operands.clear();
  for (const Use& source : sources) {
    values.operands.push_back(module.operand(source.op, source.operand));
  }
  return values;
}

/// Returns the source and the targets of each axis, in order.
std::vector<EdgeValueRef> values_of(const PropagationEdges& edges) {
  std::vector<EdgeValueRef> refs;
  for (const PropagationStepEdges& step : edges.steps) {
    for (const AxisEdge& edge : step.edges) {
      refs.push_back(edge.source);
      refs.insert(refs.end(), edge.targets.begin(), edge.targets.end());
    }
  }
  return refs;
}

Status expect_in_range(const StepValues& values, const EdgeValueRef& ref) {
  if (values.has(ref)) return {};
  const bool is_operand = ref.kind == EdgeValueRef::Kind::Operand;
  return fail("expected a value ref to have " +
              std::string(is_operand ? "an operand" : "a result") + " index in range [0, " +
              std::to_string(values.of(ref.kind).size()) + "), got: " + std::to_string(ref.index));
}

/// Returns the shardings of the referenced values that have one, in order. References to the
/// operands of a function's edge are skipped, because these are values of the callers.
std::vector<std::optional<TensorSharding>> shardings_of(const Module& module, OpId op,
                                                        const StepValues& values,
                                                        const PropagationEdges& edges) {
  const bool is_func_edge = module.is(op, OpKind::SdyFuncDataFlowEdge);
  std::vector<std::optional<TensorSharding>> shardings;
  for (const EdgeValueRef& ref : values_of(edges)) {
    if (!values.has(ref) || (is_func_edge && ref.kind == EdgeValueRef::Kind::Operand)) continue;
    const ValueId value = values.of(ref.kind)[static_cast<std::size_t>(ref.index)];
    if (auto sharding = get_sharding(module, value)) shardings.emplace_back(*std::move(sharding));
  }
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
  for (const EdgeValueRef& ref : values_of(edges)) {
    if (!is_func_edge) SHARDY_TRY_STATUS(expect_in_range(values, ref));
  }
  const auto shardings = shardings_of(module, op, values, edges);
  if (shardings.empty() && is_func_edge) return {};
  if (shardings.empty()) return fail("expected propagation edges attr to reference a sharding");
  const std::optional<MeshRef> mesh = common_mesh(shardings);
  if (!mesh)
    return fail("expected a common mesh of the shardings that propagation edges reference");
  return expect_axes_of(mesh->mesh, edges);
}

/// Checks that each element of an array is a readable list of edges. The elements are the edges of
/// former edge ops, so the values are not checked.
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

Status fail_of_parent(const VerifyContext& context, std::string message, OpId parent) {
  Error error{std::move(message), {}, {}};
  const std::string at = context.module.location_text(parent);
  error.notes.push_back("the parent is " + (at.empty() ? "an enclosing op" : "at " + at));
  return tl::unexpected(std::move(error));
}

Status expect_free_axis(const VerifyContext& context, std::string_view axis) {
  const auto bound = context.scope.find(axis);
  if (bound == context.scope.end()) return {};
  return fail_of_parent(context,
                        "operates on axis " + in_quotes(axis) +
                            " which is already bound by a parent sdy.manual_computation op",
                        bound->second);
}

namespace {

Status verify_unmarked(const VerifyContext& context, const TensorSharding& sharding,
                       const Type& type) {
  SHARDY_TRY_STATUS(expect_mesh_of_module(context, sharding));
  if (sharding.mesh().is_maximal()) return {};
  if (is_unshardable_tuple(type)) {
    return fail("ops can only have a sharding for a tuple of size 1: '" + to_string(type) + "'");
  }
  const auto shape = shape_without_text(type);
  if (!shape || !verify_sharding_for_shape(sharding, *shape)) {
    SHARDY_TRY_STATUS(verify_sharding_for_shape(sharding, CheckedShape(type).view()));
  }
  return expect_free_axes(context, sharding);
}

}  // namespace

Status verify_sharding(const VerifyContext& context, const TensorSharding& sharding,
                       const Type& type) {
  return verify_unmarked(context, sharding, type).map_error(about_sharding);
}

Status verify_per_value(const VerifyContext& context, std::span<const TensorSharding> shardings,
                        std::span<const Type> types, std::string_view prefix) {
  const auto prefixed = [&](Status status, const std::string& number) -> Status {
    if (status) return status;
    return tl::unexpected(
        with_prefix(std::string(prefix) + number, about_sharding(std::move(status).error())));
  };
  if (types.empty() && shardings.size() == 1 &&
      (shardings[0].mesh().is_maximal() || shardings[0].is_fully_replicated())) {
    return prefixed(verify_without_value(context, shardings[0]), "- ");
  }
  if (shardings.size() != types.size()) {
    return fail(std::string(prefix) +
                "shardings don't match number of values: " + std::to_string(shardings.size()) +
                " shardings vs " + std::to_string(types.size()) + " values");
  }
  for (std::size_t index = 0; index < types.size(); ++index) {
    const std::string number = types.size() == 1 ? "- " : std::to_string(index) + " - ";
    SHARDY_TRY_STATUS(prefixed(verify_sharding(context, shardings[index], types[index]), number));
  }
  return {};
}

// ---- Attached to an op --------------------------------------------------------------------------

Status verify_attached(const VerifyContext& context, OpId op) {
  if (context.module.attributes(op).empty() && !context.module.is(op, OpKind::Func)) return {};
  SHARDY_TRY_STATUS(verify_result_shardings(context, op));
  SHARDY_TRY_STATUS(verify_rule(context, op));
  SHARDY_TRY_STATUS(verify_debug(context, op));
  if (!context.module.is(op, OpKind::Func)) return {};
  const FunctionData& data = context.module.function(op);
  const std::vector<Type> args = context.module.arg_types(op);
  using Kind = DiagnosticSubject::Kind;
  SHARDY_TRY_STATUS(verify_function_side(context, {Kind::Argument, data.arg_attributes, args}));
  SHARDY_TRY_STATUS(verify_aliases(data));
  return verify_function_side(context, {Kind::Result, data.result_attributes, data.result_types});
}

Status verify_debug(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  SHARDY_TRY_STATUS(verify_edges_of_op(module, op));
  for (const std::string_view name :
       {"sdy.block_arg_propagation_edges", "sdy.result_propagation_edges"}) {
    SHARDY_TRY_STATUS(verify_edges_array(module.attributes(op), name));
  }
  return {};
}

namespace {

constexpr std::string_view kSharding = "a resolved sharding";
constexpr std::string_view kShardings = "resolved shardings";

/// Checks how the unreduced axes change. An axis may be dropped, a kept axis keeps its reduction,
/// and a new axis is reduced by a sum.
Status verify_transition(const VerifyContext& context, OpId op, const TensorSharding& sharding) {
  const std::optional<TensorSharding> before =
      get_sharding_bypassing_barriers(context.module, context.module.operand(op, 0));
  if (!before) return {};
  const std::optional<TensorSharding> after = sharding;
  return verify_unreduced_transition(
      std::span(&before, 1), std::span(&after, 1),
      {.introduce = ReductionOp::Sum, .remove = before->reduction_op()});
}

}  // namespace

Status verify_reshard(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  SHARDY_TRY(const auto* sharding,
             required_attribute<TensorSharding>(module.attributes(op), attr::kSharding, kSharding));
  SHARDY_TRY_STATUS(verify_sharding(context, *sharding, module.type(module.operand(op, 0))));
  return verify_transition(context, op, *sharding);
}

// ---- Named computations -------------------------------------------------------------------------

namespace {

Status verify_optional_list(const VerifyContext& context, OpId op, std::string_view name,
                            std::span<const Type> types) {
  if (!context.module.attributes(op).contains(name)) return {};
  SHARDY_TRY(const auto* list,
             required_attribute<ShardingList>(context.module.attributes(op), name, kShardings));
  return verify_per_value(context, list->shardings, types, std::string(name) + " ");
}

}  // namespace

Status verify_named_computation(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  SHARDY_TRY_STATUS(
      verify_optional_list(context, op, attr::kInShardings, detail::operand_types(module, op)));
  return verify_optional_list(context, op, attr::kOutShardings, detail::result_types(module, op));
}

// ---- Manual computations ------------------------------------------------------------------------

Status verify_manual_scope(const VerifyContext& context, OpId op) {
  for (const std::string& axis : detail::manual_axes_of(context.module, op)) {
    SHARDY_TRY_STATUS(expect_free_axis(context, axis));
  }
  return {};
}

namespace {

/// The operands and block arguments of a manual computation, or its results and returned values.
struct ManualSide {
  std::string kind;  // "operand" or "result"
  std::vector<Type> global;
  std::vector<Type> local;
  std::vector<TensorSharding> shardings;
  AxisNames manual;
};

/// Checks that in each dim the manual axes come before the free axes.
Status expect_manual_first(const ManualSide& side, std::size_t index) {
  const TensorSharding& sharding = side.shardings[index];
  const Mesh& mesh = sharding.mesh();
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
    const AxisList& axes = sharding.dim(dim).axes;
    for (std::size_t at = first_free(mesh, axes, side.manual) + 1; at < axes.size(); ++at) {
      if (!is_manual(mesh, axes[at], side.manual)) continue;
      return fail(side.kind + " sharding at index " + std::to_string(index) +
                  " must have all manual axes come before free axes in its dimension sharding at "
                  "index " +
                  std::to_string(dim) + ". Saw manual axis " + to_string(mesh, axes[at]) +
                  " after free axis " + to_string(mesh, axes[at - 1]));
    }
  }
  return {};
}

/// Returns the dims that the type in the body must have.
Result<Dims> local_dims(const ManualSide& side, std::size_t index) {
  const TensorSharding& sharding = side.shardings[index];
  Dims dims(side.global[index].dims().begin(), side.global[index].dims().end());
  if (sharding.rank() != dims.size()) return dims;  // the sharding is on a maximal mesh
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == kDynamicDim) continue;
    const int64_t parts = manual_size(sharding.mesh(), sharding.dim(dim).axes, side.manual);
    if (dims[dim] % parts != 0) {
      return fail(side.kind + " dimension size " + std::to_string(dims[dim]) +
                  " is not divisible by the manual axes size " + std::to_string(parts));
    }
    dims[dim] /= parts;
  }
  return dims;
}

/// Removes the encoding, which the body may keep or drop.
Type without_encoding(const Type& type) {
  return type.is_tensor() ? type.with_element(type.element()) : type;
}

Status verify_manual_value(const ManualSide& side, std::size_t index) {
  SHARDY_TRY_STATUS(expect_manual_first(side, index));
  const Type& global = side.global[index];
  const Type& local = side.local[index];
  if (!global.is_tensor() && is_any_tensor(global) && is_any_tensor(local)) return {};
  Type expected = global;
  if (global.is_tensor()) {
    SHARDY_TRY(Dims dims, local_dims(side, index));
    expected = global.with_dims(std::move(dims));
  }
  const bool has_encoding = global.is_tensor() && is_foreign(global);
  if ((has_encoding ? without_encoding(local) : local) == expected) return {};
  return fail(side.kind + " shape, corresponding sharding, and region " + side.kind +
              " shape at index " + std::to_string(index) + " must match. Expected local shape '" +
              to_string(expected) + "', actual local shape '" + to_string(local) + "'");
}

Status verify_manual_side(const VerifyContext& context, const ManualSide& side) {
  SHARDY_TRY_STATUS(verify_per_value(context, side.shardings, side.global, side.kind + " "));
  if (side.global.size() != side.local.size()) {
    return fail("number of op " + side.kind + "s and region " + side.kind +
                "s must match. Op has " + std::to_string(side.global.size()) + " op " + side.kind +
                "s and " + std::to_string(side.local.size()) + " region " + side.kind + "s");
  }
  for (std::size_t index = 0; index < side.global.size(); ++index) {
    SHARDY_TRY_STATUS(verify_manual_value(side, index));
  }
  return {};
}

/// Checks that all shardings are on one mesh, and that the mesh has the manual axes.
Status verify_manual_mesh(const ManualSide& in, const ManualSide& out) {
  std::vector<std::optional<TensorSharding>> all(in.shardings.begin(), in.shardings.end());
  all.insert(all.end(), out.shardings.begin(), out.shardings.end());
  if (all.empty() || in.manual.empty()) return {};
  const std::optional<MeshRef> mesh = common_mesh(all);
  if (!mesh)
    return fail("all in and out shardings must be bound to the same mesh or an empty mesh");
  for (const std::string& axis : in.manual) {
    if (!mesh->mesh.find_axis(axis)) return fail("unknown manual axis: " + in_quotes(axis));
  }
  return {};
}

/// Checks that nested manual computations have the same order of devices. With another order, a
/// block of the inner computation would mix data from several blocks of the outer computation.
Status expect_order_of_parents(const VerifyContext& context, OpId op) {
  const std::optional<MeshRef> own = mesh_of_manual(context.module, op);
  if (!own) return {};
  for (const auto& [axis, parent] : context.scope) {
    const std::optional<MeshRef> outer = mesh_of_manual(context.module, parent);
    if (!outer || std::ranges::equal(own->mesh.device_ids(), outer->mesh.device_ids())) continue;
    return fail_of_parent(context,
                          "is on a mesh with other device_ids than the mesh of a parent "
                          "sdy.manual_computation op; both must be on one mesh",
                          parent);
  }
  return {};
}

std::vector<Type> types_of(const Module& module, std::span<const ValueId> values) {
  std::vector<Type> types;
  for (const ValueId value : values) types.push_back(module.type(value));
  return types;
}

}  // namespace

Status verify_manual_computation(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  const AttributeMap& attributes = module.attributes(op);
  SHARDY_TRY(const auto* in,
             required_attribute<ShardingList>(attributes, attr::kInShardings, kShardings));
  SHARDY_TRY(const auto* out,
             required_attribute<ShardingList>(attributes, attr::kOutShardings, kShardings));
  const BlockId body = module.block(op);
  const AxisNames manual = detail::manual_axes_of(module, op);
  const ManualSide operands{"operand", detail::operand_types(module, op),
                            types_of(module, module.args(body)), in->shardings, manual};
  const ManualSide results{"result", detail::result_types(module, op),
                           types_of(module, module.operands(module.last_op(body))), out->shardings,
                           manual};
  SHARDY_TRY_STATUS(verify_manual_side(context, operands));
  SHARDY_TRY_STATUS(verify_manual_side(context, results));
  SHARDY_TRY_STATUS(verify_manual_mesh(operands, results));
  return manual.empty() ? Status() : expect_order_of_parents(context, op);
}

// ---- Edges --------------------------------------------------------------------------------------

namespace {

Status expect_edge_value(const Module& module, OpId op) {
  const std::string name(module.name(op));
  if (!has_static_shape(module.type(module.operand(op, 0)))) {
    return fail("expected " + name + " to have a static-shaped result");
  }
  if (module.num_uses(module.operand(op, 0)) != 1) {
    return fail("expected input of " + name + " to have a single user");
  }
  return {};
}

/// Returns whether each dim of `sharding` has the manual axes that the dim has in `wanted`, before
/// any free axes.
bool has_manual_axes_of(const TensorSharding& wanted, const TensorSharding& sharding,
                        AxisNames manual) {
  const Mesh& mesh = sharding.mesh();
  if (sharding.rank() != wanted.rank() || !(mesh == wanted.mesh())) return false;
  for (std::size_t dim = 0; dim < sharding.rank(); ++dim) {
    const AxisSpan axes = sharding.dim(dim).axes;
    const AxisSpan of_wanted = wanted.dim(dim).axes;
    const std::size_t free = first_free(mesh, axes, manual);
    const bool same =
        std::ranges::equal(axes.first(free), of_wanted.first(first_free(mesh, of_wanted, manual)));
    const auto is_late = [&](const AxisRef& ref) { return is_manual(mesh, ref, manual); };
    if (!same || std::ranges::any_of(axes.subspan(free), is_late)) return false;
  }
  return true;
}

/// Checks that the sharding of an edge has the manual axes of the result that the edge belongs to,
/// because propagation removes these axes at the boundary of a manual computation.
Status expect_manual_axes_of_result(const VerifyContext& context, OpId edge,
                                    const TensorSharding& sharding) {
  const Module& module = context.module;
  const ValueOwner owner = module.owner(module.operand(edge, 0));
  if (!owner.is_result() || !module.is(owner.op, OpKind::SdyManualComputation)) return {};
  const auto* list = module.attribute<ShardingList>(owner.op, attr::kOutShardings);
  const AxisNames manual = detail::manual_axes_of(module, owner.op);
  if (list == nullptr || manual.empty() || owner.index >= list->shardings.size()) return {};
  const TensorSharding& of_result = list->shardings[owner.index];
  if (has_manual_axes_of(of_result, sharding, manual)) return {};
  return fail("has other manual axes than the result that it represents: " + to_string(sharding) +
              " vs " + to_string(of_result));
}

}  // namespace

Status verify_data_flow_edge(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  SHARDY_TRY_STATUS(expect_edge_value(module, op));
  const OpId definition = module.defining_op(module.operand(op, 0));
  if (definition.valid() && dialect_of(module.kind(definition)) == Dialect::Sdy &&
      !module.has_trait(definition, kDataFlow)) {
    Error error{"expected input of sdy.data_flow_edge to not be defined by an SDY op", {}, {}};
    error.notes.push_back("it is defined by '" + std::string(module.name(definition)) + "'");
    return tl::unexpected(std::move(error));
  }
  if (!module.attributes(op).contains(attr::kSharding)) return {};
  SHARDY_TRY(const auto* sharding,
             required_attribute<TensorSharding>(module.attributes(op), attr::kSharding, kSharding));
  SHARDY_TRY_STATUS(verify_sharding(context, *sharding, module.type(module.operand(op, 0))));
  return expect_manual_axes_of_result(context, op, *sharding);
}

Status verify_func_data_flow_edge(const VerifyContext& context, OpId op) {
  const Module& module = context.module;
  SHARDY_TRY_STATUS(expect_edge_value(module, op));
  const ValueOwner owner = module.owner(module.operand(op, 0));
  const std::string input = "expected input of sdy.func_data_flow_edge to be a ";
  if (owner.is_result()) {
    if (module.is(owner.op, OpKind::FuncCall)) return {};
    return fail(input + "result of call op");
  }
  const OpId parent = module.parent_op(owner.block);
  if (parent.valid() && module.is(parent, OpKind::Func)) return {};
  return fail(input + "block argument of a func op");
}

}  // namespace shardy::ir
