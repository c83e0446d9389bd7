// Diagnostics of the verifier for the sdy collectives. Spec: dialect 4; algebra 9.1, 9.4.
#include "ir/verify_row.hpp"

namespace shardy_test::verify_collective_test {
namespace {

using enum OpKind;

const std::string kF32 = "tensor<16x8xf32>";

OpId collective(ModuleMaker& m, OpKind kind, std::string_view in, AttributeMap attributes) {
  const ValueId x = m.argument(kF32, in);
  return m.op({.kind = kind,
               .operands = {x},
               .result_types = {type_of(kF32)},
               .attributes = std::move(attributes)});
}

/// One collective; `in` is empty for an operand without sharding. Axes of `attribute` are on @m.
struct Row {
  std::string name;
  OpKind kind;
  std::string in;
  std::string out;
  std::optional<std::pair<std::string, Attribute>> attribute = std::nullopt;
  std::string error = {};
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    ModuleMaker m;
    AttributeMap map = attributes({{"out_sharding", m.sharding(row.out)}});
    if (row.attribute) map.set(row.attribute->first, row.attribute->second);
    collective(m, row.kind, row.in, std::move(map));
    m.finish();
    std::vector<std::string> expected;
    const std::string op_name(info(row.kind).name);
    if (!row.error.empty()) expected.push_back("op 1: '" + op_name + "' op " + row.error);
    CAPTURE(op_name, row.name);
    CHECK(located(verify(m.module)) == expected);
  }
}

const Mesh& mesh() {
  static const Mesh kMesh = ModuleMaker::mesh("<[\"x\"=2, \"y\"=4]>");
  return kMesh;
}
using Named = std::pair<std::string, Attribute>;
Named lists(std::string name, std::vector<AxisList> axes) {
  return {std::move(name), AxesListsAttr{mesh(), std::move(axes)}};
}
Named axes(std::string name, AxisList list) {
  return {std::move(name), AxesAttr{mesh(), std::move(list)}};
}
Named params(std::vector<AllToAllParam> list) {
  return {"params", AllToAllAttr{mesh(), std::move(list)}};
}

TEST_CASE("shardings of operand and result of a collective must fit", "[ir][verify]") {
  const Named none = lists("gathering_axes", {{}, {}});
  check({
      {"no operand sharding", SdyAllGather, "", "<@m, [{}, {}]>", none,
       "collective on operand without sharding"},
      {"no operand sharding needed", SdyAllSlice, "", "<@m, [{\"x\"}, {}]>",
       lists("slicing_axes", {{kX}, {}})},
      {"out of another rank", SdyAllGather, "<@m, [{}, {}]>", "<@m, [{}]>", none,
       "sharding doesn't match tensor rank: 1 != 2"},
      {"meshes that are equal", SdyAllGather, "<@m, [{}, {}]>", "<@same, [{}, {}]>", none},
      {"meshes that differ", SdyAllGather, "<@m, [{}, {}]>", "<@shuffled, [{}, {}]>", none,
       "result mesh does not match operand mesh"},
      {"operand on a maximal mesh", SdyCollectivePermute, "<@max, []>", "<@m, [{}, {}]>",
       std::nullopt, "result sharding has rank 2 but operand sharding has rank 0"},
  });
}

TEST_CASE("a collective needs an out_sharding", "[ir][verify]") {
  ModuleMaker m;
  collective(m, SdyAllGather, "<@m, [{}, {}]>", {});
  collective(m, SdyAllGather, "<@m, [{}, {}]>", attributes({{"out_sharding", "<@m, [{}, {}]>"}}));
  m.finish();
  CHECK(located(verify(m.module)) ==
        std::vector<std::string>{
            "op 1: 'sdy.all_gather' op requires attribute 'out_sharding'",
            "op 2: 'sdy.all_gather' op attribute 'out_sharding' must be a resolved sharding"});
}

TEST_CASE("all_gather removes axes from the ends of dims", "[ir][verify]") {
  const OpKind kind = SdyAllGather;
  const std::string in = "<@m, [{\"x\", \"y\"}, {}]>";
  check({
      {"an axis", kind, in, "<@m, [{\"x\"}, {?}]>", lists("gathering_axes", {{kY}, {}})},
      {"a part", kind, in, "<@m, [{\"x\", \"y\":(1)2}, {}]>",
       lists("gathering_axes", {{kYMinor}, {}})},
      {"not at the end", kind, in, "<@m, [{\"y\"}, {}]>", lists("gathering_axes", {{kX}, {}}),
       "can't apply gathering axis \"x\" to operand sharding on dimension 0"},
      {"not the minor part", kind, in, "<@m, [{\"x\"}, {}]>",
       lists("gathering_axes", {{kYMajor}, {}}),
       "can't apply gathering axis \"y\":(1)2 to operand sharding on dimension 0"},
      {"from nothing", kind, in, in, lists("gathering_axes", {{}, {kX}}),
       "can't apply gathering axis \"x\" to operand sharding on dimension 1"},
      {"too much left", kind, in, in, lists("gathering_axes", {{kY}, {}}),
       "result sharding doesn't match expected sharding [\"x\"] on dimension 0"},
      {"a list too few", kind, in, in, lists("gathering_axes", {{}}),
       "result sharding has rank 2 but collective axes has rank 1"},
      {"missing", kind, in, in, std::nullopt, "requires attribute 'gathering_axes'"},
      {"spelled", kind, in, in, Named{"gathering_axes", UnresolvedAxesListsAttr{}},
       "attribute 'gathering_axes' must be resolved axes"},
      {"of another mesh", kind, in, in, Named{"gathering_axes", AxesListsAttr{Mesh(), {}}},
       "attribute 'gathering_axes' is on mesh <[]>, but out_sharding is on <[\"x\"=2, \"y\"=4]>"},
  });
}

TEST_CASE("axis lists of one op contain each axis once", "[ir][verify]") {
  const std::string in = "<@m, [{}, {}]>";
  const auto row = [&](std::string name, std::vector<AxisList> axis_lists, std::string error) {
    return Row{std::move(name), SdyAllSlice, in, in, lists("slicing_axes", std::move(axis_lists)),
               std::move(error)};
  };
  check({
      row("twice", {{kX}, {kX}}, "duplicate axis ref: \"x\""),
      row("out of range", {{}, {{2, 1, 2}}}, "axis index out of range: 2, num_axes: 2"),
      row("negative", {{{-1, 1, 2}}, {}}, "axis index out of range: -1, num_axes: 2"),
      row("mergeable", {{kYMajor, kYMinor}, {}},
          "two consecutive sub-axes can be merged: \"y\":(1)2, \"y\":(2)2"),
      row("whole and part", {{kY}, {kYMinor}},
          "both sub-axis and full-axis are used for axis name: \"y\""),
      row("pre-size 0", {{{1, 0, 2}}, {}}, "sub-axis pre-size must be at least 1: \"y\":(0)2"),
      row("size 1", {{{1, 2, 1}}, {}}, "sub-axis sizes must be greater than 1: \"y\":(2)1"),
      row("no divisor", {{{1, 1, 3}}, {}},
          "sub-axis next pre-size 3 doesn't divide the size of the full axis 4: \"y\":(1)3"),
  });
}

TEST_CASE("sub-axes of one axis must be able to coexist", "[ir][verify]") {
  const auto [refs, message] = GENERATE(table<AxisList, std::string>({
      {{{0, 1, 4}, {0, 2, 3}}, "overlapping sub-axes: \"p\":(1)4, \"p\":(2)3"},
      {{{0, 1, 2}, {0, 3, 2}}, "sub-axes can't coexist: \"p\":(1)2, \"p\":(3)2"},
  }));
  ModuleMaker m;
  m.module.add_mesh("p", ModuleMaker::mesh("<[\"p\"=12]>"));
  const Attribute slices = AxesListsAttr{m.mesh_named("p"), {{refs[0]}, {refs[1]}}};
  collective(
      m, SdyAllSlice, "",
      attributes({{"out_sharding", m.sharding("<@p, [{}, {}]>")}, {"slicing_axes", slices}}));
  m.finish();
  CHECK(located(verify(m.module)) == std::vector{"op 1: 'sdy.all_slice' op " + message});
}

TEST_CASE("axes before and after a collective must be able to coexist", "[ir][verify]") {
  const std::string in = "<@p, [{\"p\":(1)4}, {}]>";
  ModuleMaker m;
  m.module.add_mesh("p", ModuleMaker::mesh("<[\"p\"=12]>"));
  collective(m, SdyCollectivePermute, in,
             attributes({{"out_sharding", m.sharding("<@p, [{\"p\":(3)4}, {}]>")}}));
  collective(m, SdyCollectivePermute, in,
             attributes({{"out_sharding", m.sharding("<@p, [{\"p\":(1)2, \"p\":(4)3}, {}]>")}}));
  m.finish();
  const std::string name = "'sdy.collective_permute' op ";
  CHECK(
      located(verify(m.module)) ==
      std::vector<std::string>{
          "op 1: " + name + "result axes can't coexist with operand axes",
          "op 2: " + name + "sharded size of result doesn't match operand on dimension 0: 6 != 4"});
}

TEST_CASE("all_slice appends axes to dims", "[ir][verify]") {
  const std::string in = "<@m, [{\"y\":(1)2}, {}]>";
  check({
      {"merges", SdyAllSlice, in, "<@m, [{\"y\"}, {\"x\"}]>",
       lists("slicing_axes", {{kYMinor}, {kX}})},
      {"flags are free", SdyAllSlice, in, "<@m, [{\"y\":(1)2, ?}p1, {?}], replicated={\"x\"}>",
       lists("slicing_axes", {{}, {}})},
      {"another axis", SdyAllSlice, in, "<@m, [{\"y\":(1)2}, {}]>",
       lists("slicing_axes", {{kX}, {}}),
       "result sharding doesn't match expected sharding [\"y\":(1)2, \"x\"] on dimension 0"},
      {"nothing expected", SdyAllSlice, in, "<@m, [{\"y\":(1)2}, {\"x\"}]>",
       lists("slicing_axes", {{}, {}}),
       "result sharding doesn't match expected sharding [] on dimension 1"},
  });
}

TEST_CASE("all_to_all moves axes from dim to dim", "[ir][verify]") {
  const OpKind kind = SdyAllToAll;
  const std::string in = "<@m, [{\"y\"}, {\"x\"}]>";
  const std::string out = "<@m, [{\"y\":(1)2}, {\"x\", \"y\":(2)2}]>";
  check({
      {"a part", kind, in, out, params({{{kYMinor}, 0, 1}})},
      {"nothing to do", kind, in, in, params({}), "parameter list is empty"},
      {"missing", kind, in, in, std::nullopt, "requires attribute 'params'"},
      {"of another mesh", kind, in, in, Named{"params", AllToAllAttr{Mesh(), {{{}, 0, 1}}}},
       "attribute 'params' is on mesh <[]>, but out_sharding is on <[\"x\"=2, \"y\"=4]>"},
      {"source out of range", kind, in, in, params({{{kX}, 2, 1}}),
       "source dimension 2 is out of range [0, 2)"},
      {"negative target", kind, in, in, params({{{kX}, 0, -1}}),
       "target dimension -1 is out of range [0, 2)"},
      {"to itself", kind, in, in, params({{{kX}, 1, 1}}),
       "overlapping source/target dimensions in all-to-all params: 1"},
      {"a dim twice", kind, in, in, params({{{kX}, 1, 0}, {{kY}, 0, 1}}),
       "overlapping source/target dimensions in all-to-all params: 0"},
      {"an axis twice", kind, in, in, params({{{kX}, 1, 0}, {{kX}, 0, 1}}),
       "duplicate axis ref: \"x\""},
      // Param by param: the dims of the first come before the axes of the second.
      {"two errors", kind, in, in, params({{{kX}, 1, 1}, {{kX}, 0, 1}}),
       "overlapping source/target dimensions in all-to-all params: 1"},
      {"not at the end", kind, in, out, params({{{kYMajor}, 0, 1}}),
       "can't apply all-to-all axis \"y\":(1)2 to operand sharding on dimension 0"},
      {"not moved", kind, in, in, params({{{kYMinor}, 0, 1}}),
       "result sharding doesn't match expected sharding [\"y\":(1)2] on dimension 0"},
      {"not arrived", kind, in, "<@m, [{\"y\":(1)2}, {\"x\"}]>", params({{{kYMinor}, 0, 1}}),
       "result sharding doesn't match expected sharding [\"x\", \"y\":(2)2] on dimension 1"},
  });
}

/// On three dims and more.
void check_wide(std::string_view type, std::string_view in, std::string_view out,
                std::vector<AllToAllParam> list, const std::vector<std::string>& errors) {
  ModuleMaker m;
  const ValueId x = m.argument(type, in);
  m.op({.kind = SdyAllToAll,
        .operands = {x},
        .result_types = {type_of(type)},
        .attributes = attributes({{"out_sharding", m.sharding(out)},
                                  {"params", AllToAllAttr{mesh(), std::move(list)}}})});
  m.finish();
  CHECK(located(verify(m.module)) == errors);
}

TEST_CASE("params of an all_to_all are sorted by source dim, other dims are unchanged",
          "[ir][verify]") {
  const std::string type = "tensor<8x8x8x8xf32>";
  check_wide(type, "<@m, [{\"x\"}, {}, {\"y\"}, {}]>", "<@m, [{}, {\"x\"}, {}, {\"y\"}]>",
             {{{kX}, 0, 1}, {{kY}, 2, 3}}, {});
  check_wide(type, "<@m, [{\"x\"}, {}, {\"y\"}, {}]>", "<@m, [{}, {\"x\"}, {}, {\"y\"}]>",
             {{{kY}, 2, 3}, {{kX}, 0, 1}},
             {"op 1: 'sdy.all_to_all' op source dimensions are not sorted in ascending order: 0 "
              "appears after 2"});
  check_wide(type, "<@m, [{\"x\"}, {}, {\"y\"}, {}]>", "<@m, [{}, {\"x\"}, {}, {}]>",
             {{{kX}, 0, 1}},
             {"op 1: 'sdy.all_to_all' op result sharding doesn't match expected sharding [\"y\"] "
              "on dimension 2"});
}

TEST_CASE("collective_permute keeps the number of shards", "[ir][verify]") {
  const OpKind kind = SdyCollectivePermute;
  const std::string in = "<@m, [{\"x\"}, {}]>";
  check({
      {"another axis of that size", kind, in, "<@m, [{\"y\":(2)2}, {}]>"},
      {"another order of devices", kind, in, "<@shuffled, [{\"x\"}, {}]>"},
      {"other axes", kind, in, "<@other, [{}, {}]>", std::nullopt,
       "result mesh has different axes than operand mesh"},
      {"only another name", kind, in, "<@same, [{\"x\"}, {}]>", std::nullopt,
       "result mesh name is different but same device ids as operand"},
      {"inlined", kind, in, "<mesh<[\"x\"=2, \"y\"=4]>, [{\"x\"}, {}]>", std::nullopt,
       "result mesh name is different but same device ids as operand"},
      {"another number", kind, in, "<@m, [{\"x\"}, {\"y\"}]>", std::nullopt,
       "sharded size of result doesn't match operand on dimension 1: 4 != 1"},
  });
}

const std::string kReductionWords =
    "attribute 'reduction_op' must be one of sum max min, of sdy.reduction_op";

TEST_CASE("all_reduce keeps the layout", "[ir][verify]") {
  const OpKind kind = SdyAllReduce;
  const std::string in = "<@m, [{\"x\"}, {}], unreduced={\"y\"}>";
  const std::string out = "<@m, [{\"x\"}, {}]>";
  check({
      {"reduces", kind, in, out, axes("reduction_axes", {kY})},
      {"an operand without sharding", kind, "", "<@m, [{?}, {}]>", axes("reduction_axes", {kY})},
      {"another layout", kind, in, "<@m, [{}, {\"x\"}]>", axes("reduction_axes", {kY}),
       "operand and result shardings are not equivalent"},
      {"missing", kind, in, out, std::nullopt, "requires attribute 'reduction_axes'"},
      {"spelled", kind, in, out, Named{"reduction_axes", UnresolvedAxesAttr{}},
       "attribute 'reduction_axes' must be resolved axes"},
      {"of another mesh", kind, in, out, Named{"reduction_axes", AxesAttr{Mesh(), {}}},
       "attribute 'reduction_axes' is on mesh <[]>, but out_sharding is on <[\"x\"=2, \"y\"=4]>"},
      {"out of order", kind, in, out, axes("reduction_axes", {kYMinor, kYMajor}),
       "reduction axes are not ordered w.r.t. mesh"},
      {"out of range", kind, in, out, axes("reduction_axes", {{5, 1, 2}}),
       "axis index out of range: 5, num_axes: 2"},
      {"along a dim", kind, in, out, axes("reduction_axes", {kX}),
       "reduction axis \"x\" overlaps with operand dimension sharding or replicated axes"},
      {"along a replicated axis", kind, "<@m, [{}, {}], replicated={\"y\":(1)2}>", "<@m, [{}, {}]>",
       axes("reduction_axes", {kY}),
       "reduction axis \"y\" overlaps with operand dimension sharding or replicated axes"},
      {"still unreduced", kind, in, in, axes("reduction_axes", {kYMajor}),
       "reduction axis \"y\":(1)2 overlaps with result unreduced axes"},
      {"adds an axis", kind, out, in, axes("reduction_axes", {}),
       "cannot add new unreduced axis 'y'."},
      {"reduces another way", kind, "<@m, [{\"x\"}, {}], unreduced=max{\"y\"}>", out,
       axes("reduction_axes", {kY}), "cannot reduce 'max' unreduced axes. Expected 'sum'."},
  });
}

TEST_CASE("all_reduce reduces by its reduction_op", "[ir][verify]") {
  ModuleMaker m;
  const auto reduce = [&](Attribute op) {
    collective(m, SdyAllReduce, "<@m, [{}, {}], unreduced=max{\"x\"}>",
               attributes({{"out_sharding", m.sharding("<@m, [{}, {}]>")},
                           {"reduction_axes", AxesAttr{mesh(), {kX}}},
                           {"reduction_op", std::move(op)}}));
  };
  reduce(EnumAttr{"sdy.reduction_op", "max"});
  reduce(EnumAttr{"sdy.reduction_op", "min"});
  reduce(EnumAttr{"sdy.reduction_op", "prod"});
  reduce("max");
  m.finish();
  const std::string name = "'sdy.all_reduce' op ";
  CHECK(located(verify(m.module)) ==
        std::vector<std::string>{
            "op 2: " + name + "cannot reduce 'max' unreduced axes. Expected 'min'.",
            "op 3: " + name + kReductionWords, "op 4: " + name + kReductionWords});
}

TEST_CASE("reduce_scatter reduces, then slices", "[ir][verify]") {
  const OpKind kind = SdyReduceScatter;
  const std::string in = "<@m, [{\"x\"}, {}], unreduced={\"y\"}>";
  check({
      {"fits", kind, in, "<@m, [{\"x\"}, {\"y\"}]>", lists("reduce_scatter_axes", {{}, {kY}})},
      {"not sliced", kind, in, "<@m, [{\"x\"}, {}]>", lists("reduce_scatter_axes", {{}, {kY}}),
       "result sharding doesn't match expected sharding [\"y\"] on dimension 1"},
      {"adds an axis", kind, "<@m, [{}, {}]>", "<@m, [{}, {}], unreduced={\"y\"}>",
       lists("reduce_scatter_axes", {{}, {}}), "cannot add new unreduced axis 'y'."},
      {"missing", kind, in, "<@m, [{\"x\"}, {}]>", std::nullopt,
       "requires attribute 'reduce_scatter_axes'"},
      {"of another op", kind, in, "<@m, [{\"x\"}, {}]>", Named{"reduction_op", "sum"},
       kReductionWords},
      {"changes the reduction", kind, "<@m, [{}, {}], unreduced=max{\"y\"}>",
       "<@m, [{}, {}], unreduced={\"y\"}>", lists("reduce_scatter_axes", {{}, {}}),
       "cannot change the reduction operator of kept unreduced axes from max to sum."},
  });
}

TEST_CASE("sharded_to_unreduced gathers into unreduced axes", "[ir][verify]") {
  const OpKind kind = SdyShardedToUnreduced;
  const std::string in = "<@m, [{\"x\"}, {\"y\"}]>";
  check({
      {"a part", kind, in, "<@m, [{\"x\"}, {\"y\":(1)2}], unreduced={\"y\":(2)2}>",
       lists("axes", {{}, {kYMinor}})},
      {"of both dims", kind, in, "<@m, [{}, {}], unreduced={\"x\", \"y\"}>",
       lists("axes", {{kX}, {kY}})},
      {"to a maximum", kind, in, "<@m, [{}, {\"y\"}], unreduced=max{\"x\"}>",
       lists("axes", {{kX}, {}}), "out_sharding reduction_op must be SUM"},
      {"of nothing", kind, in, in, lists("axes", {{kY}, {}}),
       "can't apply shard-to-unreduce axis \"y\" to operand sharding on dimension 0"},
      {"lost", kind, in, "<@m, [{}, {\"y\"}]>", lists("axes", {{kX}, {}}),
       "out_unreduced_axes should be in_unreduced_axes + sharded_to_unreduced_axes"},
  });
}

TEST_CASE("replicated_to_unreduced does not change dims", "[ir][verify]") {
  const OpKind kind = SdyReplicatedToUnreduced;
  const std::string in = "<@m, [{\"x\"}, {}], replicated={\"y\":(1)2}, unreduced={\"y\":(2)2}>";
  check({
      {"merges with what is unreduced", kind, in, "<@m, [{\"x\"}, {}], unreduced={\"y\"}>",
       axes("axes", {kYMajor})},
      {"to a maximum", kind, in, "<@m, [{\"x\"}, {}], unreduced=max{\"y\"}>",
       axes("axes", {kYMajor}), "out_sharding reduction_op must be SUM"},
      {"opens a dim", kind, in, "<@m, [{\"x\", ?}, {}], unreduced={\"y\"}>",
       axes("axes", {kYMajor}), "input and output must share the same dimension shardings"},
      {"nothing", kind, in, in, axes("axes", {}), "r2u axes must not be empty"},
      {"missing", kind, in, in, std::nullopt, "requires attribute 'axes'"},
      {"lists", kind, in, in, lists("axes", {{}, {}}), "attribute 'axes' must be resolved axes"},
      {"out of order", kind, in, in, axes("axes", {kYMajor, kX}),
       "r2u axes are not ordered w.r.t. mesh"},
      {"along a dim", kind, in, in, axes("axes", {kX}),
       "r2u axis \"x\" overlaps with operand dimension sharding"},
      {"unreduced already", kind, in, in, axes("axes", {kYMinor}),
       "r2u axis \"y\":(2)2 overlaps with operand unreduced axes"},
      {"lost", kind, in, in, axes("axes", {kYMajor}),
       "out_unreduced_axes should be in_unreduced_axes + replicated_to_unreduced_axes"},
  });
}

}  // namespace
}  // namespace shardy_test::verify_collective_test
