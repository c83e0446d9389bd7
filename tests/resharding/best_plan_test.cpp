#include <cstdint>
#include <map>
#include <numeric>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>
#include <vector>

#include "resharding/cheapest_paths.hpp"
#include "resharding/check_plan.hpp"
#include "resharding/plan_cost.hpp"
#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::best_plan_test {
namespace {

using Shape = std::vector<int64_t>;

BestPlan best_plan(const Shape& shape, const TensorSharding& from, const TensorSharding& to,
                   const BestPlanOptions& options = {}) {
  return plan_best_reshard({.shape = shape}, from, to, BoundAxes::none(), options).value();
}

struct Row {
  Shape sizes;
  Shape shape;
  int64_t pairs;
  int64_t without;  // averages in hundredths of elements: without reordering all_to_alls,
  int64_t with;     // with them,
  int64_t bound;    // and what no plan can be below
};

/// In hundredths, rounded.
int64_t average(int64_t total, int64_t pairs) { return (200 * total + pairs) / (2 * pairs); }

// Spec: resharding C.5: the columns "optimum E1-E4", "with E8", "bound h avg", "meet h".
TEST_CASE("best plans have the cost of the optimum over all pairs of shardings",
          "[resharding][best][law]") {
  const std::vector<Row> rows = {
      {{2, 2}, {8, 8}, 110, 1731, 1716, 1658},         {{2, 2, 2}, {8, 8}, 2352, 1381, 1327, 1244},
      {{4, 2}, {8, 8, 8}, 11130, 10446, 10084, 8927},  {{2, 3}, {12, 12}, 110, 3578, 3549, 3324},
      {{2, 3, 2}, {24, 24}, 2352, 10482, 10115, 9173},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sizes);
    const Mesh mesh = make_mesh(row.sizes);
    const std::vector<AxisRef> atoms = paths::prime_atoms(mesh);
    Shape sizes;
    for (const AxisRef& atom : atoms) sizes.push_back(atom.size);
    const std::vector<TensorSharding> all = all_shardings(mesh, row.shape.size());
    int64_t pairs = 0;
    int64_t total = 0;
    int64_t cheapest_without = 0;
    int64_t bound = 0;
    for (const TensorSharding& from : all) {
      const auto plain =
          paths::Paths(row.shape, sizes, {.reorders = false}).from(paths::state_of(from, atoms));
      const auto cheapest = paths::Paths(row.shape, sizes).from(paths::state_of(from, atoms));
      for (const TensorSharding& to : all) {
        const paths::State end = paths::state_of(to, atoms);
        const BestPlan plan = best_plan(row.shape, from, to);
        const StepCost cost = plan_cost({.shape = row.shape}, from, plan.steps);
        const int64_t least = least_bytes({.shape = row.shape}, from, to);
        CAPTURE(to_string(from), to_string(to), step_texts(plan.steps));
        REQUIRE(plan.is_proven);
        REQUIRE(paths::Cost(cost.bytes, cost.messages) == cheapest.at(end));
        REQUIRE(cost.bytes == testing::plan_cost(row.shape, from, plan.steps).elements_sent);
        REQUIRE(least <= cost.bytes);
        pairs += from == to ? 0 : 1;
        total += cost.bytes;
        cheapest_without += plain.at(end).first;
        bound += least;
      }
    }
    CHECK(pairs == row.pairs);
    CHECK(average(cheapest_without, pairs) == row.without);
    CHECK(average(total, pairs) == row.with);
    CHECK(average(bound, pairs) == row.bound);
  }
}

void check_all_pairs(const Shape& shape, const std::vector<TensorSharding>& sources,
                     const std::vector<TensorSharding>& targets,
                     const BestPlanOptions& options = {}) {
  for (const TensorSharding& from : sources) {
    for (const TensorSharding& to : targets) {
      const std::string problem = check_best_plan(shape, from, to, options);
      if (problem.empty()) continue;
      FAIL_CHECK(to_string(from.mesh())
                 << " " << to_string(from) << " -> " << to_string(to) << ": " << problem);
    }
  }
}

/// Seconds of the plan of the reference and of the best one.
std::pair<double, double> seconds(const TensorSize& tensor, const TensorSharding& from,
                                  const TensorSharding& to, const BestPlanOptions& options) {
  const ReshardComparison both =
      compare_reshards(tensor, from, to, BoundAxes::none(), options).value();
  return {both.reference_cost.seconds, both.best_cost.seconds};
}

