// Runs over a prime field: what they compute, and that they show faults.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "checking/check_steps.hpp"
#include "checking/programs.hpp"
#include "checking/substituted_runs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::NumberDomain;
using checking::NumberRuns;
using checking::RunsAhead;
using ir::ElementType;
using ir::OpKind;
using ir::Type;
using simulation::Tensor;
using simulation::Tensors;

namespace exact_test {
namespace {

__extension__ using Int128 = __int128;
constexpr int64_t kModulus = 2305843009213693951;  // 2^61 - 1

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  return *std::move(module);
}

ir::Module exact(const std::string& text) {
  auto module = checking::with_numbers(parsed(text), NumberDomain::Exact);
  if (!module) FAIL(module.error().message);
  return *std::move(module);
}

Tensor elements(std::vector<int64_t> dims, std::vector<uint64_t> values,
                ElementType element = ElementType::Exact) {
  return *Tensor::make(Type::tensor(std::move(dims), element), std::as_bytes(std::span(values)));
}

std::vector<uint64_t> values_of(const Tensor& tensor) {
  const auto all = tensor.bytes();
  std::vector<uint64_t> values(all.size() / sizeof(uint64_t));
  std::ranges::copy(all, std::as_writable_bytes(std::span(values)).begin());
  return values;
}

Tensors run(const ir::Module& module, const Tensors& inputs) {
  const auto result = simulation::run_global(module, "main", inputs);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return result->outputs;
}

uint64_t remainder_of(Int128 x) {
  const Int128 rest = x % kModulus;
  return static_cast<uint64_t>(rest < 0 ? rest + kModulus : rest);
}

checking::CheckReport checked(const std::string& text, checking::CheckOptions options = {}) {
  options.exact = true;
  options.wide = true;
  const ir::Module module = parsed(text);
  auto report = checking::check(module, *checking::random_inputs(module, 3), options);
  INFO((report ? std::string() : shardy_test::text_of(report.error())));
  REQUIRE(report.has_value());
  return *std::move(report);
}

}  // namespace

TEST_CASE("padding does not affect the bits of a program", "[exact][random]") {
  const ir::Module program = parsed(R"(
func.func @main(%x: tensor<8x12xf32>, %y: tensor<12x6xf32>) -> (tensor<8x6xf32>, tensor<2x12xf32>) {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.slice %x [1:5:2, 0:12] : (tensor<8x12xf32>) -> tensor<2x12xf32>
  return %0, %1 : tensor<8x6xf32>, tensor<2x12xf32>
})");
  const Tensors inputs = *checking::random_inputs(program, 1);
  int num_defined = 0;
  int num_changed = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto compiled = checking::compile(checking::shard_at_random(program, seed, 8), {});
    REQUIRE(compiled.has_value());
    std::vector<Tensors> runs;
    for (const auto fill : {simulation::Fill::Poison, simulation::Fill::OtherPoison}) {
      simulation::RunOptions options;
      options.kernels.fill = fill;
      const int64_t devices =
          simulation::num_devices(compiled->program, *compiled->program.main_function());
      const auto arguments = simulation::arguments_of(
          compiled->program, *compiled->program.main_function(), inputs, {0, devices}, fill);
      REQUIRE(arguments.has_value());
      const auto result = simulation::run(compiled->program, "main", *arguments, options);
      REQUIRE(result.has_value());
      Tensors all;
      for (const Tensors& device : result->outputs)
        all.insert(all.end(), device.begin(), device.end());
      runs.push_back(std::move(all));
    }
    const bool is_defined = !checking::has_undefined_elements(compiled->program);
    const bool is_changed = runs[0] != runs[1];
    CAPTURE(seed);
    CHECK_FALSE((is_defined && is_changed));
    num_defined += is_defined ? 1 : 0;
    num_changed += is_changed ? 1 : 0;
  }
  CHECK(num_defined > 5);
  CHECK(num_changed > 5);
}

