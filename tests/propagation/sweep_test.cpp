#include <shardy/propagation/detail/slot_shardings.hpp>
#include <shardy/propagation/detail/worklist.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/propagate.hpp>
#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "propagation/random_problem.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::sweep_test {
namespace {

const ProblemOptions kBasic{.algorithm = Algorithm::Basic};
const ProblemOptions kAggressive{.algorithm = Algorithm::Aggressive};
const ProblemOptions kOpPriority{.algorithm = Algorithm::OpPriority};

/// A run of propagation on the problem `text`, with its log.
struct Run {
  Program program;
  DecisionLog log;
  ProblemReport report;

  Run(const std::string& text, const ProblemOptions& options) : program(parse_program(text)) {
    report = propagate(program.problem, options, log).value();
  }
  /// Returns the names of the nodes that changed a sharding, in order.
  std::vector<std::string> changing() const {
    std::vector<std::string> names;
    for (const LoggedStep& step : log.steps()) names.push_back(program.name_of(step.node));
    return names;
  }
  std::vector<std::string> erased() const {
    std::vector<std::string> names;
    for (const NodeId node : report.erased) names.push_back(program.name_of(node));
    return names;
  }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a node that is pushed again keeps its position in the worklist",
          "[propagation][worklist]") {
  Worklist worklist(4);
  worklist.begin();
  const auto next = [](uint32_t from) {
    return from < 4 ? std::optional(NodeId(from)) : std::nullopt;
  };
  CHECK(worklist.pop(next) == NodeId(0));
  CHECK(worklist.pop(next) == NodeId(1));
  CHECK(worklist.pop(next) == NodeId(2));
  CHECK(worklist.is_to_come(NodeId(3)));
  CHECK_FALSE(worklist.is_to_come(NodeId(2)));
  worklist.push_again(NodeId(1));
  worklist.push_again(NodeId(0));
  worklist.push_again(NodeId(1));
  CHECK(worklist.pop(next) == NodeId(0));
  worklist.push_again(NodeId(2));
  worklist.push_again(NodeId(0));
  CHECK(worklist.pop(next) == NodeId(0));
  CHECK(worklist.pop(next) == NodeId(2));
  CHECK(worklist.pop(next) == NodeId(1));
  CHECK(worklist.pop(next) == NodeId(3));
  CHECK_FALSE(worklist.pop(next).has_value());
}

TEST_CASE("a change propagates back before the sweep continues", "[propagation][worklist]") {
  const Run run(R"(
x: 8
a: 8
b: 8
c: 8
d: 8 [{a}]
y: 8 [{b}]
e: 8
a = sine x
b = sine a
c = sine b
d = sine c
e = sine y)",
                kBasic);
  CHECK(run.changing() == Names{"d", "c", "b", "a", "e"});
}

TEST_CASE("users of a value are visited in program order, before its definer",
          "[propagation][worklist]") {
  const Run run(R"(
x: 8
v: 8
p: 8
q: 8
w: 8 [{a}]
v = sine x
p = sine v
q = sine v
w = sine v)",
                kBasic);
  CHECK(run.changing() == Names{"w", "p", "q", "v"});
}

TEST_CASE("nodes woken by the last write are visited first", "[propagation][worklist]") {
  // n writes y and r. The user of r is visited before the other user of y, although that node is
  // earlier.
  const Run run(R"(
x: 8 [{a}]
y: 8
z: 8
m: 8
k: 8
r: 8
u: 8
m = sine y
k = sine z
r = other x y z
u = sine r)",
                kBasic);
  CHECK(run.changing() == Names{"r", "k", "m", "u"});
}

TEST_CASE("unvisited nodes keep their position in the sweep", "[propagation][worklist]") {
  const Run run(R"(
x: 8 [{a}]
s: 8
t: 8
u: 8
v: 8
s = sine x
t = sine x
u = sine s
v = sine t)",
                kBasic);
  CHECK(run.changing() == Names{"s", "t", "u", "v"});
}

