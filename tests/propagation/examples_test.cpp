// The worked examples E1-E48 of propagation 19 that concern the problem alone.

#include <span>
#include <sstream>
#include <string>

#include "propagation/program.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing {
namespace {

const Options kBasic{.algorithm = Algorithm::Basic};
const Options kAggressive{.algorithm = Algorithm::Aggressive};
const Options kBasicThenAggressive{.algorithm = Algorithm::Aggressive,
                                   .strategy = Strategy::BasicThenAggressive};
const Options kOpPriority{.algorithm = Algorithm::OpPriority};
const Options kUserPriority{.algorithm = Algorithm::UserPriority};

struct Example {
  const char* name;
  const char* program;
  std::vector<Options> options;  // all of them lead to ...
  const char* expected;          // lines of `slot sharding`; slots not listed are unchanged
};

void check(const Example& example) {
  const Program before = parse_program(example.program);
  for (const Options& options : example.options) {
    CAPTURE(example.name, example.program, static_cast<int>(options.algorithm));
    const Program result = after(before, options);
    std::map<std::string, std::string> expected;
    for (const auto& [slot, id] : before.slots) expected[slot] = before[slot];
    std::istringstream lines(example.expected);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string slot;
      words >> slot >> std::ws;
      if (slot.empty()) continue;
      REQUIRE(expected.count(slot) == 1);
      std::getline(words, expected[slot]);
    }
    for (const auto& [slot, sharding] : expected) {
      CAPTURE(slot);
      CHECK(result[slot] == sharding);
    }
  }
}

void check_all(std::span<const Example> examples) {
  for (const Example& example : examples) check(example);
}

}  // namespace

TEST_CASE("axes of one factor meet as E1 to E8 say", "[propagation][examples]") {
  const Example examples[] = {
      {"E1",
       R"(
x: 8x8 [{a,b},{}]
y: 8x8 [{a,c},{}]
r: 8x8
r = add x y)",
       {kBasic, kAggressive},
       "r [{a,?},{?}]"},
      {"E2",
       R"(
mesh a=8
x: 16 [{a:(1)2,?}]
y: 16 [{a:(1)4}]
r: 16
r = add x y)",
       {kBasic, kAggressive},
       "x [{a:(1)4,?}]\n r [{a:(1)4,?}]"},
      {"E3 basic",
       R"(
x: 8 [{a,b,?}]
y: 8 [{a}]
r: 8
r = add x y)",
       {kBasic},
       "r [{a,?}]"},
      {"E3 aggressive",
       R"(
x: 8 [{a,b,?}]
y: 8 [{a}]
r: 8
r = add x y)",
       {kAggressive},
       "r [{a,b,?}]"},
      {"E4 basic",
       R"(
mesh a=8 b=2
x: 32 [{a:(1)4,b,?}]
y: 32 [{a:(1)2}]
r: 32
r = add x y)",
       {kBasic},
       "r [{a:(1)2,?}]"},
      {"E4 aggressive",
       R"(
mesh a=8 b=2
x: 32 [{a:(1)4,b,?}]
y: 32 [{a:(1)2}]
r: 32
r = add x y)",
       {kAggressive},
       "r [{a:(1)4,b,?}]"},
      {"E4 shorter sub-axis first",
       R"(
mesh a=8 b=2
x: 32 [{a:(1)2,b,?}]
y: 32 [{a:(1)4,?}]
r: 32
r = add x y)",
       {kBasic, kAggressive},
       "r [{a:(1)2,?}]"},
      {"E5 basic",
       R"(
x: 8 [{a,b}]
y: 8 [{?}] rep={b}
r: 8
r = add x y)",
       {kBasic},
       "y [{a,?}] rep={b}\n r [{a,?}]"},
      {"E5 aggressive",
       R"(
x: 8 [{a,b}]
y: 8 [{?}] rep={b}
r: 8
r = add x y)",
       {kAggressive},
       "y [{a,?}] rep={b}\n r [{a,b,?}]"},
      {"E6 basic",
       R"(
mesh a=4
x: 8 [{a}]
y: 8 [{?}] rep={a:(2)2}
r: 8
r = add x y)",
       {kBasic},
       "y [{a:(1)2,?}] rep={a:(2)2}\n r [{a:(1)2,?}]"},
      {"E6 aggressive",
       R"(
mesh a=4
x: 8 [{a}]
y: 8 [{?}] rep={a:(2)2}
r: 8
r = add x y)",
       {kAggressive},
       "y [{a:(1)2,?}] rep={a:(2)2}\n r [{a,?}]"},
      {"E7",
       R"(
x: 8x8 [{a,b},{c}]
r: 8x8 [{?},{?}] unr={b}
r = sine x)",
       {kBasic, kAggressive},
       "r [{a,?},{c,?}] unr={b}"},
      {"E8",
       R"(
mesh a=4
x: 6 [{a}]
r: 6
r = sine x)",
       {kBasic, kAggressive},
       "r [{a,?}]"},
  };
  check_all(examples);
}

