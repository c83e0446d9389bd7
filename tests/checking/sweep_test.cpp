// Checks of a program under many shardings. Planted faults must be found and reduced.
#include "shardy/checking/sweep.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::SweepReport;
using ir::OpKind;
using shardy_test::text_of;
using simulation::Tensors;

namespace sweep_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  return *std::move(module);
}

constexpr const char* kProgram = R"(
sdy.mesh @old = <["q"=2]>
func.func @main(%x: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@old, [{"q"}, {}]>}, %w: tensor<5x8xf32>, %n: tensor<6x8xi32>)
    -> (tensor<6x8xf32>, tensor<8xi32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x5xf32>, tensor<5x8xf32>) -> tensor<6x8xf32>
  %1 = sdy.sharding_constraint %0 <@old, [{}, {"q"}]> : tensor<6x8xf32>
  %2 = stablehlo.tanh %1 : tensor<6x8xf32>
  %3 = stablehlo.add %2, %0 : tensor<6x8xf32>
  %4 = stablehlo.multiply %n, %n : tensor<6x8xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x8xi32>, tensor<i32>) -> tensor<8xi32>
  return %3, %5 : tensor<6x8xf32>, tensor<8xi32>
}
)";

Tensors inputs_of(const ir::Module& module) { return checking::random_inputs(module, 7).value(); }

SweepReport swept(const ir::Module& module, const checking::CaseSweepOptions& options,
                  const checking::Context& context = {}) {
  auto report = checking::sweep(module, inputs_of(module), options, context);
  INFO((report ? std::string() : report.error().message));
  REQUIRE(report.has_value());
  return *std::move(report);
}

int64_t count(const ir::Module& module, OpKind kind) {
  return std::ranges::count_if(ir::pre_order(module),
                               [&](ir::OpId op) { return module.is(op, kind); });
}

}  // namespace

TEST_CASE("a sweep finds a correct program equal under all tried shardings", "[sweep]") {
  const SweepReport report = swept(parsed(kProgram), {.cases = 200, .seed = 3});
  CHECK(report.passed());
  CHECK_FALSE(report.stopped);
  CHECK(report.cases == 200);
  CHECK(report.num_sharded_values > report.num_values / 4);
  CHECK(report.collectives.contains(OpKind::SpmdAllReduce));
  CHECK(report.collectives.contains(OpKind::SpmdAllGather));
  CHECK(report.largest_difference < 1e-5);
}

TEST_CASE("the shardings of a seed are valid, reproducible and of every kind", "[sweep]") {
  const ir::Module program = parsed(kProgram);
  std::string all;
  int64_t manual = 0;
  int64_t groups = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const ir::Module sharded = checking::shard_at_random(program, seed);
    CHECK(text_of(ir::verify(sharded)) == "");
    const std::string text = text::to_mlir(sharded);
    CHECK(text == text::to_mlir(checking::shard_at_random(program, seed)));
    CHECK(text.find("@old") == std::string::npos);
    manual += count(sharded, OpKind::SdyManualComputation);
    groups += count(sharded, OpKind::SdyShardingGroup);
    all += text;
  }
  CHECK(manual > 20);
  CHECK(groups > 20);
  for (const char* part : {"unreduced={", "replicated={", "device_ids=", "}p2", "?}", ":(2)",
                           "@other", "sdy.sharding_constraint"}) {
    CAPTURE(part);
    CHECK(all.find(part) != std::string::npos);
  }
}

TEST_CASE("a sweep keeps the mesh of the program", "[sweep]") {
  const ir::Module program = parsed(R"(
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<6x6xf32>) -> tensor<6x6xf32> {
  %0 = stablehlo.negate %arg0 : tensor<6x6xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<3x6xf32>) {
    %2 = stablehlo.add %arg1, %arg1 : tensor<3x6xf32>
    sdy.return %2 : tensor<3x6xf32>
  } : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %3 = stablehlo.abs %1 : tensor<6x6xf32>
  return %3 : tensor<6x6xf32>
}
)");
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const ir::Module sharded = checking::shard_at_random(program, seed);
    CHECK(sharded.find_mesh("mesh") == program.find_mesh("mesh"));
    for (const ir::OpId mesh : sharded.meshes()) {  // the other meshes are empty or unused
      const std::string name(sharded.symbol_name(mesh));
      if (name == "mesh" || sharded.find_mesh(name)->empty()) continue;
      CHECK(text::to_mlir(sharded).find("<@" + name + ",") == std::string::npos);
    }
    CHECK(count(sharded, OpKind::SdyManualComputation) >= 1);
  }
  CHECK(swept(program, {.cases = 50}).passed());
}

