#include "shardy/propagation/ir_adapter.hpp"

#include <string>
#include <vector>

#include "propagation/ir_program.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/propagation/detail/ir_problem.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/rules/shape.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::ir_adapter_test {
namespace {

using ir::OpKind;

ir::Type tensor(std::vector<int64_t> dims) {
  return ir::Type::tensor(std::move(dims), ir::ElementType::F32);
}

PropagationReport run(IrProgram& program, const PropagationOptions& options = {}) {
  Result<PropagationReport> report = propagate(program.module, options);
  REQUIRE(report);
  return *std::move(report);
}

Error error_of(ir::Module& module, const PropagationOptions& options = {}) {
  const Result<PropagationReport> report = propagate(module, options);
  REQUIRE_FALSE(report);
  return report.error();
}

TEST_CASE("dead ops are erased with the ops in their regions", "[propagation][ir]") {
  IrProgram program = parse_ir_program(R"(
x: 8 [{a}]
y: 8
d = sine x
e = add d y
r = sine x
return r
)");
  // `e` is returned by the test language; take it out again.
  ir::Module& module = program.module;
  const ir::OpId last = module.last_op(module.entry(*module.main_function()));
  module.set_operands(last, std::vector{program.values.at("r")});
  const PropagationReport report = run(program);
  CHECK(report.num_erased == 2);
  CHECK(program["d"] == "erased");
  CHECK(program["e"] == "erased");
  CHECK(program["r"] == "[{a,?}]");
  CHECK(program["y"] == "-");
}

TEST_CASE("an op with side effects in its regions is kept", "[propagation][ir]") {
  const auto survives = [](OpKind inner) {
    ir::Module module;
    const ir::Type type = tensor({8});
    const ir::BlockId entry = module.entry(module.add_function("main", std::vector{type}, {}));
    const ir::ValueId x = module.args(entry)[0];
    ir::OpSpec spec{.kind = OpKind::Case,
                    .operands = {x},
                    .result_types = {type},
                    .regions = {module.new_region()}};
    const ir::BlockId branch = module.new_block(spec.regions.front());
    ir::Builder inside(module, branch);
    inside.create({.kind = inner, .name = "my.print", .operands = {x}, .result_types = {type}});
    inside.create({.kind = OpKind::StablehloReturn, .operands = {x}});
    const ir::OpId op = ir::Builder(module, entry).create(std::move(spec));
    ir::Builder(module, entry).create({.kind = OpKind::FuncReturn});
    REQUIRE(propagate(module));
    return !module.is_erased(op);
  };
  CHECK_FALSE(survives(OpKind::Sine));
  CHECK(survives(OpKind::Unknown));
}

TEST_CASE("the first sharding of an op opens its other results", "[propagation][ir]") {
  IrProgram program = parse_ir_program(R"(
x: 8x4 [{a},{b}]
r s = op x -> 8x4 4 : ([i,j])->([i,k],[l]) {i=8,j=4,k=1,l=1}
)");
  run(program);
  CHECK(program["r"] == "[{a,?},{?}]");
  CHECK(program["s"] == "[{?}]");
}

TEST_CASE("unknown ops are reported once and block propagation", "[propagation][ir]") {
  IrProgram program = parse_ir_program(R"(
x: 8 [{a}]
r = op x -> 8
s = op r -> 8
t = sine s
)");
  const PropagationReport report = run(program);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].message == "no sharding rule for op 'test.op'");
  CHECK(report.diagnostics[0].notes ==
        std::vector<std::string>{
            "add a rule that is correct for the op: sdy.sharding_rule = \"i -> i "
            "need_replication={i}\" is always correct; \"i -> i\", guessed from equal sizes, is "
            "correct only if each shard of the results needs only the same shard of the operands; "
            "checking::check with a kernel of the op tests a rule"});
  CHECK(program["r"] == "-");
  CHECK(program["t"] == "-");
}

