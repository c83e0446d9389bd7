// Uses of a problem besides one propagation: tags, edits and another run, explanations of slots,
// limits.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "propagation/program.hpp"
#include "propagation/random_problem.hpp"
#include "shardy/propagation/log.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::embedder_test {
namespace {

using testing::make_mesh;
using testing::parse_program;
using testing::parse_sharding;
using testing::Program;

/// Shardings of all slots, in order of their names.
std::string state(const Program& program) {
  std::string text;
  for (const auto& [name, slot] : program.slots) {
    text += name + "=" + testing::to_text(program.problem.sharding(slot)) + " ";
  }
  return text;
}

std::string run(Program& program) {
  REQUIRE(propagate(program.problem));
  return state(program);
}

}  // namespace

TEST_CASE("a problem can be reset and propagated again", "[propagation][reset]") {
  Program program = parse_program(R"(
    mesh a=2 b=4
    x: 8x8 [{a,?},{?}]
    y: 8x8
    z: 8x8 shares y
    y = add x x)");
  const std::string before = state(program);
  const std::string after = run(program);
  REQUIRE(after != before);
  program.problem.reset();
  CHECK(state(program) == before);
  CHECK(run(program) == after);

  const Mesh mesh = make_mesh("a=2 b=4");
  program.problem.reset();
  REQUIRE(
      program.problem.edit_sharding(program.slots.at("x"), parse_sharding(mesh, "[{?},{b,?}]")));
  CHECK(run(program) == "x=[{?},{b,?}] y=[{?},{b,?}] z=[{?},{b,?}] ");
  program.problem.reset();
  CHECK(state(program) == "x=[{?},{b,?}] y=- z=- ");
  // An edit of a slot that shares its storage is one of the storage.
  REQUIRE(program.problem.edit_sharding(program.slots.at("z"), parse_sharding(mesh, "[{a},{}]")));
  REQUIRE(program.problem.edit_sharding(program.slots.at("x"), std::nullopt));
  program.problem.reset();
  CHECK(state(program) == "x=- y=[{a},{}] z=[{a},{}] ");
  CHECK_FALSE(program.problem.edit_sharding(SlotId(99), std::nullopt));
  CHECK_FALSE(program.problem.edit_sharding(program.slots.at("x"), parse_sharding(mesh, "[{a}]")));
  // Shardings of set_sharding are not restored.
  REQUIRE(program.problem.set_sharding(program.slots.at("x"), parse_sharding(mesh, "[{b},{}]")));
  program.problem.reset();
  CHECK(state(program) == "x=- y=[{a},{}] z=[{a},{}] ");
}

TEST_CASE("propagation after reset gives the result of a new problem",
          "[propagation][reset][random]") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Problem problem = testing::random_problem(seed).problem;
    Problem fresh = problem;
    REQUIRE(propagate(problem));
    problem.reset();
    for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
      REQUIRE(problem.sharding(SlotId(slot)) == fresh.sharding(SlotId(slot)));
    }
    REQUIRE(propagate(problem));
    REQUIRE(propagate(fresh));
    for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
      CHECK(problem.sharding(SlotId(slot)) == fresh.sharding(SlotId(slot)));
    }
  }
}

TEST_CASE("slots and nodes keep the tags that the caller sets", "[propagation][tags]") {
  ProblemBuilder builder;
  const SlotId plain = builder.add_slot({.shape = {4}}).value();
  const SlotId tagged = builder.add_slot({.shape = {4}, .tag = 1U << 20U}).value();
  const SlotId last = builder.add_slot({.shape = {4}}).value();
  const RuleId rule =
      builder.add_rule(OpShardingRule::identity(std::vector<int64_t>{4}, 1, 1)).value();
  const NodeId first =
      builder.add_node({.rule = rule, .operands = {{plain}}, .results = {{tagged}}, .tag = 7})
          .value();
  const NodeId second =
      builder.add_node({.rule = rule, .operands = {{tagged}}, .results = {{last}}}).value();
  const Problem problem = std::move(builder).build().value();
  CHECK(problem.tag(plain) == 0);
  CHECK(problem.tag(tagged) == 1U << 20U);
  CHECK(problem.tag(last) == 0);
  CHECK(problem.tag(first) == 7);
  CHECK(problem.tag(second) == 0);
}

