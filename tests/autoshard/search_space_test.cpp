// Parts of the search space: copies for groups of users, functions, free axes of manual
// computations, partial sums.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "autoshard/program_model.hpp"
#include "autoshard/search_setup.hpp"
#include "autoshard/searched_programs.hpp"
#include "checking/compile_stages.hpp"
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

namespace {

/// Main with `tail` after a call of the function, or with the ops of its body. All values that pass
/// the call are scalars, so that only annotations in the function shard its ops.
ir::Module with_function(bool is_called, const std::string& tail) {
  const std::string body = R"(
  %b = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
  %d = stablehlo.dot %b, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = stablehlo.tanh %d : tensor<64x64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %f = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
)";
  const std::string main = "func.func @main(%s: tensor<f32>) -> tensor<f32> {\n";
  const std::string call = "  %f = call @f(%s) : (tensor<f32>) -> tensor<f32>\n";
  const std::string function = "func.func private @f(%s: tensor<f32>) -> tensor<f32> {" + body +
                               "  return %f : tensor<f32>\n}\n";
  return on_mesh("\"a\"=4", main + (is_called ? call : body) + tail + "\n}\n" +
                                (is_called ? function : std::string()));
}

}  // namespace

// Four devices compute 16 rows each, and add 4 bytes.
TEST_CASE("a function with one call costs as much as its ops in main", "[autoshard]") {
  AutoshardOptions slow = plain();
  slow.rates.operations_per_second = 1e12;
  for (const bool is_called : {true, false}) {
    const ir::Module module = with_function(
        is_called, "  %r = stablehlo.tanh %f : tensor<f32>\n  return %r : tensor<f32>");
    const FoundSharding best = found(module, slow);
    const double operations = 2.0 * 16 * 64 * 64 + 16 * 64 + 16 * 64 - 1 + 1;
    const double seconds = operations / 1e12 + 2 * 4 * 3.0 / 4 / 1e11;
    CHECK(std::abs(best.after.seconds - seconds) <= 1e-3 * seconds);
    check_price(best);
    check_equal(best.program);
  }
}

// Each sum over %p sends 6 bytes. In main both sums are added before they are complete.
TEST_CASE("a function returns complete sums", "[autoshard]") {
  AutoshardOptions slow = plain();
  slow.rates.operations_per_second = 1e12;
  const std::string tail = R"(
  %r = stablehlo.add %f, %f : tensor<f32>
  %c = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x32xf32>
  %k = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<32x64xf32>
  %e = stablehlo.dot %c, %k : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
  %y = stablehlo.constant dense<0.0> : tensor<f32>
  %g = stablehlo.reduce(%e init: %y) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
  %q = stablehlo.add %g, %r : tensor<f32>
  return %q : tensor<f32>)";
  for (const bool is_called : {true, false}) {
    const FoundSharding best = found(with_function(is_called, tail), slow);
    CHECK(best.after.cost.bytes == (is_called ? 12 : 6));
    check_price(best);
    check_equal(best.program);
  }
}

// The first sum has 16,384 bytes. After a sum over its rows it has 256 bytes, but in a function
// with two calls no annotation keeps it partial until then.
TEST_CASE("sums in a function with two calls are complete", "[autoshard]") {
  const std::string left = R"({sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>})";
  const std::string right = R"({sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})";
  const FoundSharding best = found(
      on_mesh("\"a\"=4", "func.func @main(%x: tensor<64x512xf32> " + left +
                             ", %w: tensor<512x64xf32> " + right + ", %v: tensor<512x64xf32> " +
                             right + R"() -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = call @f(%x, %w) : (tensor<64x512xf32>, tensor<512x64xf32>) -> tensor<64xf32>
  %1 = call @f(%x, %v) : (tensor<64x512xf32>, tensor<512x64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
func.func private @f(%x: tensor<64x512xf32>, %w: tensor<512x64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.dot %x, %w : (tensor<64x512xf32>, tensor<512x64xf32>) -> tensor<64x64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
})"),
      plain());
  check_price(best);
  check_equal(best.program);
}

// H4: 8 of 32 rows are 1,024 bytes. An all-to-all sends three quarters; a permute of all of them
// costs more than a second all-to-all.
TEST_CASE("two users that need different states of a value both pay", "[autoshard]") {
  const auto pinned = [](const std::string& state) {
    return "tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, " + state + ">}";
  };
  const std::string columns = pinned(R"([{}, {"a", "b"}])");
  const std::string other = pinned(R"([{"b", "a"}, {}])");
  const FoundSharding best =
      found(on_mesh(R"("a"=2, "b"=2)", "func.func @main(%x: " + pinned(R"([{"a", "b"}, {}])") +
                                           ", %p: " + columns + ", %q: " + other + ") -> (" +
                                           columns + ", " + other + R"() {
  %0 = stablehlo.multiply %x, %p : tensor<32x32xf32>
  %1 = stablehlo.multiply %x, %q : tensor<32x32xf32>
  return %0, %1 : tensor<32x32xf32>, tensor<32x32xf32>
})"),
            plain());
  CHECK(best.after.cost.bytes == 2 * 1024 * 3 / 4);
  check_price(best);
  check_equal(best.program);
}

