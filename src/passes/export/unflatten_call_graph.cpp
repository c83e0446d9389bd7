// Calls of clones of one function with equal boundary shardings call the same one again.
// Spec: passes 5.11.
//
//   %0 = call @f(%a)                                   %0 = call @f(%a)
//   %1 = call @f_0(%a)                                 %1 = call @f(%a)
//   func.func private @f(%x [{"x"}])             ->    func.func private @f(%x [{"x"}])
//   func.func private @f_0(%x [{"x"}])                 func.func private @f_0(%x [{"x"}])
//     {sdy.original_func_name = "f"}                   (dead)
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/manual_scopes.hpp"
#include "passes/common/same_body.hpp"
#include "passes/common/symbols.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr std::string_view kManualAxes = "sdy.func_manual_axes";

/// Returns the axes that the attribute names and those of manual computations around the calls.
std::vector<std::string> manual_axes(const Module& module, const ir::ManualScopes& scopes,
                                     OpId function) {
  const auto* axes = module.attribute<ir::ManualAxesAttr>(function, kManualAxes);
  std::vector<std::string> names = axes != nullptr ? axes->names : std::vector<std::string>();
  for (const auto& [name, binder] : scopes.of_function(function)) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// The first function of the same name with an equal body under the same manual axes and on the
/// same order of devices. User functions of one name may differ (deviation 22).
class Originals {
 public:
  explicit Originals(const Module& module) : module_(module), scopes_(module) {
    // Callees first, so that calls of clones compare as calls of the same function.
    for (const OpId function : ir::functions_in_post_order(module)) add(function);
  }

  OpId of(OpId function) const {
    const auto found = originals_.find(function);
    return found != originals_.end() ? found->second : function;
  }

 private:
  void add(OpId function) {
    std::vector<OpId>& others =
        by_name_[{original_name(module_, function), manual_axes(module_, scopes_, function),
                  body_mesh(function)}][hash_of_body(module_, function)];
    const auto same_callee = [&](OpId a, OpId b) {
      const std::optional<OpId> first = ir::callee_of(module_, a);
      const std::optional<OpId> second = ir::callee_of(module_, b);
      return first && second && of(*first) == of(*second);
    };
    const auto found = std::ranges::find_if(
        others, [&](OpId other) { return have_same_body(module_, other, function, same_callee); });
    originals_[function] = found == others.end() ? function : *found;
    if (originals_[function] == function) others.push_back(function);
  }

  /// Returns the mesh of the outermost manual computation around the function; empty without one.
  std::string body_mesh(OpId function) const {
    const OpId manual = scopes_.outermost(function);
    const auto mesh = manual.valid() ? ir::mesh_of_manual(module_, manual) : std::nullopt;
    return mesh ? to_string(mesh->mesh) : std::string();
  }

  const Module& module_;
  ir::ManualScopes scopes_;
  using ByBody = std::unordered_map<std::size_t, std::vector<OpId>>;  // by hash of the body

  // Name, manual axes, mesh of the body.
  std::map<std::tuple<std::string, std::vector<std::string>, std::string>, ByBody> by_name_;
  std::map<OpId, OpId> originals_;
};

/// Key of functions that can be merged.
struct Key {
  OpId original;
  std::optional<std::vector<TensorSharding>> args;
  std::optional<std::vector<TensorSharding>> results;

  friend std::strong_ordering operator<=>(const Key&, const Key&) = default;
};

Key key_of(const Module& module, const Originals& originals, OpId function, bool with_shardings) {
  Key key{originals.of(function), {}, {}};
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

/// Replaces all callees by the most frequent one; the first of equals.
void choose_most_called(const Module& module, const Originals& originals,
                        const std::vector<Call>& calls, Representatives& chosen) {
  std::map<Key, int64_t> counts;
  for (const Call& call : calls) {
    const int64_t count = ++counts[key_of(module, originals, call.callee, true)];
    OpId& representative = chosen.at(key_of(module, originals, call.callee, false));
    if (count > counts[key_of(module, originals, representative, true)])
      representative = call.callee;
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

void unite_callees(Module& module, const std::vector<Call>& calls,
                   const UnflattenOptions& options) {
  if (calls.empty()) return;  // avoids comparing bodies
  const Originals originals(module);
  const bool with_shardings = !options.dedup_functions_fully;
  Representatives chosen;
  for (const Call& call : calls) {
    chosen.emplace(key_of(module, originals, call.callee, with_shardings), call.callee);
  }
  if (options.dedup_functions_fully) choose_most_called(module, originals, calls, chosen);
  for (const Call& call : calls) {
    const OpId callee = chosen.at(key_of(module, originals, call.callee, with_shardings));
    set_callee(module, call.op, module.symbol_name(callee));
  }
}

}  // namespace

PassErrors unflatten_call_graph(Module& module, const UnflattenOptions& options) {
  std::vector<Call> calls;
  PassErrors errors = collect_calls(module, calls);
  if (!errors.empty()) return errors;
  unite_callees(module, calls, options);
  for (const OpId function : module.functions()) {
    module.attributes(function).erase(kOriginalFuncNameAttr);
    module.attributes(function).erase(kManualAxes);
  }
  return {};
}

}  // namespace shardy::passes
