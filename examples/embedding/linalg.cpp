// A compiler with an IR of structured ops: iteration spaces with indexing maps, loops with carried
// values, calls, barriers and groups. The compiler calls the propagator and reads the reason for
// each sharding. The example needs headers only: no ir::Module, compiled library or exceptions.
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <shardy/algebra.hpp>
#include <shardy/propagation.hpp>
#include <string>
#include <vector>

namespace {

using namespace shardy;               // NOLINT(google-build-using-namespace)
using namespace shardy::propagation;  // NOLINT(google-build-using-namespace)

// [ir]
/// The loop nest of a structured op. `maps` lists, for each tensor (operands first), the iterator
/// of each dim. The maps of a dot are {0,2} {2,1} {0,1}.
struct Nest {
  std::vector<int64_t> sizes;    // sizes of the iterators
  std::vector<int32_t> reduced;  // numbers of the iterators of a reduction
  std::vector<std::vector<int32_t>> maps;
};

struct Op {
  enum class Kind { Structured, Loop, Call, Barrier } kind = Kind::Structured;
  std::vector<std::size_t> operands;  // numbers of values in the program
  std::size_t result = 0;
  Nest nest = {};             // only for a Structured op
  std::vector<Op> body = {};  // only for a Loop
  std::size_t argument = 0;   // argument of a Loop body
  std::size_t yielded = 0;    // value that a Loop body passes to the next iteration
  std::size_t callee = 0;     // function that a Call calls
};

struct Value {
  std::string name;
  std::vector<int64_t> shape;
  std::optional<TensorSharding> sharding = {};  // annotation
};

struct Function {
  std::vector<std::size_t> arguments;
  std::vector<Op> ops;
  std::size_t returned = 0;
};

/// A list of functions, callees before callers. The last function is the program.
struct Program {
  Mesh mesh;
  std::vector<Value> values;
  std::vector<Function> functions;
  std::vector<std::vector<std::size_t>> groups;  // values of one sharding
};
// [ir]

// [rule]
/// Returns the sharding rule of a structured op. The iterators are the factors, and the maps give
/// the factor of each dim.
Result<OpShardingRule> rule_of(const Op& op) {
  OpShardingRule::Parts rule{.factor_sizes = op.nest.sizes, .reduction = op.nest.reduced};
  for (const std::vector<int32_t>& map : op.nest.maps) {
    TensorMapping tensor;
    for (const int32_t factor : map) tensor.dims.push_back({factor});
    const bool is_operand = rule.operand_mappings.size() < op.operands.size();
    (is_operand ? rule.operand_mappings : rule.result_mappings).push_back(std::move(tensor));
  }
  return OpShardingRule::make(std::move(rule));
}
// [rule]

/// A propagation problem with a slot for each value and a node for each op.
class Propagation {
 public:
  explicit Propagation(const Program& program)
      : program_(program), slots_(program.values.size()), calls_(program.functions.size()) {}

  Status build() {
    for (const Function& function : program_.functions) {
      for (const std::size_t argument : function.arguments) SHARDY_TRY_STATUS(add_slot(argument));
      SHARDY_TRY_STATUS(add_slots(function.ops));
    }
    for (std::size_t index = 0; index < program_.functions.size(); ++index) {
      SHARDY_TRY_STATUS(add_nodes(program_.functions[index].ops));
      SHARDY_TRY_STATUS(add_calls(program_.functions[index], calls_[index]));
    }
    for (const auto& group : program_.groups) SHARDY_TRY_STATUS(builder_.add_group(slots(group)));
    SHARDY_TRY(problem_, std::move(builder_).build());
    return {};
  }

  // [explain]
  /// Propagates, and prints each sharding with the steps that gave the value its axes, back to the
  /// annotations, then the conflicts. The tag of a slot is the number of its value.
  Status run() {
    DecisionLog log;
    SHARDY_TRY(const ProblemReport report, propagate(problem_, {}, log));
    fmt::print("{} steps changed something\n", report.num_updates);
    const ExplainNames names{.slot = [&](SlotId slot) { return name(problem_.tag(slot)); },
                             .node = [&](NodeId node) { return nodes_[node.index()]; }};
    for (std::size_t value = 0; value < slots_.size(); ++value) {
      const auto& sharding = problem_.sharding(slots_[value]);
      fmt::print("{} {}\n{}", name(value), sharding ? to_string(*sharding) : "none",
                 explanation_text(problem_, log, slots_[value], names));
    }
    fmt::print("{}", conflicts_text(problem_, log, names));
    return {};
  }
  // [explain]