TEST_CASE("a sweep that keeps the mesh does not join existing sharding groups", "[sweep]") {
  const ir::Module program = parsed(R"(
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%a: tensor<6x6xf32>, %b: tensor<6x6xf32>, %c: tensor<4x4xf32>) -> (tensor<6x6xf32>, tensor<4x4xf32>) {
  sdy.sharding_group %a group_id=0 : tensor<6x6xf32>
  sdy.sharding_group %b group_id=0 : tensor<6x6xf32>
  %1 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<3x6xf32>) {
    %4 = stablehlo.add %arg1, %arg1 : tensor<3x6xf32>
    sdy.return %4 : tensor<3x6xf32>
  } : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %2 = stablehlo.abs %c : tensor<4x4xf32>
  %3 = stablehlo.negate %2 : tensor<4x4xf32>
  return %1, %3 : tensor<6x6xf32>, tensor<4x4xf32>
}
)");
  const SweepReport report = swept(program, {.cases = 60});
  INFO((report.failure && !report.failure->errors.empty() ? report.failure->errors.front().message
                                                          : std::string()));
  CHECK(report.passed());
}

TEST_CASE("a sweep adds no value with unreduced axes to a sharding group", "[sweep]") {
  const ir::Module program = parsed(R"(
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%a: tensor<6x6xi32>) -> (tensor<6x6xi32>, tensor<6x6xi32>) {
  %0 = stablehlo.abs %a : tensor<6x6xi32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<3x6xi32>) {
    %5 = stablehlo.negate %b : tensor<3x6xi32>
    sdy.return %5 : tensor<3x6xi32>
  } : (tensor<6x6xi32>) -> tensor<6x6xi32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{?}, {?}]> : tensor<6x6xi32>
  %3 = sdy.sharding_constraint %2 <@mesh, [{"x", ?}, {?}], unreduced={"y"}> : tensor<6x6xi32>
  return %1, %2 : tensor<6x6xi32>, tensor<6x6xi32>
}
)");
  const SweepReport report = swept(program, {.cases = 100});
  INFO((report.failure && !report.failure->errors.empty() ? report.failure->errors.front().message
                                                          : std::string()));
  CHECK(report.passed());
}

TEST_CASE("the caller can end a sweep of shardings", "[sweep]") {
  const SweepReport report =
      swept(parsed(kProgram),
            {.cases = 50, .progress = [](const SweepReport& so_far) { return so_far.cases < 5; }});
  CHECK(report.cases == 5);
  CHECK(report.stopped);
  CHECK(report.passed());
}

TEST_CASE("a program that fails unsharded ends the sweep with an error", "[sweep]") {
  const ir::Module program = parsed(R"(
func.func @main() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%0, %1) : (tensor<2xi32>, tensor<2xi32>) -> ()
  return
})");
  const auto report = checking::sweep(program, {});
  REQUIRE_FALSE(report.has_value());
  CHECK(report.error().message.find("fails unsharded: ") == 0);
}

