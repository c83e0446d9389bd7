// Programs in C++: what each call makes, and the first error that stays.
#include "shardy/ir/graph_builder.hpp"

#include "ir/module_maker.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy_test::graph_builder_test {
namespace {

using Values = GraphBuilder::Values;
using Args = std::span<const ValueId>;

const Type kMatrix = Type::tensor({4, 6}, ElementType::F32);
const Type kI1 = Type::tensor({}, ElementType::I1);
const Type kI32 = Type::tensor({}, ElementType::I32);

/// @main with the mesh @m <["x"=2, "y"=4]>.
struct Program : GraphBuilder {
  Program() {
    mesh("m", {{"x", 2}, {"y", 4}});
    function("main");
    x = argument(kMatrix);
  }
  std::string type_text(ValueId value) const { return to_string(type(value)); }
  std::string sharding_text(ValueId value) const {
    const auto sharding = get_sharding(module(), value);
    return sharding ? to_string(*sharding) : "none";
  }
  std::string error_text() const {
    return error() ? error()->location.text() + ": " + error()->message : "(no error)";
  }
  ValueId x;
};

TEST_CASE("a builder makes a module that verifies", "[ir][graph_builder]") {
  Program p;
  const ValueId y = p.argument(Type::tensor({6, 5}, ElementType::F32), "[{}, {\"y\"}]");
  p.ret({p.tanh(p.dot(p.x, y))}, {"[{?}, {\"y\"}]"});
  const Result<Module> module = p.finish();
  CHECK(message_of(module) == "(no error)");
  const OpId main = module->main_function().value();
  CHECK(to_string(module->arg_types(main)) == "tensor<4x6xf32>, tensor<6x5xf32>");
  CHECK(to_string(module->function(main).result_types) == "tensor<4x5xf32>");
  CHECK(arg_sharding(*module, main, 0) == std::nullopt);
  CHECK(to_string(arg_sharding(*module, main, 1).value()) == "<@m, [{}, {\"y\"}]>");
  CHECK(to_string(result_sharding(*module, main, 0).value()) == "<@m, [{?}, {\"y\"}]>");
  CHECK(p.module().num_ops() == 0);  // the builder is empty again
}

TEST_CASE("each convenience function makes its op with the inferred type", "[ir][graph_builder]") {
  struct Row {
    std::string op;
    std::function<ValueId(Program&)> make;
    std::string type;
  };
  const std::vector<Row> rows = {
      {"stablehlo.constant", [](Program& p) { return p.splat(kMatrix, 2); }, "tensor<4x6xf32>"},
      {"stablehlo.constant", [](Program& p) { return p.int_splat(kI32, 7); }, "tensor<i32>"},
      {"stablehlo.constant",
       [](Program& p) {
         return p.constant(Type::tensor({2}, ElementType::I8), {1, 2});
       },
       "tensor<2xi8>"},
      {"stablehlo.iota", [](Program& p) { return p.iota(kMatrix, 1); }, "tensor<4x6xf32>"},
      {"stablehlo.compare", [](Program& p) { return p.compare(p.x, p.x, "LT", "FLOAT"); },
       "tensor<4x6xi1>"},
      {"stablehlo.convert", [](Program& p) { return p.convert(p.x, ElementType::BF16); },
       "tensor<4x6xbf16>"},
      {"stablehlo.reduce_precision", [](Program& p) { return p.reduce_precision(p.x, 5, 2); },
       "tensor<4x6xf32>"},
      {"stablehlo.broadcast_in_dim",
       [](Program& p) {
         return p.broadcast_in_dim(p.x, {6, 2, 4}, {2, 0});
       },
       "tensor<6x2x4xf32>"},
      {"stablehlo.reshape", [](Program& p) { return p.reshape(p.x, {24}); }, "tensor<24xf32>"},
      {"stablehlo.transpose",
       [](Program& p) {
         return p.transpose(p.x, {1, 0});
       },
       "tensor<6x4xf32>"},
      {"stablehlo.reverse", [](Program& p) { return p.reverse(p.x, {0}); }, "tensor<4x6xf32>"},
      {"stablehlo.slice",
       [](Program& p) {
         return p.slice(p.x, {1, 0}, {4, 6});
       },
       "tensor<3x6xf32>"},
      {"stablehlo.slice",
       [](Program& p) {
         return p.slice(p.x, {1, 0}, {4, 6}, {2, 4});
       },
       "tensor<2x2xf32>"},
      {"stablehlo.concatenate",
       [](Program& p) {
         return p.concatenate({p.x, p.x}, 0);
       },
       "tensor<8x6xf32>"},
      {"stablehlo.pad",
       [](Program& p) {
         return p.pad(p.x, p.splat(Type::tensor({}, ElementType::F32), 0), {1, 0}, {2, 0});
       },
       "tensor<7x6xf32>"},
      {"stablehlo.dynamic_slice",
       [](Program& p) {
         const ValueId zero = p.int_splat(kI32, 0);
         return p.dynamic_slice(p.x, {zero, zero}, {2, 3});
       },
       "tensor<2x3xf32>"},
      {"stablehlo.dynamic_update_slice",
       [](Program& p) {
         const ValueId zero = p.int_splat(kI32, 0);
         return p.dynamic_update_slice(p.x, p.reverse(p.x, {}), {zero, zero});
       },
       "tensor<4x6xf32>"},
      {"stablehlo.dot_general",
       [](Program& p) {
         return p.dot_general(p.x, p.x, DotDims{{0}, {0}, {1}, {1}}, ElementType::F64);
       },
       "tensor<4xf64>"},
      {"stablehlo.select", [](Program& p) { return p.select(p.splat(kI1, 1), p.x, p.x); },
       "tensor<4x6xf32>"},
      {"stablehlo.clamp", [](Program& p) { return p.clamp(p.x, p.x, p.x); }, "tensor<4x6xf32>"},
      {"stablehlo.complex", [](Program& p) { return p.complex(p.x, p.x); },
       "tensor<4x6xcomplex<f32>>"},
      {"stablehlo.reduce", [](Program& p) { return p.reduce_sum(p.x, {0}); }, "tensor<6xf32>"},
      {"stablehlo.reduce", [](Program& p) { return p.reduce_product(p.x, {1}); }, "tensor<4xf32>"},
      {"stablehlo.reduce",
       [](Program& p) {
         return p.reduce_max(p.x, {0, 1});
       },
       "tensor<f32>"},
      {"sdy.propagation_barrier", [](Program& p) { return p.propagation_barrier(p.x, "NONE"); },
       "tensor<4x6xf32>"},
  };
  for (const Row& row : rows) {
    Program p;
    const ValueId made = row.make(p);
    CAPTURE(row.op, row.type, p.error_text());
    REQUIRE_FALSE(p.error());
    CHECK(p.module().name(p.module().defining_op(made)) == row.op);
    CHECK(p.type_text(made) == row.type);
  }
}

TEST_CASE("reductions start from the neutral element of their op", "[ir][graph_builder]") {
  using Make = ValueId (GraphBuilder::*)(ValueId, GraphBuilder::Dims);
  struct Row {
    Make make;
    ElementType element;
    double start;
    OpKind combiner;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Row> rows = {
      {&GraphBuilder::reduce_sum, ElementType::F32, 0, OpKind::Add},
      {&GraphBuilder::reduce_product, ElementType::F32, 1, OpKind::Multiply},
      {&GraphBuilder::reduce_max, ElementType::F32, -infinity, OpKind::Maximum},
      {&GraphBuilder::reduce_max, ElementType::I8, -128, OpKind::Maximum},
      {&GraphBuilder::reduce_max, ElementType::F8E4M3FN, -448, OpKind::Maximum},
      {&GraphBuilder::reduce_min, ElementType::F16, infinity, OpKind::Minimum},
      {&GraphBuilder::reduce_min, ElementType::UI8, 255, OpKind::Minimum},
      {&GraphBuilder::reduce_and, ElementType::I8, -1, OpKind::And},
      {&GraphBuilder::reduce_and, ElementType::UI8, 255, OpKind::And},
      {&GraphBuilder::reduce_and, ElementType::I1, 1, OpKind::And},
      {&GraphBuilder::reduce_or, ElementType::I1, 0, OpKind::Or},
  };
  for (const Row& row : rows) {
    Program p;
    const ValueId x = p.argument(Type::tensor({2}, row.element));
    const ValueId made = (p.*row.make)(x, {0});
    CAPTURE(to_string(row.element), info(row.combiner).name, p.error_text());
    REQUIRE_FALSE(p.error());
    const OpId reduce = p.module().defining_op(made);
    const OpId init = p.module().defining_op(p.module().operand(reduce, 1));
    const auto* literal = p.module().attribute<Literal>(init, "value");
    REQUIRE(literal != nullptr);
    CHECK(decode_double(literal->element_bytes(0), row.element) == row.start);
    CHECK(p.module().is(p.module().first_op(p.module().block(reduce)), row.combiner));
  }
}

TEST_CASE("bodies fill the regions of loops and branches", "[ir][graph_builder]") {
  Program p;
  const auto never = [&](Args) { return Values{p.splat(kI1, 0)}; };
  const Values loop =
      p.while_loop({p.x}, never, [&](Args args) { return Values{p.tanh(args[0])}; });
  const Values branch = p.if_else(
      p.splat(kI1, 1), [&] { return Values{p.x}; }, [&] { return loop; });
  const Values cases = p.case_of(p.int_splat(kI32, 0), {[&] { return branch; }});
  const Values named = p.named_computation("f", cases, [&](Args args) {
    return Values{args.begin(), args.end()};
  });
  const Values barrier = p.optimization_barrier({named[0], p.x});
  CAPTURE(p.error_text());
  REQUIRE(barrier.size() == 2);
  CHECK(p.type_text(barrier[0]) == "tensor<4x6xf32>");
  const Values custom = p.custom("a.b", barrier, {Type(), kMatrix}, attributes({{"k", true}}));
  REQUIRE(custom.size() == 2);
  p.ret({custom[1]});
  CHECK(message_of(p.finish()) == "(no error)");
}

TEST_CASE("the body of a manual computation has local shapes", "[ir][graph_builder]") {
  Program p;
  std::string local;
  const Values results = p.manual_computation(
      {p.x}, {.in = {"[{\"x\"}, {}]"}, .out = {"[{\"x\"}, {}]"}, .manual_axes = {"x"}},
      [&](Args args) {
        local = p.type_text(args[0]);
        return Values{p.tanh(args[0])};
      });
  CAPTURE(p.error_text());
  REQUIRE(results.size() == 1);
  CHECK(local == "tensor<2x6xf32>");
  CHECK(p.type_text(results[0]) == "tensor<4x6xf32>");
  p.ret(results);
  CHECK(message_of(p.finish()) == "(no error)");
}

TEST_CASE("annotations are sharding constraints", "[ir][graph_builder]") {
  const auto [name, text] = GENERATE(table<std::string, std::string>({
      {"replicate", "<@m, [{}, {}]>"},
      {"split", "<@m, [{}, {\"x\", \"y\":(1)2}]>"},
      {"split by nothing", "<@m, [{}, {}]>"},
      {"shard", "<@m, [{\"y\", ?}, {}], replicated={\"x\"}>"},
      {"shard by value", "<@m, [{?}, {?}]>"},
  }));
  Program p;
  ValueId made;
  if (name == "replicate") made = p.replicate(p.x);
  if (name == "split") made = p.split(p.x, 1, {"x", "\"y\":(1)2"});
  if (name == "split by nothing") made = p.split(p.x, 0, {});
  if (name == "shard") made = p.shard(p.x, "[{\"y\", ?}, {}], replicated={\"x\"}");
  if (name == "shard by value") {
    made = p.shard(p.x, TensorSharding::fully_open(p.module().find_mesh("m").value(), "m", 2));
  }
  CAPTURE(name, p.error_text());
  REQUIRE(made.valid());
  CHECK(p.module().is(p.module().defining_op(made), OpKind::SdyShardingConstraint));
  CHECK(p.sharding_text(made) == text);
  CHECK(p.type_text(made) == "tensor<4x6xf32>");
}

TEST_CASE("reshard, sharding_group and annotate set the shardings of values",
          "[ir][graph_builder]") {
  Program p;
  const ValueId there = p.reshard(p.x, "<@m, [{\"x\"}, {}]>");
  CHECK(p.module().is(p.module().defining_op(there), OpKind::SdyReshard));
  p.sharding_group(p.x, 3);
  const ValueId y = p.tanh(there);
  p.annotate(y, "[{}, {\"y\"}]");
  p.annotate(p.x, "[{\"y\"}, {}]");
  p.annotate(y, {});
  p.set_attribute(y, "note", "hot");
  CHECK(p.sharding_text(y) == "<@m, [{}, {\"y\"}]>");
  CHECK(p.sharding_text(p.x) == "<@m, [{\"y\"}, {}]>");
  CHECK(*p.module().attribute<std::string>(p.module().defining_op(y), "note") == "hot");
  p.ret({y});
  CHECK(message_of(p.finish()) == "(no error)");
}

TEST_CASE("calls have the types of their callee", "[ir][graph_builder]") {
  GraphBuilder g;
  const OpId callee = g.function("f", true);
  g.ret({g.argument(kMatrix)});
  g.function("main");
  const Values results = g.call("f", {g.argument(kMatrix)});
  REQUIRE(results.size() == 1);
  g.ret(results);
  CHECK(*g.module().attribute<std::string>(callee, "sym_visibility") == "private");
  CHECK(message_of(g.finish()) == "(no error)");
}

struct ErrorRow {
  std::string error;
  std::function<void(Program&)> make;
};

const std::vector<ErrorRow> kErrors = {
    {"'sdy.mesh' op duplicate axis name: \"a\"",
     [](Program& p) {
       p.mesh("n", {{"a", 2}, {"a", 2}});
     }},
    {"'stablehlo.tanh' op operand 0 is not a value of this builder",
     [](Program& p) { p.tanh(ValueId()); }},
    {"'stablehlo.add' op operand 1 must have the type of operand 0, tensor<4x6xf32>, got "
     "tensor<24xf32>",
     [](Program& p) { p.add(p.x, p.reshape(p.x, {24})); }},
    {"'stablehlo.constant' op needs a static tensor type",
     [](Program& p) { p.splat(type_of("tensor<?xf32>"), 0); }},
    {"'stablehlo.constant' op needs a static tensor type",
     [](Program& p) { p.int_splat(Type(), 0); }},
    {"'stablehlo.constant' op needs a static tensor type with one element for each of the 2 values",
     [](Program& p) {
       p.constant(kMatrix, {1, 2});
     }},
    {"'stablehlo.convert' op operand 0 must be a tensor",
     [](Program& p) { p.convert(p.argument(Type()), ElementType::F32); }},
    {"'stablehlo.reshape' op tensor dim must not be negative, got: -1",
     [](Program& p) {
       p.reshape(p.x, {-1, 6});
     }},
    {"'stablehlo.dot_general' op lhs batching and contracting dims must be in range [0, 0), got -1",
     [](Program& p) { p.dot(p.splat(kI32, 0), p.x); }},
    {"'func.return' op needs one sharding for each value, or none: 1 shardings vs 2 values",
     [](Program& p) {
       p.ret({p.x, p.x}, {"[{}, {}]"});
     }},
    {"'func.return' op sharding doesn't match tensor rank: 1 != 2",
     [](Program& p) { p.ret({p.x}, {"[{}]"}); }},
    {"'func.func' op sharding doesn't match tensor rank: 1 != 2",
     [](Program& p) { p.argument(kMatrix, "[{}]"); }},
    {"'stablehlo.abs' op is outside of a function: call function() first",
     [](Program& p) {
       p.ret({p.x});
       p.abs(p.x);
     }},
    {"'sdy.sharding_constraint' op dim to split must be in range [0, 2), got 2",
     [](Program& p) { p.split(p.x, 2, {"x"}); }},
    {"'sdy.sharding_constraint' op dim to split must be in range [0, 2), got -1",
     [](Program& p) { p.split(p.x, -1, {"x"}); }},
    {"'sdy.sharding_constraint' op unknown axis name: \"q\"",
     [](Program& p) { p.split(p.x, 0, {"q"}); }},
    {"'sdy.sharding_constraint' op operand 0 is not a value of this builder",
     [](Program& p) { p.split(ValueId(99), 0, {"x"}); }},
    {"'sdy.reshard' op needs a sharding", [](Program& p) { p.reshard(p.x, {}); }},
    {"'sdy.reshard' op unknown mesh: @q", [](Program& p) { p.reshard(p.x, "<@q, [{}, {}]>"); }},
    {"'annotate' op sharding doesn't match tensor rank: 0 != 2",
     [](Program& p) { p.annotate(p.x, "[]"); }},
    {"'annotate' op operand 0 is not a value of this builder",
     [](Program& p) { p.annotate(ValueId(), "[]"); }},
    {"'set_attribute' op operand 0 is an argument: no op defines it",
     [](Program& p) { p.set_attribute(p.x, "a", true); }},
    {"'sdy.manual_computation' op shardings don't match number of values: 0 shardings vs 1 values",
     [](Program& p) { p.manual_computation({p.x}, {}, [](Args) { return Values(); }); }},
    {"'sdy.manual_computation' op needs a sharding for each value",
     [](Program& p) {
       p.manual_computation({p.x}, {.in = {{}}, .out = {}, .manual_axes = {}},
                            [](Args) { return Values(); });
     }},
    {"'sdy.manual_computation' op operand dimension size 6 is not divisible by the manual axes "
     "size "
     "4",
     [](Program& p) {
       p.manual_computation({p.x}, {.in = {"[{}, {\"y\"}]"}, .out = {}, .manual_axes = {"y"}},
                            [](Args) { return Values(); });
     }},
    {"'func.call' op 'f' does not reference a valid function", [](Program& p) { p.call("f", {}); }},
};

TEST_CASE("an error names the call that failed", "[ir][graph_builder]") {
  for (const ErrorRow& row : kErrors) {
    Program p;
    p.location("12:7");
    row.make(p);
    CHECK(p.error_text() == "12:7: " + row.error);
    CHECK(located_message_of(p.finish()) == "12:7: " + row.error);
  }
}

TEST_CASE("text that is not a sharding is an error with its location", "[ir][graph_builder]") {
  Program p;
  p.shard(p.x, "[{x}]");
  CHECK(p.error_text().starts_with(": 'sdy.sharding_constraint' op sharding [{x}]: 1:3: "));
}

TEST_CASE("a sharding that names no mesh needs a mesh in the module", "[ir][graph_builder]") {
  GraphBuilder g;
  g.function("main");
  g.replicate(g.argument(kMatrix));
  CHECK(message_of(g.finish()) ==
        "'sdy.sharding_constraint' op sharding has no mesh name, and the module has no mesh: call "
        "mesh() first");
}

TEST_CASE("a builder keeps its first error and ignores later calls", "[ir][graph_builder]") {
  Program p;
  const ValueId bad = p.reshape(p.x, {23});
  CHECK_FALSE(bad.valid());
  CHECK(p.type(bad).is_token());
  const std::size_t num_ops = p.module().num_ops();
  CHECK_FALSE(p.tanh(p.x).valid());
  CHECK_FALSE(p.replicate(p.x).valid());
  CHECK_FALSE(p.argument(kMatrix).valid());
  CHECK_FALSE(p.function("g").valid());
  CHECK(p.while_loop(
             {p.x}, [](Args) { return Values(); }, [](Args) { return Values(); })
            .empty());
  p.mesh("n", {{"a", 0}});
  p.ret({bad});
  CHECK(p.module().num_ops() == num_ops);
  const std::string message =
      "'stablehlo.reshape' op number of elements must stay 24, but result tensor<23xf32> has 23";
  CHECK(message_of(p.finish()) == message);
  CHECK_FALSE(p.error());
}

TEST_CASE("an error inside a body becomes the error of the program", "[ir][graph_builder]") {
  Program p;
  p.named_computation("f", {p.x}, [&](Args args) { return Values{p.not_(args[0])}; });
  CHECK(p.error_text() ==
        ": 'stablehlo.not' op operand 0 must be a tensor of booleans or integers, got "
        "tensor<4x6xf32>");
}

TEST_CASE("finish verifies the module and counts further errors", "[ir][graph_builder]") {
  Program p;
  p.ret({p.x});
  p.mesh("m", {{"x", 2}});
  const Result<Module> one = p.finish();
  CHECK(message_of(one) == "'sdy.mesh' op redefinition of symbol named 'm'");
  CHECK(one.error().notes.size() == 1);  // the place of the previous definition

  Program q;  // whose @main does not end
  q.mesh("m", {{"x", 2}});
  const Result<Module> two = q.finish();
  CHECK(message_of(two) == "'func.func' op block of region 0 must end in 'func.return'");
  CHECK(two.error().notes == std::vector<std::string>{"and 1 more error"});
}

}  // namespace
}  // namespace shardy_test::graph_builder_test