  // [edit]
  /// Propagates again with another annotation of one value.
  Status run_edited(std::size_t value, const TensorSharding& sharding) {
    problem_.reset();
    SHARDY_TRY_STATUS(problem_.edit_sharding(slots_[value], sharding));
    SHARDY_TRY(const ProblemReport report, propagate(problem_));
    fmt::print("with {} {}: {} steps changed something\n", name(value), to_string(sharding),
               report.num_updates);
    return {};
  }
  // [edit]

  // [meet]
  /// Prints the shardings with which an op is computed, the operands that are resharded for it, and
  /// the groups of devices that add up its partial results.
  Status print_meet(const Op& op) const {
    TensorShardings operands;
    for (const SlotId slot : slots(op.operands)) operands.push_back(problem_.sharding(slot));
    SHARDY_TRY(const OpShardingRule rule, rule_of(op));
    SHARDY_TRY(const CommonShardings common, meet(rule, operands));
    for (std::size_t index = 0; index < operands.size(); ++index) {
      fmt::print("{} as {}{}\n", name(op.operands[index]), to_string(common.operands[index]),
                 common.is_resharded[index] ? ", moved" : "");
    }
    fmt::print("{} as {}\n", name(op.result), to_string(common.results.front()));
    if (common.partial.empty()) return {};
    for (const auto& group : replica_groups(program_.mesh, common.partial)) {
      fmt::print("  all-reduce of {}\n", fmt::join(group, " "));
    }
    return {};
  }
  // [meet]

 private:
  const std::string& name(std::size_t value) const { return program_.values[value].name; }

  std::vector<SlotId> slots(const std::vector<std::size_t>& values) const {
    std::vector<SlotId> slots;
    slots.reserve(values.size());
    for (const std::size_t value : values) slots.push_back(slots_[value]);
    return slots;
  }

  // [slots]
  Status add_slot(std::size_t value, SlotId shares = {}) {
    const Value& of = program_.values[value];
    SHARDY_TRY(slots_[value],
               builder_.add_slot(
                   {.shape = of.shape, .sharding = of.sharding, .shares = shares, .tag = value}));
    return {};
  }

  /// Adds the slots of ops. The result of a loop shares the sharding of the argument of its body.
  /// All calls of a function share one result.
  Status add_slots(const std::vector<Op>& ops) {
    for (const Op& op : ops) {
      SlotId shared;
      if (op.kind == Op::Kind::Loop) {
        SHARDY_TRY_STATUS(add_slot(op.argument));
        SHARDY_TRY_STATUS(add_slots(op.body));
        shared = slots_[op.argument];
      } else if (op.kind == Op::Kind::Call) {
        calls_[op.callee].push_back(&op);
        shared = slots_[calls_[op.callee].front()->result];
      }
      SHARDY_TRY_STATUS(add_slot(op.result, shared));
    }
    return {};
  }
  // [slots]

  Status add_structured(const Op& op) {
    SHARDY_TRY(const OpShardingRule rule, rule_of(op));
    NodeSpec node;
    node.is_elementwise = std::ranges::all_of(
        op.nest.maps, [&](const auto& map) { return map.size() == op.nest.sizes.size(); });
    if (node.is_elementwise) node.priority = PriorityClass::Pointwise;
    nodes_.push_back(name(op.result));
    SHARDY_TRY_STATUS(builder_.add_op(rule, slots(op.operands), slots({op.result}), node));
    return {};
  }

  Status add_edge(const std::vector<std::size_t>& from, std::size_t to, std::string label) {
    std::vector<TensorUse> sources;
    for (const SlotId source : slots(from)) sources.push_back({source});
    nodes_.push_back(std::move(label));
    SHARDY_TRY_STATUS(builder_.add_edge(std::move(sources), {slots_[to]}));
    return {};
  }

  // [loop]
  /// Adds nodes. A loop is an edge from its initial and yielded value, after the nodes of its body.
  Status add_nodes(const std::vector<Op>& ops) {
    for (const Op& op : ops) {
      if (op.kind == Op::Kind::Structured) {
        SHARDY_TRY_STATUS(add_structured(op));
      } else if (op.kind == Op::Kind::Loop) {
        SHARDY_TRY_STATUS(add_nodes(op.body));
        SHARDY_TRY_STATUS(
            add_edge({op.operands[0], op.yielded}, op.result, "loop " + name(op.result)));
      } else if (op.kind == Op::Kind::Barrier) {
        nodes_.emplace_back("barrier");
        SHARDY_TRY_STATUS(
            builder_.add_barrier(slots_[op.operands[0]], slots_[op.result], Direction::Forward));
      }
    }
    return {};
  }