TEST_CASE("a check reports numbered phases and a growing progress fraction", "[exact]") {
  std::vector<std::string> names;
  std::vector<int> numbers;
  std::vector<double> fractions;
  checking::CheckOptions options;
  options.progress = [&](const checking::CheckPhase& phase) {
    names.emplace_back(phase.name);
    numbers.push_back(phase.number);
    fractions.push_back(phase.fraction_done());
    CHECK(phase.count == 5);
  };
  checked(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})",
          options);
  CHECK(names == std::vector<std::string>{"compiling", "running on all devices",
                                          "running on one device", "running over a prime field",
                                          "running in f64"});
  CHECK(numbers == std::vector<int>{1, 2, 3, 4, 5});
  REQUIRE(fractions.size() == 5);
  CHECK(fractions[0] == 0);
  CHECK(std::ranges::is_sorted(fractions, std::less_equal<>()));
  CHECK(fractions[4] < 1);
}

TEST_CASE("dots of exact elements are sums of products modulo 2^61 - 1", "[exact]") {
  const ir::Module module = exact(R"(
func.func @main(%x: tensor<2x3xbf16>, %y: tensor<3x2xbf16>) -> tensor<2x2xbf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xbf16>
  return %0 : tensor<2x2xbf16>
})");
  const std::vector<uint64_t> x = {
      1234567890123456789, 987654321987654321, 5, 2305843009213693950, 3, 1111111111111111111};
  const std::vector<uint64_t> y = {222222222222222222,  7, 1999999999999999999, 0,
                                   2305843009213693949, 1};
  std::vector<uint64_t> want;
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 2; ++column) {
      Int128 sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += static_cast<Int128>(remainder_of(Int128{x[row * 3 + k]} * y[k * 2 + column]));
      }
      want.push_back(remainder_of(sum));
    }
  }
  CHECK(values_of(run(module, {elements({2, 3}, x), elements({3, 2}, y)})[0]) == want);
}

TEST_CASE("constants and arithmetic of an exact run use the prime field", "[exact]") {
  const ir::Module module = exact(R"(
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>) {
  %half = stablehlo.constant dense<0.5> : tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %half : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.divide %x, %half : tensor<2xf32>
  %4 = stablehlo.subtract %x, %half : tensor<2xf32>
  return %1, %2, %3, %4 : tensor<2xf32>, tensor<f32>, tensor<2xf32>, tensor<2xf32>
})");
  const std::vector<uint64_t> x = {2000000000000000001, 1000000000000000000};
  const Tensors got = run(module, {elements({2}, x)});
  CHECK(values_of(got[0]) == x);
  CHECK(values_of(got[1]) == std::vector<uint64_t>{remainder_of(Int128{x[0]} + x[1])});
  CHECK(values_of(got[2]) ==
        std::vector<uint64_t>{remainder_of(2 * Int128{x[0]}), remainder_of(2 * Int128{x[1]})});
  // 1/2 is (modulus + 1) / 2.
  CHECK(values_of(got[3])[1] == remainder_of(Int128{x[1]} - (kModulus + 1) / 2));
}

TEST_CASE("complex numbers in an exact run are pairs with a root of -1", "[exact]") {
  const ir::Module module = exact(R"(
func.func @main(%x: tensor<1xcomplex<f32>>, %y: tensor<1xcomplex<f32>>) -> (tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>) {
  %0 = stablehlo.multiply %x, %y : tensor<1xcomplex<f32>>
  %1 = stablehlo.divide %0, %y : tensor<1xcomplex<f32>>
  return %0, %1 : tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>
})");
  const std::vector<uint64_t> x = {1717171717171717171, 3};
  const std::vector<uint64_t> y = {5, 2020202020202020202};
  const Tensors got = run(module, {elements({1}, x, ElementType::ExactComplex),
                                   elements({1}, y, ElementType::ExactComplex)});
  const auto product = [](uint64_t a, uint64_t b) {
    return static_cast<Int128>(remainder_of(Int128{a} * b));
  };
  CHECK(values_of(got[0]) ==
        std::vector<uint64_t>{remainder_of(product(x[0], y[0]) - product(x[1], y[1])),
                              remainder_of(product(x[0], y[1]) + product(x[1], y[0]))});
  CHECK(values_of(got[1]) == x);
}

