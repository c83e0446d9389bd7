// Finds the ops of a search: ops on which results depend, except constants.
//
//   %c = constant 0        constant: copied for each user
//   %0 = while(%x, %c)     live, with the ops of its regions
//   %1 = tanh %x           dead: nothing reads it
//   return %0#0
#include "autoshard/program_ops.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"

namespace shardy::autoshard {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

tl::unexpected<Error> op_error(const Module& module, OpId op, const std::string& message) {
  return fail_at(module.source_location(op), std::string(module.name(op)) + ": " + message);
}

Status check_type(const Module& module, OpId op, ValueId value) {
  const ir::Type& type = module.type(value);
  if (type.is_static_tensor()) return {};
  return op_error(module, op,
                  "a value of type " + ir::to_string(type) +
                      " has no states; autoshard needs tensors of static shape");
}

/// Function of each call whose ops are listed.
using FunctionsOfCalls = std::map<OpId, OpId>;

void add_ops(const Module& module, BlockId block, const FunctionsOfCalls& functions,
             std::vector<OpId>& ops) {
  for (const OpId op : module.ops(block)) {
    const auto function = functions.find(op);
    if (function != functions.end()) {
      add_ops(module, module.entry(function->second), functions, ops);
    }
    ops.push_back(op);
    if (!has_searched_regions(module, op)) continue;
    for (const ir::RegionId region : module.regions(op)) {
      for (const BlockId inner : module.blocks(region)) add_ops(module, inner, functions, ops);
    }
  }
}

/// Returns true for control-flow ops that the search supports.
bool is_searched_flow(const Module& module, OpId op) {
  return has_searched_regions(module, op) || module.is(op, OpKind::OptimizationBarrier) ||
         module.is(op, OpKind::SdyManualComputation);
}

}  // namespace

std::vector<OpId> searched_ops(const Module& module, BlockId block) {
  std::vector<OpId> ops;
  add_ops(module, block, {}, ops);
  return ops;
}

std::vector<OpId> written_ops(const Module& module) {
  FunctionsOfCalls functions;
  for (const auto& [call, function] : passes::single_calls(module)) {
    functions.emplace(call, function);
  }
  std::vector<OpId> ops;
  add_ops(module, module.entry(*module.main_function()), functions, ops);
  return ops;
}

Result<ProgramOps> ProgramOps::make(const Module& module) {
  ProgramOps program(module);
  const OpId main = *module.main_function();
  for (const ValueId value : module.args(module.entry(main))) {
    SHARDY_TRY_STATUS(check_type(module, main, value));
  }
  const std::vector<OpId> all = searched_ops(module, module.entry(main));
  SHARDY_TRY_STATUS(program.check(all));
  program.find_live(all);
  program.find_constants();
  return program;
}

Status ProgramOps::check(const std::vector<OpId>& all) const {
  for (const OpId op : all) {
    const bool is_flow = module_.has_trait(op, ir::kControlFlow) ||
                         module_.has_trait(op, ir::kDataFlow) || module_.is(op, OpKind::FuncCall);
    if (is_flow && !is_searched_flow(module_, op)) {
      return op_error(module_, op,
                      "autoshard does not support this op; it supports while, case, if, barriers, "
                      "manual computations, and calls that can be inlined");
    }
    const bool is_other_sdy = module_.has_trait(op, ir::kSdyAnnotation) && !is_flow &&
                              !module_.has_trait(op, ir::kTerminator) &&
                              !is_annotation(module_, op);
    if (is_other_sdy || module_.has_trait(op, ir::kCollective)) {
      return op_error(module_, op, "autoshard does not support this op");
    }
    for (const ValueId value : module_.results(op)) {
      SHARDY_TRY_STATUS(check_type(module_, op, value));
    }
  }
  return {};
}

/// Returns the ops that define the operands of an op, the op around it, and the last ops of its
/// searched regions. An id is invalid for an argument.
std::vector<OpId> ProgramOps::needed_by(OpId op) const {
  std::vector<OpId> needed;
  for (const ValueId operand : module_.operands(op)) {
    needed.push_back(module_.defining_op(operand));
  }
  const BlockId block = module_.parent_block(op);
  if (block != module_.entry(*module_.main_function())) {
    needed.push_back(module_.parent_op(block));
  }
  if (!has_searched_regions(module_, op)) return needed;
  for (const ir::RegionId region : module_.regions(op)) {
    for (const BlockId inner : module_.blocks(region)) needed.push_back(module_.last_op(inner));
  }
  return needed;
}

/// Marks ops with side effects, the return, and the ops on which these depend.
void ProgramOps::find_live(const std::vector<OpId>& all) {
  const BlockId entry = module_.entry(*module_.main_function());
  std::vector<OpId> waiting;
  const auto mark = [&](OpId op) {
    if (op.valid() && live_.insert(op).second) waiting.push_back(op);
  };
  for (const OpId op : all) {
    const bool is_pure = module_.has_trait(op, ir::kPure) ||
                         module_.has_trait(op, ir::kSdyAnnotation) ||
                         module_.has_trait(op, ir::kTerminator) || is_searched_flow(module_, op);
    if (!is_pure || op == module_.last_op(entry)) mark(op);
  }
  while (!waiting.empty()) {
    const OpId op = waiting.back();
    waiting.pop_back();
    for (const OpId needed : needed_by(op)) mark(needed);
  }
  for (const OpId op : all) {
    if (live_.contains(op) && !module_.has_trait(op, ir::kTerminator)) ops_.push_back(op);
  }
}

/// Finds ops whose results are copied for each use, and counts the operations of their expressions.
void ProgramOps::find_constants() {
  for (const OpId op : ops_) {
    if (is_searched_flow(module_, op)) continue;
    const bool is_source = module_.has_trait(op, ir::kConstantLike) || module_.is(op, OpKind::Iota);
    bool is_constant =
        is_source || (passes::is_pure_static(module_, op) && passes::keeps_constants(module_, op));
    double flops = report::flops_of_op(module_, op);
    for (const ValueId operand : module_.operands(op)) {
      const auto found = constant_flops_.find(operand);
      is_constant = is_constant && found != constant_flops_.end();
      if (is_constant) flops += found->second;
    }
    if (!is_constant || (module_.num_operands(op) == 0 && !is_source)) continue;
    for (const ValueId result : module_.results(op)) constant_flops_.emplace(result, flops);
  }
  std::erase_if(ops_, [&](OpId op) {
    return module_.num_results(op) > 0 && constant_flops_.contains(module_.result(op));
  });
}

bool ProgramOps::is_annotated_with_parts(const Mesh& mesh) const {
  const auto has_part = [&](const std::optional<TensorSharding>& sharding) {
    for (std::size_t dim = 0; sharding && dim < sharding->rank(); ++dim) {
      for (const AxisRef& axis : sharding->dim(dim).axes) {
        if (axis != mesh.full_axis(axis.axis)) return true;
      }
    }
    return false;
  };
  const OpId main = *module_.main_function();
  for (uint32_t index = 0; index < module_.args(module_.entry(main)).size(); ++index) {
    if (has_part(ir::arg_sharding(module_, main, index))) return true;
  }
  const OpId end = module_.last_op(module_.entry(main));
  for (uint32_t index = 0; index < module_.num_operands(end); ++index) {
    if (has_part(ir::result_sharding(module_, main, index))) return true;
  }
  return std::ranges::any_of(ops_, [&](OpId op) {
    return std::ranges::any_of(module_.results(op), [&](ValueId result) {
      return has_part(ir::get_sharding(module_, result));
    });
  });
}

}  // namespace shardy::autoshard
