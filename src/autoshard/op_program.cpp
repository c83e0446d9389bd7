// Makes programs of one op.
//
//   %5 = convolution(%3, %4)   ->   main(%0 [{}, {"a"}], %1 [{}, {}]) -> [{}, {"a"}] {
//                                     %2 = convolution(%0, %1)
//                                     return %2
//                                   }
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "autoshard/op_strategies.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "passes/common/functions.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Numbers the channels of collectives in program order, so that programs do not differ by them.
void number_channels(Module& module) {
  int64_t last = 0;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.attributes(op).contains(ir::attr::kChannelHandle)) continue;
    module.attributes(op).set(ir::attr::kChannelHandle, partitioning::channel_handle(++last));
  }
}

bool is_scalar_constant(const Module& module, ValueId value) {
  const OpId maker = module.defining_op(value);
  return maker.valid() && module.has_trait(maker, ir::kConstantLike) &&
         module.type(value).dims().empty();
}

}  // namespace

Module program_of_op(const Module& module, OpId op, std::span<const TensorSharding> operands,
                     std::span<const TensorSharding> results) {
  Module program;
  passes::ValueMap map;
  for (const OpId mesh : module.meshes()) {
    program.append(program.body(), passes::clone_op_into(program, module, mesh, map));
  }
  std::vector<ir::Type> types;
  std::vector<uint32_t> passed;  // operands that are arguments
  for (uint32_t index = 0; index < operands.size(); ++index) {
    const ValueId operand = module.operand(op, index);
    if (is_scalar_constant(module, operand)) continue;
    types.push_back(module.type(operand));
    passed.push_back(index);
  }
  std::vector<ir::Type> returned;
  for (const ValueId result : module.results(op)) returned.push_back(module.type(result));
  const OpId main = program.add_function("main", types, std::move(returned));
  const ir::BlockId entry = program.entry(main);
  std::vector<ValueId> inputs(operands.size());
  for (uint32_t index = 0; index < passed.size(); ++index) {
    inputs[passed[index]] = program.args(entry)[index];
    ir::set_arg_sharding(program, main, index, operands[passed[index]]);
  }
  for (uint32_t index = 0; index < operands.size(); ++index) {
    const ValueId operand = module.operand(op, index);
    if (!inputs[index].valid()) {
      const OpId constant =
          passes::clone_op_into(program, module, module.defining_op(operand), map);
      program.append(entry, constant);
      inputs[index] = program.result(constant);
    }
    map[operand] = inputs[index];
  }
  const OpId copy = passes::clone_op_into(program, module, op, map);
  program.set_operands(copy, inputs);
  program.append(entry, copy);
  number_channels(program);
  ir::OpSpec end{.kind = OpKind::FuncReturn};
  end.operands = program.results(copy);
  program.append(entry, program.create(std::move(end)));
  for (uint32_t index = 0; index < results.size(); ++index) {
    ir::set_result_sharding(program, main, index, results[index]);
  }
  return program;
}

}  // namespace shardy::autoshard
