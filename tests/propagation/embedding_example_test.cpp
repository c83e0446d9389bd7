// The code of docs/embedding.md on loops and on the answer, run.

#include <shardy/propagation/log.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::embedding_example_test {
namespace {

// [loop]
/// A loop with one carried value of `shape`: initial value, body argument, yielded value.
struct Loop {
  SlotId init;
  SlotId body_argument;
  SlotId yielded;
  SlotId result;
};

/// All targets of the loop, its result and the argument of its body, share one stored sharding; an
/// edge relates it to the sources.
Result<Loop> add_loop(ProblemBuilder& builder, SlotId init, const std::vector<int64_t>& shape) {
  Loop loop{.init = init, .body_argument = {}, .yielded = {}, .result = {}};
  SHARDY_TRY(loop.result, builder.add_slot({.shape = shape}));
  SHARDY_TRY(loop.body_argument, builder.add_slot({.shape = shape, .shares = loop.result}));
  SHARDY_TRY(loop.yielded, builder.add_slot({.shape = shape}));
  return loop;
}

/// Adds the edge after the nodes of the body, as in program order.
Result<NodeId> close_loop(ProblemBuilder& builder, const Loop& loop) {
  return builder.add_edge({{loop.init}, {loop.yielded}}, {loop.result});
}
// [loop]

// [answer]
/// The result of a propagation: shardings, dead ops, groups whose members differ.
struct Answer {
  std::vector<std::optional<TensorSharding>> shardings;  // by slot
  std::vector<NodeId> dead;
  std::vector<std::string> conflicts;
};

Result<Answer> solve(Problem& problem) {
  Answer answer;
  DecisionLog log;
  SHARDY_TRY(ProblemReport report, propagate(problem, {}, log));
  for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
    answer.shardings.push_back(problem.sharding(SlotId(slot)));
  }
  answer.dead = std::move(report.erased);
  for (const GroupConflict& conflict : report.conflicts) {
    answer.conflicts.push_back("slots " + std::to_string(conflict.first.value) + " and " +
                               std::to_string(conflict.other.value) + " of a group differ");
  }
  // The log has every step: the node, the axes, source and target tensors, and conflicts.
  for (const NodeConflicts& node : log.node_conflicts()) {
    for (const Conflict& conflict : node.conflicts) {
      answer.conflicts.push_back("node " + std::to_string(node.node.value) + ": " +
                                 std::string(to_string(conflict.reason)));
    }
  }
  return answer;
}
// [answer]

}  // namespace

TEST_CASE("the embedding example propagates through a loop and reports its shardings",
          "[propagation][embedding]") {
  const Mesh mesh = make_mesh("a=2 b=2");
  const std::vector<int64_t> shape = {8, 8};
  ProblemBuilder builder;
  const SlotId x =
      builder.add_slot({.shape = shape, .sharding = parse_sharding(mesh, "[{a,?},{?}]")}).value();
  const SlotId k =
      builder.add_slot({.shape = shape, .sharding = parse_sharding(mesh, "[{?},{b}]")}).value();
  const SlotId other =
      builder.add_slot({.shape = shape, .sharding = parse_sharding(mesh, "[{b},{}]")}).value();
  const RuleId binary = builder.add_rule(OpShardingRule::identity(shape, 2, 1)).value();
  const Loop loop = add_loop(builder, x, shape).value();
  const SlotId unused = builder.add_slot({.shape = shape}).value();
  REQUIRE(builder.add_node({.rule = binary,
                            .operands = {{loop.body_argument}, {k}},
                            .results = {{loop.yielded}},
                            .priority = PriorityClass::Pointwise,
                            .is_elementwise = true}));
  REQUIRE(close_loop(builder, loop));
  const NodeId dead = builder
                          .add_node({.rule = binary,
                                     .operands = {{loop.result}, {k}},
                                     .results = {{unused}},
                                     .is_removable = true})
                          .value();
  const NodeId clash =
      builder.add_node({.rule = binary, .operands = {{k}, {other}}, .results = {{k}}}).value();
  const std::vector<SlotId> group = {k, other};
  REQUIRE(builder.add_group(group));
  Problem problem = std::move(builder).build().value();

  const Answer answer = solve(problem).value();
  CHECK(to_text(answer.shardings[loop.result.index()]) == "[{a,?},{b,?}]");
  CHECK(to_text(answer.shardings[loop.body_argument.index()]) == "[{a,?},{b,?}]");
  CHECK(to_text(answer.shardings[loop.yielded.index()]) == "[{a,?},{b,?}]");
  CHECK(to_text(answer.shardings[x.index()]) == "[{a,?},{b,?}]");
  CHECK(answer.dead == std::vector<NodeId>{dead});
  REQUIRE(answer.conflicts.size() >= 2);
  CHECK(answer.conflicts[0] == "slots 1 and 2 of a group differ");
  CHECK(answer.conflicts[1].starts_with("node " + std::to_string(clash.value) + ": "));
}

}  // namespace shardy::propagation::testing::embedding_example_test