  /// Adds the edges of calls, from operands to arguments and from the returned value to results.
  Status add_calls(const Function& function, const std::vector<const Op*>& calls) {
    if (calls.empty()) return {};
    for (std::size_t place = 0; place < function.arguments.size(); ++place) {
      std::vector<std::size_t> given;
      given.reserve(calls.size());
      for (const Op* call : calls) given.push_back(call->operands[place]);
      const std::size_t argument = function.arguments[place];
      SHARDY_TRY_STATUS(add_edge(given, argument, "argument " + name(argument)));
    }
    return add_edge({function.returned}, calls.front()->result, "returned");
  }
  // [loop]

  const Program& program_;
  ProblemBuilder builder_;
  Problem problem_;
  std::vector<SlotId> slots_;                  // slot of each value
  std::vector<std::string> nodes_;             // name of each node
  std::vector<std::vector<const Op*>> calls_;  // calls of each function
};

Status solve(const Program& program) {
  Propagation propagation(program);
  SHARDY_TRY_STATUS(propagation.build());
  SHARDY_TRY_STATUS(propagation.run());
  const Op& product = program.functions.front().ops.front();
  SHARDY_TRY_STATUS(propagation.print_meet(product));
  SHARDY_TRY(const auto rows, TensorSharding::parse(program.mesh, R"(<@mesh, [{"model"}, {?}]>)"));
  SHARDY_TRY_STATUS(propagation.run_edited(product.operands[1], rows));
  return propagation.print_meet(product);
}

/// Makes a program with a layer that is called twice, a loop that adds up results of the layer, and
/// weights in one sharding group.
Result<Program> example() {
  SHARDY_TRY(const Mesh mesh, Mesh::make({{"data", 4}, {"model", 2}}));
  SHARDY_TRY(const auto rows, TensorSharding::parse(mesh, R"(<@mesh, [{"data"}p1, {?}]>)"));
  SHARDY_TRY(const auto columns, TensorSharding::parse(mesh, R"(<@mesh, [{?}, {"model"}p0]>)"));
  enum : std::size_t {
    kX,
    kW,
    kMomentum,
    kIn,
    kOut,
    kH,
    kY,
    kCarried,
    kNext,
    kSum,
    kSeen,
    kReturned
  };
  const Nest product{{16, 32, 32}, {2}, {{0, 2}, {2, 1}, {0, 1}}};
  const Nest addition{{16, 32}, {}, {{0, 1}, {0, 1}, {0, 1}}};
  const Op loop{.kind = Op::Kind::Loop,
                .operands = {kY},
                .result = kSum,
                .body = {{.operands = {kCarried, kX}, .result = kNext, .nest = addition}},
                .argument = kCarried,
                .yielded = kNext};
  return Program{
      .mesh = mesh,
      .values = {{"x", {16, 32}, rows},
                 {"w", {32, 32}, columns},
                 {"momentum", {32, 32}},
                 {"layer.in", {16, 32}},
                 {"layer.out", {16, 32}},
                 {"h", {16, 32}},
                 {"y", {16, 32}},
                 {"carried", {16, 32}},
                 {"next", {16, 32}},
                 {"sum", {16, 32}},
                 {"seen", {16, 32}},
                 {"out", {16, 32}, TensorSharding::fully_open(mesh, "mesh", 2)}},
      .functions = {{{kIn}, {{.operands = {kIn, kW}, .result = kOut, .nest = product}}, kOut},
                    {{kX, kW, kMomentum},
                     {{.kind = Op::Kind::Call, .operands = {kX}, .result = kH, .callee = 0},
                      {.kind = Op::Kind::Call, .operands = {kH}, .result = kY, .callee = 0},
                      loop,
                      {.kind = Op::Kind::Barrier, .operands = {kSum}, .result = kSeen},
                      {.operands = {kSeen, kSeen}, .result = kReturned, .nest = addition}},
                     kReturned}},
      .groups = {{kW, kMomentum}}};
}

}  // namespace

int main() {
  const Status status = example().and_then(solve);
  if (!status) fmt::print("{}\n", status.error().message);
  return status ? 0 : 1;
}