TEST_CASE("a program with process collectives ends the sweep with an error", "[sweep]") {
  const ir::Module program = parsed(R"(
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0:2 = "interpreter.run_parallel"(%a, %a) <{programs = [[@f, @f]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  return %0#0 : tensor<2xi32>
}
func.func private @f(%a: tensor<2xi32>) -> tensor<2xi32> {
  return %a : tensor<2xi32>
}
)");
  const auto report = checking::sweep(program, inputs_of(program));
  REQUIRE_FALSE(report.has_value());
  CHECK(report.error().message == "the program is already a per-device program");
}

// ---- Planted faults
// ------------------------------------------------------------------------------

namespace {

/// Adds to each element the number of its row.
Result<Tensors> number_rows(const simulation::ForeignCall& call) {
  std::vector<double> values = call.operands[0].to_doubles();
  const auto columns = static_cast<std::size_t>(call.operands[0].type().dim(1));
  for (std::size_t at = 0; at < values.size(); ++at)
    values[at] += static_cast<double>(at / columns);
  SHARDY_TRY(simulation::Tensor result,
             simulation::Tensor::from_doubles(call.operands[0].type(), values));
  return Tensors{std::move(result)};
}

/// An op whose rule wrongly claims that the rows do not depend on their index.
checking::Context with_lying_rule() {
  checking::Context context;
  checking::ForeignOp op{.name = "test.number_rows", .kernel = &number_rows};
  op.rule = rules::einsum_maker("i j -> i j").value();
  REQUIRE(context.add_op(std::move(op)).has_value());
  return context;
}

constexpr const char* kFaulty = R"(
func.func @main(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<6x4xf32>) {
  %0 = stablehlo.tanh %x : tensor<6x4xf32>
  %1 = stablehlo.multiply %0, %y : tensor<6x4xf32>
  %2 = "test.number_rows"(%1) : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %3 = stablehlo.add %2, %x : tensor<6x4xf32>
  %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %5 = stablehlo.negate %y : tensor<6x4xf32>
  return %4, %5 : tensor<4x6xf32>, tensor<6x4xf32>
}
)";

}  // namespace

TEST_CASE("a sweep finds an incorrect rule and reduces the program to the op", "[sweep]") {
  const ir::Module program = parsed(kFaulty);
  const checking::Context context = with_lying_rule();
  const SweepReport whole = swept(program, {.cases = 50}, context);
  REQUIRE(whole.failure.has_value());
  CHECK(whole.failure->errors.empty());
  CHECK(whole.failure->difference.find("result 0: DIFFERENT") != std::string::npos);
  CHECK(text::to_mlir(whole.failure->program) ==
        text::to_mlir(checking::shard_at_random(program, whole.failure->seed)));

  const SweepReport reduced = swept(program, {.cases = 50, .reduce = true}, context);
  REQUIRE(reduced.failure.has_value());
  CHECK(reduced.failure->seed == whole.failure->seed);
  const ir::Module& small = reduced.failure->program;
  INFO(text::to_mlir(small));
  const ir::OpId main = small.main_function().value();
  CHECK(std::ranges::distance(small.ops(small.entry(main))) <= 3);  // including the return op
  CHECK(small.meshes().size() == 1);
  const auto again = checking::check(small, inputs_of(small), {}, context);
  REQUIRE(again.has_value());
  CHECK_FALSE(again->equal());
}

namespace {

/// Gives wrong results along the rows, for one input only.
Result<Tensors> number_rows_of_seven(const simulation::ForeignCall& call) {
  const std::vector<double> values = call.operands[0].to_doubles();
  const bool is_it = std::ranges::find(values, 7.0) != values.end();
  return is_it ? number_rows(call) : Result<Tensors>(Tensors{call.operands[0]});
}

}  // namespace

TEST_CASE("a failure that depends on the inputs is reported with its inputs", "[sweep]") {
  checking::Context context;
  checking::ForeignOp op{.name = "test.number_rows", .kernel = &number_rows_of_seven};
  op.rule = rules::einsum_maker("i j -> i j").value();
  REQUIRE(context.add_op(std::move(op)).has_value());
  const ir::Module program = parsed(R"(
func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.abs %x : tensor<4x2xf32>
  %1 = "test.number_rows"(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}
)");
  const std::vector<double> sevens(8, 7.0);
  const ir::Type type = program.arg_types(*program.main_function()).front();
  const Tensors inputs{simulation::Tensor::from_doubles(type, sevens).value()};
  const auto report = checking::sweep(program, inputs, {.cases = 50, .reduce = true}, context);
  REQUIRE(report.has_value());
  REQUIRE(report->failure.has_value());
  const ir::Module& small = report->failure->program;
  INFO(text::to_mlir(small));
  CHECK(count(small, OpKind::Constant) == 1);
  CHECK(count(small, OpKind::Abs) == 0);
  const auto again = checking::check(small, inputs_of(small), {}, context);
  REQUIRE(again.has_value());
  CHECK_FALSE(again->equal());
}

