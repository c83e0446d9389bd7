#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <string>
#include <vector>

#include "resharding/check_plan.hpp"
#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::plan_test {
namespace {

using Shape = std::vector<int64_t>;
using Texts = std::vector<std::string>;

/// Meshes "m" and "n" (reversed) with a=2, b=4, c=2, and others.
MeshTable meshes() {
  MeshTable table = mesh_and_reverse({{"a", 2}, {"b", 4}, {"c", 2}});
  table["again"] = table["m"];
  table["other"] = Mesh::make({{"d", 16}}).value();
  table["single"] = Mesh::maximal(3).value();
  return table;
}

Result<std::vector<ReshardStep>> plan(const Shape& shape, const std::string& from,
                                      const std::string& to) {
  const MeshTable table = meshes();
  return plan_reshard(shape, read_sharding(table, from), read_sharding(table, to));
}

/// The steps as text; checks them on data, too.
Texts plan_texts(const Shape& shape, const std::string& from, const std::string& to) {
  const MeshTable table = meshes();
  CHECK(check_plan(shape, read_sharding(table, from), read_sharding(table, to)).empty());
  return step_texts(plan(shape, from, to).value());
}

void check_all_pairs(const Shape& shape, const std::vector<TensorSharding>& sources,
                     const std::vector<TensorSharding>& targets) {
  for (const TensorSharding& from : sources) {
    for (const TensorSharding& to : targets) {
      const std::string problem = check_plan(shape, from, to);
      if (problem.empty()) continue;
      FAIL_CHECK(to_string(from.mesh())
                 << " " << to_string(from) << " -> " << to_string(to) << ": " << problem);
    }
  }
}

const std::vector<Shape> kMeshes = {
    {1},    {2},    {3},    {4},    {6},    {8},       {12},      {1, 1},    {1, 2},
    {2, 1}, {1, 3}, {1, 4}, {1, 6}, {6, 1}, {2, 2},    {2, 3},    {3, 2},    {2, 4},
    {4, 2}, {2, 6}, {6, 2}, {3, 4}, {4, 3}, {2, 2, 2}, {2, 1, 2}, {2, 3, 2},
};

TEST_CASE("every plan is legal and moves every element to its target device", "[resharding][law]") {
  for (const Shape& sizes : kMeshes) {
    const Mesh mesh = make_mesh(sizes);
    const int64_t devices = mesh.num_devices();
    for (const Shape& shape : {Shape{devices}, Shape{devices, devices}}) {
      const std::vector<TensorSharding> all = all_shardings(mesh, shape.size());
      check_all_pairs(shape, all, all);
    }
  }
}

TEST_CASE("every plan is correct if dims are too small to slice at the source",
          "[resharding][law]") {
  for (const Shape& sizes : {Shape{8}, Shape{2, 4}, Shape{2, 2, 2}, Shape{2, 6}}) {
    const Mesh mesh = make_mesh(sizes);
    const std::vector<TensorSharding> all = all_shardings(mesh, 2);
    for (const Shape& shape : {Shape{8, 2}, Shape{2, 8}, Shape{4, 4}, Shape{5, 7}, Shape{0, 1}}) {
      check_all_pairs(shape, all, all);
    }
  }
}

TEST_CASE("every plan in three dims is correct", "[resharding][law]") {
  for (const Shape& sizes : {Shape{2, 2}, Shape{4}, Shape{2, 3}, Shape{6}}) {
    const Mesh mesh = make_mesh(sizes);
    const std::vector<TensorSharding> all = all_shardings(mesh, 3);
    const int64_t devices = mesh.num_devices();
    check_all_pairs({devices, devices, devices}, all, all);
  }
}

TEST_CASE("every plan between device orders is correct", "[resharding][law]") {
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

TEST_CASE("every plan between larger device orders is correct", "[resharding][law]") {
  for (const Shape& sizes : {Shape{8}, Shape{2, 3}, Shape{2, 4}}) {
    const Mesh mesh = make_mesh(sizes);
    const int64_t devices = mesh.num_devices();
    Shape order;
    for (int64_t device = 0; device < devices; ++device) {
      order.push_back((device * 5 + 3) % devices);  // 5 has no factor in common with 6 and 8
    }
    const Mesh reordered = make_mesh(sizes, order);
    std::vector<TensorSharding> targets = all_shardings(reordered, 2);
    for (TensorSharding& to : targets) to = to.with_mesh({reordered, "n"});
    check_all_pairs({devices, devices}, all_shardings(mesh, 2), targets);
  }
}

TEST_CASE("every plan between unreduced shardings is correct", "[resharding][law]") {
  for (const Shape& sizes : {Shape{4}, Shape{6}, Shape{8}, Shape{1, 2}, Shape{2, 2}, Shape{2, 3},
                             Shape{2, 4}, Shape{2, 2, 2}}) {
    const Mesh mesh = make_mesh(sizes);
    const std::vector<TensorSharding> all = all_partial_shardings(mesh, 1);
    check_all_pairs({mesh.num_devices()}, all, all);
  }
  const Mesh mesh = make_mesh({2, 3});
  const std::vector<TensorSharding> all = all_partial_shardings(mesh, 2);
  check_all_pairs({6, 6}, all, all);
}

TEST_CASE("every plan keeps or reduces partial maxima and minima", "[resharding][law]") {
  const Mesh mesh = make_mesh({2, 2, 2});
  const std::vector<TensorSharding> all = all_partial_shardings(mesh, 1);
  for (const ReductionOp op : {ReductionOp::Max, ReductionOp::Min}) {
    for (const TensorSharding& sum : all) {
      const TensorSharding from = sum.with_unreduced(sum.unreduced_axes(), op);
      for (const TensorSharding& end : all) {
        if (!set_difference(end.unreduced_axes(), from.unreduced_axes()).empty()) continue;
        const TensorSharding to = end.with_unreduced(end.unreduced_axes(), op);
        CAPTURE(to_string(from), to_string(to));
        REQUIRE(check_plan({8}, from, to).empty());
      }
    }
  }
}

// Spec: resharding A.8.1, A.8.2.
TEST_CASE("unreduced axes are reduced first and introduced last", "[resharding][unreduced]") {
  struct Row {
    std::string from;
    std::string to;
    Texts steps;
  };
  const std::vector<Row> rows = {
      {R"([{"a"}, {}], unreduced={"c"})",
       R"([{"a"}, {}])",
       {R"(sdy.all_reduce {"c"} out_sharding=<@m, [{"a"}, {}]>)"}},
      {R"([{}, {}], unreduced={"a", "c"})",
       R"([{"a"}, {"c"}])",
       {R"(sdy.all_reduce {"a", "c"} out_sharding=<@m, [{}, {}]>)",
        R"(sdy.all_slice [{"a"}, {"c"}] out_sharding=<@m, [{"a"}, {"c"}]>)"}},
      {R"([{"a"}, {}], unreduced={"b"})",
       R"([{"b", "a"}, {}])",
       {R"(sdy.all_reduce {"b"} out_sharding=<@m, [{"a"}, {}]>)",
        R"(sdy.all_slice [{"b"}, {}] out_sharding=<@m, [{"a", "b"}, {}]>)",
        R"(sdy.collective_permute out_sharding=<@m, [{"b", "a"}, {}]>)"}},
      {R"([{"a", "b"}, {"c"}])",
       R"([{"a"}, {}], unreduced={"b"})",
       {R"(sdy.all_gather [{}, {"c"}] out_sharding=<@m, [{"a", "b"}, {}]>)",
        R"(sdy.sharded_to_unreduced [{"b"}, {}] out_sharding=<@m, [{"a"}, {}], unreduced={"b"}>)"}},
      {R"([{"b":(1)2}, {}])",
       R"([{}, {}], unreduced={"b"})",
       {R"(sdy.replicated_to_unreduced {"b":(2)2} out_sharding=<@m, [{"b":(1)2}, {}], unreduced={"b":(2)2}>)",
        R"(sdy.sharded_to_unreduced [{"b":(1)2}, {}] out_sharding=<@m, [{}, {}], unreduced={"b"}>)"}},
      {R"([{"a"}, {}], unreduced={"c"})",
       R"([{}, {}], unreduced={"b"})",
       {R"(sdy.all_reduce {"c"} out_sharding=<@m, [{"a"}, {}]>)",
        R"(sdy.all_gather [{"a"}, {}] out_sharding=<@m, [{}, {}]>)",
        R"(sdy.replicated_to_unreduced {"b"} out_sharding=<@m, [{}, {}], unreduced={"b"}>)"}},
      {R"([{}, {}], unreduced={"b"})",
       R"([{}, {}], unreduced={"b":(1)2})",
       {R"(sdy.all_reduce {"b":(2)2} out_sharding=<@m, [{}, {}], unreduced={"b":(1)2}>)"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.from, row.to);
    CHECK(plan_texts({16, 16}, "<@m, " + row.from + ">", "<@m, " + row.to + ">") == row.steps);
  }
}

TEST_CASE("unreduced axes that cannot coexist with the target axes are reduced completely",
          "[resharding][unreduced]") {
  const MeshTable table = mesh_and_reverse({{"x", 6}});
  const TensorSharding from = read_sharding(table, R"(<@m, [{}], unreduced={"x":(1)2}>)");
  const TensorSharding to = read_sharding(table, R"(<@m, [{}], unreduced={"x":(1)3}>)");
  const Shape shape = {6};
  CHECK(step_texts(plan_reshard(shape, from, to).value()) ==
        Texts{R"(sdy.all_reduce {"x":(1)2} out_sharding=<@m, [{}]>)",
              R"(sdy.replicated_to_unreduced {"x":(1)3} out_sharding=<@m, [{}], )"
              R"(unreduced={"x":(1)3}>)"});
}

TEST_CASE("steps keep the unreduced axes and their reduction", "[resharding][unreduced]") {
  CHECK(plan_texts({16}, R"(<@m, [{"a"}], unreduced=max{"c"}>)",
                   R"(<@m, [{}], unreduced=max{"c"}>)") ==
        Texts{R"(sdy.all_gather [{"a"}] out_sharding=<@m, [{}], unreduced=max{"c"}>)"});
  CHECK(plan_texts({16}, R"(<@m, [{"a"}], unreduced=max{"c"}>)", R"(<@m, [{"a"}]>)") ==
        Texts{R"(sdy.all_reduce max {"c"} out_sharding=<@m, [{"a"}]>)"});
}

TEST_CASE("replicated_to_unreduced keeps the dims of its operand, including open dims",
          "[resharding][unreduced]") {
  CHECK(plan_texts({16}, R"(<@m, [{"a", ?}p1], replicated={"c"}>)",
                   R"(<@m, [{"a"}], unreduced={"c"}>)") ==
        Texts{R"(sdy.replicated_to_unreduced {"c"} out_sharding=<@m, [{"a", ?}p1], )"
              R"(unreduced={"c"}>)"});
}

TEST_CASE("steps have closed dims and no replicated axes", "[resharding]") {
  CHECK(plan_texts({16, 16}, R"(<@m, [{"a", ?}, {?}], replicated={"c"}>)",
                   R"(<@m, [{?}p2, {"a", ?}], replicated={"c"}>)") ==
        Texts{R"(sdy.all_to_all [{"a"}: 0->1] out_sharding=<@m, [{}, {"a"}]>)"});
}

// Spec: resharding B.3.
TEST_CASE("a replicated target is reached on the mesh of the source", "[resharding]") {
  CHECK(plan_texts({16}, R"(<@m, [{}]>)", R"(<@other, [{}]>)").empty());
  CHECK(plan_texts({16}, R"(<@m, [{"a"}]>)", R"(<@n, [{}]>)") ==
        Texts{R"(sdy.all_gather [{"a"}] out_sharding=<@m, [{}]>)"});
  CHECK(plan_texts({16}, R"(<@m, [{}], unreduced={"a"}>)", R"(<@other, [{}]>)") ==
        Texts{R"(sdy.all_reduce {"a"} out_sharding=<@m, [{}]>)"});
}

TEST_CASE("an unreduced target keeps its device order even if its dims are replicated",
          "[resharding]") {
  CHECK(plan_texts({16}, R"(<@m, [{}], unreduced={"a"}>)", R"(<@n, [{}], unreduced={"a"}>)") ==
        Texts{R"(sdy.collective_permute out_sharding=<@n, [{}], unreduced={"a"}>)"});
}

TEST_CASE("meshes that differ only in name need no permute", "[resharding]") {
  CHECK(plan_texts({16}, R"(<@m, [{"a"}]>)", R"(<@again, [{"a"}]>)").empty());
  CHECK(plan_texts({16}, R"(<@m, [{"a"}]>)", R"(<@again, [{"c"}]>)") ==
        Texts{R"(sdy.collective_permute out_sharding=<@m, [{"c"}]>)"});
}

TEST_CASE("a reshard that collectives cannot do is an error", "[resharding][error]") {
  const auto message = [](const Shape& shape, const std::string& from, const std::string& to) {
    const auto result = plan(shape, from, to);
    return result ? std::string("none") : result.error().message;
  };
  CHECK(message({16}, R"(<@m, [{}]>)", R"(<@single, []>)") ==
        "cannot reshard from or to a single-device sharding by collectives");
  CHECK(message({16}, R"(<@m, [{}]>)", R"(<@m, [{}, {}]>)") ==
        "cannot reshard a tensor of rank 1 from rank 1 to rank 2");
  CHECK(message({16}, R"(<@m, [{}]>)", R"(<@other, [{"d"}]>)") ==
        "cannot reshard between meshes that differ in more than device ids");
  CHECK(message({16}, R"(<@m, [{}], unreduced=max{"a"}>)", R"(<@m, [{}], unreduced={"a"}>)") ==
        "cannot change the reduction operator of kept unreduced axes from max to sum.");
  CHECK(message({16}, R"(<@m, [{}]>)", R"(<@m, [{}], unreduced=min{"a"}>)") ==
        "cannot introduce 'min' unreduced axes. Expected 'sum'.");
}

// Spec: resharding B.8, the last paragraph.
TEST_CASE("refs that cannot coexist are gathered to a common prefix", "[resharding][coexistence]") {
  const MeshTable table = mesh_and_reverse({{"x", 12}, {"y", 2}});
  const auto texts = [&](const std::string& from, const std::string& to) {
    const Shape shape = {24};
    return step_texts(
        plan_reshard(shape, read_sharding(table, from), read_sharding(table, to)).value());
  };
  CHECK(texts(R"(<@m, [{"x":(1)2}]>)", R"(<@m, [{"x":(1)3}]>)") ==
        Texts{R"(sdy.all_gather [{"x":(1)2}] out_sharding=<@m, [{}]>)",
              R"(sdy.all_slice [{"x":(1)3}] out_sharding=<@m, [{"x":(1)3}]>)"});
  CHECK(texts(R"(<@m, [{"x":(1)6, "y"}]>)", R"(<@m, [{"x":(1)4}]>)") ==
        Texts{R"(sdy.all_gather [{"x":(2)3, "y"}] out_sharding=<@m, [{"x":(1)2}]>)",
              R"(sdy.all_slice [{"x":(2)2}] out_sharding=<@m, [{"x":(1)4}]>)"});
}

TEST_CASE("coexisting_part is the longest prefix that can coexist with the other refs",
          "[resharding][coexistence]") {
  for (int64_t n = 1; n <= 36; ++n) {
    std::vector<AxisRef> refs;
    for (int64_t pre = 1; pre <= n; ++pre) {
      for (int64_t size = 2; pre * size <= n; ++size) {
        if (n % (pre * size) == 0) refs.push_back({0, pre, size});
      }
    }
    for (const AxisRef& ref : refs) {
      for (const AxisRef& other : refs) {
        int64_t longest = 1;
        for (int64_t size = 2; size <= ref.size; ++size) {
          if (ref.size % size == 0 && can_coexist({0, ref.pre, size}, other)) longest = size;
        }
        const AxisList others = {other};
        const std::optional<AxisRef> part = coexisting_part(ref, others);
        CAPTURE(n, ref.pre, ref.size, other.pre, other.size);
        REQUIRE((part ? part->size : 1) == longest);
      }
    }
  }
}

TEST_CASE("an axis of size 1 costs no gather", "[resharding][size_1]") {
  const MeshTable table = mesh_and_reverse({{"a", 1}, {"b", 2}, {"c", 2}});
  const Shape shape = {4, 4};
  const auto texts = [&](const std::string& from, const std::string& to) {
    return step_texts(
        plan_reshard(shape, read_sharding(table, from), read_sharding(table, to)).value());
  };
  CHECK(texts(R"(<@m, [{}, {}]>)", R"(<@m, [{}, {"a"}]>)") ==
        Texts{R"(sdy.all_slice [{}, {"a"}] out_sharding=<@m, [{}, {"a"}]>)"});
  CHECK(texts(R"(<@m, [{"b"}, {}]>)", R"(<@m, [{"c"}, {"a"}]>)") ==
        Texts{R"(sdy.collective_permute out_sharding=<@m, [{"c"}, {}]>)",
              R"(sdy.all_slice [{}, {"a"}] out_sharding=<@m, [{"c"}, {"a"}]>)"});
}

}  // namespace
}  // namespace shardy::testing::plan_test