TEST_CASE("exact runs solve triangular systems in the prime field", "[exact]") {
  const ir::Module module = exact(R"(
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
})");
  const std::vector<uint64_t> a = {7, 0, 1313131313131313131, 9};
  const std::vector<uint64_t> solution = {2111111111111111111, 424242424242424242};
  const std::vector<uint64_t> b = {
      remainder_of(7 * Int128{solution[0]}),
      remainder_of(static_cast<Int128>(remainder_of(Int128{a[2]} * solution[0])) +
                   9 * Int128{solution[1]})};
  CHECK(values_of(run(module, {elements({2, 2}, a), elements({2, 1}, b)})[0]) == solution);
}

TEST_CASE("functions in an exact run depend on all operand bits and on the op", "[exact]") {
  const ir::Module module = exact(R"(
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.tanh %x : tensor<4xf32>
  %1 = stablehlo.sine %x : tensor<4xf32>
  %2 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xbf16>
  %3 = stablehlo.convert %2 : (tensor<4xbf16>) -> tensor<4xf32>
  %4 = stablehlo.reduce_precision %x, format = e5m10 : tensor<4xf32>
  return %0, %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
})");
  std::vector<uint64_t> all;
  for (const Tensor& result : run(module, {elements({4}, {5, 6, 5 + (uint64_t{1} << 60U), 5})})) {
    const std::vector<uint64_t> values = values_of(result);
    CHECK(values[0] == values[3]);
    all.insert(all.end(), values.begin(), values.begin() + 3);
  }
  std::ranges::sort(all);
  CHECK(std::ranges::adjacent_find(all) == all.end());
}

TEST_CASE("an exact run computes each batch of a whole-matrix function separately", "[exact]") {
  const ir::Module module = exact(R"(
func.func @main(%x: tensor<2x2x2xf32>, %y: tensor<2x4xcomplex<f32>>) -> (tensor<2x2x2xf32>, tensor<2x4xcomplex<f32>>) {
  %0 = "stablehlo.cholesky"(%x) <{lower = true}> : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %1 = stablehlo.fft %y, type = FFT, length = [4] : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  return %0, %1 : tensor<2x2x2xf32>, tensor<2x4xcomplex<f32>>
})");
  const auto run_with = [&](uint64_t first) {
    return run(module,
               {elements({2, 2, 2}, {first, 2, 3, 4, 5, 6, 7, 8}),
                elements({2, 4}, {first, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                         ElementType::ExactComplex)});
  };
  const Tensors one = run_with(1);
  const Tensors other = run_with(100);
  for (std::size_t result = 0; result < 2; ++result) {
    const std::vector<uint64_t> a = values_of(one[result]);
    const std::vector<uint64_t> b = values_of(other[result]);
    for (std::size_t index = 0; index < a.size(); ++index) {
      CHECK((a[index] == b[index]) == (index >= a.size() / 2));
    }
  }
}

TEST_CASE("an exact run moves float bits unchanged and reports ops that compute with them",
          "[exact]") {
  const std::string carried = R"(
func.func @main(%x: tensor<4xf32>, %p: tensor<4xi1>) -> tensor<4xf32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xui32>
  %zero = stablehlo.constant dense<0> : tensor<4xui32>
  %1 = stablehlo.select %p, %0, %zero : tensor<4xi1>, tensor<4xui32>
  %2 = stablehlo.or %1, %zero : tensor<4xui32>
  %3 = stablehlo.bitcast_convert %2 : (tensor<4xui32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
})";
  const std::vector<uint64_t> x = {2111111111111111111, 3, 4, 5};
  const Tensor chosen =
      *Tensor::from_integers(Type::tensor({4}, ElementType::I1), std::vector<int64_t>{1, 0, 1, 1});
  CHECK(values_of(run(exact(carried), {elements({4}, x), chosen})[0]) ==
        std::vector<uint64_t>{x[0], 0, 4, 5});
  CHECK(checking::with_numbers(parsed(carried), NumberDomain::Wide).has_value());
  const ir::Module computed = parsed(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xui32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xui32>
  %1 = stablehlo.add %0, %0 : tensor<4xui32>
  return %1 : tensor<4xui32>
})");
  const auto with = checking::with_numbers(computed, NumberDomain::Exact);
  REQUIRE(with.has_value());
  CHECK(ir::verify(*with).empty());
  const auto wide = checking::with_numbers(computed, NumberDomain::Wide);
  REQUIRE_FALSE(wide.has_value());
  CHECK(wide.error().message == "the program computes with the bits of floats");
}

