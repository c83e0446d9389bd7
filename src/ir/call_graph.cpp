#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "op_facts.hpp"
#include "shardy/algebra/detail/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {
namespace {

/// Returns the calls in program order. A walk in post-order gives that order too, because calls
/// have no regions.
std::vector<OpId> calls_in(const Module& module, OpId function) {
  std::vector<OpId> calls;
  for (const OpId op : post_order(module, module.entry(function))) {
    if (module.is(op, OpKind::FuncCall)) calls.push_back(op);
  }
  return calls;
}

/// Walks from functions to their callees. The walk keeps an explicit stack instead of recursing.
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
  struct OpenFunction {
    OpId function;
    std::vector<OpId> calls;
    std::vector<OpId> callees = {};  // callees of the calls followed so far
  };

  void enter(OpId function) {
    State& state = states_[function.index()];
    if (state == State::Open && !graph_.recursive) graph_.recursive = function;
    if (state != State::New || module_.is_external(function)) return;
    state = State::Open;
    stack_.push_back(OpenFunction{function, calls_in(module_, function)});
  }

  void step() {
    OpenFunction& top = stack_.back();
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
  std::vector<OpenFunction> stack_;
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

constexpr int kFar = 16;  // greatest number of ops and loops between a number and its constant

/// Returns the initial operand of a loop if `value` is a loop argument that no iteration changes.
ValueId unchanged(const Module& module, ValueId value) {
  const ValueOwner source = module.owner(value);
  if (!source.block.valid()) return {};
  const OpId loop = module.parent_op(source.block);
  if (!loop.valid() || !module.is(loop, OpKind::While)) return {};
  const ValueId back = module.operand(module.last_op(module.block(loop, 1)), source.index);
  const ValueId inside = module.args(module.block(loop, 1))[source.index];
  return back == inside ? module.operand(loop, source.index) : ValueId();
}

/// Follows optimization barriers back from `value` and returns the operand that they pass through.
/// Returns `value` itself if no barrier makes it.
ValueId before_barriers(const Module& module, ValueId value) {
  for (OpId op = module.defining_op(value);
       op.valid() && module.is(op, OpKind::OptimizationBarrier); op = module.defining_op(value)) {
    value = module.operand(op, module.owner(value).index);
  }
  return value;
}

std::optional<int64_t> constant_of(const Module& module, ValueId value) {
  for (int steps = 0; steps < kFar && value.valid(); ++steps) {
    value = before_barriers(module, value);
    const OpId op = module.defining_op(value);
    if (!op.valid()) {
      value = unchanged(module, value);
      continue;
    }
    const auto* literal = module.attribute<Literal>(op, attr::kValue);
    if (literal != nullptr && literal->num_elements() == 1) {
      if (!is_integer(literal->type().element())) return std::nullopt;
      return decode_int(literal->element_bytes(0), literal->type().element());
    }
    const bool keeps = module.is(op, OpKind::Reshape) || module.is(op, OpKind::Convert);
    if (!keeps) return std::nullopt;
    value = module.operand(op, 0);
  }
  return std::nullopt;
}

/// The counter of a loop: the loop argument, its first value and its step.
struct Counter {
  int64_t start = 0;
  int64_t step = 0;
};

std::optional<Counter> counter_of(const Module& module, OpId loop, ValueId value) {
  const auto& args = module.args(module.block(loop, 0));
  const auto found = std::ranges::find(args, value);
  if (found == args.end()) return std::nullopt;
  const auto index = static_cast<std::size_t>(found - args.begin());
  const auto start = constant_of(module, module.operand(loop, index));
  const ValueId inside = module.args(module.block(loop, 1))[index];
  const OpId step = module.defining_op(
      before_barriers(module, module.operand(module.last_op(module.block(loop, 1)), index)));
  if (!start || !step.valid()) return std::nullopt;
  const bool adds = module.is(step, OpKind::Add);
  if (!adds && !module.is(step, OpKind::Subtract)) return std::nullopt;
  const bool is_left = before_barriers(module, module.operand(step, 0)) == inside;
  if (!is_left && !(adds && before_barriers(module, module.operand(step, 1)) == inside)) {
    return std::nullopt;
  }
  const auto by = constant_of(module, module.operand(step, is_left ? 1 : 0));
  if (!by || *by == std::numeric_limits<int64_t>::min()) return std::nullopt;
  return Counter{*start, adds ? *by : -*by};
}

std::string_view mirrored(std::string_view direction) {
  if (direction == "LT") return "GT";
  if (direction == "LE") return "GE";
  if (direction == "GT") return "LT";
  if (direction == "GE") return "LE";
  return direction;
}

__extension__ using Wide = __int128;

/// Returns how many of `start`, `start + step`, ... satisfy the comparison with `limit` before one
/// does not.
std::optional<Wide> count(Counter counter, std::string_view direction, int64_t limit) {
  Wide distance = Wide{limit} - counter.start;
  Wide step = counter.step;
  if (direction == "NE") {
    if (distance == 0) return 0;
    if (step == 0 || distance % step != 0 || distance / step < 0) return std::nullopt;
    return distance / step;
  }
  if (direction == "EQ") {
    if (distance != 0) return 0;
    return step == 0 ? std::nullopt : std::optional<Wide>(1);
  }
  if (direction == "GT" || direction == "GE") {
    distance = -distance;
    step = -step;
  }
  if (direction == "LE" || direction == "GE") distance += 1;
  if (distance <= 0) return 0;
  if (step <= 0) return std::nullopt;
  return (distance + step - 1) / step;
}

}  // namespace

std::optional<OpId> callee_of(const Module& module, OpId call) {
  const auto* symbol = module.attribute<SymbolAttr>(call, attr::kCallee);
  const std::optional<OpId> op = symbol ? nearest_symbol(module, call, symbol->name) : std::nullopt;
  return op && module.is(*op, OpKind::Func) ? op : std::nullopt;
}

CallGraph call_graph(const Module& module) { return CallWalk(module).run(); }

std::vector<OpId> functions_in_post_order(const Module& module) {
  return call_graph(module).functions;
}

Status verify_acyclic(const Module& module, const CallGraph& graph) {
  if (!graph.recursive) return {};
  return fail_at(module.source_location(*graph.recursive),
                 "recursive call to function " + std::string(module.symbol_name(*graph.recursive)) +
                     " is not supported");
}

Status verify_bodies(const Module& module, const CallGraph& graph) {
  SHARDY_TRY_STATUS(verify_acyclic(module, graph));
  if (!graph.body_wanted) return {};
  return fail_at(
      module.source_location(*graph.body_wanted),
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

std::optional<int64_t> trip_count(const Module& module, OpId loop) {
  if (!module.is(loop, OpKind::While)) return std::nullopt;
  const OpId end = module.last_op(module.block(loop, 0));
  const OpId test = module.defining_op(module.operand(end, 0));
  if (!test.valid() || !module.is(test, OpKind::Compare)) return std::nullopt;
  std::string_view direction = view<CompareOp>(module, test).direction;
  ValueId number = module.operand(test, 0);
  ValueId limit = module.operand(test, 1);
  if (!counter_of(module, loop, number)) {
    std::swap(number, limit);
    direction = mirrored(direction);
  }
  const auto counter = counter_of(module, loop, number);
  const auto end_value = constant_of(module, limit);
  const ElementType element = module.type(number).element();
  if (!counter || !end_value || !is_integer(element)) return std::nullopt;
  const auto times = count(*counter, direction, *end_value);
  if (!times || *times > std::numeric_limits<int64_t>::max()) return std::nullopt;
  // The last number must fit its type. Otherwise the counter has wrapped around before the loop
  // ends.
  const Wide last = Wide{counter->start} + *times * counter->step;
  if (last != decode_int(encode_int(static_cast<int64_t>(last), element), element)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(*times);
}

}  // namespace shardy::ir
