// Reductions with regions that are not symmetric, and ops on a type without a zero.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "checking/program_check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::check_program;
using shardy_test::IndexedProgram;

namespace odd_reductions_test {
namespace {

constexpr std::array kMeshSizes = {1, 2, 3, 4, 6, 8};

/// Reduces the first operand together with its positions, by a region of %a, %b and %c, %d.
std::string with_places(int mesh, int size, std::string_view element, std::string_view init,
                        std::string_view region) {
  return fmt::format(
      R"(sdy.mesh @mesh = <["x"={0}]>
func.func @main(%x: tensor<{1}x{2}> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) -> (tensor<{2}>, tensor<i32>) {{
  %i = stablehlo.iota dim = 0 : tensor<{1}xi32>
  %z = stablehlo.constant dense<{3}> : tensor<{2}>
  %n = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %z), (%i init: %n) across dimensions = [0] : (tensor<{1}x{2}>, tensor<{1}xi32>, tensor<{2}>, tensor<i32>) -> (tensor<{2}>, tensor<i32>)
   reducer(%a: tensor<{2}>, %b: tensor<{2}>) (%c: tensor<i32>, %d: tensor<i32>) {{
{4}
   }}
  return %0#0, %0#1 : tensor<{2}>, tensor<i32>
}})",
      mesh, size, element, init, region);
}

std::string selecting(std::string_view direction, std::string_view element) {
  return fmt::format(
      R"(    %p = stablehlo.compare {0}, %a, %b : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<{1}>
    %t = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<{1}>, tensor<i32>)",
      direction, element);
}

IndexedProgram of_bits(std::string text, std::size_t num_inputs = 1) {
  IndexedProgram program;
  program.text = std::move(text);
  program.bounds.assign(num_inputs, 0);
  program.moves_only = true;
  return program;
}

constexpr std::string_view kZeroless = "f8E8M0FNU";

std::string on_zeroless(int mesh, std::string_view signature, std::string_view body) {
  return fmt::format("sdy.mesh @mesh = <[\"x\"={}]>\nfunc.func @main({}) -> {}", mesh, signature,
                     body);
}

}  // namespace

// Spec: partitioning 8.10.
TEST_CASE("init values do not replace equal elements if the region keeps the last equal element",
          "[whole_dim][reduce]") {
  uint64_t seed = 0;
  for (const int mesh : kMeshSizes) {
    for (const int size : {1, 2, 5, 6, 8, 13}) {
      for (const std::string_view direction : {"GT", "GE", "LT"}) {
        check_program(of_bits(with_places(mesh, size, "i1", direction == "LT" ? "true" : "false",
                                          selecting(direction, "i1"))),
                      ++seed);
      }
      check_program(of_bits(with_places(mesh, size, "i32", "0",
                                        "    stablehlo.return %b, %d : tensor<i32>, tensor<i32>")),
                    ++seed);
    }
  }
}

// Spec: partitioning 8.10, 5.9.
TEST_CASE("a reduction with a region that is not associative is replicated",
          "[whole_dim][reduce]") {
  uint64_t seed = 0;
  for (const int mesh : kMeshSizes) {
    for (const std::string_view kind : {"subtract", "shift_left", "remainder"}) {
      check_program(of_bits(fmt::format(
                        R"(sdy.mesh @mesh = <["x"={0}]>
func.func @main(%x: tensor<5x3xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> tensor<3xi32> {{
  %z = stablehlo.constant dense<77> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.{1} across dimensions = [0] : (tensor<5x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}})",
                        mesh, kind)),
                    ++seed);
    }
  }
}

// Spec: partitioning 5.8.
TEST_CASE("ops that mask with zero are replicated for types without a zero",
          "[whole_dim][reduce]") {
  uint64_t seed = 0;
  const auto sharded = [](std::string_view dims) {
    return fmt::format("{{sdy.sharding = #sdy.sharding<@mesh, [{}]>}}", dims);
  };
  for (const int mesh : kMeshSizes) {
    const std::string reduce = on_zeroless(
        mesh,
        fmt::format("%x: tensor<5x3x{0}> {1}, %z: tensor<{0}>", kZeroless, sharded(R"({"x"}, {})")),
        fmt::format(R"(tensor<3x{0}> {{
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<5x3x{0}>, tensor<{0}>) -> tensor<3x{0}>
  return %0 : tensor<3x{0}>
}})",
                    kZeroless));
    check_program(of_bits(reduce, 2), ++seed);
    const std::string dot =
        on_zeroless(mesh,
                    fmt::format("%x: tensor<2x5x{0}> {1}, %y: tensor<5x3x{0}> {2}", kZeroless,
                                sharded(R"({}, {"x"})"), sharded(R"({"x"}, {})")),
                    fmt::format(R"(tensor<2x3x{0}> {{
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x5x{0}>, tensor<5x3x{0}>) -> tensor<2x3x{0}>
  return %0 : tensor<2x3x{0}>
}})",
                                kZeroless));
    check_program(of_bits(dot, 2), ++seed);
    const std::string slice = on_zeroless(
        mesh, fmt::format("%x: tensor<5x{0}> {1}, %i: tensor<i32>", kZeroless, sharded(R"({"x"})")),
        fmt::format(R"((tensor<2x{0}> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}]>}}) {{
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<5x{0}>, tensor<i32>) -> tensor<2x{0}>
  return %0 : tensor<2x{0}>
}})",
                    kZeroless));
    check_program(of_bits(slice, 2), ++seed);
  }
}

TEST_CASE("partial sums of a type without a zero are errors", "[whole_dim][reduce]") {
  const auto module = text::parse_mlir(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf8E8M0FNU> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> tensor<4xf8E8M0FNU> {
  %0 = sdy.replicated_to_unreduced {"x"} %x out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<4xf8E8M0FNU>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<4xf8E8M0FNU>
  return %1 : tensor<4xf8E8M0FNU>
})");
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  REQUIRE_FALSE(compiled.has_value());
  CHECK(compiled.error().front().code == "E_UNSUPPORTED_OP");
  CHECK(compiled.error().front().message ==
        "sdy.replicated_to_unreduced: tensor<4xf8E8M0FNU> is unreduced: its type has no zero for "
        "devices without a summand");
}

TEST_CASE("sharded values of quantized types are errors", "[whole_dim]") {
  const std::string_view argument = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";
  const std::string_view result = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> (tensor<4x!quant.uniform<i8:f32, 0.5>> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>
})";
  const std::string_view inner = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.uniform_quantize %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})";
  for (const auto& [program, what] :
       {std::pair(argument, "argument 0 of @main"), std::pair(result, "result 0 of @main"),
        std::pair(inner, "result 0")}) {
    const auto module = text::parse_mlir(std::string(program));
    REQUIRE(module.has_value());
    const auto compiled = checking::compile(*module);
    REQUIRE_FALSE(compiled.has_value());
    CHECK(compiled.error().front().code == "E_UNSUPPORTED_OP");
    CHECK(compiled.error().front().message.find(
              std::string(what) +
              " of type tensor<4x!quant.uniform<i8:f32, 5.000000e-01>> is sharded") !=
          std::string::npos);
  }
}

}  // namespace odd_reductions_test
