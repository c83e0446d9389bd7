#include <algorithm>
#include <shardy/resharding/apply.hpp>
#include <string>
#include <vector>

#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing {
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

/// The error of the step on `operand`, or "" if it is legal.
std::string error(const ReshardStep& step, const std::string& operand) {
  const Result<TensorSharding> result = apply_step(step, read(operand));
  if (!result) return result.error().message;
  CHECK(*result == step.out);
  return "";
}

ReshardStep on_dims(StepKind kind, const std::vector<std::string>& texts, const std::string& out) {
  return {.kind = kind, .dim_axes = lists(texts), .out = read(out)};
}

ReshardStep on_set(StepKind kind, const std::string& text, const std::string& out) {
  return {.kind = kind, .axes = axes(text), .out = read(out)};
}

ReshardStep move(const std::vector<AllToAllParam>& params, const std::string& out) {
  return {.kind = StepKind::AllToAll, .params = params, .out = read(out)};
}

ReshardStep permute(const std::string& out) { return {.out = read(out)}; }

using enum StepKind;

// Spec: dialect 4.3.
TEST_CASE("the examples of the dialect are legal and print as there", "[resharding][apply]") {
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
    CHECK(error(row.step, row.operand).empty());
  }
}

TEST_CASE("several moves are one all-to-all, and other reductions are named",
          "[resharding][apply]") {
  const ReshardStep both =
      move({{axes(R"({"x"})"), 0, 2}, {axes(R"({"y"})"), 1, 3}}, R"([{}, {}, {"x"}, {"z", "y"}])");
  CHECK(to_string(both) == R"(sdy.all_to_all [{"x"}: 0->2, {"y"}: 1->3] )"
                           R"(out_sharding=<@m, [{}, {}, {"x"}, {"z", "y"}]>)");
  CHECK(error(both, R"([{"x"}, {"y"}, {}, {"z"}])").empty());
  ReshardStep max = on_set(AllReduce, R"({"y"})", R"([{"x"}])");
  max.reduction_op = ReductionOp::Max;
  CHECK(to_string(max) == R"(sdy.all_reduce max {"y"} out_sharding=<@m, [{"x"}]>)");
  CHECK(error(max, R"([{"x"}], unreduced=max{"y"})").empty());
}

TEST_CASE("a reduction may go along axes that are not marked unreduced", "[resharding][apply]") {
  CHECK(error(on_set(AllReduce, R"({"y"})", R"([{"x"}])"), R"([{"x"}])").empty());
}

// Spec: dialect 4.2.
TEST_CASE("gather_axes takes suffixes, slice_axes merges", "[resharding][apply]") {
  const Mesh mesh = Mesh::make({{"x", 8}, {"y", 2}}).value();
  const AxisRef y{1, 1, 2};
  CHECK(gather_axes(mesh, {y, {0, 1, 8}}, AxisList{{0, 4, 2}}, "gathering", 0).value() ==
        AxisList{y, {0, 1, 4}});
  CHECK(gather_axes(mesh, {y, {0, 1, 8}}, AxisList{{0, 2, 2}}, "gathering", 0).error().message ==
        R"(can't apply gathering axis "x":(2)2 to operand sharding on dimension 0)");
  const AxisList half = {{0, 1, 2}};
  CHECK(slice_axes(half, AxisList{{0, 2, 2}}) == AxisList{{0, 1, 4}});
  CHECK(slice_axes(half, AxisList{{0, 4, 2}}) == AxisList{{0, 1, 2}, {0, 4, 2}});
  CHECK(slice_axes(half, AxisList{{0, 2, 4}}) == AxisList{{0, 1, 8}});
}

