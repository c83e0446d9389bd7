// The verifiers of the sdy ops that carry shardings. Spec: dialect 3.
#include <algorithm>
#include <string>

#include "ir/manual_scopes.hpp"
#include "op_facts.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/edge_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "verify_context.hpp"

namespace shardy::ir {

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
