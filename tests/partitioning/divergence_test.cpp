// If some devices of a collective take a branch and others do not, `partition` must report an
// error. Spec: partitioning 4.6.
#include <string>

#include "partitioning/control_flow.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace divergence_test {
namespace {

/// Returns the error of a program whose manual computation over "x" branches on %p; an empty text
/// if the program is accepted. The first branch adds up a product of rows that are sharded over
/// "y".
std::string error_of(const std::string& predicate, const std::string& branch = "") {
  const std::string product = R"(
      %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
      %d = stablehlo.dot_general %b, %t, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
      %e = stablehlo.dot_general %d, %b, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %e : tensor<4x8xf32>)";
  const std::string text = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %n: tensor<i32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a, %n) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>, %k: tensor<i32>) {
    %id = stablehlo.partition_id : tensor<ui32>
    %c2 = stablehlo.constant dense<2> : tensor<ui32>
)" + predicate + R"(
    %i = stablehlo.convert %p : (tensor<ui32>) -> tensor<i32>
    %1 = "stablehlo.case"(%i) ({)" +
                           (branch.empty() ? product : branch) + R"(
    }, {
      stablehlo.return %b : tensor<4x8xf32>
    }) : (tensor<i32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>, tensor<i32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
)";
  auto module = text::parse_mlir(text);
  INFO((module ? std::string() : module.error().front().headline()));
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  return compiled ? std::string() : compiled.error().front().headline();
}

}  // namespace

TEST_CASE("a predicate that differs within a collective group is an error", "[partitioning]") {
  const std::string expected =
      "E_DIVERGENT: stablehlo.case: devices 0 and 1 take different branches, but spmd.all_reduce "
      "in "
      "one of them exchanges data between them; make the predicate equal on all devices of its "
      "groups";
  CHECK(error_of("%p = stablehlo.remainder %id, %c2 : tensor<ui32>") == expected);
  CHECK(error_of(R"(%c1 = stablehlo.constant dense<1> : tensor<ui32>
    %p = stablehlo.minimum %id, %c1 : tensor<ui32>)") == expected);
  CHECK(error_of(R"(%c3 = stablehlo.constant dense<3> : tensor<ui32>
    %q = stablehlo.compare GE, %id, %c3 : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %p = stablehlo.convert %q : (tensor<i1>) -> tensor<ui32>)") ==
        "E_DIVERGENT: stablehlo.case: devices 2 and 3 take different branches, but spmd.all_reduce "
        "in one of them exchanges data between them; make the predicate equal on all devices of "
        "its groups");
}

TEST_CASE("a predicate that is uniform per group, or a branch without collective, is valid",
          "[partitioning]") {
  CHECK(error_of("%p = stablehlo.divide %id, %c2 : tensor<ui32>").empty());
  CHECK(error_of("%p = stablehlo.convert %k : (tensor<i32>) -> tensor<ui32>").empty());
  CHECK(error_of("%p = stablehlo.remainder %id, %c2 : tensor<ui32>", R"(
      %e = stablehlo.negate %b : tensor<4x8xf32>
      stablehlo.return %e : tensor<4x8xf32>)")
            .empty());
  // Unsigned numbers wrap around, so the predicate is not computed.
  CHECK(error_of(R"(%w = stablehlo.subtract %id, %c2 : tensor<ui32>
    %p = stablehlo.remainder %w, %c2 : tensor<ui32>)")
            .empty());
}

}  // namespace divergence_test