TEST_CASE("a caller's wake list replaces the derived wake list", "[propagation][worklist]") {
  ProblemBuilder builder;
  const TensorSharding sharded = parse_sharding(make_mesh("a=2"), "[{a}]");
  const SlotId x = builder.add_slot({.shape = {8}}).value();
  const SlotId y = builder.add_slot({.shape = {8}}).value();
  const SlotId z = builder.add_slot({.shape = {8}, .sharding = sharded}).value();
  const std::vector<int64_t> shape = {8};
  const RuleId rule = builder.add_rule(OpShardingRule::identity(shape, 1, 1)).value();
  const NodeId first =
      builder.add_node({.rule = rule, .operands = {{x}}, .results = {{y}}}).value();
  builder.add_node({.rule = rule, .operands = {{y}}, .results = {{z}}}).value();
  REQUIRE(builder.set_wakes(y, {}));
  Problem problem = std::move(builder).build().value();
  REQUIRE(propagate(problem, kBasic));
  CHECK(to_text(problem.sharding(y)) == "[{a,?}]");
  CHECK(to_text(problem.sharding(x)) == "-");  // `first` was never woken
  CHECK(problem.wakes(x).size() == 1);
  CHECK(problem.wakes(x)[0] == first);
}

TEST_CASE("dead ops are erased when they are popped", "[propagation][liveness]") {
  const Run run(R"(
x: 8 [{a,?}]
s: 8
t: 8
u: 8
s = sine x | removable
t = sine s | removable
u = sine x)",
                kBasic);
  // At its first visit s still has a user.
  CHECK(run.program["s"] == "[{a,?}]");
  CHECK(run.program["t"] == "-");
  CHECK(run.program["u"] == "[{a,?}]");
  CHECK(run.erased() == Names{"t", "s"});
  CHECK(run.log.erased().size() == 2);
}

TEST_CASE("uses by dead ops count until these ops are erased", "[propagation][liveness]") {
  const std::string before = R"(
mesh a=2 b=2
x: 8x8 [{a},{?}]
s: 8x8
t: 8x8
u: 8x8
v: 8x8
o: 8x8 [{?},{a}]
s = sine x
)";
  const std::string after = "\nv = sine u\nreturn v -> o";
  const std::string dead = "t = sine s | removable\n";
  const std::string live = "u = sine s\n";
  // If the dead user is visited first, it is erased before u is visited at level 0. Then u gets the
  // axis of s.
  CHECK(Run(before + dead + live + after, kOpPriority).program["u"] == "[{a,?},{?}]");
  // Otherwise u has an operand with several uses at level 0, and gets the axis of its own user.
  CHECK(Run(before + live + dead + after, kOpPriority).program["u"] == "[{?},{a,?}]");
}

TEST_CASE("a dead op is erased with the ops in its regions", "[propagation][liveness]") {
  const Run run(R"(
x: 8 [{a}]
y: 8
k: 8
l: 8
r: 8
u: 8
y = sine x | removable
r = other x | removable
k = sine y | removable in=r
l = sine k | in=r
u = sine x)",
                kBasic);
  CHECK(run.erased() == Names{"l", "k", "r", "y"});
  CHECK(run.program["l"] == "-");
  CHECK(run.program["u"] == "[{a,?}]");
}

TEST_CASE("several uses by one op count as one user", "[propagation][liveness]") {
  // add(s, s) is the only user of s; if it is dead, so is s.
  CHECK(Run("x: 8 [{a}]\ns: 8\nt: 8\ns = sine x | removable\nt = add s s | removable", kBasic)
            .erased() == Names{"t", "s"});
  // Scalars may have any number of uses.
  const Run scalars(R"(
mesh a=2
c: scalar
x: 8 [{?}]
s: 8
o: 8 [{a}]
s = other c c x : ([],[],[i])->([i]) {i=8} | removable
return s -> o)",
                    kOpPriority);
  CHECK(scalars.program["s"] == "[{a,?}]");
}

TEST_CASE("the first write to a result opens the other results of its op",
          "[propagation][siblings]") {
  const std::string program = R"(
x: 8 [{a}]
r: 8
s: 8x8
t: scalar
r s t = other x : ([i])->([i],[j,k],[]) {i=8,j=8,k=8}
siblings r s t)";
  CHECK(after_basic(program)["r"] == "[{a,?}]");
  CHECK(after_basic(program)["s"] == "[{?},{?}]");
  CHECK(after_basic(program)["t"] == "[]");
}

