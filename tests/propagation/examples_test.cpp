// The worked examples E1-E48 of propagation 19 as modules: rules, uses, edges, groups and function
// results are what the adapter makes of the ops.
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "propagation/ir_program.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::examples_test {
namespace {

enum class How { Basic, Aggressive, BasicThenAggressive, OpPriority, UserPriority, Conservative };

PropagationOptions options_of(How how) {
  switch (how) {
    case How::Basic:
      return {.algorithm = Algorithm::Basic};
    case How::Aggressive:
      return {.algorithm = Algorithm::Aggressive};
    case How::BasicThenAggressive:
      return {.algorithm = Algorithm::Aggressive, .strategy = Strategy::BasicThenAggressive};
    case How::OpPriority:
      return {.algorithm = Algorithm::OpPriority};
    case How::Conservative:
      return {.algorithm = Algorithm::Aggressive, .conservative = true};
    default:
      return {};
  }
}

struct Example {
  const char* name;
  std::string program;
  std::vector<How> how;  // all of them lead to ...
  std::string expected;  // lines of `value sharding`; values not listed are unchanged
};

std::map<std::string, std::string> shardings(const IrProgram& program) {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : program.values) all[name] = program[name];
  for (const auto& [name, index] : program.results) all[name] = program[name];
  return all;
}

void check(const Example& example) {
  for (const How how : example.how) {
    CAPTURE(example.name, example.program, static_cast<int>(how));
    IrProgram program = parse_ir_program(example.program);
    std::map<std::string, std::string> expected = shardings(program);
    std::istringstream lines(example.expected);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name >> std::ws;
      REQUIRE(expected.contains(name));
      std::getline(words, expected[name]);
    }
    const auto report = propagate(program.module, options_of(how));
    REQUIRE(report);
    CHECK(report->diagnostics.empty());
    for (const auto& [value, sharding] : shardings(program)) {
      CAPTURE(value);
      CHECK(sharding == expected.at(value));
    }
  }
}

void check_all(std::span<const Example> examples) {
  for (const Example& example : examples) check(example);
}

const std::vector<How> kBoth = {How::Basic, How::Aggressive};
const std::vector<How> kAny = {How::Basic, How::Aggressive, How::OpPriority};
const std::vector<How> kBasic = {How::Basic};
const std::vector<How> kAggressive = {How::Aggressive};
const std::vector<How> kOpPriority = {How::OpPriority};

TEST_CASE("axes of one factor combine as in examples E1 to E8", "[propagation][ir][examples]") {
  const std::string e3 = "x: 8 [{a,b,?}]\n y: 8 [{a}]\n r = add x y";
  const std::string e4 = "mesh a=8 b=2\n x: 32 [{a:(1)4,b,?}]\n y: 32 [{a:(1)2}]\n r = add x y";
  const std::string e5 = "x: 8 [{a,b}]\n y: 8 [{?}] rep={b}\n r = add x y";
  const std::string e6 = "mesh a=4\n x: 8 [{a}]\n y: 8 [{?}] rep={a:(2)2}\n r = add x y";
  const Example examples[] = {
      {"E1", "x: 8x8 [{a,b},{}]\n y: 8x8 [{a,c},{}]\n r = add x y", kBoth, "r [{a,?},{?}]"},
      {"E2", "mesh a=8\n x: 16 [{a:(1)2,?}]\n y: 16 [{a:(1)4}]\n r = add x y", kBoth,
       "x [{a:(1)4,?}]\n r [{a:(1)4,?}]"},
      {"E3", e3, kBasic, "r [{a,?}]"},
      {"E3", e3, kAggressive, "r [{a,b,?}]"},
      {"E4", e4, kBasic, "r [{a:(1)2,?}]"},
      {"E4", e4, kAggressive, "r [{a:(1)4,b,?}]"},
      {"E4", "mesh a=8 b=2\n x: 32 [{a:(1)2,b,?}]\n y: 32 [{a:(1)4,?}]\n r = add x y", kBoth,
       "r [{a:(1)2,?}]"},
      {"E5", e5, kBasic, "y [{a,?}] rep={b}\n r [{a,?}]"},
      {"E5", e5, kAggressive, "y [{a,?}] rep={b}\n r [{a,b,?}]"},
      {"E6", e6, kBasic, "y [{a:(1)2,?}] rep={a:(2)2}\n r [{a:(1)2,?}]"},
      {"E6", e6, kAggressive, "y [{a:(1)2,?}] rep={a:(2)2}\n r [{a,?}]"},
      {"E7", "x: 8x8 [{a,b},{c}]\n r = sine x [{?},{?}] unr={b}", kBoth, "r [{a,?},{c,?}] unr={b}"},
      {"E8", "mesh a=4\n x: 6 [{a}]\n r = sine x", kBoth, "r [{a,?}]"},
  };
  check_all(examples);
}

