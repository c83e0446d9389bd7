// Every op that moves, combines or sorts elements gives the same bits sharded and unsharded.
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::text_of;

namespace structural_ops_test {
namespace {

struct Program {
  const char* name;
  const char* text;
};

// Values are small integers, so that sums are exact in any order. Some programs have an elementwise
// op in front, so that propagation, not only the test, chooses the sharding of an operand.
constexpr Program kPrograms[] = {
    {"gather", R"(
func.func @main(%x: tensor<6x4x5xf32>, %i: tensor<4x3x2xi32>) -> tensor<4x3x5xf32> {
  %y = stablehlo.negate %x : tensor<6x4x5xf32>
  %0 = "stablehlo.gather"(%y, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
    collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 1, 5>}> : (tensor<6x4x5xf32>, tensor<4x3x2xi32>) -> tensor<4x3x5xf32>
  return %0 : tensor<4x3x5xf32>
})"},
    {"gather of windows, batched", R"(
func.func @main(%x: tensor<4x6x5xf32>, %i: tensor<3x4xi32>) -> tensor<3x4x2x5xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 3],
    operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1],
    index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, 5>}>
    : (tensor<4x6x5xf32>, tensor<3x4xi32>) -> tensor<3x4x2x5xf32>
  return %0 : tensor<3x4x2x5xf32>
})"},
    {"scatter that adds", R"(
func.func @main(%x: tensor<6x4xf32>, %i: tensor<8x1xi32>, %u: tensor<8x4xf32>) -> tensor<6x4xf32> {
  %v = stablehlo.negate %u : tensor<8x4xf32>
  %0 = "stablehlo.scatter"(%x, %i, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
})"},
    {"scatter that sets", R"(
func.func @main(%x: tensor<6x4xf32>, %i: tensor<8xi32>, %u: tensor<4x8xf32>) -> tensor<6x4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<8xi32>, tensor<4x8xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
})"},
    {"scatter of two operands, batched, with a value from outside", R"(
func.func @main(%x: tensor<3x6xf32>, %y: tensor<3x6xi32>, %i: tensor<3x4x1xi64>,
                %u: tensor<3x4xf32>, %v: tensor<3x4xi32>, %k: tensor<i32>)
    -> (tensor<3x6xf32>, tensor<3x6xi32>) {
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0],
    scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
      %s = stablehlo.maximum %a, %c : tensor<f32>
      %t = stablehlo.multiply %b, %k : tensor<i32>
      %w = stablehlo.add %t, %d : tensor<i32>
      stablehlo.return %s, %w : tensor<f32>, tensor<i32>
    }) : (tensor<3x6xf32>, tensor<3x6xi32>, tensor<3x4x1xi64>, tensor<3x4xf32>, tensor<3x4xi32>)
      -> (tensor<3x6xf32>, tensor<3x6xi32>)
  return %0#0, %0#1 : tensor<3x6xf32>, tensor<3x6xi32>
})"},
    {"sort of two operands", R"(
func.func @main(%x: tensor<6x8xf32>, %y: tensor<6x8xi32>) -> (tensor<6x8xf32>, tensor<6x8xi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %s = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<6x8xf32>, tensor<6x8xi32>) -> (tensor<6x8xf32>, tensor<6x8xi32>)
  return %0#0, %0#1 : tensor<6x8xf32>, tensor<6x8xi32>
})"},
    {"reduce_window", R"(
func.func @main(%x: tensor<6x8x3xf32>, %z: tensor<f32>) -> tensor<3x8x3xf32> {
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2, 3, 1>,
    window_strides = array<i64: 2, 1, 1>,
    padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x8x3xf32>, tensor<f32>) -> tensor<3x8x3xf32>
  return %0 : tensor<3x8x3xf32>
})"},
    {"cumulative sum", R"(
func.func @main(%x: tensor<8x4xi32>) -> tensor<8x4xi32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 8, 1>,
    padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<8x4xi32>, tensor<i32>) -> tensor<8x4xi32>
  return %0 : tensor<8x4xi32>
})"},
    {"select_and_scatter", R"(
func.func @main(%x: tensor<6x8xf32>, %s: tensor<3x4xf32>) -> tensor<6x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2, 2>,
    window_strides = array<i64: 2, 2>, padding = dense<0> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
})"},
    {"convolution", R"(
func.func @main(%x: tensor<4x6x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<4x6x8x4xf32> {
  %y = stablehlo.negate %x : tensor<4x6x8x3xf32>
  %0 = stablehlo.convolution(%y, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<4x6x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<4x6x8x4xf32>
  %1 = stablehlo.negate %0 : tensor<4x6x8x4xf32>
  return %1 : tensor<4x6x8x4xf32>
})"},
    {"convolution of feature groups", R"(
func.func @main(%x: tensor<2x8x4xf32>, %k: tensor<3x2x6xf32>) -> tensor<2x3x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}
    : (tensor<2x8x4xf32>, tensor<3x2x6xf32>) -> tensor<2x3x6xf32>
  return %0 : tensor<2x3x6xf32>
})"},
    {"convolution of batch groups", R"(
func.func @main(%x: tensor<4x8x3xf32>, %k: tensor<3x3x6xf32>) -> tensor<2x6x6xf32> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
    : (tensor<4x8x3xf32>, tensor<3x3x6xf32>) -> tensor<2x6x6xf32>
  return %0 : tensor<2x6x6xf32>
})"},
    {"dot", R"(
func.func @main(%x: tensor<6x4xf32>, %y: tensor<4x8xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.dot %x, %y : (tensor<6x4xf32>, tensor<4x8xf32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
})"},
    {"map", R"(
func.func @main(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
})"},
    {"reduce of two operands with any region", R"(
func.func @main(%x: tensor<6x8xf32>, %y: tensor<6x8xi32>) -> (tensor<6xf32>, tensor<6xi32>) {
  %z = stablehlo.constant dense<-9.0> : tensor<f32>
  %n = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %z), (%y init: %n) across dimensions = [1]
    : (tensor<6x8xf32>, tensor<6x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<6xf32>, tensor<6xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
      %p = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
      %t = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %s, %t : tensor<f32>, tensor<i32>
    }
  return %0#0, %0#1 : tensor<6xf32>, tensor<6xi32>
})"},
    {"a comparator that reads a table from outside", R"(
func.func @main(%x: tensor<8xi32>, %t: tensor<8xi32>) -> tensor<8xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %p = stablehlo.dynamic_slice %t, %a, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
      %q = stablehlo.dynamic_slice %t, %b, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>
      %r = stablehlo.reshape %p : (tensor<1xi32>) -> tensor<i32>
      %s = stablehlo.reshape %q : (tensor<1xi32>) -> tensor<i32>
      %c = stablehlo.compare LT, %r, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<8xi32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
})"},
};