TEST_CASE("factors contend for axes as E9 to E16 say", "[propagation][examples]") {
  constexpr const char* kE9 = R"(
A: 8x8 [{a},{?}]
B: 8x32 [{?},{a}]
C: 8x32
C = dot A B)";
  constexpr const char* kE11 = R"(
A: 8x8 [{a,?},{?}]
B: 8x16
C: 8x16 [{?},{a,?}]
C = dot A B)";
  constexpr const char* kE12 = R"(
A: 8x8 [{a,b},{?}]
B: 8x32 [{?},{b}]
C: 8x32
C = dot A B)";
  constexpr const char* kE13 = R"(
x: 16x16 [{?},{a}]
y: 16x16 [{a,c},{?}]
r: 16x16
r = add x y)";
  const Example examples[] = {
      {"E9 basic", kE9, {kBasic}, ""},
      {"E9 aggressive", kE9, {kAggressive}, "C [{?},{a,?}]"},
      {"E10",
       R"(
A: 8x8 [{a},{?}]
B: 8x8 [{?},{a}]
C: 8x8
C = dot A B)",
       {kAggressive},
       "C [{a,?},{?}]"},
      {"E11 basic", kE11, {kBasic}, ""},
      {"E11 aggressive", kE11, {kAggressive}, "B [{?},{a,?}]"},
      {"E12 basic", kE12, {kBasic}, "C [{a,?},{?}]"},
      {"E12 aggressive", kE12, {kAggressive}, "C [{a,?},{b,?}]"},
      {"E13 basic", kE13, {kBasic}, ""},
      {"E13 aggressive", kE13, {kAggressive}, "r [{a,c,?},{?}]"},
      {"E14",
       R"(
A: 8x8 [{a,?},{b}]
B: 8x16
C: 8x16
C = dot A B)",
       {kBasic, kAggressive},
       "B [{b,?},{?}]\n C [{a,?},{?}]"},
      {"E15 elementwise",
       R"(
x: 8 [{a}]
y: 8
r: 8 [{}]
r = add x y)",
       {kAggressive},
       ""},
      {"E15 not elementwise",
       R"(
x: 8 [{a}]
y: 8
r: 8 [{}]
r = other x y)",
       {kAggressive},
       "y [{a,?}]"},
      {"E15 sub-axis",
       R"(
mesh a=8
x: 16 [{a}]
y: 16
r: 16 [{a:(1)2}]
r = add x y)",
       {kAggressive},
       "y [{a:(1)2,?}]"},
      {"E16",
       R"(
x: 8x8
C: 8x8 [{a},{b}]
C = dot x x)",
       {kBasic, kAggressive},
       "x [{?},{b,?}]"},
      {"E16 second sweep",
       R"(
x: 8x8
C: 8x8 [{a},{b}]
C = dot x x)",
       {kBasicThenAggressive},
       "x [{a,?},{b,?}]"},
  };
  check_all(examples);
}

