// Rules by which ops are lowered that propagation has none for, and whose rule counts.
#include "shardy/rules/detail/lowering_rules.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/op_maker.hpp"
#include "rules/rule_text.hpp"
#include "shardy/rules/linear.hpp"
#include "shardy/rules/registry.hpp"
#include "support/catch.hpp"

namespace shardy::rules::lowering_rules_test {
namespace {

using ir::OpKind;

std::string lowering_text(const OpMaker& make, ir::OpId op, const Registry& registry = {}) {
  return text_of(registry.lowering_rule_for(make.view(op)));
}

TEST_CASE("CHLO functions are pointwise in lowering and unknown in propagation",
          "[rules][lowering]") {
  OpMaker make;
  const auto x = make.arg({4, 6});
  for (const OpKind kind : {OpKind::ChloAcosh, OpKind::ChloLgamma, OpKind::ChloDigamma,
                            OpKind::ChloErfInv, OpKind::ChloConstantLike, OpKind::Map}) {
    CAPTURE(ir::info(kind).name);
    const ir::OpId op = make.op(kind, {x}, {{4, 6}});
    CHECK(lowering_text(make, op) == "([i, j])->([i, j]) {i=4, j=6}");
    CHECK(text_of(Registry().rule_for(make.view(op))) == "null");
    CHECK(text_of(Registry().rule_for(make.view(op), {.lowering_rules = true})) ==
          "([i, j])->([i, j]) {i=4, j=6}");
  }
  const ir::OpId next = make.op(OpKind::ChloNextAfter, {x, x}, {{4, 6}});
  CHECK(lowering_text(make, next) == "([i, j], [i, j])->([i, j]) {i=4, j=6}");
  CHECK(lowering_text(make, make.op(OpKind::Rng, {x}, {{4, 6}})) == "null");
}

TEST_CASE("every elementwise CHLO function has a lowering rule", "[rules][lowering]") {
  OpMaker make;
  const auto x = make.arg({4, 6});
  for (const ir::OpInfo& info : ir::kOps) {
    if (!info.name.starts_with("chlo.")) continue;
    const bool is_other = info.kind == OpKind::ChloConstant || info.kind == OpKind::ChloRaggedDot ||
                          info.kind == OpKind::ChloScan || info.kind == OpKind::ChloTopK;
    if (is_other) continue;
    CAPTURE(info.name);
    CHECK(lowering_text(make, make.op(info.kind, {x}, {{4, 6}})) ==
          "([i, j])->([i, j]) {i=4, j=6}");
  }
}

TEST_CASE("groups of a ragged product are a reduction factor or a dim of the result",
          "[rules][lowering]") {
  OpMaker make;
  const auto text = [&](const std::vector<ir::ValueId>& operands,
                        const std::vector<std::vector<int64_t>>& result,
                        const ir::RaggedDotDims& dims) {
    return lowering_text(make, make.op(OpKind::ChloRaggedDot, operands, result,
                                       attributes({{"ragged_dot_dimension_numbers", dims}})));
  };
  const auto vector = make.arg({2});
  CHECK(text({make.arg({8, 4}), make.arg({2, 4, 6}), vector}, {{8, 6}},
             {{}, {}, {1}, {1}, {0}, {0}}) ==
        "([i, k], [l, k, j], [m])->([i, j]) {i=8, j=6, k=4, l=2, m=2} reduction={k, l} "
        "need_replication={m}");
  CHECK(text({make.arg({8, 4}), make.arg({4, 6}), vector}, {{2, 8, 6}},
             {{}, {}, {1}, {0}, {1}, {}}) ==
        "([j, l], [l, k], [m])->([i, j, k]) {i=2, j=8, k=6, l=4, m=2} reduction={l} "
        "need_replication={m}");
  // Lists of sizes for each batch, and for each free dim in front of the ragged one.
  CHECK(text({make.arg({3, 5, 8, 4}), make.arg({3, 2, 4, 6}), make.arg({3, 5, 2})}, {{3, 5, 8, 6}},
             {{0}, {0}, {3}, {2}, {2}, {1}}) ==
        "([i, j, k, m], [i, n, m, l], [i, j, o])->([i, j, k, l]) {i=3, j=5, k=8, l=6, m=4, n=2, "
        "o=2} reduction={m, n} need_replication={o}");
  CHECK(text({make.arg({3, 8, 4}), make.arg({3, 4, 6}), vector}, {{3, 8, 6}},
             {{0}, {0}, {2}, {1}, {0}, {}}) ==
        "([i, j, l], [i, l, k], [m])->([i, j, k]) {i=3, j=8, k=6, l=4, m=2} reduction={l} "
        "need_replication={m}");
}

TEST_CASE("broadcasting dims of size 1 have separate factors", "[rules][lowering]") {
  OpMaker make;
  const auto column = make.arg({4, 1});
  const auto row = make.arg({8});
  CHECK(lowering_text(make, make.op(OpKind::ChloBroadcastAdd, {column, row}, {{4, 8}})) ==
        "([i, k], [j])->([i, j]) {i=4, j=8, k=1}");
  const ir::OpId along_first =
      make.op(OpKind::ChloBroadcastAdd, {make.arg({4}), make.arg({4, 8})}, {{4, 8}},
              attributes({{"broadcast_dimensions", integers({0})}}));
  CHECK(lowering_text(make, along_first) == "([i], [i, j])->([i, j]) {i=4, j=8}");
  CHECK(lowering_text(make, make.op(OpKind::Broadcast, {row}, {{3, 8}})) ==
        "([j])->([i, j]) {i=3, j=8}");
}

TEST_CASE("an einsum has a factor per letter", "[rules][lowering]") {
  OpMaker make;
  const auto einsum = [&](const std::string& equation, std::vector<ir::ValueId> operands,
                          Sizes result) {
    const OpKind kind = operands.size() == 1 ? OpKind::UnaryEinsum : OpKind::Einsum;
    return lowering_text(make, make.op(kind, std::move(operands), {std::move(result)},
                                       attributes({{"einsum_config", equation}})));
  };
  const auto x = make.arg({4, 8});
  CHECK(einsum("ij, jk -> ik", {x, make.arg({8, 2})}, {4, 2}) ==
        "([i, j], [j, k])->([i, k]) {i=4, j=8, k=2} reduction={j}");
  CHECK(einsum("ab->b", {x}, {8}) == "([i, j])->([j]) {i=4, j=8} reduction={i}");
  CHECK(einsum("aa->a", {make.arg({4, 4})}, {4}) == "null");
  CHECK(einsum("...b->b...", {x}, {8, 4}) == "null");
  CHECK(einsum("abc->b", {x}, {8}) == "null");
  CHECK(einsum("ab", {x}, {8}) == "null");
}

TEST_CASE("all dims of a batch norm can be sharded", "[rules][lowering]") {
  OpMaker make;
  const auto vector = make.arg({8});
  const ir::OpId op = make.op(OpKind::BatchNormTraining, {make.arg({4, 8}), vector, vector},
                              {{4, 8}, {8}, {8}}, attributes({{"feature_index", integer(1)}}));
  CHECK(lowering_text(make, op) == "([i, j], [j], [j])->([i, j], [j], [j]) {i=4, j=8}");
}

// Spec: partitioning 8.18.
TEST_CASE("the ranked row of top_k is replicated unless it has few candidates",
          "[rules][lowering]") {
  const auto rule = [](int64_t k, Ranking ranking) {
    const std::vector<int64_t> operand = {4, 8};
    const std::vector<int64_t> result = {4, k};
    return text_of(top_k_lowering_rule(operand, result, ranking));
  };
  CHECK(rule(2, Ranking::Whole) ==
        "([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}");
  CHECK(rule(8, Ranking::Whole) ==
        "([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}");
  CHECK(rule(2, Ranking::Shards) ==
        "([i, j])->([i, k], [i, k]) {i=4, j=8, k=2} reduction={j} need_replication={k}");
}

// Propagation goes by what is attached; an op that the library knows is lowered as what it is.
TEST_CASE("lowering uses attached rules only for foreign ops", "[rules][lowering]") {
  OpMaker make;
  const auto custom = parse_rule("<([i, j])->([i, j]) {i=4, j=6} need_replication={j}, custom>");
  REQUIRE(custom);
  const auto x = make.arg({4, 6});
  const ir::OpId known = make.op(OpKind::Abs, {x}, {{4, 6}});
  const ir::OpId foreign =
      make.op({.name = "my.op", .operands = {x}, .result_types = {OpMaker::type({4, 6})}});
  const ir::OpId without = make.op(OpKind::RealDynamicSlice, {x}, {{4, 6}});
  for (const ir::OpId op : {known, foreign, without}) {
    make.module().attributes(op).set("sdy.sharding_rule", *custom);
  }
  CHECK(lowering_text(make, known) == "([i, j])->([i, j]) {i=4, j=6}");
  CHECK(lowering_text(make, foreign) == text_of(*custom));
  CHECK(lowering_text(make, without) == text_of(*custom));
}

TEST_CASE("an embedder can register a separate lowering rule for an op", "[rules][lowering]") {
  OpMaker make;
  Registry registry;
  const auto maker = [](const char* text) { return einsum_maker(text).value(); };
  REQUIRE(registry.add("my.op", maker("i j -> i j need_replication={i}"), maker("i j -> i j")));
  REQUIRE(registry.add_custom_call("call", maker("i j -> i j need_replication={j}")));
  const auto x = make.arg({4, 6});
  const ir::OpId op =
      make.op({.name = "my.op", .operands = {x}, .result_types = {OpMaker::type({4, 6})}});
  const ir::OpId call = make.op(OpKind::CustomCall, {x}, {{4, 6}},
                                attributes({{"call_target_name", std::string("call")}}));
  CHECK(text_of(registry.rule_for(make.view(op))) ==
        "([i, j])->([i, j]) {i=4, j=6} need_replication={i}, custom");
  CHECK(lowering_text(make, op, registry) == "([i, j])->([i, j]) {i=4, j=6}, custom");
  CHECK(lowering_text(make, call, registry) ==
        "([i, j])->([i, j]) {i=4, j=6} need_replication={j}, custom");
}

}  // namespace
}  // namespace shardy::rules::lowering_rules_test
