// Values that each matcher accepts, and its message about others.
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "shardy/algebra/unresolved.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/testing.hpp"

namespace shardy::testing::matchers_test {
namespace {

Mesh mesh() { return *parse_mesh(R"(<["x"=2, "y"=4]>)"); }
TensorSharding sharding(std::string_view text) {
  return *resolve(*parse_sharding("<@m, " + std::string(text) + ">"), mesh());
}

/// Text that a failing test prints after the value.
template <class Matcher, class T>
std::string complaint(const Matcher& matcher, const T& value) {
  CHECK_FALSE(matcher.match(value));
  return matcher.describe();
}

TEST_CASE("ShardedAs accepts a sharding with or without its mesh") {
  CHECK_THAT(sharding(R"([{"x"}, {}])"), ShardedAs(R"([{"x"}, {}])"));
  CHECK_THAT(sharding(R"([{"x"}, {}])"), ShardedAs(R"(<@m, [{"x"}, {}]>)"));
  CHECK_THAT(sharding(R"([{?}], replicated={"y"})"), ShardedAs(R"([{?}], replicated={"y"})"));
  CHECK_THAT(std::optional(sharding(R"([{"x"}])")), ShardedAs(R"([{"x"}])"));
  CHECK_THAT(Result<TensorSharding>(sharding(R"([{"x"}])")), ShardedAs(R"([{"x"}])"));
  CHECK_FALSE(ShardedAs(R"([{"y"}])").match(sharding(R"([{"x"}])")));
}

TEST_CASE("ShardedAs lists the dims that differ") {
  CHECK(complaint(ShardedAs(R"([{"y"}, {"x", ?}], unreduced={"x"})"),
                  sharding(R"([{"x"}, {"y":(1)2}])")) ==
        R"(is sharded as [{"y"}, {"x", ?}], unreduced={"x"}, but
  dim 0: {"x"} instead of {"y"}
  dim 1: {"y":(1)2} instead of {"x", ?}
  unreduced: {} instead of {"x"})");
  CHECK(complaint(ShardedAs("[{}]"), sharding("[{}, {}]")) ==
        "is sharded as [{}], but\n  dims: 2 instead of 1");
  CHECK(complaint(ShardedAs("<@other, [{}]>"), sharding("[{}]")) ==
        "is sharded as <@other, [{}]>, but\n  the mesh: @m instead of @other");
  CHECK(complaint(ShardedAs("[{}]"), std::optional<TensorSharding>()) ==
        "is sharded as [{}], but\n  found no sharding");
  CHECK(complaint(ShardedAs("[{}]"), Result<TensorSharding>(fail("no such axis"))) ==
        "is sharded as [{}], but\n  found an error: no such axis");
  CHECK_THAT(complaint(ShardedAs("[{"), sharding("[{}]")),
             Catch::Contains("the test's own text cannot be read"));
}

TEST_CASE("FollowsRule lists the tensors and factors that differ") {
  const OpShardingRule dot =
      *parse_rule("<([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}>");
  CHECK_THAT(dot, FollowsRule("([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}"));
  CHECK_THAT(std::optional(dot),
             FollowsRule("<([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}>"));
  CHECK(complaint(FollowsRule("([i, j], [k, j])->([i, j]) {i=8, j=4, k=8}"), dot) ==
        R"(follows the rule ([i, j], [k, j])->([i, j]) {i=8, j=4, k=8}, but
  operand 0: [i, k] instead of [i, j]
  size of factor k: 16 instead of 8
  reduction factors: k instead of )");
}

TEST_CASE("TakesSteps lists the steps that differ") {
  const int64_t shape[] = {8, 8};
  const auto plan = plan_reshard(shape, sharding(R"([{"x"}, {}])"), sharding(R"([{}, {}])"));
  CHECK_THAT(plan, TakesSteps({"sdy.all_gather"}));
  CHECK_THAT(*plan, TakesSteps({R"(sdy.all_gather [{"x"}, {}])"}));
  CHECK_THAT(
      complaint(TakesSteps({"sdy.all_slice", "sdy.all_gather"}), plan),
      Catch::Contains(
          "takes the steps sdy.all_slice, sdy.all_gather, but\n  step 0: sdy.all_gather") &&
          Catch::Contains("instead of sdy.all_slice\n  step 1: nothing instead of sdy.all_gather"));
  CHECK_THAT(complaint(TakesSteps({}), plan),
             Catch::Contains("takes no step, but\n  step 0: sdy.all_gather"));
}

TEST_CASE("IsMesh and FailsWith report mismatches") {
  CHECK_THAT(mesh(), IsMesh(R"(<["x"=2, "y"=4]>)"));
  CHECK(complaint(IsMesh(R"(<["x"=8]>)"), mesh()) ==
        R"(is the mesh <["x"=8]>, but
  the mesh: <["x"=2, "y"=4]> instead of <["x"=8]>)");
  CHECK_THAT(parse_mesh("<[x]>"), FailsWith("expected"));
  CHECK(complaint(FailsWith("axis"), parse_mesh("<[]>")) ==
        "fails with \"axis\", but\n  found a value, no error");
  CHECK(complaint(FailsWith("axis"), Result<Mesh>(fail("no"))) ==
        "fails with \"axis\", but\n  its message is: no");
}

constexpr std::string_view kProgram = R"(sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}, %b: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
})";

