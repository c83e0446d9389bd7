#include <string>
#include <vector>

#include "rules/op_maker.hpp"
#include "rules/rule_text.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/registry.hpp"
#include "support/catch.hpp"

namespace shardy::rules::custom_call_test {
namespace {

using ir::OpKind;

ir::OpId call(OpMaker& make, const std::string& target, std::vector<ir::ValueId> operands,
              std::vector<Sizes> results) {
  return make.op(OpKind::CustomCall, std::move(operands), std::move(results),
                 attributes({{"call_target_name", target}}));
}

std::string rule_of(OpMaker& make, const std::string& target, std::vector<ir::ValueId> operands,
                    std::vector<Sizes> results) {
  const ir::OpId op = call(make, target, std::move(operands), std::move(results));
  return text_of(Registry().rule_for(make.view(op)));
}

TEST_CASE("custom calls that keep element positions are pointwise", "[rules][custom_call]") {
  OpMaker make;
  for (const char* target :
       {"annotate_device_placement", "Cholesky", "CompactWyHelper", "InspectSharding",
        "InvertDiagBlocksLowerTriangular", "InvertDiagBlocksUpperTriangular", "LayoutConstraint",
        "mhlo.erf", "MoveToDevice", "MoveToHost", "X64SplitHigh", "X64SplitLow",
        "xla.megascale.provide_metadata", "xla.sdy.FuncResultSharding", "_SPMDInternalOp_MultiPad",
        "_SPMDInternalOp_RotateRight", "_SPMDInternalOp_MultiRotate", "_SPMDInternalOp_MultiSlice",
        "_SPMDInternalOp_Wrap"}) {
    CAPTURE(target);
    CHECK(rule_of(make, target, {make.arg({4, 6})}, {{4, 6}}) == "([i, j])->([i, j]) {i=4, j=6}");
  }
}

TEST_CASE("known custom calls have specific rules", "[rules][custom_call]") {
  OpMaker make;
  const auto scalar = make.arg({});
  CHECK(rule_of(make, "Eigh", {make.arg({8, 4, 4})}, {{8, 4, 4}, {8, 4}}) ==
        "([i, j, k])->([i, j, k], [i, k]) {i=8, j=4, k=4}");
  for (const char* target : {"Qr", "QrDecompositionBlock"}) {
    CHECK(rule_of(make, target, {make.arg({6, 5, 3})}, {{6, 5, 3}, {6, 3}}) ==
          "([i, j, k])->([i, j, k], [i, l]) {i=6, j=5, k=3, l=3} need_replication={j, k, l}");
  }
  CHECK(rule_of(make, "ProductOfElementaryHouseholderReflectors",
                {make.arg({6, 5, 3}), make.arg({6, 2})}, {{6, 5, 3}}) ==
        "([i, j, k], [i, l])->([i, j, k]) {i=6, j=5, k=3, l=2} need_replication={j, k, l}");
  CHECK(rule_of(make, "mhlo.topk", {make.arg({6, 20})}, {{6, 3}, {6, 3}}) ==
        "([i, j])->([i, j], [i, j]) {i=6, j=20} need_replication={j} blocked_propagation={j}");
  for (const char* target : {"ApproxTopK", "PartialReduce"}) {
    CHECK(rule_of(make, target, {make.arg({6, 20}), make.arg({6, 20}), scalar, scalar},
                  {{6, 3}, {6, 3}}) ==
          "([i, j], [i, j], [], [])->([i, k], [i, k]) {i=6, j=20, k=3} need_replication={k} "
          "blocked_propagation={k}");
  }
}

TEST_CASE("a wrong number of operands or results is an error", "[rules][custom_call]") {
  OpMaker make;
  CHECK(rule_of(make, "Eigh", {make.arg({4, 4})}, {{4, 4}}) ==
        "error: 'stablehlo.custom_call' op expected 2 results, got: 1");
  CHECK(rule_of(make, "mhlo.topk", {make.arg({4}), make.arg({4})}, {{2}, {2}}) ==
        "error: 'stablehlo.custom_call' op expected 1 operand, got: 2");
}

TEST_CASE("X64Combine of a random state has a need-replication rule", "[rules][custom_call]") {
  OpMaker make;
  const ir::OpId feeding = call(make, "X64Combine", {make.arg({2}), make.arg({2})}, {{2}});
  make.op(OpKind::RngBitGenerator, {make.module().result(feeding)}, {{2}, {6, 7}});
  CHECK(text_of(Registry().rule_for(make.view(feeding))) ==
        "([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}");
  CHECK(rule_of(make, "X64Combine", {make.arg({2}), make.arg({2})}, {{2}}) ==
        "([i], [i])->([i]) {i=2}");
  const ir::OpId matrix = call(make, "X64Combine", {make.arg({2, 2}), make.arg({2, 2})}, {{2, 2}});
  make.op(OpKind::RngBitGenerator, {make.module().result(matrix)}, {{2, 2}, {6, 7}});
  CHECK(text_of(Registry().rule_for(make.view(matrix))) ==
        "error: 'stablehlo.custom_call' op expected a result of rank 1, as it is a random state");
}

TEST_CASE("other custom calls have no rule, some of them without a warning",
          "[rules][custom_call]") {
  OpMaker make;
  for (const char* target :
       {"sdy_testonly", "tpu_custom_call", "xla_python_cpu_callback", "xla_python_gpu_callback",
        "xla_ffi_python_cpu_callback", "xla_ffi_python_gpu_callback", "xla.debug.Log"}) {
    CAPTURE(target);
    const ir::OpId op = call(make, target, {make.arg({4})}, {{4}});
    CHECK(text_of(Registry().rule_for(make.view(op))) == "null");
    CHECK(Registry().knows(make.view(op)));
  }
  const ir::OpId unknown = call(make, "mine", {make.arg({4})}, {{4}});
  CHECK(text_of(Registry().rule_for(make.view(unknown))) == "null");
  CHECK_FALSE(Registry().knows(make.view(unknown)));
  CHECK(rule_of(make, "MoveToHost", {}, {{4}}) == "null");
}

TEST_CASE("an attached rule overrides the rule of the custom call target", "[rules][custom_call]") {
  OpMaker make;
  const ir::OpId op = call(make, "mhlo.erf", {make.arg({4, 6})}, {{4, 6}});
  const auto rule = parse_rule("<([i, j])->([i, k]) {i=4, j=6, k=6}, custom>");
  REQUIRE(rule);
  make.module().attributes(op).set("sdy.sharding_rule", *rule);
  CHECK(text_of(Registry().rule_for(make.view(op))) ==
        "([i, j])->([i, k]) {i=4, j=6, k=6}, custom");
}

TEST_CASE("embedders register rules by call target", "[rules][custom_call]") {
  Registry registry;
  const RuleMaker first_dim = [](const OpView& op, const RuleOptions&) -> RuleResult {
    RuleBuilder builder({op.operand_shape(0).size()}, {1});
    builder.add({0}, {0}, {.size = op.operand_shape(0)[0]});
    return builder.build();
  };
  REQUIRE(registry.add_custom_call("mine", first_dim));
  OpMaker make;
  const ir::OpId op = call(make, "mine", {make.arg({4, 6})}, {{4}});
  CHECK(text_of(registry.rule_for(make.view(op))) == "([i, j])->([i]) {i=4, j=1}");
  CHECK(registry.knows(make.view(op)));
  const auto refused = [&](const std::string& target) {
    const Status status = registry.add_custom_call(target, first_dim);
    return status ? "" : status.error().message;
  };
  CHECK(refused("mine") == "a sharding rule is registered already for custom call: mine");
  CHECK(refused("Eigh") ==
        "custom calls of that name have a built-in sharding rule, or none by design: Eigh");
  CHECK(refused("sdy_testonly") ==
        "custom calls of that name have a built-in sharding rule, or none by design: sdy_testonly");
}

}  // namespace
}  // namespace shardy::rules::custom_call_test