TEST_CASE("the steps recorded for a slot trace its axes to annotations", "[propagation][explain]") {
  Program program = parse_program(R"(
    mesh a=2 b=4
    x: 8x8 [{a,?},{?}]
    y: 8x8
    z: 8x8
    g: 8x8
    w: 8x8 [{?},{b,?}p1]
    unrelated: 8x8 [{b,?},{?}]
    other: 8x8
    y = add x x
    z = add y w
    other = add unrelated unrelated
    group z g)");
  DecisionLog log;
  REQUIRE(propagate(program.problem, {}, log));
  std::map<SlotId, std::string> names;
  for (const auto& [name, slot] : program.slots) names[slot] = name;
  const ExplainNames shown{.slot = [&](SlotId slot) { return names.at(slot); },
                           .node = [&](NodeId node) { return program.name_of(node); }};
  const auto text = [&](const std::string& name) {
    return explanation_text(program.problem, log, program.slots.at(name), shown);
  };
  CHECK(text("z") ==
        "step 0: \"a\" from x to y through y, priority 0\n"
        "step 1: \"a\" from y to z through z, priority 0\n"
        "step 3: \"b\" from w to z through z, priority 1\n");
  CHECK(text("g").find("from z to g, of its group") != std::string::npos);
  CHECK(text("g").find("from x to y") != std::string::npos);
  CHECK(text("g").find("unrelated") == std::string::npos);
  CHECK(explain(program.problem, log, program.slots.at("unrelated")).empty());
  const std::string unnamed = explanation_text(program.problem, log, program.slots.at("y"));
  CHECK(unnamed.find("from slot 0 to slot 1 through node 0") != std::string::npos);
}

TEST_CASE("the conflicts of a log name the op, the axis and the tensor with the obstacle",
          "[propagation][explain]") {
  Program program = parse_program(R"(
    mesh a=2 b=4
    x: 8x8 [{a},{?}]
    w: 8x8 [{?},{a}]
    c: 8x8
    y: 8x8
    c = add x x
    y = dot x w)");
  DecisionLog log;
  REQUIRE(propagate(program.problem, {}, log));
  std::map<SlotId, std::string> names;
  for (const auto& [name, slot] : program.slots) names[slot] = name;
  const ExplainNames shown{.slot = [&](SlotId slot) { return names.at(slot); },
                           .node = [&](NodeId node) { return program.name_of(node); }};
  CHECK(conflicts_text(program.problem, log, shown) ==
        "at y: \"a\" is not propagated because of y: other factor\n");
  CHECK(conflicts_text(program.problem, log) ==
        "at node 1: \"a\" is not propagated because of slot 3: other factor\n");
  CHECK(conflicts_text(program.problem, DecisionLog()).empty());
}

TEST_CASE("add_op adds a node with a rule and slots without views", "[propagation][problem]") {
  const OpShardingRule rule =
      testing::parse_rule("([i,k],[k,j])->([i,j]) {i=4,j=8,k=2} reduction={k}");
  ProblemBuilder builder;
  const std::vector<SlotId> operands = {builder.add_slot({.shape = {4, 2}}).value(),
                                        builder.add_slot({.shape = {2, 8}}).value()};
  const std::vector<SlotId> results = {builder.add_slot({.shape = {4, 8}}).value()};
  const NodeSpec rest{.operands = {{results[0]}}, .direction = Direction::Forward, .tag = 5};
  const NodeId node = builder.add_op(rule, operands, results, rest).value();
  CHECK(builder.add_rule(rule).value() == RuleId(0));
  CHECK(builder.add_op(rule, operands, operands).error().message ==
        "node 1: number of results and mappings must match: 2 != 1");
  CHECK_FALSE(builder.add_op(rule, std::vector{SlotId(9), operands[1]}, results));
  const Problem problem = std::move(builder).build().value();
  REQUIRE(problem.num_nodes() == 1);
  CHECK(problem.tag(node) == 5);
  CHECK(problem.node(node).direction == Direction::Forward);
  REQUIRE(problem.operands(node).size() == 2);
  for (std::size_t index = 0; index < 2; ++index) {
    CHECK(problem.operands(node)[index].slot == operands[index]);
    CHECK_FALSE(problem.operands(node)[index].view.valid());
  }
  CHECK(problem.results(node)[0].slot == results[0]);
}

