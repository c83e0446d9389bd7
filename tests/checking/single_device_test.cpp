// Values on one device: that device computes them, and sends once what other devices need. Spec:
// partitioning 9.5.
#include <string>

#include "checking/window_programs.hpp"

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
