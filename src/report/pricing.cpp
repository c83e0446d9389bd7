#include "report/pricing.hpp"

#include <algorithm>
#include <utility>

#include "report/program_analysis.hpp"
#include "shardy/ir/detail/attribute_hash.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/support/detail/hash.hpp"

namespace shardy::report {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

Report make_cost_report(const checking::CompiledProgram& compiled, const CostModel& model) {
  const RunTimes times(compiled.program);
  Report report;
  report.collectives = collectives_of(compiled.program, compiled.propagated, times, model);
  add_totals(report, compiled.program);
  report.peak.bytes = partitioning::peak_place(compiled.program).bytes;
  report.work.per_device = flops_of(compiled.program, times);
  return report;
}

namespace {

bool same_value(const Module& a, const Module& b, ValueId value) {
  return a.type(value) == b.type(value) && a.num_uses(value) == b.num_uses(value) &&
         (a.num_uses(value) == 0 || a.uses(value) == b.uses(value)) &&
         a.value_name(value) == b.value_name(value);
}

bool same_values(const Module& a, const Module& b, std::span<const ValueId> values) {
  return std::ranges::all_of(values, [&](ValueId value) { return same_value(a, b, value); });
}

bool same_operands(const Module& a, const Module& b, OpId op) {
  if (a.num_operands(op) != b.num_operands(op)) return false;
  for (std::size_t index = 0; index < a.num_operands(op); ++index) {
    if (a.operand(op, index) != b.operand(op, index)) return false;
  }
  return true;
}

bool same_results(const Module& a, const Module& b, OpId op) {
  if (a.num_results(op) != b.num_results(op)) return false;
  for (std::size_t index = 0; index < a.num_results(op); ++index) {
    const ValueId value = a.result(op, index);
    if (value != b.result(op, index) || !same_value(a, b, value)) return false;
  }
  return true;
}

bool same_blocks(const Module& a, const Module& b, OpId op) {
  if (!std::ranges::equal(a.regions(op), b.regions(op))) return false;
  for (const ir::RegionId region : a.regions(op)) {
    if (!std::ranges::equal(a.blocks(region), b.blocks(region))) return false;
    for (const BlockId block : a.blocks(region)) {
      if (a.first_op(block) != b.first_op(block)) return false;
      if (!std::ranges::equal(a.args(block), b.args(block))) return false;
      if (!same_values(a, b, a.args(block))) return false;
    }
  }
  return true;
}

}  // namespace

bool ModuleChanges::is_same(const Module& a, const Module& b, OpId op) {
  if (a.is_erased(op) || b.is_erased(op)) return a.is_erased(op) && b.is_erased(op);
  if (a.kind(op) != b.kind(op) || a.name(op) != b.name(op)) return false;
  if (a.parent_block(op) != b.parent_block(op) || a.next(op) != b.next(op)) return false;
  if (!same_operands(a, b, op) || !same_results(a, b, op)) return false;
  if (!(a.attributes(op) == b.attributes(op))) return false;
  if (a.location_text(op) != b.location_text(op)) return false;
  if (a.is(op, OpKind::Func) && !(a.function(op) == b.function(op))) return false;
  return same_blocks(a, b, op);
}

ModuleChanges::ChangedValue ModuleChanges::read_value(const Module& module, ValueId value) {
  return {value, module.type(value), module.value_name(value), module.uses(value)};
}

ModuleChanges::ChangedOp ModuleChanges::read(const Module& module, OpId id) {
  ChangedOp op{.id = id, .is_erased = module.is_erased(id)};
  if (op.is_erased) return op;
  op.name = module.name(id);
  op.location = module.location_text(id);
  op.operands = module.operands(id);
  for (const ValueId result : module.results(id)) op.values.push_back(read_value(module, result));
  op.attributes = module.attributes(id);
  op.parent = module.parent_block(id);
  op.next = module.next(id);
  for (const ir::RegionId region : module.regions(id)) {
    op.regions.push_back(region);
    for (const BlockId block : module.blocks(region)) {
      op.blocks.push_back({block, module.first_op(block), module.args(block).size()});
      for (const ValueId arg : module.args(block)) op.values.push_back(read_value(module, arg));
    }
  }
  if (module.is(id, OpKind::Func)) op.function = module.function(id);
  return op;
}

void ModuleChanges::add(ChangedOp op) {
  hash_ = hash_combine(hash_, op.id.value);
  hash_ = hash_combine(hash_, ir::hash_of_attributes(op.attributes));
  for (const ir::AttributeMap& each : op.function.arg_attributes) {
    hash_ = hash_combine(hash_, ir::hash_of_attributes(each));
  }
  for (const ir::AttributeMap& each : op.function.result_attributes) {
    hash_ = hash_combine(hash_, ir::hash_of_attributes(each));
  }
  ops_.push_back(std::move(op));
}

ModuleChanges::ModuleChanges(const Module& base, const Module& module)
    : attributes_(module.module_attributes()),
      num_ops_(module.num_ops()),
      num_values_(module.num_values()),
      num_blocks_(module.num_blocks()),
      first_(module.first_op(module.body())) {
  for (std::size_t index = 0; index < module.num_ops(); ++index) {
    const OpId op(static_cast<uint32_t>(index));
    if (index < base.num_ops() && is_same(base, module, op)) continue;
    add(read(module, op));
  }
}

}  // namespace shardy::report
