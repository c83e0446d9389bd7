// Loops, branches, calls. Spec: stablehlo 15.1, 28.
#include <algorithm>

#include "check_structure.hpp"
#include "infer_families.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"

namespace shardy::ir {

namespace {

/// `wanted` comes from the operands or the results of the op, `what` says which.
struct Wanted {
  const Types& types;
  std::string_view what;
};

tl::unexpected<Error> unwanted_type(const std::string& name, std::size_t index, const Type& got,
                                    const Wanted& wanted) {
  const std::string number = " " + std::to_string(index);
  return fail(name + number + " must have the type of " + std::string(wanted.what) + number + ", " +
              to_string(wanted.types[index]) + ", got " + to_string(got));
}

/// `name` (`cond: block argument`) says what the types `got` are of.
Status expect_types(const std::string& name, const Types& got, const Wanted& wanted) {
  if (got.size() != wanted.types.size()) {
    return fail(name + "s must be as many as " + std::string(wanted.what) + "s, " +
                std::to_string(wanted.types.size()) + ", got " + std::to_string(got.size()));
  }
  for (std::size_t index = 0; index < got.size(); ++index) {
    if (!compatible(got[index], wanted.types[index])) {
      return unwanted_type(name, index, got[index], wanted);
    }
  }
  return {};
}

Status expect_condition(const OpFacts& op) {
  const Types returned = returned_types(op, 0);
  if (returned.size() == 1 && compatible(returned.front(), Type::tensor({}, ElementType::I1))) {
    return {};
  }
  return fail("cond: must return tensor<i1>, got (" + to_string(returned) + ")");
}

Status expect_scalar_of(const OpFacts& op, ElementType element) {
  const Type wanted = Type::tensor({}, element);
  if (compatible(op.operand_type(0), wanted)) return {};
  return fail("operand 0 must be " + to_string(wanted) + ", got " + to_string(op.operand_type(0)));
}

/// The types that all branches return. Branches take no arguments.
Result<Types> branch_types(const OpFacts& op) {
  const Types wanted = returned_types(op, 0);
  for (std::size_t index = 0; index < op.regions.size(); ++index) {
    const std::string name = "branch " + std::to_string(index);
    const std::size_t num_args = region_arg_types(op, index).size();
    if (num_args != 0) {
      return fail(name + ": must have no block arguments, got " + std::to_string(num_args));
    }
    SHARDY_TRY_STATUS(expect_types(name + ": returned value", returned_types(op, index),
                                   {wanted, "branch 0's returned value"}));
  }
  return wanted;
}

}  // namespace

Result<Types> infer_while(const OpFacts& op) {
  const Types carried = op.operand_types();
  const Wanted wanted{carried, "operand"};
  SHARDY_TRY_STATUS(expect_types("cond: block argument", region_arg_types(op, 0), wanted));
  SHARDY_TRY_STATUS(expect_condition(op));
  SHARDY_TRY_STATUS(expect_types("body: block argument", region_arg_types(op, 1), wanted));
  SHARDY_TRY_STATUS(expect_types("body: returned value", returned_types(op, 1), wanted));
  return carried;
}

Result<Types> infer_case(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_scalar_of(op, ElementType::I32));
  return branch_types(op);
}

Result<Types> infer_if(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_scalar_of(op, ElementType::I1));
  return branch_types(op);
}

Result<Types> infer_call(const OpFacts& op) {
  SHARDY_TRY(const auto view, read_view<CallOp>(op.attributes));
  const std::optional<OpId> function = nearest_symbol(op.module, op.op, view.callee->name);
  if (!function || !op.module.is(*function, OpKind::Func)) {
    return fail("'" + view.callee->name + "' does not reference a valid function");
  }
  const Types args = op.module.arg_types(*function);
  const Wanted wanted{args, "callee argument"};
  SHARDY_TRY_STATUS(expect_types("operand", op.operand_types(), wanted));
  for (std::size_t index = 0; index < args.size(); ++index) {  // exactly, as in a body of its own
    if (op.operand_type(index) == args[index]) continue;
    return unwanted_type("operand", index, op.operand_type(index), wanted);
  }
  return op.module.function(*function).result_types;
}

Result<Types> infer_operand_types(const OpFacts& op) { return op.operand_types(); }

namespace {

/// Slices of the operand, picked by the index after their batch dims. Spec: stablehlo 30.
Result<Types> infer_torch_index_select(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY_STATUS(expect_class(op, 1, kS | kU));
  SHARDY_TRY(const auto view, read_view<TorchIndexSelectOp>(op.attributes));
  const Type& operand = op.operand_type(0);
  const auto index = op.operand_type(1).dims();
  SHARDY_TRY_STATUS(expect_dim(attr::kDim, view.dim, operand.dims().size()));
  SHARDY_TRY_STATUS(expect_dim(attr::kBatchDims, view.batch_dims, index.size() + 1));
  Dims dims(operand.dims().begin(), operand.dims().begin() + view.dim);
  dims.insert(dims.end(), index.begin() + view.batch_dims, index.end());
  dims.insert(dims.end(), operand.dims().begin() + view.dim + 1, operand.dims().end());
  return one_tensor(std::move(dims), operand.element());
}

}  // namespace

Result<Types> infer_written(const OpFacts& op) {
  if (op.kind == OpKind::Rng) return infer_rng(op);
  if (op.kind == OpKind::RngBitGenerator) return infer_rng_bit_generator(op);
  if (op.kind == OpKind::TorchIndexSelect) return infer_torch_index_select(op);
  if (op.result_types.empty() && has_trait(op.kind, kPure)) {
    return fail("needs its result types to be given");
  }
  if (writes_one_tensor(op.kind)) {
    SHARDY_TRY(Type result, written_result(op));
    return Types{std::move(result)};
  }
  return Types(op.result_types.begin(), op.result_types.end());
}

Result<Types> infer_nothing(const OpFacts&) { return Types(); }

}  // namespace shardy::ir