/// Random shardings on most arguments and some results.
void shard(ir::Module& module, checking::Random& random) {
  const Mesh mesh = checking::random_mesh(random, 12);
  module.add_mesh("mesh", mesh);
  const auto sharding = [&](const ir::Type& type) {
    return checking::random_sharding(random, mesh, static_cast<std::size_t>(type.rank()),
                                     BoundAxes::none());
  };
  const ir::OpId main = *module.main_function();
  const std::vector<ir::Type> types = module.function(main).result_types;
  const std::vector<ir::ValueId> args(module.args(module.entry(main)).begin(),
                                      module.args(module.entry(main)).end());
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (random.chance(4)) continue;
    ir::set_arg_sharding(module, main, index, sharding(module.type(args[index])));
  }
  for (std::size_t index = 0; index < types.size(); ++index) {
    if (random.chance(2)) ir::set_result_sharding(module, main, index, sharding(types[index]));
  }
}

}  // namespace

TEST_CASE("structural ops give the same bits under any sharding", "[checking][differential]") {
  for (const Program& program : kPrograms) {
    CAPTURE(program.name);
    const auto parsed = text::parse_mlir(program.text);
    INFO((parsed ? std::string() : text_of(parsed.error())));
    REQUIRE(parsed.has_value());
    int64_t num_sharded = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      CAPTURE(seed);
      checking::Random random(seed);
      ir::Module module = *parsed;
      shard(module, random);
      simulation::Tensors inputs;
      for (const ir::Type& type : module.arg_types(*module.main_function())) {
        inputs.push_back(checking::random_tensor(random, type));
      }
      checking::CheckOptions options;
      options.run.kernels.fill = simulation::Fill::Poison;
      options.tolerance = 0;
      const auto report = checking::check(module, inputs, options);
      INFO((report ? text::to_mlir(module) : text_of(report.error()) + text::to_mlir(module)));
      REQUIRE(report.has_value());
      INFO(text::to_mlir(report->compiled.collectives));
      CHECK(report->equal());
      num_sharded += report->num_sharded_values;
    }
    CHECK(num_sharded > 0);
  }
}

}  // namespace structural_ops_test
