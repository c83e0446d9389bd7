#include "resharding/legal_steps.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::legal_steps_test {
namespace {

MeshTable meshes() {
  MeshTable table = mesh_and_reverse({{"x", 2}, {"y", 2}, {"z", 4}});
  table["again"] = table["m"];
  table["other"] = Mesh::make({{"x", 2}, {"y", 2}, {"z", 8}}).value();
  return table;
}

TensorSharding read(const std::string& text) {
  static const MeshTable table = meshes();
  return read_sharding(table, text.front() == '[' ? "<@m, " + text + ">" : text);
}

AxisList axes(const std::string& text) {
  return resolve_axis_list(parse_axis_list(text).value(), meshes().at("m")).value();
}

std::vector<AxisList> lists(const std::vector<std::string>& texts) {
  std::vector<AxisList> result(texts.size());
  std::transform(texts.begin(), texts.end(), result.begin(), axes);
  return result;
}

ReshardStep on_dims(StepKind kind, const std::vector<std::string>& texts, const std::string& out) {
  return {.kind = kind, .dim_axes = lists(texts), .out = read(out)};
}

ReshardStep on_set(StepKind kind, const std::string& text, const std::string& out) {
  return {.kind = kind, .axes = axes(text), .out = read(out)};
}

ReshardStep move(const std::vector<AllToAllMove>& params, const std::string& out) {
  return {.kind = StepKind::AllToAll, .params = params, .out = read(out)};
}

ReshardStep permute(const std::string& out) { return {.out = read(out)}; }

using enum StepKind;

// Spec: dialect 4.3.
TEST_CASE("the examples of the dialect are legal steps and print as in the dialect",
          "[resharding][legal]") {
  struct Row {
    std::string operand;
    ReshardStep step;
    std::string text;
  };
  const std::vector<Row> rows = {
      {R"([{"z", "x"}, {"y"}])",
       on_dims(AllGather, {R"({"z":(2)2, "x"})", R"({"y"})"}, R"([{"z":(1)2}, {}])"),
       R"(sdy.all_gather [{"z":(2)2, "x"}, {"y"}] out_sharding=<@m, [{"z":(1)2}, {}]>)"},
      {R"([{"y"}, {}])", on_dims(AllSlice, {R"({"z"})", R"({"x"})"}, R"([{"y", "z"}, {"x"}])"),
       R"(sdy.all_slice [{"z"}, {"x"}] out_sharding=<@m, [{"y", "z"}, {"x"}]>)"},
      {R"([{"z"}, {"x"}])",
       move({{axes(R"({"z":(2)2})"), 0, 1}}, R"([{"z":(1)2}, {"x", "z":(2)2}])"),
       R"(sdy.all_to_all [{"z":(2)2}: 0->1] out_sharding=<@m, [{"z":(1)2}, {"x", "z":(2)2}]>)"},
      {R"([{"x", "y"}, {}])", permute(R"([{"z"}, {}])"),
       R"(sdy.collective_permute out_sharding=<@m, [{"z"}, {}]>)"},
      {R"([{"x"}, {}], unreduced={"y", "z"})",
       on_set(AllReduce, R"({"y"})", R"([{"x"}, {}], unreduced={"z"})"),
       R"(sdy.all_reduce {"y"} out_sharding=<@m, [{"x"}, {}], unreduced={"z"}>)"},
      {R"([{"x"}, {}], unreduced={"y", "z"})",
       on_dims(ReduceScatter, {"{}", R"({"y", "z"})"}, R"([{"x"}, {"y", "z"}])"),
       R"(sdy.reduce_scatter [{}, {"y", "z"}] out_sharding=<@m, [{"x"}, {"y", "z"}]>)"},
      {R"([{"x", "z"}, {"y"}])",
       on_dims(ShardedToUnreduced, {R"({"z":(2)2})", R"({"y"})"},
               R"([{"x", "z":(1)2}, {}], unreduced={"y", "z":(2)2})"),
       R"(sdy.sharded_to_unreduced [{"z":(2)2}, {"y"}] out_sharding=)"
       R"(<@m, [{"x", "z":(1)2}, {}], unreduced={"y", "z":(2)2}>)"},
      {R"([{"x"}, {}], unreduced={"z":(1)2})",
       on_set(ReplicatedToUnreduced, R"({"y", "z":(2)2})", R"([{"x"}, {}], unreduced={"y", "z"})"),
       R"(sdy.replicated_to_unreduced {"y", "z":(2)2} out_sharding=)"
       R"(<@m, [{"x"}, {}], unreduced={"y", "z"}>)"},
  };
  for (const Row& row : rows) {
    CHECK(to_string(row.step) == row.text);
    CHECK(is_legal(row.step, read(row.operand)));
  }
}

TEST_CASE("an all_to_all can move several axes, and a step prints its reduction op",
          "[resharding][legal]") {
  const ReshardStep both =
      move({{axes(R"({"x"})"), 0, 2}, {axes(R"({"y"})"), 1, 3}}, R"([{}, {}, {"x"}, {"z", "y"}])");
  CHECK(to_string(both) == R"(sdy.all_to_all [{"x"}: 0->2, {"y"}: 1->3] )"
                           R"(out_sharding=<@m, [{}, {}, {"x"}, {"z", "y"}]>)");
  CHECK(is_legal(both, read(R"([{"x"}, {"y"}, {}, {"z"}])")));
  ReshardStep max = on_set(AllReduce, R"({"y"})", R"([{"x"}])");
  max.reduction_op = ReductionOp::Max;
  CHECK(to_string(max) == R"(sdy.all_reduce max {"y"} out_sharding=<@m, [{"x"}]>)");
  CHECK(is_legal(max, read(R"([{"x"}], unreduced=max{"y"})")));
}

TEST_CASE("an all_reduce may use axes that are not unreduced", "[resharding][legal]") {
  CHECK(is_legal(on_set(AllReduce, R"({"y"})", R"([{"x"}])"), read(R"([{"x"}])")));
}

// Spec: dialect 4.2.
TEST_CASE("gathers remove axis suffixes, slices merge sub-axes", "[resharding][legal]") {
  const AxisRef y{1, 1, 2};
  CHECK(without_suffix({y, {0, 1, 8}}, AxisList{{0, 4, 2}}) == AxisList{y, {0, 1, 4}});
  CHECK_FALSE(without_suffix({y, {0, 1, 8}}, AxisList{{0, 2, 2}}));
  const AxisList half = {{0, 1, 2}};
  CHECK(with_suffix(half, AxisList{{0, 2, 2}}) == AxisList{{0, 1, 4}});
  CHECK(with_suffix(half, AxisList{{0, 4, 2}}) == AxisList{{0, 1, 2}, {0, 4, 2}});
  CHECK(with_suffix(half, AxisList{{0, 2, 4}}) == AxisList{{0, 1, 8}});
}

// Spec: dialect 4.1 to 4.6.
TEST_CASE("an illegal step is rejected", "[resharding][legal][error]") {
  struct Row {
    std::string operand;
    ReshardStep step;
  };
  const AxisList x = axes(R"({"x"})");
  const AxisList y = axes(R"({"y"})");
  ReshardStep wrong_kind = on_set(AllReduce, R"({"y"})", R"([{"x"}])");
  wrong_kind.reduction_op = ReductionOp::Max;
  const std::vector<Row> rows = {
      {R"([{"x"}])", on_dims(AllGather, {R"({"x"})"}, "<@n, [{}]>")},
      {R"([{"x"}])", on_dims(AllGather, {R"({"x"})"}, "[{}, {}]")},
      {R"([{"x"}, {}])", on_dims(AllGather, {R"({"x"})"}, "[{}, {}]")},
      {R"([{"x"}, {}])", on_dims(AllGather, {R"({"x"})", R"({"x"})"}, "[{}, {}]")},
      {R"([{}, {"x", "y"}])", on_dims(AllGather, {"{}", R"({"x"})"}, R"([{}, {"y"}])")},
      {R"([{"x", "y"}])", on_dims(AllGather, {R"({"y"})"}, R"([{"y"}])")},
      {R"([{"x"}])", on_dims(AllSlice, {R"({"y"})"}, R"([{"y", "x"}])")},
      {R"([{"x"}])", on_dims(ShardedToUnreduced, {R"({"y"})"}, R"([{"x"}], unreduced={"y"})")},
      {R"([{"x"}])", on_dims(ShardedToUnreduced, {R"({"x"})"}, R"([{}], unreduced=max{"x"})")},
      {R"([{"x"}])", on_dims(ShardedToUnreduced, {R"({"x"})"}, R"([{}], unreduced={"y"})")},
      {R"([{"x"}, {}])", move({}, R"([{"x"}, {}])")},
      {R"([{"x"}, {}])", move({{x, 2, 1}}, R"([{}, {"x"}])")},
      {R"([{"x"}, {}])", move({{x, 0, -1}}, R"([{}, {"x"}])")},
      {R"([{"x"}, {}])", move({{x, 0, 0}}, R"([{}, {"x"}])")},
      {R"([{"x"}, {}, {"y"}, {}])", move({{y, 2, 3}, {x, 0, 1}}, R"([{}, {"x"}, {}, {"y"}])")},
      {R"([{"x"}, {}])", move({{y, 0, 1}}, R"([{}, {"y"}])")},
      {R"([{"x"}, {}, {"y"}])", move({{x, 0, 1}}, R"([{}, {"x"}, {}])")},
      {R"([{"x"}])", permute(R"(<@other, [{"x"}]>)")},
      {R"([{"x"}])", permute(R"(<@again, [{"y"}]>)")},
      {R"([{"x"}, {}])", permute(R"([{"x"}, {"z"}])")},
      {R"([{"x"}])", on_set(AllReduce, R"({"x"})", R"([{"x"}])")},
      {R"([{}], replicated={"x"})", on_set(AllReduce, R"({"x"})", "[{}]")},
      {R"([{}])", {.kind = AllReduce, .axes = {{1, 1, 2}, {0, 1, 2}}, .out = read("[{}]")}},
      {R"([{"x"}], unreduced={"y"})", wrong_kind},
      {R"([{"x"}], unreduced={"y"})", on_set(AllReduce, R"({"z"})", R"([{"x"}])")},
      {R"([{"x"}], unreduced={"y"})", permute(R"([{"x"}], unreduced=max{"y"})")},
      {R"([{}])", on_set(ReplicatedToUnreduced, "{}", "[{}]")},
      {R"([{"x"}])", on_set(ReplicatedToUnreduced, R"({"x"})", R"([{}], unreduced={"x"})")},
      {R"([{}], unreduced={"x"})",
       on_set(ReplicatedToUnreduced, R"({"x"})", R"([{}], unreduced={"x"})")},
  };
  for (const Row& row : rows) {
    CAPTURE(row.operand, to_string(row.step));
    CHECK_FALSE(is_legal(row.step, read(row.operand)));
  }
}

TEST_CASE("axes that cannot coexist share no coordinates", "[resharding][legal][error]") {
  const MeshTable table = mesh_and_reverse({{"x", 12}});
  const TensorSharding operand = read_sharding(table, R"(<@m, [{"x":(2)6}]>)");
  const ReshardStep gather{
      .kind = AllGather, .dim_axes = {{{0, 3, 4}}}, .out = read_sharding(table, "<@m, [{}]>")};
  CHECK_FALSE(is_legal(gather, operand));
  const ReshardStep turn{.out = read_sharding(table, R"(<@m, [{"x":(1)6}]>)")};
  CHECK(is_legal(turn, operand));
  const ReshardStep wrong{.out = read_sharding(table, R"(<@m, [{"x":(3)4}]>)")};
  CHECK_FALSE(is_legal(wrong, read_sharding(table, R"(<@m, [{"x":(1)4}]>)")));
}

TEST_CASE("a plan must end at its target sharding", "[resharding][legal][error]") {
  const auto ends = [](const std::string& from, const std::string& to,
                       const std::vector<ReshardStep>& steps) {
    return is_plan(read(from), read(to), steps);
  };
  const ReshardStep gather = on_dims(AllGather, {R"({"x"})"}, "[{}]");
  CHECK(ends(R"([{"x"}])", "[{}]", {gather}));
  CHECK(ends(R"([{"x"}])", "<@n, [{}]>", {gather}));
  CHECK_FALSE(ends(R"([{"x"}])", R"([{"y"}])", {gather}));
  CHECK_FALSE(ends(R"([{"x"}])", R"([{}], unreduced={"y"})", {gather}));
  CHECK_FALSE(ends(R"([{}], unreduced={"y"})", R"([{}], unreduced=max{"y"})", {}));
  CHECK_FALSE(ends(R"([{"x"}])", R"(<@n, [{"x"}]>)", {}));
  CHECK_FALSE(ends(R"([{"y"}])", "[{}]", {gather}));
}

}  // namespace
}  // namespace shardy::testing::legal_steps_test