// Each buffer of 16 rows has 4,096 bytes. The constraint is live to the end.
TEST_CASE("a constraint in the state of its operand needs no memory", "[autoshard]") {
  const ir::Module module = on_mesh("\"a\"=4", R"(
func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.tanh %x : tensor<64x64xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"a"}, {}]> : tensor<64x64xf32>
  %2 = stablehlo.negate %0 : tensor<64x64xf32>
  %3 = stablehlo.multiply %2, %0 : tensor<64x64xf32>
  return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
})");
  const FoundSharding best = found(module, plain());
  check_price(best);
  CHECK(best.after.cost.peak_bytes == 3 * 4096);
  CHECK(best.model.peak_bytes == best.after.cost.peak_bytes);
}

// Only the barrier has operands and results of 64 by 64 elements at one time.
TEST_CASE("the result of a barrier takes the buffer of its operand", "[autoshard]") {
  const ir::Module module = on_mesh("\"a\"=4", R"(
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<64x64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
})");
  const FoundSharding best = found(module, plain());
  check_price(best);
  CHECK(best.model.peak_bytes < 2 * 16 * 64 * 4);
}

// A value of 4,096 bytes per device ends at its tanh, and the tanh ends at its negation.
TEST_CASE("a loop holds a carried value to its last user in an iteration", "[autoshard]") {
  const ir::Module module = on_mesh("\"a\"=4", R"(
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %n = stablehlo.constant dense<5> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<64x64xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.tanh %y : tensor<64x64xf32>
    %2 = stablehlo.negate %1 : tensor<64x64xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<64x64xf32>
  }
  return %0#1 : tensor<64x64xf32>
})");
  const FoundSharding best = found(module, plain());
  check_price(best);
  check_equal(best.program);
  CHECK(best.model.peak_bytes >= 2 * 4096);
  CHECK(best.model.peak_bytes < 2 * 4096 + 64);
  CHECK(std::abs(best.model.peak_bytes - best.after.cost.peak_bytes) < 64);
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

// 64 x 64 x 2 operations per row, on 16 rows.
TEST_CASE("equal ops with equal shardings cost as much as one", "[autoshard]") {
  const FoundSharding merged = found(on_mesh("\"a\"=4", R"(
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.dot %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
})"),
                                     plain());
  const double once = 16.0 * 64 * 64 * 2 / 1e14;
  CHECK(std::abs(merged.after.seconds - once) <= 1e-3 * once);
  check_price(merged);
  check_equal(merged.program);
}