TEST_CASE("unknown ops without dims are not reported", "[propagation][ir]") {
  IrProgram program = parse_ir_program(R"(
x: scalar
r = op x -> scalar
s = op r -> 6
)");
  const PropagationReport report = run(program);
  REQUIRE(report.diagnostics.size() == 1);
  REQUIRE(report.diagnostics[0].notes.size() == 1);
  CHECK(report.diagnostics[0].notes[0].find("\"-> i\"") != std::string::npos);
}

TEST_CASE("propagation does not pass a reshard or a constant", "[propagation][ir]") {
  IrProgram program = parse_ir_program(R"(
x: 8 [{a}]
r = reshard x [{b,?}]
s = sine r
c = constant -> 8
t = add c s
)");
  run(program);
  CHECK(program["x"] == "[{a}]");
  CHECK(program["s"] == "[{b,?}]");
  CHECK(program["c"] == "[{b,?}]");
}

TEST_CASE("attached rules are kept only on request, custom rules always", "[propagation][ir]") {
  const std::string text = R"(
x: 8x6 [{a},{?}]
r = sine x
s = op r -> 8x6 : ([i,j])->([i,k]) {i=8,j=6,k=6}
)";
  const auto rule_of = [](const IrProgram& program, const char* name) {
    const ir::OpId op = program.module.defining_op(program.values.at(name));
    return program.module.attribute<OpShardingRule>(op, "sdy.sharding_rule");
  };
  IrProgram dropped = parse_ir_program(text);
  run(dropped);
  CHECK(rule_of(dropped, "r") == nullptr);
  CHECK(rule_of(dropped, "s") == nullptr);

  IrProgram kept = parse_ir_program(text);
  run(kept, {.keep_sharding_rules = true});
  REQUIRE(rule_of(kept, "r") != nullptr);
  CHECK(*rule_of(kept, "r") == OpShardingRule::identity(std::vector<int64_t>{8, 6}, 1, 1));
  CHECK(rule_of(kept, "s") != nullptr);

  IrProgram custom = parse_ir_program(text);
  OpShardingRule::Parts parts = rule_of(custom, "s")->parts();
  parts.is_custom = true;
  const ir::OpId op = custom.module.defining_op(custom.values.at("s"));
  custom.module.attributes(op).set("sdy.sharding_rule", OpShardingRule::make(parts).value());
  run(custom);
  CHECK(rule_of(custom, "s") != nullptr);
}

TEST_CASE("propagation uses registered rules", "[propagation][ir]") {
  rules::Registry registry;
  REQUIRE(registry.add("test.op", [](const rules::OpView& op, const rules::RuleOptions&) {
    return rules::RuleResult(rules::pointwise_rule(op.operand_ranks(), op.result_shape()));
  }));
  IrProgram program = parse_ir_program("x: 8 [{a}]\n r = op x -> 8");
  CHECK(run(program, {.registry = &registry}).diagnostics.empty());
  CHECK(program["r"] == "[{a,?}]");
}

TEST_CASE("carried values of a while share one sharding with and without an edge",
          "[propagation][ir]") {
  const std::string text = "x: 8\n w = while x [{a,?}] : it\n n = sine it\n yield n";
  IrProgram program = parse_ir_program(text);
  run(program);
  for (const char* name : {"x", "w", "it", "n"}) CHECK(program[name] == "[{a,?}]");

  // Without edge ops, the body argument has the sharding of the result, but operands are apart.
  IrProgram plain = parse_ir_program(text);
  ir::Module& module = plain.module;
  for (const ir::OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyDataFlowEdge)) continue;
    const ir::ValueId owner = module.operand(op, 0);
    const auto sharding = ir::get_sharding(module, owner);
    module.replace_all_uses(module.result(op), owner);
    module.erase(op);
    ir::set_sharding(module, owner, *sharding);
  }
  run(plain);
  CHECK(plain["w"] == "[{a,?}]");
  CHECK(plain["it"] == "[{a,?}]");
  CHECK(plain["n"] == "[{a,?}]");
  CHECK(plain["x"] == "-");
}