TEST_CASE("dims of several factors behave as E17 to E25 say", "[propagation][examples]") {
  const Example examples[] = {
      {"E17",
       R"(
mesh a=4
x: 12 [{a}]
r: 2x6
r = reshape x : ([ij])->([i,j]) {i=2,j=6})",
       {kBasic, kAggressive},
       "r [{a:(1)2,?},{a:(2)2,?}]"},
      {"E17 conservative",
       R"(
mesh a=4
x: 12 [{a}]
r: 2x6
r = reshape x : ([ij])->([i,j]) {i=2,j=6} | conservative)",
       {kBasic, kAggressive},
       ""},
      {"E18",
       R"(
mesh a=4
x: 12 [{a}]
r: 2x6
s: 2x6
t: 12
r = reshape x : ([ij])->([i,j]) {i=2,j=6}
s = add r r
t = reshape s : ([i,j])->([ij]) {i=2,j=6})",
       {kBasic, kAggressive},
       "r [{a:(1)2,?},{a:(2)2,?}]\n s [{a:(1)2,?},{a:(2)2,?}]\n t [{a,?}]"},
      {"E19 not full",
       R"(
x: 4x6 [{a},{b}]
r: 24
r = reshape x : ([i,j])->([ij]) {i=4,j=6})",
       {kBasic, kAggressive},
       "r [{a,?}]"},
      {"E19 full",
       R"(
x: 2x6 [{a},{b}]
r: 12
r = reshape x : ([i,j])->([ij]) {i=2,j=6})",
       {kBasic, kAggressive},
       "r [{a,b,?}]"},
      {"E20",
       R"(
mesh a=4
x: 6x4 [{a},{}]
r: 24
r = reshape x : ([i,j])->([ij]) {i=6,j=4})",
       {kBasic, kAggressive},
       "r [{a:(1)2,?}]"},
      {"E21",
       R"(
mesh a=2 b=3 c=2
x: 16 [{a,b,?}]
r: 4x4 [{?},{c}]
r = reshape x : ([ij])->([i,j]) {i=4,j=4})",
       {kBasic, kAggressive},
       "r [{a,?},{c}]"},
      {"E22 sub-axis",
       R"(
mesh a=6
x: 20 [{a}]
r: 4x5
r = reshape x : ([ij])->([i,j]) {i=4,j=5})",
       {kBasic, kAggressive},
       "r [{a:(1)2,?},{?}]"},
      {"E22 nothing",
       R"(
mesh a=3
x: 8 [{a}]
r: 2x4
r = reshape x : ([ij])->([i,j]) {i=2,j=4})",
       {kBasic, kAggressive},
       ""},
      {"E23 not full",
       R"(
x: 16
r: 4x4 [{a},{b}]
r = reshape x : ([ij])->([i,j]) {i=4,j=4})",
       {kBasic, kAggressive},
       "x [{a,?}]"},
      {"E23 full",
       R"(
x: 16
r: 4x4 [{a,c},{b}]
r = reshape x : ([ij])->([i,j]) {i=4,j=4})",
       {kBasic, kAggressive},
       "x [{a,c,b,?}]"},
      {"E23 joined",
       R"(
mesh a=4
x: 8
r: 2x4 [{a:(1)2},{a:(2)2}]
r = reshape x : ([ij])->([i,j]) {i=2,j=4})",
       {kBasic, kAggressive},
       "x [{a,?}]"},
      {"E24 conservative",
       R"(
mesh a=2 b=8
x: 48 [{a,b}]
r: 4x12
r = reshape x : ([ij])->([i,j]) {i=4,j=12} | conservative)",
       {kBasic, kAggressive},
       "r [{a,?},{?}]"},
      {"E24",
       R"(
mesh a=2 b=8
x: 48 [{a,b}]
r: 4x12
r = reshape x : ([ij])->([i,j]) {i=4,j=12})",
       {kBasic, kAggressive},
       "r [{a,b:(1)2,?},{b:(2)4,?}]"},
      {"E25 second factor",
       R"(
mesh a=3 b=2
x: 8 [{a,?}]
y: 2x2x2
r: 2x2x2 [{?},{b,?},{?}]
r = other x y : ([ijk],[i,j,k])->([i,j,k]) {i=2,j=2,k=2})",
       {kBasic},
       ""},
      {"E25 third factor",
       R"(
mesh a=3 b=2
x: 8 [{a,?}]
y: 2x2x2
r: 2x2x2 [{?},{?},{b,?}]
r = other x y : ([ijk],[i,j,k])->([i,j,k]) {i=2,j=2,k=2})",
       {kBasic},
       "y [{?},{?},{b,?}]"},
  };
  check_all(examples);
}

