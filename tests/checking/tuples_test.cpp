// Programs whose values travel in tuples, as XLA writes them. Sharded and unsharded runs must be
// equal, and each part must have the sharding that the tuple gave it.
#include <string>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::small_integers;
using shardy_test::text_of;

namespace tuples_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text::error_text("program", text, module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

/// A loop over a tuple, and a call that returns a tuple.
const char* const kLoop = R"(sdy.mesh @mesh = <["x"=3]>
func.func @main(%n: tensor<i32>, %x: tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %w: tensor<4x4xf32>) -> (tensor<5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, tensor<f32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.tuple %z, %x : tuple<tensor<i32>, tensor<5x4xf32>>
  %1 = stablehlo.while(%iter = %0) : tuple<tensor<i32>, tensor<5x4xf32>>
  cond {
    %i = stablehlo.get_tuple_element %iter[0] : (tuple<tensor<i32>, tensor<5x4xf32>>) -> tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %i = stablehlo.get_tuple_element %iter[0] : (tuple<tensor<i32>, tensor<5x4xf32>>) -> tensor<i32>
    %a = stablehlo.get_tuple_element %iter[1] : (tuple<tensor<i32>, tensor<5x4xf32>>) -> tensor<5x4xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.add %i, %c : tensor<i32>
    %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<5x4xf32>, tensor<4x4xf32>) -> tensor<5x4xf32>
    %r = stablehlo.tuple %m, %b : tuple<tensor<i32>, tensor<5x4xf32>>
    stablehlo.return %r : tuple<tensor<i32>, tensor<5x4xf32>>
  }
  %2 = call @f(%1) : (tuple<tensor<i32>, tensor<5x4xf32>>) -> tuple<tensor<5x4xf32>, tensor<f32>>
  %3 = stablehlo.get_tuple_element %2[0] : (tuple<tensor<5x4xf32>, tensor<f32>>) -> tensor<5x4xf32>
  %4 = stablehlo.get_tuple_element %2[1] : (tuple<tensor<5x4xf32>, tensor<f32>>) -> tensor<f32>
  return %3, %4 : tensor<5x4xf32>, tensor<f32>
}
func.func private @f(%arg0: tuple<tensor<i32>, tensor<5x4xf32>>) -> tuple<tensor<5x4xf32>, tensor<f32>> {
  %0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<i32>, tensor<5x4xf32>>) -> tensor<5x4xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x4xf32>, tensor<f32>) -> tensor<f32>
  %2 = stablehlo.negate %0 : tensor<5x4xf32>
  %3 = stablehlo.tuple %2, %1 : tuple<tensor<5x4xf32>, tensor<f32>>
  return %3 : tuple<tensor<5x4xf32>, tensor<f32>>
})";

}  // namespace

TEST_CASE("a loop over a tuple and a call that returns a tuple give the same results sharded",
          "[tuples][differential]") {
  const ir::Module module = parsed(kLoop);
  const auto report = checking::check(module, small_integers(module, 3));
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  CHECK(report->equal());
  const std::string program = text::to_mlir(report->compiled.program);
  INFO(program);
  CHECK(program.find("tuple") == std::string::npos);
  CHECK(report->compiled.notes.empty());
}

// The arguments are those of an XLA entry function, with a sharding for each part.
TEST_CASE("a tuple of main becomes several arguments and results", "[tuples][differential]") {
  ir::Module module = parsed(R"(
func.func @main(%arg0: tuple<tensor<6x4xf32>, tensor<4x2xf32>> {mhlo.sharding = "{{devices=[2,1]<=[2]}, {devices=[1,2]<=[2]}}"})
    -> (tuple<tensor<6x2xf32>> {mhlo.sharding = "{{devices=[2,1]<=[2]}}"}) {
  %0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<6x4xf32>, tensor<4x2xf32>>) -> tensor<6x4xf32>
  %1 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<6x4xf32>, tensor<4x2xf32>>) -> tensor<4x2xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x2xf32>) -> tensor<6x2xf32>
  %3 = stablehlo.tuple %2 : tuple<tensor<6x2xf32>>
  return %3 : tuple<tensor<6x2xf32>>
})");
  const auto imported = passes::import_shardings(module);
  INFO((imported ? std::string() : text_of(imported.error())));
  REQUIRE(imported.has_value());
  CHECK(imported->arguments == 2);
  CHECK(imported->results == 1);
  CHECK(ir::verify(module).empty());
  CHECK(module.arg_types(*module.main_function()).size() == 2);
  const auto report = checking::check(module, small_integers(module, 3));
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  CHECK(report->equal());
  const std::string program = text::to_mlir(report->compiled.program);
  CHECK(program.find("tensor<3x4xf32>") != std::string::npos);
  CHECK(program.find("tensor<4x1xf32>") != std::string::npos);
}

}  // namespace tuples_test
