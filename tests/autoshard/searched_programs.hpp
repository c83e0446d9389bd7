// Small programs to search, and a search that must succeed.
#pragma once

#include <string>

#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy_test {

inline shardy::ir::Module parsed(const std::string& text) {
  auto module = shardy::text::parse_mlir(text);
  INFO((module ? std::string() : module.error().front().message));
  REQUIRE(module.has_value());
  return *std::move(module);
}

inline shardy::autoshard::FoundSharding found(
    const shardy::ir::Module& module, const shardy::autoshard::AutoshardOptions& options = {}) {
  auto result = shardy::autoshard::autoshard(module, options);
  INFO((result ? std::string() : result.error().front().message));
  REQUIRE(result.has_value());
  return *std::move(result);
}

/// Runs the program sharded and unsharded.
inline void check_equal(const shardy::ir::Module& module) {
  const auto inputs = shardy::checking::random_inputs(module, 7);
  REQUIRE(inputs.has_value());
  const auto checked = shardy::checking::check(module, *inputs, {.exact = true});
  INFO((checked ? std::string() : checked.error().front().message));
  REQUIRE(checked.has_value());
  CHECK(checked->equal());
}

inline constexpr const char* kDot = R"(
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot %x, %w : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
})";

inline constexpr const char* kMlp = R"(
func.func @main(%x: tensor<8x16xf32>, %w1: tensor<16x64xf32>, %w2: tensor<64x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot %x, %w1 : (tensor<8x16xf32>, tensor<16x64xf32>) -> tensor<8x64xf32>
  %1 = stablehlo.tanh %0 : tensor<8x64xf32>
  %2 = stablehlo.dot %1, %w2 : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
})";

}  // namespace shardy_test