TEST_CASE("special factors and barriers behave as E26 and E27 say", "[propagation][examples]") {
  const Example examples[] = {
      {"E26 concatenate",
       R"(
x: 8x6 [{a},{b}]
y: 8x6
r: 8x12
r = other x y : ([i,j],[i,j])->([i,j]) {i=8,j=12} need_replication={j})",
       {kBasic, kAggressive},
       "y [{a,?},{b,?}]\n r [{a,?},{b,?}]"},
      {"E26 slice",
       R"(
x: 8x8 [{a},{b}]
r: 8x4
r = other x : ([i,j])->([i,j]) {i=8,j=8} permutation={j})",
       {kBasic, kAggressive},
       "r [{a,?},{b,?}]"},
      {"E26 dynamic_slice",
       R"(
x: 8x8 [{a},{b}]
r: 8x4
r = dynamic_slice x : ([i,j])->([i,j]) {i=8,j=8} permutation={j} blocked={j})",
       {kBasic, kAggressive, kOpPriority},
       "r [{a,?},{?}]"},
      {"E26 reduce",
       R"(
x: 8x8 [{a},{b}]
r: 8
r = other x : ([i,j])->([i]) {i=8,j=8} reduction={j})",
       {kBasic, kAggressive, kOpPriority},
       "r [{a,?}]"},
      {"E27 forward",
       R"(
x: 8x8 [{a,?},{?}]
p: 8x8
o: 8x8 [{?},{b}]
p = barrier forward x
return p -> o)",
       {kBasic, kAggressive, kOpPriority},
       "p [{a,?},{b,?}]\n o [{a,?},{b}]"},
      {"E27 backward",
       R"(
x: 8x8 [{a,?},{?}]
p: 8x8
o: 8x8 [{?},{b}]
p = barrier backward x
return p -> o)",
       {kBasic, kAggressive, kOpPriority},
       "x [{a,?},{b,?}]\n p [{?},{b,?}]"},
  };
  check_all(examples);
}

TEST_CASE("op priorities decide as E28 to E34 say", "[propagation][examples]") {
  constexpr const char* kE28 = R"(
mesh a=2 b=2
x: 8x8 [{a,?},{?}]
y: 8x8
d: 8x8
t: 8x8
o: 8x8 [{?},{a}]
d = dot x y
t = sine d
return t -> o)";
  constexpr const char* kE29 = R"(
mesh a=2 b=2
x: 8x8 [{a},{?}]
s: 8x8
u: 8x8
v: 8x8
su: 8x8
sv: 8x8
o0: 8x8 [{?},{a}]
o1: 8x8 [{?},{a}]
s = sine x
u = sine s
v = sine s
su = sine u
sv = sine v
return su -> o0
return sv -> o1)";
  constexpr const char* kE30 = R"(
mesh a=2 b=2
x: 8x8 [{a},{?}]
s: 8x8
t: 8x8
u: 8x8
o: 8x8 [{?},{a}]
s = sine x
t = sine s
u = sine t
return u -> o)";
  constexpr const char* kE31 = R"(
