#include <cstdint>
#include <numeric>
#include <set>
#include <shardy/algebra/shard_layout.hpp>
#include <shardy/resharding/best_plan.hpp>
#include <string>
#include <vector>

#include "resharding/data_oracle.hpp"
#include "resharding/legal_steps.hpp"
#include "resharding/plan_cost.hpp"
#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::cost_test {
namespace {

using Shape = std::vector<int64_t>;

int64_t elements_of_plan(const Shape& shape, const TensorSharding& from, const TensorSharding& to) {
  return plan_cost(shape, from, plan_reshard(shape, from, to).value()).elements_sent;
}

// Spec: resharding C.5, the column "reference avg", to its two decimals.
TEST_CASE("plans have the average cost of the specification", "[resharding][cost]") {
  struct Row {
    Shape sizes;
    Shape shape;
    int64_t pairs;
    int64_t average;  // hundredths of elements
  };
  const std::vector<Row> rows = {
      {{2, 2}, {8, 8}, 110, 1847},        {{2, 2, 2}, {8, 8}, 2352, 1454},
      {{4, 2}, {8, 8, 8}, 11130, 11326},  {{2, 3}, {12, 12}, 110, 3775},
      {{2, 3, 2}, {24, 24}, 2352, 11554},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sizes);
    const std::vector<TensorSharding> all = all_shardings(make_mesh(row.sizes), row.shape.size());
    int64_t pairs = 0;
    int64_t total = 0;
    for (const TensorSharding& from : all) {
      for (const TensorSharding& to : all) {
        pairs += from == to ? 0 : 1;
        total += elements_of_plan(row.shape, from, to);
      }
    }
    CHECK(pairs == row.pairs);
    CHECK((200 * total + pairs) / (2 * pairs) == row.average);
  }
}

// Spec: resharding C.6, the column "reference".
TEST_CASE("plans have the cost of the specification where the reference is not optimal",
          "[resharding][cost]") {
  struct Row {
    std::vector<MeshAxis> axes;
    Shape shape;
    std::string from;
    std::string to;
    int64_t elements;
  };
  const std::vector<MeshAxis> square = {{"x", 2}, {"y", 2}};
  const std::vector<MeshAxis> mixed = {{"x", 2}, {"y", 3}, {"z", 2}};
  const std::vector<MeshAxis> large = {{"a", 2}, {"b", 4}, {"c", 2}};
  const std::vector<Row> rows = {
      {square, {8, 8}, R"([{"x", "y"}, {}])", R"([{}, {"y", "x"}])", 28},
      {square, {8, 8}, R"([{"x", "y"}, {}])", R"([{}, {"x"}])", 40},
      {large, {16, 16}, R"([{"a"}, {"b"}])", R"([{"b"}, {"a"}])", 48},
      {large, {16, 4}, R"([{}, {"a"}])", R"([{"a", "b"}, {}])", 12},
      {mixed, {24, 24}, R"([{"x"}, {"y"}])", R"([{"y", "z"}, {}])", 256},
      {mixed, {24, 24}, R"([{}, {"x", "y"}])", R"([{"y", "x", "z"}, {}])", 136},
      {{{"x", 2}, {"y", 3}}, {12, 12}, R"([{}, {"y"}])", R"([{"y"}, {"x"}])", 40},
      {square, {8, 8}, R"([{}, {}], unreduced={"x", "y"})", R"([{"x"}, {}])", 96},
  };
  for (const Row& row : rows) {
    CAPTURE(row.from, row.to);
    const MeshTable table = mesh_and_reverse(row.axes);
    const TensorSharding from = read_sharding(table, "<@m, " + row.from + ">");
    const TensorSharding to = read_sharding(table, "<@m, " + row.to + ">");
    CHECK(elements_of_plan(row.shape, from, to) == row.elements);
  }
}

// Spec: resharding C.1, the column "full".
TEST_CASE("each kind of step has its load", "[resharding][cost]") {
  const MeshTable table = mesh_and_reverse({{"x", 2}, {"y", 4}});
  const Shape shape = {16, 16};
  const auto read = [&](const std::string& text) { return read_sharding(table, text); };
  const AxisList x = {{0, 1, 2}};
  const AxisList y = {{1, 1, 4}};
  const TensorSharding none = read("<@m, [{}, {}]>");
  const TensorSharding on_x = read(R"(<@m, [{"x"}, {}]>)");
  const TensorSharding on_y = read(R"(<@m, [{"y"}, {}]>)");
  const TensorSharding partial = read(R"(<@m, [{"x"}, {}], unreduced={"y"}>)");
  const auto sent = [&](const TensorSharding& from, const ReshardStep& step) {
    return elements_sent(shape, from, step);
  };
  CHECK(sent(on_y, {.kind = StepKind::AllGather, .dim_axes = {y, {}}, .out = none}) == 192);
  CHECK(sent(none, {.kind = StepKind::AllSlice, .dim_axes = {y, {}}, .out = on_y}) == 0);
  CHECK(sent(on_y, {.kind = StepKind::AllToAll,
                    .params = {{y, 0, 1}},
                    .out = read(R"(<@m, [{}, {"y"}]>)")}) == 48);
  CHECK(sent(partial, {.kind = StepKind::AllReduce, .axes = y, .out = on_x}) == 192);
  CHECK(sent(partial, {.kind = StepKind::ReduceScatter,
                       .dim_axes = {{}, y},
                       .out = read(R"(<@m, [{"x"}, {"y"}]>)")}) == 96);
  CHECK(sent(on_x, {.kind = StepKind::ReplicatedToUnreduced, .axes = y, .out = partial}) == 0);
  CHECK(sent(on_x, {.kind = StepKind::CollectivePermute, .out = on_x}) == 0);
  CHECK(sent(read(R"(<@m, [{"y":(1)2}, {}]>)"),
             {.kind = StepKind::CollectivePermute, .out = on_x}) == 128);
}

