#include <optional>
#include <random>
#include <set>
#include <shardy/algebra/detail/format.hpp>
#include <shardy/algebra/detail/text_form.hpp>
#include <shardy/algebra/text.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "support/catch.hpp"

namespace shardy::text_test {
namespace {

using shardy_test::located_message_of;
using shardy_test::mesh_of_sizes;

TEST_CASE("canonical text prints unchanged", "[text]") {
  const std::string text = GENERATE(
      R"(#sdy.mesh<["a"=2, "b"=3]>)", R"(#sdy.mesh<[]>)", R"(#sdy.mesh<[], device_ids=[3]>)",
      R"(#sdy.mesh<["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>)",
      R"(#sdy.sharding<@m, [{"a", ?}p1, {}], replicated={"b"}>)", R"(#sdy.sharding<@m, []>)",
      R"(#sdy.sharding<@"1 m", [{?}, {"a":(2)4}p0], unreduced={"b"}>)",
      R"(#sdy.sharding<mesh<["x"=2]>, [{"x"}], replicated={"y"}, unreduced=max{"z"}>)",
      R"(#sdy.sharding<@m, [], unreduced=min{"z", "w":(1)2}>)",
      R"(#sdy.sharding_per_value<[<@m, [{"a"}]>, <@m, []>]>)", R"(#sdy.sharding_per_value<[]>)",
      R"(#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>)",
      R"(#sdy.op_sharding_rule<([i, j], [])->([ij]) {i=2, j=4}>)",
      R"(#sdy.op_sharding_rule<([])->([])>)",
      R"(#sdy.op_sharding_rule<([i, j, k])->([i, k]) {i=2, j=3, k=5} reduction={j} )"
      R"(need_replication={i} permutation={k} blocked_propagation={i}, custom>)",
      R"(#sdy.propagation_edges<[{step-4 = [{"a" = operand-1 -> [operand-0, result-0]}]}]>)",
      R"(#sdy<manual_axes{"a", "b"}>)", R"(#sdy<manual_axes{}>)",
      R"(#sdy<axis_ref_list{"a", "b":(2)2}>)", R"(#sdy<list_of_axis_ref_lists[{"a"}, {}]>)",
      R"(#sdy<all_to_all_param_list[{"a"}: 0->2, {"b", "c"}: 1->0]>)",
      R"(#sdy<all_to_all_param{"a"}: 0->-1>)", R"(#sdy<mesh_axis"a"=2>)",
      R"(#sdy<sub_axis_info(2)4>)", R"(#sdy<axis_ref"a":(2)4>)",
      R"(#sdy<dimension_sharding{"a"}p1>)", R"(#sdy<tensor_mapping[i, jk]>)",
      R"(#sdy<dim_mapping zz_1i>)", R"(#sdy<axis_ref"\22\5C\0A">)");
  const Result<SdyAttribute> attribute = parse_attribute(text);
  CAPTURE(text);
  REQUIRE(located_message_of(attribute) == "(no error)");
  const std::string expected =
      text == R"(#sdy<axis_ref"\22\5C\0A">)" ? R"(#sdy<axis_ref"\22\\\0A">)" : text;
  CHECK(attribute_text(*attribute) == expected);
}

TEST_CASE("other spellings of a sharding print in the canonical form", "[text]") {
  const auto [text, canonical] = GENERATE(table<std::string, std::string>({
      {"<@m,[{\"a\" : ( 2 ) 4 ,?}p1// c\n,{}]>", R"(<@m, [{"a":(2)4, ?}p1, {}]>)"},
      {R"(<@m, [], unreduced={"b"}, replicated={"a"}>)",
       R"(<@m, [], replicated={"a"}, unreduced={"b"}>)"},
      {R"(<@m, [], unreduced{"b"}>)", R"(<@m, [], unreduced={"b"}>)"},
      {R"(<@m, [], unreduced=sum{"b"}>)", R"(<@m, [], unreduced={"b"}>)"},
      {R"(<@m, [], replicated={}, unreduced=max{}>)", R"(<@m, []>)"},
      {R"(<@"m", [{"a":(0x2)0x4}]>)", R"(<@m, [{"a":(2)4}]>)"},
      {R"(<mesh<["a"=2, "b"=2], device_ids=[0, 1, 2, 3]>, []>)", R"(<mesh<["a"=2, "b"=2]>, []>)"},
      {R"(<#sdy.mesh<["a"=2]>, []>)", R"(<mesh<["a"=2]>, []>)"},
      {R"(#sdy.sharding<@m, []>)", R"(<@m, []>)"},
      {R"(#sdy<sharding<@m, []>>)", R"(<@m, []>)"},
  }));
  CAPTURE(text);
  const Result<UnresolvedSharding> sharding = parse_sharding(text);
  REQUIRE(located_message_of(sharding) == "(no error)");
  CHECK(to_string(*sharding) == canonical);
}

TEST_CASE("an empty unreduced clause equals no clause", "[text]") {
  CHECK(parse_sharding("<@m, [], unreduced=max{}>") == parse_sharding("<@m, []>"));
}

TEST_CASE("an attribute is read as #sdy.NAME<...> and as #sdy<NAME...>", "[text]") {
  CHECK(attribute_text(*parse_attribute(R"(#sdy.manual_axes<{"a"}>)")) ==
        R"(#sdy<manual_axes{"a"}>)");
  CHECK(attribute_text(*parse_attribute(R"(#sdy.axis_ref<"a">)")) == R"(#sdy<axis_ref"a">)");
  CHECK(attribute_text(*parse_attribute(R"(#sdy<mesh<["a"=2]>>)")) == R"(#sdy.mesh<["a"=2]>)");
}

TEST_CASE("aliases can name meshes, shardings and axis lists", "[text]") {
  AttributeAliases aliases = {
      {"m", R"(#sdy.mesh<["a"=2]>)"},
      {"s", R"(#sdy.sharding<#m, [{"a"}]>)"},
      {"t", "#s"},
      {"l", R"(#sdy<axis_ref_list{"a"}>)"},
      {"loop", "#pool"},
      {"pool", "#loop"},
      {"bad", "#sdy.mesh<[\"a\"=2,]>"},
  };
  const auto shardings = [&](const std::string& text) {
    return parse_value<UnresolvedShardings>(text, &aliases);
  };
  CHECK(to_string(*shardings(R"(<[#s, #t, <#m, []>]>)")) ==
        R"(<[<mesh<["a"=2]>, [{"a"}]>, <mesh<["a"=2]>, [{"a"}]>, <mesh<["a"=2]>, []>]>)");
  CHECK(to_string(*parse_value<UnresolvedAxisLists>("[#l, {}]", &aliases)) == R"([{"a"}, {}])");
  CHECK(located_message_of(shardings("<[\n  #q]>")) == "2:3: unknown attribute alias: #q");
  CHECK(located_message_of(parse_sharding("#q")) == "1:1: unknown attribute alias: #q");
  CHECK(located_message_of(shardings("<[#loop]>")) ==
        "1:3: attribute alias refers to itself: #loop");
  CHECK(located_message_of(shardings("<[#m]>")) == "1:3: expected #sdy.sharding, found #sdy.mesh");
  const Result<UnresolvedShardings> bad = shardings("<[<#bad, []>]>");
  CHECK(located_message_of(bad) == "1:4: expected a string, found ']'");
  CHECK(bad.error().notes == std::vector<std::string>{"at 1:18 of attribute alias #bad"});
}

TEST_CASE("mesh aliases are parsed once, and uses of other aliases can be limited", "[text]") {
  AttributeAliases aliases = {{"s", "#sdy.sharding<#m, []>"}};
  aliases.add("m", R"(#sdy.mesh<["a"=2]>)", Mesh::make({{"a", 2}}).value());
  const auto use = [&](const std::string& text) {
    return located_message_of(parse_value<UnresolvedShardings>(text, &aliases));
  };
  aliases.limit_uses(2 * std::string_view("#sdy.sharding<#m, []>").size());
  CHECK(use("<[#s, <#m, []>, #s]>") == "(no error)");
  CHECK(use("<[<#m, []>]>") == "(no error)");
  CHECK(use("<[#s]>") == "1:3: the expanded attribute aliases of this text are too large");
}

TEST_CASE("errors in shardings have a location and a message", "[text]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"", "1:1: expected '<', found end of text"},
      {"<@m>", "1:4: expected ',', found '>'"},
      {"<m, []>", "1:2: expected '@' or 'mesh', found 'm'"},
      {"<@m, [{\"a\",}]>", "1:12: expected a string, found '}'"},
      {"<@m, [{?, \"a\"}]>", "1:9: expected '}', found ','"},
      {"<@m, [{\"a\" \"b\"}]>", "1:12: expected ',' or '}', found '\"'"},
      {"<@m, [{?}q1]>", "1:10: expecting priority in format 'p<number>', got: q1"},
      {"<@m, [{?}p]>", "1:10: expecting priority in format 'p<number>', got: p"},
      {"<@m, [{?}p1x]>", "1:10: expecting priority in format 'p<number>', got: p1x"},
      {"<@m, [{?}p01]>", "1:10: priorities with leading zeros are not allowed"},
      {"<@m, [{?}p9223372036854775808]>", "1:10: expecting integer priority"},
      {"<@m, [{}],>", "1:11: expected valid named axis list after comma"},
      {"<@m, [],\n open={\"a\"}>", "2:2: expected valid named axis list after comma"},
      {"<@m, [], replicated={\"a\"}, replicated={\"b\"}>", "1:28: duplicate clause"},
      {"<@m, [], unreduced={\"a\"}, unreduced=max{\"b\"}>", "1:27: duplicate clause"},
      {"<@m, [], replicated{\"a\"}>", "1:20: expected '=', found '{'"},
      {"<@m, [], unreduced=prod{\"a\"}>", "1:20: expected '{', found 'prod'"},
      {"<@m, [{\"a\":(1 2}]>", "1:15: expected ')', found '2'"},
      {"<@m, []> x", "1:10: expected end of text, found 'x'"},
      {"<@m, [{\"a\n\"}]>", "1:8: expected '\"' at the end of the string"},
      {"#sdy.mesh<[]>", "1:1: expected #sdy.sharding, found #sdy.mesh"},
      {"#stablehlo.x<1>", "1:1: expected an attribute of the dialect sdy, found '#stablehlo.x'"},
  }));
  CAPTURE(text);
  CHECK(located_message_of(parse_sharding(text)) == message);
}

