#include <string>
#include <vector>

#include "rules/op_maker.hpp"
#include "rules/rule_text.hpp"
#include "shardy/rules/registry.hpp"
#include "support/catch.hpp"

namespace shardy::rules::einsum_test {
namespace {

TEST_CASE("einsum strings register as rules", "[rules][einsum]") {
  Registry registry;
  auto scan = einsum_maker("... i, i -> ... i need_replication={i}");
  REQUIRE(scan);
  REQUIRE(registry.add_custom_call("scan", *scan));
  auto norm = einsum_maker("b d -> b reduction={d}");
  REQUIRE(norm);
  REQUIRE(registry.add("my.norm", *norm));
  OpMaker make;
  const ir::OpId call =
      make.op(ir::OpKind::CustomCall, {make.arg({3, 5, 8}), make.arg({8})}, {{3, 5, 8}},
              attributes({{"call_target_name", std::string("scan")}}));
  CHECK(text_of(registry.rule_for(make.view(call))) ==
        "([i, j, k], [k])->([i, j, k]) {i=3, j=5, k=8} need_replication={k}, custom");
  const ir::OpId op = make.op(
      {.name = "my.norm", .operands = {make.arg({4, 6})}, .result_types = {OpMaker::type({4})}});
  CHECK(text_of(registry.rule_for(make.view(op))) ==
        "([i, j])->([i]) {i=4, j=6} reduction={j}, custom");
  const ir::OpId wrong = make.op(
      {.name = "my.norm", .operands = {make.arg({4})}, .result_types = {OpMaker::type({4})}});
  CHECK(text_of(registry.rule_for(make.view(wrong))) ==
        "error: 'my.norm' op operand 0 - the einsum has 2 dims, the tensor has 1");
  CHECK_FALSE(einsum_maker("i j"));
}

TEST_CASE("the suggested einsum pairs equal sizes at equal positions", "[rules][einsum]") {
  OpMaker make;
  const auto suggested = [&](std::vector<Sizes> operands, std::vector<Sizes> results) {
    std::vector<ir::ValueId> values;
    for (const Sizes& shape : operands) values.push_back(make.arg(shape));
    std::vector<ir::Type> types;
    for (const Sizes& shape : results) types.push_back(OpMaker::type(shape));
    return suggested_einsum(
        make.view(make.op({.name = "my.op", .operands = values, .result_types = types})));
  };
  CHECK(suggested({{8, 4}, {4}}, {{8, 4}}) == "i j, k -> i j");
  CHECK(suggested({{8, 8}}, {{8, 8}}) == "i j -> i j");
  CHECK(suggested({{8}, {}}, {{8}, {3}}) == "i, -> i, j");
}

TEST_CASE("the note for a missing rule separates the guessed rule from the always valid rule",
          "[rules][einsum]") {
  OpMaker make;
  const auto note = [&](Sizes operand, Sizes result) {
    return missing_rule_note(make.view(make.op({.name = "my.op",
                                                .operands = {make.arg(std::move(operand))},
                                                .result_types = {OpMaker::type(result)}})));
  };
  CHECK(
      note({8, 8}, {8, 8}) ==
      "add a rule that is correct for the op: sdy.sharding_rule = "
      "\"i j -> i j need_replication={i, j}\" is always correct; \"i j -> i j\", guessed from "
      "equal sizes, is correct only if each shard of the results needs only the same shard of the "
      "operands; checking::check with a kernel of the op tests a rule");
  CHECK(note({}, {}).find("need_replication") == std::string::npos);
  // A rule has no dims of the result: `--op-rule` would not be used.
  const ir::Type quantized(ir::OpaqueType{"tensor<8x4x!quant.uniform<i8:f32, 5.000000e-01>>"});
  const std::string foreign = missing_rule_note(make.view(
      make.op({.name = "my.op", .operands = {make.arg({8, 4})}, .result_types = {quantized}})));
  CHECK(foreign.find("sdy.sharding_rule") == std::string::npos);
  CHECK(foreign.find("the op cannot have a rule: an operand or result has a quantized") == 0);
  REQUIRE(parse_einsum_rule("i j -> i j need_replication={i, j}"));
}

}  // namespace
}  // namespace shardy::rules::einsum_test