TEST_CASE("bits cast to floats become f64 elements in a wide run, for any number of casts",
          "[exact]") {
  std::string text =
      "func.func @main(%x: tensor<4xui32>) -> tensor<4xf32> {\n  %s0 = stablehlo.constant "
      "dense<0.0> : tensor<4xf32>\n";
  constexpr int kMany = 70;  // the module grows several times during the rewrite
  for (int index = 0; index < kMany; ++index) {
    const std::string now = std::to_string(index);
    text += "  %b" + now + " = stablehlo.bitcast_convert %x : (tensor<4xui32>) -> tensor<4xf32>\n";
    text += "  %s" + std::to_string(index + 1) + " = stablehlo.add %s" + now + ", %b" + now +
            " : tensor<4xf32>\n";
  }
  text += "  return %s" + std::to_string(kMany) + " : tensor<4xf32>\n}\n";
  const auto wide = checking::with_numbers(parsed(text), NumberDomain::Wide);
  REQUIRE(wide.has_value());
  CHECK(ir::verify(*wide).empty());
  const Tensor bits =
      *Tensor::from_integers(Type::tensor({4}, ElementType::UI32),
                             std::vector<int64_t>{0x3F800000, 0x40000000, 0x3F000000, 0});
  const Tensor sum = run(*wide, {bits})[0];
  REQUIRE(sum.type() == Type::tensor({4}, ElementType::F64));
  CHECK(sum.to_doubles() == std::vector<double>{70, 140, 35, 0});
}

TEST_CASE("a program that cannot be run exactly is an error", "[exact]") {
  const auto report = checked(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4x4xi8> {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x4xi8>
  return %0 : tensor<4x4xi8>
})");
  CHECK(report.equal());
  CHECK_FALSE(report.exact.done);
  CHECK(report.exact.impossible ==
        "stablehlo.bitcast_convert has no meaning for numbers other than floats");
}

TEST_CASE("a loop on a float condition that may not end in an exact run is reported", "[exact]") {
  const auto report = checked(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<f32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %bound = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.while(%v = %one) : tensor<f32>
   cond {
    %1 = stablehlo.floor %v : tensor<f32>
    %2 = stablehlo.maximum %1, %bound : tensor<f32>
    %3 = stablehlo.subtract %1, %2 : tensor<f32>
    %4 = stablehlo.multiply %v, %half : tensor<f32>
    %5 = stablehlo.compare NE, %4, %3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
   } do {
    %1 = stablehlo.multiply %v, %half : tensor<f32>
    stablehlo.return %1 : tensor<f32>
   }
  return %0 : tensor<f32>
})");
  CHECK(report.equal());
  CHECK_FALSE(report.exact.done);
  CHECK(report.exact.impossible == "while exceeded 65536 iterations");
}

TEST_CASE("a loop that a float counter ends also ends in an exact run", "[exact]") {
  const auto report = checked(R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %0:2 = stablehlo.while(%n = %zero, %v = %x) : tensor<f32>, tensor<4xf32>
   cond {
    %1 = stablehlo.compare LT, %n, %ten : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
   } do {
    %1 = stablehlo.add %n, %one : tensor<f32>
    %2 = stablehlo.sine %v : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<f32>, tensor<4xf32>
   }
  return %0#1 : tensor<4xf32>
})");
  CHECK(report.equal());
  CHECK(report.exact.done);
}

namespace {

constexpr const char* kProduct = R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x640xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %w: tensor<640x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x640xbf16>, tensor<640x8xbf16>) -> tensor<8x8xbf16>
  return %0 : tensor<8x8xbf16>
})";

/// Returns the program in which the result of the first op of that kind is multiplied by `factor`.
ir::Module with_factor(const ir::Module& program, OpKind kind, double factor) {
  ir::Module faulty = program;
  for (const ir::OpId op : ir::pre_order(program)) {
    if (!program.is(op, kind)) continue;
    const ir::ValueId result = faulty.result(op);
    const std::vector<ir::Use> uses = faulty.uses(result);
    ir::OpSpec constant{.kind = OpKind::Constant, .result_types = {faulty.type(result)}};
    constant.attributes.set("value", ir::splat_literal(faulty.type(result), factor));
    const ir::OpId splat = faulty.create(std::move(constant));
    const ir::OpId product = faulty.create({.kind = OpKind::Multiply,
                                            .operands = {result, faulty.result(splat)},
                                            .result_types = {faulty.type(result)}});
    faulty.insert_after(op, splat);
    faulty.insert_after(splat, product);
    for (const ir::Use& use : uses) faulty.set_operand(use.op, use.operand, faulty.result(product));
    break;
  }
  return faulty;
}

}  // namespace

