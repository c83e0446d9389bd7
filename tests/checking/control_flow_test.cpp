// Programs with loops, branches, calls and computations: the sharded run must equal the unsharded
// run. Spec: partitioning 9.
#include <string>
#include <utility>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::small_integers;
using shardy_test::text_of;

namespace control_flow_test {
namespace {

struct Example {
  std::string title;
  std::string text;
};

const std::string kMesh = "sdy.mesh @m = <[\"x\"=2, \"y\"=3]>\n";

const std::vector<Example> kExamples = {
    {"a loop carries a value whose dim does not divide", R"(
func.func @main(%arg0: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<7x4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %arg0) : tensor<i32>, tensor<7x4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %c1 : tensor<i32>
    %2 = stablehlo.reverse %v, dims = [0] : tensor<7x4xf32>
    %3 = stablehlo.add %2, %arg0 : tensor<7x4xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<7x4xf32>
  }
  return %0#1 : tensor<7x4xf32>
})"},
    {"a body returns another layout, and its dot combines partial results", R"(
func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {"x"}]>}) -> tensor<6x6xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %arg0) : tensor<i32>, tensor<6x6xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %c1 : tensor<i32>
    %2 = sdy.sharding_constraint %v <@m, [{}, {"y"}]> : tensor<6x6xf32>
    %3 = stablehlo.dot_general %2, %arg1, contracting_dims = [1] x [0] : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<6x6xf32>
  }
  return %0#1 : tensor<6x6xf32>
})"},
    {"a predicate that depends on all of a sharded tensor is the same everywhere", R"(
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", "y"}]>}) -> tensor<12xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %limit = stablehlo.constant dense<100000.0> : tensor<f32>
  %0 = stablehlo.while(%v = %arg0) : tensor<12xf32>
  cond {
    %1 = stablehlo.multiply %v, %v : tensor<12xf32>
    %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<12xf32>, tensor<f32>) -> tensor<f32>
    %3 = stablehlo.compare LT, %2, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %1 = stablehlo.add %v, %v : tensor<12xf32>
    stablehlo.return %1 : tensor<12xf32>
  }
  return %0 : tensor<12xf32>
})"},
    {"loops in loops and branches in loops", R"(
func.func @main(%arg0: tensor<5x6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {"y"}]>}) -> tensor<5x6xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %v = %arg0) : tensor<i32>, tensor<5x6xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1:2 = stablehlo.while(%j = %c, %w = %v) : tensor<i32>, tensor<5x6xf32>
    cond {
      %4 = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.add %j, %c1 : tensor<i32>
      %5 = stablehlo.subtract %w, %arg0 : tensor<5x6xf32>
      stablehlo.return %4, %5 : tensor<i32>, tensor<5x6xf32>
    }
    %2 = "stablehlo.case"(%i) ({
      %4 = stablehlo.reverse %1#1, dims = [0, 1] : tensor<5x6xf32>
      stablehlo.return %4 : tensor<5x6xf32>
    }, {
      stablehlo.return %1#1 : tensor<5x6xf32>
    }) : (tensor<i32>) -> tensor<5x6xf32>
    %3 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<5x6xf32>
  }
  return %0#1 : tensor<5x6xf32>
})"},
    {"branches of an if return one layout", R"(
func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %arg1: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> tensor<6x8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.compare LT, %0, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %2 = "stablehlo.if"(%1) ({
    %3 = stablehlo.negate %arg0 : tensor<6x8xf32>
    stablehlo.return %3 : tensor<6x8xf32>
  }, {
    %3 = stablehlo.add %arg1, %arg0 : tensor<6x8xf32>
    stablehlo.return %3 : tensor<6x8xf32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}]>]>} : (tensor<i1>) -> tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
})"},
    {"a barrier over values of several layouts", R"(
func.func @main(%arg0: tensor<7xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %arg1: tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}) -> (tensor<7xf32>, tensor<4x5xf32>) {
  %0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<7xf32>, tensor<4x5xf32>
  return %0#0, %0#1 : tensor<7xf32>, tensor<4x5xf32>
})"},
    {"calls, with other shardings than the callee's", R"(
func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<6xf32> {
  %0 = call @f(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
  %1 = call @f(%0) : (tensor<6xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}
func.func private @f(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<6xf32>
  return %0 : tensor<6xf32>
})"},
    {"a named computation inside of a loop", R"(
func.func @main(%arg0: tensor<9xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, %arg1: tensor<i32>) -> tensor<9xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %1 = sdy.named_computation<"f">(%arg0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"y", "x"}]>] (%arg2: tensor<9xf32>) {
      %2 = stablehlo.reverse %arg2, dims = [0] : tensor<9xf32>
      sdy.return %2 : tensor<9xf32>
    } : (tensor<9xf32>) -> tensor<9xf32>
    stablehlo.return %1 : tensor<9xf32>
  }) : (tensor<i32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
})"},
};

}  // namespace

TEST_CASE("programs with regions and calls give the same results sharded", "[differential]") {
  for (const Example& example : kExamples) {
    DYNAMIC_SECTION(example.title) {
      const std::string text = kMesh + example.text;
      const auto module = text::parse_mlir(text);
      INFO((module ? std::string() : text::error_text("program", text, module.error())));
      REQUIRE(module.has_value());
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        const auto report = checking::check(*module, small_integers(*module, seed));
        INFO((report ? std::string() : text_of(report.error())));
        REQUIRE(report.has_value());
        INFO(text::to_mlir(report->compiled.program));
        CHECK(report->equal());
        CHECK(ir::verify(report->compiled.program).empty());
      }
    }
  }
}

// A manual computation has no unsharded meaning of its own; its free axes must not show.
TEST_CASE("uneven free axes of a manual computation do not change its results", "[differential]") {
  const auto program = [](const std::string& in, const std::string& out) {
    return kMesh +
           R"(func.func @main(%arg0: tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@m, [)" +
           in + R"(]>] out_shardings=[<@m, [)" + out +
           R"(]>] manual_axes={"x"} (%arg1: tensor<5xf32>) {
    %1 = stablehlo.reverse %arg1, dims = [0] : tensor<5xf32>
    sdy.return %1 : tensor<5xf32>
  } : (tensor<10xf32>) -> tensor<10xf32>
  return %0 : tensor<10xf32>
})";
  };
  const auto results = [&](const std::string& text) {
    const auto module = text::parse_mlir(text);
    REQUIRE(module.has_value());
    checking::CheckOptions options;
    options.compare = false;
    const auto report = checking::check(*module, small_integers(*module, 1), options);
    INFO((report ? std::string() : text_of(report.error())));
    REQUIRE(report.has_value());
    return report->sharded.outputs;
  };
  const auto plain = results(program("{\"x\"}", "{\"x\"}"));
  CHECK(results(program("{\"x\", \"y\"}", "{\"x\", \"y\"}")) == plain);
  CHECK(results(program("{\"x\", \"y\"}", "{\"x\"}")) == plain);
  CHECK(results(program("{\"x\"}", "{\"x\", \"y\"}")) == plain);
}

}  // namespace control_flow_test
