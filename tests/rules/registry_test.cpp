#include "shardy/rules/registry.hpp"

#include <string>
#include <vector>

#include "rules/op_maker.hpp"
#include "rules/rule_text.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "support/catch.hpp"

namespace shardy::rules::registry_test {
namespace {

using ir::OpKind;

constexpr RuleOptions kConservative{.conservative = true};

TEST_CASE("every elementwise op has the pointwise rule", "[rules][registry]") {
  const Registry registry;
  for (const ir::OpInfo& info : ir::kOps) {
    if ((info.traits & ir::kElementwise) == 0) continue;
    CAPTURE(info.name);
    OpMaker make;
    const bool is_ternary = info.kind == OpKind::Clamp || info.kind == OpKind::Select;
    const std::vector<ir::ValueId> operands(is_ternary ? 3 : 1, make.arg({4, 6}));
    const ir::OpId op = make.op(info.kind, operands, {{4, 6}});
    CHECK(text_of(registry.rule_for(make.view(op))) ==
          (is_ternary ? "([i, j], [i, j], [i, j])->([i, j]) {i=4, j=6}"
                      : "([i, j])->([i, j]) {i=4, j=6}"));
  }
}

TEST_CASE("rules read the attributes of an op", "[rules][registry]") {
  const Registry registry;
  OpMaker make;
  const auto scalar = make.arg({});
  const auto rule = [&](OpKind kind, std::vector<ir::ValueId> operands, std::vector<Sizes> results,
                        ir::AttributeMap map = {}) {
    const ir::OpId op = make.op(kind, std::move(operands), std::move(results), std::move(map));
    return text_of(registry.rule_for(make.view(op)));
  };
  CHECK(rule(OpKind::BroadcastInDim, {make.arg({1, 5})}, {{9, 4, 5}},
             attributes({{"broadcast_dimensions", integers({0, 2})}})) ==
        "([i, l])->([j, k, l]) {i=1, j=9, k=4, l=5}");
  CHECK(rule(OpKind::Clamp, {scalar, make.arg({4, 8}), scalar}, {{4, 8}}) ==
        "([], [i, j], [])->([i, j]) {i=4, j=8}");
  CHECK(rule(OpKind::DotGeneral, {make.arg({3, 5, 4}), make.arg({6, 3, 4})}, {{3, 5, 6}},
             attributes({{"dot_dimension_numbers", ir::DotDims{{0}, {1}, {2}, {2}}}})) ==
        "([i, j, l], [k, i, l])->([i, j, k]) {i=3, j=5, k=6, l=4} reduction={l}");
  CHECK(rule(OpKind::DynamicSlice, {make.arg({16, 32}), scalar, scalar}, {{16, 4}},
             attributes({{"slice_sizes", integers({16, 4})}})) ==
        "([i, j], [], [])->([i, j]) {i=16, j=32} need_replication={j} blocked_propagation={j}");
  CHECK(rule(OpKind::DynamicUpdateSlice, {make.arg({16, 32}), make.arg({16, 4}), scalar, scalar},
             {{16, 32}}) ==
        "([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4} need_replication={k}");
  CHECK(rule(OpKind::Pad, {make.arg({16, 30}), scalar}, {{16, 32}}) ==
        "([i, j], [])->([i, j]) {i=16, j=30} permutation={j}");
  CHECK(rule(OpKind::Reduce, {make.arg({6, 8}), make.arg({6, 8}), scalar, scalar}, {{8}, {8}},
             attributes({{"dimensions", integers({0})}})) ==
        "([i, j], [i, j], [], [])->([j], [j]) {i=6, j=8} reduction={i}");
  CHECK(rule(OpKind::Reshape, {make.arg({4, 6, 5})}, {{8, 15}}) ==
        "([i, jk, l])->([ij, kl]) {i=4, j=2, k=3, l=5}");
  CHECK(rule(OpKind::Reshape, {make.arg({4, 0})}, {{0}}) == "null");
  CHECK(rule(OpKind::Reverse, {make.arg({4, 6})}, {{4, 6}},
             attributes({{"dimensions", integers({1})}})) ==
        "([i, j])->([i, j]) {i=4, j=6} permutation={j}");
  CHECK(rule(OpKind::SdyShardingConstraint, {make.arg({4, 6})}, {{4, 6}}) ==
        "([i, j])->([i, j]) {i=4, j=6}");
  CHECK(rule(OpKind::Select, {scalar, make.arg({4, 6}), make.arg({4, 6})}, {{4, 6}}) ==
        "([], [i, j], [i, j])->([i, j]) {i=4, j=6}");
  CHECK(rule(OpKind::Slice, {make.arg({16, 30})}, {{8, 30}}) ==
        "([i, j])->([i, j]) {i=16, j=30} permutation={i}");
  CHECK(rule(OpKind::Transpose, {make.arg({3, 4, 5})}, {{5, 3, 4}},
             attributes({{"permutation", integers({2, 0, 1})}})) ==
        "([j, k, i])->([i, j, k]) {i=5, j=3, k=4}");
}

TEST_CASE("conservative rules block propagation of slices", "[rules][registry]") {
  const Registry registry;
  OpMaker make;
  const ir::OpId slice = make.op(OpKind::Slice, {make.arg({16, 30})}, {{8, 30}});
  CHECK(text_of(registry.rule_for(make.view(slice), kConservative)) ==
        "([i, j])->([i, j]) {i=16, j=30} permutation={i} blocked_propagation={i}");
  const ir::OpId pad = make.op(OpKind::Pad, {make.arg({16, 30}), make.arg({})}, {{16, 32}});
  CHECK(text_of(registry.rule_for(make.view(pad), kConservative)) ==
        "([i, j], [])->([i, j]) {i=16, j=30} permutation={j} blocked_propagation={j}");
  const ir::OpId concatenate = make.op(OpKind::Concatenate, {make.arg({4, 3}), make.arg({4, 5})},
                                       {{4, 8}}, attributes({{"dimension", integer(1)}}));
  CHECK(text_of(registry.rule_for(make.view(concatenate), kConservative)) ==
        "([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}");
}

TEST_CASE("a concatenate of slices has a permutation factor instead of need-replication",
          "[rules][registry]") {
  const Registry registry;
  OpMaker make;
  const auto x = make.arg({4, 4});
  const auto y = make.arg({4, 4});
  const auto slice = [&](ir::ValueId from) { return make.value(OpKind::Slice, {from}, {4, 4}); };
  const auto kind = [&](std::vector<ir::ValueId> operands) {
    const auto size = static_cast<int64_t>(4 * operands.size());
    const ir::OpId op = make.op(OpKind::Concatenate, std::move(operands), {{4, size}},
                                attributes({{"dimension", integer(1)}}));
    const auto rule = registry.rule_for(make.view(op));
    REQUIRE(rule);
    return (*rule)->factor_kind(1);
  };
  CHECK(kind({x, slice(x)}) == FactorKind::Permutation);
  CHECK(kind({x, x}) == FactorKind::NeedReplication);
  CHECK(kind({slice(x), slice(y)}) == FactorKind::Permutation);
  CHECK(kind({slice(x), x, slice(y)}) == FactorKind::NeedReplication);
  CHECK(kind({slice(x), y}) == FactorKind::NeedReplication);
}

TEST_CASE("constant start indices avoid replicating the update", "[rules][registry]") {
  const Registry registry;
  OpMaker make;
  const auto x = make.arg({16, 32});
  const auto update = make.arg({16, 4});
  const auto constant = make.value(OpKind::Constant, {}, {});
  const auto sdy_constant = make.value(OpKind::SdyConstant, {}, {});
  const auto iota = make.value(OpKind::Iota, {}, {});
  const auto rule = [&](ir::ValueId first, ir::ValueId second) {
    const ir::OpId op = make.op(OpKind::DynamicUpdateSlice, {x, update, first, second}, {{16, 32}});
    return text_of(registry.rule_for(make.view(op)));
  };
  CHECK(rule(constant, sdy_constant) == "([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4}");
  const std::string replicated =
      "([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4} need_replication={k}";
  CHECK(rule(constant, make.arg({})) == replicated);
  CHECK(rule(constant, iota) == replicated);
}

TEST_CASE("an attached rule overrides options and the built-in rule", "[rules][registry]") {
  const Registry registry;
  OpMaker make;
  const ir::OpId slice = make.op(OpKind::Slice, {make.arg({16, 30})}, {{8, 30}});
  const auto attached = parse_rule("<([i, j])->([i, k]) {i=16, j=30, k=30}>");
  REQUIRE(attached);
  make.module().attributes(slice).set("sdy.sharding_rule", *attached);
  CHECK(text_of(registry.rule_for(make.view(slice), kConservative)) ==
        "([i, j])->([i, k]) {i=16, j=30, k=30}");
  CHECK(text_of(registry.make_rule(make.view(slice))) ==
        "([i, j])->([i, j]) {i=16, j=30} permutation={i}");
}

TEST_CASE("some ops intentionally have no rule, and other ops are unknown", "[rules][registry]") {
  const Registry registry;
  const auto [name, is_known] = GENERATE(table<std::string, bool>({
      {"func.func", true},
      {"func.call", true},
      {"func.return", true},
      {"stablehlo.return", true},
      {"sdy.return", true},
      {"sdy.constant", true},
      {"sdy.data_flow_edge", true},
      {"sdy.func_data_flow_edge", true},
      {"sdy.manual_computation", true},
      {"sdy.named_computation", true},
      {"sdy.mesh", true},
      {"sdy.propagation_barrier", true},
      {"sdy.sharding_group", true},
      {"sdy.reshard", true},
      {"stablehlo.after_all", true},
      {"stablehlo.case", true},
      {"stablehlo.constant", true},
      {"stablehlo.create_token", true},
      {"stablehlo.get_tuple_element", true},
      {"stablehlo.infeed", true},
      {"stablehlo.iota", true},
      {"stablehlo.optimization_barrier", true},
      {"stablehlo.outfeed", true},
      {"stablehlo.partition_id", true},
      {"stablehlo.recv", true},
      {"stablehlo.send", true},
      {"stablehlo.while", true},
      {"stablehlo.if", false},
      {"stablehlo.einsum", false},
      {"sdy.all_gather", false},
      {"my.op", false},
  }));
  CAPTURE(name);
  OpMaker make;
  const ir::OpId op = make.op({.kind = ir::find_op(name),
                               .name = ir::find_op(name) == OpKind::Unknown ? name : "",
                               .operands = {make.arg({4})},
                               .result_types = {OpMaker::type({4})}});
  CHECK(text_of(registry.rule_for(make.view(op))) == "null");
  CHECK(registry.knows(make.view(op)) == is_known);
}

TEST_CASE("embedders register rules by op name", "[rules][registry]") {
  Registry registry;
  const RuleMaker first_dim = [](const OpView& op, const RuleOptions&) -> RuleResult {
    RuleBuilder builder({op.operand_shape(0).size()}, {1});
    builder.add({0}, {0}, {.size = op.operand_shape(0)[0]});
    return builder.build();
  };
  REQUIRE(registry.add("my.first", first_dim));
  OpMaker make;
  const ir::OpId op = make.op(
      {.name = "my.first", .operands = {make.arg({4, 6})}, .result_types = {OpMaker::type({4})}});
  CHECK(text_of(registry.rule_for(make.view(op))) == "([i, j])->([i]) {i=4, j=1}");
  CHECK(registry.knows(make.view(op)));
  CHECK(text_of(Registry().rule_for(make.view(op))) == "null");

  const auto refused = [&](const std::string& name) {
    const Status status = registry.add(name, first_dim);
    return status ? "" : status.error().message;
  };
  CHECK(refused("my.first") == "a sharding rule is registered already for op: my.first");
  CHECK(refused("stablehlo.add") == "op has a built-in sharding rule: stablehlo.add");
  CHECK(refused("stablehlo.while") == "op cannot have a sharding rule: stablehlo.while");
}

TEST_CASE("embedders register rules of composites by their name", "[rules][registry]") {
  Registry registry;
  OpMaker make;
  const auto composite = [&](std::string name) {
    return make.op(OpKind::Composite, {make.arg({4, 6})}, {{4, 6}},
                   attributes({{"name", std::move(name)}}));
  };
  const ir::OpId known = composite("example.known");
  const ir::OpId other = composite("example.other");
  CHECK_FALSE(registry.has_own(make.view(known)));
  REQUIRE(registry.add_composite("example.known", einsum_maker("i j -> i j").value()));
  CHECK(registry.has_own(make.view(known)));
  CHECK(registry.knows(make.view(known)));
  CHECK(text_of(registry.rule_for(make.view(known))) == "([i, j])->([i, j]) {i=4, j=6}, custom");
  CHECK_FALSE(registry.has_own(make.view(other)));
  CHECK(text_of(registry.rule_for(make.view(other))) == "null");
  const auto again = registry.add_composite("example.known", einsum_maker("i j -> i j").value());
  REQUIRE_FALSE(again);
  CHECK(again.error().message ==
        "a sharding rule is registered already for composite: example.known");
}

TEST_CASE("dynamic, token and foreign values have no built-in rule", "[rules][registry]") {
  const Registry registry;
  OpMaker make;
  const ir::Type token;
  const ir::Type foreign(ir::OpaqueType{"tensor<*xf32>"});
  for (const ir::Type& type : {OpMaker::type({ir::kDynamicDim}), token, foreign}) {
    const ir::OpId op =
        make.op({.kind = OpKind::Abs, .operands = {make.arg({4})}, .result_types = {type}});
    CHECK(text_of(registry.rule_for(make.view(op))) == "null");
    CHECK(registry.knows(make.view(op)));
  }
}

TEST_CASE("an op with operands that do not fit is an error with its location",
          "[rules][registry]") {
  const Registry registry;
  OpMaker make;
  const auto error = [&](OpKind kind, std::vector<ir::ValueId> operands,
                         ir::AttributeMap map = {}) {
    const ir::OpId op = make.op(kind, std::move(operands), {{4, 6}}, std::move(map));
    make.module().set_location(op, make.module().add_location("3:5"));
    const RuleResult rule = registry.rule_for(make.view(op));
    REQUIRE_FALSE(rule);
    CHECK(rule.error().location == "3:5");
    return rule.error().message;
  };
  CHECK(error(OpKind::Add, {}) == "'stablehlo.add' op expected at least 1 operands, got: 0");
  CHECK(error(OpKind::Clamp, {make.arg({})}) ==
        "'stablehlo.clamp' op expected at least 3 operands, got: 1");
  CHECK(error(OpKind::Transpose, {make.arg({4, 6})}) ==
        "'stablehlo.transpose' op expected an integer array attribute: permutation");
  CHECK(
      error(OpKind::Concatenate, {make.arg({4, 6})}, attributes({{"dimension", integers({1})}})) ==
      "'stablehlo.concatenate' op expected an integer attribute: dimension");
  CHECK(error(OpKind::DotGeneral, {make.arg({4, 6}), make.arg({6})}) ==
        "'stablehlo.dot_general' op requires attribute 'dot_dimension_numbers'");
  CHECK(error(OpKind::Reduce, {make.arg({4, 6}), make.arg({}), make.arg({})},
              attributes({{"dimensions", integers({0})}})) ==
        "'stablehlo.reduce' op expected one input and one initial value per result");
  CHECK(error(OpKind::Reshape, {make.arg({4, 7})}) ==
        "'stablehlo.reshape' op reshape: numbers of elements must match: 28 != 24");
}

TEST_CASE("lowering uses a permutation factor where propagation would replicate",
          "[rules][lowering]") {
  const Registry registry;
  OpMaker make;
  const auto joined = [&] {
    return make.op(OpKind::Concatenate, {make.arg({4, 3}), make.arg({4, 5})}, {{4, 8}},
                   attributes({{"dimension", integer(1)}}));
  };
  const std::string moved = "([i, j], [i, j])->([i, j]) {i=4, j=8} permutation={j}";
  CHECK(text_of(registry.lowering_rule_for(make.view(joined()))) == moved);

  const ir::OpId sliced =
      make.op(OpKind::DynamicSlice, {make.arg({16, 32}), make.arg({}), make.arg({})}, {{16, 4}});
  CHECK(text_of(registry.lowering_rule_for(make.view(sliced))) ==
        "([i, j], [], [])->([i, k]) {i=16, j=32, k=4} reduction={j} need_replication={k}");

  const ir::OpId kept = joined();
  const auto created = registry.make_rule(make.view(kept));
  REQUIRE(created);
  make.module().attributes(kept).set("sdy.sharding_rule", **created);
  CHECK(text_of(registry.lowering_rule_for(make.view(kept))) == moved);

  const ir::OpId custom = joined();
  const auto rule =
      parse_rule("<([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}, custom>");
  REQUIRE(rule);
  make.module().attributes(custom).set("sdy.sharding_rule", *rule);
  CHECK(text_of(registry.lowering_rule_for(make.view(custom))) == moved);

  const ir::OpId updated =
      make.op(OpKind::DynamicUpdateSlice,
              {make.arg({16, 32}), make.arg({16, 4}), make.arg({}), make.arg({})}, {{16, 32}});
  CHECK(text_of(registry.lowering_rule_for(make.view(updated))) ==
        text_of(registry.rule_for(make.view(updated))));
}

namespace {

/// A mesh of one axis, and shardings on it that shard one dim of three.
TensorSharding shard_dim(std::size_t dim) {
  const Result<Mesh> mesh = Mesh::make({{"x", 2}});
  std::vector<DimSharding> dims(3);
  dims[dim].axes = {mesh->full_axis(0)};
  return *TensorSharding::make(*mesh, "mesh", std::move(dims));
}

}  // namespace

// Spec: partitioning 1.2 (I4).
TEST_CASE("lowering shards a spatial dim in one way for all sizes", "[rules][lowering]") {
  const Registry registry;
  OpMaker make;
  const std::string windows =
      "([i, j, k], [m, k, l])->([i, j, l]) {i=4, j=6, k=6, l=10, m=1} reduction={k} "
      "permutation={j}";
  const std::string taps =
      "([i, j, k], [j, k, l])->([i, m, l]) {i=4, j=5, k=6, l=10, m=1} reduction={j, k}";
  const auto convolved = [&](ir::ValueId kernel) {
    return make.op(OpKind::Convolution, {make.arg({4, 16, 6}), kernel}, {{4, 6, 10}},
                   attributes({{"dimension_numbers", channels_last_dims()},
                               {"feature_group_count", integer(1)},
                               {"batch_group_count", integer(1)}}));
  };
  SECTION("propagation's choice, if no operand is sharded") {
    CHECK(text_of(registry.lowering_rule_for(make.view(convolved(make.arg({5, 6, 10}))))) ==
          windows);
  }
  SECTION("the kernel dim, if the kernel is sharded and the result is not") {
    const ir::ValueId kernel = make.arg({5, 6, 10});
    const ir::OpId op = convolved(kernel);
    ir::set_arg_sharding(make.module(), *make.module().main_function(), 0, shard_dim(0));
    REQUIRE(ir::get_sharding(make.module(), make.module().operand(op, 1)).has_value());
    CHECK(text_of(registry.lowering_rule_for(make.view(op))) == taps);
    ir::set_sharding(make.module(), make.module().result(op), shard_dim(1));
    CHECK(text_of(registry.lowering_rule_for(make.view(op))) == windows);
  }
  SECTION("propagation has both factors") {
    const ir::OpId op = convolved(make.arg({5, 6, 10}));
    CHECK(text_of(registry.rule_for(make.view(op))) ==
          "([i, jk, l], [k, l, m])->([i, j, m]) {i=4, j=6, k=2, l=6, m=10} reduction={k, l} "
          "permutation={j}");
  }
}

// Spec: partitioning 8.12.
TEST_CASE("lowering shards select_and_scatter like its operands", "[rules][lowering]") {
  const Registry registry;
  OpMaker make;
  const ir::OpId op = make.op(
      OpKind::SelectAndScatter, {make.arg({16, 8}), make.arg({8, 8}), make.arg({})}, {{16, 8}},
      attributes({{"window_dimensions", integers({2, 1})}, {"window_strides", integers({2, 1})}}));
  CHECK(text_of(registry.lowering_rule_for(make.view(op))) ==
        "([i, j], [i, j], [])->([i, j]) {i=16, j=8} permutation={i}");
}

TEST_CASE("generated rules are reused and removed, and custom rules are kept",
          "[rules][attributes]") {
  const Registry registry;
  OpMaker make;
  const auto x = make.arg({16, 30});
  const ir::OpId slice = make.op(OpKind::Slice, {x}, {{8, 30}});
  const ir::OpId custom = make.op(OpKind::Slice, {x}, {{8, 30}});
  const auto rule = parse_rule("<([i, j])->([i, j]) {i=16, j=30}, custom>");
  REQUIRE(rule);
  make.module().attributes(custom).set("sdy.sharding_rule", *rule);
  REQUIRE(populate_rules(make.module(), registry));
  CHECK(text_of(registry.rule_for(make.view(slice), kConservative)) ==
        "([i, j])->([i, j]) {i=16, j=30} permutation={i}");
  CHECK(text_of(registry.rule_for(make.view(custom))) == "([i, j])->([i, j]) {i=16, j=30}, custom");

  drop_rules(make.module());
  CHECK_FALSE(make.module().attributes(slice).contains("sdy.sharding_rule"));
  CHECK(make.module().attributes(custom).contains("sdy.sharding_rule"));
}

TEST_CASE("is_elementwise is narrower than having a pointwise rule", "[rules][registry]") {
  OpMaker make;
  const auto is_elementwise_op = [&](const std::string& name, Sizes result = {4, 6}) {
    const ir::OpId op = make.op({.kind = ir::find_op(name),
                                 .name = ir::find_op(name) == OpKind::Unknown ? name : "",
                                 .operands = {make.arg({4, 6})},
                                 .result_types = {OpMaker::type(std::move(result))}});
    return is_elementwise(make.view(op));
  };
  for (const char* name : {"stablehlo.add", "stablehlo.compare", "stablehlo.complex",
                           "stablehlo.convert", "stablehlo.is_finite", "stablehlo.reduce_precision",
                           "stablehlo.clamp", "stablehlo.select", "sdy.propagation_barrier",
                           "sdy.reshard", "sdy.sharding_constraint", "stablehlo.uniform_quantize",
                           "stablehlo.uniform_dequantize", "stablehlo.bitcast_convert"}) {
    CAPTURE(name);
    CHECK(is_elementwise_op(name));
  }
  for (const char* name : {"stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose",
                           "sdy.data_flow_edge", "stablehlo.all_reduce",
                           "stablehlo.collective_permute", "stablehlo.collective_broadcast",
                           "stablehlo.cross-replica-sum", "stablehlo.custom_call", "my.op"}) {
    CAPTURE(name);
    CHECK_FALSE(is_elementwise_op(name));
  }
  CHECK_FALSE(is_elementwise_op("stablehlo.bitcast_convert", {4, 6, 2}));
}

TEST_CASE("ops with equal signatures share a rule", "[rules][table]") {
  const Registry registry;
  OpMaker make;
  const auto x = make.arg({4, 4});
  const auto transpose = [&](std::vector<int64_t> permutation) {
    return make.op(OpKind::Transpose, {x}, {{4, 4}},
                   attributes({{"permutation", integers(std::move(permutation))}}));
  };
  const auto join = [&](ir::ValueId a, ir::ValueId b) {
    return make.op(OpKind::Concatenate, {a, b}, {{4, 8}}, attributes({{"dimension", integer(1)}}));
  };
  const auto slice = make.value(OpKind::Slice, {x}, {4, 4});
  const std::vector<ir::OpId> ops = {make.op(OpKind::Add, {x, x}, {{4, 4}}),
                                     make.op(OpKind::Add, {slice, x}, {{4, 4}}),
                                     make.op(OpKind::Subtract, {x, x}, {{4, 4}}),
                                     transpose({0, 1}),
                                     transpose({1, 0}),
                                     transpose({1, 0}),
                                     join(x, x),
                                     join(x, slice),
                                     make.op(OpKind::Iota, {}, {{4, 4}})};
  RuleTable table(make.module(), registry, {});
  std::vector<std::optional<uint32_t>> found;
  for (const ir::OpId op : ops) {
    const auto rule = table.find(op);
    REQUIRE(rule);
    found.push_back(*rule);
    const auto expected = registry.rule_for(make.view(op));
    CHECK(text_of(expected) == (*rule ? text_of(table.rules()[**rule]) : "null"));
  }
  CHECK(found[0] == found[1]);
  CHECK(found[4] == found[5]);
  CHECK(found[3] != found[4]);
  CHECK(found[6] != found[7]);
  CHECK_FALSE(found[8]);
  for (std::size_t index = ops.size(); index-- > 0;) {
    CHECK(table.find(ops[index]).value() == found[index]);
  }
}

}  // namespace
}  // namespace shardy::rules::registry_test
