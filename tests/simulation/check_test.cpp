// Check ops: values that pass, and the errors of those that fail. Spec: stablehlo 32.
#include "simulation/run_text.hpp"

namespace shardy_test::check_test {
namespace {

using shardy::simulation::RunOptions;
using shardy::simulation::RunResult;
using Texts = std::vector<std::string>;

std::string compare(const std::string& op, const std::string& a, const std::string& b,
                    const std::string& type, const std::string& options = {}) {
  return main_of("  %a = stablehlo.constant dense<" + a + "> : " + type +
                 "\n  %b = stablehlo.constant dense<" + b + "> : " + type + "\n  " + op +
                 " %a, %b" + options + " : " + type + "\n");
}

std::string custom(const std::string& target, const std::string& a, const std::string& b,
                   const std::string& type) {
  return main_of("  %a = stablehlo.constant dense<" + a + "> : " + type +
                 "\n  %b = stablehlo.constant dense<" + b + "> : " + type +
                 "\n  stablehlo.custom_call @" + target + "(%a, %b) {has_side_effect = true} : (" +
                 type + ", " + type + ") -> ()\n");
}

std::string close(const std::string& a, const std::string& b, const std::string& type,
                  const std::string& limits = {}) {
  return main_of("  %a = stablehlo.constant dense<" + a + "> : " + type +
                 "\n  %b = stablehlo.constant dense<" + b + "> : " + type +
                 "\n  check.expect_close %a, %b" + limits + " : " + type + ", " + type + "\n");
}

Texts messages_of(const std::string& text, const RunOptions& options = {}) {
  const RunResult result = run_text(text, options);
  Texts messages;
  for (const auto& failed : result.checks.failed) messages.push_back(failed.message);
  return messages;
}

TEST_CASE("equal elements pass expect_eq", "[simulation][check]") {
  const auto [a, b, type] = GENERATE(table<std::string, std::string, std::string>({
      {"[1, 2, 3]", "[1, 2, 3]", "tensor<3xi32>"},
      {"[true, false]", "[true, false]", "tensor<2xi1>"},
      {"0.0", "-0.0", "tensor<f32>"},
      {"[0.0, -0.0]", "[-0.0, 0.0]", "tensor<2xbf16>"},
      {"0x7FC00000", "0x7FC00001", "tensor<f32>"},  // two NaNs
      {"0x7F800000", "0x7F800000", "tensor<f32>"},
      {"(1.0, -0.0)", "(1.0, 0.0)", "tensor<complex<f64>>"},
      {"18446744073709551615", "18446744073709551615", "tensor<ui64>"},
      {"", "", "tensor<0x3xf32>"},
  }));
  CAPTURE(a, b, type);
  check_passes(compare("check.expect_eq", a, b, type), 1);
}

TEST_CASE("expect_eq names the first element that differs", "[simulation][check]") {
  const auto [a, b, type, values, index] =
      GENERATE(table<std::string, std::string, std::string, std::string, std::string>({
          {"[1, 2, 3]", "[1, 5, 4]", "tensor<3xi32>", "2 (actual) vs 5 (expected)", "[1]"},
          {"[[1, 2, 3], [4, 5, 6]]", "[[1, 2, 3], [4, 5, 7]]", "tensor<2x3xi8>",
           "6 (actual) vs 7 (expected)", "[1, 2]"},
          {"1.0", "2.5", "tensor<f32>", "1.000000e+00 (actual) vs 2.500000e+00 (expected)", "[]"},
          {"true", "false", "tensor<i1>", "true (actual) vs false (expected)", "[]"},
          {"255", "1", "tensor<ui8>", "255 (actual) vs 1 (expected)", "[]"},
          {"[0x7F800000, 1.0]", "[0xFF800000, 1.0]", "tensor<2xf32>",
           "0x7F800000 (actual) vs 0xFF800000 (expected)", "[0]"},
          {"(1.0, 2.0)", "(1.0, 3.0)", "tensor<complex<f32>>",
           "[1.000000e+00, 2.000000e+00] (actual) vs [1.000000e+00, 3.000000e+00] (expected)",
           "[]"},
      }));
  CAPTURE(a, b, type);
  CHECK(messages_of(compare("check.expect_eq", a, b, type)) ==
        Texts{"Element values don't match: " + values + " at index " + index});
}

TEST_CASE("strict checks treat NaN as unequal to NaN", "[simulation][check]") {
  RunOptions options;
  options.kernels.strict_nan = true;
  const std::string text = compare("check.expect_eq", "0x7FC00000", "0x7FC00000", "tensor<f32>");
  CHECK(messages_of(text, options) ==
        Texts{"Element values don't match: 0x7FC00000 (actual) vs 0x7FC00000 (expected) at index "
              "[]"});
}

TEST_CASE("expect_almost_eq allows a distance", "[simulation][check]") {
  const auto [a, b, type, passes] = GENERATE(table<std::string, std::string, std::string, bool>({
      {"1.0", "1.25", "tensor<f32>", true},
      {"1.0", "1.26", "tensor<f32>", false},
      {"-1.0", "-0.75", "tensor<f64>", true},
      {"0x7F800000", "0x7F800000", "tensor<f32>", true},
      {"0x7F800000", "3.0e38", "tensor<f32>", false},
      {"0x7FC00000", "0xFFC00000", "tensor<f32>", true},
      {"0x7FC00000", "1.0", "tensor<f32>", false},
      {"(1.0, 2.0)", "(1.25, 1.75)", "tensor<complex<f32>>", true},
      {"(1.0, 2.0)", "(1.25, 1.5)", "tensor<complex<f32>>", false},
  }));
  CAPTURE(a, b, type);
  const std::string text = compare("check.expect_almost_eq", a, b, type, ", tolerance = 2.5e-1");
  CHECK(messages_of(text).empty() == passes);
}

TEST_CASE("expect_almost_eq prints its tolerance", "[simulation][check]") {
  CHECK(
      messages_of(compare("check.expect_almost_eq", "[1.0, 2.0]", "[1.0, 2.5]", "tensor<2xf32>")) ==
      Texts{"Element values don't match with tolerance 1.000000e-04: 2.000000e+00 (actual) vs "
            "2.500000e+00 (expected) at index [1]"});
}

TEST_CASE("expect_close counts units in the last place", "[simulation][check]") {
  // 1.0f is 0x3F800000, its successor 0x3F800001; the least subnormals are 1 and 0x80000001.
  const auto [a, b, type, limits, passes] =
      GENERATE(table<std::string, std::string, std::string, std::string, bool>({
          {"1.0", "0x3F800001", "tensor<f32>", "", true},
          {"1.0", "0x3F800002", "tensor<f32>", "", false},
          {"1.0", "0x3F800002", "tensor<f32>", ", max_ulp_difference = 2", true},
          {"1.0", "0x3F800002", "tensor<f32>", ", max_ulp_difference = 5, min_ulp_difference = 2",
           true},
          {"1.0", "0x3F800001", "tensor<f32>", ", max_ulp_difference = 5, min_ulp_difference = 2",
           false},
          {"0x00000001", "0x80000001", "tensor<f32>", ", max_ulp_difference = 2", true},
          {"0x00000001", "0x80000001", "tensor<f32>", ", max_ulp_difference = 1", false},
          {"0.0", "-0.0", "tensor<f32>", ", max_ulp_difference = 0", true},
          {"0x7FC00000", "0x7FC00001", "tensor<f32>", ", max_ulp_difference = 0", true},
          {"0x7F800000", "0x7F7FFFFF", "tensor<f32>", ", max_ulp_difference = 1000", false},
          {"0x3C00", "0x3C03", "tensor<f16>", ", max_ulp_difference = 3", true},
          {"0x3F80", "0x3F84", "tensor<bf16>", ", max_ulp_difference = 3", false},
          {"(1.0, 0x3F800002)", "(1.0, 1.0)", "tensor<complex<f32>>", "", false},
          {"0x3FF0000000000000", "0x3FF0000000000001", "tensor<f64>", "", true},
      }));
  CAPTURE(a, b, type, limits);
  CHECK(messages_of(close(a, b, type, limits)).empty() == passes);
}

TEST_CASE("expect_close lists some elements that are too far and counts all of them",
          "[simulation][check]") {
  CHECK(messages_of(close("[1.0, 0x3F800002, 3.0, 0x3F800001]", "[1.0, 1.0, 0x7FC00000, 1.0]",
                          "tensor<4xf32>")) ==
        Texts{"Elements values don't match with respect to maximal ULP difference=1 limit:\n"
              "  index=[1], actual=1.00000024, expected=1.000000e+00, ULP difference=2\n"
              "  index=[2], actual=3.000000e+00, expected=0x7FC00000, ULP "
              "difference=18446744073709551615\n"
              "  ULP difference 0: 1 elements\n"
              "  ULP difference 1: 1 elements\n"
              "  ULP difference 2: 1 elements\n"
              "  ULP difference 3: 0 elements\n"
              "  ULP difference >= 4: 1 elements"});
}

TEST_CASE("a check can compare with a constant", "[simulation][check]") {
  const std::string x = "  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n";
  check_passes(main_of(x + "  check.expect_eq_const %x, dense<[1.0, 2.0]> : tensor<2xf32>\n"
                           "  check.expect_almost_eq_const %x, dense<[1.00001, 2.0]> : "
                           "tensor<2xf32>\n"),
               2);
  CHECK(messages_of(main_of(x + "  check.expect_eq_const %x, dense<1.0> : tensor<2xf32>\n")) ==
        Texts{"Element values don't match: 2.000000e+00 (actual) vs 1.000000e+00 (expected) at "
              "index [1]"});
}

TEST_CASE("custom calls of checks have their own limits", "[simulation][check]") {
  const auto [target, a, b, passes] = GENERATE(table<std::string, std::string, std::string, bool>({
      {"check.expect_eq", "1.0", "1.0", true},
      {"check.expect_eq", "1.0", "0x3F800001", false},
      {"check.expect_almost_eq", "1.0", "1.0009765625", true},
      {"check.expect_almost_eq", "1.0", "1.0015", false},
      {"check.expect_close", "1.0", "0x3F800003", true},
      {"check.expect_close", "1.0", "0x3F800004", false},
  }));
  CAPTURE(target, a, b);
  CHECK(messages_of(custom(target, a, b, "tensor<f32>")).empty() == passes);
}

TEST_CASE("check.eq returns its result", "[simulation][check]") {
  const auto program = [](const std::string& a, const std::string& type) {
    return "func.func @main() -> tensor<i1> {\n  %a = stablehlo.constant dense<" + a +
           "> : " + type + "\n  %b = stablehlo.constant dense<1> : " + type +
           "\n  %0 = stablehlo.custom_call @check.eq(%a, %b) : (" + type + ", " + type +
           ") -> tensor<i1>\n  return %0 : tensor<i1>\n}\n";
  };
  const RunResult equal = run_text(program("1", "tensor<2xi32>"));
  CHECK(equal.checks.passed());
  CHECK(equal.outputs[0][0].to_doubles() == std::vector<double>{1});
  const RunResult different = run_text(program("2", "tensor<2xi32>"));
  CHECK(different.checks.failed.size() == 1);
  CHECK(different.outputs[0][0].to_doubles() == std::vector<double>{0});
}

TEST_CASE("a run continues after a failed check", "[simulation][check]") {
  const RunResult result = run_text(main_of(R"(
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  check.expect_eq %one, %two : tensor<i32>
  check.expect_eq %one, %one : tensor<i32>
  check.expect_eq %two, %one : tensor<i32>
)"));
  CHECK(result.checks.count == 3);
  REQUIRE(result.checks.failed.size() == 2);
  CHECK(result.checks.failed[0].location == "5:3");
  CHECK(result.checks.failed[1].location == "7:3");
}

TEST_CASE("the error of a run lists the checks that failed before it", "[simulation][check]") {
  const auto result = try_run(main_of(R"(
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %true = stablehlo.constant dense<true> : tensor<i1>
  check.expect_eq %one, %two : tensor<i32>
  stablehlo.while(%iterArg = %true) : tensor<i1> cond {
    stablehlo.return %iterArg : tensor<i1>
  } do {
    stablehlo.return %iterArg : tensor<i1>
  }
)"),
                              {}, {}, {.limits = {.max_iterations = 10}});
  REQUIRE_FALSE(result);
  CHECK(result.error().headline() == "E_STEP_LIMIT: while exceeded 10 iterations");
  CHECK(result.error().notes.back() ==
        "failed check at 6:3: Element values don't match: 1 (actual) vs 2 (expected) at index []");
}

TEST_CASE("operands of different or unsupported types are errors of a check",
          "[simulation][check]") {
  CHECK(error_of(custom("check.expect_close", "1", "1", "tensor<i32>"))
            .find("compares floats, got tensor<i32>") != std::string::npos);
}

TEST_CASE("probes keep each value that passes them", "[simulation][check]") {
  check_passes(main_of(R"(
  %c0 = stablehlo.constant dense<0> : tensor<i64>
  %c1 = stablehlo.constant dense<1> : tensor<i64>
  %c3 = stablehlo.constant dense<3> : tensor<i64>
  %0 = stablehlo.while(%i = %c0) : tensor<i64> cond {
    %1 = stablehlo.compare LT, %i, %c3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = interpreter.probe %i, probe_id = "step" : tensor<i64>
    %2 = stablehlo.add %1, %c1 : tensor<i64>
    stablehlo.return %2 : tensor<i64>
  }
  check.expect_serialized_eq %c0, probe_id = "step" : tensor<i64>
  check.expect_serialized_eq %c1, probe_id = "step", iter = 1 : tensor<i64>
)"),
               2);
}

TEST_CASE("a check of a probe without the requested iteration fails", "[simulation][check]") {
  CHECK(messages_of(main_of(R"(
  %c = stablehlo.constant dense<0> : tensor<i64>
  check.expect_serialized_eq %c, probe_id = "p", iter = 1 : tensor<i64>
)")) == Texts{"probe \"p\" has no value of type tensor<i64> at iteration 1"});
}

TEST_CASE("values are printed as text", "[simulation][check]") {
  const auto [literal, type, text] = GENERATE(table<std::string, std::string, std::string>({
      {"1", "tensor<ui8>", "tensor<ui8> {1}"},
      {"[1, 2, 3]", "tensor<3xi8>", "tensor<3xi8> {\n  [1, 2, 3]\n}"},
      {"[[1, 2], [3, 4]]", "tensor<2x2xi8>",
       "tensor<2x2xi8> {\n  [\n    [1, 2],\n    [3, 4]\n  ]\n}"},
      {"[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", "tensor<2x2x2xi8>",
       "tensor<2x2x2xi8> {\n  [\n    [\n      [1, 2],\n      [3, 4]\n    ],\n    [\n      [5, 6],\n"
       "      [7, 8]\n    ]\n  ]\n}"},
      {"[true, false]", "tensor<2xi1>", "tensor<2xi1> {\n  [true, false]\n}"},
      {"(1.0, -2.5)", "tensor<complex<f32>>",
       "tensor<complex<f32>> {[1.000000e+00, -2.500000e+00]}"},
      {"0.1", "tensor<f32>", "tensor<f32> {1.000000e-01}"},
      {"0.7", "tensor<f64>", "tensor<f64> {0.69999999999999996}"},
      {"", "tensor<0xf32>", "tensor<0xf32> {\n  []\n}"},
  }));
  std::string printed;
  RunOptions options;
  options.print = [&](shardy::ir::OpId, const shardy::simulation::Tensor& value) {
    printed += shardy::simulation::value_text(value);
  };
  run_text(main_of("  %x = stablehlo.constant dense<" + literal + "> : " + type +
                   "\n  interpreter.print %x : " + type + "\n"),
           options);
  CHECK(printed == text);
}

}  // namespace
}  // namespace shardy_test::check_test