TEST_CASE("arguments of a reducer have no sharding", "[propagation][ir]") {
  ir::Module module;
  const ir::Type scalar = tensor({});
  const std::vector<ir::Type> args = {tensor({8, 6}), scalar};
  const ir::OpId main = module.add_function("main", args, {tensor({8})});
  const ir::BlockId entry = module.entry(main);
  const Mesh mesh = make_mesh("a=2 b=2");
  ir::set_arg_sharding(module, main, 0, parse_sharding(mesh, "[{a},{b}]"));
  ir::OpSpec spec{.kind = OpKind::Reduce,
                  .operands = {module.args(entry)[0], module.args(entry)[1]},
                  .result_types = {tensor({8})},
                  .regions = {module.new_region()}};
  spec.attributes.set("dimensions", ir::DenseArrayAttr{ir::ElementType::I64, {1}});
  const ir::BlockId body =
      module.new_block(spec.regions.front(), std::vector<ir::Type>{scalar, scalar});
  ir::Builder inside(module, body);
  const ir::ValueId sum =
      inside.create_value(OpKind::Add, {module.args(body)[0], module.args(body)[1]}, scalar);
  inside.create({.kind = OpKind::StablehloReturn, .operands = {sum}});
  const ir::OpId reduce = ir::Builder(module, entry).create(std::move(spec));
  ir::Builder(module, entry)
      .create({.kind = OpKind::FuncReturn, .operands = {module.result(reduce)}});
  REQUIRE(propagate(module));
  CHECK(to_text(ir::get_sharding(module, module.result(reduce))) == "[{a,?}]");
  CHECK(to_text(ir::get_sharding(module, sum)) == "-");
  CHECK(to_text(ir::result_sharding(module, main, 0)) == "[{a,?}]");
}

TEST_CASE("named and nested computations propagate as if inlined", "[propagation][ir]") {
  IrProgram program = parse_ir_program(R"(
x: 8x4
w = named x : arg
m = sine arg
v = named m : inner
n = sine inner [{a,?},{?}]
yield n
k = sine v [{?},{b,?}]
yield k
r = sine w
)");
  run(program);
  for (const char* name : {"x", "w", "arg", "m", "v", "inner", "n", "k", "r"}) {
    CAPTURE(name);
    CHECK(program[name] == "[{a,?},{b,?}]");
  }
}

TEST_CASE("a manual computation without free axes shows only manual axes outside",
          "[propagation][ir]") {
  IrProgram program = parse_ir_program(R"(
x: 32x8
w = manual x -> 32x8 : arg 16x8 | a | [{a,?},{?}] | [{a,?},{?}]
n = sine arg
yield n
r = sine w
)");
  run(program);
  CHECK(program["x"] == "[{a,?},{?}]");
  CHECK(program["arg"] == "[{?},{?}]");
  CHECK(program["n"] == "-");
  CHECK(program["w"] == "[{a,?},{?}]");
  CHECK(program["r"] == "[{a,?},{?}]");
}

/// main calls `f` twice; all three values that meet at each boundary have an edge.
struct Calls {
  ir::Module module;
  ir::ValueId x, y, first, second, arg, returned;

  explicit Calls(const std::string& order) {
    for (const char name : order) name == 'm' ? add_main() : add_callee();
  }
  void add_callee() {
    const ir::BlockId entry =
        module.entry(module.add_function("f", std::vector{tensor({8, 8})}, {tensor({8, 8})}));
    ir::Builder builder(module, entry);
    arg = edge(builder, module.args(entry)[0]);
    returned = builder.create_value(OpKind::Sine, {arg}, tensor({8, 8}));
    builder.create({.kind = OpKind::FuncReturn, .operands = {returned}});
  }
  void add_main() {
    const std::vector<ir::Type> types = {tensor({8, 8}), tensor({8, 8})};
    const ir::BlockId entry = module.entry(module.add_function("main", types, types));
    x = module.args(entry)[0];
    y = module.args(entry)[1];
    ir::Builder builder(module, entry);
    first = call(builder, x);
    second = call(builder, y);
    builder.create({.kind = OpKind::FuncReturn, .operands = {first, second}});
  }
  static ir::ValueId edge(ir::Builder& builder, ir::ValueId value) {
    return builder.create_value(OpKind::SdyFuncDataFlowEdge, {value}, tensor({8, 8}));
  }
  static ir::ValueId call(ir::Builder& builder, ir::ValueId operand) {
    ir::AttributeMap attributes;
    attributes.set("callee", ir::SymbolAttr{"f"});
    return edge(builder, builder.create_value(OpKind::FuncCall, {operand}, tensor({8, 8}),
                                              std::move(attributes)));
  }
};

