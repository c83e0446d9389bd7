#include <algorithm>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/text.hpp>
#include <string>
#include <unordered_set>
#include <vector>

#include "support/catch.hpp"

namespace shardy::op_sharding_rule_test {
namespace {

using shardy_test::message_of;
using Shape = std::vector<int64_t>;

OpShardingRule rule(const std::string& text) { return parse_rule("<" + text + ">").value(); }

std::vector<ValueShape> ranked(const std::vector<Shape>& shapes) {
  std::vector<ValueShape> values;
  values.reserve(shapes.size());
  for (const Shape& shape : shapes) values.push_back({ValueShape::Kind::Ranked, shape, "T"});
  return values;
}

std::string verify(const std::string& text, const std::vector<Shape>& operands,
                   const std::vector<Shape>& results) {
  const OpShardingRuleParts parts = parse_rule_parts("<" + text + ">").value();
  return message_of(OpShardingRule::verify(parts, ranked(operands), ranked(results)));
}

struct Row {
  std::string text;
  std::string message;
};

TEST_CASE("OpShardingRule::make rejects invalid rules that have a text form",
          "[op_sharding_rule]") {
  const std::vector<Row> rows = {
      {"([i,])->([i]) {i=2}", "operand - dim mapping must have at least one factor"},
      {"([i], [*])->([i]) {i=2}", "operand 1 - dim mapping must have at least one factor"},
      {"([j])->([i]) {i=2}", "operand - factor index out of range: 1, num_factors: 1"},
      {"([i])->([i], [i, i]) {i=2}", "result 1 - cannot reuse factors for the same tensor value"},
      {"([ii])->([i]) {i=2}", "operand - cannot reuse factors for the same tensor value"},
      {"([i, j])->([ij]) {i=1, j=2}",
       "result - dim mapping can't have a factor of size 1 if there are multiple factors"},
      {"([i])->([i]) {i=2, j=3, k=2}", "has factor j=3 that isn't used"},
      {"([i, j])->([i]) {i=2, j=3} reduction={j, i}", "indices of special factors must be sorted"},
      {"([i, j])->([i]) {i=2, j=3} reduction={j, j}", "indices of special factors must be unique"},
      {"([i, j])->([i]) {i=2, j=3} need_replication={z_1}", "index must be less than 2, got: 18"},
      {"([i, j])->([i]) {i=2, j=3} permutation={j, i}",
       "indices of special factors must be sorted"},
      {"([i, j])->([i]) {i=2, j=3} reduction={j} permutation={j}",
       "factor j can only be one of reduction, need_replication and permutation"},
      {"([i, j])->([i]) {i=2, j=3} reduction={j} permutation={j} blocked_propagation={j, i}",
       "factor j can only be one of reduction, need_replication and permutation"},
      {"([i, j])->([i]) {i=2, j=3} blocked_propagation={k}", "index must be less than 2, got: 2"},
      {"([i, j])->([i]) {i=2, j=3} reduction={i} blocked_propagation={j, i}",
       "indices of special factors must be sorted"},
      {"([i, j])->([i]) {i=2, j=3} reduction={i}", "reduction factor cannot be in result mappings"},
      {"([i])->([i]) {i=-2}", "factor size must be at least 0, got: -2"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const OpShardingRuleParts parts = parse_rule_parts("<" + row.text + ">").value();
    CHECK(message_of(OpShardingRule::make(parts)) == row.message);
  }
}

TEST_CASE("OpShardingRule::make rejects invalid rules that have no text form",
          "[op_sharding_rule]") {
  const TensorMapping scalar;
  OpShardingRuleParts parts{.operand_mappings = {}, .result_mappings = {scalar}};
  CHECK(message_of(OpShardingRule::make(parts)) == "number of operands mappings cannot be 0");
  parts = {.operand_mappings = {scalar}, .result_mappings = {}};
  CHECK(message_of(OpShardingRule::make(parts)) == "number of results mappings cannot be 0");
  parts = {.operand_mappings = {{{{-1}}}}, .result_mappings = {scalar}};
  CHECK(message_of(OpShardingRule::make(parts)) ==
        "operand - factor index out of range: -1, num_factors: 0");
  parts = {.operand_mappings = {scalar}, .result_mappings = {scalar}, .reduction = {-1}};
  CHECK(message_of(OpShardingRule::make(parts)) == "index must be non-negative, got: -1");
}

TEST_CASE("verify_for compares a rule with the operands and results of an op",
          "[op_sharding_rule]") {
  const std::string dot = "([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}";
  CHECK(verify(dot, {{4, 8}, {8, 6}}, {{4, 6}}) == "(no error)");
  CHECK(verify(dot, {{4, 8}}, {{4, 6}}) == "number of operands and mappings must match: 1 != 2");
  CHECK(verify(dot, {{4, 8}, {8, 6}}, {}) == "number of results and mappings must match: 0 != 1");
  CHECK(verify(dot, {{4, 8}, {8}}, {{4, 6}}) == "operand 1 - mapping rank must match: 2 != 1");
  CHECK(verify(dot, {{4, 8}, {8, 6}}, {{4, -1}}) ==
        "result - expected a ranked tensor with a static shape. type: T");
  const ValueShape unranked{ValueShape::Kind::Unranked, {}, "tensor<*xf32>"};
  CHECK(
      message_of(rule("([])->([])").verify_for(std::vector<ValueShape>{unranked}, ranked({{}}))) ==
      "operand - expected a ranked tensor with a static shape. type: tensor<*xf32>");
  CHECK(rule(dot).verify_for(ranked({{4, 8}, {8, 6}}), ranked({{4, 6}})));
}

TEST_CASE("verify reports the first failure in the order of algebra 7.3", "[op_sharding_rule]") {
  const std::string bad = "([i,], [k])->([i]) {i=2, j=3}";
  CHECK(verify(bad, {{2}}, {{2}}) == "number of operands and mappings must match: 1 != 2");
  CHECK(verify(bad, {{2}, {2}}, {{2}}) == "operand 0 - mapping rank must match: 2 != 1");
  CHECK(verify(bad, {{2, 2}, {2, 2}}, {{2}}) ==
        "operand 0 - dim mapping must have at least one factor");
  CHECK(verify("([i], [k])->([i]) {i=2, j=3}", {{2}, {2, 2}}, {{2}}) ==
        "operand 1 - mapping rank must match: 1 != 2");
}

TEST_CASE("queries of algebra 7.2 on a rule return the expected factors", "[op_sharding_rule]") {
  const OpShardingRule r = rule(
      "([i, j, k], [i, kl], [])->([i, j, m], []) {i=2, j=3, k=4, l=5, m=6} reduction={k} "
      "need_replication={l} permutation={m} blocked_propagation={i, m}");
  CHECK(r.num_factors() == 5);
  CHECK(std::ranges::equal(r.factor_sizes(), std::vector<int64_t>{2, 3, 4, 5, 6}));
  CHECK(std::ranges::equal(r.reduction_factors(), std::vector<int32_t>{2}));
  CHECK(std::ranges::equal(r.need_replication_factors(), std::vector<int32_t>{3}));
  CHECK(std::ranges::equal(r.permutation_factors(), std::vector<int32_t>{4}));
  CHECK(std::ranges::equal(r.blocked_factors(), std::vector<int32_t>{0, 4}));
  CHECK(r.num_tensors() == 5);
  CHECK(r.factor_size(3) == 5);
  CHECK(r.factor_kind(0) == FactorKind::PassThrough);
  CHECK(r.factor_kind(2) == FactorKind::Reduction);
  CHECK(r.factor_kind(3) == FactorKind::NeedReplication);
  CHECK(r.factor_kind(4) == FactorKind::Permutation);
  CHECK(r.is_blocked(0));
  CHECK_FALSE(r.is_blocked(1));
  CHECK_FALSE(r.is_custom());
  CHECK(r.in_all_non_scalar_tensors(0));
  CHECK_FALSE(r.in_all_non_scalar_tensors(1));
  CHECK(r.batching_factors() == std::vector<int32_t>{0});
  CHECK(r.non_scalar_tensor_indices() == std::vector<std::size_t>{0, 1, 3});
  CHECK(r.has_multi_factor_dims());
  CHECK_FALSE(rule("([i])->([i]) {i=2}").has_multi_factor_dims());
  CHECK(r.tensor(1) == r.operands()[1]);
  CHECK(r.tensor(3) == r.results()[0]);
  CHECK(contains_factor(r.operands()[1], 3));
  CHECK(is_minor_most(r.operands()[1].dims[1], 3));
  CHECK_FALSE(is_minor_most(r.operands()[1].dims[1], 2));
  CHECK_FALSE(is_minor_most(DimMapping{}, 0));
}

TEST_CASE("a reduction factor in all operands is not a batching factor", "[op_sharding_rule]") {
  const OpShardingRule r = rule("([i], [i])->([]) {i=2} reduction={i}");
  CHECK(r.in_all_non_scalar_tensors(0));
  CHECK_FALSE(r.is_batching(0));
}

TEST_CASE("identity maps each dim to its own factor", "[op_sharding_rule]") {
  CHECK(to_string(OpShardingRule::identity(Shape{4, 1, 0}, 2, 1)) ==
        "<([i, j, k], [i, j, k])->([i, j, k]) {i=4, j=1, k=0}>");
  CHECK(to_string(OpShardingRule::identity(Shape{}, 1, 2)) == "<([])->([], [])>");
  const OpShardingRule r = OpShardingRule::identity(Shape{4, 1, 0}, 2, 1);
  CHECK(OpShardingRule::make(r.parts()).value() == r);
}

TEST_CASE("equality of rules compares every field", "[op_sharding_rule]") {
  const OpShardingRule r = rule("([i])->([i]) {i=2}");
  CHECK(r == rule("([i])->([i]) {i=2}"));
  CHECK(r != rule("([i])->([i]) {i=3}"));
  CHECK(r != rule("([i])->([i]) {i=2}, custom"));
  CHECK(r != rule("([i])->([i]) {i=2} blocked_propagation={i}"));
  CHECK(std::unordered_set<OpShardingRule>{r, rule("([i])->([i]) {i=2}")}.size() == 1);
  CHECK(((r <=> rule("([i])->([i]) {i=2}")) == 0));
  CHECK(((r <=> r) == 0));
  CHECK(((r <=> rule("([i])->([i]) {i=3}")) < 0));
}

}  // namespace
}  // namespace shardy::op_sharding_rule_test
