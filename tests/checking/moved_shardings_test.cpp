// Shardings that propagation chose are changed if the reshards of the ops around them then send
// less. Spec: resharding C.7.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace moved_shardings_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : shardy_test::text_of(module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

checking::CompileOptions without_moves() {
  checking::CompileOptions options;
  options.collectives.rules = checking::all_collective_rules();
  std::erase(*options.collectives.rules, passes::kMoveShardings);
  return options;
}

/// Returns the bytes that a device sends; -1 if the program cannot be partitioned.
int64_t sent(const ir::Module& module, const checking::CompileOptions& options = {}) {
  const auto compiled = checking::compile(module, options);
  return compiled ? partitioning::program_cost(compiled->program).bytes_sent : -1;
}

/// Two products with an elementwise op between them. Propagation shards the hidden values along the
/// sequence. HIDDEN is an op that makes %1 of %0, the hidden value.
std::string two_products(const std::string& hidden) {
  std::string text = R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>},
    %u: tensor<6x48xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %v: tensor<48x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<8x8x6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %u, contracting_dims = [2] x [0] : (tensor<8x8x6xi32>, tensor<6x48xi32>) -> tensor<8x8x48xi32>
  %1 = HIDDEN : tensor<8x8x48xi32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [2] x [0] : (tensor<8x8x48xi32>, tensor<48x6xi32>) -> tensor<8x8x6xi32>
  return %2 : tensor<8x8x6xi32>
})";
  return text.replace(text.find("HIDDEN"), 6, hidden);
}

}  // namespace

TEST_CASE("hidden values between two products get the axes of the weights", "[rewrites][traffic]") {
  const ir::Module free = parsed(two_products("stablehlo.abs %0"));
  // An all-gather and a reduce-scatter of 2 x 4 x 6 numbers, instead of gathers of both weights.
  CHECK(sent(free) == 2 * 2 * 4 * 6 * 4);
  CHECK(sent(free, without_moves()) == 2 * 6 * 24 * 4);
  const auto compiled = checking::compile(free);
  REQUIRE(compiled.has_value());
  const auto is_move = [](const passes::CollectiveRewrite& each) {
    return each.rule == passes::kMoveShardings && each.bytes_after < each.bytes_before;
  };
  CHECK(std::ranges::count_if(compiled->rewrites, is_move) == 1);
  const auto report = checking::check(free, shardy_test::small_integers(free, 3));
  REQUIRE(report.has_value());
  CHECK(report->equal());
}

TEST_CASE("values of ops with more than 64 operands and results do not move", "[rewrites]") {
  const auto with_operands = [](int count) {
    const std::string type = "tensor<8x8x48xi32>";
    std::string operands = "%0";
    std::string types = type;
    std::string factors = "[i, j, k]";
    std::string arguments;
    for (int index = 1; index < count; ++index) {
      const std::string scalar = "%s" + std::to_string(index);
      operands += ", " + scalar;
      types += ", tensor<i32>";
      factors += ", []";
      arguments += scalar + ": tensor<i32>, ";
    }
    const std::string hidden = "stablehlo.custom_call @many(" + operands +
                               ") {sdy.sharding_rule = #sdy.op_sharding_rule<(" + factors +
                               ")->([i, j, k]) {i=8, j=8, k=48}, custom>} : (" + types + ") -> " +
                               type;
    std::string text = two_products("HERE");
    text.replace(text.find("HERE : " + type), 7 + type.size(), hidden);
    return parsed(text.insert(text.find("%a: "), arguments));
  };
  CHECK(sent(with_operands(63)) == 2 * 2 * 4 * 6 * 4);
  CHECK(sent(with_operands(64)) == 2 * 6 * 24 * 4);
}

TEST_CASE("shardings that the program gives do not move", "[rewrites][traffic]") {
  const std::string along = R"(<@mesh, [{"y"}, {"x"}, {}]>)";
  const ir::Module written = parsed(
      two_products("stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[" + along + "]>}"));
  const ir::Module constrained = parsed(two_products("sdy.sharding_constraint %0 " + along));
  for (const ir::Module* module : {&written, &constrained}) {
    CHECK(sent(*module) == sent(*module, without_moves()));
  }
}

TEST_CASE("the cheapest axes with moved shardings are compared with the cheapest axes alone",
          "[rewrites][traffic]") {
  // With moved shardings the sum of prices is lower, but 208 bytes are sent: other ops read a
  // reshard that is then not shared.
  const ir::Module module = parsed(R"(sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2]>
func.func @main(%a0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"z", "y"}]>}, %a3: tensor<4x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}, {"x"}, {}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<4x4x4xf32>) {
  %v0 = sdy.sharding_constraint %a0 <@mesh, [{"x"}, {}]> : tensor<4x4xf32>
  %v5 = stablehlo.maximum %a3, %a3 : tensor<4x4x4xf32>
  %v9 = sdy.sharding_constraint %a0 <@mesh, [{}, {"z"}]> : tensor<4x4xf32>
  %v11 = stablehlo.dot_general %v9, %v0, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %v12 = stablehlo.dot_general %v5, %a0, contracting_dims = [1] x [0] : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  return %v11, %v12 : tensor<4x4xf32>, tensor<4x4x4xf32>
})");
  CHECK(sent(module) == 176);
  CHECK(sent(module, without_moves()) == 176);
}

TEST_CASE("moved shardings never send more and keep results", "[rewrites][random]") {
  int64_t fewer = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const ir::Module module =
        checking::random_program(
            seed, {.max_dim = 16, .transcendental = false, .max_depth = seed % 2 == 0 ? 1 : 0})
            .module;
    const int64_t plain = sent(module, without_moves());
    const int64_t moved = sent(module);
    INFO("seed " << seed);
    CHECK(moved <= plain);
    if (moved >= plain) continue;
    ++fewer;
    const auto report = checking::check(module, shardy_test::small_integers(module, seed));
    REQUIRE(report.has_value());
    CHECK(report->equal());
  }
  CHECK(fewer > 0);
}

}  // namespace moved_shardings_test
