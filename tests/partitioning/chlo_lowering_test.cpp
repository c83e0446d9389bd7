// CHLO ops run beside their expansions in StableHLO. The results may differ by a few units in the
// last place.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::partitioning::chlo_lowering_test {
namespace {

using simulation::Tensor;

ir::Module program_of(const std::string& op, const std::string& type, std::size_t count) {
  const std::string tensor = "tensor<" + std::to_string(count) + "x" + type + ">";
  return text::parse_mlir("func.func @main(%x: " + tensor + ") -> " + tensor + " {\n  %0 = chlo." +
                          op + " %x : " + tensor + " -> " + tensor + "\n  return %0 : " + tensor +
                          "\n}\n")
      .value();
}

std::vector<double> run(const ir::Module& module, const std::vector<double>& values) {
  const ir::Type type = module.arg_types(*module.main_function()).front();
  const Tensor input = Tensor::from_doubles(type, values).value();
  return simulation::run_global(module, "main", simulation::Tensors{input})
      .value()
      .outputs.front()
      .to_doubles();
}

ir::Module lowered(ir::Module module) {
  lower_chlo(module);
  REQUIRE(ir::verify(module).empty());
  return module;
}

const std::vector<double> kEdges = {0.0,
                                    -0.0,
                                    0.25,
                                    -0.25,
                                    0.5,
                                    -0.5,
                                    1,
                                    -1,
                                    1.5,
                                    2,
                                    -1.5,
                                    3,
                                    8,
                                    30,
                                    -30,
                                    1e-30,
                                    -1e-30,
                                    1e-4,
                                    -1e-4,
                                    0.999,
                                    -0.999,
                                    100,
                                    -100,
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN()};

/// Returns edge cases, and random numbers of all magnitudes.
std::vector<double> inputs(double low, double high) {
  std::vector<double> values = kEdges;
  std::mt19937 random(Catch::rngSeed());
  std::uniform_real_distribution<double> uniform(low, high);
  for (int count = 0; count < 400; ++count) values.push_back(uniform(random));
  std::uniform_real_distribution<double> exponent(-20, 3);
  for (int count = 0; count < 200; ++count) {
    values.push_back((count % 2 == 0 ? 1 : -1) * std::exp2(exponent(random)));
  }
  return values;
}

struct Function {
  const char* name;
  double low;
  double high;
  double ulps;      // largest difference, in units in the last place of f32 or f64
  double absolute;  // difference that always counts as equal, in these units, for values near zeros
};

const Function kFunctions[] = {
    {"erf", -4, 4, 8, 0},       {"erfc", -4, 9, 40, 0},      {"erf_inv", -1, 1, 60, 0},
    {"lgamma", -9, 30, 40, 60}, {"digamma", -9, 30, 60, 60}, {"square", -9, 9, 1, 0},
    {"sinh", -20, 20, 60, 0},   {"cosh", -20, 20, 60, 0},    {"tan", -4, 4, 8, 0},
    {"asin", -1, 1, 8, 0},      {"acos", -1, 1, 8, 0},       {"atan", -9, 9, 8, 0},
    {"asinh", -90, 90, 12, 0},  {"acosh", 1, 90, 12, 0},     {"atanh", -1, 1, 12, 0},
};

void compare(const Function& function, const std::string& type, double epsilon) {
  std::vector<double> values = inputs(function.low, function.high);
  // Denormal results, and poles that the type cannot hold, are left out, because they depend on
  // rounding.
  const ir::Module module = program_of(function.name, type, values.size());
  const ir::Module expanded = lowered(module);
  CHECK(other_dialect_ops(expanded).empty());
  const std::vector<double> expected = run(module, values);
  const std::vector<double> got = run(expanded, values);
  const double least = type == "f64" ? 1e-300 : 1e-37;
  for (std::size_t index = 0; index < values.size(); ++index) {
    CAPTURE(function.name, type, values[index], expected[index], got[index]);
    if (std::isnan(expected[index])) {
      CHECK(std::isnan(got[index]));
      continue;
    }
    if (std::isinf(expected[index])) {
      CHECK(got[index] == expected[index]);
      continue;
    }
    const double allowed =
        epsilon * (function.ulps * std::abs(expected[index]) + function.absolute);
    CHECK(std::abs(got[index] - expected[index]) <= std::max(allowed, least));
  }
}

}  // namespace

TEST_CASE("CHLO functions equal their expansions", "[partitioning][chlo]") {
  for (const Function& function : kFunctions) {
    compare(function, "f32", 0x1p-23);
    compare(function, "f64", 0x1p-52);
  }
}

