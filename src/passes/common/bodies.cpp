#include "passes/common/bodies.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

std::vector<OpId> manual_computations(const Module& module) {
  std::vector<OpId> found;
  for (const OpId op : ir::post_order(module)) {
    if (module.is(op, OpKind::SdyManualComputation)) found.push_back(op);
  }
  return found;
}

std::vector<TensorSharding> shardings_in(const Module& module, OpId op, std::string_view name) {
  const auto* list = module.attribute<ir::ShardingList>(op, name);
  return list != nullptr ? list->shardings : std::vector<TensorSharding>();
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

}  // namespace shardy::passes
