// Canonicalization pattern by pattern. Spec: dialect 7.
#include "shardy/passes/export/canonicalize.hpp"

#include "ir/listing.hpp"
#include "ir/verify_row.hpp"
#include "shardy/passes/built_in.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy_test {
namespace {

using enum OpKind;
using namespace shardy::passes;  // NOLINT(google-build-using-namespace): the layer under test
using Lines = std::vector<std::string>;

const std::string kF32 = "tensor<4x8xf32>";

struct Maker : ModuleMaker {
  ValueId reshard(ValueId x, const std::string& to) {
    return value({.kind = SdyReshard,
                  .operands = {x},
                  .result_types = {module.type(x)},
                  .attributes = attributes({{"sharding", sharding(to)}})});
  }
  ValueId reshape(ValueId x, const std::string& type) {
    return value({.kind = Reshape, .operands = {x}, .result_types = {type_of(type)}});
  }
  ValueId transpose(ValueId x, const std::string& type, std::vector<int64_t> order) {
    return value({.kind = Transpose,
                  .operands = {x},
                  .result_types = {type_of(type)},
                  .attributes = attributes({{"permutation", integers(std::move(order))}})});
  }
  /// A user of all of them, and the end.
  void use(std::vector<ValueId> values) {
    op({.name = "test.use", .operands = std::move(values)});
    finish();
  }
};

// ---- R1 -----------------------------------------------------------------------------------------

TEST_CASE("the second of two equal reshards is the first (R1)", "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument(kF32);
  const ValueId first = m.reshard(x, "<@m, [{\"x\"}, {?}]>");
  m.use({first, m.reshard(x, "<@m, [{\"x\", ?}p3, {}]>")});  // flags do not matter
  CHECK(reuse_reshards(m.module));
  CHECK(listing(m) ==
        Lines{"%1 = sdy.reshard(%0) <@m, [{\"x\"}, {?}]>", "test.use(%1, %1)", "func.return()"});
  CHECK_FALSE(reuse_reshards(m.module));
}

TEST_CASE("the earliest of several reshards is reused (R1)", "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument(kF32);
  const ValueId a = m.reshard(x, "<@m, [{\"x\", ?}, {}]>");
  const ValueId b = m.reshard(m.reshape(x, "tensor<32xf32>"), "<@m, [{\"y\"}]>");
  const ValueId c = m.reshard(x, "<@m, [{\"x\"}, {?}]>");
  m.use({a, b, c});
  CHECK(reuse_reshards(m.module));
  CHECK(listing(m).at(3) == "test.use(%1, %3, %1)");
}

TEST_CASE("a reshard below a reshape is a reshape of the one above (R1)",
          "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument("tensor<8x4xf32>");
  const ValueId above = m.reshard(x, "<@m, [{\"y\"}, {}]>");
  const ValueId flat = m.reshape(x, "tensor<32xf32>");
  m.use({above, m.reshard(flat, "<@m, [{\"y\"}]>"), flat});
  CHECK(reuse_reshards(m.module));
  CHECK(listing(m) == Lines{"%1 = sdy.reshard(%0) <@m, [{\"y\"}, {}]>",
                            "%2 = stablehlo.reshape(%0)", "%3 = stablehlo.reshape(%1)",
                            "test.use(%1, %3, %2)", "func.return()"});
  CHECK(located(verify(m.module)).empty());
}

TEST_CASE("a reshard above a reshape is a reshape of the one below (R1)",
          "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument("tensor<8x4xf32>");
  const ValueId below = m.reshard(m.reshape(x, "tensor<32xf32>"), "<@m, [{\"y\"}]>");
  m.use({below, m.reshard(x, "<@m, [{\"y\"}, {}]>")});
  CHECK(reuse_reshards(m.module));
  // Back to the type of the root right behind the reshard.
  CHECK(listing(m) == Lines{"%1 = stablehlo.reshape(%0)", "%2 = sdy.reshard(%1) <@m, [{\"y\"}]>",
                            "%3 = stablehlo.reshape(%2)", "test.use(%2, %3)", "func.return()"});
  CHECK(located(verify(m.module)).empty());
}

TEST_CASE("a reshard below a transpose is a transpose of the one above, not the other way (R1)",
          "[passes][canonicalize]") {
  const bool is_above_first = GENERATE(true, false);
  Maker m;
  const ValueId x = m.argument(kF32);
  const auto above = [&] { return m.reshard(x, "<@m, [{\"x\"}, {\"y\"}]>"); };
  const auto below = [&] {
    return m.reshard(m.transpose(x, "tensor<8x4xf32>", {1, 0}), "<@m, [{\"y\"}, {\"x\"}]>");
  };
  const ValueId first = is_above_first ? above() : below();
  m.use({first, is_above_first ? below() : above()});
  CHECK(reuse_reshards(m.module) == is_above_first);
  CHECK(located(verify(m.module)).empty());
  if (!is_above_first) return;
  CHECK(listing(m) == Lines{"%1 = sdy.reshard(%0) <@m, [{\"x\"}, {\"y\"}]>",
                            "%2 = stablehlo.transpose(%0)", "%3 = stablehlo.transpose(%1)",
                            "test.use(%1, %3)", "func.return()"});
}

TEST_CASE("a transpose carries dims up, with the reduction of unreduced axes (R1)",
          "[passes][canonicalize]") {
  const auto [above, is_reused] = GENERATE(table<std::string, bool>({
      {"<@m, [{\"x\"}, {}, {}], unreduced=max{\"y\"}>", true},
      {"<@m, [{\"x\"}, {}, {}], unreduced={\"y\"}>", false},
      {"<@m, [{}, {\"x\"}, {}], unreduced=max{\"y\"}>", false},
      {"<@m, [{}, {}, {\"x\"}], unreduced=max{\"y\"}>", false},
  }));
  CAPTURE(above);
  Maker m;
  const ValueId x = m.argument("tensor<2x4x8xf32>");
  const ValueId first = m.reshard(x, above);
  // Result dim i comes from operand dim order[i].
  const ValueId turned = m.transpose(x, "tensor<8x2x4xf32>", {2, 0, 1});
  m.use({first, m.reshard(turned, "<@m, [{}, {\"x\"}, {}], unreduced=max{\"y\"}>")});
  CHECK(reuse_reshards(m.module) == is_reused);
}

struct Kept {
  std::string name;
  std::function<void(Maker&)> make;
};

const std::vector<Kept> kKept = {
    {"another sharding",
     [](Maker& m) {
       const ValueId x = m.argument(kF32);
       m.use({m.reshard(x, "<@m, [{\"x\"}, {}]>"), m.reshard(x, "<@m, [{\"y\"}, {}]>")});
     }},
    {"another tensor",
     [](Maker& m) {
       m.use({m.reshard(m.argument(kF32), "<@m, [{\"x\"}, {}]>"),
              m.reshard(m.argument(kF32), "<@m, [{\"x\"}, {}]>")});
     }},
    {"columns are no blocks",
     [](Maker& m) {
       const ValueId x = m.argument("tensor<16xf32>");
       m.use({m.reshard(x, "<@m, [{\"x\"}]>"),
              m.reshard(m.reshape(x, "tensor<4x4xf32>"), "<@m, [{}, {\"x\"}]>")});
     }},
    {"columns of another width",
     [](Maker& m) {
       const ValueId x = m.argument(kF32);
       m.use({m.reshard(x, "<@m, [{}, {\"x\"}]>"),
              m.reshard(m.reshape(x, "tensor<8x4xf32>"), "<@m, [{}, {\"x\"}]>")});
     }},
    {"in another block",
     [](Maker& m) {
       const ValueId x = m.argument(kF32);
       const RegionId region = m.module.new_region();
       const BlockId outer = m.block;
       m.block = m.module.new_block(region);
       m.reshard(x, "<@m, [{\"x\"}, {}]>");
       m.block = outer;
       m.op({.name = "test.op", .regions = {region}});
       m.use({m.reshard(x, "<@m, [{\"x\"}, {}]>")});
     }},
    // D6: strides of 4 on both sides, but of another dim.
    {"strides that agree by accident",
     [](Maker& m) {
       const ValueId x = m.argument("tensor<2x4x8xf32>");
       m.use(
           {m.reshard(x, "<@m, [{}, {}, {\"x\"}]>"),
            m.reshard(m.transpose(x, "tensor<8x2x4xf32>", {2, 0, 1}), "<@m, [{}, {}, {\"x\"}]>")});
     }},
    {"strides of a dim that is smaller than its shards are many",
     [](Maker& m) {
       const ValueId x = m.argument("tensor<2x1xf32>");
       m.use({m.reshard(x, "<@m, [{\"x\"}, {}]>"), m.reshard(x, "<@m, [{}, {\"x\"}]>")});
     }},
    {"a transpose above a reshape",
     [](Maker& m) {
       const ValueId x = m.argument(kF32);
       const ValueId flat = m.reshape(m.transpose(x, "tensor<8x4xf32>", {1, 0}), "tensor<32xf32>");
       m.use({m.reshard(x, "<@m, [{\"x\"}, {}]>"), m.reshard(flat, "<@m, [{\"x\"}]>")});
     }},
};

TEST_CASE("reshards to other layouts are kept (R1)", "[passes][canonicalize]") {
  for (const Kept& row : kKept) {
    Maker m;
    row.make(m);
    CAPTURE(row.name);
    const Lines before = listing(m);
    CHECK_FALSE(reuse_reshards(m.module));
    CHECK(listing(m) == before);
  }
}

TEST_CASE("a transpose above a reshape is seen through by its elements (R1)",
          "[passes][canonicalize]") {
  Maker m;
  // The transpose moves only a dim of size 1, so flat order stays.
  const ValueId x = m.argument("tensor<1x8xf32>");
  const ValueId flat = m.reshape(m.transpose(x, "tensor<8x1xf32>", {1, 0}), "tensor<8xf32>");
  m.use({m.reshard(x, "<@m, [{}, {\"x\"}]>"), m.reshard(flat, "<@m, [{\"x\"}]>")});
  CHECK(reuse_reshards(m.module));
  CHECK(listing(m) == Lines{"%1 = stablehlo.transpose(%0)", "%2 = stablehlo.reshape(%1)",
                            "%3 = sdy.reshard(%0) <@m, [{}, {\"x\"}]>",
                            "%4 = stablehlo.transpose(%3)", "%5 = stablehlo.reshape(%4)",
                            "test.use(%3, %5)", "func.return()"});
}

// ---- R2 -----------------------------------------------------------------------------------------

TEST_CASE("a chain of reshards goes straight to its end (R2)", "[passes][canonicalize]") {
  Maker m;
  const ValueId x = m.argument(kF32);
  const ValueId a = m.reshard(x, "<@m, [{\"x\"}, {}]>");
  m.use({m.reshard(m.reshard(a, "<@m, [{\"y\"}, {}]>"), "<@m, [{}, {\"x\"}]>")});
  CHECK(join_reshards(m.module));
  CHECK(listing(m) ==
        Lines{"%1 = sdy.reshard(%0) <@m, [{}, {\"x\"}]>", "test.use(%1)", "func.return()"});
  CHECK_FALSE(join_reshards(m.module));
}

TEST_CASE("a reshard that is used twice stays in front of the next (R2)",
          "[passes][canonicalize]") {
  Maker m;
  const ValueId a = m.reshard(m.argument(kF32), "<@m, [{\"x\"}, {}]>");
  m.use({a, m.reshard(a, "<@m, [{\"y\"}, {}]>")});
  CHECK_FALSE(join_reshards(m.module));
}

TEST_CASE("ops without effects that nobody uses go, one after the other",
          "[passes][canonicalize]") {
  Maker m;
  const ValueId a = m.reshard(m.argument(kF32), "<@m, [{\"x\"}, {}]>");
  m.reshard(m.reshape(a, "tensor<32xf32>"), "<@m, [{\"x\"}]>");
  m.use({a});
  CHECK(erase_dead_ops(m.module));
  CHECK(listing(m) ==
        Lines{"%1 = sdy.reshard(%0) <@m, [{\"x\"}, {}]>", "test.use(%1)", "func.return()"});
  CHECK_FALSE(erase_dead_ops(m.module));
}

// ---- Manual computations ------------------------------------------------------------------------

struct Manual {
  std::vector<ValueId> operands = {};
  std::vector<std::string> in = {};
  std::vector<std::string> out = {};
  std::vector<std::string> axes = {};
  std::vector<std::string> args = {};
  std::vector<std::size_t> returned = {};  // arguments that are handed on
};

OpId manual(Maker& m, const Manual& text) {
  const RegionId region = m.module.new_region();
  const BlockId body = m.module.new_block(region, types_of(text.args));
  OpSpec last{.kind = SdyReturn};
  OpSpec spec{.kind = SdyManualComputation, .operands = text.operands};
  for (const std::size_t index : text.returned) {
    last.operands.push_back(m.module.args(body)[index]);
    spec.result_types.push_back(m.module.type(text.operands[index]));
  }
  m.module.append(body, m.module.create(std::move(last)));
  spec.attributes = attributes({{"in_shardings", m.shardings(text.in)},
                                {"out_shardings", m.shardings(text.out)},
                                {"manual_axes", ManualAxesAttr{text.axes}}});
  spec.regions = {region};
  return m.op(std::move(spec));
}

TEST_CASE("a manual computation takes only what it uses (MC1)", "[passes][canonicalize]") {
  Maker m;
  const std::vector<ValueId> x = {m.argument("tensor<2xf32>"), m.argument("tensor<4xf32>"),
                                  m.argument("tensor<6xf32>")};
  const OpId op = manual(m, {.operands = x,
                             .in = {"<@m, [{\"x\"}]>", "<@m, [{\"x\", ?}]>", "<@m, [{\"x\"}]>"},
                             .out = {"<@m, [{\"x\", ?}]>"},
                             .axes = {"x"},
                             .args = {"tensor<1xf32>", "tensor<2xf32>", "tensor<3xf32>"},
                             .returned = {1}});
  m.use(m.module.results(op));
  CHECK(drop_unused_manual_arguments(m.module));
  CHECK(listing(m) == Lines{"%3 = sdy.manual_computation(%1) in_shardings=[<@m, [{\"x\", ?}]>] "
                            "out_shardings=[<@m, [{\"x\", ?}]>] ^(%4)",
                            "sdy.return(%4)", "test.use(%3)", "func.return()"});
  CHECK(located(verify(m.module)).empty());
  CHECK_FALSE(drop_unused_manual_arguments(m.module));
}

TEST_CASE("a manual computation that does nothing goes (MC2)", "[passes][canonicalize]") {
  Maker m;
  manual(m, {.axes = {"x"}});
  const OpId with_body = manual(m, {.axes = {"x"}});
  m.module.insert_before(m.module.last_op(m.module.block(with_body)),
                         m.module.create(OpSpec{.name = "test.op"}));
  const ValueId x = m.argument("tensor<2xf32>");
  manual(m, {.operands = {x}, .in = {"<@m, [{\"x\"}]>"}, .axes = {"x"}, .args = {"tensor<1xf32>"}});
  m.use({});
  CHECK(erase_empty_manual_computations(m.module));
  CHECK(listing(m) ==
        Lines{"sdy.manual_computation() in_shardings=[] out_shardings=[] ^()", "test.op()",
              "sdy.return()",
              "sdy.manual_computation(%0) in_shardings=[<@m, [{\"x\"}]>] out_shardings=[] ^(%1)",
              "sdy.return()", "test.use()", "func.return()"});
  CHECK_FALSE(erase_empty_manual_computations(m.module));
}

TEST_CASE("a manual computation on one device per group is inlined (MC3)",
          "[passes][canonicalize]") {
  const auto [axes, is_inlined] = GENERATE(table<Lines, bool>({
      {Lines{"a"}, true},
      {Lines{"a", "c"}, true},
      {Lines(), true},
      {Lines{"b"}, false},
      {Lines{"a", "b"}, false},
  }));
  Maker m;
  m.module.add_mesh("ones", Maker::mesh("<[\"a\"=1, \"b\"=2, \"c\"=1]>"));
  const std::vector<ValueId> x = {m.argument(kF32), m.argument(kF32)};
  const std::vector<std::string> any = {"<@ones, [{}, {}]>", "<@ones, [{}, {}]>"};
  const OpId op = manual(m, {x, any, any, axes, {kF32, kF32}, {1, 0}});
  const BlockId body = m.module.block(op);
  const ValueId inner = m.module.args(body)[0];
  m.module.insert_before(m.module.last_op(body),
                         m.module.create(OpSpec{.name = "test.op", .operands = {inner}}));
  m.use(m.module.results(op));
  CHECK(located(verify(m.module)).empty());
  CHECK(inline_trivial_manual_computations(m.module) == is_inlined);
  CHECK(located(verify(m.module)).empty());
  if (!is_inlined) return;
  CHECK(listing(m) == Lines{"test.op(%0)", "test.use(%1, %0)", "func.return()"});
  CHECK_FALSE(inline_trivial_manual_computations(m.module));
}

TEST_CASE("without shardings any manual axes count as one device (MC3, D5)",
          "[passes][canonicalize]") {
  Maker m;
  const OpId op = manual(m, {.axes = {"x"}});
  m.module.insert_before(m.module.last_op(m.module.block(op)),
                         m.module.create(OpSpec{.name = "test.op"}));
  m.use({});
  CHECK(inline_trivial_manual_computations(m.module));
  CHECK(listing(m) == Lines{"test.op()", "test.use()", "func.return()"});
}

TEST_CASE("of two nested manual computations the trivial one goes (MC3)",
          "[passes][canonicalize]") {
  Maker m;
  m.module.add_mesh("ones", Maker::mesh("<[\"a\"=1, \"b\"=2]>"));
  const ValueId x = m.argument(kF32);
  const OpId outer =
      manual(m, {{x}, {"<@ones, [{\"a\"}, {}]>"}, {"<@ones, [{\"a\"}, {}]>"}, {"a"}, {kF32}, {0}});
  const BlockId body = m.module.block(outer);
  const OpId last = m.module.last_op(body);
  const OpId inner = manual(m, {{m.module.args(body)[0]},
                                {"<@ones, [{\"b\"}, {}]>"},
                                {"<@ones, [{\"b\"}, {}]>"},
                                {"b"},
                                {"tensor<2x8xf32>"},
                                {0}});
  m.module.remove(inner);
  m.module.insert_before(last, inner);
  m.module.set_operand(last, 0, m.module.result(inner));
  m.use(m.module.results(outer));
  REQUIRE(located(verify(m.module)).empty());
  CHECK(inline_trivial_manual_computations(m.module));
  CHECK(listing(m) == Lines{"%1 = sdy.manual_computation(%0) in_shardings=[<@ones, [{\"b\"}, {}]>] "
                            "out_shardings=[<@ones, [{\"b\"}, {}]>] ^(%2)",
                            "sdy.return(%2)", "test.use(%1)", "func.return()"});
  CHECK(located(verify(m.module)).empty());
}

// ---- All together -------------------------------------------------------------------------------

/// Something to do for every group of patterns.
void fill(Maker& m) {
  const ValueId x = m.argument(kF32, "<@m, [{}, {}]>");
  const ValueId reused = m.reshard(x, "<@m, [{\"x\"}, {}]>");
  const ValueId joined = m.reshard(m.reshard(x, "<@m, [{\"y\"}, {}]>"), "<@m, [{\"x\"}, {}]>");
  const ValueId gathered = m.value(
      {.kind = SdyAllGather,
       .operands = {x},
       .result_types = {type_of(kF32)},
       .attributes = attributes({{"gathering_axes", AxesListsAttr{m.mesh_named("m"), {{}, {}}}},
                                 {"out_sharding", m.sharding("<@m, [{}, {}]>")}})});
  manual(m, {.axes = {"x"}});
  m.use({reused, joined, gathered});
}

TEST_CASE("labels choose the patterns of canonicalize", "[passes][canonicalize]") {
  const Lines start = {"%1 = sdy.reshard(%0) <@m, [{\"x\"}, {}]>",
                       "%2 = sdy.reshard(%0) <@m, [{\"y\"}, {}]>",
                       "%3 = sdy.reshard(%2) <@m, [{\"x\"}, {}]>",
                       "%4 = sdy.all_gather(%0) <@m, [{}, {}]>",
                       "sdy.manual_computation() in_shardings=[] out_shardings=[] ^()",
                       "sdy.return()",
                       "test.use(%1, %3, %4)",
                       "func.return()"};
  const auto run = [&](const CanonicalizeOptions& options) {
    Maker m;
    fill(m);
    CHECK(listing(m) == start);
    CHECK(canonicalize(m.module, options).empty());
    return listing(m);
  };
  CHECK(run({}) == Lines{start[0], "test.use(%1, %1, %0)", start[7]});
  CHECK(run(only_labelled("sdy-reshard").value()) ==
        Lines{start[0], "%2 = sdy.reshard(%0) <@m, [{\"x\"}, {}]>",
              "%3 = sdy.all_gather(%0) <@m, [{}, {}]>", "test.use(%1, %2, %3)", start[7]});
  CHECK(run(only_labelled("sdy-collective").value()) ==
        Lines{start[0], start[1], start[2], "test.use(%1, %3, %0)", start[7]});
  // Dead ops go in any case.
  CHECK(run({.reshards = false, .collectives = false, .unlabelled = false}) ==
        Lines{start[0], start[1], start[2], start[3], start[6], start[7]});
  CHECK_FALSE(only_labelled("sdy"));
}

TEST_CASE("the pass takes labels of patterns", "[passes][canonicalize]") {
  const auto run = [](const std::string& options) {
    Maker m;
    fill(m);
    const std::vector<PassCall> calls = {{"canonicalize", options}};
    CHECK(run_pipeline(m.module, built_in_passes(), calls).empty());
    return listing(m);
  };
  const auto chosen = [](const CanonicalizeOptions& options) {
    Maker m;
    fill(m);
    CHECK(canonicalize(m.module, options).empty());
    return listing(m);
  };
  CHECK(run("") == chosen({}));
  CHECK(run("enable-patterns=sdy-reshard") == chosen({.collectives = false, .unlabelled = false}));
  CHECK(run("enable-patterns=sdy-reshard,sdy-collective") == chosen({.unlabelled = false}));
  CHECK(run("disable-patterns=sdy-reshard") == chosen({.reshards = false}));
}

}  // namespace
}  // namespace shardy_test
