// Diagnostics of the verifier for structure, symbols and attached shardings. Spec: dialect 1, 10;
// algebra 9.
#include "ir/verify_row.hpp"

namespace shardy_test::verify_test {
namespace {

using enum OpKind;

const std::string kF32 = "tensor<8xf32>";
Type f32() { return type_of(kF32); }

OpId tanh(ModuleMaker& m, ValueId x) {
  return m.op({.kind = Tanh, .operands = {x}, .result_types = {f32()}});
}
/// An op without operands, whose region is empty but for a terminator.
OpId with_region(ModuleMaker& m, OpKind kind, const RegionText& text = {}) {
  return m.op({.kind = kind, .name = "test.op", .regions = {m.region(text)}});
}

const std::vector<VerifyRow> kValues = {
    {"all is well", [](ModuleMaker& m) { tanh(m, m.module.result(tanh(m, m.argument(kF32)))); }},
    {"used before it is defined",
     [](ModuleMaker& m) {
       const OpId late = tanh(m, m.argument(kF32));
       const OpId early = tanh(m, m.module.result(late));
       m.module.remove(early);
       m.module.insert_before(late, early);
     },
     {"op 2: 'stablehlo.tanh' op operand 0 is used before it is defined"}},
    {"uses itself",
     [](ModuleMaker& m) {
       const OpId op = tanh(m, m.argument(kF32));
       m.module.set_operand(op, 0, m.module.result(op));
     },
     {"op 1: 'stablehlo.tanh' op operand 0 is used before it is defined"}},
    {"defined by a detached op",
     [](ModuleMaker& m) {
       tanh(m, m.module.result(m.module.create({.name = "test.op", .result_types = {f32()}})));
     },
     {"op 1: 'stablehlo.tanh' op operand 0 is used before it is defined"}},
    {"leaves its region",
     [](ModuleMaker& m) {
       const OpId op = with_region(m, Unknown, {{}, {kF32}});
       tanh(m, m.module.result(m.module.first_op(m.module.block(op))));
     },
     {"op 2: 'stablehlo.tanh' op operand 0 is used outside of the region that defines it"}},
    {"argument of another region",
     [](ModuleMaker& m) {
       const OpId op = with_region(m, Unknown, {{kF32}, {}});
       tanh(m, m.module.args(m.module.block(op))[0]);
     },
     {"op 2: 'stablehlo.tanh' op operand 0 is used outside of the region that defines it"}},
    {"captured by a region that may",
     [](ModuleMaker& m) {
       const ValueId x = m.argument(kF32);
       m.block = m.module.block(with_region(m, Unknown));
       const OpId inside = tanh(m, x);
       m.module.remove(inside);
       m.module.insert_before(m.module.first_op(m.block), inside);
       m.block = m.module.entry(m.main);
     }},
    {"captured by an isolated region",
     [](ModuleMaker& m) {
       const ValueId x = m.argument(kF32);
       const OpId op = m.op({.kind = SdyNamedComputation,
                             .attributes = attributes({{"name", "f"}}),
                             .regions = {m.region({{}, {}, SdyReturn})}});
       const OpId inside = tanh(m, x);
       m.module.remove(inside);
       m.module.insert_before(m.module.first_op(m.module.block(op)), inside);
     },
     {"op 2: 'stablehlo.tanh' op operand 0 is defined outside of the isolated regions of "
      "'sdy.named_computation'"}},
};

const std::vector<VerifyRow> kTypes = {
    {"too many results",
     [](ModuleMaker& m) {
       m.op({.kind = Tanh, .operands = {m.argument(kF32)}, .result_types = {f32(), f32()}});
     },
     {"op 1: 'stablehlo.tanh' op expects 1 result, got 2"}},
    {"results where there are none",
     [](ModuleMaker& m) {
       m.op({.kind = SdyShardingGroup,
             .operands = {m.argument(kF32)},
             .result_types = {f32()},
             .attributes = attributes({{"group_id", integer(0)}})});
     },
     {"op 1: 'sdy.sharding_group' op expects 0 results, got 1"}},
    {"another type",
     [](ModuleMaker& m) {
       m.op({.kind = Tanh,
             .operands = {m.argument(kF32)},
             .result_types = {type_of("tensor<9xf32>")}});
     },
     {"op 1: 'stablehlo.tanh' op inferred type(s) 'tensor<8xf32>' are incompatible with return "
      "type(s) 'tensor<9xf32>'"}},
    {"dynamic sizes fit",
     [](ModuleMaker& m) {
       m.op({.kind = Tanh,
             .operands = {m.argument(kF32)},
             .result_types = {type_of("tensor<?xf32>")}});
     }},
    {"foreign elements are believed",
     [](ModuleMaker& m) {
       m.op({.kind = Add,
             .operands = {m.argument("tensor<4x!quant.any>"), m.argument("tensor<4xf32, #a.b>")},
             .result_types = {type_of("tensor<*xf32>")}});
     }},
    {"foreign types that are not tensors",
     [](ModuleMaker& m) {
       const ValueId x = m.argument("tensor<4x!quant.any>");
       m.op({.kind = Add, .operands = {x, x}, .result_types = {type_of("!a.b")}});
       m.op({.kind = Add, .operands = {m.argument("!a.b"), x}, .result_types = {m.module.type(x)}});
       m.op({.kind = Einsum, .operands = {x, x}, .result_types = {type_of("!a.b")}});
     },
     {"op 1: 'stablehlo.add' op result 0 must be a tensor, got !a.b",
      "op 2: 'stablehlo.add' op operand 0 must be a tensor, got !a.b",
      "op 3: 'stablehlo.einsum' op result 0 must be a tensor, got !a.b"}},
    {"results are counted for foreign types too",
     [](ModuleMaker& m) {
       const Type foreign = type_of("tensor<4x!quant.any>");
       const ValueId x = m.argument("tensor<4x!quant.any>");
       m.op({.kind = Add, .operands = {x, x}, .result_types = {foreign, foreign}});
       m.op({.kind = RngBitGenerator, .operands = {x}, .result_types = {foreign}});
     },
     {"op 1: 'stablehlo.add' op expects 1 result, got 2",
      "op 2: 'stablehlo.rng_bit_generator' op expects 2 results, got 1"}},
    {"operands are counted for foreign types too",
     [](ModuleMaker& m) {
       m.op({.kind = Add, .operands = {m.argument("!a.b")}, .result_types = {type_of("!a.b")}});
     },
     {"op 1: 'stablehlo.add' op expects 2 operands, got 1"}},
    {"an empty region",
     [](ModuleMaker& m) {
       const RegionId region = m.module.new_region();
       m.module.new_block(region);
       m.op(
           {.kind = If, .operands = {m.argument("tensor<i1>")}, .regions = {m.region({}), region}});
     },
     {"op 1: 'stablehlo.if' op block of region 1 must end in 'stablehlo.return'"}},
    {"a region without block",
     [](ModuleMaker& m) {
       m.op({.kind = If,
             .operands = {m.argument("tensor<i1>")},
             .regions = {m.module.new_region(), m.region({})}});
     },
     {"op 1: 'stablehlo.if' op region 0 must have one block, got 0"}},
    {"unknown ops may be anything",
     [](ModuleMaker& m) {
       m.op({.name = "a.b", .result_types = {Type(), f32()}, .regions = {m.module.new_region()}});
     }},
};

const std::vector<VerifyRow> kTerminators = {
    {"in the middle",
     [](ModuleMaker& m) {
       m.op({.kind = FuncReturn});
       tanh(m, m.argument(kF32));
     },
     {"op 1: 'func.return' op must be the last op of its block"}},
    {"of another op",
     [](ModuleMaker& m) {
       const OpId op = with_region(m, SdyNamedComputation, {{}, {}, FuncReturn});
       m.module.attributes(op).set("name", "f");
     },
     {": 'func.return' op expects parent op 'func.func'",
      "op 1: 'sdy.named_computation' op block of region 0 must end in 'sdy.return'"}},
    {"sdy.return of a function",
     [](ModuleMaker& m) {
       const RegionId region = m.region({{}, {}, SdyReturn});
       const OpId f = m.module.create(
           {.kind = Func, .attributes = attributes({{"sym_name", "f"}}), .regions = {region}});
       m.module.append(m.module.body(), f);
     },
     {}},
    {"stablehlo.return of a function",
     [](ModuleMaker& m) {
       const RegionId region = m.region({});
       const OpId f = m.module.create(
           {.kind = Func, .attributes = attributes({{"sym_name", "f"}}), .regions = {region}});
       m.module.append(m.module.body(), f);
     },
     {}},
    {"stablehlo.return of too few",
     [](ModuleMaker& m) {
       const RegionId region = m.region({});
       const OpId f = m.module.create(
           {.kind = Func, .attributes = attributes({{"sym_name", "f"}}), .regions = {region}});
       m.module.append(m.module.body(), f);
       m.module.function(f).result_types = {f32()};
     },
     {": 'stablehlo.return' op has 0 operands, but enclosing function (@f) returns 1"}},
    {"in the module",
     [](ModuleMaker& m) {
       m.module.append(m.module.body(), m.module.create({.kind = FuncReturn}));
     },
     {": 'func.return' op expects parent op 'func.func'"}},
    {"any, in an unknown op",
     [](ModuleMaker& m) {
       with_region(m, Unknown, {{}, {kF32}, FuncReturn});
       with_region(m, Unknown, {{}, {}, SdyReturn});
     }},
    {"returns too few",
     [](ModuleMaker& m) { m.module.function(m.main).result_types = {f32()}; },
     {"op 1: 'func.return' op has 0 operands, but enclosing function (@main) returns 1"}},
    {"returns another type",
     [](ModuleMaker& m) {
       const OpId f = m.module.add_function("f", std::vector{type_of("tensor<?xf32>")}, {f32()});
       const ValueId x = m.module.args(m.module.entry(f))[0];
       m.block = m.module.entry(f);
       m.finish({x});
       m.block = m.module.entry(m.main);
     },
     {"op 1: 'func.return' op type of return operand 0 ('tensor<?xf32>') doesn't match function "
      "result type ('tensor<8xf32>') in function @f"}},
};

const std::vector<VerifyRow> kSymbols = {
    {"two of one name",
     [](ModuleMaker& m) {
       m.module.add_mesh("m", Mesh());
       m.module.set_location(m.module.add_function("m", {}, {}), m.module.add_location("f"));
       m.block = m.module.entry(m.module.functions().back());
       m.finish();
       m.block = m.module.entry(m.main);
     },
     {": 'sdy.mesh' op redefinition of symbol named 'm'",
      "f: 'func.func' op redefinition of symbol named 'm'"}},
    {"in a function",
     [](ModuleMaker& m) {
       m.op({.kind = SdyMesh, .attributes = attributes({{"mesh", Mesh()}})});
     },
     {"op 1: 'sdy.mesh' op must be directly in the module"}},
    {"a function in a function",
     [](ModuleMaker& m) {
       with_region(m, Func, {{}, {}, FuncReturn});
     },
     {"op 1: 'func.func' op must be directly in the module"}},
    {"no name",
     [](ModuleMaker& m) { m.module.append(m.module.body(), m.module.create({.kind = SdyMesh})); },
     {": 'sdy.mesh' op requires attribute 'sym_name'"}},
    {"an empty name",
     [](ModuleMaker& m) { m.module.add_mesh("", Mesh()); },
     {": 'sdy.mesh' op attribute 'sym_name' must not be empty"}},
    {"a name that is not a string",
     [](ModuleMaker& m) {
       m.module.attributes(m.module.add_mesh("q", Mesh())).set("sym_name", true);
     },
     {": 'sdy.mesh' op attribute 'sym_name' must be a string"}},
    {"no mesh",
     [](ModuleMaker& m) { m.module.attributes(m.module.add_mesh("q", Mesh())).erase("mesh"); },
     {": 'sdy.mesh' op requires attribute 'mesh'"}},
    {"no mesh but text",
     [](ModuleMaker& m) {
       m.module.attributes(m.module.add_mesh("q", Mesh())).set("mesh", "<[]>");
     },
     {": 'sdy.mesh' op attribute 'mesh' must be a mesh"}},
    {"private",
     [](ModuleMaker& m) { m.module.attributes(m.main).set("sym_visibility", "private"); }},
    {"hidden",
     [](ModuleMaker& m) { m.module.attributes(m.main).set("sym_visibility", "hidden"); },
     {"main: 'func.func' op attribute 'sym_visibility' must be one of public private nested, got "
      "hidden"}},
    {"visible by number",
     [](ModuleMaker& m) { m.module.attributes(m.main).set("sym_visibility", true); },
     {"main: 'func.func' op attribute 'sym_visibility' must be a string"}},
};

/// An op of that type with `sdy.sharding` on it.
void attach_raw(ModuleMaker& m, std::string_view type, Attribute sharding) {
  const Type of = type_of(type);
  m.op({.name = "test.op",
        .operands = {m.argument(type)},
        .result_types = {of},
        .attributes = attributes({{"sdy.sharding", std::move(sharding)}})});
}
void attach(ModuleMaker& m, std::string_view type, const std::string& sharding) {
  attach_raw(m, type, m.shardings({sharding}));
}
/// An op without results.
void attach_to_nothing(ModuleMaker& m, const std::vector<std::string>& texts) {
  m.op({.name = "test.op", .attributes = attributes({{"sdy.sharding", m.shardings(texts)}})});
}
const std::string kUnresolved =
    "should have a resolved sharding attribute: shardings are resolved before they are verified";
const std::string kScalarOnly =
    "a maximal sharding can only have a sharding with rank 0 and no replicated or unreduced axes";

const std::vector<VerifyRow> kShardings = {
    {"fits", [](ModuleMaker& m) { attach(m, kF32, "<@m, [{\"x\", ?}], replicated={\"y\"}>"); }},
    {"does not divide", [](ModuleMaker& m) { attach(m, "tensor<3xf32>", "<@m, [{\"y\"}]>"); }},
    {"maximal, whatever the rank", [](ModuleMaker& m) { attach(m, kF32, "<@max, []>"); }},
    {"another rank",
     [](ModuleMaker& m) { attach(m, kF32, "<@m, [{}, {}]>"); },
     {"op 1: 'test.op' op result - sharding doesn't match tensor rank: 2 != 1"}},
    {"unranked",
     [](ModuleMaker& m) { attach(m, "tensor<*xf32>", "<@m, []>"); },
     {"op 1: 'test.op' op result - only ranked tensors can have a sharding. type: "
      "'tensor<*xf32>'"}},
    {"a token without dims", [](ModuleMaker& m) { attach(m, "!stablehlo.token", "<@m, []>"); }},
    {"a token",
     [](ModuleMaker& m) { attach(m, "!stablehlo.token", "<@m, [{}]>"); },
     {"op 1: 'test.op' op result - non-shaped tensors can only have a sharding with rank 0 and no "
      "replicated or unreduced axes. type: '!stablehlo.token', sharding: "
      "#sdy.sharding<@m, [{}]>"}},
    {"a tuple of one",
     [](ModuleMaker& m) { attach(m, "tuple<tensor<8xf32>>", "<@m, [{\"x\"}]>"); }},
    {"a tuple of two",
     [](ModuleMaker& m) { attach(m, "tuple<i1, i1>", "<@m, []>"); },
     {"op 1: 'test.op' op result - ops can only have a sharding for a tuple of size 1: "
      "'tuple<i1, i1>'"}},
    {"an unknown mesh",
     [](ModuleMaker& m) {
       attach(m, kF32, "<@m, [{}]>");
       m.module.erase(*m.module.find_symbol("m"));
     },
     {"op 1: 'test.op' op result - unknown mesh: @m"}},
    {"another mesh of that name",
     [](ModuleMaker& m) {
       attach(m, kF32, "<@m, [{}]>");
       m.module.attributes(*m.module.find_symbol("m")).set("mesh", m.mesh_named("other"));
     },
     {"op 1: 'test.op' op result - sharding is on mesh <[\"x\"=2, \"y\"=4]>, but @m is "
      "<[\"a\"=8]>"}},
    {"an inlined mesh", [](ModuleMaker& m) { attach(m, kF32, "<mesh<[\"q\"=2]>, [{\"q\"}]>"); }},
    {"one too many",
     [](ModuleMaker& m) {
       attach_raw(m, kF32, m.shardings({"<@m, [{}]>", "<@m, [{}]>"}));
     },
     {"op 1: 'test.op' op result shardings don't match number of values: 2 shardings vs 1 values"}},
    {"the second of two",
     [](ModuleMaker& m) {
       m.op(
           {.name = "test.op",
            .result_types = {f32(), f32()},
            .attributes = attributes({{"sdy.sharding", m.shardings({"<@m, [{}]>", "<@m, []>"})}})});
     },
     {"op 1: 'test.op' op result 1 - sharding doesn't match tensor rank: 0 != 1"}},
    {"maximal, without results", [](ModuleMaker& m) { attach_to_nothing(m, {"<@max, []>"}); }},
    {"replicated, without results", [](ModuleMaker& m) { attach_to_nothing(m, {"<@m, []>"}); }},
    {"empty list, without results",
     [](ModuleMaker& m) { attach_to_nothing(m, std::vector<std::string>{}); }},
    {"with dims, without results",
     [](ModuleMaker& m) { attach_to_nothing(m, {"<@m, [{}]>"}); },
     {"op 1: 'test.op' op result - " + kScalarOnly}},
    {"with axes, without results",
     [](ModuleMaker& m) { attach_to_nothing(m, {"<@m, [], replicated={\"x\"}>"}); },
     {"op 1: 'test.op' op result - " + kScalarOnly}},
    {"sharded, without results",
     [](ModuleMaker& m) { attach_to_nothing(m, {"<@m, [{\"x\"}]>"}); },
     {"op 1: 'test.op' op result shardings don't match number of values: 1 shardings vs 0 values"}},
    {"an unknown mesh, without results",
     [](ModuleMaker& m) {
       attach_to_nothing(m, {"<@max, []>"});
       m.module.erase(*m.module.find_symbol("max"));
     },
     {"op 1: 'test.op' op result - unknown mesh: @max"}},
    {"spelled",
     [](ModuleMaker& m) { attach_raw(m, kF32, UnresolvedShardingList{}); },
     {"op 1: 'test.op' op " + kUnresolved}},
    {"a sharding of one value",
     [](ModuleMaker& m) { attach_raw(m, kF32, m.sharding("<@m, [{}]>")); },
     {"op 1: 'test.op' op should have a sharding attribute of type TensorShardingPerValue"}},
};

void attach_rule(ModuleMaker& m, std::string_view type, Attribute rule) {
  m.op({.name = "test.op",
        .operands = {m.argument(type)},
        .result_types = {type_of(type)},
        .attributes = attributes({{"sdy.sharding_rule", std::move(rule)}})});
}
const std::vector<VerifyRow> kRules = {
    {"fits",
     [](ModuleMaker& m) {
       attach_rule(m, kF32, shardy::parse_rule("<([i])->([i]) {i=8}>").value());
     }},
    {"another rank",
     [](ModuleMaker& m) {
       attach_rule(m, kF32, shardy::parse_rule("<([i])->([i, j]) {i=8, j=2}>").value());
     },
     {"op 1: 'test.op' op result - mapping rank must match: 2 != 1"}},
    {"more operands",
     [](ModuleMaker& m) {
       attach_rule(m, kF32, shardy::parse_rule("<([i], [i])->([i]) {i=8}>").value());
     },
     {"op 1: 'test.op' op number of operands and mappings must match: 1 != 2"}},
    {"dynamic",
     [](ModuleMaker& m) {
       attach_rule(m, "tensor<?xf32>", shardy::parse_rule("<([i])->([i]) {i=8}>").value());
     },
     {"op 1: 'test.op' op operand - expected a ranked tensor with a static shape. type: "
      "'tensor<?xf32>'"}},
    {"no rule",
     [](ModuleMaker& m) { attach_rule(m, kF32, "<([i])->([i]) {i=8}>"); },
     {"op 1: 'test.op' op should have a sharding rule attribute of type OpShardingRule"}},
};

void attach_to_argument(ModuleMaker& m, Attribute sharding) {
  m.argument(kF32);
  m.module.function(m.main).arg_attributes[0].set("sdy.sharding", std::move(sharding));
}
void attach_alias(ModuleMaker& m, Attribute result) {
  m.argument(kF32);
  m.module.function(m.main).arg_attributes[0].set("tf.aliasing_output", std::move(result));
}
const std::vector<VerifyRow> kFunctionValues = {
    {"fits", [](ModuleMaker& m) { m.argument(kF32, "<@m, [{\"x\"}]>"); }},
    {"argument of another rank",
     [](ModuleMaker& m) {
       m.argument(kF32);
       m.argument(kF32, "<@m, []>");
     },
     {"main: 'func.func' op arg 1 - sharding doesn't match tensor rank: 0 != 1"}},
    {"argument, spelled",
     [](ModuleMaker& m) { attach_to_argument(m, shardy::parse_sharding("<@m, [{}]>").value()); },
     {"main: 'func.func' op arg 0 - " + kUnresolved}},
    {"argument, per value",
     [](ModuleMaker& m) { attach_to_argument(m, m.shardings({"<@m, [{}]>"})); },
     {"main: 'func.func' op arg 0 - should have a sharding attribute of type TensorSharding"}},
    {"buffer of an argument for a result that the function does not have",
     [](ModuleMaker& m) {
       attach_alias(m, IntegerAttr{7, ElementType::I32});
     },
     {"main: 'func.func' op arg 0 - tf.aliasing_output = 7, but the function has 0 results; it is "
      "the index of a result, from 0"}},
    {"buffer of an argument for no number",
     [](ModuleMaker& m) { attach_alias(m, std::string("0")); },
     {"main: 'func.func' op arg 0 - tf.aliasing_output is not an integer, but the function has 0 "
      "results; it is the index of a result, from 0"}},
    {"more attributes than arguments",
     [](ModuleMaker& m) { m.module.function(m.main).arg_attributes.resize(2); },
     {"main: 'func.func' op has 0 args, but attributes for 2"}},
    {"result of another rank, of a declaration",
     [](ModuleMaker& m) {
       const OpId callee = *m.module.find_symbol("callee");
       m.module.function(callee).result_attributes[0].set("sdy.sharding", m.sharding("<@m, []>"));
     },
     {": 'func.func' op result 0 - sharding doesn't match tensor rank: 0 != 1"}},
    {"more attributes than results",
     [](ModuleMaker& m) { m.module.function(m.main).result_attributes.resize(1); },
     {"main: 'func.func' op has 0 results, but attributes for 1"}},
    {"other attributes are not checked",
     [](ModuleMaker& m) {
       m.argument(kF32);
       m.module.function(m.main).arg_attributes[0].set("sdy.other", true);
     }},
};

TEST_CASE("values are visible where they are used", "[ir][verify]") { check_rows(kValues); }
TEST_CASE("written types must equal the inferred types", "[ir][verify]") { check_rows(kTypes); }
TEST_CASE("blocks end in the right terminator", "[ir][verify]") { check_rows(kTerminators); }
TEST_CASE("symbols have unique names", "[ir][verify]") { check_rows(kSymbols); }
TEST_CASE("attached shardings fit the results of their op", "[ir][verify]") {
  check_rows(kShardings);
}
TEST_CASE("attached rules fit their op", "[ir][verify]") { check_rows(kRules); }
TEST_CASE("shardings of functions fit arguments and results", "[ir][verify]") {
  check_rows(kFunctionValues);
}

TEST_CASE("verification reports the first error of every op, then errors of symbol uses",
          "[ir][verify]") {
  ModuleMaker m;
  m.argument(kF32, "<@m, []>");
  const ValueId x = m.argument(kF32);
  // The sharding of a constraint is a use of a mesh.
  m.op({.kind = SdyShardingConstraint,
        .operands = {x},
        .result_types = {type_of(kF32)},
        .attributes = attributes({{"sharding", m.sharding("<@m, []>")}})});
  // Types come before attached shardings; an unknown op nests two more errors.
  m.op({.kind = Tanh,
        .operands = {x},
        .attributes = attributes({{"sdy.sharding", m.shardings({"<@m, []>", "<@m, []>"})}})});
  const RegionId region = m.module.new_region();
  const BlockId body = m.module.new_block(region);
  m.op({.name = "test.op",
        .attributes = attributes({{"sdy.sharding", "none"}}),
        .regions = {region}});
  m.block = body;
  m.op({.kind = Add, .operands = {x}});
  m.op({.kind = Abs});
  m.block = m.module.entry(m.main);
  tanh(m, x);
  m.finish({x});
  CHECK(located(verify(m.module)) ==
        std::vector<std::string>{
            "op 2: 'stablehlo.tanh' op expects 1 result, got 0",
            "op 4: 'stablehlo.add' op expects 2 operands, got 1",
            "op 5: 'stablehlo.abs' op expects 1 operand, got 0",
            "op 3: 'test.op' op should have a sharding attribute of type TensorShardingPerValue",
            "op 7: 'func.return' op has 1 operand, but enclosing function (@main) returns 0",
            "main: 'func.func' op arg 0 - sharding doesn't match tensor rank: 0 != 1",
            "op 1: 'sdy.sharding_constraint' op sharding doesn't match tensor rank: 0 != 1"});
}

}  // namespace
}  // namespace shardy_test::verify_test