TEST_CASE("CHLO functions of narrow floats are computed in f32", "[partitioning][chlo]") {
  for (const char* const type : {"bf16", "f16"}) {
    const std::vector<double> values = {0, 0.25, -0.5, 1, 1.5, -2, 3};
    const ir::Module module = program_of("erf", type, values.size());
    CHECK(run(lowered(module), values) == run(module, values));
  }
}

TEST_CASE("top_k is a stable descending sort", "[partitioning][chlo]") {
  for (const char* const type : {"f32", "bf16", "i32", "ui8", "i1"}) {
    const std::string element = type;
    const std::string in = "tensor<3x7x" + element + ">";
    const std::string out = "tensor<3x4x" + element + ">, tensor<3x4xi32>";
    const ir::Module module =
        text::parse_mlir("func.func @main(%x: " + in + ") -> (" + out + ") {\n" +
                         "  %v, %i = chlo.top_k(%x, k = 4) : " + in + " -> (" + out + ")\n" +
                         "  return %v, %i : " + out + "\n}\n")
            .value();
    std::vector<double> values;
    std::mt19937 random(Catch::rngSeed());
    for (int count = 0; count < 21; ++count)
      values.push_back(static_cast<double>(random() % 4 % 2));
    if (element == "f32") {
      values = {0.0, -0.0, 1,  std::nan(""), -std::nan(""), 1,        2, 3, 3, 3, 3, 3, 3, 3, -1,
                -2,  -3,   -4, -5,           HUGE_VAL,      -HUGE_VAL};
    }
    const auto results = [&](const ir::Module& run_module) {
      const Tensor input =
          Tensor::from_doubles(run_module.arg_types(*run_module.main_function()).front(), values)
              .value();
      return simulation::run_global(run_module, "main", simulation::Tensors{input}).value().outputs;
    };
    const ir::Module expanded = lowered(module);
    CHECK(other_dialect_ops(expanded).empty());
    const simulation::Tensors expected = results(module);
    const simulation::Tensors got = results(expanded);
    CAPTURE(type);
    REQUIRE(got.size() == 2);
    CHECK(got[0] == expected[0]);
    CHECK(got[1] == expected[1]);
  }
}

TEST_CASE("predicates and constants of CHLO become StableHLO", "[partitioning][chlo]") {
  const ir::Module module = text::parse_mlir(R"(
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2xi32>) {
      %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
      %1 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
      %2 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
      %3 = chlo.constant dense<[3, 4]> : tensor<2xi32>
      return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<2xi32>
    })")
                                .value();
  const ir::Module expanded = lowered(module);
  CHECK(other_dialect_ops(expanded).empty());
  const Tensor input =
      Tensor::from_doubles(module.arg_types(*module.main_function()).front(),
                           std::vector<double>{1, HUGE_VAL, -HUGE_VAL, std::nan("")})
          .value();
  const auto expected =
      simulation::run_global(module, "main", simulation::Tensors{input}).value().outputs;
  CHECK(simulation::run_global(expanded, "main", simulation::Tensors{input}).value().outputs ==
        expected);
}

TEST_CASE("CHLO ops without expansion are reported by name", "[partitioning][chlo]") {
  ir::Module module = text::parse_mlir(R"(
    func.func @main(%x: tensor<4xcomplex<f32>>, %y: tensor<4xf32>) -> tensor<4xcomplex<f32>> {
      %0 = chlo.acos %x : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
      %1 = chlo.bessel_i1e %y : tensor<4xf32> -> tensor<4xf32>
      %2 = chlo.bessel_i1e %1 : tensor<4xf32> -> tensor<4xf32>
      check.expect_eq %1, %2 : tensor<4xf32>
      return %0 : tensor<4xcomplex<f32>>
    })")
                          .value();
  lower_chlo(module);
  const std::vector<OtherDialectOp> others = other_dialect_ops(module);
  REQUIRE(others.size() == 3);
  CHECK(others[0] == OtherDialectOp{"check.expect_eq", 1, Location(6, 7)});
  CHECK(others[1] == OtherDialectOp{"chlo.acos", 1, Location(3, 12)});
  CHECK(others[2] == OtherDialectOp{"chlo.bessel_i1e", 2, Location(4, 12)});
  const Diagnostics notes = notes_of_other_dialects(module);
  CHECK(notes[2].message ==
        "the program has chlo.bessel_i1e, 2 times, which StableHLO does not have");
  CHECK(notes[2].notes.size() == 1);
  CHECK(notes[0].notes.empty());
}

}  // namespace shardy::partitioning::chlo_lowering_test