TEST_CASE("the exact and the f64 run find faults within the tolerance of narrow floats",
          "[exact]") {
  const ir::Module module = parsed(kProduct);
  const Tensors inputs = *checking::random_inputs(module, 3);
  const auto compiled = checking::compile(module);
  REQUIRE(compiled.has_value());
  const checking::Context context;
  const checking::CheckOptions options;
  const checking::NumberRuns exact(module, inputs, NumberDomain::Exact, options, context);
  const checking::NumberRuns wide(module, inputs, NumberDomain::Wide, options, context);
  const auto want = simulation::run_global(module, "main", inputs);
  const auto tolerance = checking::result_tolerances(module, *module.main_function())[0];
  for (const double factor : {0.0, 1.0, 2.0}) {
    CAPTURE(factor);
    for (const OpKind kind : {OpKind::DotGeneral, OpKind::SpmdAllReduce}) {
      const ir::Module faulty = with_factor(compiled->program, kind, factor);
      const auto got = simulation::run_global(faulty, "main", inputs);
      REQUIRE(got.has_value());
      CHECK(checking::compare(got->outputs[0], want->outputs[0], tolerance).mismatches == 0);
      CHECK(exact.compare(faulty, options).equal() == (factor == 1.0));
      CHECK(wide.compare(faulty, options).equal() == (factor == 1.0));
    }
  }
}

namespace {

/// Returns runs that call `begin` with their number, first 0.
std::vector<RunsAhead::Run> numbered_runs(const ir::Module& module,
                                          std::function<void(int, std::stop_token)> begin) {
  std::vector<RunsAhead::Run> runs;
  for (int number = 0; number < 2; ++number) {
    runs.emplace_back([&module, begin, number](const std::stop_token& stop) {
      begin(number, stop);
      return NumberRuns(module, {}, NumberDomain::Exact, {}, {});
    });
  }
  return runs;
}

}  // namespace

TEST_CASE("with several workers the runs of later comparisons start before they are taken",
          "[exact]") {
  const ir::Module module = parsed("func.func @main() { return }");
  std::promise<void> last;
  std::atomic<int> running = 0;
  std::atomic<bool> overlap = false;
  std::vector<int> order;
  RunsAhead ahead(numbered_runs(module,
                                [&](int number, const std::stop_token&) {
                                  overlap = overlap || ++running > 1;
                                  order.push_back(number);
                                  if (number == 1) last.set_value();
                                  --running;
                                }),
                  2, {});
  REQUIRE(last.get_future().wait_for(std::chrono::minutes(2)) == std::future_status::ready);
  CHECK(order == std::vector{0, 1});
  CHECK_FALSE(overlap);
  ahead.take();
  ahead.take();
}

TEST_CASE("with one worker a later comparison runs when it is taken", "[exact]") {
  const ir::Module module = parsed("func.func @main() { return }");
  std::vector<int> order;
  RunsAhead ahead(
      numbered_runs(module, [&](int number, const std::stop_token&) { order.push_back(number); }),
      1, {});
  CHECK(order.empty());
  ahead.take();
  CHECK(order == std::vector{0});
  ahead.take();
  CHECK(order == std::vector{0, 1});
}

TEST_CASE("runs of later comparisons end with their owner, and with the check", "[exact]") {
  const ir::Module module = parsed("func.func @main() { return }");
  std::atomic<int> ended = 0;
  const auto until_stopped = [&](int, const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    ++ended;
  };
  { const RunsAhead ahead(numbered_runs(module, until_stopped), 2, {}); }
  CHECK(ended == 2);
  std::stop_source cancel;
  RunsAhead ahead(numbered_runs(module, until_stopped), 2, cancel.get_token());
  cancel.request_stop();
  ahead.take();
  ahead.take();
  CHECK(ended == 4);
}

