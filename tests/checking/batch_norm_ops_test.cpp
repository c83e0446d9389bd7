// Batch norms in float types that can hold neither the epsilon nor the number of elements. The
// per-device program must round both at the places where the op rounds. Spec: partitioning 8.24,
// stablehlo 30, 37.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checking/check_steps.hpp"
#include "checking/programs.hpp"
#include "checking/substituted_runs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/settings.hpp"

using namespace shardy;
using ir::ElementType;
using ir::Type;
using shardy_test::text_of;

namespace batch_norm_ops_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text << (module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

checking::CheckReport checked(const ir::Module& module, const simulation::Tensors& inputs) {
  checking::CheckOptions options;
  options.exact = true;
  options.wide = true;
  const auto report = checking::check(module, inputs, options);
  INFO((report ? std::string() : text_of(report.error())) << text::to_mlir(module));
  REQUIRE(report.has_value());
  INFO(text::to_mlir(report->compiled.program));
  CHECK(report->exact.done);
  CHECK(report->exact.equal());
  CHECK(report->wide.equal());
  CHECK(report->equal());
  return *report;
}

std::string grad_program(const std::string& x, const std::string& v) {
  return R"(
sdy.mesh @m = <["b"=2]>
func.func @main(%x: tensor<)" +
         x + R"(> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, %s: tensor<)" + v +
         R"(>, %u: tensor<)" + v + R"(>, %v: tensor<)" + v + R"(>, %g: tensor<)" + x +
         R"(>) -> (tensor<)" + x + R"(>, tensor<)" + v + R"(>, tensor<)" + v + R"(>) {
  %0, %1, %2 = "stablehlo.batch_norm_grad"(%x, %s, %u, %v, %g) <{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}> : (tensor<)" +
         x + R"(>, tensor<)" + v + R"(>, tensor<)" + v + R"(>, tensor<)" + v + R"(>, tensor<)" + x +
         R"(>) -> (tensor<)" + x + R"(>, tensor<)" + v + R"(>, tensor<)" + v + R"(>)
  return %0, %1, %2 : tensor<)" +
         x + R"(>, tensor<)" + v + R"(>, tensor<)" + v + R"(>
})";
}

std::string training_program(const std::string& x, const std::string& v) {
  return R"(
sdy.mesh @m = <["b"=2]>
func.func @main(%x: tensor<)" +
         x + R"(> {sdy.sharding = #sdy.sharding<@m, [{"b"}, {}]>}, %s: tensor<)" + v +
         R"(>, %o: tensor<)" + v + R"(>) -> (tensor<)" + x + R"(>, tensor<)" + v + R"(>, tensor<)" +
         v + R"(>) {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}> : (tensor<)" +
         x + R"(>, tensor<)" + v + R"(>, tensor<)" + v + R"(>) -> (tensor<)" + x + R"(>, tensor<)" +
         v + R"(>, tensor<)" + v + R"(>)
  return %0, %1, %2 : tensor<)" +
         x + R"(>, tensor<)" + v + R"(>, tensor<)" + v + R"(>
})";
}

TEST_CASE("batch norm with an epsilon that the element type cannot represent", "[batch_norm]") {
  const std::string element = GENERATE("bf16", "f16", "f8E5M2", "f8E4M3FN", "f32");
  CAPTURE(element);
  const ir::Module grad = parsed(grad_program("2x2x" + element, "2x" + element));
  checked(grad, shardy_test::small_integers(grad, 1));
  const ir::Module training = parsed(training_program("2x2x" + element, "2x" + element));
  checked(training, shardy_test::small_integers(training, 1));
}

TEST_CASE("batch norm with an element count that the element type cannot represent",
          "[batch_norm]") {
  struct Row {
    const char* size;
    const char* element;
    bool is_converted;
  };
  const Row row = GENERATE(Row{"257", "bf16", true}, Row{"256", "bf16", false},
                           Row{"2049", "f16", true}, Row{"2048", "f16", false},
                           Row{"17", "f8E4M3FN", true}, Row{"15", "f8E4M3B11FNUZ", false},
                           Row{"30", "f8E4M3B11FNUZ", true}, Row{"257", "f32", false});
  CAPTURE(row.size, row.element);
  const std::string element = row.element;
  const std::string x = std::string(row.size) + "x2x" + element;
  for (const std::string& text :
       {grad_program(x, "2x" + element), training_program(x, "2x" + element)}) {
    const ir::Module module = parsed(text);
    const auto report = checked(module, checking::random_inputs(module, 1).value());
    const std::string program = text::to_mlir(report.compiled.program);
    CHECK((program.find("stablehlo.convert") != std::string::npos) == row.is_converted);
  }
}