TEST_CASE("best plans are legal and move every element to its target device",
          "[resharding][best][law]") {
  for (const Shape& sizes :
       {Shape{1}, Shape{2}, Shape{3}, Shape{4}, Shape{6}, Shape{8}, Shape{1, 2}, Shape{2, 2},
        Shape{2, 3}, Shape{3, 2}, Shape{2, 4}, Shape{4, 2}, Shape{2, 2, 2}, Shape{2, 3, 2}}) {
    const Mesh mesh = make_mesh(sizes);
    const int64_t devices = mesh.num_devices();
    for (const Shape& shape : {Shape{devices}, Shape{devices, devices}}) {
      const std::vector<TensorSharding> all = all_shardings(mesh, shape.size());
      check_all_pairs(shape, all, all);
    }
  }
  const std::vector<TensorSharding> cubes = all_shardings(make_mesh({2, 3}), 3);
  check_all_pairs({6, 6, 6}, cubes, cubes);
}

TEST_CASE("best plans between blocks that do not nest are correct", "[resharding][best][law]") {
  for (const Shape& sizes : {Shape{8}, Shape{2, 4}, Shape{2, 2, 2}, Shape{2, 6}, Shape{2, 3}}) {
    const std::vector<TensorSharding> all = all_shardings(make_mesh(sizes), 2);
    for (const Shape& shape : {Shape{8, 2}, Shape{2, 8}, Shape{5, 7}, Shape{0, 1}, Shape{9, 9}}) {
      check_all_pairs(shape, all, all);
    }
  }
}

TEST_CASE("best plans between device orders are correct", "[resharding][best][law]") {
  for (const Shape& sizes : {Shape{4}, Shape{2, 2}, Shape{3}, Shape{1, 3}}) {
    const Mesh mesh = make_mesh(sizes);
    const std::vector<TensorSharding> sources = all_partial_shardings(mesh, 1);
    Shape order(static_cast<std::size_t>(mesh.num_devices()));
    std::iota(order.begin(), order.end(), 0);
    while (std::next_permutation(order.begin(), order.end())) {
      const Mesh reordered = make_mesh(sizes, order);
      std::vector<TensorSharding> targets = all_partial_shardings(reordered, 1);
      for (TensorSharding& to : targets) to = to.with_mesh({reordered, "n"});
      check_all_pairs({mesh.num_devices()}, sources, targets);
    }
  }
}

TEST_CASE("best plans between unreduced shardings are correct", "[resharding][best][law]") {
  for (const Shape& sizes : {Shape{4}, Shape{6}, Shape{8}, Shape{1, 2}, Shape{2, 2}, Shape{2, 3},
                             Shape{2, 4}, Shape{2, 2, 2}}) {
    const Mesh mesh = make_mesh(sizes);
    const std::vector<TensorSharding> all = all_partial_shardings(mesh, 1);
    check_all_pairs({mesh.num_devices()}, all, all);
  }
  const std::vector<TensorSharding> all = all_partial_shardings(make_mesh({2, 3}), 2);
  check_all_pairs({6, 6}, all, all);
}

TEST_CASE("best plans keep or reduce partial maxima", "[resharding][best][law]") {
  const std::vector<TensorSharding> all = all_partial_shardings(make_mesh({2, 2, 2}), 1);
  for (const TensorSharding& sum : all) {
    const TensorSharding from = sum.with_unreduced(sum.unreduced_axes(), ReductionOp::Max);
    for (const TensorSharding& end : all) {
      if (!set_difference(end.unreduced_axes(), from.unreduced_axes()).empty()) continue;
      const TensorSharding to = end.with_unreduced(end.unreduced_axes(), ReductionOp::Max);
      CAPTURE(to_string(from), to_string(to));
      REQUIRE(check_best_plan({8}, from, to) == "");
    }
  }
}

