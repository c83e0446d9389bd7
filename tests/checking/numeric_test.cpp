// Results in the program's own floats. The comparison allows for the rounding that both runs show.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "checking/check_steps.hpp"
#include "checking/programs.hpp"
#include "checking/substituted_runs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::CheckReport;
using checking::NumberDomain;
using checking::NumberRuns;
using ir::Module;
using simulation::Tensors;

namespace numeric_test {
namespace {

std::string with_element(std::string text, const std::string& element) {
  for (std::size_t at = text.find("ELEM"); at != std::string::npos; at = text.find("ELEM", at)) {
    text.replace(at, 4, element);
  }
  return text;
}

Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  return *std::move(module);
}

/// A long sum of narrow floats. The bound that follows from its length is larger than the result.
constexpr const char* kDot = R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<6x600xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<600x5xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<6x5xELEM> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x600xELEM>, tensor<600x5xELEM>) -> tensor<6x5xELEM>
  return %0 : tensor<6x5xELEM>
}
)";

/// A product whose rounding error after many steps is small compared with its bound.
constexpr const char* kProducts = R"(
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%x: tensor<5x64xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %w: tensor<64x64xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<5x64xELEM> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x64xELEM>, tensor<64x64xELEM>) -> tensor<5x64xELEM>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<5x64xELEM>, tensor<64x64xELEM>) -> tensor<5x64xELEM>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<5x64xELEM>, tensor<64x64xELEM>) -> tensor<5x64xELEM>
  return %2 : tensor<5x64xELEM>
}
)";

/// Compares a partitioned program, which `change` may change, with its unsharded run.
CheckReport judged(const Module& module, const std::function<void(Module&)>& change) {
  const Tensors inputs = *checking::random_inputs(module, 4);
  checking::CheckOptions options;
  options.wide = true;
  const checking::Context context;
  auto report = checking::run_sharded(module, inputs, options, context);
  REQUIRE(report.has_value());
  change(report->compiled.program);
  const std::string main(module.symbol_name(*module.main_function()));
  auto sharded = simulation::run_global(report->compiled.program, main, inputs, {}, {});
  REQUIRE(sharded.has_value());
  report->sharded = *std::move(sharded);
  const auto reference = checking::run_unsharded(module, inputs, options, context);
  REQUIRE(reference.has_value());
  checking::compare_with(*reference, module, options, context, *report);
  const NumberRuns wide(module, inputs, NumberDomain::Wide, options, context);
  checking::compare_wide(wide, *reference, options, *report);
  return *std::move(report);
}

/// Multiplies the result by `factor`.
void scale(Module& program, double factor) {
  const ir::OpId main = *program.main_function();
  const ir::OpId end = program.last_op(program.entry(main));
  const ir::ValueId result = program.operand(end, 0);
  const ir::Type type = program.type(result);
  ir::OpSpec constant{.kind = ir::OpKind::Constant, .result_types = {type}};
  constant.attributes.set(ir::attr::kValue, ir::splat_literal(type, factor));
  const ir::OpId by = program.create(std::move(constant));
  program.insert_before(end, by);
  const ir::OpId product = program.create({.kind = ir::OpKind::Multiply,
                                           .operands = {result, program.result(by)},
                                           .result_types = {type}});
  program.insert_before(end, product);
  program.set_operand(end, 0, program.result(product));
}

}  // namespace

TEST_CASE("a doubled or missing sum is a mismatch in narrow floats", "[numeric]") {
  const char* element = GENERATE("bf16", "f16", "f32", "f8E4M3FN", "f8E5M2");
  CAPTURE(element);
  const Module module = parsed(with_element(kDot, element));
  const CheckReport good = judged(module, [](Module&) {});
  REQUIRE(good.results.size() == 1);
  CHECK(good.results[0].equal());
  for (const double factor : {2.0, 0.0}) {
    CAPTURE(factor);
    const CheckReport bad = judged(module, [&](Module& program) { scale(program, factor); });
    CHECK_FALSE(bad.results[0].equal());
    CHECK_FALSE(bad.wide.equal());
  }
}

TEST_CASE("a result scaled by 0.8 or 1.25 is a mismatch in floats of two and four bytes",
          "[numeric]") {
  const char* element = GENERATE("bf16", "f16", "f32");
  CAPTURE(element);
  const Module module = parsed(with_element(kDot, element));
  for (const double factor : {0.8, 1.25}) {
    CAPTURE(factor);
    const CheckReport bad = judged(module, [&](Module& program) { scale(program, factor); });
    CHECK_FALSE(bad.results[0].equal());
  }
}