TEST_CASE("factors compete for axes as in examples E9 to E16", "[propagation][ir][examples]") {
  const std::string e9 = "A: 8x8 [{a},{?}]\n B: 8x32 [{?},{a}]\n C = dot A B";
  const std::string e11 = "A: 8x8 [{a,?},{?}]\n B: 8x16\n C = dot A B [{?},{a,?}]";
  const std::string e12 = "A: 8x8 [{a,b},{?}]\n B: 8x32 [{?},{b}]\n C = dot A B";
  const std::string e13 = "x: 16x16 [{?},{a}]\n y: 16x16 [{a,c},{?}]\n r = add x y";
  const Example examples[] = {
      {"E9", e9, kBasic, ""},
      {"E9", e9, kAggressive, "C [{?},{a,?}]"},
      {"E10", "A: 8x8 [{a},{?}]\n B: 8x8 [{?},{a}]\n C = dot A B", kAggressive, "C [{a,?},{?}]"},
      {"E11", e11, kBasic, ""},
      {"E11", e11, kAggressive, "B [{?},{a,?}]"},
      {"E12", e12, kBasic, "C [{a,?},{?}]"},
      {"E12", e12, kAggressive, "C [{a,?},{b,?}]"},
      {"E13", e13, kBasic, ""},
      {"E13", e13, kAggressive, "r [{a,c,?},{?}]"},
      {"E14", "A: 8x8 [{a,?},{b}]\n B: 8x16\n C = dot A B", kBoth, "B [{b,?},{?}]\n C [{a,?},{?}]"},
      {"E15", "x: 8 [{a}]\n y: 8\n r = add x y [{}]", kAggressive, ""},
      {"E15", "x: 8 [{a}]\n y: 8\n r = op x y [{}] -> 8 : ([i],[i])->([i]) {i=8}", kAggressive,
       "y [{a,?}]"},
      {"E15", "mesh a=8\n x: 16 [{a}]\n y: 16\n r = add x y [{a:(1)2}]", kAggressive,
       "y [{a:(1)2,?}]"},
      {"E16", "x: 8x8\n C = dot x x [{a},{b}]", kBoth, "x [{?},{b,?}]"},
      {"E16", "x: 8x8\n C = dot x x [{a},{b}]", {How::BasicThenAggressive}, "x [{a,?},{b,?}]"},
  };
  check_all(examples);
}

TEST_CASE("compound dims split as in examples E17 to E25", "[propagation][ir][examples]") {
  const std::string e17 = "mesh a=4\n x: 12 [{a}]\n r = reshape x -> 2x6";
  const std::string e24 = "mesh a=2 b=8\n x: 48 [{a,b}]\n r = reshape x -> 4x12";
  const std::string e25 = " -> 2x2x2 : ([ijk],[i,j,k])->([i,j,k]) {i=2,j=2,k=2}";
  const Example examples[] = {
      {"E17", e17, kBoth, "r [{a:(1)2,?},{a:(2)2,?}]"},
      {"E17", e17, {How::Conservative}, ""},
      {"E18", e17 + "\n s = add r r\n t = reshape s -> 12", kBoth,
       "r [{a:(1)2,?},{a:(2)2,?}]\n s [{a:(1)2,?},{a:(2)2,?}]\n t [{a,?}]"},
      {"E19", "x: 4x6 [{a},{b}]\n r = reshape x -> 24", kBoth, "r [{a,?}]"},
      {"E19", "x: 2x6 [{a},{b}]\n r = reshape x -> 12", kBoth, "r [{a,b,?}]"},
      {"E20", "mesh a=4\n x: 6x4 [{a},{}]\n r = reshape x -> 24", kBoth, "r [{a:(1)2,?}]"},
      {"E21", "mesh a=2 b=3 c=2\n x: 16 [{a,b,?}]\n r = reshape x [{?},{c}] -> 4x4", kBoth,
       "r [{a,?},{c}]"},
      {"E22", "mesh a=6\n x: 20 [{a}]\n r = reshape x -> 4x5", kBoth, "r [{a:(1)2,?},{?}]"},
      {"E22", "mesh a=3\n x: 8 [{a}]\n r = reshape x -> 2x4", kBoth, ""},
      {"E23", "x: 16\n r = reshape x [{a},{b}] -> 4x4", kBoth, "x [{a,?}]"},
      {"E23", "x: 16\n r = reshape x [{a,c},{b}] -> 4x4", kBoth, "x [{a,c,b,?}]"},
      {"E23", "mesh a=4\n x: 8\n r = reshape x [{a:(1)2},{a:(2)2}] -> 2x4", kBoth, "x [{a,?}]"},
      {"E24", e24, {How::Conservative}, "r [{a,?},{?}]"},
      {"E24", e24, kBoth, "r [{a,b:(1)2,?},{b:(2)4,?}]"},
      {"E25", "mesh a=3 b=2\n x: 8 [{a,?}]\n y: 2x2x2\n r = op x y [{?},{b,?},{?}]" + e25, kBasic,
       ""},
      {"E25", "mesh a=3 b=2\n x: 8 [{a,?}]\n y: 2x2x2\n r = op x y [{?},{?},{b,?}]" + e25, kBasic,
       "y [{?},{?},{b,?}]"},
  };
  check_all(examples);
}