mesh a=2 b=2
A: 32x64
B: 64x16 [{a,?},{b,?}]
C: 32x16
o: 32x16 [{a,?},{?}]
C = dot A B
return C -> o)";
  constexpr const char* kE32 = R"(
mesh a=2 b=2
x: 32 [{a}]
b: 32x16
w: 16x8 [{?},{a,?}]
d: 32x8
b = broadcast x : ([i])->([i,j]) {i=32,j=16}
d = dot b w)";
  constexpr const char* kE33 = R"(
mesh a=2 b=2
x: 8x8
d: 8x2
t: 8x8
o0: 8x2 [{a},{}]
o1: 8x8 [{},{a}]
d = dynamic_slice x : ([i,j])->([i,j]) {i=8,j=8} permutation={j} blocked={j}
t = sine x
return d -> o0
return t -> o1)";
  constexpr const char* kE34 = R"(
mesh a=2 b=2
A: 8x8 [{a},{?}]
B: 8x8 [{?},{a}]
C: 8x8
E: 8x8 [{?},{a}]
D: 8x8
C = dot A B
D = add C E)";
  const Example examples[] = {
      {"E28 op priorities",
       kE28,
       {kOpPriority, kUserPriority},
       "d [{?},{a,?}]\n t [{?},{a,?}]\n y [{?},{a,?}]"},
      {"E28 aggressive", kE28, {kAggressive}, "d [{a,?},{?}]\n t [{?},{a,?}]"},
      {"E29 op priorities",
       kE29,
       {kOpPriority},
       "s [{a,?},{?}]\n u [{?},{a,?}]\n v [{?},{a,?}]\n su [{?},{a,?}]\n sv [{?},{a,?}]"},
      {"E29 aggressive",
       kE29,
       {kAggressive},
       "s [{a,?},{?}]\n u [{a,?},{?}]\n v [{a,?},{?}]\n su [{?},{a,?}]\n sv [{?},{a,?}]"},
      {"E31 op priorities",
       kE31,
       {kOpPriority},
       "A [{a,?},{?}]\n C [{a,?},{b,?}]\n o [{a,?},{b,?}]"},
      {"E32 op priorities", kE32, {kOpPriority}, "d [{?},{a,?}]\n b [{a,?},{?}]"},
      {"E33 op priorities", kE33, {kOpPriority}, "x [{?},{a,?}]\n t [{?},{a,?}]\n d [{a,?},{?}]"},
      {"E33 aggressive", kE33, {kAggressive}, "x [{a,?},{?}]\n t [{?},{a,?}]\n d [{a,?},{?}]"},
      {"E34 aggressive", kE34, {kAggressive}, "C [{a,?},{?}]\n D [{a,?},{?}]"},
      {"E34 basic, then aggressive",
       kE34,
       {kBasicThenAggressive, kOpPriority},
       "C [{?},{a,?}]\n D [{?},{a,?}]"},
  };
  check_all(examples);

  CHECK(after_op_priority(kE30)["t"] == "[{a,?},{?}]");
  CHECK(after_op_priority(std::string(kE30) + "\ngroup s")["t"] == "[{?},{a,?}]");
  CHECK(after_aggressive(kE31)["A"] == "[{?},{a,?}]");
  CHECK(after_basic(kE31)["A"] == "-");
  CHECK(after_aggressive(kE32)["d"] == "[{a,?},{?}]");
}