TEST_CASE("zeros are a mismatch for the result of a chain of products", "[numeric]") {
  const char* element = GENERATE("bf16", "f16", "f32", "f8E4M3FN");
  CAPTURE(element);
  const Module module = parsed(with_element(kProducts, element));
  CHECK(judged(module, [](Module&) {}).results[0].equal());
  const CheckReport zeros = judged(module, [](Module& program) { scale(program, 0.0); });
  CHECK_FALSE(zeros.results[0].equal());
}

TEST_CASE("the tolerance is a small multiple of the observed errors", "[numeric]") {
  const Module module = parsed(with_element(kDot, "bf16"));
  checking::CheckOptions options;
  options.wide = true;
  const auto report = checking::check(module, *checking::random_inputs(module, 4), options);
  REQUIRE(report.has_value());
  const checking::ResultCheck& result = report->results[0];
  const double magnitude = result.difference.magnitude;
  const checking::Accuracy& accuracy = report->wide.accuracy[0];
  const double seen = (accuracy.sharded + accuracy.unsharded) * magnitude;
  CHECK(result.tolerance.relative > 1);  // the length of the sum would allow anything
  CHECK(result.tolerance.allowed(magnitude) <= 2.5 * seen);
  CHECK(result.tolerance.allowed(magnitude) < 0.05 * magnitude);
  const std::string text = checking::comparison_text(*report);
  INFO(text);
  CHECK(text.find("result 0: error ") != std::string::npos);
  CHECK(text.find("the bound is loose") == std::string::npos);

  options.wide = false;
  const auto alone = checking::check(module, *checking::random_inputs(module, 4), options);
  REQUIRE(alone.has_value());
  CHECK(checking::comparison_text(*alone).find("result 0: the bound is loose: ") !=
        std::string::npos);
}

// Seed 134398 of `shardy soak`: the gradient of a softmax is a difference of nearly equal numbers.
TEST_CASE("cancelling terms take the tolerance from the error of the unsharded run", "[numeric]") {
  const char* element = GENERATE("f32", "bf16");
  const Module module = parsed(with_element(R"(
sdy.mesh @mesh = <["x"=8]>
func.func @main(%x: tensor<3x64xELEM> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<3xELEM> {
  %z = stablehlo.constant dense<0.0> : tensor<ELEM>
  %big = stablehlo.constant dense<1000.0> : tensor<3x64xELEM>
  %all = stablehlo.constant dense<64000.0> : tensor<3xELEM>
  %three = stablehlo.constant dense<3.0> : tensor<3x64xELEM>
  %third = stablehlo.divide %x, %three : tensor<3x64xELEM>
  %0 = stablehlo.add %third, %big : tensor<3x64xELEM>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<3x64xELEM>, tensor<ELEM>) -> tensor<3xELEM>
  %2 = stablehlo.subtract %1, %all : tensor<3xELEM>
  return %2 : tensor<3xELEM>
}
)",
                                            element));
  const CheckReport good = judged(module, [](Module&) {});
  const checking::ResultCheck& result = good.results[0];
  CHECK(good.wide.equal());
  const checking::ResultCheck& wide = good.wide.results[0];
  CHECK(wide.difference.largest > wide.tolerance.relative * wide.difference.magnitude);
  CHECK(result.difference.largest > result.tolerance.relative * result.difference.magnitude);
  CHECK(result.equal());
  CHECK_FALSE(judged(module, [](Module& program) { scale(program, 2.0); }).wide.equal());
}

TEST_CASE("a check uses the requested tolerance", "[numeric]") {
  const Module module = parsed(with_element(kDot, "bf16"));
  checking::CheckOptions options;
  options.wide = true;
  options.tolerance = 0.25;
  const auto report = checking::check(module, *checking::random_inputs(module, 4), options);
  REQUIRE(report.has_value());
  const checking::ResultCheck& result = report->results[0];
  CHECK(result.tolerance.allowed(result.difference.magnitude) ==
        0.25 * result.difference.magnitude);
}

TEST_CASE("sharded programs in narrow floats pass a sweep of shardings", "[numeric]") {
  for (const char* element : {"bf16", "f8E4M3FN"}) {
    CAPTURE(element);
    const Module module = parsed(with_element(kProducts, element));
    checking::CaseSweepOptions options{.cases = 40};
    options.check.wide = true;
    const auto report = checking::sweep(module, *checking::random_inputs(module, 1), options);
    REQUIRE(report.has_value());
    INFO((report->failure ? report->failure->difference : ""));
    CHECK(report->passed());
    CHECK(report->wide.cases == 40);
  }
}

}  // namespace numeric_test
