// The numerical examples in the specification for ops with run-time indices.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::text_of;

namespace indexed_examples_test {
namespace {

simulation::Tensor tensor(const ir::Type& type, const std::vector<double>& values) {
  const auto made = simulation::Tensor::from_doubles(type, values);
  REQUIRE(made.has_value());
  return *made;
}

struct Watched {
  std::vector<double> result;
  std::map<int64_t, std::vector<double>> reduced;  // what each device gives to the all_reduce
};

/// Runs the program on these numbers, one list per argument.
Watched watch(const std::string& text, const std::vector<std::vector<double>>& numbers) {
  const auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  simulation::Tensors inputs;
  for (const ir::Type& type : module->arg_types(*module->main_function())) {
    inputs.push_back(tensor(type, numbers[inputs.size()]));
  }
  checking::CompileOptions compile;
  compile.partition.halo.strategy = partitioning::HaloStrategy::Hull;  // small tables too
  const auto compiled = checking::compile(*module, compile);
  REQUIRE(compiled.has_value());
  Watched watched;
  simulation::RunOptions options;
  options.observer = [&](const simulation::OpEvent& event) {
    if (!compiled->program.is(event.op, ir::OpKind::SpmdAllReduce)) return;
    const simulation::Tensor& operand = event.operands[0];
    watched.reduced[event.device] =
        operand.reshaped(operand.type().with_element(ir::ElementType::F32)).to_doubles();
  };
  const auto result = simulation::run_global(compiled->program, "main", inputs, options);
  REQUIRE(result.has_value());
  watched.result = result->outputs.front().to_doubles();
  return watched;
}

}  // namespace

// Spec: partitioning 8.16.
TEST_CASE("each shard looks up its own rows of the table", "[indexed][example]") {
  const Watched watched = watch(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %i: tensor<4xi32>) -> tensor<4xf32> {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1>}> : (tensor<5xf32>, tensor<4xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})",
                                {{10, 11, 12, 13, 14}, {4, 0, 9, 2}});
  CHECK(watched.reduced.at(0) == std::vector<double>{0, 10, 0, 12});
  CHECK(watched.reduced.at(1) == std::vector<double>{14, 0, 14, 0});
  CHECK(watched.result == std::vector<double>{14, 10, 14, 12});
}

// Spec: partitioning 8.17 (3).
TEST_CASE("one shard adds updates to the operand, the other shards to zeros",
          "[indexed][example]") {
  const Watched watched = watch(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<4xf32>, %i: tensor<3x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %u: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})",
                                {{10, 20, 30, 40}, {0, 3, 0}, {1, 2, 3}});
  CHECK(watched.reduced.at(0) == std::vector<double>{11, 20, 30, 42});
  CHECK(watched.reduced.at(1) == std::vector<double>{3, 0, 0, 0});
  CHECK(watched.result == std::vector<double>{14, 20, 30, 42});
}

// Spec: partitioning 8.6, 8.7.
TEST_CASE("a window across two shards is read and written by both shards", "[indexed][example]") {
  const Watched written = watch(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %u: tensor<2xf32>, %i: tensor<i32>)
    -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.dynamic_update_slice %t, %u, %i
    : (tensor<5xf32>, tensor<2xf32>, tensor<i32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
})",
                                {{0, 1, 2, 3, 4}, {7, 8}, {2}});
  CHECK(written.reduced.empty());
  CHECK(written.result == std::vector<double>{0, 1, 7, 8, 4});
  const Watched read = watch(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%t: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_slice %t, %i, sizes = [2] : (tensor<5xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                             {{10, 11, 12, 13, 14}, {2}});
  CHECK(read.reduced.at(0) == std::vector<double>{12, 0});
  CHECK(read.reduced.at(1) == std::vector<double>{0, 13});
  CHECK(read.result == std::vector<double>{12, 13});
}

// Spec: partitioning 5.7. A sum would make the NaNs quiet.
TEST_CASE("slicing partial lookup results before the reduction keeps the bits of NaNs",
          "[indexed][example]") {
  const auto module = text::parse_mlir(R"(sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%t: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>},
                %i: tensor<1x2xi32>)
    -> (tensor<1x2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {"a"}]>}) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<
    offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 2, 2>}> : (tensor<4x3xf32>, tensor<1x2xi32>) -> tensor<1x2x2xf32>
  return %0 : tensor<1x2x2xf32>
})");
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  const std::vector<uint32_t> rows = {0x7F800001, 0xFF812345, 0x80000000, 0x7FC54321,  //
                                      0x00000001, 0xFFBFFFFF, 0x7F800000, 0xFF800000,
                                      0x7F8FFFFF, 0x80000001, 0x00000000, 0x7FFFFFFF};
  const std::vector<int32_t> starts = {1, 1};
  const std::vector<ir::Type>& types = module->arg_types(*module->main_function());
  const simulation::Tensors inputs = {
      *simulation::Tensor::make(types[0], std::as_bytes(std::span(rows))),
      *simulation::Tensor::make(types[1], std::as_bytes(std::span(starts)))};
  const auto compiled = checking::compile(*module);
  REQUIRE(compiled.has_value());
  const std::string program = text::to_mlir(compiled->program);
  INFO(program);
  CHECK(program.find("stablehlo.or") != std::string::npos);
  const auto result = simulation::run_global(compiled->program, "main", inputs, {});
  REQUIRE(result.has_value());
  const std::vector<uint32_t> wanted = {rows[4], rows[5], rows[7], rows[8]};
  CHECK(std::ranges::equal(result->outputs.front().bytes(), std::as_bytes(std::span(wanted))));
}

TEST_CASE("partial products are sliced before the reduction", "[example]") {
  const Watched watched = watch(R"(sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%t: tensor<2x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>})
    -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%t init: %one) applies stablehlo.multiply across dimensions = [1]
    : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})",
                                {{2, 3, 5, 7, 11, 13, 17, 19}});
  CHECK(watched.reduced.at(0) == std::vector<double>{6});
  CHECK(watched.reduced.at(1) == std::vector<double>{35});
  CHECK(watched.reduced.at(2) == std::vector<double>{143});
  CHECK(watched.reduced.at(3) == std::vector<double>{323});
  CHECK(watched.result == std::vector<double>{210, 46189});
}

}  // namespace indexed_examples_test
