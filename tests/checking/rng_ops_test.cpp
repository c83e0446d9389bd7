// stablehlo.rng: devices must draw the numbers that the unsharded run draws. Spec: partitioning
// 8.20.
#include <cstdint>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::text_of;

namespace rng_ops_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text << (module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

checking::CheckReport checked(const ir::Module& module, uint64_t seed) {
  checking::CheckOptions options;
  options.run.kernels.seed = seed;
  options.tolerance = 0;
  options.exact = true;
  const auto report =
      checking::check(module, checking::random_inputs(module, seed).value(), options);
  INFO((report ? std::string() : text_of(report.error())) << text::to_mlir(module));
  REQUIRE(report.has_value());
  INFO(text::to_mlir(report->compiled.program));
  CHECK(report->exact.done);
  CHECK(report->equal());
  return *report;
}

std::string draw(const std::string& dims, const std::string& rank, const std::string& element,
                 const std::string& distribution) {
  const std::string scalar = "tensor<" + element + ">";
  const std::string shape = "tensor<" + rank + "xi64>";
  return "stablehlo.rng %a, %b, %s, distribution = " + distribution + " : (" + scalar + ", " +
         scalar + ", " + shape + ") -> tensor<" + dims + element + ">";
}

TEST_CASE("devices generate the random numbers of the unsharded run", "[rng]") {
  struct Row {
    const char* dims;
    const char* shape;
    const char* rank;
  };
  const Row row =
      GENERATE(Row{"8x6x", "[8, 6]", "2"}, Row{"5x7x", "[5, 7]", "2"}, Row{"13x", "[13]", "1"},
               Row{"3x1x9x", "[3, 1, 9]", "3"}, Row{"1x", "[1]", "1"}, Row{"0x4x", "[0, 4]", "2"});
  const auto [element, low, high, distribution] = GENERATE(
      table<std::string, std::string, std::string, std::string>({{"f32", "-1.0", "3.0", "UNIFORM"},
                                                                 {"bf16", "0.0", "1.0", "NORMAL"},
                                                                 {"f64", "2.0", "0.5", "NORMAL"},
                                                                 {"i32", "-5", "70", "UNIFORM"},
                                                                 {"ui8", "0", "9", "UNIFORM"}}));
  CAPTURE(row.dims, element, distribution);
  const std::string type = "tensor<" + std::string(row.dims) + element + ">";
  const std::string text = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=3, \"z\"=2]>\nfunc.func @main() -> " +
                           type + " {\n  %a = stablehlo.constant dense<" + low + "> : tensor<" +
                           element + ">\n  %b = stablehlo.constant dense<" + high + "> : tensor<" +
                           element + ">\n  %s = stablehlo.constant dense<" + row.shape +
                           "> : tensor<" + row.rank +
                           "xi64>\n  %0 = " + draw(row.dims, row.rank, element, distribution) +
                           "\n  return %0 : " + type + "\n}\n";
  for (uint64_t seed = 0; seed < 12; ++seed) {
    ir::Module module = parsed(text);
    const ir::OpId main = *module.main_function();
    checking::Random random(seed);
    const auto rank = module.function(main).result_types[0].dims().size();
    const Mesh mesh = *module.find_mesh("mesh");
    const TensorSharding sharding =
        checking::random_sharding(random, mesh, rank, BoundAxes::none()).with_mesh({mesh, "mesh"});
    ir::set_result_sharding(module, main, 0, sharding);
    CAPTURE(seed, to_string(sharding));
    checked(module, seed);
  }
}

const char* const kPlaces = R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func private @noise(%a: tensor<f32>, %b: tensor<f32>) -> tensor<5xf32> {
  %s = stablehlo.constant dense<[5]> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
func.func @main(%x: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
    -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}, tensor<5xf32>, tensor<5xf32>) {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %0 = func.call @noise(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
  %1 = func.call @noise(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
  %2:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<5xf32> cond {
    %3 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  } do {
    %3 = func.call @noise(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
    %4 = stablehlo.subtract %3, %y : tensor<5xf32>
    %5 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<5xf32>
  }
  return %0, %1, %2#1 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
)";

TEST_CASE("each call and loop iteration generates new random numbers, as in the unsharded run",
          "[rng]") {
  const ir::Module module = parsed(kPlaces);
  const auto report = checked(module, 3);
  const simulation::Tensors& outputs = report.sharded.outputs;
  CHECK(outputs[0] != outputs[1]);
  CHECK(outputs[0] != outputs[2]);
}

const char* const kMatrix = R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() -> (tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<[7, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
})";

TEST_CASE("a printed partitioned program generates the random numbers of the program", "[rng]") {
  const ir::Module module = parsed(kMatrix);
  const auto report = checked(module, 5);
  const ir::Module read = parsed("\n\n" + text::to_mlir(report.compiled.program));
  simulation::RunOptions options;
  options.kernels.seed = 5;
  const auto again = simulation::run_global(read, "main", {}, options);
  REQUIRE(again.has_value());
  CHECK(again->outputs == report.sharded.outputs);
}

simulation::Tensors outputs_of(const ir::Module& module, const simulation::Tensors& inputs) {
  simulation::RunOptions options;
  options.kernels.seed = 3;
  const auto ran = simulation::run_global(module, "main", inputs, options);
  INFO((ran ? std::string() : ran.error().message) << text::to_mlir(module));
  REQUIRE(ran.has_value());
  return ran->outputs;
}

TEST_CASE("random numbers depend neither on locations nor on the text form", "[rng]") {
  const ir::Module module = parsed(kPlaces);
  const auto inputs = checking::random_inputs(module, 3).value();
  const simulation::Tensors outputs = outputs_of(module, inputs);
  std::string spread = kPlaces;
  for (std::size_t at = 0; (at = spread.find("stablehlo.", at)) != std::string::npos; at += 15) {
    spread.insert(at, "\n  ");
  }
  CHECK(outputs_of(parsed(spread), inputs) == outputs);
  const auto read = text::parse_json(text::to_json(module));
  REQUIRE(read.has_value());
  CHECK(outputs_of(*read, inputs) == outputs);
  CHECK(checked(parsed(spread), 3).sharded.outputs == checked(module, 3).sharded.outputs);
}

TEST_CASE("a printed partitioned program with calls generates the random numbers of the program",
          "[rng]") {
  const ir::Module module = parsed(kPlaces);
  const auto report = checked(module, 3);
  const std::string printed = text::to_mlir(report.compiled.program);
  CHECK(outputs_of(parsed("\n\n" + printed), checking::random_inputs(module, 3).value()) ==
        report.sharded.outputs);
  const auto json = text::parse_json(text::to_json(report.compiled.program));
  REQUIRE(json.has_value());
  CHECK(outputs_of(*json, checking::random_inputs(module, 3).value()) == report.sharded.outputs);
}

TEST_CASE("composites generate the random numbers of the unsharded run", "[rng]") {
  std::string text = kPlaces;
  for (std::size_t at; (at = text.find("func.call @noise(%a, %b) :")) != std::string::npos;) {
    text.replace(at, 26, "stablehlo.composite \"my.noise\" %a, %b {decomposition = @noise} :");
  }
  checked(parsed(text), 3);
}

TEST_CASE("a random op without a location generates the numbers of the unsharded run", "[rng]") {
  ir::Module module = parsed(kMatrix);
  for (const ir::OpId op : ir::pre_order(module)) module.set_location(op, {});
  checked(module, 1);
}

TEST_CASE("a note reports that devices generate more random numbers than they keep", "[rng]") {
  const auto report = checked(parsed(kPlaces), 1);
  REQUIRE_FALSE(report.compiled.notes.empty());
  CHECK(report.compiled.notes[0].kind == partitioning::Replication::RandomBits);
  CHECK(report.compiled.notes[0].op == "stablehlo.rng");
}

TEST_CASE("the state of rng_bit_generator keeps its type", "[rng]") {
  const auto module = text::parse_mlir(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%k: tensor<2xui64>) -> (tensor<4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %q:2 = "stablehlo.rng_bit_generator"(%k) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (!foo.state, tensor<4xui32>)
  return %q#1 : tensor<4xui32>
})");
  REQUIRE_FALSE(module.has_value());
  REQUIRE(module.error().size() == 1);
  CHECK(module.error()[0].message ==
        "'stablehlo.rng_bit_generator' op result 0 must be a tensor, got !foo.state");
}

}  // namespace

}  // namespace rng_ops_test