TEST_CASE("special factors and barriers behave as in examples E26 and E27",
          "[propagation][ir][examples]") {
  const Example examples[] = {
      {"E26", "x: 8x6 [{a},{b}]\n y: 8x6\n r = concatenate x y", kBoth,
       "y [{a,?},{b,?}]\n r [{a,?},{b,?}]"},
      {"E26", "x: 8x6 [{a},{b}]\n r = slice x -> 8x4", kBoth, "r [{a,?},{b,?}]"},
      {"E26", "x: 8x6 [{a},{b}]\n i: scalar\n r = dynamic_slice x i i -> 8x2", kAny,
       "r [{a,?},{?}]"},
      {"E26", "x: 8x6 [{a},{b}]\n i: scalar\n r = reduce x i", kAny, "r [{a,?}]"},
      {"E27",
       "x: 8x8 [{a,?},{?}]\n r = barrier x FORWARD\n return r [{?},{b}] as o",
       {How::Basic, How::Aggressive, How::OpPriority, How::UserPriority},
       "r [{a,?},{b,?}]\n o [{a,?},{b}]"},
      {"E27",
       "x: 8x8 [{a,?},{?}]\n r = barrier x BACKWARD\n return r [{?},{b}] as o",
       {How::Basic, How::Aggressive, How::OpPriority, How::UserPriority},
       "x [{a,?},{b,?}]\n r [{?},{b,?}]"},
  };
  check_all(examples);
}

TEST_CASE("op priorities order the ops as in examples E28 to E34", "[propagation][ir][examples]") {
  const std::string e28 =
      "mesh a=2 b=2\n x: 8x8 [{a,?},{?}]\n y: 8x8\n d = dot x y\n t = sine d\n"
      "return t [{?},{a}] as o";
  const std::string e29 =
      "mesh a=2 b=2\n x: 8x8 [{a},{?}]\n s = sine x\n u = sine s\n v = sine s\n"
      "p = sine u\n q = sine v\n return p [{?},{a}] as o1\n return q [{?},{a}] as o2";
  const std::string e30 =
      "mesh a=2 b=2\n x: 8x8 [{a},{?}]\n s = sine x\n t = sine s\n u = sine t\n"
      "return u [{?},{a}] as o";
  const std::string e31 =
      "mesh a=2 b=2\n A: 32x64\n B: 64x16 [{a,?},{b,?}]\n C = dot A B\n return C [{a,?},{?}] as o";
  const std::string e32 =
      "mesh a=2 b=2\n x: 32 [{a}]\n w: 16x8 [{?},{a,?}]\n b = broadcast x -> 32x16\n d = dot b w";
  const std::string e33 =
      "mesh a=2 b=2\n i: scalar\n x: 8x8\n d = dynamic_slice x i i -> 8x2\n t = sine x\n"
      "return d [{a},{}] as o1\n return t [{},{a}] as o2";
  const std::string e34 =
      "mesh a=2 b=2\n A: 8x8 [{a},{?}]\n B: 8x8 [{?},{a}]\n E: 8x8 [{?},{a}]\n C = dot A B\n"
      "D = add C E";
  const Example examples[] = {
      {"E28",
       e28,
       {How::OpPriority, How::UserPriority},
       "d [{?},{a,?}]\n t [{?},{a,?}]\n y [{?},{a,?}]"},
      {"E28", e28, kAggressive, "d [{a,?},{?}]\n t [{?},{a,?}]"},
      {"E29", e29, kOpPriority,
       "s [{a,?},{?}]\n u [{?},{a,?}]\n v [{?},{a,?}]\n p [{?},{a,?}]\n q [{?},{a,?}]"},
      {"E29", e29, kAggressive,
       "s [{a,?},{?}]\n u [{a,?},{?}]\n v [{a,?},{?}]\n p [{?},{a,?}]\n q [{?},{a,?}]"},
      {"E30", e30, kOpPriority, "s [{a,?},{?}]\n t [{a,?},{?}]\n u [{?},{a,?}]"},
      {"E30", e30 + "\n group s 0", kOpPriority, "s [{a,?},{?}]\n t [{?},{a,?}]\n u [{?},{a,?}]"},
      {"E31", e31, kOpPriority, "A [{a,?},{?}]\n C [{a,?},{b,?}]\n o [{a,?},{b,?}]"},
      {"E31", e31, kAggressive, "A [{?},{a,?}]\n C [{a,?},{b,?}]\n o [{a,?},{b,?}]"},
      {"E31", e31, kBasic, "C [{a,?},{b,?}]\n o [{a,?},{b,?}]"},
      {"E32", e32, kOpPriority, "d [{?},{a,?}]\n b [{a,?},{?}]"},
      {"E32", e32, kAggressive, "d [{a,?},{?}]\n b [{a,?},{?}]"},
      {"E33", e33, kOpPriority, "x [{?},{a,?}]\n d [{a,?},{?}]\n t [{?},{a,?}]"},
      {"E33", e33, kAggressive, "x [{a,?},{?}]\n d [{a,?},{?}]\n t [{?},{a,?}]"},
      {"E34", e34, kAggressive, "C [{a,?},{?}]\n D [{a,?},{?}]"},
      {"E34", e34, {How::BasicThenAggressive, How::OpPriority}, "C [{?},{a,?}]\n D [{?},{a,?}]"},
  };
  check_all(examples);
}

