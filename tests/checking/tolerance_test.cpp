// Tolerances of results. A tolerance depends on the sums that a result is made of, also on sums in
// functions and regions.
#include <cmath>
#include <string>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace tolerance_test {
namespace {

/// Returns the tolerance of each result of `main`, in units of the epsilon of f32.
std::vector<double> tolerances(const std::string& text) {
  const auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  std::vector<double> units;
  for (const checking::Tolerance& each :
       checking::result_tolerances(*module, *module->main_function())) {
    units.push_back(each.relative / 0x1p-23);
  }
  return units;
}

const std::string kFunctions = R"(
func.func private @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func private @g(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @f(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @f(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
)";

}  // namespace

TEST_CASE("the tolerance counts sums in a function once per call", "[checking][tolerance]") {
  CHECK(tolerances(kFunctions + R"(
func.func @main(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @g(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.negate %a : tensor<8x8xf32>
  return %0, %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
)") == std::vector<double>{8 + 8, 8 + 8 + 16, 0});
}

TEST_CASE("the tolerance counts sums in regions and before values that regions use",
          "[checking][tolerance]") {
  CHECK(tolerances(kFunctions + R"(
func.func @main(%a: tensor<8x8xf32>, %i: tensor<i32>, %p: tensor<i1>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = call @f(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "stablehlo.case"(%i) ({
    %3 = stablehlo.negate %0 : tensor<8x8xf32>
    stablehlo.return %3 : tensor<8x8xf32>
  }) : (tensor<i32>) -> tensor<8x8xf32>
  %2 = stablehlo.while(%x = %a) : tensor<8x8xf32>
   cond {
    stablehlo.return %p : tensor<i1>
  } do {
    %3 = func.call @f(%x) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %3 : tensor<8x8xf32>
  }
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
)") == std::vector<double>{8 + 8, 8 + 128 * 8});  // loops count as 128 rounds
}

TEST_CASE("the tolerance counts sums of windows and scatters", "[checking][tolerance]") {
  CHECK(tolerances(R"(
func.func @main(%a: tensor<8x8xf32>, %b: tensor<8x3xf32>) -> (tensor<6x8xf32>, tensor<8x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 3, 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %2 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8x8xf32>, tensor<f32>) -> tensor<6x8xf32>
  %1 = stablehlo.dot %a, %b : (tensor<8x8xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  return %0, %1 : tensor<6x8xf32>, tensor<8x3xf32>
}
)") == std::vector<double>{8 + 3, 8 + 24});
}

TEST_CASE("the tolerance of a composite is that of its decomposition", "[checking][tolerance]") {
  CHECK(tolerances(kFunctions + R"(
func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.composite "my.g" %a {decomposition = @g} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.composite "my.f" %0 {decomposition = @f, sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8} need_replication={i, j}, custom>}
    : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
)") == std::vector<double>{8 + 16 + 8});
}

TEST_CASE("the tolerance counts sums over reduction factors of custom calls and foreign ops",
          "[checking][tolerance]") {
  CHECK(tolerances(R"(
func.func @main(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %0 = "my.sum"(%a) {sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i]) {i=4, j=8} reduction={j}, custom>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = "stablehlo.unary_einsum"(%a) <{einsum_config = "ij->i"}> : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @moved(%a) {sdy.sharding_rule =
    #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}, custom>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4x8xf32>
}
)") == std::vector<double>{8 + 32, 8 + 32, 0});
}

}  // namespace tolerance_test
