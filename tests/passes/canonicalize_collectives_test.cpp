// Collectives that do nothing or can be one. Spec: dialect 7.2.
#include "ir/listing.hpp"
#include "ir/verify_row.hpp"
#include "shardy/passes/export/canonicalize.hpp"

namespace shardy_test {
namespace {

using enum OpKind;
using shardy::passes::simplify_collectives;
using Lines = std::vector<std::string>;

const std::string kF32 = "tensor<16x8xf32>";
const std::string kNone = "<@m, [{}, {}]>";
const std::string kAlongX = "<@m, [{\"x\"}, {}]>";

struct Maker : ModuleMaker {
  Attribute lists(std::vector<AxisList> axes) const {
    return AxesListsAttr{mesh_named("m"), std::move(axes)};
  }
  Attribute axes(AxisList list) const { return AxesAttr{mesh_named("m"), std::move(list)}; }

  ValueId collective(OpKind kind, ValueId x, const std::string& out,
                     AttributeEntries entries = {}) {
    AttributeMap map = attributes(entries);
    map.set("out_sharding", sharding(out));
    return value({.kind = kind,
                  .operands = {x},
                  .result_types = {module.type(x)},
                  .attributes = std::move(map)});
  }
  ValueId gather(ValueId x, const std::string& out, std::vector<AxisList> axes) {
    return collective(SdyAllGather, x, out, {{"gathering_axes", lists(std::move(axes))}});
  }
  ValueId slice(ValueId x, const std::string& out, std::vector<AxisList> axes) {
    return collective(SdyAllSlice, x, out, {{"slicing_axes", lists(std::move(axes))}});
  }
  ValueId reduce(ValueId x, const std::string& out, AxisList list) {
    return collective(SdyAllReduce, x, out, {{"reduction_axes", axes(std::move(list))}});
  }
  ValueId all_to_all(ValueId x, const std::string& out, std::vector<AllToAllParam> params) {
    return collective(SdyAllToAll, x, out,
                      {{"params", AllToAllAttr{mesh_named("m"), std::move(params)}}});
  }
  void use(std::vector<ValueId> values) {
    op({.name = "test.use", .operands = std::move(values)});
    finish();
  }
  /// What is left of a well-formed module: another one.
  Lines simplified() {
    CHECK(located(verify(module)).empty());
    CHECK(simplify_collectives(module));
    CHECK(located(verify(module)).empty());
    CHECK_FALSE(simplify_collectives(module));
    return listing(*this);
  }
  void check_kept() {
    CHECK(located(verify(module)).empty());
    const Lines before = listing(*this);
    CHECK_FALSE(simplify_collectives(module));
    CHECK(listing(*this) == before);
  }
};

struct Row {
  std::string name;
  std::function<ValueId(Maker&, ValueId)> make;  // from an argument along x
};

const std::vector<Row> kNothing = {
    {"C1: gathers nothing",
     [](Maker& m, ValueId x) {
       return m.gather(x, "<@m, [{\"x\", ?}, {}]>", {{}, {}});
     }},
    {"C2: slices nothing",
     [](Maker& m, ValueId x) {
       return m.slice(x, kAlongX, {{}, {}});
     }},
    {"C3: reduces nothing", [](Maker& m, ValueId x) { return m.reduce(x, kAlongX, {}); }},
    {"C4: permutes nothing",
     [](Maker& m, ValueId x) {
       return m.collective(SdyCollectivePermute, x, "<@m, [{\"x\", ?}p1, {?}]>");
     }},
    {"C5: scatters nothing",
     [](Maker& m, ValueId x) {
       return m.collective(SdyReduceScatter, x, kAlongX,
                           {{"reduce_scatter_axes", m.lists({{}, {}})}});
     }},
};

TEST_CASE("a collective that does nothing is its operand (C1 to C5)", "[passes][canonicalize]") {
  for (const Row& row : kNothing) {
    Maker m;
    const ValueId x = m.argument(kF32, kAlongX);
    m.use({row.make(m, x)});
    CAPTURE(row.name);
    CHECK(m.simplified() == Lines{"test.use(%0)", "func.return()"});
  }
}

TEST_CASE("a permute to another order of devices does something (C4)", "[passes][canonicalize]") {
  Maker m;
  m.use({m.collective(SdyCollectivePermute, m.argument(kF32, kAlongX),
                      "<@shuffled, [{\"x\"}, {}]>")});
  m.check_kept();
}

TEST_CASE("a permute of what is whole on each device does nothing (C4)", "[passes][canonicalize]") {
  Maker m;
  m.use({m.collective(SdyCollectivePermute, m.argument(kF32, kNone), "<@shuffled, [{}, {}]>")});
  CHECK(m.simplified() == Lines{"test.use(%0)", "func.return()"});
}

TEST_CASE("slicing what was gathered undoes it (C6)", "[passes][canonicalize]") {
  const bool is_used_otherwise = GENERATE(true, false);
  Maker m;
  const ValueId gathered = m.gather(m.argument(kF32, kAlongX), kNone, {{kX}, {}});
  std::vector<ValueId> used = {m.slice(gathered, kAlongX, {{kX}, {}})};
  if (is_used_otherwise) used.push_back(gathered);
  m.use(std::move(used));
  // The gather stays even when it is dead.
  CHECK(m.simplified() == Lines{"%1 = sdy.all_gather(%0) " + kNone,
                                is_used_otherwise ? "test.use(%0, %1)" : "test.use(%0)",
                                "func.return()"});
}

TEST_CASE("slicing something else does not undo a gather (C6)", "[passes][canonicalize]") {
  Maker m;
  const ValueId gathered = m.gather(m.argument(kF32, kAlongX), kNone, {{kX}, {}});
  m.use({m.slice(gathered, "<@m, [{}, {\"x\"}]>", {{}, {kX}})});
  m.check_kept();
}

TEST_CASE("reducing what was made unreduced undoes it (C7)", "[passes][canonicalize]") {
  Maker m;
  const ValueId partial =
      m.collective(SdyReplicatedToUnreduced, m.argument(kF32, kNone),
                   "<@m, [{}, {}], unreduced={\"x\", \"y\"}>", {{"axes", m.axes({kX, kY})}});
  m.use({m.reduce(partial, kNone, {kX, kY}),
         m.reduce(partial, "<@m, [{}, {}], unreduced={\"y\"}>", {kX})});
  CHECK(m.simplified() ==
        Lines{"%1 = sdy.replicated_to_unreduced(%0) <@m, [{}, {}], unreduced={\"x\", \"y\"}>",
              "%2 = sdy.all_reduce(%1) <@m, [{}, {}], unreduced={\"y\"}>", "test.use(%0, %2)",
              "func.return()"});
}

TEST_CASE("reducing blocks that were made unreduced gathers them (C8)", "[passes][canonicalize]") {
  Maker m;
  // The parts of y merge, and stand behind x in the order of the mesh.
  const ValueId partial = m.collective(
      SdyShardedToUnreduced, m.argument(kF32, "<@m, [{\"y\":(2)2, \"x\"}, {\"y\":(1)2}]>"),
      "<@m, [{}, {}], unreduced={\"x\", \"y\"}>", {{"axes", m.lists({{kYMinor, kX}, {kYMajor}})}});
  m.use({m.reduce(partial, "<@m, [{?}, {}]>", {kX, kY})});
  CHECK(m.simplified() ==
        Lines{"%1 = sdy.sharded_to_unreduced(%0) <@m, [{}, {}], unreduced={\"x\", \"y\"}>",
              "%2 = sdy.all_gather(%0) <@m, [{?}, {}]>", "test.use(%2)", "func.return()"});
  const OpId gather = m.module.next(m.module.first_op(m.module.entry(m.main)));
  REQUIRE(m.module.attribute<AxesListsAttr>(gather, "gathering_axes"));
  CHECK(m.module.attribute<AxesListsAttr>(gather, "gathering_axes")->lists ==
        std::vector<AxisList>{{kYMinor, kX}, {kYMajor}});
}

TEST_CASE("reducing fewer blocks than were made unreduced stays (C8)", "[passes][canonicalize]") {
  Maker m;
  const ValueId partial =
      m.collective(SdyShardedToUnreduced, m.argument(kF32, "<@m, [{\"x\"}, {\"y\"}]>"),
                   "<@m, [{}, {}], unreduced={\"x\", \"y\"}>", {{"axes", m.lists({{kX}, {kY}})}});
  m.use({m.reduce(partial, "<@m, [{}, {}], unreduced={\"y\"}>", {kX})});
  m.check_kept();
}

// ---- all_to_all ---------------------------------------------------------------------------------

TEST_CASE("an all_to_all that nobody uses goes, other collectives stay (C9)",
          "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument(kF32, kAlongX);
  m.all_to_all(x, "<@m, [{}, {\"x\"}]>", {{{kX}, 0, 1}});
  m.gather(x, kNone, {{kX}, {}});
  m.use({});
  CHECK(m.simplified() == Lines{"%1 = sdy.all_gather(%0) " + kNone, "test.use()", "func.return()"});
}

const std::string kWide = "tensor<8x8x8x8xf32>";

TEST_CASE("two all_to_alls over different dims are one, by source dim (C10)",
          "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument(kWide, "<@m, [{\"x\"}, {}, {\"y\"}, {}]>");
  const ValueId first = m.all_to_all(x, "<@m, [{\"x\"}, {}, {}, {\"y\"}]>", {{{kY}, 2, 3}});
  m.use({m.all_to_all(first, "<@m, [{}, {\"x\", ?}, {}, {\"y\"}]>", {{{kX}, 0, 1}})});
  CHECK(m.simplified() == Lines{"%1 = sdy.all_to_all(%0) <@m, [{}, {\"x\", ?}, {}, {\"y\"}]>",
                                "test.use(%1)", "func.return()"});
  const OpId joined = m.module.first_op(m.module.entry(m.main));
  CHECK(m.module.attribute<AllToAllAttr>(joined, "params")->params ==
        std::vector<AllToAllParam>{{{kX}, 0, 1}, {{kY}, 2, 3}});
}

TEST_CASE("all_to_alls that share a dim or a user stay two (C10)", "[passes][canonicalize]") {
  const bool shares_dim = GENERATE(true, false);
  Maker m;
  const ValueId x = m.argument(kWide, "<@m, [{\"x\"}, {}, {\"y\"}, {}]>");
  const ValueId first = m.all_to_all(x, "<@m, [{\"x\"}, {}, {}, {\"y\"}]>", {{{kY}, 2, 3}});
  if (shares_dim) {
    m.use({m.all_to_all(first, "<@m, [{}, {}, {\"x\"}, {\"y\"}]>", {{{kX}, 0, 2}})});
  } else {
    m.use({first, m.all_to_all(first, "<@m, [{}, {\"x\"}, {}, {\"y\"}]>", {{{kX}, 0, 1}})});
  }
  m.check_kept();
}

// ---- C11 ----------------------------------------------------------------------------------------

TEST_CASE("slicing what was reduced scatters (C11)", "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument(kF32, "<@m, [{}, {}], unreduced={\"x\"}>");
  const ValueId reduced = m.reduce(x, "<@m, [{?}, {?}]>", {kX});
  // Explicitly replicated axes are those of the slice.
  const std::string out = "<@m, [{\"x\"}, {}], replicated={\"y\":(2)2}>";
  m.use({m.slice(reduced, out, {{kX}, {}}), m.slice(reduced, kAlongX, {{kX}, {}})});
  CHECK(m.simplified() ==
        Lines{"%1 = sdy.reduce_scatter(%0) " + out, "test.use(%1, %1)", "func.return()"});
  const OpId scatter = m.module.first_op(m.module.entry(m.main));
  CHECK(m.module.attribute<AxesListsAttr>(scatter, "reduce_scatter_axes")->lists ==
        std::vector<AxisList>{{kX}, {}});
}

TEST_CASE("what a scatter leaves is sliced behind it (C11)", "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument(kF32, "<@m, [{}, {\"y\":(1)2}], unreduced={\"x\"}>");
  const ValueId reduced = m.reduce(x, "<@m, [{}, {\"y\":(1)2}]>", {kX});
  const std::string out = "<@m, [{}, {\"y\":(1)2, \"x\", \"y\":(2)2, ?}]>";
  m.use({m.slice(reduced, out, {{}, {kX, kYMinor}})});
  CHECK(m.simplified() == Lines{"%1 = sdy.reduce_scatter(%0) <@m, [{}, {\"y\":(1)2, \"x\"}]>",
                                "%2 = sdy.all_slice(%1) " + out, "test.use(%2)", "func.return()"});
}

TEST_CASE("a scatter reduces as the all_reduce did (C11)", "[passes][canonicalize]") {
  Maker m;
  const EnumAttr max{"sdy.reduction_op", "max"};
  const ValueId reduced =
      m.collective(SdyAllReduce, m.argument(kF32, "<@m, [{}, {}], unreduced=max{\"x\"}>"), kNone,
                   {{"reduction_axes", m.axes({kX})}, {"reduction_op", max}});
  m.use({m.slice(reduced, kAlongX, {{kX}, {}})});
  m.simplified();
  const OpId scatter = m.module.first_op(m.module.entry(m.main));
  REQUIRE(m.module.attribute<EnumAttr>(scatter, "reduction_op"));
  CHECK(*m.module.attribute<EnumAttr>(scatter, "reduction_op") == max);
}

struct Kept {
  std::string name;
  std::string in;
  AxisList reduced;
  std::string middle;
  std::vector<AxisList> sliced;
  std::string out;
};

TEST_CASE("an all_reduce stays if its axes are no prefixes of the slices (C11)",
          "[passes][canonicalize]") {
  const std::string over_xy = "<@m, [{}, {}], unreduced={\"x\", \"y\"}>";
  const std::vector<Kept> rows = {
      {"not sliced", over_xy, {kX}, "<@m, [{}, {}], unreduced={\"y\"}>", {{}, {}}, ""},
      {"behind another axis",
       "<@m, [{}, {}], unreduced={\"x\"}>",
       {kX},
       kNone,
       {{kY, kX}, {}},
       "<@m, [{\"y\", \"x\"}, {}]>"},
      {"one of two", over_xy, {kX, kY}, kNone, {{kX}, {}}, kAlongX},
      {"a part of a sliced axis",
       "<@m, [{}, {}], unreduced={\"y\":(1)2}>",
       {kYMajor},
       kNone,
       {{kY}, {}},
       "<@m, [{\"y\"}, {}]>"},
  };
  for (const Kept& row : rows) {
    Maker m;
    const ValueId reduced = m.reduce(m.argument(kF32, row.in), row.middle, row.reduced);
    m.use({row.out.empty() ? reduced : m.slice(reduced, row.out, row.sliced)});
    CAPTURE(row.name);
    m.check_kept();
  }
}

TEST_CASE("an all_reduce stays if it is used in different ways (C11)", "[passes][canonicalize]") {
  const bool slices_twice = GENERATE(true, false);
  Maker m;
  const ValueId reduced =
      m.reduce(m.argument(kF32, "<@m, [{}, {}], unreduced={\"x\"}>"), kNone, {kX});
  const ValueId sliced = m.slice(reduced, kAlongX, {{kX}, {}});
  m.use({sliced, slices_twice ? m.slice(reduced, "<@m, [{}, {\"x\"}]>", {{}, {kX}}) : reduced});
  m.check_kept();
}

}  // namespace
}  // namespace shardy_test
