// stablehlo.rng: repeatable by its seed. Spec: stablehlo 27.3.
#include <algorithm>
#include <cmath>
#include <set>

#include "simulation/run_text.hpp"

namespace shardy_test::rng_test {
namespace {

using shardy::simulation::RunOptions;

RunOptions seeded(uint64_t seed) {
  RunOptions options;
  options.kernels.seed = seed;
  return options;
}

/// One draw of 1,000 numbers per line of `draws`: distribution, a, b.
std::string program(const std::string& element, const std::string& a, const std::string& b,
                    const std::string& distribution) {
  const std::string vector = "tensor<1000x" + element + ">";
  const std::string scalar = "tensor<" + element + ">";
  const std::string draw = " = stablehlo.rng %a, %b, %s, distribution = " + distribution + " : (" +
                           scalar + ", " + scalar + ", tensor<1xi64>) -> " + vector + "\n";
  return "func.func @main() -> (" + vector + ", " + vector +
         ") {\n  %a = stablehlo.constant dense<" + a + "> : " + scalar +
         "\n  %b = stablehlo.constant dense<" + b + "> : " + scalar +
         "\n  %s = stablehlo.constant dense<1000> : tensor<1xi64>\n  %0" + draw + "  %1" + draw +
         "  return %0, %1 : " + vector + ", " + vector + "\n}\n";
}

TEST_CASE("rng without a seed is an error", "[simulation][rng]") {
  CHECK(error_of(program("f32", "0.0", "1.0", "UNIFORM")) ==
        "5:8: stablehlo.rng is not deterministic");
}

TEST_CASE("the same seed repeats the numbers, another seed or another op does not",
          "[simulation][rng]") {
  const std::string text = program("f32", "0.0", "1.0", "UNIFORM");
  const auto first = run_text(text, seeded(1)).outputs[0];
  CHECK(run_text(text, seeded(1)).outputs[0] == first);
  CHECK(run_text(text, seeded(2)).outputs[0][0] != first[0]);
  CHECK(first[0] != first[1]);
}

TEST_CASE("uniform numbers fill their range", "[simulation][rng]") {
  const auto [element, a, b] =
      GENERATE(table<std::string, std::string, std::string>({{"f32", "-1.0", "3.0"},
                                                             {"f64", "-1.0", "3.0"},
                                                             {"bf16", "-1.0", "3.0"},
                                                             {"i32", "-1", "3"},
                                                             {"ui8", "0", "4"},
                                                             {"i64", "-2", "2"}}));
  CAPTURE(element);
  const auto values =
      run_text(program(element, a, b, "UNIFORM"), seeded(7)).outputs[0][0].to_doubles();
  const double low = std::stod(a);
  const double high = std::stod(b);
  double sum = 0;
  for (const double value : values) {
    CHECK((value >= low && value < high));
    sum += value;
  }
  const bool is_integer = a.find('.') == std::string::npos;
  // The mean of 1,000 numbers has a deviation of about 0.04.
  CHECK(std::abs(sum / 1000 - (low + high - (is_integer ? 1 : 0)) / 2) < 0.2);
  if (is_integer) CHECK(std::set<double>(values.begin(), values.end()).size() == 4);
}

TEST_CASE("normal numbers have their mean and deviation", "[simulation][rng]") {
  const auto values =
      run_text(program("f64", "5.0", "2.0", "NORMAL"), seeded(3)).outputs[0][0].to_doubles();
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += (value - 5) * (value - 5);
  }
  CHECK(std::abs(sum / 1000 - 5) < 0.3);
  CHECK(std::abs(std::sqrt(squares / 1000) - 2) < 0.25);
}

TEST_CASE("each iteration of a loop generates new random numbers", "[simulation][rng]") {
  const auto result = run_text(R"(
func.func @main() -> tensor<3xf32> {
  %a = stablehlo.constant dense<0.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.constant dense<1> : tensor<1xi64>
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c3 = stablehlo.constant dense<3> : tensor<i32>
  %z = stablehlo.constant dense<0.0> : tensor<3xf32>
  %0:2 = stablehlo.while(%i = %c0, %x = %z) : tensor<i32>, tensor<3xf32> cond {
    %1 = stablehlo.compare LT, %i, %c3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1xf32>
    %2 = stablehlo.dynamic_update_slice %x, %1, %i : (tensor<3xf32>, tensor<1xf32>, tensor<i32>) -> tensor<3xf32>
    %3 = stablehlo.add %i, %c1 : tensor<i32>
    stablehlo.return %3, %2 : tensor<i32>, tensor<3xf32>
  }
  return %0#1 : tensor<3xf32>
}
)",
                               seeded(1));
  const auto values = result.outputs[0][0].to_doubles();
  CHECK(std::set<double>(values.begin(), values.end()).size() == 3);
}

}  // namespace
}  // namespace shardy_test::rng_test
