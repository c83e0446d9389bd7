// `stablehlo.if` becomes a case with two branches, through which shardings propagate.
// Spec: partitioning 9.3.
//
//   %0 = stablehlo.if %p {                     %1 = select %p, 0, 1 : tensor<i32>
//     return %a                                %0 = stablehlo.case %1 {
//   }, {                                 ->      return %a
//     return %b                                }, {
//   }                                            return %b
//                                              } {sdy.from_if}
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

/// Creates the branch index: 0 if the predicate is true, else 1.
ValueId branch_index(Module& module, OpId op) {
  ir::Builder builder = ir::Builder::before(module, op);
  builder.set_location(module.location(op));
  const Type type = Type::tensor({}, ir::ElementType::I32);
  const auto constant = [&](int64_t number) {
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kValue, ir::int_splat_literal(type, number));
    return builder.create_value(OpKind::Constant, {}, type, std::move(attributes));
  };
  const ValueId first = constant(0);
  const ValueId second = constant(1);
  return builder.create_value(OpKind::Select, {module.operand(op, 0), first, second}, type);
}

void move_ops(Module& module, ir::BlockId from, ir::BlockId to) {
  std::vector<OpId> ops;
  for (const OpId op : module.ops(from)) ops.push_back(op);
  for (const OpId op : ops) {
    module.remove(op);
    module.append(to, op);
  }
}

void replace_by_case(Module& module, OpId op) {
  ir::OpSpec spec{.kind = OpKind::Case};
  spec.operands = {branch_index(module, op)};
  for (const ValueId result : module.results(op)) spec.result_types.push_back(module.type(result));
  spec.attributes = module.attributes(op);
  spec.attributes.set(kFromIfAttr, ir::UnitAttr());
  spec.location = module.location(op);
  for (std::size_t index = 0; index < module.regions(op).size(); ++index) {
    const ir::RegionId region = module.new_region();
    move_ops(module, module.block(op, index), module.new_block(region));
    spec.regions.push_back(region);
  }
  const OpId made = module.create(std::move(spec));
  module.insert_before(op, made);
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    module.replace_all_uses(module.result(op, index), module.result(made, index));
  }
  module.erase(op);
}

bool is_plain(const Module& module, OpId op) {
  for (const ir::RegionId region : module.regions(op)) {
    if (module.blocks(region).size() != 1) return false;
  }
  return module.regions(op).size() == 2 && module.num_operands(op) == 1;
}

}  // namespace

void ifs_to_cases(Module& module) {
  const auto enters = [&](OpId op) { return !has_element_regions(module, op); };
  for (const OpId op : ir::post_order(module, module.body(), enters)) {
    if (module.is(op, OpKind::If) && is_plain(module, op)) replace_by_case(module, op);
  }
}

}  // namespace shardy::passes