TEST_CASE("best plans reduce partial sums at the least cost", "[resharding][best][law]") {
  for (const Shape& sizes : {Shape{2, 2}, Shape{2, 3}, Shape{2, 2, 2}}) {
    const Mesh mesh = make_mesh(sizes);
    const std::vector<AxisRef> atoms = paths::prime_atoms(mesh);
    const int64_t devices = mesh.num_devices();
    for (const Shape& shape : {Shape{devices}, Shape{devices, devices}}) {
      const std::vector<TensorSharding> all = all_partial_shardings(mesh, shape.size());
      for (const TensorSharding& from : all) {
        const auto cheapest = paths::Paths(shape, sizes).from(paths::state_of(from, atoms));
        for (const TensorSharding& to : all) {
          if (!set_difference(to.unreduced_axes(), from.unreduced_axes()).empty()) continue;
          const BestPlan plan = best_plan(shape, from, to);
          const StepCost cost = plan_cost({.shape = shape}, from, plan.steps);
          CAPTURE(to_string(from), to_string(to), step_texts(plan.steps));
          REQUIRE(paths::Cost(cost.bytes, cost.messages) ==
                  cheapest.at(paths::state_of(to, atoms)));
          REQUIRE(least_bytes({.shape = shape}, from, to) <= cost.bytes);
        }
      }
    }
  }
}

// Spec: resharding C.6, the column "better".
TEST_CASE("best plans reach the lower cost where the reference is not optimal",
          "[resharding][best]") {
  struct Case {
    std::vector<MeshAxis> axes;
    Shape shape;
    std::string from;
    std::string to;
    int64_t bytes;
  };
  const std::vector<MeshAxis> square = {{"x", 2}, {"y", 2}};
  const std::vector<MeshAxis> mixed = {{"x", 2}, {"y", 3}, {"z", 2}};
  const std::vector<MeshAxis> large = {{"a", 2}, {"b", 4}, {"c", 2}};
  const std::vector<Case> rows = {
      {square, {8, 8}, R"(<@m, [{"x", "y"}, {}]>)", R"(<@m, [{}, {"y", "x"}]>)", 12},
      {square, {8, 8}, R"(<@m, [{"x", "y"}, {}]>)", R"(<@m, [{}, {"x"}]>)", 28},
      {large, {16, 16}, R"(<@m, [{"a"}, {"b"}]>)", R"(<@m, [{"b"}, {"a"}]>)", 32},
      {large, {16, 4}, R"(<@m, [{}, {"a"}]>)", R"(<@m, [{"a", "b"}, {}]>)", 8},
      {mixed, {24, 24}, R"(<@m, [{"x"}, {"y"}]>)", R"(<@m, [{"y", "z"}, {}]>)", 116},
      {mixed, {24, 24}, R"(<@m, [{}, {"x", "y"}]>)", R"(<@m, [{"y", "x", "z"}, {}]>)", 44},
      {{{"x", 2}, {"y", 3}}, {12, 12}, R"(<@m, [{}, {"y"}]>)", R"(<@m, [{"y"}, {"x"}]>)", 32},
      {large, {16, 16}, R"(<@m, [{}, {}]>)", R"(<@n, [{"a"}, {"b"}]>)", 0},
      {square, {8, 8}, R"(<@m, [{}, {}], unreduced={"x", "y"}>)", R"(<@m, [{"x"}, {}]>)", 64},
  };
  for (const Case& row : rows) {
    CAPTURE(row.from, row.to);
    const MeshTable table = mesh_and_reverse(row.axes);
    const TensorSharding from = read_sharding(table, row.from);
    const TensorSharding to = read_sharding(table, row.to);
    const BestPlan plan = best_plan(row.shape, from, to);
    CHECK(plan.is_proven);
    CHECK(plan_cost({.shape = row.shape}, from, plan.steps).bytes == row.bytes);
    CHECK(check_best_plan(row.shape, from, to) == "");
  }
}

// Spec: resharding C.6, row 10.
TEST_CASE("best plans of small tensors take few steps if messages have latency",
          "[resharding][best]") {
  const MeshTable table = mesh_and_reverse({{"x", 2}, {"y", 2}});
  const TensorSharding from = read_sharding(table, R"(<@m, [{"x", "y"}, {}]>)");
  const TensorSharding to = read_sharding(table, R"(<@m, [{}, {"x"}]>)");
  const BestPlanOptions slow{.model = {.other = {.latency_seconds = 1e-6}, .axes = {}}};
  const Shape small = {8, 8};
  CHECK(step_texts(best_plan(small, from, to, slow).steps) ==
        std::vector<std::string>{R"(sdy.all_gather [{"x", "y"}, {}] out_sharding=<@m, [{}, {}]>)",
                                 R"(sdy.all_slice [{}, {"x"}] out_sharding=<@m, [{}, {"x"}]>)"});
  const Shape large = {8192, 8192};
  CHECK(step_texts(best_plan(large, from, to, slow).steps) ==
        std::vector<std::string>{
            R"(sdy.all_to_all [{"x", "y"}: 0->1] out_sharding=<@m, [{}, {"x", "y"}]>)",
            R"(sdy.all_gather [{}, {"y"}] out_sharding=<@m, [{}, {"x"}]>)"});
}