TEST_CASE("function edges give all callers and the callee one sharding", "[propagation][ir]") {
  const Mesh mesh = make_mesh("a=2 b=2 c=2");
  for (const char* order : {"mf", "fm"}) {
    CAPTURE(order);
    Calls calls(order);
    ir::set_sharding(calls.module, calls.x, parse_sharding(mesh, "[{a,?},{?}]"));
    ir::set_sharding(calls.module, calls.second, parse_sharding(mesh, "[{?},{b,?}]"));
    REQUIRE(propagate(calls.module));
    for (const ir::ValueId value :
         {calls.x, calls.y, calls.first, calls.second, calls.arg, calls.returned}) {
      CHECK(to_text(ir::get_sharding(calls.module, value)) == "[{a,?},{b,?}]");
    }
  }
}

TEST_CASE("propagation stops at a call without edges", "[propagation][ir]") {
  Calls calls("mf");
  ir::Module& module = calls.module;
  ir::set_sharding(module, calls.x, parse_sharding(make_mesh("a=2"), "[{a,?},{?}]"));
  for (const ir::OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyFuncDataFlowEdge)) continue;
    module.replace_all_uses(module.result(op), module.operand(op, 0));
    module.erase(op);
  }
  REQUIRE(propagate(module));
  CHECK(to_text(ir::get_sharding(module, calls.returned)) == "-");
}

TEST_CASE("a change wakes the edge node instead of the operand that feeds the edge",
          "[propagation][ir]") {
  // If `r` writes x, the edge of the loop is visited first and takes the axis for dim 0; after
  // the body it would conflict with the b that `k` brings there.
  IrProgram program = parse_ir_program(R"(
x: 8x8
k: 8x8 [{?},{?}]
w = while x : it
n = add x k
m = add it n
yield m
r = sine x [{a,?},{?}]
)");
  ModuleProblem solved = make_problem(program.module, rules::Registry()).value();
  const auto slot_of = [&](ir::ValueId value) {
    const auto found = std::ranges::find(solved.values, value);
    return SlotId(static_cast<uint32_t>(found - solved.values.begin()));
  };
  std::vector<OpKind> kinds;
  for (const NodeId node : solved.problem.wakes(slot_of(program.values.at("x")))) {
    kinds.push_back(program.module.kind(solved.ops[node.index()]));
  }
  CHECK(kinds == std::vector{OpKind::SdyDataFlowEdge, OpKind::Add, OpKind::Sine});
}

TEST_CASE("a value that propagation does not support is an error with its location",
          "[propagation][ir]") {
  const auto message = [](const ir::Type& type) {
    ir::Module module;
    const ir::BlockId entry = module.entry(module.add_function("f", {}, {}));
    ir::OpSpec spec{.name = "my.op", .result_types = {type}};
    spec.location = module.add_location("4:2");
    ir::Builder(module, entry).create(std::move(spec));
    const Error error = error_of(module);
    CHECK(error.location == "4:2");
    return error.message;
  };
  CHECK(message(tensor({4, ir::kDynamicDim})) ==
        "only ranked tensors with a static shape are supported. type: 'tensor<4x?xf32>'");
  CHECK(message(ir::Type(ir::OpaqueType{"tensor<*xf32>"})) ==
        "only ranked tensors with a static shape are supported. type: 'tensor<*xf32>'");
  CHECK(message(ir::Type(ir::TupleType{{tensor({4})}})) ==
        "tuples are not supported. type: 'tuple<tensor<4xf32>>'");

  IrProgram rule = parse_ir_program("x: 8 [{a}]\n r = op x -> 8 : ([i,j])->([i]) {i=8,j=4}");
  const ir::OpId op = rule.module.defining_op(rule.values.at("r"));
  rule.module.set_location(op, rule.module.add_location("7:1"));
  CHECK(error_of(rule.module) == Error{"operand - mapping rank must match: 2 != 1", "7:1", {}});

  IrProgram group = parse_ir_program("x: 8\n group x 0\n group x 1");
  CHECK(error_of(group.module).message == "value is in sharding groups 0 and 1");

  IrProgram barrier = parse_ir_program("x: 8\n r = barrier x BOTH");
  CHECK(error_of(barrier.module).message == "cannot specify BOTH as the direction");

  ir::Module two;
  two.add_function("f", {}, {});
  two.add_function("g", {}, {});
  CHECK(error_of(two).message == "Failed to lookup function: main");
}