TEST_CASE("user priorities reveal dims as in examples E35 to E37", "[propagation][ir][examples]") {
  const Example examples[] = {
      {"E35",
       "mesh a=2 b=2\n x: 8x8 [{a,?}p1,{?}]\n y: 8x8 [{?},{a}]\n r = add x y",
       {How::UserPriority},
       "x [{a,?},{?}]\n r [{?},{a,?}]"},
      {"E35", "mesh a=2 b=2\n x: 8x8 [{a,?},{?}]\n y: 8x8 [{?},{a}]\n r = add x y", kAggressive,
       "r [{a,?},{?}]"},
      {"E36",
       "mesh x=2\n act: 16x32 [{x},{?}]\n w: 32x64 [{?},{x}p1]\n o = dot act w",
       {How::UserPriority},
       "w [{?},{x}]\n o [{x,?},{?}]"},
      {"E36",
       "mesh x=2\n act: 16x32 [{x},{?}]\n w: 32x64 [{?},{x}]\n o = dot act w",
       {How::UserPriority},
       "o [{?},{x,?}]"},
      {"E37",
       "x: 8x8 [{a}p2,{b,?}p1]\n y: 8x8 [{?},{c}]\n r = add x y",
       {How::UserPriority},
       "x [{a},{b,?}]\n y [{a,?},{c}]\n r [{a,?},{c,?}]"},
  };
  check_all(examples);
}

TEST_CASE("edges relate values as in examples E38 to E42", "[propagation][ir][examples]") {
  const std::string body = "w = while x : it\n n = add it k\n yield n";
  const std::string manual =
      "x: 32x32\n w = manual x -> 32x32 : arg 16x32 | a | [{a},{?}] | [{a,?},{?}]\n"
      "n = sine arg [{c,?},{b,?}]\n yield n";
  const Example examples[] = {
      {"E38", "x: 8x8 [{a},{}]\n k: 8x8 [{?},{b}]\n" + body, kBasic,
       "w [{a,?},{b,?}]\n it [{a,?},{b,?}]\n n [{a,?},{b,?}]\n k [{a,?},{b}]"},
      {"E39", "x: 8x8 [{a,?},{?}]\n k: 8x8 [{?},{a}]\n" + body, kAggressive,
       "w [{?},{a,?}]\n it [{?},{a,?}]\n n [{?},{a,?}]"},
      {"E40", "i: scalar\n u: 8 [{a,b,?}]\n v: 8 [{a,c}]\n w = case i -> 8\n yield u\n yield v",
       kBoth, "w [{a,?}]"},
      {"E40", "i: scalar\n u: 8 [{a,?}]\n v: 8 [{a,c}]\n w = case i -> 8\n yield u\n yield v",
       kBoth, "u [{a,c,?}]\n w [{a,c,?}]"},
      {"E41", manual, kBasic, "x [{a,?},{b,?}]\n arg [{},{b,?}]\n w [{a,c,?},{b,?}]"},
      {"E42",
       "x: 8 [{a,b}]\n w = manual x -> 8 : arg 8 | b | [{?}] rep={b} | [{?}] rep={b}\n"
       "n = add arg arg\n yield n",
       kBoth, "arg [{a,?}]\n n [{a,?}]\n w [{a,?}] rep={b}"},
  };
  check_all(examples);
}

