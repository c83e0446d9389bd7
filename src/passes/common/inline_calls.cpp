// Calls become the bodies of their functions. Spec: passes 2.
//
//   %0 = call @f(%a)                              %0 = stablehlo.negate %a
//   func.func private @f(%x) {             ->
//     %1 = stablehlo.negate %x
//     return %1
//   }
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/common/bodies.hpp"
#include "passes/common/clone.hpp"
#include "passes/common/symbols.hpp"
#include "shardy/ir/call_graph.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

/// Checks for `no_inline` on the function, or XLA's `inlineable = "false"` on the call, which
/// bodies of manual computations have.
bool must_stay(const Module& module, OpId call, OpId function) {
  if (module.attributes(function).contains("no_inline")) return true;
  const auto* entries = module.attribute<ir::AttributeMap>(call, "mhlo.frontend_attributes");
  const auto* text = entries != nullptr ? entries->get<std::string>("inlineable") : nullptr;
  return text != nullptr && *text == "false";
}

bool has_one_block(const Module& module, OpId function) {
  return !module.is_external(function) &&
         module.blocks(module.regions(function).front()).size() == 1;
}

void inline_call(Module& module, OpId call, OpId function) {
  const ir::BlockId body = module.entry(function);
  ValueMap map;
  for (std::size_t index = 0; index < module.num_operands(call); ++index) {
    map.emplace(module.args(body)[index], module.operand(call, index));
  }
  const OpId last = module.last_op(body);
  for (OpId op = module.first_op(body); op.valid() && op != last; op = module.next(op)) {
    module.insert_before(call, clone_op(module, op, map));
  }
  const std::vector<ValueId> results = module.operands(last);
  for (std::size_t index = 0; index < results.size(); ++index) {
    module.replace_all_uses(module.result(call, index), mapped(map, results[index]));
  }
  module.erase(call);
}

}  // namespace

PassErrors inline_calls(Module& module) {
  const Result<ir::CallGraph> graph = verified_calls(module);
  if (!graph) return {graph.error()};
  if (Status few = expect_few_copies(module, *graph); !few) return {std::move(few).error()};
  // The graph lists calls in callees first, so copied bodies contain no calls that can be inlined.
  for (std::size_t index = 0; index < graph->calls.size(); ++index) {
    const OpId call = graph->calls[index];
    const OpId function = graph->callees[index];
    if (has_one_block(module, function) && !must_stay(module, call, function)) {
      inline_call(module, call, function);
    }
  }
  erase_dead_symbols(module);
  return {};
}

}  // namespace shardy::passes
