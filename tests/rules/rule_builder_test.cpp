#include "shardy/rules/rule_builder.hpp"

#include "rules/rule_text.hpp"
#include "support/catch.hpp"

namespace shardy::rules::rule_builder_test {
namespace {

constexpr std::nullopt_t kUnmapped = std::nullopt;

TEST_CASE("a size-1 factor is omitted from a dim that has another factor", "[rules][builder]") {
  RuleBuilder builder({1, 1}, {1});
  builder.add({0, 0}, {kUnmapped}, {.size = 4});
  builder.add({0, kUnmapped}, {0}, {.size = 1});
  CHECK(text_of(builder.build()) == "([i], [i])->([j]) {i=4, j=1}");
}

TEST_CASE("an empty dim takes a size-1 factor", "[rules][builder]") {
  RuleBuilder builder({1}, {1});
  builder.add({0}, {0}, {.size = 1});
  CHECK(text_of(builder.build()) == "([i])->([i]) {i=1}");
}

TEST_CASE("add_same keeps size-1 factors", "[rules][builder]") {
  RuleBuilder builder({1}, {1});
  builder.add_same(0, {.size = 6});
  builder.add_same(0, {.size = 1});
  CHECK(text_of(builder.build()) ==
        "error: operand - dim mapping can't have a factor of size 1 if there are multiple factors");
}

TEST_CASE("add_same skips scalars", "[rules][builder]") {
  RuleBuilder builder({0, 2}, {2, 0});
  builder.add_same(0, {.size = 3});
  builder.add_same(1, {.size = 5});
  CHECK(text_of(builder.build()) == "([], [i, j])->([i, j], []) {i=3, j=5}");
}

TEST_CASE("add_same_operands and add_same_results map only operands or results",
          "[rules][builder]") {
  RuleBuilder builder({1, 1}, {1, 1});
  builder.add_same_operands(0, {.size = 3, .kind = FactorKind::Reduction});
  builder.add_same_results(0, {.size = 5, .kind = FactorKind::NeedReplication});
  CHECK(text_of(builder.build()) ==
        "([i], [i])->([j], [j]) {i=3, j=5} reduction={i} need_replication={j}");
}

TEST_CASE("dims without a factor get new factors, operands first", "[rules][builder]") {
  RuleBuilder builder({2, 1}, {2});
  builder.add({1, kUnmapped}, {0}, {.size = 7});
  CHECK(text_of(builder.build()) == "([j, i], [k])->([i, l]) {i=7, j=1, k=1, l=1}");
}

TEST_CASE("building twice gives the same rule", "[rules][builder]") {
  RuleBuilder builder({2}, {1});
  builder.add({0}, {0}, {.size = 2});
  const Result<OpShardingRule> first = builder.build();
  const Result<OpShardingRule> second = builder.build();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first == *second);
}

TEST_CASE("mismatched dims have the size of the first shape", "[rules][builder]") {
  RuleBuilder builder({2}, {2});
  const int64_t from[] = {6, 8};
  const int64_t to[] = {6, 10};
  builder.add_mismatched(from, to, FactorKind::Permutation, true);
  CHECK(text_of(builder.build()) ==
        "([i, j])->([i, j]) {i=6, j=8} permutation={j} blocked_propagation={j}");
}

TEST_CASE("the rule builder reports the dim that a tensor lacks", "[rules][builder]") {
  RuleBuilder builder({1}, {1});
  builder.add({2}, {0}, {.size = 4});
  builder.add({-1}, {0}, {.size = 4});
  CHECK(text_of(builder.build()) == "error: sharding rule: no dim 2 in a tensor of rank 1");
}

TEST_CASE("a rule may have no factors", "[rules][builder]") {
  CHECK(text_of(RuleBuilder({0, 0}, {0}).build()) == "([], [])->([])");
}

}  // namespace
}  // namespace shardy::rules::rule_builder_test