TEST_CASE("explanations cover all axes that propagation added", "[propagation][explain][random]") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Problem problem = testing::random_problem(seed).problem;
    const Problem before = problem;
    DecisionLog log;
    REQUIRE(propagate(problem, {}, log));
    for (uint32_t index = 0; index < problem.num_slots(); ++index) {
      const SlotId slot(index);
      const auto& now = problem.sharding(slot);
      if (!now || !problem.slot(slot).storage.valid()) continue;
      const std::vector<SlotStep> steps = explain(problem, log, slot);
      for (const DimSharding& dim : now->dims()) {
        for (const AxisRef& axis : dim.axes) {
          const auto& was = before.sharding(slot);
          const bool had =
              was && was->any_axis([&](const AxisRef& ref) { return overlaps(ref, axis); });
          const bool came = std::ranges::any_of(steps, [&](const SlotStep& step) {
            return problem.slot(step.target).storage == problem.slot(slot).storage &&
                   overlaps(step.axis, axis);
          });
          // A group may be synchronised before the first step.
          if (!problem.slot(slot).group.valid()) CHECK((had || came));
        }
      }
    }
  }
}

TEST_CASE("limits end propagation and keep the shardings found before", "[propagation][limits]") {
  const auto refused = [](const PropagationLimits& limits) {
    Program program = parse_program(R"(
      mesh a=2 b=4
      x: 8x8 [{a,?},{?}]
      y: 8x8
      y = add x x)");
    const std::string before = state(program);
    const auto report = propagate(program.problem, {.limits = limits});
    if (!report) CHECK(state(program) == before);
    return shardy_test::message_of(report);
  };
  std::atomic<bool> stopped = false;
  CHECK(refused({.cancel = &stopped}) == "(no error)");
  stopped = true;
  CHECK(refused({.cancel = &stopped}) == "E_CANCELLED: propagation was cancelled");
  CHECK(refused({.deadline_ns = steady_time_ns()}) ==
        "E_DEADLINE: propagation did not end before its deadline");
  CHECK(refused({.deadline_ns = steady_time_ns(3600)}) == "(no error)");
  CHECK(refused({.max_bytes = 10}) ==
        "E_MEMORY_LIMIT: propagation needs more than 10 bytes; the limit is max_bytes");
  CHECK(refused({.max_bytes = 1 << 20}) == "(no error)");
}

namespace {

/// Requests a stop at its third step.
class StopAtThird : public StepObserver {
 public:
  explicit StopAtThird(std::atomic<bool>& stopped) : stopped_(stopped) {}
  void on_step(const StepEvent& /*step*/) override {
    if (++steps == 3) stopped_ = true;
  }

  int steps = 0;

 private:
  std::atomic<bool>& stopped_;
};

}  // namespace

TEST_CASE("propagation can be cancelled between two steps", "[propagation][limits]") {
  std::string text = "mesh a=2\nv0: 8 [{a}]\n";
  for (int value = 1; value < 20; ++value) text += "v" + std::to_string(value) + ": 8\n";
  for (int value = 1; value < 20; ++value) {
    text += "v" + std::to_string(value) + " = add v" + std::to_string(value - 1) + " v" +
            std::to_string(value - 1) + "\n";
  }
  Program program = parse_program(text);
  const std::string before = state(program);
  std::atomic<bool> stopped = false;
  StopAtThird observer(stopped);
  const auto report = propagate(program.problem, {.limits = {.cancel = &stopped}}, observer);
  CHECK(shardy_test::message_of(report) == "E_CANCELLED: propagation was cancelled");
  CHECK(observer.steps == 3);
  CHECK(state(program) == before);
}

}  // namespace shardy::propagation::embedder_test