TEST_CASE("a finite and an infinite element are equal only if rounding may overflow",
          "[batch_norm]") {
  const Type type = Type::tensor({2}, ElementType::F32);
  const auto finite = simulation::Tensor::from_doubles(type, std::vector<double>{1, 2});
  const auto infinite = simulation::Tensor::from_doubles(type, std::vector<double>{1, HUGE_VAL});
  checking::Tolerance tolerance{.relative = 0.5};
  CHECK(checking::compare(*finite, *infinite, tolerance).mismatches == 1);
  tolerance.overflow = true;
  CHECK(checking::compare(*finite, *infinite, tolerance).mismatches == 0);
  CHECK(checking::compare(*infinite, *finite, tolerance).mismatches == 0);
}

std::string sum_program(const std::string& element) {
  return R"(
sdy.mesh @m = <["x"=2]>
func.func @main(%x: tensor<6x)" +
         element + R"(> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}, %far: tensor<2x)" + element +
         R"(>) -> (tensor<)" + element + R"(>, tensor<2x)" + element + R"(>) {
  %zero = stablehlo.constant dense<0.0> : tensor<)" +
         element + R"(>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x)" +
         element + R"(>, tensor<)" + element + R"(>) -> tensor<)" + element + R"(>
  %1 = stablehlo.add %far, %far : tensor<2x)" +
         element + R"(>
  return %0, %1 : tensor<)" +
         element + R"(>, tensor<2x)" + element + R"(>
})";
}

struct SumCheck {
  checking::CheckReport report;
  std::string text;  // text of the comparison

  bool equal() const { return report.equal(); }
};

/// Compares the sharded and the unsharded sum of `numbers`. The per-device program is changed
/// before it runs.
SumCheck check_sum(const std::string& element, const std::vector<double>& numbers, double far,
                   const std::function<void(ir::Module&)>& change) {
  const ir::Module module = parsed(sum_program(element));
  const Type type = module.type(module.args(module.entry(*module.main_function()))[0]);
  const Type pair = Type::tensor({2}, type.element());
  const simulation::Tensors inputs = {
      *simulation::Tensor::from_doubles(type, numbers),
      *simulation::Tensor::from_doubles(pair, std::vector<double>{far, 1})};
  checking::CheckOptions options;
  options.wide = true;
  const checking::Context context;
  const auto reference = checking::run_unsharded(module, inputs, options, context);
  auto report = checking::run_sharded(module, inputs, options, context);
  REQUIRE(report.has_value());
  change(report->compiled.program);
  const auto again =
      simulation::run_global(report->compiled.program, "main", inputs, options.run, context.runs);
  REQUIRE(again.has_value());
  report->sharded = *again;
  checking::compare_with(*reference, module, options, context, *report);
  const checking::NumberRuns wide(module, inputs, checking::NumberDomain::Wide, options, context);
  checking::compare_wide(wide, *reference, options, *report);
  return {*report, checking::comparison_text(*report)};
}

void keep(ir::Module&) {}

/// Makes each device begin its sum at 1.
void begin_at_one(ir::Module& program) {
  for (const ir::OpId op : ir::pre_order(program)) {
    if (!program.is(op, ir::OpKind::Constant)) continue;
    const Type& type = program.type(program.result(op));
    if (!ir::is_float(type.element())) continue;
    program.attributes(op).set(ir::attr::kValue, ir::int_splat_literal(type, 1));
    return;
  }
  FAIL("no constant");
}

/// Rounds the first result to f8E5M2, which a run in f64 does not show.
void round_result(ir::Module& program) {
  const ir::OpId end = program.last_op(program.entry(*program.main_function()));
  std::vector<ir::ValueId> returned = program.operands(end);
  const Type type = program.type(returned[0]);
  for (const ElementType element : {ElementType::F8E5M2, type.element()}) {
    const ir::OpId convert = program.create({.kind = ir::OpKind::Convert,
                                             .operands = {returned[0]},
                                             .result_types = {Type::tensor({}, element)}});
    program.insert_before(end, convert);
    returned[0] = program.result(convert);
  }
  program.set_operands(end, returned);
}

