// Per-device programs are read back from both formats, and must give the same results.
#include <shardy/text/json.hpp>
#include <shardy/text/mlir.hpp>
#include <string>

#include "checking/programs.hpp"
#include "checking/stablehlo_forms.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::RandomProgram;
using shardy_test::text_of;

namespace read_back_test {
namespace {

ir::Module read_mlir(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text_of(module.error())));
  INFO(text);
  REQUIRE(module.has_value());
  return *std::move(module);
}

ir::Module read_json(const std::string& text) {
  auto module = text::parse_json(text);
  INFO((module ? std::string() : text_of(module.error())));
  INFO(text);
  REQUIRE(module.has_value());
  return *std::move(module);
}

simulation::GlobalResult run(const ir::Module& program, const simulation::Tensors& inputs) {
  auto result = simulation::run_global(program, "main", inputs, {});
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return *std::move(result);
}

void check_reads_back(const ir::Module& program, const simulation::Tensors& inputs) {
  const ir::Module from_json = read_json(text::to_json(program));
  const ir::Module from_mlir = read_mlir(text::to_mlir(program));
  const ir::Module from_generic = read_mlir(text::to_mlir(program, {.generic = true}));
  CHECK(text::same_program(program, from_json));
  CHECK(text::same_program(program, from_generic));
  const simulation::GlobalResult wanted = run(program, inputs);
  for (const ir::Module* again : {&from_json, &from_mlir}) {
    const simulation::GlobalResult result = run(*again, inputs);
    CHECK(result.outputs == wanted.outputs);
    CHECK(result.devices == wanted.devices);
  }
}

void check_seed(uint64_t seed, const checking::RandomProgramOptions& options) {
  CAPTURE(seed);
  RandomProgram random = checking::random_program(seed, options);
  static const passes::PassRegistry registry = passes::built_in_passes();
  const std::vector<passes::PassCall> import = {{"sdy-sharding-group-import"}};
  REQUIRE(passes::run_pipeline(random.module, registry, import).empty());
  const auto compiled = checking::compile(random.module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  check_reads_back(compiled->program, random.inputs);
  check_reads_back(shardy_test::in_stablehlo(compiled->program, seed), random.inputs);
}

}  // namespace

TEST_CASE("partitioned random programs read back and give the same results",
          "[checking][text][random]") {
  for (uint64_t seed = 1; seed <= 500; ++seed) check_seed(seed, {});
}

TEST_CASE("partitioned random programs with loops, branches and calls read back",
          "[checking][text][random]") {
  for (uint64_t seed = 1; seed <= 150; ++seed) check_seed(seed, {.max_dim = 6, .max_depth = 2});
}

// Spec: partitioning 4.3. The permute pairs devices by parts of an axis that are adjacent.
TEST_CASE("a permute over sub-axes of one axis reads back", "[checking][text]") {
  for (const char* target : {R"({"x"})", R"({"y":(1)2})", R"({"y":(2)2, "y":(1)2})"}) {
    CAPTURE(target);
    const ir::Module module = read_mlir(
        R"(sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@m, [)" +
        std::string(target) + R"(]> : tensor<8xf32>
  return %0 : tensor<8xf32>
})");
    const auto compiled = checking::compile(module);
    REQUIRE(compiled.has_value());
    check_reads_back(compiled->program, shardy_test::small_integers(module, 1));
  }
}

// Spec: partitioning 1.2 I7.
TEST_CASE("io_padding Divisible requires divisible arguments and results of the written program",
          "[checking][partitioning]") {
  checking::CompileOptions divisible;
  divisible.partition.io_padding = partitioning::IoPadding::Divisible;
  const auto program = [](const std::string& arg, const std::string& result) {
    return read_mlir(R"(sdy.mesh @m = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [)" +
                     arg + R"(]>}) -> (tensor<8x7xf32> {sdy.sharding = #sdy.sharding<@m, [)" +
                     result + R"(]>}) {
  %0 = stablehlo.negate %arg0 : tensor<8x7xf32>
  return %0 : tensor<8x7xf32>
})");
  };
  struct Row {
    std::string arg, result, error;
  };
  const Row rows[] = {
      {R"({"x"}, {})", R"({?}, {?})", ""},
      {R"({}, {"x"})", R"({}, {})",
       "E_NON_DIVISIBLE_IO: func.func: argument 0: dim 1 with size 7 is not divisible by 2 shards; "
       "use io-padding=padded"},
      {R"({"y", ?}, {})", R"({}, {})",
       "E_NON_DIVISIBLE_IO: func.func: argument 0: dim 0 with size 8 is not divisible by 3 shards; "
       "use io-padding=padded"},
      {R"({"x"}, {})", R"({}, {"y"})",
       "E_NON_DIVISIBLE_IO: func.func: result 0: dim 1 with size 7 is not divisible by 3 shards; "
       "use io-padding=padded"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.arg, row.result);
    const ir::Module module = program(row.arg, row.result);
    CHECK(checking::compile(module).has_value());
    const auto compiled = checking::compile(module, divisible);
    CHECK((compiled ? "" : compiled.error().front().headline()) == row.error);
  }
}

}  // namespace read_back_test