TEST_CASE("errors in meshes have a location and a message", "[text]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"<[\"a\"=0]>", "1:1: axis size must be at least 1, got: 0"},
      {" <[\"a\"=2, \"a\"=2]>", "1:2: duplicate axis name: \"a\""},
      {"<[\"a\"=2], device_ids=[]>", "1:23: expected an integer, found ']'"},
      {"<[\"a\"=2], ids=[0]>", "1:11: expected 'device_ids', found 'ids'"},
      {"<[\"a\"=2,]>", "1:9: expected a string, found ']'"},
      {"<[\"a\"=99999999999999999999]>", "1:7: integer doesn't fit in 64 bits"},
      {"<[\"a\"=2]", "1:9: expected '>', found end of text"},
  }));
  CAPTURE(text);
  CHECK(located_message_of(parse_mesh(text)) == message);
}

TEST_CASE("errors in single axes and dims have a location and a message", "[text]") {
  CHECK(located_message_of(parse_attribute("#sdy<mesh_axis\"a\"=0>")) ==
        "1:15: axis size must be at least 1, got: 0");
  CHECK(located_message_of(parse_dim("{\"a\"}q")) ==
        "1:6: expecting priority in format 'p<number>', got: q");
}

TEST_CASE("resolved values print the same text as unresolved values", "[text]") {
  const Mesh mesh = mesh_of_sizes({4, 2});
  const DimSharding dim{{{0, 2, 2}, {1, 1, 2}}, false, 3};
  CHECK(to_string(mesh, dim) == R"({"m":(2)2, "z", ?}p3)");
  CHECK(attribute_text(TensorSharding::make(mesh, "m", {dim}).value()) ==
        R"(#sdy.sharding<@m, [{"m":(2)2, "z", ?}p3]>)");
  const OpShardingRuleParts parts = parse_rule_parts("<([i])->([i]) {i=2}>").value();
  CHECK(attribute_text(parts) == "#sdy.op_sharding_rule<([i])->([i]) {i=2}>");
}