// -3 - 3 - 2 + 1 + 8 - 1 is 0 step by step. Its halves are -8 and 8 - 1 + 1. f8E5M2 rounds the
// second half to 7, so their sum is -1. The terms of an unsharded sum that rounds to 0 cancel
// without an error.
TEST_CASE("sums whose terms cancel are rounded by the magnitude of the terms",
          "[batch_norm][tolerance]") {
  const std::vector<double> numbers = {-3, -3, -2, 1, 8, -1};
  const SumCheck right = check_sum("f8E5M2", numbers, 2, keep);
  INFO(right.text);
  CHECK(right.equal());
  CHECK(right.report.results[0].difference.largest == 1);
  CHECK(right.report.results[0].tolerance.least == 0.25 * (8 + 6) * 8);
  // A wrong sum has an equal difference, but in f64 as well.
  CHECK_FALSE(check_sum("f8E5M2", numbers, 2, begin_at_one).equal());
  // The terms of wider floats have more digits: what rounds more is wrong.
  CHECK(check_sum("f32", numbers, 2, keep).report.results[0].difference.largest == 0);
  const std::vector<double> remain = {-3, -3, -2, 1, 8, -0.1};
  for (const char* element : {"f32", "bf16", "f16"}) {
    CAPTURE(element);
    CHECK(check_sum(element, remain, 2, keep).equal());
    if (std::string(element) != "bf16") {
      CHECK_FALSE(check_sum(element, {-3, -3, -2, 1, 8, 8.1}, 2, round_result).equal());
    }
  }
}

// The greatest number of f8E4M3FNUZ is 240.
TEST_CASE("only results of values near the largest finite value may overflow",
          "[batch_norm][tolerance]") {
  const std::vector<double> numbers = {100, -100, 1, 1, 1, 1};
  CHECK(check_sum("f8E4M3FNUZ", numbers, 2, keep).equal());
  CHECK_FALSE(check_sum("f8E4M3FNUZ", numbers, 2, begin_at_one).equal());
  const auto near_end = [&](const std::vector<double>& sums, double other) {
    const ir::Module module = parsed(sum_program("f8E4M3FNUZ"));
    const Type type = module.type(module.args(module.entry(*module.main_function()))[0]);
    const Type pair = Type::tensor({2}, type.element());
    const simulation::Tensors inputs = {
        *simulation::Tensor::from_doubles(type, sums),
        *simulation::Tensor::from_doubles(pair, std::vector<double>{other, 1})};
    checking::CheckOptions options;
    const checking::NumberRuns wide(module, inputs, checking::NumberDomain::Wide, options, {});
    const auto compiled = checking::compile(module);
    std::vector<bool> near;
    for (const checking::FloatTerms& each : wide.terms(compiled->program, options)) {
      near.push_back(each.near_end);
    }
    return near;
  };
  CHECK(near_end({1, 1, 1, 1, 1, 2}, 112) == std::vector<bool>{false, true});
  CHECK(near_end({100, 100, 1, 1, 1, 2}, 2) == std::vector<bool>{true, false});
  CHECK(near_end({1, 1, 1, 1, 1, 2}, 2) == std::vector<bool>{false, false});
}

/// The kernels and the lowering rely on this property.
TEST_CASE("converting an integer rounds like a constant of its value", "[batch_norm]") {
  constexpr auto kElements = std::to_array<ElementType>(
      {ElementType::F32, ElementType::BF16, ElementType::F16, ElementType::F8E5M2,
       ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ, ElementType::F8E4M3B11FNUZ,
       ElementType::F8E3M4});
  for (const ElementType element : kElements) {
    ir::Module module;
    const std::vector<Type> args = {Type::tensor({}, ElementType::I64)};
    const ir::OpId main = module.add_function("main", args, {});
    const ir::OpId op = module.create({.kind = ir::OpKind::Convert,
                                       .operands = {module.args(module.entry(main))[0]},
                                       .result_types = {Type::tensor({}, element)}});
    module.append(module.entry(main), op);
    for (int64_t count = 1; count < 200000; count += 1 + count / 97) {
      const auto number = simulation::Tensor::from_integers(args[0], std::vector<int64_t>{count});
      const auto converted = simulation::evaluate(module, op, std::vector{*number});
      REQUIRE(converted.has_value());
      const ir::Literal literal = ir::int_splat_literal(Type::tensor({}, element), count);
      CAPTURE(count, to_string(element));
      REQUIRE(std::ranges::equal((*converted)[0].bytes(), literal.element_bytes(0)));
    }
  }
}

TEST_CASE("random batch norms in narrow floats give the same results sharded",
          "[batch_norm][random]") {
  const uint64_t first = shardy_test::setting("SHARDY_BATCH_NORM_FIRST", 0);
  const uint64_t count = shardy_test::setting("SHARDY_BATCH_NORM_CASES", 150);
  int64_t num_norms = 0;
  int64_t num_sharded = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    CAPTURE(seed);
    const checking::RandomProgram random = checking::random_program(
        seed, {.min_ops = 1, .max_ops = 6, .transcendental = false, .batch_norms = true});
    const std::string text = text::to_mlir(random.module);
    const bool has_norm = text.find("batch_norm") != std::string::npos;
    if (!has_norm) continue;
    ++num_norms;
    num_sharded += checked(random.module, random.inputs).num_sharded_values;
  }
  CHECK(num_norms > static_cast<int64_t>(count / 4));
  CHECK(num_sharded > num_norms);
}

}  // namespace

}  // namespace batch_norm_ops_test
