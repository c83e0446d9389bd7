#include <string>
#include <vector>

#include "propagation/program.hpp"
#include "shardy/algebra/einsum_rule.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/propagation/propagate.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::testing::infer_test {
namespace {

std::string text_of(const TensorShardings& shardings) {
  std::string text;
  for (const auto& sharding : shardings) text += (text.empty() ? "" : " ") + to_text(sharding);
  return text;
}

ir::Type tensor(std::vector<int64_t> dims) {
  return ir::Type::tensor(std::move(dims), ir::ElementType::F32);
}

TEST_CASE("infer gives shardings of results from shardings of operands and a rule",
          "[propagation][infer]") {
  const Mesh mesh = make_mesh("a=2 b=2");
  const OpShardingRule dot = parse_rule("([i,k],[k,j])->([i,j]) {i=8,j=16,k=32} reduction={k}");
  const auto inferred = infer(dot, {parse_sharding(mesh, "[{a},{?}]"), std::nullopt});
  REQUIRE(inferred);
  CHECK(text_of(inferred->results) == "[{a,?},{?}]");
  // The other operand gets what it shares with the first, which here is nothing.
  CHECK(text_of(inferred->operands) == "[{a},{?}] -");
  const auto contracted = infer(dot, {parse_sharding(mesh, "[{a},{b}]"), std::nullopt});
  REQUIRE(contracted);
  CHECK(text_of(contracted->operands) == "[{a},{b}] [{b,?},{?}]");
}

TEST_CASE("infer propagates shardings of results back to operands", "[propagation][infer]") {
  const Mesh mesh = make_mesh("a=2 b=2");
  const OpShardingRule sine = parse_rule("([i,j])->([i,j]) {i=8,j=8}");
  const auto inferred =
      infer(sine, {parse_sharding(mesh, "[{a,?},{?}]")}, {}, {parse_sharding(mesh, "[{?},{b}]")});
  REQUIRE(inferred);
  CHECK(text_of(inferred->operands) == "[{a,?},{b,?}]");
  CHECK(text_of(inferred->results) == "[{a,?},{b}]");
}

TEST_CASE("the strategy resolves conflicts between factors", "[propagation][infer]") {
  const Mesh mesh = make_mesh("a=2 b=2 c=2");
  const OpShardingRule add = parse_rule("([i,j],[i,j])->([i,j]) {i=16,j=16}");
  const TensorShardings operands = {parse_sharding(mesh, "[{?},{a}]"),
                                    parse_sharding(mesh, "[{a,c},{?}]")};
  // Example E13.
  const auto basic = infer(add, operands, {.strategy = Strategy::Basic, .is_elementwise = true});
  REQUIRE(basic);
  CHECK(text_of(basic->results) == "-");
  const auto aggressive = infer(add, operands, {.is_elementwise = true});
  REQUIRE(aggressive);
  CHECK(text_of(aggressive->results) == "[{a,c,?},{?}]");
}

TEST_CASE("shardings that do not fit a rule are errors", "[propagation][infer]") {
  const Mesh mesh = make_mesh("a=2");
  const OpShardingRule sine = parse_rule("([i])->([i]) {i=8}");
  const auto sharding = parse_sharding(mesh, "[{a}]");
  CHECK(infer(sine, {sharding, sharding}).error().message ==
        "expects one sharding for each of the 1 operands of the rule, got 2");
  CHECK(infer(sine, {}).error().message ==
        "expects one sharding for each of the 1 operands of the rule, got 0");
  CHECK(infer(sine, {sharding}, {}, {sharding, sharding}).error().message ==
        "expects one sharding for each of the 1 results of the rule, got 2");
  CHECK_FALSE(infer(sine, {parse_sharding(mesh, "[{a},{}]")}));
}

TEST_CASE("infer takes an op by name", "[propagation][infer]") {
  const Mesh mesh = make_mesh("a=2 b=2");
  OpQuery transpose{
      .name = "stablehlo.transpose", .operands = {tensor({4, 6})}, .results = {tensor({6, 4})}};
  transpose.attributes.set("permutation", ir::DenseArrayAttr{ir::ElementType::I64, {1, 0}});
  const auto inferred = infer(transpose, {parse_sharding(mesh, "[{a},{b}]")});
  REQUIRE(inferred);
  CHECK(text_of(inferred->results) == "[{b,?},{a,?}]");

  const OpQuery unknown{
      .name = "my.op", .operands = {tensor({4})}, .results = {tensor({4}), tensor({4})}};
  const auto unchanged = infer(unknown, {parse_sharding(mesh, "[{a}]")});
  REQUIRE(unchanged);
  CHECK(text_of(unchanged->operands) == "[{a}]");
  CHECK(text_of(unchanged->results) == "- -");
}

TEST_CASE("infer takes an einsum with its shapes", "[propagation][infer]") {
  // [infer]
  const Mesh mesh = Mesh::make({{"a", 2}, {"b", 4}}).value();
  const auto einsum = parse_einsum_rule("... i k, k j -> ... i j reduction={k}").value();
  const std::vector<std::vector<int64_t>> operands = {{3, 8, 32}, {32, 16}};
  const std::vector<std::vector<int64_t>> results = {{3, 8, 16}};
  const OpShardingRule rule = resolve(einsum, operands, results).value();

  const TensorSharding lhs =
      TensorSharding::make(mesh, "mesh", {{}, {.axes = {mesh.full_axis(0)}}, {}}).value();
  const Inferred inferred = infer(rule, {lhs, std::nullopt}).value();
  // inferred.results[0] is [{?}, {"a", ?}, {?}]
  // [infer]
  CHECK(text_of(inferred.results) == "[{?},{a,?},{?}]");
}

}  // namespace
}  // namespace shardy::propagation::testing::infer_test
