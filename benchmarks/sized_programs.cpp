#include "sized_programs.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <shardy/text/mlir.hpp>
#include <string>
#include <string_view>

namespace benchmarks {
namespace {

constexpr int kRepeats = 20;

std::string replaced(std::string text, std::string_view from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// Returns kRepeats copies of `step`, from %v0 to %vN. In each copy, @ is the number of the input
/// and # the number of the output.
std::string repeated(std::string_view step) {
  std::string body;
  for (int index = 0; index < kRepeats; ++index) {
    const std::string made = replaced(std::string(step), "#", fmt::format("v{}", index + 1));
    body += replaced(made, "@", fmt::format("v{}", index));
  }
  return body;
}

shardy::ir::Module parsed(const std::string& text) {
  auto module = shardy::text::parse_mlir(text);
  if (!module) {
    fmt::print(stderr, "{}\n", module.error().front().message);
    std::abort();
  }
  return *std::move(module);
}

constexpr std::string_view kConvolution = R"(
  %c# = stablehlo.convolution(%@, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1xROWSx6x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1xROWSx6x2xf32>
  %# = "stablehlo.reduce_window"(%c#, %z) <{window_dimensions = array<i64: 1, 3, 1, 1>,
    padding = dense<[[0, 0], [1, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<1xROWSx6x2xf32>, tensor<f32>) -> tensor<1xROWSx6x2xf32>)";

constexpr std::string_view kLookup = R"(
  %g# = "stablehlo.gather"(%@, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 16>}> : (tensor<ROWSx16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
  %s# = "stablehlo.scatter"(%@, %i, %g#) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<ROWSx16xf32>, tensor<8x1xi32>, tensor<8x16xf32>) -> tensor<ROWSx16xf32>
  %l# = stablehlo.slice %s# [1:ROWS, 0:16] : (tensor<ROWSx16xf32>) -> tensor<MOSTx16xf32>
  %f# = stablehlo.slice %s# [0:1, 0:16] : (tensor<ROWSx16xf32>) -> tensor<1x16xf32>
  %# = stablehlo.concatenate %l#, %f#, dim = 0
    : (tensor<MOSTx16xf32>, tensor<1x16xf32>) -> tensor<ROWSx16xf32>)";

}  // namespace

shardy::ir::Module convolutions(int64_t devices) {
  const std::string text = fmt::format(R"(sdy.mesh @mesh = <["x"={}]>
func.func @main(%v0: tensor<1xROWSx6x2xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}, {{"x"}}, {{}}, {{}}]>}},
                %k: tensor<3x3x2x2xf32>) -> tensor<1xROWSx6x2xf32> {{
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>{}
  return %v{} : tensor<1xROWSx6x2xf32>
}})",
                                       devices, repeated(kConvolution), kRepeats);
  return parsed(replaced(text, "ROWS", std::to_string(4 * devices)));
}

shardy::ir::Module lookups(int64_t devices) {
  const std::string type = "tensor<ROWSx16xf32>";
  // `repeated` replaces `#` by a number. The `#` of an attribute is therefore hidden from it.
  std::string body = replaced(std::string(kLookup), "#stablehlo", "STABLEHLO");
  body = replaced(repeated(body), "STABLEHLO", "#stablehlo");
  const std::string text = fmt::format(R"(sdy.mesh @mesh = <["x"={}]>
func.func @main(%v0: {} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}, %i: tensor<8x1xi32>)
    -> ({} {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) {{{}
  return %v{} : {}
}})",
                                       devices, type, type, body, kRepeats, type);
  return parsed(replaced(replaced(text, "ROWS", std::to_string(8 * devices)), "MOST",
                         std::to_string(8 * devices - 1)));
}

}  // namespace benchmarks
