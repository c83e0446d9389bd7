// Bodies of manual computations and their calls, for both exports.
#include <utility>

#include "passes/common/bodies.hpp"
#include "passes/common/ops.hpp"
#include "passes/interop/foreign_export.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

ir::OpSpec marker_call(const Module& module, std::string_view target, ValueId operand,
                       ir::Type result) {
  ir::OpSpec spec{.kind = OpKind::CustomCall, .operands = {operand}};
  spec.result_types = {std::move(result)};
  spec.attributes.set(ir::attr::kCallTargetName, std::string(target));
  const OpId maker = module.defining_op(operand);
  if (maker.valid()) spec.location = module.location(maker);
  return spec;
}

void keep_unreduced(ir::OpSpec& spec, const TensorSharding& sharding) {
  const bool is_partial = sharding_size(sharding.unreduced_axes()) > 1;
  if (is_partial) spec.attributes.set(ir::attr::kHasSideEffect, true);
}

namespace {

/// Replaces the computation by a call of the function that contains its body.
Status replace_by_call(Module& module, OpId computation, SymbolTable& symbols) {
  const std::vector<ir::Type> outside = ir::detail::result_types(module, computation);
  std::vector<ir::Type> args, results;
  for (const ValueId arg : module.args(module.block(computation))) {
    args.push_back(module.type(arg));
  }
  for (const ValueId value : module.operands(module.last_op(module.block(computation)))) {
    results.push_back(module.type(value));
  }
  std::vector<ir::Type> operands;
  for (const ValueId operand : module.operands(computation)) {
    operands.push_back(module.type(operand));
  }
  if (operands != args || outside != results) {
    return fail_at_place(module, {computation},
                         "the manual computation has local shapes inside alone: it cannot become "
                         "a plain function");
  }
  const std::vector<ValueId> values = module.operands(computation);
  const OpId function = outline_body(module, computation, symbols, kInlinableBody);
  ir::OpSpec call{.kind = OpKind::FuncCall, .operands = values, .result_types = outside};
  call.attributes.set(ir::attr::kCallee, ir::SymbolAttr{std::string(module.symbol_name(function))});
  replace_op(module, computation, std::move(call));
  return {};
}

}  // namespace

PassErrors erase_manual_computations(Module& module) {
  SymbolTable symbols(module);
  for (const OpId op : manual_computations(module)) {
    if (Status status = replace_by_call(module, op, symbols); !status) {
      return {std::move(status).error()};
    }
  }
  return {};
}

void export_constants(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyConstant)) continue;
    ir::OpSpec spec{.kind = OpKind::Constant,
                    .result_types = ir::detail::result_types(module, op),
                    .attributes = module.attributes(op)};
    replace_op(module, op, std::move(spec));
  }
}

}  // namespace shardy::passes
