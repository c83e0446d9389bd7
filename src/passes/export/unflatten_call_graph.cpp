// Clones of one function that came to equal shardings become one again. Spec: passes 5.11.
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/common/symbols.hpp"
#include "shardy/passes/export/export_passes.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr std::string_view kManualAxes = "sdy.func_manual_axes";

/// What functions must have in common to be one; bodies are not compared.
struct Key {
  std::string name;
  std::vector<std::string> manual_axes;
  std::optional<std::vector<TensorSharding>> args;
  std::optional<std::vector<TensorSharding>> results;

  friend bool operator==(const Key&, const Key&) = default;
  friend std::strong_ordering operator<=>(const Key&, const Key&) = default;
};

std::vector<std::string> manual_axes(const Module& module, OpId function) {
  const auto* axes = module.attribute<ir::ManualAxesAttr>(function, kManualAxes);
  return axes != nullptr ? axes->names : std::vector<std::string>();
}

Key key_of(const Module& module, OpId function, bool with_shardings) {
  Key key{original_name(module, function), manual_axes(module, function), {}, {}};
  if (!with_shardings) return key;
  key.args = ir::func_arg_shardings(module, function);
  key.results = ir::func_result_shardings(module, function);
  return key;
}

struct Call {
  OpId op;
  OpId callee;
};

using Representatives = std::map<Key, OpId>;

/// The callee that is called most often stands for all; of equals the one that came first.
void choose_most_called(const Module& module, const std::vector<Call>& calls,
                        Representatives& chosen) {
  std::map<Key, int64_t> counts;
  for (const Call& call : calls) {
    const int64_t count = ++counts[key_of(module, call.callee, true)];
    OpId& representative = chosen.at(key_of(module, call.callee, false));
    if (count > counts[key_of(module, representative, true)]) representative = call.callee;
  }
}

PassErrors collect_calls(const Module& module, std::vector<Call>& calls) {
  PassErrors errors;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::FuncCall)) continue;
    Result<OpId> callee = called_function(module, op);
    if (callee) {
      calls.push_back({op, *callee});
    } else {
      errors.push_back(std::move(callee).error());
    }
  }
  return errors;
}

}  // namespace

PassErrors unflatten_call_graph(Module& module, const UnflattenOptions& options) {
  std::vector<Call> calls;
  PassErrors errors = collect_calls(module, calls);
  if (!errors.empty()) return errors;
  const bool with_shardings = !options.dedup_functions_fully;
  Representatives chosen;
  for (const Call& call : calls) {
    chosen.emplace(key_of(module, call.callee, with_shardings), call.callee);
  }
  if (options.dedup_functions_fully) choose_most_called(module, calls, chosen);
  for (const Call& call : calls) {
    const OpId callee = chosen.at(key_of(module, call.callee, with_shardings));
    set_callee(module, call.op, module.symbol_name(callee));
  }
  for (const OpId function : module.functions()) {
    module.attributes(function).erase(kOriginalFuncNameAttr);
    module.attributes(function).erase(kManualAxes);
  }
  return {};
}

}  // namespace shardy::passes
