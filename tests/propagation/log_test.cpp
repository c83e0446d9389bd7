#include <shardy/propagation/detail/origins.hpp>
#include <shardy/propagation/detail/worklist.hpp>
#include <shardy/propagation/log.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "propagation/program.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::log_test {
namespace {

// Without an observer there is nothing that explanations would need.
static_assert(!detail::NoObserver::kEnabled);
static_assert(std::is_empty_v<detail::NoObserver> &&
              std::is_empty_v<detail::NoObserver::Conflicts>);

const ProblemOptions kBasic{.algorithm = Algorithm::Basic};
const ProblemOptions kAggressive{.algorithm = Algorithm::Aggressive};

struct Run {
  Program program;
  DecisionLog log;

  Run(const std::string& text, const ProblemOptions& options) : program(parse_program(text)) {
    REQUIRE(propagate(program.problem, options, log));
  }
  /// The debug attribute of a node.
  std::string edges(const std::string& node) const {
    return to_string(propagation_edges(program.problem, log)[program.nodes.at(node).index()]);
  }
  std::string origins(const Origins& origins, const std::string& slot) const {
    std::string text;
    const SlotId id = program.slots.at(slot);
    for (const auto& [axis, origin] : origins.of(id)) {
      if (!text.empty()) text += ", ";
      const AxisList axes = {axis};
      text += to_text(program.problem.sharding(id)->mesh(), axes) + " = " + origin;
    }
    return text;
  }
};

}  // namespace

TEST_CASE("the log lists steps, sources and targets as the example of propagation 16 does",
          "[propagation][log]") {
  const Run run(R"(
mesh a=2 b=2
x: 8x8 [{a,?},{?}]
y: 8x8
r: 8x8
o: 8x8 [{?},{b,?}]
r = add x y
return r -> o)",
                kBasic);
  CHECK(run.edges("r") == R"(<[{step-1 = [{"a" = operand-0 -> [operand-1, result-0]}, )"
                          R"({"b" = result-0 -> [operand-0, operand-1]}]}]>)");
  CHECK(run.edges("o") == R"(<[{step-0 = [{"b" = result-0 -> [operand-0]}]}, )"
                          R"({step-2 = [{"a" = operand-0 -> [result-0]}]}]>)");

  Origins origins;
  origins.add(run.program.slots.at("x"), {0, 1, 2}, "input: 0");
  origins.add(run.program.slots.at("o"), {1, 1, 2}, "output: 0");
  origins.add(run.program.slots.at("r"), {1, 1, 2}, "output: 0");
  origins.follow(run.program.problem, run.log);
  CHECK(run.origins(origins, "x") == "a = input: 0, b = output: 0");
  CHECK(run.origins(origins, "y") == "a = input: 0, b = output: 0");
  CHECK(run.origins(origins, "r") == "a = input: 0, b = output: 0");
  CHECK(run.origins(origins, "o") == "a = input: 0, b = output: 0");
}

TEST_CASE("a growing sub-axis is logged as a new axis, and the old sub-axis stays in the log",
          "[propagation][log]") {
  const Run run(R"(
mesh a=8
x: 16
y: 16 [{a:(1)4}]
r: 16 [{a:(1)2,?}]
s: 16
s = sine r
r = add x y)",
                kBasic);
  CHECK(run.edges("s") == R"(<[{step-0 = [{"a":(1)2 = operand-0 -> [result-0]}]}, )"
                          R"({step-2 = [{"a":(1)4 = operand-0 -> [result-0]}]}]>)");
  CHECK(run.edges("r") == R"(<[{step-1 = [{"a":(1)4 = operand-1 -> [operand-0, result-0]}]}]>)");

  Origins origins;
  origins.add(run.program.slots.at("y"), {0, 1, 4}, "input: 0");
  origins.add(run.program.slots.at("r"), {0, 1, 2}, "input: 1");
  origins.follow(run.program.problem, run.log);
  CHECK(run.origins(origins, "s") == "a:(1)2 = input: 1, a:(1)4 = input: 0");
}

TEST_CASE("sub-axes that two factors give to one dim are logged as one axis",
          "[propagation][log]") {
  const Run run(R"(
mesh a=4 b=2
x: 12
r: 2x6 [{a:(1)2},{a:(2)2,b}]
r = reshape x : ([ij])->([i,j]) {i=2,j=6})",
                kBasic);
  CHECK(run.program["x"] == "[{a,b,?}]");
  CHECK(run.edges("r") ==
        R"(<[{step-0 = [{"a" = result-0 -> [operand-0]}, {"b" = result-0 -> [operand-0]}]}]>)");
}