TEST_CASE("permute_orders lists axes of dims, then unreduced axes, then the remaining axes",
          "[resharding][cost]") {
  const MeshTable table = mesh_and_reverse({{"a", 4}, {"u", 2}, {"b", 2}});
  const PermuteOrders orders =
      permute_orders(read_sharding(table, R"(<@m, [{"a":(2)2}], unreduced={"u"}>)"),
                     read_sharding(table, R"(<@m, [{"b"}], unreduced={"u"}>)"));
  const AxisRef major{0, 1, 2};
  const AxisRef minor{0, 2, 2};
  const AxisRef u{1, 1, 2};
  const AxisRef b{2, 1, 2};
  CHECK(orders.sender == AxisList{minor, u, major, b});
  CHECK(orders.receiver == AxisList{b, u, major, minor});
}

// Spec: resharding C.6, row 11.
TEST_CASE("a permute keeps data on as many devices as possible", "[resharding][cost][law]") {
  for (const Shape& sizes : {Shape{2, 2, 2}, Shape{4, 2}, Shape{2, 3}, Shape{6}, Shape{2, 2},
                             Shape{1, 2, 2}, Shape{2, 1, 2, 1}}) {
    const Mesh mesh = make_mesh(sizes);
    const int64_t devices = mesh.num_devices();
    const Shape shape = {devices, devices};
    const std::vector<TensorSharding> all = all_shardings(mesh, 2);
    for (const TensorSharding& from : all) {
      for (const TensorSharding& to : all) {
        if (!can_permute(from, to)) continue;
        const PermuteOrders orders = permute_orders(from, to);
        int64_t kept = 0;
        std::set<int64_t> receivers;
        for (int64_t index = 0; index < devices; ++index) {
          const int64_t sender = detail::device_of(mesh, orders.sender, index);
          const int64_t receiver = detail::device_of(mesh, orders.receiver, index);
          receivers.insert(receiver);
          kept += sender == receiver ? 1 : 0;
          REQUIRE(device_slice(from, shape, sender) == device_slice(to, shape, receiver));
        }
        // A device can keep what it has if it wants the same shard; it is then its own partner.
        int64_t can_keep = 0;
        for (int64_t device = 0; device < devices; ++device) {
          can_keep += device_slice(from, shape, device) == device_slice(to, shape, device) ? 1 : 0;
        }
        const bool in_row = sizes == Shape{2, 2, 2} && from.dim(0).axes == AxisList{{0, 1, 2}} &&
                            to.dim(0).axes == AxisList{{2, 1, 2}} && to.dim(1).axes.empty();
        CAPTURE(to_string(from), to_string(to), can_keep);
        REQUIRE(static_cast<int64_t>(receivers.size()) == devices);
        if (sizes != Shape{6} && sizes != Shape{2, 3}) REQUIRE(kept == can_keep);
        if (in_row) REQUIRE(kept == 4);
      }
    }
  }
}

TEST_CASE("permute_moves is true iff some device receives from another device",
          "[resharding][cost][law]") {
  for (const Shape& sizes : {Shape{4}, Shape{2, 2}, Shape{1, 2}, Shape{2, 3}, Shape{2, 2, 2}}) {
    const Mesh mesh = make_mesh(sizes);
    Shape swapped(static_cast<std::size_t>(mesh.num_devices()));
    std::iota(swapped.begin(), swapped.end(), 0);
    std::swap(swapped[0], swapped[1]);
    const std::vector<TensorSharding> all = all_partial_shardings(mesh, 1);
    for (const Mesh& target_mesh : {mesh, make_mesh(sizes, swapped)}) {
      for (const TensorSharding& from : all) {
        for (const TensorSharding& end : all) {
          if (from.dim(0).sharded_size() != end.dim(0).sharded_size()) continue;
          if (from.unreduced_axes() != end.unreduced_axes()) continue;
          const TensorSharding to = end.with_mesh({target_mesh, "t"});
          const auto sources = oracle::permute_sources(from, to, oracle::Pairing::CarriesPartials);
          bool moves = false;
          for (std::size_t device = 0; device < sources.size(); ++device) {
            moves = moves || sources[device] != device;
          }
          CAPTURE(to_string(target_mesh), to_string(from), to_string(to));
          REQUIRE(permute_moves(from, to) == moves);
        }
      }
    }
  }
}

}  // namespace
}  // namespace shardy::testing::cost_test