TEST_CASE("group members share shardings across barriers and closed dims", "[propagation][group]") {
  const Run run(R"(
x: 8 [{a,?}]
y: 8 [{?}]
z: 8
u: 8
w: 8
x2: 8
x2 = sine x
u = barrier none y
w = sine y
group x2 y z)",
                kBasic);
  CHECK(run.program["y"] == "[{a,?}]");
  CHECK(run.program["z"] == "[{a,?}]");
  CHECK(run.program["w"] == "[{a,?}]");
  CHECK(run.program["u"] == "-");
  CHECK(run.changing() == Names{"x2", "w"});
  CHECK(run.log.group_copies().size() == 2);
}

TEST_CASE("a group starts with the sharding of its first sharded member", "[propagation][group]") {
  const Program program = after_basic(R"(
x: 8
y: 8 [{?}]
z: 8 [{a}p1]
r: 8
s: 8
group x y z
siblings x r)");
  CHECK(program["x"] == "[{a}p1]");
  CHECK(program["y"] == "[{a}p1]");
  CHECK(program["r"] == "[{?}]");
  // A closed dim without axes is a sharding. Shardings conflict unless they are exactly equal.
  for (const char* other : {"[{}]", "[{a}]", "[{a,?}p1]", "[{a}p1] rep={b}", "[{b}]"}) {
    CAPTURE(other);
    Program conflict = parse_program("x: 8 [{a}p1]\ny: 8 " + std::string(other) + "\ngroup x y");
    CHECK(propagate(conflict.problem).value().conflicts.size() == 1);
  }
}

TEST_CASE("members of a group in conflict keep their own shardings", "[propagation][group]") {
  const Program program = after_basic(R"(
x: 8 [{a,?}]
y: 8 [{b,?}]
r: 8 [{a,c,?}]
r = sine x
group x y)");
  CHECK(program["x"] == "[{a,c,?}]");
  CHECK(program["y"] == "[{b,?}]");

  Program conflict = parse_program("x: 8x8 [{a},{}]\ny: 8x8 [{b},{}]\ngroup x y");
  const Result<ProblemReport> report = propagate(conflict.problem);
  REQUIRE(report);
  REQUIRE(report->conflicts.size() == 1);
  CHECK(report->conflicts[0].first == conflict.slots["x"]);
  CHECK(report->conflicts[0].other == conflict.slots["y"]);
}

TEST_CASE("propagation steps need equal meshes, whatever their names", "[propagation][mesh]") {
  const std::string meshes = "mesh @M a=2 b=2\nmesh @N a=2 b=2\nmesh @E\n";
  const Program program = after_basic(meshes + R"(
x: 8 [{a}] @N
y: 8 [{?}] @M
z: 8 [{?}] @E
r: 8
r = add x y
z = sine y)");
  CHECK(program["y"] == "[{a,?}] @N");
  CHECK(program["r"] == "[{a,?}] @N");
  CHECK(program["z"] == "[{a,?}] @N");
}

// Both nodes give s an axis that is dropped when the sharding is written back. If the name of the
// mesh counted as a change, the nodes would write s in turns, forever.
TEST_CASE("a different name of an equal mesh is not a change", "[propagation][mesh]") {
  const Program program = after_basic(R"(
mesh @M a=2 b=2
mesh @N a=2 b=2
x: 4x4 [{b},{a}] @M
y: 4x4 [{b},{a}] @N
s: 16 [{b,?}] @N
k: 16
l: 16
k = other x s : ([i,j],[ij])->([ij]) {i=4,j=4}
l = other y s : ([i,j],[ij])->([ij]) {i=4,j=4})");
  CHECK(program["s"] == "[{b,?}] @N");
  CHECK(program["k"] == "[{b,?}] @M");
}

TEST_CASE("a slot without storage reads as absent and ignores writes", "[propagation][slot]") {
  const Program program = after_basic(R"(
x: 8 [{a}]
y: 8 unstored
r: 8
s: 8
y = sine x
r = sine y
s = add x y)");
  CHECK(program["y"] == "-");
  CHECK(program["r"] == "-");
  CHECK(program["s"] == "[{a,?}]");
}

TEST_CASE("function results are related before and after the sweep", "[propagation][sweep]") {
  const Run run(R"(
x: 8x8 [{a,?},{?}]
r: 8x8
o: 8x8 [{?},{b}]
r = sine x
return r -> o)",
                kBasic);
  CHECK(run.changing() == Names{"o", "r", "o"});
  CHECK(run.program["x"] == "[{a,?},{b,?}]");
  CHECK(run.program["o"] == "[{a,?},{b}]");
}