TEST_CASE("best plans keep a memory limit, or report that no plan does",
          "[resharding][best][law]") {
  for (const Shape& sizes : {Shape{2, 2}, Shape{2, 3}, Shape{2, 2, 2}}) {
    const Mesh mesh = make_mesh(sizes);
    const int64_t devices = mesh.num_devices();
    const Shape shape = {devices, devices};
    const std::vector<TensorSharding> all = all_shardings(mesh, 2);
    for (const TensorSharding& from : all) {
      for (const TensorSharding& to : all) {
        if (from == to) continue;
        const int64_t ends = std::max(local_elements(shape, from), local_elements(shape, to));
        const BestPlanOptions options{.model = {}, .max_live_bytes = 2 * ends};
        CAPTURE(to_string(from), to_string(to));
        const auto plan = plan_best_reshard({.shape = shape}, from, to, BoundAxes::none(), options);
        REQUIRE(plan.has_value());
        REQUIRE(plan_cost({.shape = shape}, from, plan->steps).live_bytes <= 2 * ends);
        const BestPlanOptions none{.model = {}, .max_live_bytes = ends};
        const auto refused = plan_best_reshard({.shape = shape}, from, to, BoundAxes::none(), none);
        REQUIRE_FALSE(refused.has_value());
        REQUIRE(refused.error().message ==
                "no plan holds at most " + std::to_string(ends) + " bytes on a device");
      }
    }
  }
}

TEST_CASE("best plans are correct and never slower for all kinds of links",
          "[resharding][best][law]") {
  for (const Topology topology :
       {Topology::Ring, Topology::BidirectionalRing, Topology::Line, Topology::Full}) {
    const CostModel model{.other = {.topology = topology, .latency_seconds = 1e-9},
                          .axes = {{"a", {.topology = topology, .bytes_per_second = 25e9}}}};
    for (const Shape& sizes : {Shape{4}, Shape{6}, Shape{2, 2}, Shape{2, 3}}) {
      const Mesh mesh = make_mesh(sizes);
      const Shape shape = {mesh.num_devices(), mesh.num_devices()};
      const std::vector<TensorSharding> all = all_shardings(mesh, 2);
      check_all_pairs(shape, all, all, {.model = model});
      for (const TensorSharding& from : all) {
        for (const TensorSharding& to : all) {
          const auto [reference, best] = seconds({.shape = shape}, from, to, {.model = model});
          const double least =
              compare_reshards({.shape = shape}, from, to, BoundAxes::none(), {.model = model})
                  ->least_seconds;
          CAPTURE(to_string(topology), to_string(from), to_string(to));
          REQUIRE(best <= reference * (1 + 1e-9));
          REQUIRE(least <= best * (1 + 1e-9));
        }
      }
    }
  }
}

// Spec: resharding C.5, item 4.
TEST_CASE("an unused mesh axis never increases the cost of a plan", "[resharding][best][law]") {
  const Mesh mesh = make_mesh({2, 2});
  const Mesh wide = make_mesh({2, 2, 2});
  const Shape shape = {8, 8};
  for (const TensorSharding& from : all_shardings(mesh, 2)) {
    for (const TensorSharding& to : all_shardings(mesh, 2)) {
      const auto bytes = [&](const Mesh& on) {
        const TensorSharding start = from.with_mesh({on, "m"});
        const BestPlan plan = best_plan(shape, start, to.with_mesh({on, "m"}));
        return plan_cost({.shape = shape}, start, plan.steps).bytes;
      };
      CAPTURE(to_string(from), to_string(to));
      REQUIRE(bytes(wide) <= bytes(mesh));
    }
  }
}

/// The sharding on a mesh with one more axis in front.
TensorSharding after_axis(const TensorSharding& sharding, const Mesh& mesh) {
  const auto shifted = [](AxisList axes) {
    for (AxisRef& axis : axes) ++axis.axis;
    return axes;
  };
  std::vector<DimSharding> dims(sharding.dims().begin(), sharding.dims().end());
  for (DimSharding& dim : dims) dim.axes = shifted(dim.axes);
  return TensorSharding::make(mesh, "m", std::move(dims), {}, shifted(sharding.unreduced_axes()))
      .value();
}