TEST_CASE("a program that cannot be partitioned is a failure with its error", "[sweep]") {
  checking::Context context;
  checking::ForeignOp op{.name = "test.number_rows", .kernel = &number_rows};
  REQUIRE(context.add_op(std::move(op)).has_value());
  const SweepReport report = swept(parsed(kFaulty), {.cases = 5, .reduce = true}, context);
  REQUIRE(report.failure.has_value());
  REQUIRE_FALSE(report.failure->errors.empty());
  CHECK(report.failure->errors.front().message.find("test.number_rows") != std::string::npos);
  CHECK(report.failure->difference.empty());
}

namespace {

/// A choice by a float. The sum of the inputs below is 2 in f64 and in f32 if they are added in
/// order, but 0 if the halves are added up first.
constexpr const char* kEdge = R"(
func.func @main(%x: tensor<6xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %many = stablehlo.constant dense<1000.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
  %less = stablehlo.compare LT, %sum, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %chosen = stablehlo.select %less, %many, %zero : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %chosen : tensor<f32>
}
)";

Tensors edge_inputs(const ir::Module& module) {
  constexpr double kLarge = 16777216;  // 2^24: the next f32 is 2 more
  const ir::Type type = module.type(module.args(module.entry(*module.main_function())).front());
  return {simulation::Tensor::from_doubles(type, std::vector<double>{0, 0, -kLarge, kLarge, 1, 1})
              .value()};
}

}  // namespace

TEST_CASE("a result that depends on rounding is reported and is not a failure", "[sweep]") {
  const ir::Module module = parsed(kEdge);
  checking::CaseSweepOptions options{.cases = 40};
  options.check.exact = true;
  options.check.wide = true;
  const auto report = checking::sweep(module, edge_inputs(module), options);
  REQUIRE(report.has_value());
  CHECK(report->passed());
  CHECK(report->cases == 40);
  CHECK(report->num_rounding_choices > 0);
  CHECK(swept(module, options).num_rounding_choices == 0);
  // A choice by rounding is recognized only if both other runs are made.
  options.check.wide = false;
  const auto narrow = checking::sweep(module, edge_inputs(module), options);
  REQUIRE(narrow.has_value());
  CHECK_FALSE(narrow->passed());
  CHECK(narrow->num_rounding_choices == 0);
}

TEST_CASE("a result that depends on rounding for all inputs is a failure", "[sweep]") {
  const ir::Module module = parsed(R"(
func.func @main(%x: tensor<6xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %many = stablehlo.constant dense<1000.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<6xf32>
  %edge = stablehlo.constant dense<[0.0, 0.0, -16777216.0, 16777216.0, 1.0, 1.0]> : tensor<6xf32>
  %nothing = stablehlo.multiply %x, %zeros : tensor<6xf32>
  %same = stablehlo.add %nothing, %edge : tensor<6xf32>
  %sum = stablehlo.reduce(%same init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
  %less = stablehlo.compare LT, %sum, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %chosen = stablehlo.select %less, %many, %zero : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %chosen : tensor<f32>
}
)");
  checking::CaseSweepOptions options{.cases = 40};
  options.check.exact = true;
  options.check.wide = true;
  const SweepReport report = swept(module, options);
  REQUIRE_FALSE(report.passed());
  CHECK(report.failure->errors.empty());
  CHECK(report.exact.cases == report.cases);
  CHECK(report.wide.cases == report.cases);
  CHECK(report.num_rounding_choices == 0);
}

TEST_CASE("a difference beyond the given tolerance is a failure", "[sweep]") {
  const ir::Module module = parsed(kEdge);
  checking::CaseSweepOptions options{.cases = 40};
  options.check.exact = true;
  options.check.wide = true;
  options.check.tolerance = 1e-3;
  const auto report = checking::sweep(module, edge_inputs(module), options);
  REQUIRE(report.has_value());
  CHECK_FALSE(report->passed());
  CHECK(report->num_rounding_choices == 0);
}

}  // namespace sweep_test
