#include "shardy/ir/call_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "shardy/algebra/common_mesh.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {

std::optional<OpId> callee_of(const Module& module, OpId call) {
  const auto* symbol = module.attribute<SymbolAttr>(call, "callee");
  const std::optional<OpId> op = symbol ? module.find_symbol(symbol->name) : std::nullopt;
  return op && module.is(*op, OpKind::Func) ? op : std::nullopt;
}

namespace {

/// In program order; post-order, as ops with regions are no calls.
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
  explicit CallWalk(const Module& module) : module_(module), states_(module.num_ops()) {
    for (const OpId function : module.functions()) {
      enter(function);
      while (!stack_.empty()) step();
    }
  }

  std::vector<OpId> order;          // callees first
  std::optional<OpId> recursive;    // the first one found to be called by itself
  std::optional<OpId> body_wanted;  // the first one called that has no body

 private:
  enum class State : uint8_t { New, Open, Done };
  struct Frame {
    OpId function;
    std::vector<OpId> calls;
    std::size_t next = 0;
  };

  void enter(OpId function) {
    State& state = states_[function.index()];
    if (state == State::Open && !recursive) recursive = function;
    if (state != State::New || module_.is_external(function)) return;
    state = State::Open;
    stack_.push_back(Frame{function, calls_in(module_, function)});
  }

  void step() {
    Frame& top = stack_.back();
    if (top.next == top.calls.size()) {
      states_[top.function.index()] = State::Done;
      order.push_back(top.function);
      stack_.pop_back();
      return;
    }
    const std::optional<OpId> callee = callee_of(module_, top.calls[top.next++]);
    if (!callee) return;
    if (module_.is_external(*callee) && !body_wanted) body_wanted = callee;
    enter(*callee);
  }

  const Module& module_;
  std::vector<State> states_;
  std::vector<Frame> stack_;
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

std::vector<OpId> functions_in_post_order(const Module& module) { return CallWalk(module).order; }

std::vector<OpId> functions_in_pre_order(const Module& module) {
  std::vector<OpId> order = functions_in_post_order(module);
  std::ranges::reverse(order);
  return order;
}

std::vector<OpId> calls_in_post_order(const Module& module) {
  std::vector<OpId> all;
  for (const OpId function : functions_in_post_order(module)) {
    const std::vector<OpId> calls = calls_in(module, function);
    all.insert(all.end(), calls.begin(), calls.end());
  }
  return all;
}

namespace {

Status refuse_recursion(const Module& module, const CallWalk& walk) {
  if (!walk.recursive) return {};
  return fail_at(module.location_text(*walk.recursive),
                 "recursive call to function " + std::string(module.symbol_name(*walk.recursive)) +
                     " is not supported");
}

}  // namespace

Status verify_acyclic_calls(const Module& module) {
  return refuse_recursion(module, CallWalk(module));
}

Status verify_call_graph(const Module& module) {
  const CallWalk walk(module);
  SHARDY_TRY_STATUS(refuse_recursion(module, walk));
  if (!walk.body_wanted) return {};
  return fail_at(module.location_text(*walk.body_wanted),
                 "function " + std::string(module.symbol_name(*walk.body_wanted)) + " has no body");
}

std::optional<std::vector<TensorSharding>> func_arg_shardings(const Module& module, OpId function) {
  const std::vector<Type> types = module.arg_types(function);
  std::vector<std::optional<TensorSharding>> stored;
  for (std::size_t index = 0; index < types.size(); ++index) {
    stored.push_back(arg_sharding(module, function, index));
  }
  return on_one_mesh(stored, types);
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