TEST_CASE("user priorities decide as E35 to E37 say", "[propagation][examples]") {
  const Example examples[] = {
      {"E35",
       R"(
x: 8x8 [{a,?}p1,{?}]
y: 8x8 [{?},{a}]
r: 8x8
r = add x y)",
       {kUserPriority},
       "r [{?},{a,?}]\n x [{a,?},{?}]"},
      {"E35 without",
       R"(
x: 8x8 [{a,?},{?}]
y: 8x8 [{?},{a}]
r: 8x8
r = add x y)",
       {kAggressive},
       "r [{a,?},{?}]"},
      {"E36",
       R"(
mesh x=2
act: 16x32 [{x},{?}]
w: 32x64 [{?},{x}p1]
o: 16x64
o = dot act w)",
       {kUserPriority},
       "o [{x,?},{?}]\n w [{?},{x}]"},
      {"E36 without",
       R"(
mesh x=2
act: 16x32 [{x},{?}]
w: 32x64 [{?},{x}]
o: 16x64
o = dot act w)",
       {kUserPriority},
       "o [{?},{x,?}]"},
      {"E37",
       R"(
x: 8x8 [{a}p2,{b,?}p1]
y: 8x8 [{?},{c}]
r: 8x8
r = add x y)",
       {kUserPriority},
       "x [{a},{b,?}]\n y [{a,?},{c}]\n r [{a,?},{c,?}]"},
  };
  check_all(examples);
}

TEST_CASE("edges relate values as E38 to E42 say", "[propagation][examples]") {
  constexpr const char* kManual = R"(
mesh a=2 b=2 c=2
x: 32x32
arg: 16x32 [{},{?}]
n: 16x32 [{c,?},{b,?}]
out: 32x32 [{a,?},{?}]
arg = edge x | put={a} [{a},{?}]
n = sine arg
out = edge n | strip={a})";
  const Example examples[] = {
      {"E38",
       R"(
x: 8x8 [{a},{}]
e: 8x8
it: 8x8 shares e
k: 8x8 [{?},{b}]
n: 8x8
use x
n = add it k
use n
e = edge x n)",
       {kBasic},
       "e [{a,?},{b,?}]\n it [{a,?},{b,?}]\n n [{a,?},{b,?}]\n k [{a,?},{b}]"},
      {"E39",
       R"(
x: 8x8 [{a,?},{?}]
e: 8x8
it: 8x8 shares e
k: 8x8 [{?},{a}]
n: 8x8
use x
n = add it k
use n
e = edge x n)",
       {kAggressive},
       "e [{?},{a,?}]\n it [{?},{a,?}]\n n [{?},{a,?}]"},
      {"E40 closed",
       R"(
u: 8 [{a,b,?}]
v: 8 [{a,c}]
e: 8
e = edge u v)",
       {kBasic, kAggressive},
       "e [{a,?}]"},
      {"E40 open",
       R"(
u: 8 [{a,?}]
v: 8 [{a,c}]
e: 8
e = edge u v)",
       {kBasic, kAggressive},
       "e [{a,c,?}]\n u [{a,c,?}]"},
      {"E41", kManual, {kBasic}, "x [{a,?},{b,?}]\n arg [{},{b,?}]\n out [{a,c,?},{b,?}]"},
      {"E42",
       R"(
x: 8 [{a,b}]
arg: 8 [{?}]
n: 8
out: 8 [{?}] rep={b}
arg = edge x | put={b} [{?}] rep={b}
n = add arg arg
out = edge n | strip={b})",
       {kBasic, kAggressive},
       "arg [{a,?}]\n n [{a,?}]\n out [{a,?}] rep={b}"},
  };
  check_all(examples);
}

TEST_CASE("groups, results and meshes behave as E43 to E48 say", "[propagation][examples]") {
  constexpr const char* kMeshes = "mesh a=2 b=2\nmesh @M a=2 b=2\nmesh @E\n";
  const std::string e46 = std::string(kMeshes) + R"(
x: 8x8 [{a},{b}] @M
y: 8x8 [{?},{}] @E
r: 8x8
r = add x y)";
  const std::string e46_closed = std::string(kMeshes) + R"(
x: 8x8 [{a},{b}] @M
y: 8x8 [{},{}] @E
r: 8x8
r = add x y)";
  const std::string e46_maximal = std::string(kMeshes) + R"(
