#include <limits>
#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::builder_test {
namespace {

std::string error_of(const std::string& text) {
  const std::optional<Error> error = program_error(text);
  return error ? error->message : "";
}

template <class T>
std::string message(const Result<T>& result) {
  return result ? "" : result.error().message;
}

}  // namespace

TEST_CASE("ProblemBuilder rejects invalid problems", "[propagation][problem]") {
  struct {
    const char* text;
    const char* message;
  } const rows[] = {
      {"x: 8 [{a},{}]", "sharding rank must match tensor rank: 2 != 1"},
      {"x: 8\ny: 8 shares x\nz: 8 shares y", "slot 1 has no storage of its own to share"},
      {"x: 8\ny: 4 shares x", "slots that share a storage must have one shape"},
      {"x: 8\ny: 8 shares x [{a}]", "a slot without storage of its own cannot have a sharding"},
      {"x: 8 unstored [{a}]", "a slot without storage of its own cannot have a sharding"},
      {"x: 8\nr: 8\nr = other x x : ([i])->([i]) {i=8}",
       "node 0: number of operands and mappings must match: 2 != 1"},
      {"x: 8\nr: 8\nr r = other x : ([i])->([i]) {i=8}",
       "node 0: number of results and mappings must match: 2 != 1"},
      {"x: 8\ny: 8x8\nr: 8\nr = other x y : ([i],[i])->([i]) {i=8}",
       "node 0: operand 1 - mapping rank must match: 1 != 2"},
      {"x: 8\nr: 8\nr = other x : ([i])->([i,j]) {i=8,j=8}",
       "node 0: result 0 - mapping rank must match: 2 != 1"},
      {"x: 8\nr: 8\ns: 8\nr = sine x\ns = sine x\ns = sine x | in=r",
       "node 2: the regions of the parent have ended: 0"},
      {"x: 8\nr: 8\nr = barrier both x", "a barrier cannot let axes pass both ways"},
      {"x: 8\nr: 8x8\nr = barrier none x", "node 0: operand 0 - mapping rank must match: 2 != 1"},
      {"x: 8\ne: 8\ne = edge", "an edge must have a source"},
      {"group", "a sharding group must have a member"},
      {"x: 8\ny: 4\ngroup x y", "members of a sharding group must have one shape"},
      {"x: 8\ngroup x\ngroup x", "slot 0 is in another sharding group"},
      {"x: 8\ny: 8 shares x\nsiblings x y", "slot 1 has no storage of its own"},
      {"x: 8\nsiblings x\nsiblings x", "slot 0 has siblings already"},
      {"x: 8\no: 8x8\nreturn x -> o", "operand 0 - mapping rank must match: 2 != 1"},
      {"x: 8\ne: 8\ne = edge x | put={a} [{a}]",
       "node 0: a slot seen through a manual view must have a sharding"},
      {"x: 8\ne: 8 [{?}]\ne = edge x | put={a} [{?}]",
       "node 0: manual axis \"a\" must appear in the outer sharding"},
      {"x: 8\ne: 8 [{a}]\ne = edge x | put={a} [{a}]",
       "node 0: manual axis \"a\" must not appear in the inner sharding"},
      {"x: 8\ne: 8 [{?}]\ne = edge x | strip={a}",
       "node 0: manual axis \"a\" must appear in the outer sharding"},
      {"x: 8\ne: 8 [{?}]\ne = edge x | put={a} [{a},{?}]",
       "node 0: the outer sharding of a view must have the rank of the slot's sharding"},
      {"mesh @M a=2\nx: 8\ne: 8 [{?}] @M\ne = edge x | put={a} [{a}]",
       "node 0: the outer sharding of a view must have the mesh of the slot's sharding"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    CHECK(error_of(row.text) == row.message);
  }
}

TEST_CASE("unknown ids are errors", "[propagation][problem]") {
  ProblemBuilder builder;
  const SlotId x = builder.add_slot({.shape = {8}}).value();
  const SlotId unstored = builder.add_slot({.shape = {8}, .is_stored = false}).value();
  const std::vector<int64_t> shape = {8};
  const RuleId rule = builder.add_rule(OpShardingRule::identity(shape, 1, 1)).value();
  CHECK(message(builder.add_slot({.shape = {8}, .shares = SlotId(7)})) == "no such slot: 7");
  CHECK(message(builder.add_slot({.shape = {8}, .shares = unstored})) ==
        "slot 1 has no storage of its own to share");
  CHECK(message(builder.add_node({.rule = rule, .operands = {{SlotId(7)}}, .results = {{x}}})) ==
        "node 0: no such slot: 7");
  CHECK(message(builder.add_node({.rule = rule, .operands = {{SlotId()}}, .results = {{x}}})) ==
        "node 0: no slot given");
  CHECK(message(builder.add_node({.rule = RuleId(3), .operands = {{x}}, .results = {{x}}})) ==
        "node 0: no such rule: 3");
  CHECK(message(builder.add_node({.rule = rule, .operands = {{x, ViewId(2)}}, .results = {{x}}})) ==
        "node 0: no such view: 2");
  CHECK(message(builder.add_node(
            {.rule = rule, .operands = {{x}}, .results = {{x}}, .parent = NodeId(0)})) ==
        "node 0: the regions of the parent have ended: 0");
  CHECK(message(builder.add_function_result(x, SlotId(9))) == "no such slot: 9");
  const std::vector<SlotId> unknown = {SlotId(9)};
  CHECK(message(builder.add_group(unknown)) == "no such slot: 9");
  CHECK(message(builder.add_siblings(unknown)) == "no such slot: 9");
  CHECK(message(builder.set_wakes(SlotId(9), {})) == "no such slot: 9");
  CHECK(message(builder.set_wakes(unstored, {})) == "slot 1 has no storage of its own");
  REQUIRE(builder.set_wakes(x, {NodeId(5)}));
  CHECK(message(std::move(builder).build()) == "no such node to wake: 5");

  Problem problem = parse_program("x: 8\ny: 8 unstored").problem;
  const TensorSharding sharding = parse_sharding(make_mesh("a=2"), "[{a},{}]");
  CHECK(message(problem.set_sharding(SlotId(5), sharding)) == "no such slot: 5");
  CHECK(message(problem.set_sharding(SlotId(), sharding)).substr(0, 13) == "no such slot:");
  CHECK(message(problem.set_sharding(SlotId(1), std::nullopt)) == "slot 1 has no storage");
  CHECK(message(problem.set_sharding(SlotId(0), sharding)) ==
        "sharding rank must match tensor rank: 2 != 1");
}

TEST_CASE("sizes and enumerators are checked", "[propagation][problem]") {
  ProblemBuilder builder;
  const SlotId x = builder.add_slot({.shape = {8}}).value();
  CHECK(message(builder.add_slot({.shape = {8, -2}})) ==
        "dim 1 has size -2; a size is at least 0, or -1 where it is unknown");
  CHECK(message(builder.add_slot({.shape = {std::numeric_limits<int64_t>::min()}})) ==
        "dim 0 has size -9223372036854775808; a size is at least 0, or -1 where it is unknown");
  CHECK(builder.add_slot({.shape = {0, -1}}).has_value());
  CHECK(message(builder.add_node({.operands = {{x}}, .direction = static_cast<Direction>(4)})) ==
        "node 0: direction 4; it must be an enumerator of Direction");
  CHECK(message(builder.add_node({.operands = {{x}}, .priority = static_cast<PriorityClass>(5)})) ==
        "node 0: priority 5; it must be an enumerator of PriorityClass");
  CHECK(message(builder.add_barrier(x, x, static_cast<Direction>(7))) ==
        "node 0: direction 7; it must be an enumerator of Direction");
}

TEST_CASE("edges and barriers need static shapes", "[propagation][problem]") {
  ProblemBuilder builder;
  const SlotId x = builder.add_slot({.shape = {-1}}).value();
  CHECK(message(builder.add_edge({{x}}, {x})) == "slot 0 must have a static shape");
  CHECK(message(builder.add_barrier(x, x, Direction::None)) == "slot 0 must have a static shape");
  CHECK(message(builder.add_function_result(x, x)) == "slot 0 must have a static shape");
}

TEST_CASE("a group sharding can make the local view of a manual computation impossible",
          "[propagation][problem]") {
  Program program = parse_program(R"(
x: 8
arg: 8 [{?}]
y: 8 [{a}]
arg = edge x | put={a} [{a,?}]
group arg y)");
  CHECK(message(propagate(program.problem)) ==
        "manual axis \"a\" must not appear in the inner sharding");
}

TEST_CASE("a sharding on a single device fits any rank", "[propagation][problem]") {
  CHECK(error_of("mesh @X ids=3\nx: 8x8 [] @X") == "");
  CHECK(error_of("x: 8x8 []") == "sharding rank must match tensor rank: 0 != 2");
}

TEST_CASE("equal rules are stored once, with a count of their uses", "[propagation][problem]") {
  const Program program = parse_program(R"(
x: 8
r: 8
s: 8
o: 8
p: 8
q: 8
r = add x x
s = add r x
q = edge s r
return s -> o
return s -> p
group s r)");
  const Problem& problem = program.problem;
  CHECK(problem.node(program.nodes.at("r")).rule == problem.node(program.nodes.at("s")).rule);
  const auto uses = [&](const char* name) { return problem.slot(program.slots.at(name)).num_uses; };
  const auto users = [&](const char* name) {
    return problem.slot(program.slots.at(name)).num_users;
  };
  CHECK(uses("x") == 3);
  CHECK(users("x") == 2);
  CHECK(uses("s") == 3);  // two returns by one op, and the group; the edge is not a use
  CHECK(users("s") == 2);
  CHECK(uses("r") == 2);
  CHECK(uses("q") == 0);
}

TEST_CASE("a changed slot wakes its users in order, then its definers, then slots that share it",
          "[propagation][problem]") {
  const Program program = parse_program(R"(
x: 8
e: 8
it: 8 shares e
cond: 8 shares e
n: 8
c: 8
u: 8
v: 8
use x
c = sine cond
n = sine it
e = edge x n
u = sine e
v = add e e)");
  std::vector<std::string> names;
  for (const NodeId node : program.problem.wakes(program.slots.at("e"))) {
    names.push_back(program.name_of(node));
  }
  CHECK(names == std::vector<std::string>{"u", "v", "v", "e", "c", "n"});
}

}  // namespace shardy::propagation::testing::builder_test