TEST_CASE("tokens, empty modules and external functions are valid", "[propagation][ir]") {
  ir::Module empty;
  CHECK(propagate(empty));

  ir::Module external;
  ir::OpSpec spec{.kind = OpKind::Func, .regions = {external.new_region()}};
  spec.attributes.set("sym_name", std::string("main"));
  external.append(external.body(), external.create(std::move(spec)));
  CHECK(propagate(external));

  ir::Module tokens;
  const ir::BlockId entry =
      tokens.entry(tokens.add_function("main", std::vector{ir::Type()}, {ir::Type()}));
  ir::OpSpec barrier{.kind = OpKind::OptimizationBarrier,
                     .operands = {tokens.args(entry)[0]},
                     .result_types = {ir::Type()}};
  const ir::OpId op = ir::Builder(tokens, entry).create(std::move(barrier));
  ir::Builder(tokens, entry).create({.kind = OpKind::FuncReturn, .operands = {tokens.result(op)}});
  add_data_flow_edges(tokens);
  CHECK(propagate(tokens));
}

TEST_CASE("the callback receives the module after each user priority but the last",
          "[propagation][ir]") {
  IrProgram program = parse_ir_program("x: 8x8 [{a}p2,{b,?}p1]\n y: 8x8 [{?},{c}]\n r = add x y");
  std::vector<std::string> seen;
  PropagationOptions options;
  options.after_user_priority = [&](int64_t priority, const ir::Module& module) {
    seen.push_back(std::to_string(priority) + ": " +
                   to_text(ir::get_sharding(module, program.values.at("r"))));
  };
  run(program, options);
  CHECK(seen == std::vector<std::string>{"0: [{?},{c,?}]", "1: [{?},{c,?}]"});
  CHECK(program["r"] == "[{a,?},{c,?}]");
}

/// Lists the writes of each step, in terms of the module.
struct Recorder : ModuleObserver {
  const ModuleProblem* of = nullptr;
  std::vector<ir::OpId> steps = {};
  std::vector<ir::OpId> erased = {};

  void attach(const ModuleProblem& problem) override { of = &problem; }
  void on_step(const StepEvent& step) override {
    if (!step.targets.empty()) steps.push_back(of->ops[step.node.index()]);
  }
  void on_erase(NodeId node) override { erased.push_back(of->ops[node.index()]); }
};

TEST_CASE("a sharding at the end of a chain propagates back op by op", "[propagation][ir]") {
  IrProgram program = parse_ir_program("x: 8\n b = sine x\n c = sine b\n d = sine c [{a,?}]");
  const auto op = [&](const char* name) {
    return program.module.defining_op(program.values.at(name));
  };
  Recorder recorder;
  REQUIRE(propagate(program.module, {.algorithm = Algorithm::Basic}, recorder));
  // First the function result; then d writes c, which wakes the op of c, and so on.
  CHECK((recorder.steps == std::vector{ir::OpId(), op("d"), op("c"), op("b")}));
  CHECK(program["x"] == "[{a,?}]");
}

}  // namespace
}  // namespace shardy::propagation::testing::ir_adapter_test
