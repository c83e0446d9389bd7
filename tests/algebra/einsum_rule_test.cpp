#include "shardy/algebra/einsum_rule.hpp"

#include <string>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "support/catch.hpp"

namespace shardy::einsum_rule_test {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

/// The rule as text, or why there is none.
std::string rule_of(const std::string& text, const Shapes& operands, const Shapes& results) {
  const Result<EinsumRule> einsum = parse_einsum_rule(text);
  if (!einsum) return "parse: " + einsum.error().message + " at " + einsum.error().location.text();
  const Result<OpShardingRule> rule = resolve(*einsum, operands, results);
  return rule ? to_string(*rule) : "error: " + rule.error().message;
}

TEST_CASE("einsum strings become rules for shapes", "[algebra][einsum]") {
  CHECK(rule_of("i k, k j -> i j", {{8, 32}, {32, 16}}, {{8, 16}}) ==
        "<([i, j], [j, k])->([i, k]) {i=8, j=32, k=16}, custom>");
  CHECK(rule_of("i k, k j -> i j reduction={k}", {{8, 32}, {32, 16}}, {{8, 16}}) ==
        "<([i, j], [j, k])->([i, k]) {i=8, j=32, k=16} reduction={j}, custom>");
  CHECK(rule_of("... i k, k j -> ... i j reduction={k}", {{3, 5, 8, 32}, {32, 16}},
                {{3, 5, 8, 16}}) ==
        "<([i, j, k, l], [l, m])->([i, j, k, m]) {i=3, j=5, k=8, l=32, m=16} reduction={l}, "
        "custom>");
  CHECK(rule_of("... i -> ... i", {{8}}, {{8}}) == "<([i])->([i]) {i=8}, custom>");
  CHECK(rule_of("...1 i, ...2 j -> ...1 ...", {{8}}, {{8}}) ==
        "parse: '...' must precede all other dims at 1:24");
  CHECK(rule_of("...1 i, ...2 i -> ...1 i", {{3, 8}, {5, 7, 8}}, {{3, 8}}) ==
        "<([i, j], [k, l, j])->([i, j]) {i=3, j=8, k=5, l=7}, custom>");
}

TEST_CASE("scalars have no dims", "[algebra][einsum]") {
  CHECK(rule_of("i, -> i", {{8}, {}}, {{8}}) == "<([i], [])->([i]) {i=8}, custom>");
  CHECK(rule_of("->", {{}}, {{}}) == "<([])->([]), custom>");
  CHECK(rule_of("i j -> i, ", {{8, 4}}, {{8}, {}}) == "<([i, j])->([i], []) {i=8, j=4}, custom>");
}

TEST_CASE("dims in parentheses have several factors", "[algebra][einsum]") {
  CHECK(rule_of("(i j) -> i j", {{8}}, {{2, 4}}) == "<([ij])->([i, j]) {i=2, j=4}, custom>");
  CHECK(rule_of("(i j) -> (j i) {i=2, j=4}", {{8}}, {{8}}) ==
        "<([ij])->([ji]) {i=2, j=4}, custom>");
  CHECK(rule_of("(i j) -> (j i)", {{8}}, {{8}}) ==
        "error: factor i is not a full dim of any tensor and needs a size: {i=#}");
  CHECK(rule_of("(i j) -> i j", {{9}}, {{2, 4}}) ==
        "error: operand 0 - dim 0 has size 9, which is not the product of its factors");
  CHECK(rule_of("(i) -> i", {{8}}, {{8}}) ==
        "parse: a dim in parentheses has at least two factors at 1:2");
}

TEST_CASE("a factor has the size of its full dim, the smallest dim, or the given size",
          "[algebra][einsum]") {
  CHECK(rule_of("i -> i permutation={i}", {{16}}, {{8}}) ==
        "<([i])->([i]) {i=8} permutation={i}, custom>");
  CHECK(rule_of("i -> i {i=16} permutation={i}", {{16}}, {{8}}) ==
        "<([i])->([i]) {i=16} permutation={i}, custom>");
  CHECK(rule_of("i -> i {j=16}", {{16}}, {{8}}) == "error: factor j has a size but is not used");
}

TEST_CASE("kinds of factors are named in groups", "[algebra][einsum]") {
  CHECK(rule_of("b s d, d e -> b s e reduction={d} need_replication={s} permutation={e} "
                "blocked_propagation={b, s}",
                {{2, 3, 4}, {4, 5}}, {{2, 3, 5}}) ==
        "<([i, j, k], [k, l])->([i, j, l]) {i=2, j=3, k=4, l=5} reduction={k} "
        "need_replication={j} permutation={l} blocked_propagation={i, j}, custom>");
  CHECK(rule_of("i -> i reduction={i}", {{8}}, {{8}}) ==
        "error: reduction factor cannot be in result mappings");
  CHECK(rule_of("i -> i reduction={k}", {{8}}, {{8}}) == "error: reduction factor k is not used");
  // A factor may have the name of a group.
  CHECK(rule_of("reduction -> reduction", {{8}}, {{8}}) == "<([i])->([i]) {i=8}, custom>");
}

TEST_CASE("an einsum that does not fit the shapes is an error", "[algebra][einsum]") {
  CHECK(rule_of("i, j -> i", {{8}}, {{8}}) == "error: the einsum has 2 operands, the op has 1");
  CHECK(rule_of("i -> i, i", {{8}}, {{8}}) == "error: the einsum has 2 results, the op has 1");
  CHECK(rule_of("i j -> i", {{8}}, {{8}}) ==
        "error: operand 0 - the einsum has 2 dims, the tensor has 1");
  CHECK(rule_of("... i j -> i", {{8}}, {{8}}) ==
        "error: operand 0 - the einsum has 2 dims and more, the tensor has 1");
  CHECK(rule_of("... i -> ... i", {{3, 8}}, {{8}}) ==
        "error: result 0 - ... has 0 dims here and 1 before");
  CHECK(rule_of("i i -> i", {{8, 8}}, {{8}}) ==
        "error: operand - cannot reuse factors for the same tensor value");
}

TEST_CASE("text that is not an einsum is an error", "[algebra][einsum]") {
  CHECK(rule_of("i j", {}, {}) == "parse: expected '->', found end of text at 1:4");
  CHECK(rule_of("i, j - > k", {}, {}) == "parse: expected '->', found '-' at 1:6");
  CHECK(rule_of("i -> i 3", {}, {}) == "parse: expected end of text, found '3' at 1:8");
  CHECK(rule_of("i.j -> i", {}, {}) ==
        "parse: a factor name has letters, digits and _, and begins with a letter at 1:1");
  CHECK(rule_of("i ... -> i", {}, {}) == "parse: '...' must precede all other dims at 1:3");
  CHECK(rule_of("i -> i {i=2, i=3}", {}, {}) == "parse: two sizes of factor i at 1:14");
  CHECK(rule_of("i -> i {i=-2}", {}, {}) == "parse: the size of a factor is not negative at 1:9");
  CHECK(rule_of("i -> i need_replication={i} reduction={i}", {}, {}) ==
        "parse: expected end of text, found 'reduction' at 1:29");
}

TEST_CASE("the text of an einsum reads back", "[algebra][einsum]") {
  for (const char* text :
       {"... i k, k j -> ... i j reduction={k}", "(i j), -> i j {i=2, j=4}", "i -> i,",
        "...1 a_1 b, ...2 b -> ...1 a_1 reduction={b} blocked_propagation={a_1}", "->"}) {
    CAPTURE(text);
    const Result<EinsumRule> rule = parse_einsum_rule(text);
    REQUIRE(rule);
    CHECK(to_string(*rule) == text);
    CHECK(parse_einsum_rule(to_string(*rule)) == *rule);
  }
}

}  // namespace
}  // namespace shardy::einsum_rule_test
