// Shardings of function results and of the calls. Spec: passes 5.10, 5.12.
//
//   sdy-propagate-to-func-results, for all functions but main:
//     func.func private @f(%a [{"x"}]) -> [{"y"}] { return %a }   ->   @f(%a [{"x"}]) -> [{"x"}]
//
//   sdy-insert-func-call-reshards, for @f with the result sharding [{"x"}]:
//     %0 = call @f(%a) [{"y"}]                                    ->   %0 = call @f(%a) [{"x"}]
//                                                                      %1 = sdy.reshard %0 [{"y"}]
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/common/symbols.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

void set_result_shardings(Module& module, OpId function) {
  const OpId last = module.last_op(module.entry(function));
  if (!last.valid() || !module.is(last, OpKind::FuncReturn)) return;
  auto& attributes = module.function(function).result_attributes;
  if (attributes.size() < module.num_operands(last)) attributes.resize(module.num_operands(last));
  for (std::size_t index = 0; index < module.num_operands(last); ++index) {
    const auto sharding = ir::get_sharding(module, module.operand(last, index));
    if (sharding) {
      attributes[index].set(ir::kShardingAttr, *sharding);
    } else {
      attributes[index].erase(ir::kShardingAttr);
    }
  }
}

/// Returns the shardings of the callee's results, fully closed for those without one; std::nullopt
/// if neither the callee nor the call has any.
std::optional<std::vector<TensorSharding>> produced(const Module& module, OpId call, OpId callee) {
  if (auto shardings = ir::func_result_shardings(module, callee)) return shardings;
  const auto* wanted = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (wanted == nullptr) return std::nullopt;
  std::vector<TensorSharding> closed;
  for (const TensorSharding& sharding : wanted->shardings) {
    closed.push_back(sharding.fully_closed_like());
  }
  return closed;
}

/// Checks whether a collective uses the value that requires the exact dim shardings of its operand,
/// including open dims.
bool wants_same_dims(const Module& module, ValueId value) {
  return std::ranges::any_of(module.uses(value), [&](const ir::Use& use) {
    return module.is(use.op, OpKind::SdyReplicatedToUnreduced);
  });
}

void reshard_results(Module& module, OpId call, OpId callee) {
  auto shardings = produced(module, call, callee);
  if (!shardings || shardings->size() != module.num_results(call)) return;
  for (std::size_t index = 0; index < shardings->size(); ++index) {
    const std::optional<TensorSharding> have = (*shardings)[index];
    const ValueId result = module.result(call, index);
    const auto wanted = ir::detail::get_in_list(module.attributes(call), ir::kShardingAttr, index);
    const bool is_same = have == wanted || !wants_same_dims(module, result);
    if (is_equivalent(have, wanted) && is_same) {
      reshard_for_collectives(module, result, *have);
      continue;
    }
    const TensorSharding to = wanted ? *wanted : have->fully_closed_like();
    // Inserted directly after the call, so reshards of later results precede those of earlier ones.
    const OpId made = insert_after(module, call, result, reshard_op(module, result, to));
    reshard_for_collectives(module, module.result(made), to);
  }
  module.attributes(call).set(ir::kShardingAttr, ir::ShardingList{*std::move(shardings)});
}

}  // namespace

PassErrors propagate_to_func_results(Module& module) {
  Result<OpId> main = require_main_function(module);
  if (!main) return {std::move(main).error()};
  for (const OpId function : module.functions()) {
    if (function == *main || module.is_external(function)) continue;
    set_result_shardings(module, function);
  }
  return {};
}

PassErrors insert_func_call_reshards(Module& module) {
  PassErrors errors;
  for (const OpId call : ir::post_order(module)) {
    if (!module.is(call, OpKind::FuncCall)) continue;
    Result<OpId> callee = called_function(module, call);
    if (callee) {
      reshard_results(module, call, *callee);
    } else {
      errors.push_back(std::move(callee).error());
    }
  }
  return errors;
}

}  // namespace shardy::passes
