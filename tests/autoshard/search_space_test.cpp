// Parts of the search space: copies for groups of users, functions, free axes of manual
// computations, partial sums.
#include <cmath>
#include <optional>
#include <string>

#include "autoshard/searched_programs.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using autoshard::AutoshardOptions;
using autoshard::FoundSharding;

using shardy_test::check_equal;
using shardy_test::found;
using shardy_test::kMlp;
using shardy_test::parsed;

namespace autoshard_search_space_test {
namespace {

ir::Module on_mesh(const std::string& axes, const std::string& body) {
  return parsed("sdy.mesh @mesh = <[" + axes + "]>\n" + body);
}

/// Options without rewrites, with which the report has the price of the model.
AutoshardOptions plain() {
  AutoshardOptions options;
  options.compile.collectives.rules = std::vector<std::string>();
  return options;
}

void check_price(const FoundSharding& best) {
  CHECK(best.model.status == autoshard::SolveStatus::Proven);
  const double price = static_cast<double>(best.model.price_fs) * 1e-15;
  CHECK(std::abs(best.after.seconds - price) <= 1e-3 * price + 1e-12);
}

}  // namespace

TEST_CASE("a value has two copies with different shardings", "[autoshard]") {
  const std::string rows = R"({sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})";
  const std::string columns = R"({sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>})";
  const ir::Module module = on_mesh(
      "\"a\"=4", "func.func @main(%x: tensor<64x64xf32> " + rows + ", %p: tensor<64x64xf32> " +
                     columns + ", %q: tensor<64x64xf32> " + columns + ") -> (tensor<64x64xf32> " +
                     rows + ", tensor<64x64xf32> " + columns + ", tensor<64x64xf32> " + columns +
                     R"() {
  %0 = stablehlo.tanh %x : tensor<64x64xf32>
  %1 = stablehlo.multiply %x, %p : tensor<64x64xf32>
  %2 = stablehlo.multiply %x, %q : tensor<64x64xf32>
  return %0, %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
})");
  const FoundSharding best = found(module, plain());
  // One all-to-all of 16 rows, a quarter of which stays.
  const double seconds = 16 * 64 * 4 * 3 / 4 / 1e11 + 3 * 16 * 64 / 1e14;
  CHECK(std::abs(static_cast<double>(best.model.price_fs) * 1e-15 - seconds) <= 1e-3 * seconds);
  check_price(best);
  const auto program = autoshard::annotated_program(module, best.model.choice, plain());
  REQUIRE(program.has_value());
  const std::string text = text::to_mlir(*program);
  const std::size_t first = text.find("sdy.sharding_constraint");
  CHECK(first != std::string::npos);
  CHECK(text.find("sdy.sharding_constraint", first + 1) == std::string::npos);
  check_equal(*program);
}

TEST_CASE("ops of a function with one call have annotations", "[autoshard]") {
  std::string body = kMlp;
  const std::string called = body.replace(body.find("@main"), 5, "private @mlp").insert(0, R"(
func.func @main(%x: tensor<8x16xf32>, %w1: tensor<16x64xf32>, %w2: tensor<64x16xf32>) -> tensor<8x16xf32> {
  %0 = call @mlp(%x, %w1, %w2) : (tensor<8x16xf32>, tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
})");
  std::string inlined = kMlp;
  const std::string end = "return %2";
  inlined.replace(inlined.find(end), end.size(),
                  "%3 = stablehlo.tanh %2 : tensor<8x16xf32>\n  return %3");
  for (const std::optional<int64_t> memory :
       {std::optional<int64_t>(), std::optional<int64_t>(6000)}) {
    AutoshardOptions options = plain();
    options.memory = memory;
    options.fix = {{"result 0", "[{}, {}]"}};
    const FoundSharding of_call = found(on_mesh("\"a\"=4", called), options);
    const FoundSharding whole = found(on_mesh("\"a\"=4", inlined), options);
    CHECK(of_call.fits);
    CHECK(of_call.model.price_fs == whole.model.price_fs);
    CHECK(of_call.after.seconds == whole.after.seconds);
    check_price(of_call);
    check_equal(of_call.program);
  }
}

TEST_CASE("free axes shard the body of a manual computation", "[autoshard]") {
  const ir::Module module = on_mesh("\"m\"=2, \"a\"=2", R"(
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = sdy.manual_computation(%x, %w) in_shardings=[<@mesh, [{"m", ?}, {?}]>, <@mesh, [{?}, {?}]>] out_shardings=[<@mesh, [{"m", ?}, {?}]>] manual_axes={"m"} (%p: tensor<4x16xf32>, %q: tensor<16x32xf32>) {
    %1 = stablehlo.dot %p, %q : (tensor<4x16xf32>, tensor<16x32xf32>) -> tensor<4x32xf32>
    sdy.return %1 : tensor<4x32xf32>
  } : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
})");
  const FoundSharding best = found(module, plain());
  CHECK(std::abs(best.after.seconds - 2 * 8 * 16 * 32 / 4 / 1e14) <= 1e-16);
  CHECK(best.after.cost.bytes == 0);
  check_price(best);
  check_equal(best.program);
  AutoshardOptions fixed = plain();
  fixed.fix = {{"%x", "[{}, {}]"}, {"%w", "[{}, {}]"}, {"result 0", "[{}, {}]"}};
  const FoundSharding whole = found(module, fixed);
  check_price(whole);
  check_equal(whole.program);
}

TEST_CASE("a partial sum is reduced after a sum over its rows", "[autoshard]") {
  const FoundSharding best = found(on_mesh("\"a\"=4", R"(
func.func @main(%x: tensor<64x512xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>},
                %w: tensor<512x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.dot %x, %w : (tensor<64x512xf32>, tensor<512x64xf32>) -> tensor<64x64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
})"),
                                   plain());
  CHECK(best.after.cost.bytes == 2 * 64 * 4 * 3 / 4);
  check_price(best);
  check_equal(best.program);
}

TEST_CASE("a price of the model that the report does not have is a warning", "[autoshard]") {
  // Partitioning merges the equal ops; the model has both.
  const FoundSharding merged = found(on_mesh("\"a\"=4", R"(
func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
})"));
  REQUIRE(merged.diagnostics.size() == 1);
  CHECK(merged.diagnostics.front().severity == Severity::Warning);
  CHECK(merged.diagnostics.front().message.find("the bound is a bound of the model") !=
        std::string::npos);
  CHECK(found(on_mesh("\"a\"=4", kMlp), {.memory = 6000}).diagnostics.empty());
}

}  // namespace autoshard_search_space_test