TEST_CASE("convergence is checked on request", "[propagation][sweep]") {
  const char* twice = "x: 8x8\nC: 8x8 [{a},{b}]\nC = dot x x";  // E16 needs a second sweep
  Program once = parse_program(twice);
  CHECK_FALSE(propagate(once.problem, kAggressive).value().has_converged.has_value());
  Program checked = parse_program(twice);
  ProblemOptions options = kAggressive;
  options.check_convergence = true;
  CHECK(propagate(checked.problem, options).value().has_converged == false);
  Program simple = parse_program("x: 8 [{a}]\nr: 8\nr = sine x");
  CHECK(propagate(simple.problem, options).value().has_converged == true);
}

TEST_CASE("user priorities are revealed one by one", "[propagation][user_priority]") {
  Program program = parse_program(R"(
x: 8x8 [{a}p7,{b,?}p2]
y: 8x8 [{?},{c}p0]
r: 8x8
r = add x y)");
  std::vector<std::string> seen;
  ProblemOptions options;
  options.after_user_priority = [&](int64_t priority, const Problem& problem) {
    seen.push_back(std::to_string(priority) + " " + to_text(problem.sharding(program.slots["x"])) +
                   " " + to_text(problem.sharding(program.slots["r"])));
  };
  REQUIRE(propagate(program.problem, options));
  CHECK(seen == Names{"0 [{},{}] rep={a,b} [{?},{c,?}]", "2 [{},{b,?}] rep={a} [{?},{c,?}]"});
  CHECK(program["x"] == "[{a},{b,?}]");
  CHECK(program["y"] == "[{a,?},{c}]");
}

// Hidden sub-axes of one axis are not merged in the replicated axes, but a dump prints a valid
// sharding.
TEST_CASE("hidden sub-axes of one axis give a valid sharding", "[propagation][user_priority]") {
  Program program = parse_program(R"(
mesh a=8
x: 8x8 [{a:(1)2}p1,{a:(2)2}p2]
r: 8x8
r = sine x)");
  std::vector<std::string> seen;
  ProblemOptions options;
  options.after_user_priority = [&](int64_t, const Problem& problem) {
    seen.push_back(to_text(problem.sharding(program.slots["x"])));
  };
  REQUIRE(propagate(program.problem, options));
  CHECK(seen == Names{"[{},{}] rep={a:(1)4}", "[{a:(1)2},{}] rep={a:(2)2}"});
  CHECK(program["x"] == "[{a:(1)2},{a:(2)2}]");
  CHECK(program["r"] == "[{a:(1)2,?},{a:(2)2,?}]");
}

TEST_CASE("priorities are removed from changed shardings", "[propagation][user_priority]") {
  const char* program = "x: 8 [{a,?}p1]\ny: 8 [{a,b}]\nz: 8 [{a}p1]\nr: 8\nr = add x y";
  CHECK(after_aggressive(program)["x"] == "[{a,b,?}]");
  CHECK(after_aggressive(program)["z"] == "[{a}p1]");
  CHECK(after_user_priority(program)["z"] == "[{a}]");
}

// The free axis b of the argument is hidden at first. The outer view must have it as a replicated
// axis; otherwise it could return through the operand on another dim.
TEST_CASE("an axis hidden by priority stays hidden in the view of a manual computation",
          "[propagation][view]") {
  const Program program = after_user_priority(R"(
x: 8x8 [{?},{b}]
arg: 8x8 [{b,?}p1,{?}]
n: 8x8
arg = edge x | put={a} [{a,b,?},{?}]
n = sine arg)");
  CHECK(program["arg"] == "[{b,?},{?}]");
  CHECK(program["n"] == "[{b,?},{?}]");
}

TEST_CASE("observing propagation does not change its result", "[propagation][random]") {
  for (uint64_t round = 0; round < 200; ++round) {
    const RandomProblem random = random_problem(Catch::rngSeed() * 1000003 + round);
    Problem observed = random.problem;
    Problem unobserved = random.problem;
    DecisionLog log;
    const ProblemReport a = propagate(observed, {}, log).value();
    const ProblemReport b = propagate(unobserved).value();
    CHECK(a.num_steps == b.num_steps);
    CHECK(a.num_updates == b.num_updates);
    CHECK(static_cast<int64_t>(log.steps().size()) == a.num_updates);
    for (uint32_t slot = 0; slot < observed.num_slots(); ++slot) {
      CHECK(observed.sharding(SlotId(slot)) == unobserved.sharding(SlotId(slot)));
    }
  }
}

