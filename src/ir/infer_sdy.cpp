// Ops of the sdy dialect. Spec: dialect 3.
#include <algorithm>

#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_shape.hpp"

namespace shardy::ir {

Result<Types> infer_same_tensor(const OpFacts& op) {
  if (TypeShape(op.operand_type(0)).kind() == ValueShape::Kind::NotShaped) {
    return fail("operand 0 must be a tensor, got " + to_string(op.operand_type(0)));
  }
  return op.operand_types();
}

namespace {

Status expect_ranked(const OpFacts& op) {
  if (TypeShape(op.operand_type(0)).kind() == ValueShape::Kind::Ranked) return {};
  return fail("operand 0 must be a ranked tensor, got " + to_string(op.operand_type(0)));
}

}  // namespace

Result<Types> infer_sharding_group(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_ranked(op));
  SHARDY_TRY_STATUS(read_view<ShardingGroupOp>(op.attributes));
  return Types();
}

Result<Types> infer_propagation_barrier(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<PropagationBarrierOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_enumerator(op, attr::kAllowedDirection));
  if (view.direction == "BOTH") return fail("cannot specify BOTH as the direction");
  SHARDY_TRY_STATUS(expect_ranked(op));
  return op.operand_types();
}

Result<Types> infer_named_computation(const OpFacts& op) {
  SHARDY_TRY_STATUS(required<std::string>(op, attr::kName, "a string"));
  const Types args = region_arg_types(op, 0);
  if (args.size() != op.num_operands()) {
    return fail("number of block arguments must match the number of operands: " +
                std::to_string(args.size()) + " != " + std::to_string(op.num_operands()));
  }
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (args[index] == op.operand_type(index)) continue;
    return fail("expected the type of the " + std::to_string(index) +
                "'th block argument to match the type of the corresponding operand: '" +
                to_string(args[index]) + "' vs '" + to_string(op.operand_type(index)) + "'");
  }
  return returned_types(op, 0);
}

namespace {

/// The type outside of a value that the body returns: its dims times their manual axes.
Result<Type> global_type(const Type& local, const TensorSharding& sharding, AxisNames manual) {
  if (!local.is_tensor() || sharding.rank() != local.dims().size()) return local;
  Dims dims(local.dims().begin(), local.dims().end());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (dims[dim] == kDynamicDim) continue;
    const std::optional<int64_t> size =
        checked_mul(dims[dim], manual_size(sharding.mesh(), sharding.dim(dim).axes, manual));
    if (!size) return fail("result is too large: a size does not fit 64 bits");
    dims[dim] = *size;
  }
  return Type::make_tensor(std::move(dims), local.element());
}

}  // namespace

/// Returns whether written types fit the body is checked with the shardings: verify_sdy.cpp.
Result<Types> infer_manual_computation(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<ManualComputationOp>(op.attributes));
  const std::vector<TensorSharding>& out = view.out->shardings;
  if (!op.result_types.empty()) return Types(op.result_types.begin(), op.result_types.end());
  const Types local = returned_types(op, 0);
  if (local.size() != out.size()) {
    return fail("result shardings don't match number of values: " + std::to_string(out.size()) +
                " shardings vs " + std::to_string(local.size()) + " values");
  }
  Types results;
  for (std::size_t index = 0; index < local.size(); ++index) {
    SHARDY_TRY(Type type, global_type(local[index], out[index], view.manual_axes->names));
    results.push_back(std::move(type));
  }
  return results;
}

}  // namespace shardy::ir
