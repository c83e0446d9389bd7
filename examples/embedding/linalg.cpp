// A compiler with an IR of structured ops: iteration spaces with indexing maps, loops with carried
// values, calls, barriers and groups. The compiler calls the propagator and reads the reason for
// each sharding. The example includes headers only: it needs no ir::Module, no compiled library and
// no exceptions.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/meet.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <string>
#include <vector>

namespace {

using shardy::Result;
using shardy::Status;
using shardy::TensorSharding;
using namespace shardy::propagation;  // NOLINT(google-build-using-namespace)

// [ir]
/// A dim of the iteration space of a structured op.
struct Iterator {
  int64_t size = 1;
  bool is_reduced = false;
};

/// An op. `maps` lists, for each tensor (operands first), the iterator of each dim. The maps of a
/// dot are {0,2} {2,1} {0,1}.
struct Op {
  enum class Kind { Structured, Loop, Call, Barrier } kind = Kind::Structured;
  std::vector<std::size_t> operands;  // numbers of values in the program
  std::size_t result = 0;
  std::vector<Iterator> iterators = {};     // only for a Structured op
  std::vector<std::vector<int>> maps = {};  // only for a Structured op
  std::vector<Op> body = {};                // only for a Loop
  std::size_t argument = 0;                 // argument of a Loop body
  std::size_t yielded = 0;                  // value that a Loop body passes to the next iteration
  std::size_t callee = 0;                   // function that a Call calls
};

struct Value {
  std::string name;
  std::vector<int64_t> shape;
  std::string sharding = {};      // annotation; empty if there is none
  std::optional<int> group = {};  // number of the sharding group
};

struct Function {
  std::vector<std::size_t> arguments;
  std::vector<Op> ops;
  std::size_t returned = 0;
};

/// A list of functions, callees before callers. The last function is the program.
struct Program {
  shardy::Mesh mesh;
  std::vector<Value> values;
  std::vector<Function> functions;
};
// [ir]

// [rule]
/// Returns the sharding rule of a structured op. The iterators are the factors, and the maps give
/// the factor of each dim.
Result<shardy::OpShardingRule> rule_of(const Program& program, const Op& op) {
  std::vector<std::size_t> ranks;
  for (const std::size_t operand : op.operands) {
    ranks.push_back(program.values[operand].shape.size());
  }
  const std::vector<std::size_t> result_ranks = {program.values[op.result].shape.size()};
  shardy::rules::RuleBuilder builder(ranks, result_ranks);
  for (int iterator = 0; iterator < static_cast<int>(op.iterators.size()); ++iterator) {
    shardy::rules::MappedDims dims;
    for (const std::vector<int>& map : op.maps) {
      const auto found = std::ranges::find(map, iterator);
      dims.push_back(found == map.end() ? std::optional<int64_t>() : found - map.begin());
    }
    const shardy::rules::MappedDims result = {dims.back()};
    dims.pop_back();
    const Iterator& of = op.iterators[static_cast<std::size_t>(iterator)];
    builder.add(
        dims, result,
        {.size = of.size,
         .kind = of.is_reduced ? shardy::FactorKind::Reduction : shardy::FactorKind::PassThrough});
  }
  return builder.build();
}
// [rule]

/// A propagation problem with a slot for each value and a node for each op.
class Translation {
 public:
  explicit Translation(const Program& program) : program_(program), slots_(program.values.size()) {}

  Status run();
  Status add_op(const Op& op);

  ProblemBuilder builder;
  SlotId slot(std::size_t value) const { return slots_[value]; }
  std::vector<std::string> nodes;  // name of each node

 private:
  Status add_slots();
  Status share(std::size_t value, std::size_t with);
  Status add_structured(const Op& op);
  Status add_loop(const Op& op);
  Status add_calls(const Function& function, std::size_t index);
  Status add_groups();
  Status add_edge(const std::vector<std::size_t>& sources, std::size_t target, std::string name);