namespace {

/// The state of one of two runs with the same sweeps over the same problem.
struct Sweeps {
  const Problem& problem;
  SlotShardings shardings;
  UserPriorities priorities;
  DecisionLog log;
  detail::AnyObserver observer{log};
  Sweeper<detail::AnyObserver> sweeper;

  explicit Sweeps(const Problem& of)
      : problem(of), shardings(of), priorities(of, shardings), sweeper(of, shardings, observer) {}

  std::string state() const {
    std::string text;
    for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
      text += " " + std::to_string(shardings.at(SlotId(slot)).value);
    }
    return text;
  }
};

/// Returns the steps that changed a sharding, with the axes that they moved.
std::vector<std::string> steps_of(const DecisionLog& log) {
  std::vector<std::string> texts;
  for (const LoggedStep& step : log.steps()) {
    std::string text = std::to_string(step.node.value) + ":";
    for (const std::size_t target : step.targets) text += " " + std::to_string(target);
    for (const AxisMove& move : step.moves) {
      text += "; " + std::to_string(move.factor) + " " + std::to_string(move.source);
    }
    texts.push_back(std::move(text) + ", " + std::to_string(step.sweep.level));
  }
  return texts;
}

}  // namespace

TEST_CASE("sweeps that skip unchanged nodes take the same changing steps in the same order",
          "[propagation][random][differential]") {
  constexpr FactorStrategy kStrategies[] = {FactorStrategy::Basic, FactorStrategy::Aggressive};
  for (uint64_t round = 0; round < 2000; ++round) {
    const uint64_t seed = Catch::rngSeed() * 1000003 + round;
    Random random(seed);
    const RandomProblem given =
        random_problem(seed, {.num_ops = 1 + round % 16, .has_dead_ops = round % 2 == 0});
    CAPTURE(seed, to_text(given));
    Sweeps all(given.problem);
    Sweeps some(given.problem);
    some.sweeper.skip_settled();
    std::size_t num_revealed = 0;
    for (int count = 0; count < 24; ++count) {
      if (random.chance(25) && num_revealed < all.priorities.priorities().size()) {
        const int64_t priority = all.priorities.priorities()[num_revealed++];
        all.priorities.reveal(priority);
        some.priorities.reveal(priority);
      }
      const SweepInfo sweep{.level = static_cast<int>(random.below(kLastLevel + 1)),
                            .strategy = random.pick(kStrategies)};
      all.sweeper.run(sweep);
      some.sweeper.run(sweep);
      REQUIRE(some.state() == all.state());
    }
    CHECK(steps_of(some.log) == steps_of(all.log));
    CHECK(some.sweeper.liveness().erased() == all.sweeper.liveness().erased());
    CHECK(some.sweeper.num_steps() <= all.sweeper.num_steps());
  }
}

// Each priority has a separate chain.
TEST_CASE("the number of steps is linear in the number of user priorities",
          "[propagation][sweep]") {
  const auto steps = [](std::size_t num_priorities) {
    std::string slots = "mesh a=2\n";
    std::string nodes;
    for (std::size_t i = 1; i <= num_priorities; ++i) {
      const std::string name = std::to_string(i);
      slots += "x" + name + ": 8 [{a}p" + name + "]\ny" + name + ": 8\n";
      nodes += "y" + name + " = sine x" + name + "\n";
    }
    Program program = parse_program(slots + nodes);
    return propagate(program.problem).value().num_steps;
  };
  CHECK(steps(801) - steps(101) == 7 * (steps(201) - steps(101)));
}

// The time per node must not grow. The number of steps measures it without a clock.
TEST_CASE("the number of steps is linear in the number of nodes", "[propagation][sweep]") {
  const auto steps = [](std::size_t num_nodes) {
    std::string text = "v0: 8 [{a}]\n";
    for (std::size_t i = 1; i <= num_nodes; ++i) text += "v" + std::to_string(i) + ": 8\n";
    for (std::size_t i = 1; i <= num_nodes; ++i) {
      text += "v" + std::to_string(i) + " = sine v" + std::to_string(i - 1) + "\n";
    }
    Program program = parse_program(text);
    return propagate(program.problem).value().num_steps;
  };
  CHECK(steps(1000) - steps(0) == 10 * (steps(100) - steps(0)));
}

}  // namespace shardy::propagation::testing::sweep_test
