// What both exports do with bodies and calls.
#include <utility>

#include "passes/common/sdy_ops.hpp"
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

std::vector<OpId> manual_computations(const Module& module) {
  std::vector<OpId> found;
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::SdyManualComputation)) found.push_back(op);
  }
  return found;
}

OpId outline_body(Module& module, OpId computation, SymbolTable& symbols, std::string_view name) {
  const ir::BlockId body = module.block(computation);
  std::vector<ir::Type> args;
  for (const ValueId arg : module.args(body)) args.push_back(module.type(arg));
  std::vector<ir::Type> results;
  for (const ValueId value : module.operands(module.last_op(body))) {
    results.push_back(module.type(value));
  }
  const OpId function = module.add_function(symbols.unique_name(name), args, std::move(results));
  module.attributes(function).set("sym_visibility", std::string("private"));
  module.set_location(function, module.location(computation));
  const ir::BlockId entry = module.entry(function);
  module.splice(body, entry);
  for (std::size_t index = 0; index < args.size(); ++index) {
    module.replace_all_uses(module.args(body)[index], module.args(entry)[index]);
  }
  const OpId last = module.last_op(entry);
  ir::OpSpec spec{.kind = OpKind::FuncReturn};
  spec.operands = module.operands(last);
  spec.location = module.location(last);
  module.append(entry, module.create(std::move(spec)));
  module.erase(last);
  return function;
}

void inline_body(Module& module, OpId computation) {
  const ir::BlockId body = module.block(computation);
  for (std::size_t index = 0; index < module.num_operands(computation); ++index) {
    module.replace_all_uses(module.args(body)[index], module.operand(computation, index));
  }
  const OpId last = module.last_op(body);
  const std::vector<ValueId> values = module.operands(last);
  for (OpId op = module.first_op(body); op.valid() && op != last;) {
    const OpId next = module.next(op);
    module.remove(op);
    module.insert_before(computation, op);
    op = next;
  }
  for (std::size_t index = 0; index < values.size(); ++index) {
    module.replace_all_uses(module.result(computation, index), values[index]);
  }
  module.erase(computation);
}

namespace {

/// A call of the function takes the place of the computation that it was.
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
