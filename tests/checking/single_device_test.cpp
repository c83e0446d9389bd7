// Values on one device: that device computes them, and sends once what other devices need. Spec:
// partitioning 9.5.
#include <string>

#include "checking/window_programs.hpp"
#include "shardy/ir/walk.hpp"

using namespace shardy;
using namespace shardy_test;

namespace single_device_test {
namespace {

std::string on_device(const std::string& ids, int64_t device, const std::string& body) {
  return "sdy.mesh @m = <[\"x\"=2, \"y\"=3]" + ids + ">\nsdy.mesh @one = <[], device_ids=[" +
         std::to_string(device) + R"(]>
func.func @main(%a: tensor<7x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>})
    -> (tensor<7x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) {
)" + body +
         "}\n";
}

constexpr const char* kChain = R"(
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<7x4xi32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<7x4xi32>
  %2 = stablehlo.add %1, %a : tensor<7x4xi32>
  return %2 : tensor<7x4xi32>
)";

constexpr const char* kReduction = R"(
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
    {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<7x4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xi32>) -> tensor<7x4xi32>
  %2 = stablehlo.subtract %a, %1 : tensor<7x4xi32>
  return %2 : tensor<7x4xi32>
)";

}  // namespace

TEST_CASE("one device computes the ops of a maximal sharding and sends the results",
          "[single][differential]") {
  for (const std::string ids : {"", ", device_ids=[3, 5, 4, 0, 1, 2]"}) {
    for (int64_t device = 0; device < 6; ++device) {
      for (const char* body : {kChain, kReduction}) {
        const checking::CheckReport report = run_checked(on_device(ids, device, body));
        const Sent sent = most_sent(report);
        CHECK(sent.at("spmd.broadcast_from").count >= 1);
      }
    }
  }
}

namespace {

/// A call without results on one device, whose operand is sharded.
std::string reporting(const std::string& result) {
  return R"(sdy.mesh @m = <["x"=2, "y"=3]>
sdy.mesh @one = <[], device_ids=[4]>
func.func @main(%a: tensor<7x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>})
    -> (tensor<7x4xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.negate %a : tensor<7x4xi32>
  )" + std::string(result == "()" ? "" : "%1 = ") +
         R"(stablehlo.custom_call @tell(%0) {has_side_effect = true,
    sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : (tensor<7x4xi32>) -> )" +
         result + "\n  return %0 : tensor<7x4xi32>\n}\n";
}

/// Returns the calls of the module and the branches around them, in program order.
std::string calls_of(const ir::Module& module) {
  std::string names;
  for (const ir::OpId op : ir::pre_order(module)) {
    const bool is_listed = module.is(op, ir::OpKind::CustomCall) || module.is(op, ir::OpKind::If) ||
                           module.is(op, ir::OpKind::StablehloReturn);
    if (is_listed) names += std::string(module.name(op)) + "\n";
  }
  return names;
}

}  // namespace

TEST_CASE("a call without results runs on the device of its sharding", "[single][differential]") {
  for (const std::string& program : {reporting("()"), reporting("tuple<>")}) {
    CAPTURE(program);
    const checking::CheckReport report = run_checked(program);
    // The device gets the 23 other elements; nothing is sent back.
    const Sent sent = most_sent(report);
    CHECK_FALSE(sent.contains("spmd.broadcast_from"));
    CHECK(calls_of(report.compiled.program) ==
          "stablehlo.if\nstablehlo.custom_call\nstablehlo.return\nstablehlo.return\n");
  }
}

TEST_CASE("a call on one device returns its token to all devices", "[single]") {
  const auto module = text::parse_mlir(R"(sdy.mesh @m = <["x"=2, "y"=3]>
sdy.mesh @one = <[], device_ids=[4]>
func.func @main(%t: !stablehlo.token, %a: tensor<6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
    -> (!stablehlo.token, tensor<6xi32>) {
  %0:2 = stablehlo.custom_call @ask(%t, %a) {has_side_effect = true,
    sdy.sharding = #sdy.sharding_per_value<[<@one, []>, <@one, []>]>}
    : (!stablehlo.token, tensor<6xi32>) -> (!stablehlo.token, tensor<6xi32>)
  return %0#0, %0#1 : !stablehlo.token, tensor<6xi32>
})");
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  const std::string text = text::to_mlir(in_stablehlo(compiled->program, 1));
  CAPTURE(text);
  CHECK(text.find("create_token") != std::string::npos);
}

TEST_CASE("a single device executes calls with side effects", "[single][differential]") {
  const checking::CheckReport report = run_checked(R"(sdy.mesh @m = <["x"=1]>
func.func @main(%a: tensor<6xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<6xi32> {
  %0 = stablehlo.negate %a : tensor<6xi32>
  stablehlo.custom_call @tell(%0) {has_side_effect = true} : (tensor<6xi32>) -> ()
  return %0 : tensor<6xi32>
})");
  CHECK(calls_of(report.compiled.program) == "stablehlo.custom_call\n");
}

TEST_CASE("meshes with different axes in one op are errors", "[single]") {
  const auto module = text::parse_mlir(R"(sdy.mesh @m = <["x"=4]>
sdy.mesh @n = <["a"=2, "b"=2]>
func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@n, [{"a"}, {"b"}]>})
    -> tensor<8x4xf32> {
  %0 = stablehlo.add %b, %a : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
})");
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  REQUIRE_FALSE(compiled.has_value());
  CHECK(
      compiled.error().front().headline() ==
      "E_MESH_MISMATCH: func.func: argument 1 of @main is on the mesh <[\"a\"=2, \"b\"=2]>, others "
      "are on <[\"x\"=4]>; all meshes of a function must have equal axes");
}

TEST_CASE("a device id that the mesh does not have is an error", "[single]") {
  const auto module = text::parse_mlir(on_device("", 6, kChain));
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  REQUIRE_FALSE(compiled.has_value());
  CHECK(compiled.error().front().message.find("device 6 is not a device of the mesh") !=
        std::string::npos);
}

}  // namespace single_device_test