// The oracle is the mesh without the axis. Spec: resharding C.9.
TEST_CASE("plans with a bound axis equal plans on the mesh without the axis",
          "[resharding][best][law]") {
  const BoundAxes bound = BoundAxes::of(std::vector<std::string>{"bound"});
  for (const Shape& sizes : {Shape{3}, Shape{4}, Shape{2, 2}, Shape{2, 3}}) {
    const Mesh mesh = make_mesh(sizes);
    for (const int64_t size : {2, 3, 4}) {
      std::vector<MeshAxis> axes = {{"bound", size}};
      axes.insert(axes.end(), mesh.axes().begin(), mesh.axes().end());
      const Mesh wide = Mesh::make(axes).value();
      for (const Shape& shape :
           {Shape{mesh.num_devices() * size, mesh.num_devices()}, Shape{5, 7}}) {
        for (const TensorSharding& from : all_shardings(mesh, 2)) {
          for (const TensorSharding& to : all_shardings(mesh, 2)) {
            const TensorSharding start = after_axis(from, wide);
            const BestPlan narrow = best_plan(shape, from, to);
            const auto plan =
                plan_best_reshard({.shape = shape}, start, after_axis(to, wide), bound);
            CAPTURE(to_string(wide), to_string(from), to_string(to));
            REQUIRE(plan.has_value());
            REQUIRE(plan->steps.size() == narrow.steps.size());
            REQUIRE(plan->is_proven == narrow.is_proven);
            for (std::size_t step = 0; step < plan->steps.size(); ++step) {
              REQUIRE(plan->steps[step].kind == narrow.steps[step].kind);
              REQUIRE(plan->steps[step].out == after_axis(narrow.steps[step].out, wide));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a reshard along a bound axis is an error", "[resharding][best]") {
  const Mesh mesh = make_mesh({2, 2});
  const BoundAxes bound = BoundAxes::of(std::vector<std::string>{mesh.axis_name(0)});
  const TensorSharding none = TensorSharding::fully_closed(mesh, "m", 1);
  const TensorSharding used = TensorSharding::closed({mesh, "m"}, {{mesh.full_axis(0)}});
  const Shape shape = {4};
  CHECK(plan_best_reshard({.shape = shape}, none, used, BoundAxes::none()));
  CHECK_FALSE(plan_best_reshard({.shape = shape}, none, used, bound));
  CHECK_FALSE(compare_reshards({.shape = shape}, used, none, bound));
}

TEST_CASE("a planner stores plans of different bound axes separately", "[resharding][best]") {
  const MeshTable table = mesh_and_reverse({{"x", 2}, {"y", 3}});
  const TensorSharding from = read_sharding(table, R"(<@m, [{}, {}], unreduced={"y"}>)");
  const TensorSharding to = read_sharding(table, R"(<@m, [{}, {}]>)");
  const Shape shape = {12, 12};
  const BoundAxes bound = BoundAxes::of(std::vector<std::string>{"x"});
  ReshardPlanner planner(PlanKind::Best);
  const auto free = planner.plan({.shape = shape}, from, to, BoundAxes::none()).value();
  const auto kept = planner.plan({.shape = shape}, from, to, bound).value();
  CHECK(free != kept);
  CHECK(kept == plan_best_reshard({.shape = shape}, from, to, bound)->steps);
  for (const ReshardStep& step : kept) CHECK(bound.expect_free(step.out));
  CHECK(planner.plan({.shape = shape}, from, to, BoundAxes::none()).value() == free);
}

TEST_CASE("a planner stores its plans", "[resharding][best]") {
  const MeshTable table = mesh_and_reverse({{"x", 2}, {"y", 2}});
  const TensorSharding from = read_sharding(table, R"(<@m, [{"x", "y"}, {}]>)");
  const TensorSharding to = read_sharding(table, R"(<@m, [{}, {"y", "x"}]>)");
  const Shape shape = {8, 8};
  ReshardPlanner best(PlanKind::Best);
  ReshardPlanner reference;
  for (int round = 0; round < 2; ++round) {
    CHECK(best.plan({.shape = shape}, from, to, BoundAxes::none()).value() ==
          best_plan(shape, from, to).steps);
    CHECK(reference.plan({.shape = shape}, from, to, BoundAxes::none()).value() ==
          plan_reshard(shape, from, to).value());
  }
}

}  // namespace
}  // namespace shardy::testing::best_plan_test
