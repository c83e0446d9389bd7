// Unresolved shardings and axes get the meaning that the meshes lend them. Spec: algebra 9; dialect
// 1-4.
#include "ir/verify_row.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"

namespace shardy_test::resolve_test {
namespace {

using enum OpKind;

const std::string kF32 = "tensor<8x8xf32>";

shardy::UnresolvedSharding spelled(std::string_view text) {
  return shardy::parse_sharding(text).value();
}
Attribute spelled_list(const std::vector<std::string>& texts) {
  UnresolvedShardingList list;
  for (const std::string& text : texts) list.shardings.push_back(spelled(text));
  return list;
}
std::vector<shardy::UnresolvedAxisRef> axes(std::string_view text) {
  return shardy::parse_axis_list(text).value();
}

OpId op(ModuleMaker& m, OpKind kind, AttributeMap attributes, const std::string& type = kF32) {
  return m.op({.kind = kind,
               .name = "test.op",
               .operands = {m.argument(type)},
               .result_types = {type_of(type)},
               .attributes = std::move(attributes)});
}

/// An op made by `make` after resolving: text of attribute `name`, or what went wrong.
struct ResolveRow {
  std::string name;
  OpKind kind;
  AttributeMap attributes;
  std::string attribute;  // the one that must be resolved, or stay as it is
  std::string error = {};
  std::string type = kF32;
};

bool is_spelled(const Attribute& attribute) {
  return attribute.as<shardy::UnresolvedSharding>() || attribute.as<UnresolvedShardingList>() ||
         attribute.as<UnresolvedAxesAttr>() || attribute.as<UnresolvedAxesListsAttr>() ||
         attribute.as<UnresolvedAllToAllAttr>();
}

const Attribute kOut = spelled("<@m, [{}, {}]>");
const Attribute kMesh = SymbolAttr{"m"};
const Attribute kXTwice = UnresolvedAxesListsAttr{{axes("{\"x\"}"), axes("{\"x\"}")}};

const std::vector<ResolveRow> kRows = {
    {"list", Unknown, attributes({{"sdy.sharding", spelled_list({"<@m, [{\"x\"}, {}]>"})}}),
     "sdy.sharding"},
    {"other attributes stay", Unknown, attributes({{"other", spelled_list({"<@q, []>"})}}),
     "other"},
    {"unknown mesh", Unknown, attributes({{"sdy.sharding", spelled_list({"<@q, [{}, {}]>"})}}),
     "sdy.sharding", "result - unknown mesh: @q"},
    {"unknown axis", Unknown, attributes({{"sdy.sharding", spelled_list({"<@m, [{\"q\"}, {}]>"})}}),
     "sdy.sharding", "result - unknown axis name: \"q\""},
    {"rank", Unknown, attributes({{"sdy.sharding", spelled_list({"<@m, [{}]>"})}}), "sdy.sharding",
     "result - sharding doesn't match tensor rank: 1 != 2"},
    {"number", Unknown, attributes({{"sdy.sharding", spelled_list({})}}), "sdy.sharding",
     "result shardings don't match number of values: 0 shardings vs 1 values"},
    {"tuple", Unknown, attributes({{"sdy.sharding", spelled_list({"<@m, []>"})}}), "sdy.sharding",
     "result - ops can only have a sharding for a tuple of size 1: 'tuple<i1, i1>'",
     "tuple<i1, i1>"},
    {"tuple on one device", Unknown, attributes({{"sdy.sharding", spelled_list({"<@max, []>"})}}),
     "sdy.sharding", "", "tuple<i1, i1>"},
    {"reshard", SdyReshard, attributes({{"sharding", kOut}}), "sharding"},
    {"reshard, rank", SdyReshard, attributes({{"sharding", spelled("<@m, []>")}}), "sharding",
     "sharding doesn't match tensor rank: 0 != 2"},
    {"constraint on a tuple", SdyShardingConstraint,
     attributes({{"sharding", spelled("<@m, []>")}}), "sharding",
     "ops can only have a sharding for a tuple of size 1: 'tuple<i1, i1>'", "tuple<i1, i1>"},
    {"edge", SdyDataFlowEdge, attributes({{"sharding", kOut}}), "sharding"},
    {"out_sharding", SdyCollectivePermute, attributes({{"out_sharding", kOut}}), "out_sharding"},
    {"out_sharding of a reshard stays", SdyReshard, attributes({{"out_sharding", kOut}}),
     "out_sharding"},
    {"lists", SdyAllGather,
     attributes(
         {{"out_sharding", kOut},
          {"gathering_axes", UnresolvedAxesListsAttr{{axes("{\"x\"}"), axes("{\"y\":(1)2}")}}}}),
     "gathering_axes"},
    {"lists, twice", SdyAllSlice, attributes({{"out_sharding", kOut}, {"slicing_axes", kXTwice}}),
     "slicing_axes", "duplicate axis ref: \"x\""},
    {"reduction axes", SdyAllReduce,
     attributes(
         {{"out_sharding", kOut}, {"reduction_axes", UnresolvedAxesAttr{axes("{\"x\", \"y\"}")}}}),
     "reduction_axes"},
    {"reduction axes, order", SdyAllReduce,
     attributes(
         {{"out_sharding", kOut}, {"reduction_axes", UnresolvedAxesAttr{axes("{\"y\", \"x\"}")}}}),
     "reduction_axes", "reduction axes are not ordered w.r.t. mesh"},
    {"r2u axes, order", SdyReplicatedToUnreduced,
     attributes({{"out_sharding", kOut}, {"axes", UnresolvedAxesAttr{axes("{\"y\", \"x\"}")}}}),
     "axes", "r2u axes are not ordered w.r.t. mesh"},
    {"params", SdyAllToAll,
     attributes(
         {{"out_sharding", kOut}, {"params", UnresolvedAllToAllAttr{{{axes("{\"x\"}"), 0, 1}}}}}),
     "params"},
    {"params, unknown", SdyAllToAll,
     attributes(
         {{"out_sharding", kOut}, {"params", UnresolvedAllToAllAttr{{{axes("{\"q\"}"), 0, 1}}}}}),
     "params", "unknown axis name: \"q\""},
    {"spmd axes", SpmdAllGather,
     attributes({{"mesh", kMesh}, {"axes", UnresolvedAxesAttr{axes("{\"y\", \"x\"}")}}}), "axes"},
    {"spmd, unknown mesh", SpmdAllGather,
     attributes({{"mesh", SymbolAttr{"q"}}, {"axes", UnresolvedAxesAttr{axes("{\"x\"}")}}}), "axes",
     "unknown mesh: @q"},
    {"spmd, unknown axis", SpmdAllGather,
     attributes({{"mesh", kMesh}, {"axes", UnresolvedAxesAttr{axes("{\"q\"}")}}}), "axes",
     "unknown axis name: \"q\""},
    {"axes of unknown ops stay", Unknown,
     attributes({{"mesh", kMesh}, {"axes", UnresolvedAxesAttr{axes("{\"x\"}")}}}), "axes"},
};

TEST_CASE("valid attributes are resolved, invalid attributes stay unresolved", "[ir][resolve]") {
  for (const ResolveRow& row : kRows) {
    ModuleMaker m;
    const OpId made = op(m, row.kind, row.attributes, row.type);
    std::vector<std::string> expected;
    if (!row.error.empty()) {
      expected.push_back("op 1: '" + std::string(m.module.name(made)) + "' op " + row.error);
    }
    const bool stays = row.name.ends_with("stay") || row.name.ends_with("stays");
    CAPTURE(row.name);
    CHECK(located(resolve(m.module)) == expected);
    const Attribute* found = m.module.attributes(made).find(row.attribute);
    REQUIRE(found != nullptr);
    CHECK(is_spelled(*found) == (stays || !row.error.empty()));
  }
}

TEST_CASE("an error names the index of the result", "[ir][resolve]") {
  ModuleMaker m;
  m.op({.name = "test.op",
        .result_types = types_of({kF32, "tuple<i1, i1>", kF32}),
        .attributes = attributes(
            {{"sdy.sharding", spelled_list({"<@m, [{}, {}]>", "<@m, []>", "<@q, [{}, {}]>"})}})});
  CHECK(located(resolve(m.module)) ==
        std::vector<std::string>{"op 1: 'test.op' op result 1 - ops can only have a sharding for a "
                                 "tuple of size 1: 'tuple<i1, i1>'"});
}

TEST_CASE("collective axes are resolved on the mesh of out_sharding", "[ir][resolve]") {
  ModuleMaker m;
  const OpId made = op(m, SdyAllReduce,
                       attributes({{"out_sharding", spelled("<@other, [{}, {}]>")},
                                   {"reduction_axes", UnresolvedAxesAttr{axes("{\"a\"}")}}}));
  CHECK(resolve(m.module).empty());
  const auto* resolved = m.module.attribute<AxesAttr>(made, "reduction_axes");
  REQUIRE(resolved != nullptr);
  CHECK((*resolved == AxesAttr{m.mesh_named("other"), {{0, 1, 8}}}));
}

TEST_CASE("axes stay unresolved if out_sharding is invalid", "[ir][resolve]") {
  ModuleMaker m;
  const OpId made = op(m, SdyAllReduce,
                       attributes({{"out_sharding", spelled("<@q, [{}, {}]>")},
                                   {"reduction_axes", UnresolvedAxesAttr{axes("{\"a\"}")}}}));
  CHECK(located(resolve(m.module)) ==
        std::vector<std::string>{"op 1: 'sdy.all_reduce' op unknown mesh: @q"});
  CHECK(m.module.attribute<UnresolvedAxesAttr>(made, "reduction_axes") != nullptr);
}

TEST_CASE("all errors of a function are reported", "[ir][resolve]") {
  ModuleMaker m;
  for (int index = 0; index < 3; ++index) m.argument(kF32);
  FunctionData& data = m.module.function(m.main);
  data.arg_attributes[0].set("sdy.sharding", spelled("<@m, [{\"x\"}, {}]>"));
  data.arg_attributes[1].set("sdy.sharding", spelled("<@m, []>"));
  data.arg_attributes[2].set("sdy.sharding", spelled("<@q, [{}, {}]>"));
  data.result_types = {type_of(kF32)};
  data.result_attributes.resize(1);
  data.result_attributes[0].set("sdy.sharding", spelled("<@m, [{\"x\"}, {\"x\"}]>"));
  const shardy::Diagnostics errors = resolve(m.module);
  CHECK(located(errors) ==
        std::vector<std::string>{
            "main: 'func.func' op arg 1 - sharding doesn't match tensor rank: 0 != 2",
            "main: 'func.func' op arg 2 - unknown mesh: @q",
            "main: 'func.func' op result 0 - duplicate axis ref: \"x\""});
  using Subject = shardy::DiagnosticSubject;
  using Kind = Subject::Kind;
  CHECK(errors.at(0).subject == Subject{.kind = Kind::Argument, .is_sharding = true, .index = 1});
  CHECK(errors.at(1).subject ==
        Subject{.kind = Kind::Argument, .is_sharding = true, .index = 2, .name = "@q"});
  CHECK(errors.at(2).subject == Subject{.kind = Kind::Result,
                                        .is_sharding = true,
                                        .is_repeated = true,
                                        .index = 0,
                                        .name = "\"x\""});
  CHECK(to_string(arg_sharding(m.module, m.main, 0).value()) == "<@m, [{\"x\"}, {}]>");
  CHECK(data.arg_attributes[1].get<shardy::UnresolvedSharding>("sdy.sharding") != nullptr);
}

TEST_CASE("named and manual computations have sharding lists for operands and results",
          "[ir][resolve]") {
  const auto [kind, in_prefix, out_prefix] = GENERATE(table<OpKind, std::string, std::string>({
      {SdyNamedComputation, "in_shardings - ", "out_shardings - "},
      {SdyManualComputation, "operand - ", "result - "},
  }));
  ModuleMaker m;
  op(m, kind,
     attributes({{"in_shardings", spelled_list({"<@q, [{}, {}]>"})},
                 {"out_shardings", spelled_list({"<@m, []>"})}}));
  const OpId good = op(m, kind,
                       attributes({{"in_shardings", spelled_list({"<@m, [{\"x\"}, {}]>"})},
                                   {"out_shardings", spelled_list({"<@m, [{}, {}]>"})}}));
  const std::string name = "op 1: '" + std::string(info(kind).name) + "' op ";
  CHECK(located(resolve(m.module)) ==
        std::vector<std::string>{name + in_prefix + "unknown mesh: @q",
                                 name + out_prefix + "sharding doesn't match tensor rank: 0 != 2"});
  CHECK(m.module.attribute<ShardingList>(good, "in_shardings") != nullptr);
  CHECK(m.module.attribute<ShardingList>(good, "out_shardings") != nullptr);
}

TEST_CASE("an op without results may be on one device", "[ir][resolve]") {
  ModuleMaker m;
  m.op({.name = "test.op",
        .attributes = attributes({{"sdy.sharding", spelled_list({"<@max, []>"})}})});
  m.op({.name = "test.op",
        .attributes = attributes({{"sdy.sharding", spelled_list({"<@m, [{}]>"})}})});
  m.op({.name = "test.op",
        .attributes = attributes({{"sdy.sharding", spelled_list({"<@m, [{\"x\"}]>"})}})});
  CHECK(located(resolve(m.module)) ==
        std::vector<std::string>{
            "op 2: 'test.op' op result - a maximal sharding can only have a sharding with rank 0 "
            "and no replicated or unreduced axes",
            "op 3: 'test.op' op result shardings don't match number of values: 1 shardings vs 0 "
            "values"});
}

}  // namespace
}  // namespace shardy_test::resolve_test
