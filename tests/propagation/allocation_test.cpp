// Steps that change nothing take no memory: what propagation needs for them it takes once.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/propagation/detail/slot_shardings.hpp"
#include "shardy/propagation/detail/step.hpp"
#include "shardy/propagation/detail/worklist.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/propagation/problem_builder.hpp"
#include "shardy/propagation/propagate.hpp"
#include "support/catch.hpp"
#include "support/counted_memory.hpp"

namespace shardy::propagation::allocation_test {
namespace {

/// A chain of `num_layers` layers h = tanh(h . w), of which the input and all w are sharded.
Problem chain(std::size_t num_layers) {
  const Mesh mesh = Mesh::make({{"a", 4}, {"b", 2}}).value();
  const std::vector<int64_t> shape = {8, 8};
  const auto sharded = [&](int32_t first, int32_t second) {
    return TensorSharding::make(
               mesh, "mesh",
               {{.axes = {mesh.full_axis(first)}}, {.axes = {mesh.full_axis(second)}}})
        .value();
  };
  OpShardingRule::Parts dot{.factor_sizes = {8, 8, 8},
                            .operand_mappings = {{{{0}, {2}}}, {{{2}, {1}}}},
                            .result_mappings = {{{{0}, {1}}}},
                            .reduction = {2}};
  ProblemBuilder builder;
  const RuleId dot_rule = builder.add_rule(OpShardingRule::make(std::move(dot)).value()).value();
  const RuleId unary = builder.add_rule(OpShardingRule::identity(shape, 1, 1)).value();
  SlotId last = builder.add_slot({.shape = shape, .sharding = sharded(0, 1)}).value();
  for (std::size_t layer = 0; layer < num_layers; ++layer) {
    const SlotId weight = builder.add_slot({.shape = shape, .sharding = sharded(1, 0)}).value();
    const SlotId product = builder.add_slot({.shape = shape}).value();
    const SlotId result = builder.add_slot({.shape = shape}).value();
    builder.add_node({.rule = dot_rule, .operands = {{last}, {weight}}, .results = {{product}}})
        .value();
    builder
        .add_node({.rule = unary,
                   .operands = {{product}},
                   .results = {{result}},
                   .priority = PriorityClass::Pointwise,
                   .is_elementwise = true})
        .value();
    last = result;
  }
  return std::move(builder).build().value();
}

/// Allocations of a run in which no step changes anything.
std::size_t allocations_of_idle_run(std::size_t num_layers, Algorithm algorithm) {
  Problem problem = chain(num_layers);
  const ProblemOptions options{.algorithm = algorithm};
  REQUIRE(propagate(problem, options));
  const std::size_t before = shardy_test::counted_memory().num_allocations;
  const Result<ProblemReport> report = propagate(problem, options);
  const std::size_t after = shardy_test::counted_memory().num_allocations;
  REQUIRE(report);
  CHECK(report->num_updates == 0);
  CHECK(report->num_steps >= static_cast<int64_t>(2 * num_layers));
  return after - before;
}

TEST_CASE("propagation steps without changes allocate no memory", "[propagation][allocation]") {
  for (const Algorithm algorithm : {Algorithm::Basic, Algorithm::Aggressive}) {
    CAPTURE(static_cast<int>(algorithm));
    const std::size_t small = allocations_of_idle_run(1000, algorithm);
    const std::size_t large = allocations_of_idle_run(8000, algorithm);
    // 14,000 steps more; what grows with the problem are a few arrays, each allocated once.
    CHECK(large <= small + 32);
  }
}

/// Pairs of a value and its sine. Each value is sharded in a way of its own, along two dims.
Problem distinct_pairs(std::size_t num_pairs) {
  std::vector<MeshAxis> mesh_axes;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
    mesh_axes.push_back({name, 2});
  }
  const Mesh mesh = Mesh::make(std::move(mesh_axes)).value();
  const std::vector<int64_t> shape = {4096, 4096};
  ProblemBuilder builder;
  const RuleId rule = builder.add_rule(OpShardingRule::identity(shape, 1, 1)).value();
  for (std::size_t pair = 0; pair < num_pairs; ++pair) {
    std::vector<DimSharding> dims(2, {.axes = {}, .is_closed = true});  // unlike inferred ones
    for (int32_t axis = 0; axis < mesh.num_axes(); ++axis) {
      dims[(pair >> axis) % 2].axes.push_back(mesh.full_axis(axis));
    }
    const TensorSharding sharding = TensorSharding::make(mesh, "mesh", std::move(dims)).value();
    const SlotId value = builder.add_slot({.shape = shape, .sharding = sharding}).value();
    const SlotId sine = builder.add_slot({.shape = shape}).value();
    builder.add_node({.rule = rule, .operands = {{value}}, .results = {{sine}}}).value();
  }
  return std::move(builder).build().value();
}

TEST_CASE("propagation steps that store new shardings do not allocate for each sharding",
          "[propagation][allocation]") {
  constexpr std::size_t kPairs = 4096;
  const Problem problem = distinct_pairs(kPairs);
  for (const FactorStrategy strategy : {FactorStrategy::Basic, FactorStrategy::Aggressive}) {
    SlotShardings shardings(problem);
    StepRunner<detail::NoObserver> runner(problem.tables(), shardings);
    detail::NoObserver nobody;
    const std::vector<Direction> directions(2, Direction::Both);
    std::size_t num_updates = 0;
    const std::size_t before = shardy_test::counted_memory().num_allocations;
    for (uint32_t node = 0; node < problem.num_nodes(); ++node) {
      num_updates += runner.run(NodeId(node), strategy, directions, nobody) ? 1 : 0;
    }
    const std::size_t taken = shardy_test::counted_memory().num_allocations - before;
    CHECK(num_updates == kPairs);
    std::set<uint32_t> distinct;
    for (uint32_t slot = 0; slot < problem.num_slots(); ++slot) {
      distinct.insert(shardings.at(SlotId(slot)).value);
    }
    CHECK(distinct.size() == 2 * kPairs);
    // The few arrays of the runner, of the memo and of the table, some of which double now and
    // then.
    CHECK(taken <= 128);
  }
}

/// A module of about `num_ops` ops: layers of a dot with a weight and an elementwise op.
ir::Module module_of(std::size_t num_ops) {
  const Mesh mesh = Mesh::make({{"a", 4}, {"b", 2}}).value();
  const ir::Type type = ir::Type::tensor({8, 8}, ir::ElementType::F32);
  ir::Module module;
  module.add_mesh("mesh", mesh);
  const ir::OpId main = module.add_function("main", std::vector<ir::Type>(2, type), {type});
  const ir::BlockId entry = module.entry(main);
  for (const std::size_t arg : {0U, 1U}) {
    ir::set_arg_sharding(
        module, main, arg,
        TensorSharding::make(mesh, "mesh", {{.axes = {mesh.full_axis(arg == 0 ? 0 : 1)}}, {}})
            .value());
  }
  ir::Builder builder(module, entry);
  const ir::ValueId weight = module.args(entry)[1];
  ir::ValueId last = module.args(entry)[0];
  for (std::size_t op = 0; op < num_ops; op += 2) {
    last = builder.create_value(ir::OpKind::Dot, {last, weight}, type);
    last = builder.create_value(ir::OpKind::Tanh, {last}, type);
  }
  builder.create({.kind = ir::OpKind::FuncReturn, .operands = {last}});
  return module;
}

TEST_CASE("propagating a large module takes at most 300 bytes per value",
          "[propagation][allocation]") {
  ir::Module module = module_of(100000);
  shardy_test::CountedMemory& memory = shardy_test::counted_memory();
  const std::size_t before = memory.live_bytes;
  memory.peak_bytes = before;
  const Result<PropagationReport> report = propagate(module, PropagationOptions());
  REQUIRE(report);
  CHECK(report->num_updates > 90000);
  // All that is taken meanwhile: the problem, the propagator's own memory, and the new shardings,
  // which stay with the module.
  const std::size_t peak = (memory.peak_bytes - before) / module.num_values();
  const std::size_t kept = (memory.live_bytes - before) / module.num_values();
  CAPTURE(kept);
  CHECK(peak <= 300);
  CHECK(kept <= 80);
}

}  // namespace
}  // namespace shardy::propagation::allocation_test