  const Program& program_;
  std::vector<SlotId> slots_;
};

std::vector<const Op*> calls_of(const Program& program, std::size_t callee) {
  std::vector<const Op*> calls;
  for (const Function& function : program.functions) {
    for (const Op& op : function.ops) {
      if (op.kind == Op::Kind::Call && op.callee == callee) calls.push_back(&op);
    }
  }
  return calls;
}

// [slots]
/// Adds the slots. The argument of a loop body shares the sharding of the result of the loop. All
/// calls of a function share one result.
Status Translation::add_slots() {
  std::vector<std::optional<std::size_t>> shares(slots_.size());
  for (std::size_t index = 0; index < program_.functions.size(); ++index) {
    const std::vector<const Op*> calls = calls_of(program_, index);
    for (const Op* call : calls) {
      if (call != calls.front()) shares[call->result] = calls.front()->result;
    }
    for (const Op& op : program_.functions[index].ops) {
      if (op.kind == Op::Kind::Loop) shares[op.argument] = op.result;
    }
  }
  for (const bool with_storage : {true, false}) {
    for (std::size_t value = 0; value < slots_.size(); ++value) {
      if (shares[value].has_value() == with_storage) continue;
      SlotSpec spec{.shape = program_.values[value].shape, .tag = value};
      if (shares[value]) spec.shares = slots_[*shares[value]];
      const std::string& text = program_.values[value].sharding;
      if (!text.empty()) {
        SHARDY_TRY(const auto unresolved, shardy::parse_sharding("<@mesh, " + text + ">"));
        SHARDY_TRY(spec.sharding, shardy::resolve(unresolved, program_.mesh));
      }
      SHARDY_TRY(slots_[value], builder.add_slot(std::move(spec)));
    }
  }
  return {};
}
// [slots]

Status Translation::add_edge(const std::vector<std::size_t>& sources, std::size_t target,
                             std::string name) {
  std::vector<TensorUse> uses;
  for (const std::size_t source : sources) uses.push_back({slot(source)});
  SHARDY_TRY(const NodeId node, builder.add_edge(std::move(uses), {slot(target)}));
  static_cast<void>(node);
  nodes.push_back(std::move(name));
  return {};
}

Status Translation::add_structured(const Op& op) {
  SHARDY_TRY(const shardy::OpShardingRule rule, rule_of(program_, op));
  NodeSpec node;
  SHARDY_TRY(node.rule, builder.add_rule(rule));
  for (const std::size_t operand : op.operands) node.operands.push_back({slot(operand)});
  node.results.push_back({slot(op.result)});
  node.is_elementwise = std::ranges::all_of(
      op.maps, [&](const std::vector<int>& map) { return map.size() == op.iterators.size(); });
  if (node.is_elementwise) node.priority = PriorityClass::Pointwise;
  SHARDY_TRY(const NodeId id, builder.add_node(node));
  static_cast<void>(id);
  nodes.push_back(program_.values[op.result].name);
  return {};
}

// [loop]
/// Adds the ops of the body of a loop, then an edge from the initial value and the yielded value to
/// the result.
Status Translation::add_loop(const Op& op) {
  for (const Op& inner : op.body) {
    SHARDY_TRY_STATUS(add_op(inner));
  }
  return add_edge({op.operands.front(), op.yielded}, op.result,
                  "loop " + program_.values[op.result].name);
}

/// Adds the edges of the calls of a function, from operands to arguments and from returned values
/// to results.
Status Translation::add_calls(const Function& function, std::size_t index) {
  const std::vector<const Op*> calls = calls_of(program_, index);
  if (calls.empty()) return {};
  for (std::size_t place = 0; place < function.arguments.size(); ++place) {
    std::vector<std::size_t> given;
    for (const Op* call : calls) given.push_back(call->operands[place]);
    SHARDY_TRY_STATUS(add_edge(given, function.arguments[place],
                               "argument " + program_.values[function.arguments[place]].name));
  }
  return add_edge({function.returned}, calls.front()->result, "returned");
}
// [loop]

Status Translation::add_op(const Op& op) {
  switch (op.kind) {
    case Op::Kind::Structured:
      return add_structured(op);
    case Op::Kind::Loop:
      return add_loop(op);
    case Op::Kind::Call:
      return {};  // the edges of the function are added with the function
    case Op::Kind::Barrier: {
      SHARDY_TRY(const NodeId node, builder.add_barrier(slot(op.operands.front()), slot(op.result),
                                                        Direction::Forward));
      static_cast<void>(node);
      nodes.emplace_back("barrier");
      return {};
    }
  }
  return {};
}

Status Translation::add_groups() {
  for (int group = 0;; ++group) {
    std::vector<SlotId> members;
    for (std::size_t value = 0; value < slots_.size(); ++value) {
      if (program_.values[value].group == group) members.push_back(slots_[value]);
    }
    if (members.empty()) return {};
    SHARDY_TRY(const GroupId id, builder.add_group(members));
    static_cast<void>(id);
  }
}

Status Translation::run() {
  SHARDY_TRY_STATUS(add_slots());
  for (std::size_t index = 0; index < program_.functions.size(); ++index) {
    for (const Op& op : program_.functions[index].ops) {
      SHARDY_TRY_STATUS(add_op(op));
    }
    SHARDY_TRY_STATUS(add_calls(program_.functions[index], index));
  }
  return add_groups();
}

// [explain]
/// Returns the steps that gave a value its axes, back to the annotations. The tag of a slot is the
/// number of its value.
std::string explained(const Program& program, const Translation& translation,
                      const Problem& problem, const DecisionLog& log, std::size_t value) {
  const ExplainNames names{
      .slot = [&](SlotId slot) { return program.values[problem.tag(slot)].name; },
      .node = [&](NodeId node) { return translation.nodes[node.index()]; }};
  return explanation_text(problem, log, translation.slot(value), names);
}
// [explain]

// [meet]
/// Prints the shardings with which a product is computed, the operands that are resharded for it,
/// and the groups of devices that add up its partial results.
Status print_meet(const Program& program, const Translation& translation, const Problem& problem,
                  const Op& op) {
  std::vector<TensorSharding> operands;
  for (const std::size_t operand : op.operands) {
    const auto& sharding = problem.sharding(translation.slot(operand));
    if (!sharding) return {};
    operands.push_back(*sharding);
  }
  SHARDY_TRY(const shardy::OpShardingRule rule, rule_of(program, op));
  SHARDY_TRY(const CommonShardings common, meet(rule, operands));
  for (std::size_t index = 0; index < operands.size(); ++index) {
    fmt::print("{} as {}{}\n", program.values[op.operands[index]].name,
               to_string(common.operands[index]), common.is_resharded[index] ? ", moved" : "");
  }
  fmt::print("{} as {}\n", program.values[op.result].name, to_string(common.results.front()));
  if (common.partial.empty()) return {};
  for (const auto& group : shardy::replica_groups(program.mesh, common.partial)) {
    fmt::print("  all-reduce of");
    for (const int64_t device : group) fmt::print(" {}", device);
    fmt::print("\n");
  }
  return {};
}
// [meet]

// [edit]
/// Propagates again with another annotation of one value.
Status propagate_edited(const Program& program, const Translation& translation, Problem& problem,
                        std::size_t value, const std::string& sharding) {
  problem.reset();
  SHARDY_TRY(const auto unresolved, shardy::parse_sharding("<@mesh, " + sharding + ">"));
  SHARDY_TRY(TensorSharding edited, shardy::resolve(unresolved, program.mesh));
  SHARDY_TRY_STATUS(problem.edit_sharding(translation.slot(value), std::move(edited)));
  SHARDY_TRY(const ProblemReport report, propagate(problem));
  fmt::print("with {} {}: {} steps changed something\n", program.values[value].name, sharding,
             report.num_updates);
  return {};
}
// [edit]

Status solve(const Program& program) {
  Translation translation(program);
  SHARDY_TRY_STATUS(translation.run());
  SHARDY_TRY(Problem problem, std::move(translation.builder).build());
  DecisionLog log;
  SHARDY_TRY(const ProblemReport report, propagate(problem, {}, log));
  fmt::print("{} steps changed something\n", report.num_updates);
  for (std::size_t value = 0; value < program.values.size(); ++value) {
    const auto& sharding = problem.sharding(translation.slot(value));
    fmt::print("{} {}\n", program.values[value].name, sharding ? to_string(*sharding) : "none");
    fmt::print("{}", explained(program, translation, problem, log, value));
  }
  for (const NodeConflicts& left : log.node_conflicts()) {
    for (const Conflict& conflict : left.conflicts) {
      fmt::print("at {}: {} does not go on: {}\n", translation.nodes[left.node.index()],
                 to_string(program.mesh, conflict.wanted), to_string(conflict.reason));
    }
  }
  const Op& product = program.functions.front().ops.front();
  SHARDY_TRY_STATUS(print_meet(program, translation, problem, product));
  const std::size_t weight = product.operands.back();
  SHARDY_TRY_STATUS(propagate_edited(program, translation, problem, weight, R"([{"model"}, {?}])"));
  return print_meet(program, translation, problem, product);
}

Op product(std::size_t lhs, std::size_t rhs, std::size_t result, int64_t m, int64_t n, int64_t k) {
  return {.operands = {lhs, rhs},
          .result = result,
          .iterators = {{m}, {n}, {k, true}},
          .maps = {{0, 2}, {2, 1}, {0, 1}}};
}

Op add(std::size_t lhs, std::size_t rhs, std::size_t result, int64_t m, int64_t n) {
  return {.operands = {lhs, rhs},
          .result = result,
          .iterators = {{m}, {n}},
          .maps = {{0, 1}, {0, 1}, {0, 1}}};
}

/// Makes a program with a layer that is called twice, a loop that adds up results of the layer, and
/// weights in one sharding group.
Program example() {
  Program program{
      .mesh = *shardy::Mesh::make({{"data", 4}, {"model", 2}}), .values = {}, .functions = {}};
  program.values = {
      {"x", {16, 32}, R"([{"data"}p1, {?}])"},
      {"w", {32, 32}, R"([{?}, {"model"}p0])", 0},
      {"momentum", {32, 32}, "", 0},
      {"layer.in", {16, 32}},
      {"layer.out", {16, 32}},
      {"h", {16, 32}},
      {"y", {16, 32}},
      {"carried", {16, 32}},
      {"next", {16, 32}},
      {"sum", {16, 32}},
      {"seen", {16, 32}},
      {"out", {16, 32}, R"([{?}, {?}])"},
  };
  enum : std::size_t { X, W, Momentum, In, Out, H, Y, Carried, Next, Sum, Seen, Result };
  program.functions.push_back(
      {.arguments = {In}, .ops = {product(In, W, Out, 16, 32, 32)}, .returned = Out});
  Op loop{.kind = Op::Kind::Loop, .operands = {Y}, .result = Sum};
  loop.body = {add(Carried, X, Next, 16, 32)};
  loop.argument = Carried;
  loop.yielded = Next;
  program.functions.push_back(
      {.arguments = {X, W, Momentum},
       .ops = {{.kind = Op::Kind::Call, .operands = {X}, .result = H, .callee = 0},
               {.kind = Op::Kind::Call, .operands = {H}, .result = Y, .callee = 0},
               loop,
               {.kind = Op::Kind::Barrier, .operands = {Sum}, .result = Seen},
               add(Seen, Seen, Result, 16, 32)},
       .returned = Result});
  return program;
}

}  // namespace

int main() {
  if (const Status status = solve(example()); !status) {
    fmt::print("{}\n", status.error().message);
    return 1;
  }
}