TEST_CASE("a price of the model that the report does not have is a warning", "[autoshard]") {
  // Partitioning merges the products after their operands; the model has both.
  const FoundSharding merged = found(on_mesh("\"a\"=4", R"(
func.func @main(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.tanh %x : tensor<64x64xf32>
  %1 = stablehlo.tanh %x : tensor<64x64xf32>
  %2 = stablehlo.dot %0, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.dot %1, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2, %3 : tensor<64x64xf32>, tensor<64x64xf32>
})"));
  REQUIRE(merged.diagnostics.size() == 1);
  CHECK(merged.diagnostics.front().severity == Severity::Warning);
  CHECK(merged.diagnostics.front().message.find("the bound is a bound of the model") !=
        std::string::npos);
  CHECK(found(on_mesh("\"a\"=4", kMlp), {.memory = 6000}).diagnostics.empty());
}

namespace {

autoshard::ProgramModel model_of(const ir::Module& module) {
  const checking::Context context;
  const auto asked = autoshard::model_options(module, {});
  REQUIRE(asked.has_value());
  auto model = autoshard::ProgramModel::make(module, context.ops.rules, *asked);
  INFO((model ? std::string() : model.error().message));
  REQUIRE(model.has_value());
  return *std::move(model);
}

}  // namespace

// Lists of at most 4 different axes in 5 dims: 1 + 4 * 5 + 12 * 15 + 24 * 35 + 24 * 70.
TEST_CASE("no strategy of an op on four axes is dropped", "[autoshard]") {  // U.6.8
  const auto model = model_of(on_mesh(R"("a"=2, "b"=2, "c"=2, "d"=2)", R"(
func.func @main(%x: tensor<16x16x16x16x16xf32>) -> tensor<16x16x16x16x16xf32> {
  %0 = stablehlo.tanh %x : tensor<16x16x16x16x16xf32>
  return %0 : tensor<16x16x16x16x16xf32>
})"));
  CHECK(model.is_complete());
  for (int32_t node = 0; node < model.network().num_nodes(); ++node) {
    CHECK(model.network().num_choices(node) == 2721);
  }
}

// The batch: 8,320 operations per device. The width would need a reduction of 3.84 ns, so that
// each device does all 33,280 operations instead.
TEST_CASE("recipes shard all ops along one class of dims", "[autoshard]") {  // U.7.5
  const auto model = model_of(on_mesh("\"a\"=4", kMlp));
  const auto recipes = autoshard::recipe_choices(model, model.network(), 2, {.effort = 40});
  REQUIRE(recipes.size() == 2);
  CHECK(autoshard::price_of(model.network(), recipes[0]) == 83'200);
  CHECK(autoshard::price_of(model.network(), recipes[1]) == 332'800);
}

// A device needs all 4,096 bytes of the argument twice, and cannot hold them in between. It keeps
// half of them (1,536 bytes received) and gathers the other half twice (2,048 bytes each). The
// argument has 106 states: lists of at most 3 axes in 3 dims.
TEST_CASE("an argument with many states is gathered twice within a limit", "[autoshard]") {
  const std::string one = R"({sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", "c"}, {}]>})";
  const std::string weight = R"({sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a", "b", "c"}]>})";
  const std::string out = R"({sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b", "c"}]>})";
  std::string text = R"(
func.func @main(%x: tensor<8x4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", "c"}, {}, {}]>},
                %v: tensor<4x32x64xf32> )" +
                     weight + ", %w: tensor<4x32x64xf32> " + weight + ", %u: tensor<512x32xf32> " +
                     one + ")\n -> (tensor<8x64xf32> " + out + ", tensor<8x64xf32> " + out +
                     ", tensor<512x32xf32> " + one + R"() {
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1, 2] x [0, 1] : (tensor<8x4x32xf32>, tensor<4x32x64xf32>) -> tensor<8x64xf32>
  %c0 = stablehlo.tanh %u : tensor<512x32xf32>
)";
  for (int op = 1; op < 40; ++op) {
    text += "  %c" + std::to_string(op) + " = stablehlo.tanh %c" + std::to_string(op - 1) +
            " : tensor<512x32xf32>\n";
  }
  const ir::Module module = on_mesh(R"("a"=2, "b"=2, "c"=2)", text + R"(
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1, 2] x [0, 1] : (tensor<8x4x32xf32>, tensor<4x32x64xf32>) -> tensor<8x64xf32>
  return %0, %1, %c39 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<512x32xf32>
})");
  const FoundSharding once = found(module);
  CHECK(once.after.cost.bytes == 3584);
  const FoundSharding twice = found(module, {.memory = once.after.cost.peak_bytes - 1});
  CHECK(twice.fits);
  CHECK(twice.after.cost.bytes == 5632);
  const bool has_copy = std::ranges::any_of(
      twice.edits, [](const autoshard::AnnotationEdit& edit) { return edit.copy == 2; });
  CHECK(has_copy);
}

}  // namespace autoshard_search_space_test
