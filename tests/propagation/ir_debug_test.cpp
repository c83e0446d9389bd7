// The debug attributes of propagation 16, as text.
#include <string>

#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::propagation::ir_debug_test {
namespace {

PropagationOptions with(Algorithm algorithm, bool origins, bool edges) {
  PropagationOptions options;
  options.algorithm = algorithm;
  options.debug_sharding_origins = origins;
  options.debug_propagation_edges = edges;
  return options;
}
const PropagationOptions kOrigins = with(Algorithm::UserPriority, true, false);
const PropagationOptions kEdges = with(Algorithm::Basic, false, true);

std::string after(const std::string& text, const PropagationOptions& options) {
  auto parsed = text::parse_mlir(text);
  REQUIRE(parsed);
  CHECK(shardy_test::message_of(propagate(*parsed, options)) == "(no error)");
  return text::to_mlir(*parsed);
}

/// Checks whether `text` contains `piece`.
bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

constexpr const char* kAdd = R"(
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32>)
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %0 = stablehlo.add %x, %y : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
)";

TEST_CASE("recorded origins equal the example of propagation 16", "[propagation][debug]") {
  const std::string text = after(kAdd, kOrigins);
  INFO(text);
  CHECK(has(
      text,
      R"(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>, sdy.sharding_origins = {a = "self", b = "output: 0"}})"));
  CHECK(has(
      text,
      R"(%arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>, sdy.sharding_origins = {a = "input: 0", b = "output: 0"}})"));
  CHECK(has(
      text,
      R"(stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>, sdy.sharding_origins = [{a = "input: 0", b = "output: 0"}]})"));
  CHECK(has(
      text,
      R"(-> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>, sdy.sharding_origins = {a = "input: 0", b = "self"}}))"));
  CHECK_FALSE(has(text, "propagation_edges"));
}

TEST_CASE("recorded edges equal the example of propagation 16", "[propagation][debug]") {
  const std::string text = after(kAdd, kEdges);
  INFO(text);
  CHECK(has(
      text,
      R"(sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [operand-1, result-0]}, {"b" = result-0 -> [operand-0, operand-1]}]}]>)"));
  CHECK(has(
      text,
      R"(-> (tensor<8x8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"b" = result-0 -> [operand-0]}]}, {step-2 = [{"a" = operand-0 -> [result-0]}]}]>)"));
  CHECK_FALSE(has(text, "sharding_origins"));
  // A second run has nothing to add, and finds the numbers that are taken.
  CHECK(after(text, kEdges) == text);
}

TEST_CASE("a second propagation continues the step numbers", "[propagation][debug]") {
  const std::string text = after(R"(
sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.sine %x {sdy.propagation_edges = #sdy.propagation_edges<[{step-7 = [{"a" = result-0 -> [operand-0]}]}]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
)",
                                 kEdges);
  INFO(text);
  CHECK(has(
      text,
      R"(#sdy.propagation_edges<[{step-7 = [{"a" = result-0 -> [operand-0]}]}, {step-8 = [{"a" = operand-0 -> [result-0]}]}]>)"));
  CHECK(has(text, R"({step-9 = [{"a" = operand-0 -> [result-0]}]})"));
}

TEST_CASE("keys of recorded sub-axes have no quotes around the axis", "[propagation][debug]") {
  const std::string text = after(R"(
sdy.mesh @mesh = <["c"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c":(1)2}]>}) -> tensor<8xf32> {
  %0 = stablehlo.sine %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
)",
                                 kOrigins);
  INFO(text);
  CHECK(has(text, R"("c:(1)2" = "self")"));
  CHECK(has(text, R"([{"c:(1)2" = "input: 0"}])"));
}

TEST_CASE("recorded constraints and manual computations have names", "[propagation][debug]") {
  const std::string text = after(R"(
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %x <@mesh, [{"b", ?}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}]> : tensor<8xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"a", ?}]>] out_shardings=[<@mesh, [{"a", "c", ?}]>] manual_axes={"a"} (%p: tensor<4xf32>) {
    %5 = sdy.data_flow_edge %p sharding=<@mesh, [{?}]> : tensor<4xf32>
    %3 = stablehlo.sine %5 : tensor<4xf32>
    sdy.return %3 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %4 = sdy.data_flow_edge %2 sharding=<@mesh, [{"a", "c", ?}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
)",
                                 kOrigins);
  INFO(text);
  CHECK(has(text,
            R"(sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {b = "self"})"));
  CHECK(has(text, R"(sdy.sharding_origin_name = "constraint_1")"));
  CHECK(has(text, R"(sdy.sharding_origin_name = "mc_0")"));
  CHECK(has(
      text,
      R"(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}]>, sdy.sharding_origins = {b = "constraint_0"}})"));
  // The edges: the argument's has the manual axis of its in_sharding, the result's both axes.
  CHECK(has(text, R"(sdy.sharding_origins = {a = "self", c = "mc_0_output: 0"})"));
  CHECK(has(text, R"(sdy.sharding_origins = {a = "self", c = "self"})"));
  CHECK(has(text, R"(sdy.sharding_origins = [{c = "mc_0_output: 0"}])"));
}

}  // namespace
}  // namespace shardy::propagation::ir_debug_test