TEST_CASE("HasCollectives counts the collectives of a program") {
  const auto module = *text::parse_mlir(kProgram);
  const auto compiled = checking::compile(module);
  REQUIRE(compiled);
  CHECK_THAT(module, HasCollectives({}));
  CHECK_THAT(*compiled, HasCollectives({{ir::OpKind::SpmdAllReduce, 1}}));
  CHECK(complaint(HasCollectives({{ir::OpKind::SpmdAllGather, 2}}), *compiled) ==
        "has the collectives 2 spmd.all_gather, but\n  spmd.all_gather: 0 instead of 2\n  "
        "spmd.all_reduce: 1 "
        "instead of 0");
}

TEST_CASE("EqualsUnsharded runs the program sharded and unsharded") {
  CHECK_THAT(*text::parse_mlir(kProgram), EqualsUnsharded());
  const auto no_main = *text::parse_mlir("func.func @f() { return } func.func @g() { return }");
  CHECK_THAT(complaint(EqualsUnsharded(), no_main), Catch::Contains("found an error"));
}

TEST_CASE("EqualsUnsharded lists the results that differ") {
  // A lowering of a foreign op that counts elements, and forgets those of the other devices.
  checking::Context context;
  const auto rule = parse_rule("<([i])->([]) {i=8} reduction={i}>");
  checking::ForeignOp op;
  op.name = "my.count";
  op.rule = [rule](const rules::OpView&, const rules::RuleOptions&) -> rules::RuleResult {
    return std::optional(*rule);
  };
  op.lower = [](partitioning::OpLowering& lowering) -> Status {
    const auto axes = lowering.operand_axes(0);
    const ir::ValueId mine = lowering.operand(0, axes);
    const partitioning::OpLowering::Axes whole[] = {{}};
    const ir::OpId count = lowering.clone({mine}, whole);
    lowering.set_result(0, lowering.local_program().result(count), {});
    return {};
  };
  op.kernel = [](const simulation::ForeignCall& call) -> Result<simulation::Tensors> {
    const double one[] = {static_cast<double>(call.operands[0].num_elements())};
    auto result = simulation::Tensor::from_doubles(call.result_types[0], one);
    if (!result) return tl::unexpected(result.error());
    return simulation::Tensors{*result};
  };
  REQUIRE(context.add_op(std::move(op)));
  const auto module = *text::parse_mlir(R"(sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<f32> {
  %0 = "my.count"(%a) : (tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
  checking::CheckOptions options;
  CHECK_THAT(complaint(EqualsUnsharded(1, options, context), module),
             Catch::Contains("computes sharded what it computes unsharded, but\n  result 0: 1 "
                             "elements differ, the first at 0"));
}

TEST_CASE("Catch2 prints values by their texts") {
  CHECK(Catch::Detail::stringify(mesh()) == R"(<["x"=2, "y"=4]>)");
  CHECK(Catch::Detail::stringify(sharding(R"([{"x"}])")) == R"(<@m, [{"x"}]>)");
  CHECK(Catch::Detail::stringify(AxisRef{1, 2, 2}) == "axis 1:(2)2");
  CHECK(Catch::Detail::stringify(Result<Mesh>(fail("no mesh"))) == "error: no mesh");
  CHECK(Catch::Detail::stringify(Status()) == "success");
  CHECK(Catch::Detail::stringify(ir::Type::tensor({2}, ir::ElementType::F32)) == "tensor<2xf32>");
}

}  // namespace
}  // namespace shardy::testing::matchers_test