TEST_CASE("groups, results and meshes behave as in examples E43 and E45 to E48",
          "[propagation][ir][examples]") {
  const std::string e46 = "mesh @M a=2 b=2\n mesh @E\n x: 8x8 [{a},{b}] @M\n";
  const Example examples[] = {
      {"E43",
       "x: 8 [{a,?}]\n c: 8\n q: 8\n t = sine x\n p = barrier c NONE\n s = add t p\n"
       "w = sine q\n group s 0\n group w 0",
       kBasic, "t [{a,?}]\n s [{a,?}]\n p [{a,?}]\n w [{a,?}]\n q [{a,?}]"},
      {"E45", "x: 8x8\n return x [{a},{?}] as o1\n return x [{?},{b}] as o2", kBoth,
       "x [{a,?},{b,?}]\n o1 [{a},{b,?}]\n o2 [{a,?},{b}]"},
      {"E46", e46 + "y: 8x8 [{?},{}] @E\n r = add x y", kBasic,
       "y [{a,?},{}] @M\n r [{a,?},{?}] @M"},
      {"E46", e46 + "y: 8x8 [{?},{}] @E\n r = add x y", kAggressive,
       "y [{a,?},{}] @M\n r [{a,?},{b,?}] @M"},
      {"E46", e46 + "y: 8x8 [{},{}] @E\n r = add x y", kBasic, ""},
      {"E46", e46 + "mesh @X ids=1\n y: 8x8 [] @X\n r = add x y", kBoth, ""},
      {"E46", e46 + "mesh @N a=2 b=4\n y: 8x8 [{?},{?}] @N\n r = add x y", kBoth, ""},
      {"E47", "mesh a=6\n x: 4x4 [{a:(1)2},{?}]\n r = sine x [{?},{a:(3)2,?}]", kBoth, ""},
      {"E48", "mesh a=6\n x: 12 [{a:(1)2,?}]\n y: 12 [{a:(1)3}]\n r = add x y", kBoth,
       "x [{a:(1)3,?}]\n r [{a:(1)3,?}]"},
      {"E48",
       "mesh a=6\n x: 12x12 [{?},{a:(3)2}]\n y: 12x12 [{a},{?}]\n"
       "r = add x y [{a:(1)2},{}]",
       kBoth, ""},
  };
  check_all(examples);
}

TEST_CASE("members of a group in conflict get constraints as in example E44",
          "[propagation][ir][examples]") {
  IrProgram program =
      parse_ir_program("x: 8x8 [{a},{}]\n y: 8x8 [{b},{}]\n group x 0\n group y 0\n r = add x y");
  const auto report = propagate(program.module);
  REQUIRE(report);
  REQUIRE(report->diagnostics.size() == 1);
  CHECK(report->diagnostics[0].message == "members of sharding group 0 have conflicting shardings");
  CHECK(program["x"] == "[{a},{}]");
  CHECK(program["y"] == "[{b},{}]");

  const ir::Module& module = program.module;
  std::vector<ir::OpId> constraints;
  for (const ir::OpId op : module.ops(module.entry(*module.main_function()))) {
    if (module.is(op, ir::OpKind::SdyShardingConstraint)) constraints.push_back(op);
  }
  REQUIRE(constraints.size() == 2);
  CHECK(module.operand(constraints[0], 0) == program.values.at("y"));
  CHECK(module.operand(constraints[1], 0) == program.values.at("x"));
  for (const ir::OpId op : constraints) {
    CHECK(to_text(ir::get_sharding(module, module.result(op))) == "[{b,?},{?}]");
  }
  const ir::OpId add = module.defining_op(program.values.at("r"));
  CHECK(module.operand(add, 0) == module.result(constraints[1]));
  CHECK(module.operand(add, 1) == module.result(constraints[0]));
  CHECK(program["r"] == "[{b,?},{?}]");
}

}  // namespace
}  // namespace shardy::propagation::testing::examples_test