// Spec: dialect 4.1 to 4.6.
TEST_CASE("an illegal step is refused with the message of the dialect",
          "[resharding][apply][error]") {
  struct Row {
    std::string operand;
    ReshardStep step;
    std::string message;
  };
  const AxisList x = axes(R"({"x"})");
  const AxisList y = axes(R"({"y"})");
  ReshardStep wrong_kind = on_set(AllReduce, R"({"y"})", R"([{"x"}])");
  wrong_kind.reduction_op = ReductionOp::Max;
  const std::vector<Row> rows = {
      {R"([{"x"}])", on_dims(AllGather, {R"({"x"})"}, "<@n, [{}]>"),
       "result mesh does not match operand mesh"},
      {R"([{"x"}])", on_dims(AllGather, {R"({"x"})"}, "[{}, {}]"),
       "result sharding has rank 2 but operand sharding has rank 1"},
      {R"([{"x"}, {}])", on_dims(AllGather, {R"({"x"})"}, "[{}, {}]"),
       "result sharding has rank 2 but collective axes has rank 1"},
      {R"([{"x"}, {}])", on_dims(AllGather, {R"({"x"})", R"({"x"})"}, "[{}, {}]"),
       R"(duplicate axis ref: "x")"},
      {R"([{}, {"x", "y"}])", on_dims(AllGather, {"{}", R"({"x"})"}, R"([{}, {"y"}])"),
       R"(can't apply gathering axis "x" to operand sharding on dimension 1)"},
      {R"([{"x", "y"}])", on_dims(AllGather, {R"({"y"})"}, R"([{"y"}])"),
       R"(result sharding doesn't match expected sharding ["x"] on dimension 0)"},
      {R"([{"x"}])", on_dims(AllSlice, {R"({"y"})"}, R"([{"y", "x"}])"),
       R"(result sharding doesn't match expected sharding ["x", "y"] on dimension 0)"},
      {R"([{"x"}])", on_dims(ShardedToUnreduced, {R"({"y"})"}, R"([{"x"}], unreduced={"y"})"),
       R"(can't apply shard-to-unreduce axis "y" to operand sharding on dimension 0)"},
      {R"([{"x"}])", on_dims(ShardedToUnreduced, {R"({"x"})"}, R"([{}], unreduced=max{"x"})"),
       "out_sharding reduction_op must be SUM"},
      {R"([{"x"}])", on_dims(ShardedToUnreduced, {R"({"x"})"}, R"([{}], unreduced={"y"})"),
       R"(result unreduced axes don't match expected ["x"])"},
      {R"([{"x"}, {}])", move({}, R"([{"x"}, {}])"), "parameter list is empty"},
      {R"([{"x"}, {}])", move({{x, 2, 1}}, R"([{}, {"x"}])"),
       "source dimension 2 is out of range [0, 2)"},
      {R"([{"x"}, {}])", move({{x, 0, -1}}, R"([{}, {"x"}])"),
       "target dimension -1 is out of range [0, 2)"},
      {R"([{"x"}, {}])", move({{x, 0, 0}}, R"([{}, {"x"}])"),
       "overlapping source/target dimensions in all-to-all params: 0"},
      {R"([{"x"}, {}, {"y"}, {}])", move({{y, 2, 3}, {x, 0, 1}}, R"([{}, {"x"}, {}, {"y"}])"),
       "source dimensions are not sorted in ascending order: 0 appears after 2"},
      {R"([{"x"}, {}])", move({{y, 0, 1}}, R"([{}, {"y"}])"),
       R"(can't apply all-to-all axis "y" to operand sharding on dimension 0)"},
      {R"([{"x"}, {}, {"y"}])", move({{x, 0, 1}}, R"([{}, {"x"}, {}])"),
       R"(result sharding doesn't match expected sharding ["y"] on dimension 2)"},
      {R"([{"x"}])", permute(R"(<@other, [{"x"}]>)"),
       "result mesh has different axes than operand mesh"},
      {R"([{"x"}])", permute(R"(<@again, [{"y"}]>)"),
       "result mesh name is different but same device ids as operand"},
      {R"([{"x"}, {}])", permute(R"([{"x"}, {"z"}])"),
       "sharded size of result doesn't match operand on dimension 1: 4 != 1"},
      {R"([{"x"}])", on_set(AllReduce, R"({"x"})", R"([{"x"}])"),
       R"(reduction axis "x" overlaps with operand dimension sharding or replicated axes)"},
      {R"([{}], replicated={"x"})", on_set(AllReduce, R"({"x"})", "[{}]"),
       R"(reduction axis "x" overlaps with operand dimension sharding or replicated axes)"},
      {R"([{}])",
       {.kind = AllReduce, .axes = {{1, 1, 2}, {0, 1, 2}}, .out = read("[{}]")},
       "reduction axes are not ordered w.r.t. mesh"},
      {R"([{"x"}], unreduced={"y"})", wrong_kind,
       "cannot reduce 'sum' unreduced axes. Expected 'max'."},
      {R"([{"x"}], unreduced={"y"})", on_set(AllReduce, R"({"z"})", R"([{"x"}])"),
       R"(result unreduced axes don't match expected ["y"])"},
      {R"([{"x"}], unreduced={"y"})", permute(R"([{"x"}], unreduced=max{"y"})"),
       "cannot change the reduction operator of kept unreduced axes from sum to max."},
      {R"([{}])", on_set(ReplicatedToUnreduced, "{}", "[{}]"), "r2u axes must not be empty"},
      {R"([{"x"}])", on_set(ReplicatedToUnreduced, R"({"x"})", R"([{}], unreduced={"x"})"),
       R"(r2u axis "x" overlaps with operand dimension sharding)"},
      {R"([{}], unreduced={"x"})",
       on_set(ReplicatedToUnreduced, R"({"x"})", R"([{}], unreduced={"x"})"),
       R"(r2u axis "x" overlaps with operand unreduced axes)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.operand, to_string(row.step));
    CHECK(error(row.step, row.operand) == row.message);
  }
}

TEST_CASE("axes that cannot coexist share no coordinates", "[resharding][apply][error]") {
  const MeshTable table = mesh_and_reverse({{"x", 12}});
  const TensorSharding operand = read_sharding(table, R"(<@m, [{"x":(2)6}]>)");
  const ReshardStep gather{
      .kind = AllGather, .dim_axes = {{{0, 3, 4}}}, .out = read_sharding(table, "<@m, [{}]>")};
  CHECK(apply_step(gather, operand).error().message ==
        R"(can't apply gathering axis "x":(3)4 to operand sharding on dimension 0)");
  const ReshardStep turn{.out = read_sharding(table, R"(<@m, [{"x":(1)6}]>)")};
  CHECK(apply_step(turn, operand).has_value());
  const ReshardStep wrong{.out = read_sharding(table, R"(<@m, [{"x":(3)4}]>)")};
  CHECK(apply_step(wrong, read_sharding(table, R"(<@m, [{"x":(1)4}]>)")).error().message ==
        "result axes can't coexist with operand axes");
}

TEST_CASE("verify_plan refuses a plan that stops elsewhere", "[resharding][apply][error]") {
  const auto message = [](const std::string& from, const std::string& to,
                          const std::vector<ReshardStep>& steps) {
    const Status status = verify_plan(read(from), read(to), steps);
    return status ? std::string() : status.error().message;
  };
  const ReshardStep gather = on_dims(AllGather, {R"({"x"})"}, "[{}]");
  CHECK(message(R"([{"x"}])", "[{}]", {gather}).empty());
  CHECK(message(R"([{"x"}])", "<@n, [{}]>", {gather}).empty());
  CHECK(message(R"([{"x"}])", R"([{"y"}])", {gather}) == "plan ends at other dim shardings");
  CHECK(message(R"([{"x"}])", R"([{}], unreduced={"y"})", {gather}) ==
        "plan ends at other unreduced axes");
  CHECK(message(R"([{}], unreduced={"y"})", R"([{}], unreduced=max{"y"})", {}) ==
        "plan ends at another reduction");
  CHECK(message(R"([{"x"}])", R"(<@n, [{"x"}]>)", {}) == "plan ends on another mesh");
  CHECK(message(R"([{"y"}])", "[{}]", {gather}) ==
        R"(step 0 - can't apply gathering axis "x" to operand sharding on dimension 0)");
}

}  // namespace
}  // namespace shardy::testing