mesh @X ids=1
x: 8x8 [{a},{b}] @M
y: 8x8 [] @X
r: 8x8
r = add x y)";
  const std::string e46_other = std::string(kMeshes) + R"(
mesh @N a=2 b=2 ids=3,2,1,0
x: 8x8 [{a},{b}] @M
y: 8x8 [{?},{?}] @N
r: 8x8
r = add x y)";
  const Example examples[] = {
      {"E43",
       R"(
x: 8 [{a,?}]
c: 8
q: 8
t: 8
p: 8
s: 8
w: 8
t = sine x
p = barrier none c
s = add t p
w = sine q
group s w)",
       {kBasic},
       "t [{a,?}]\n s [{a,?}]\n p [{a,?}]\n w [{a,?}]\n q [{a,?}]"},
      {"E45",
       R"(
x: 8x8
o0: 8x8 [{a},{?}]
o1: 8x8 [{?},{b}]
return x -> o0
return x -> o1)",
       {kBasic, kAggressive},
       "x [{a,?},{b,?}]\n o0 [{a},{b,?}]\n o1 [{a,?},{b}]"},
      {"E46 basic", e46.c_str(), {kBasic}, "y [{a,?},{}] @M\n r [{a,?},{?}] @M"},
      {"E46 aggressive", e46.c_str(), {kAggressive}, "y [{a,?},{}] @M\n r [{a,?},{b,?}] @M"},
      {"E46 closed", e46_closed.c_str(), {kBasic}, ""},
      {"E46 maximal", e46_maximal.c_str(), {kBasic, kAggressive}, ""},
      {"E46 other mesh", e46_other.c_str(), {kBasic, kAggressive}, ""},
      {"E47",
       R"(
mesh a=6
x: 4x4 [{a:(1)2},{?}]
r: 4x4 [{?},{a:(3)2,?}]
r = sine x)",
       {kBasic, kAggressive},
       ""},
      {"E48 growth",
       R"(
mesh a=6
x: 12 [{a:(1)2,?}]
y: 12 [{a:(1)3}]
r: 12
r = add x y)",
       {kBasic, kAggressive},
       "x [{a:(1)3,?}]\n r [{a:(1)3,?}]"},
      {"E48 no sharding",
       R"(
mesh a=6
x: 12x12 [{?},{a:(3)2}]
y: 12x12 [{a},{?}]
r: 12x12 [{a:(1)2},{}]
r = add x y)",
       {kBasic, kAggressive},
       ""},
  };
  check_all(examples);
}

// The adapter inserts the constraints cx and cy; here they stand in the problem from the start.
TEST_CASE("a group in conflict is reported, and constraints resolve it as E44 says",
          "[propagation][examples]") {
  Program conflict = parse_program(R"(
x: 8x8 [{a},{}]
y: 8x8 [{b},{}]
group x y)");
  const Result<Report> report = propagate(conflict.problem);
  REQUIRE(report);
  REQUIRE(report->conflicts.size() == 1);
  CHECK(report->conflicts[0].first == conflict.slots["x"]);
  CHECK(report->conflicts[0].other == conflict.slots["y"]);
  CHECK(conflict["x"] == "[{a},{}]");
  CHECK(conflict["y"] == "[{b},{}]");

  const Program resolved = after_user_priority(R"(
x: 8x8 [{a},{}]
y: 8x8 [{b},{}]
cx: 8x8 [{?},{?}]
cy: 8x8 [{?},{?}]
cy = constraint y
cx = constraint x
group cx cy)");
  CHECK(resolved["cy"] == "[{b,?},{?}]");
  CHECK(resolved["cx"] == "[{b,?},{?}]");
  CHECK(resolved["x"] == "[{a},{}]");
  CHECK(resolved["y"] == "[{b},{}]");
}

}  // namespace shardy::propagation::testing