TEST_CASE("errors in rules have a location and a message", "[text]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"<()->([i]) {i=2}>", "1:3: expected '[', found ')'"},
      {"<([i])->() {i=2}>", "1:10: expected '[', found ')'"},
      {"<([h])->([i]) {i=2}>", "1:4: expecting symbol from 'i' to 'z'. Received: 'h'"},
      {"<([ia])->([i]) {i=2}>", "1:5: expecting symbol from 'i' to 'z'. Received: 'a'"},
      {"<([iI])->([i]) {i=2}>", "1:5: expecting symbol from 'i' to 'z'. Received: 'I'"},
      {"<([z_])->([i]) {i=2}>", "1:4: expecting positive integer without leading zeros"},
      {"<([z_0])->([i]) {i=2}>", "1:4: expecting positive integer without leading zeros"},
      {"<([iz_01])->([i]) {i=2}>", "1:5: expecting positive integer without leading zeros"},
      {"<([z_9223372036854775808])->([i]) {i=2}>", "1:4: factor number is too large"},
      {"<([z_2147483631])->([i]) {i=2}>", "1:4: factor number is too large"},
      {"<([i j])->([i]) {i=2}>", "1:6: expected ',' or ']', found 'j'"},
      {"<([1])->([i]) {i=2}>", "1:4: expected a factor symbol, found '1'"},
      {"<([i])->([i]) {j=2}>",
       "1:16: expecting factor indices to be ordered like an iota ({0, 1, 2, ...}, e.g. {i=#, "
       "j=#, k=#}). Expecting 'i', received: 'j'"},
      {"<([i])->([i]) {ij=2}>", "1:16: expected one factor symbol"},
      {"<([i])->([i]) {i}>", "1:17: expected '=', found '}'"},
      {"<([ij])->([i]) {i=2, j=3} reduction={ij}>", "1:38: expected one factor symbol"},
      {"<([ij])->([i]) {i=2, j=3} permutation={i} reduction={j}>",
       "1:43: expected '>', found 'reduction'"},
      {"<([i])->([i]) {i=2} special={i}>", "1:21: expected '>', found 'special'"},
      {"<([i])->([i]) {i=2}, customs>", "1:22: expected 'custom', found 'customs'"},
      {"<([i,])->([i]) {i=2}>", "1:1: operand - dim mapping must have at least one factor"},
  }));
  CAPTURE(text);
  CHECK(located_message_of(parse_rule(text)) == message);
}