TEST_CASE("the log names the axis that lost a conflict, and why", "[propagation][log]") {
  struct {
    const char* text;
    ProblemOptions options;
    ConflictReason reason;
    std::size_t tensor;
    std::optional<std::size_t> target;
    const char* wanted;
    const char* kept;
  } const rows[] = {
      {"x: 8 [{a}]\ny: 8 [{b}]\nr: 8\nr = add x y", kBasic, ConflictReason::TensorsDisagree, 1,
       std::nullopt, "a", ""},
      {"mesh a=8 b=2\nx: 32 [{a:(1)4,b,?}]\ny: 32 [{a:(1)2,b}]\nr: 32\nr = add x y", kBasic,
       ConflictReason::TensorsDisagree, 1, std::nullopt, "a:(1)4", "a:(1)2"},
      {"x: 8 [{a}]\ny: 8 [{}]\nr: 8\nr = add x y", kBasic, ConflictReason::Closed, 1, std::nullopt,
       "a", ""},
      {"mesh a=4\nx: 8 [{a}]\ny: 8 [{?}] rep={a:(2)2}\nr: 8\nr = add x y", kBasic,
       ConflictReason::Replicated, 1, std::nullopt, "a", "a:(1)2"},
      {"x: 8 [{a}]\nr: 8 [{?}] unr={a}\nr = sine x", kBasic, ConflictReason::Unreduced, 1,
       std::nullopt, "a", ""},
      {"mesh a=2 b=3\nx: 16 [{a,b,?}]\nr: 4x4 [{?},{a,?}]\nr = reshape x : ([ij])->([i,j]) "
       "{i=4,j=4}",
       kAggressive, ConflictReason::OtherFactor, 1, 1, "a", ""},
      {"mesh a=3\nx: 8 [{?}]\nr: 2x4 [{a},{?}]\nr = reshape x : ([ij])->([i,j]) {i=2,j=4}", kBasic,
       ConflictReason::DoesNotDivide, 0, std::nullopt, "a", ""},
      {"mesh a=2 b=3\nx: 8 [{b,?}]\nr: 2x4 [{a},{?}]\nr = reshape x : ([ij])->([i,j]) {i=2,j=4}",
       kBasic, ConflictReason::Overflow, 0, std::nullopt, "a", ""},
      {"mesh a=4\nx: 8 [{a:(1)2}]\nr: 8\nr = sine x | conservative", kBasic,
       ConflictReason::SubAxis, 0, std::nullopt, "a:(1)2", ""},
      {"x: 8 [{a}]\ny: 8\nr: 8 [{}]\nr = add x y", kAggressive, ConflictReason::ResultAccepts, 2, 1,
       "a", ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    const Run run(row.text, row.options);
    const Mesh mesh = run.program.problem.sharding(run.program.slots.at("x"))->mesh();
    const Conflict* found = nullptr;
    const auto look = [&](const std::vector<Conflict>& conflicts) {
      for (const Conflict& conflict : conflicts) {
        if (conflict.reason == row.reason) found = &conflict;
      }
    };
    for (const LoggedStep& step : run.log.steps()) look(step.conflicts);
    for (const NodeConflicts& node : run.log.node_conflicts()) look(node.conflicts);
    REQUIRE(found != nullptr);
    CHECK(found->tensor == row.tensor);
    CHECK(found->target == row.target);
    CHECK(to_text(mesh, AxisList{found->wanted}) == row.wanted);
    CHECK((found->kept ? to_text(mesh, AxisList{*found->kept}) : "") == row.kept);
    CHECK_FALSE(to_string(found->reason).empty());
  }
}

TEST_CASE("the log names the factor that holds a requested axis", "[propagation][log]") {
  const Run run("A: 8x8 [{a},{?}]\nB: 8x8 [{?},{a}]\nC: 8x8\nC = dot A B", kBasic);
  REQUIRE(run.log.node_conflicts().size() == 1);
  const std::vector<Conflict>& conflicts = run.log.node_conflicts()[0].conflicts;
  REQUIRE(conflicts.size() == 2);
  // i wants a in C, but B has it on j; j wants a, but A has it on i.
  CHECK(conflicts[0].factor == 0);
  CHECK(conflicts[0].tensor == 1);
  CHECK(conflicts[0].other_factor == 1);
  CHECK(conflicts[1].factor == 1);
  CHECK(conflicts[1].tensor == 0);
  CHECK(conflicts[1].other_factor == 0);
}

TEST_CASE("the log keeps only the last conflicts of a node", "[propagation][log]") {
  const Run run("A: 8x8 [{a},{?}]\nB: 8x8 [{?},{a}]\nC: 8x8\nC = dot A B",
                {.algorithm = Algorithm::OpPriority, .strategy = Strategy::Basic});
  REQUIRE(run.log.node_conflicts().size() == 1);
  CHECK(run.log.node_conflicts()[0].sweep.level == kLastLevel);
  CHECK(run.log.sweeps().size() == 5);
}

TEST_CASE("the log numbers steps from the number of the caller", "[propagation][log]") {
  Program program = parse_program("x: 8 [{a}]\nr: 8\nr = sine x");
  DecisionLog log(17);
  REQUIRE(propagate(program.problem, kBasic, log));
  REQUIRE(log.steps().size() == 1);
  CHECK(log.steps()[0].number == 17);
}

}  // namespace shardy::propagation::testing::log_test
