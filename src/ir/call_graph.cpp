#include "shardy/ir/call_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "check_structure.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {

std::optional<OpId> callee_of(const Module& module, OpId call) {
  const auto* symbol = module.attribute<SymbolAttr>(call, attr::kCallee);
  const std::optional<OpId> op = symbol ? nearest_symbol(module, call, symbol->name) : std::nullopt;
  return op && module.is(*op, OpKind::Func) ? op : std::nullopt;
}

namespace {

/// Returns the calls in program order; post-order suffices, because ops with regions are not calls.
std::vector<OpId> calls_in(const Module& module, OpId function) {
  std::vector<OpId> calls;
  for (const OpId op : post_order(module, module.entry(function))) {
    if (module.is(op, OpKind::FuncCall)) calls.push_back(op);
  }
  return calls;
}

/// Goes from the functions to what they call, with a stack of its own.
class CallWalk {
 public:
  explicit CallWalk(const Module& module) : module_(module), states_(module.num_ops()) {}

  CallGraph run() {
    for (const OpId function : module_.functions()) {
      enter(function);
      while (!stack_.empty()) step();
    }
    return std::move(graph_);
  }

 private:
  enum class State : uint8_t { New, Open, Done };
  struct Frame {
    OpId function;
    std::vector<OpId> calls;
    std::vector<OpId> callees = {};  // of the calls that were followed
  };

  void enter(OpId function) {
    State& state = states_[function.index()];
    if (state == State::Open && !graph_.recursive) graph_.recursive = function;
    if (state != State::New || module_.is_external(function)) return;
    state = State::Open;
    stack_.push_back(Frame{function, calls_in(module_, function)});
  }

  void step() {
    Frame& top = stack_.back();
    if (top.callees.size() == top.calls.size()) {
      states_[top.function.index()] = State::Done;
      graph_.functions.push_back(top.function);
      graph_.calls.insert(graph_.calls.end(), top.calls.begin(), top.calls.end());
      graph_.callees.insert(graph_.callees.end(), top.callees.begin(), top.callees.end());
      stack_.pop_back();
      return;
    }
    const std::optional<OpId> callee = callee_of(module_, top.calls[top.callees.size()]);
    top.callees.push_back(callee.value_or(OpId()));
    if (!callee) graph_.all_known = false;
    if (!callee) return;
    if (module_.is_external(*callee) && !graph_.body_wanted) graph_.body_wanted = callee;
    enter(*callee);
  }

  const Module& module_;
  std::vector<State> states_;
  std::vector<Frame> stack_;
  CallGraph graph_;
};

std::optional<std::vector<TensorSharding>> on_one_mesh(
    std::span<const std::optional<TensorSharding>> stored, std::span<const Type> types) {
  const std::optional<MeshRef> mesh = first_non_maximal_mesh(stored);
  if (!mesh) return std::nullopt;
  std::vector<TensorSharding> shardings;
  for (std::size_t index = 0; index < types.size(); ++index) {
    shardings.push_back(stored[index] ? *stored[index]
                                      : TensorSharding::fully_open(mesh->mesh, mesh->name,
                                                                   sharding_rank(types[index])));
  }
  return shardings;
}

}  // namespace

CallGraph call_graph(const Module& module) { return CallWalk(module).run(); }

std::vector<OpId> functions_in_post_order(const Module& module) {
  return call_graph(module).functions;
}

Status verify_acyclic(const Module& module, const CallGraph& graph) {
  if (!graph.recursive) return {};
  return fail_at(module.location_text(*graph.recursive),
                 "recursive call to function " + std::string(module.symbol_name(*graph.recursive)) +
                     " is not supported");
}

Status verify_bodies(const Module& module, const CallGraph& graph) {
  SHARDY_TRY_STATUS(verify_acyclic(module, graph));
  if (!graph.body_wanted) return {};
  return fail_at(
      module.location_text(*graph.body_wanted),
      "function " + std::string(module.symbol_name(*graph.body_wanted)) + " has no body");
}

std::optional<std::vector<TensorSharding>> func_arg_shardings(const Module& module, OpId function) {
  const std::vector<Type> types = module.arg_types(function);
  std::vector<std::optional<TensorSharding>> stored;
  for (std::size_t index = 0; index < types.size(); ++index) {
    stored.push_back(arg_sharding(module, function, index));
  }
  auto shardings = on_one_mesh(stored, types);
  if (!shardings || module.is_external(function)) return shardings;
  const auto args = module.args(module.entry(function));
  for (std::size_t index = 0; index < types.size(); ++index) {
    TensorSharding& sharding = (*shardings)[index];
    if (!stored[index]) sharding = open_sharding_of(module, args[index], sharding);
  }
  return shardings;
}

std::optional<std::vector<TensorSharding>> func_result_shardings(const Module& module,
                                                                 OpId function) {
  const std::vector<Type>& types = module.function(function).result_types;
  std::vector<std::optional<TensorSharding>> stored;
  for (std::size_t index = 0; index < types.size(); ++index) {
    stored.push_back(result_sharding(module, function, index));
  }
  return on_one_mesh(stored, types);
}

}  // namespace shardy::ir