TEST_CASE("errors in other attributes have a location and a message", "[text]") {
  CHECK(located_message_of(parse_attribute("#sdy.meshes<[]>")) ==
        "1:1: unknown attribute: #sdy.meshes");
  CHECK(located_message_of(parse_attribute("#m")) == "1:1: expected '#sdy.', found '#m'");
  CHECK(located_message_of(parse_manual_axes("{\"a\", }")) == "1:7: expected a string, found '}'");
  CHECK(located_message_of(parse_all_to_all_params("[{}: 0->1]")) ==
        "1:2: expected at least one axis");
  CHECK(located_message_of(parse_all_to_all_params("[{\"a\"}: 0-1]")) ==
        "1:10: expected '->', found '-'");
  CHECK(located_message_of(parse_propagation_edges("<[]>")) == "1:3: expected '{', found ']'");
  CHECK(located_message_of(
            parse_propagation_edges("<[{step-1 = [{\"a\" = value-0 -> [result-0]}]}]>")) ==
        "1:21: expected 'operand' or 'result', found 'value'");
}

TEST_CASE("propagation edges that parse can fail verification", "[text]") {
  const auto verified = [](const std::string& text) {
    return shardy_test::message_of(verify(parse_propagation_edges(text).value()));
  };
  CHECK(verified(R"(<[{step-1 = [{"a" = operand-0 -> [result-0, operand-1]}]}]>)") == "(no error)");
  CHECK(verified(R"(<[{step--1 = [{"a" = operand-0 -> [result-0]}]}]>)") ==
        "negative step index: -1");
  CHECK(verified(R"(<[{step-1 = [{"a" = operand-0 -> [result-0]}]}, )"
                 R"({step-1 = [{"a" = operand-0 -> [result-0]}]}]>)") == "duplicate step index");
  CHECK(verified(R"(<[{step-1 = [{"a":(1)2 = operand-0 -> [operand-0]}]}]>)") ==
        "duplicate targets for step index: 1 and axis: \"a\":(1)2");
}