TEST_CASE("what a contract handler throws in a later run reaches the caller", "[exact]") {
  const ir::Module module = parsed("func.func @main() { return }");
  for (const int64_t workers : {1, 2}) {
    RunsAhead ahead(numbered_runs(module, [](int, const std::stop_token&) { throw 7; }), workers,
                    {});
    CHECK_THROWS_AS(ahead.take(), int);
  }
}

TEST_CASE("reports of checks do not depend on the number of workers", "[exact]") {
  const ir::Module module = parsed(kProduct);
  const Tensors inputs = *checking::random_inputs(module, 3);
  std::vector<std::string> texts;
  for (const int64_t workers : {1, 2, 5}) {
    checking::CheckOptions options;
    options.run.num_workers = workers;
    options.exact = options.wide = true;
    const auto report = checking::check(module, inputs, options, {});
    REQUIRE(report.has_value());
    CHECK(report->exact.done);
    CHECK(report->wide.done);
    texts.push_back(checking::comparison_text(*report));
  }
  CHECK(texts[0] == texts[1]);
  CHECK(texts[0] == texts[2]);
}

TEST_CASE("a check reports how each comparison was proven", "[exact]") {
  const auto report = checked(kProduct);
  CHECK(report.equal());
  CHECK(report.exact.done);
  CHECK(report.wide.done);
  REQUIRE(report.wide.accuracy.size() == 1);
  CHECK(report.wide.accuracy[0].sharded < 0.05);
  CHECK(report.wide.accuracy[0].unsharded < 0.01);
  const double magnitude = report.results[0].difference.magnitude;
  CHECK(report.results[0].tolerance.relative > 5);
  CHECK(report.results[0].tolerance.allowed(magnitude) < 0.1 * magnitude);
  const std::string text = checking::comparison_text(report);
  CHECK(text.find("result 0: error ") != std::string::npos);
  CHECK(text.find("in f64: equal\n") != std::string::npos);
  CHECK(text.find("exactly, over a prime field: equal\n") != std::string::npos);
}

TEST_CASE("a comparison includes the values that checks in the program receive", "[exact][sweep]") {
  const ir::Module module = parsed(R"(
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.sine %0 : tensor<4xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  check.expect_almost_eq_const %2, dense<1.13> : tensor<f32>, tolerance = 0.1
  return
})");
  checking::CaseSweepOptions options{.cases = 30};
  options.check.exact = true;
  const auto report = checking::sweep(module, {}, options);
  INFO((report ? std::string() : report.error().message));
  REQUIRE(report.has_value());
  CHECK(report->passed());
  CHECK(report->exact.cases == 30);
  const auto compiled = checking::compile(checking::shard_at_random(module, 1));
  REQUIRE(compiled.has_value());
  const checking::Context context;
  const checking::NumberRuns exact(module, {}, NumberDomain::Exact, options.check, context);
  CHECK(exact.compare(compiled->program, options.check).equal());
  const ir::Module faulty = with_factor(compiled->program, OpKind::Sine, 1.0001);
  CHECK_FALSE(exact.compare(faulty, options.check).equal());
}

// The two values go into one all_reduce. Its region may combine pairs by any ops here. Found by
// shardy soak, seed 323857.
TEST_CASE("an all_reduce may have operands of several shapes", "[exact]") {
  const ir::Module module = parsed(R"(
sdy.mesh @mesh = <["m"=4]>
func.func @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}]>},
                %b: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m"}, {}]>})
    -> (tensor<f32>, tensor<5xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.minimum across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reduce(%b init: %z) applies stablehlo.add across dimensions = [0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %0, %1 : tensor<f32>, tensor<5xf32>
})");
  checking::CheckOptions options;
  options.exact = true;
  const auto report = checking::check(module, *checking::random_inputs(module, 4), options);
  INFO((report ? "" : shardy_test::text_of(report.error())));
  REQUIRE(report.has_value());
  const std::string program = text::to_mlir(report->compiled.program);
  INFO(program);
  CHECK(program.find("\"spmd.all_reduce\"(%", program.find("spmd.all_reduce") + 1) ==
        std::string::npos);
  CHECK(report->exact.done);
  CHECK(report->exact.equal());
  CHECK(report->equal());
}

}  // namespace exact_test
