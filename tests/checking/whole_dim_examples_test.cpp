// The numerical examples in the specification for ops that need all elements of a dim.
#include <map>
#include <string>
#include <vector>

#include "checking/program_check.hpp"
#include "checking/programs.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::text_of;

namespace whole_dim_examples_test {
namespace {

using Numbers = std::vector<double>;

struct Watched {
  std::vector<Numbers> results;
  std::map<int64_t, std::vector<Numbers>> gathered;  // what each device gives to the all_gathers
  std::map<int64_t, Numbers> states;  // states that each device makes random bits from
};

/// Runs the program, whose only argument is these numbers.
Watched watch(const std::string& text, const Numbers& numbers) {
  const auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  const ir::Type type = module->arg_types(*module->main_function()).front();
  const auto input = simulation::Tensor::from_doubles(type, numbers);
  REQUIRE(input.has_value());
  const simulation::Tensors inputs = {*input};
  const auto compiled = checking::compile(*module);
  REQUIRE(compiled.has_value());
  Watched watched;
  simulation::RunOptions options;
  options.num_workers = 1;
  options.observer = [&](const simulation::OpEvent& event) {
    const Numbers operand =
        event.operands.empty() ? Numbers() : event.operands.front().to_doubles();
    if (compiled->program.is(event.op, ir::OpKind::SpmdAllGather)) {
      watched.gathered[event.device].push_back(operand);
    }
    if (compiled->program.is(event.op, ir::OpKind::RngBitGenerator)) {
      watched.states[event.device] = operand;
    }
  };
  const auto result = simulation::run_global(compiled->program, "main", inputs, options);
  REQUIRE(result.has_value());
  for (const simulation::Tensor& output : result->outputs) {
    watched.results.push_back(output.to_doubles());
  }
  return watched;
}

}  // namespace

// Spec: partitioning 8.10.
TEST_CASE("argmax of equal elements returns the first element", "[whole_dim][example]") {
  const Watched watched = watch(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<f32>, tensor<i32>) {
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %z, %n) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
      %p = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
      %t = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %s, %t : tensor<f32>, tensor<i32>
    }) : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
})",
                                {1, 5, 5, 2});
  CHECK(watched.gathered.at(0) == std::vector<Numbers>{{5}, {1}});
  CHECK(watched.gathered.at(1) == std::vector<Numbers>{{5}, {2}});
  CHECK(watched.results == std::vector<Numbers>{{5}, {1}});
}

// Spec: partitioning 8.18.
TEST_CASE("top_k orders the candidates of all shards by their index in the row",
          "[whole_dim][example]") {
  const Watched watched = watch(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<9xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<2xf32>, tensor<2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<9xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
})",
                                {3, 8, 1, 0, 7, 2, 9, 8, 4});
  CHECK(watched.gathered.at(0) == std::vector<Numbers>{{8, 7}, {1, 4}});
  CHECK(watched.gathered.at(1) == std::vector<Numbers>{{9, 8}, {6, 7}});
  CHECK(watched.results == std::vector<Numbers>{{9, 8}, {6, 1}});
}

// Spec: partitioning 8.20.
TEST_CASE("each device generates random words from the offset of its rows",
          "[whole_dim][example]") {
  const Watched watched = watch(R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%s: tensor<2xui64>)
    -> (tensor<2xui64>, tensor<10x3xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}>
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<10x3xui32>)
  return %0#0, %0#1 : tensor<2xui64>, tensor<10x3xui32>
})",
                                {7, 100});
  CHECK(watched.states.at(0) == Numbers{7, 100, 7});
  CHECK(watched.states.at(1) == Numbers{7, 102, 7});  // word 9 is in block 2
  CHECK(watched.states.at(3) == Numbers{7, 106, 7});  // word 27 in block 6
  CHECK(watched.results.front() == Numbers{7, 108});  // 30 words are 8 blocks
}

// Spec: partitioning 1.2 I5. All elements are signalling NaNs. Adding zero to one of them would
// make it a quiet NaN.
TEST_CASE("argmax keeps NaN bits after a reshard of partial values", "[whole_dim][example]") {
  const std::string text = R"(sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x6xui16> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>})
    -> (tensor<6xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<6xi32>) {
  %one = stablehlo.constant dense<0x7F81> : tensor<4x6xui16>
  %all = stablehlo.constant dense<0xFFBF> : tensor<4x6xui16>
  %some = stablehlo.or %arg0, %one : tensor<4x6xui16>
  %word = stablehlo.and %some, %all : tensor<4x6xui16>
  %x = stablehlo.bitcast_convert %word : (tensor<4x6xui16>) -> tensor<4x6xbf16>
  %i = stablehlo.iota dim = 0 : tensor<4x6xi32>
  %z = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %z, %n) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<bf16>, %b: tensor<i32>, %c: tensor<bf16>, %d: tensor<i32>):
      %p = stablehlo.compare LT, %a, %c : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<bf16>
      %t = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %s, %t : tensor<bf16>, tensor<i32>
    })
    : (tensor<4x6xbf16>, tensor<4x6xi32>, tensor<bf16>, tensor<i32>)
    -> (tensor<6xbf16>, tensor<6xi32>)
  return %0#0, %0#1 : tensor<6xbf16>, tensor<6xi32>
})";
  const auto seed = GENERATE(range(uint64_t{0}, uint64_t{4}));
  shardy_test::check_program({text, {0}}, seed);
}

}  // namespace whole_dim_examples_test