/// Pairs of texts that read as equal values, by hash and by order.
template <class T>
void check_all_differ(const std::vector<std::string>& texts) {
  std::set<T> ordered;
  std::unordered_set<T> hashed;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& text : texts) {
      const T value = parse_value<T>(text).value();
      ordered.insert(value);
      hashed.insert(value);
    }
  }
  CHECK(ordered.size() == texts.size());
  CHECK(hashed.size() == texts.size());
}

TEST_CASE("order and hash of attributes depend on every field", "[text]") {
  check_all_differ<PropagationEdges>(
      {R"(<[{step-1 = [{"a" = operand-0 -> [result-0]}]}]>)",
       R"(<[{step-2 = [{"a" = operand-0 -> [result-0]}]}]>)",
       R"(<[{step-1 = [{"b" = operand-0 -> [result-0]}]}]>)",
       R"(<[{step-1 = [{"a" = result-0 -> [result-0]}]}]>)",
       R"(<[{step-1 = [{"a" = operand-0 -> [result-1]}]}]>)",
       R"(<[{step-1 = [{"a" = operand-0 -> [result-0, operand-1]}]}]>)"});
  check_all_differ<UnresolvedAllToAll>(
      {R"({"a"}: 0->1)", R"({"b"}: 0->1)", R"({"a"}: 2->1)", R"({"a"}: 0->2)"});
  check_all_differ<OpShardingRuleParts>(
      {"<([i])->([i]) {i=2}>", "<([i])->([i]) {i=3}>", "<([i])->([i]) {i=2}, custom>",
       "<([i])->([i]) {i=2} reduction={i}>", "<([i])->([i]) {i=2} permutation={i}>",
       "<([i], [i])->([i]) {i=2}>", "<([i])->([i], [i]) {i=2}>"});
  check_all_differ<UnresolvedSharding>(
      {"<@m, []>", "<@n, []>", "<@m, [{}]>", "<@m, [{?}]>", "<@m, [{?}p0]>", R"(<@m, [{"a"}]>)",
       R"(<@m, [], replicated={"a"}>)", R"(<@m, [], unreduced={"a"}>)",
       R"(<@m, [], unreduced=max{"a"}>)", R"(<mesh<["a"=2]>, []>)"});
  check_all_differ<UnresolvedAxisRef>({R"("a")", R"("b")", R"("a":(1)2)", R"("a":(2)2)"});
  check_all_differ<MeshAxis>({R"("a"=2)", R"("b"=2)", R"("a"=3)"});
}

TEST_CASE("factor symbols continue with z_1 after z", "[text]") {
  CHECK(factor_symbol(0) == "i");
  CHECK(factor_symbol(17) == "z");
  CHECK(factor_symbol(18) == "z_1");
  CHECK(parse_value<DimMapping>("zz_1") == DimMapping{17, 18});
  CHECK(parse_value<DimMapping>("z_2i") == DimMapping{19, 0});
  CHECK(parse_value<DimMapping>("jk") == DimMapping{1, 2});
  CHECK(parse_value<DimMapping>("z_2147483630") == DimMapping{2147483647});
  for (int32_t a = 0; a < 40; ++a) {
    for (int32_t b = 0; b < 40; ++b) {
      const DimMapping dim = {a, b};
      CHECK(parse_value<DimMapping>(to_string(dim)) == dim);
    }
  }
}

TEST_CASE("unresolved axis refs are ordered by axis name", "[text]") {
  const auto ref = [](const char* text) { return parse_axis_ref(text).value(); };
  const std::vector<UnresolvedAxisRef> ordered = {ref(R"("a":(1)2)"), ref(R"("a":(1)4)"),
                                                  ref(R"("a")"), ref(R"("a":(2)2)"),
                                                  ref(R"("b":(1)2)")};
  for (std::size_t i = 0; i + 1 < ordered.size(); ++i) {
    CHECK(((ordered[i] <=> ordered[i + 1]) < 0));
    CHECK(((ordered[i + 1] <=> ordered[i]) > 0));
  }
}

TEST_CASE("fmt prints values as their text", "[text]") {
  const Mesh mesh = mesh_of_sizes({2});
  CHECK(fmt::format("{} {}", mesh, ReductionOp::Max) == "<[\"m\"=2]> max");
  CHECK(fmt::format("{:>12}", SubAxis{1, 2}) == "        (1)2");
  CHECK(fmt::format("{}", TensorSharding::fully_open(mesh, "m", 1)) == "<@m, [{?}]>");
}

TEST_CASE("the text of a sharding reads back", "[text][law]") {
  for (const auto& sizes : shardy_test::mesh_sizes(8)) {
    const Mesh mesh = mesh_of_sizes(sizes);
    CHECK(parse_mesh(to_string(mesh)) == mesh);
    int64_t number = 0;
    shardy_test::for_each_sharding(mesh, 2, [&](const TensorSharding& closed) {
      // Runs through open and closed, absent and small priorities, names and inlined meshes.
      ++number;
      TensorSharding s =
          closed.with_dim(0, {closed.dim(0).axes, number % 2 == 0,
                              number % 3 == 0 ? std::nullopt : std::optional<int64_t>(number % 3)});
      if (number % 5 == 0) s = s.with_inlined_mesh();
      const std::string text = to_string(s);
      CAPTURE(text);
      const Result<UnresolvedSharding> parsed = parse_sharding(text);
      REQUIRE(parsed);
      CHECK(*parsed == spell(s));
      CHECK(resolve(*parsed, mesh) == s);
    });
  }
}

TEST_CASE("the text of replicated and unreduced axes reads back", "[text][law]") {
  const Mesh mesh = mesh_of_sizes({4, 2});
  for (const AxisList& axes : shardy_test::axis_lists(mesh)) {
    if (!std::ranges::is_sorted(axes)) continue;
    for (const ReductionOp op : {ReductionOp::Sum, ReductionOp::Max, ReductionOp::Min}) {
      const auto partial = TensorSharding::make(mesh, "m", {}, {}, axes, op).value();
      CAPTURE(partial);
      CHECK(resolve(*parse_sharding(to_string(partial)), mesh) == partial);
    }
    const auto replicated = TensorSharding::make(mesh, "m", {}, axes).value();
    CHECK(resolve(*parse_sharding(to_string(replicated)), mesh) == replicated);
  }
}

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> values = {
      R"(#sdy.mesh<["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>)",
      R"(#sdy.sharding<mesh<["x"=4]>, [{"x":(1)2, ?}p12, {}], replicated={"y"}, unreduced=max{"z"}>)",
      R"(#sdy.sharding_per_value<[<@m, [{"a"}]>, <@"n", []>]>)",
      R"(#sdy.op_sharding_rule<([i, jz_1], [k])->([i, j]) {i=4, j=6, k=8} reduction={k}, custom>)",
      R"(#sdy.propagation_edges<[{step-4 = [{"a" = operand-1 -> [operand-0, result-0]}]}]>)",
      R"(#sdy<all_to_all_param_list[{"a", "b":(2)2}: 0->2]>)",
      R"(#sdy<list_of_axis_ref_lists[{"a\22"}, {}]>)",
  };
  return values;
}

/// Prints and reads again whatever was read.
void check_stable(const std::string& text) {
  const Result<SdyAttribute> read = parse_attribute(text);
  if (!read) {
    CHECK_FALSE(read.error().message.empty());
    CHECK_FALSE(read.error().location.empty());
    return;
  }
  const std::string printed = attribute_text(*read);
  const Result<SdyAttribute> again = parse_attribute(printed);
  REQUIRE(located_message_of(again) == "(no error)");
  CHECK(*again == *read);
}

TEST_CASE("each prefix of a text is an error or a value", "[text][law]") {
  for (const std::string& seed : seeds()) {
    for (std::size_t size = 0; size < seed.size(); ++size) {
      CAPTURE(seed, size);
      CHECK_FALSE(parse_attribute(seed.substr(0, size)));
    }
  }
}

TEST_CASE("changed text is an error or a value", "[text][random]") {
  std::mt19937 random(Catch::rngSeed());
  constexpr std::string_view kBytes = "<>[]{}()\"@#?,:=-*_ \n\\/09ipxz.$\xff";
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (int round = 0; round < 5000; ++round) {
    std::string text = seeds()[below(seeds().size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = kBytes[below(kBytes.size())];
          break;
        case 1:
          text.insert(at, 1, kBytes[below(kBytes.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(3));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(8)));
      }
      if (text.empty()) text = " ";
    }
    CAPTURE(Catch::rngSeed(), text);
    check_stable(text);
  }
}

}  // namespace
}  // namespace shardy::text_test
