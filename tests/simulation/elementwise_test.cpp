// Elementwise kernels against values worked out by hand from stablehlo 16 to 18.
#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "simulation/programs.hpp"

namespace shardy_test::elementwise_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

/// One row: two operands and the result, elements side by side.
void check_binary(OpKind kind, ElementType element, const std::vector<double>& x,
                  const std::vector<double>& y, const std::vector<double>& expected) {
  CAPTURE(shardy::ir::info(kind).name, to_string(element));
  CHECK(evaluate_op(kind, {vector_of(element, x), vector_of(element, y)}) ==
        vector_of(element, expected));
}

void check_unary(OpKind kind, ElementType element, const std::vector<double>& x,
                 const std::vector<double>& expected) {
  CAPTURE(shardy::ir::info(kind).name, to_string(element));
  CHECK(evaluate_op(kind, {vector_of(element, x)}) == vector_of(element, expected));
}

TEST_CASE("integer arithmetic wraps", "[simulation][elementwise]") {
  check_binary(OpKind::Add, ElementType::I8, {127, -128, 5}, {1, -1, -7}, {-128, 127, -2});
  check_binary(OpKind::Add, ElementType::UI8, {255, 200}, {1, 100}, {0, 44});
  check_binary(OpKind::Add, ElementType::I4, {7, -8}, {1, -1}, {-8, 7});
  check_binary(OpKind::Add, ElementType::UI2, {3, 2}, {1, 1}, {0, 3});
  check_binary(OpKind::Subtract, ElementType::UI16, {0, 5}, {1, 7}, {65535, 65534});
  check_binary(OpKind::Multiply, ElementType::I16, {300, -300}, {300, 300}, {24464, -24464});
  check_unary(OpKind::Negate, ElementType::I8, {-128, 5}, {-128, -5});
  check_unary(OpKind::Negate, ElementType::UI8, {1, 0}, {255, 0});
  check_unary(OpKind::Abs, ElementType::I32, {-2147483648.0, -7, 7}, {-2147483648.0, 7, 7});
  CHECK(evaluate_op(OpKind::Multiply, {integers(ElementType::I64, {2}, {INT64_MAX, INT64_MIN}),
                                       integers(ElementType::I64, {2}, {2, -1})}) ==
        integers(ElementType::I64, {2}, {-2, INT64_MIN}));
}

TEST_CASE("add and multiply of i1 are or and and", "[simulation][elementwise]") {
  check_binary(OpKind::Add, ElementType::I1, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 1});
  check_binary(OpKind::Multiply, ElementType::I1, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 0, 0, 1});
  check_binary(OpKind::Maximum, ElementType::I1, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 1});
  check_binary(OpKind::Minimum, ElementType::I1, {0, 0, 1, 1}, {0, 1, 0, 1}, {0, 0, 0, 1});
  check_unary(OpKind::Not, ElementType::I1, {0, 1}, {1, 0});
}

TEST_CASE("integer division never traps", "[simulation][elementwise][garbage]") {
  check_binary(OpKind::Divide, ElementType::I32, {7, -7, 7, -7}, {2, 2, -2, -2}, {3, -3, -3, 3});
  check_binary(OpKind::Divide, ElementType::I8, {5, 0, -128}, {0, 0, -1}, {-1, -1, -128});
  check_binary(OpKind::Divide, ElementType::UI8, {5, 200}, {0, 3}, {255, 66});
  check_binary(OpKind::Divide, ElementType::I4, {-8, 3}, {-1, 0}, {-8, -1});
  check_binary(OpKind::Remainder, ElementType::I8, {7, -7, 7, -128, 5}, {2, 2, -2, -1, 0},
               {1, -1, 1, 0, 5});
  CHECK(evaluate_op(OpKind::Divide, {integers(ElementType::I64, {1}, {INT64_MIN}),
                                     integers(ElementType::I64, {1}, {-1})}) ==
        integers(ElementType::I64, {1}, {INT64_MIN}));
  CHECK(evaluate_op(OpKind::Remainder, {integers(ElementType::I64, {1}, {INT64_MIN}),
                                        integers(ElementType::I64, {1}, {-1})}) ==
        integers(ElementType::I64, {1}, {0}));
}

TEST_CASE("floor division goes towards minus infinity", "[simulation][elementwise]") {
  check_binary(OpKind::SpmdFloorDiv, ElementType::I64, {7, -7, 7, -7, -1, 5, -6},
               {2, 2, -2, -2, 2, 0, 3}, {3, -4, -4, 3, -1, -1, -2});
  check_binary(OpKind::SpmdFloorMod, ElementType::I64, {7, -7, 7, -7, -1, 5, -6},
               {2, 2, -2, -2, 2, 0, 3}, {1, 1, -1, -1, 1, 5, 0});
  CHECK(evaluate_op(OpKind::SpmdFloorDiv, {integers(ElementType::I64, {1}, {INT64_MIN}),
                                           integers(ElementType::I64, {1}, {-1})}) ==
        integers(ElementType::I64, {1}, {INT64_MIN}));
}

TEST_CASE("shifts by the width or more are defined", "[simulation][elementwise][garbage]") {
  check_binary(OpKind::ShiftLeft, ElementType::I8, {1, 1, 1, -1}, {7, 8, -1, 1}, {-128, 0, 0, -2});
  check_binary(OpKind::ShiftRightLogical, ElementType::I8, {-1, -1, -1}, {1, 8, -1}, {127, 0, 0});
  check_binary(OpKind::ShiftRightArithmetic, ElementType::I8, {-128, -128, 64, -1}, {1, 100, 8, -1},
               {-64, -1, 0, -1});
  check_binary(OpKind::ShiftRightArithmetic, ElementType::UI8, {128, 64}, {9, 9}, {255, 0});
  check_binary(OpKind::ShiftLeft, ElementType::UI4, {3, 1}, {3, 4}, {8, 0});
  check_binary(OpKind::ShiftRightLogical, ElementType::I64, {-1}, {64}, {0});
}

TEST_CASE("integer powers wrap and negative exponents truncate", "[simulation][elementwise]") {
  check_binary(OpKind::Power, ElementType::I32, {2, 0, 3, -3, 2}, {10, 0, 4, 3, 32},
               {1024, 1, 81, -27, 0});
  check_binary(OpKind::Power, ElementType::I8, {1, -1, -1, 2, 0}, {-5, -3, -4, -1, -2},
               {1, -1, 1, 0, 0});
  check_binary(OpKind::Power, ElementType::UI8, {3, 2}, {255, 255}, {171, 0});
}

TEST_CASE("bit counts use the width of the type", "[simulation][elementwise]") {
  check_unary(OpKind::PopulationCount, ElementType::I8, {-1, 0, 5}, {8, 0, 2});
  check_unary(OpKind::CountLeadingZeros, ElementType::I16, {0, 1, -1}, {16, 15, 0});
  check_unary(OpKind::CountLeadingZeros, ElementType::UI4, {0, 1, 15}, {4, 3, 0});
  check_unary(OpKind::Not, ElementType::UI8, {0, 170}, {255, 85});
  check_binary(OpKind::And, ElementType::I8, {-1, 12}, {5, 10}, {5, 8});
  check_binary(OpKind::Or, ElementType::I8, {-128, 12}, {5, 10}, {-123, 14});
  check_binary(OpKind::Xor, ElementType::I8, {-1, 12}, {5, 10}, {-6, 6});
}

TEST_CASE("f16 and bf16 round every result to nearest even", "[simulation][elementwise]") {
  // f16 has 11 bits: 2048 + 1 is a tie and goes to the even 2048, 2050 + 1 to 2052.
  check_binary(OpKind::Add, ElementType::F16, {2048, 2050, 65504}, {1, 1, 16}, {2048, 2052, kInf});
  // bf16 has 8 bits: 256 + 1 is a tie, 258 + 1 goes up to 260.
  check_binary(OpKind::Add, ElementType::BF16, {256, 258}, {1, 1}, {256, 260});
  check_binary(OpKind::Multiply, ElementType::F16, {0x1p-14, 0x1p-24}, {0.5, 0.5}, {0x1p-15, 0});
  check_binary(OpKind::Divide, ElementType::BF16, {1}, {3}, {0.333984375});
}

TEST_CASE("float division and remainder have the IEEE special cases", "[simulation][elementwise]") {
  for (const ElementType element :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64}) {
    check_binary(OpKind::Divide, element, {1, -1, 0, 0}, {0, 0, 5, -5}, {kInf, -kInf, 0, -0.0});
    check_binary(OpKind::Remainder, element, {5.5, -5.5, 5, 3}, {2, 2, kInf, -4},
                 {1.5, -1.5, 5, 3});
    const Tensor rest =
        evaluate_op(OpKind::Remainder, {vector_of(element, {1, kInf}), vector_of(element, {0, 2})});
    CHECK(std::isnan(rest.to_doubles()[0]));
    CHECK(std::isnan(rest.to_doubles()[1]));
  }
}

TEST_CASE("maximum and minimum propagate NaN and order the zeros", "[simulation][elementwise]") {
  for (const ElementType element :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64}) {
    check_binary(OpKind::Maximum, element, {kNan, 1, 0.0, -0.0, 2}, {1, kNan, -0.0, 0.0, -kInf},
                 {kNan, kNan, 0.0, 0.0, 2});
    check_binary(OpKind::Minimum, element, {kNan, 1, 0.0, -0.0, 2}, {1, kNan, -0.0, 0.0, -kInf},
                 {kNan, kNan, -0.0, -0.0, -kInf});
  }
  // The left one of two NaNs.
  CHECK(evaluate_op(OpKind::Maximum, {bits<uint32_t>(ElementType::F32, {0x7FC00001}),
                                      bits<uint32_t>(ElementType::F32, {0x7FC00002})}) ==
        bits<uint32_t>(ElementType::F32, {0x7FC00001}));
  check_binary(OpKind::Maximum, ElementType::UI8, {200, 3}, {100, 4}, {200, 4});
  check_binary(OpKind::Maximum, ElementType::I8, {-56, 3}, {100, 4}, {100, 4});
}

TEST_CASE("sign, abs and negate work on the sign bit", "[simulation][elementwise]") {
  for (const ElementType element : {ElementType::F16, ElementType::F32, ElementType::F64}) {
    check_unary(OpKind::Sign, element, {-0.0, 0.0, -3, kInf, kNan}, {-0.0, 0.0, -1, 1, kNan});
    check_unary(OpKind::Abs, element, {-0.0, -kInf, 3, -kNan}, {0.0, kInf, 3, kNan});
    check_unary(OpKind::Negate, element, {0.0, -0.0, 3, kNan}, {-0.0, 0.0, -3, -kNan});
  }
  check_unary(OpKind::Sign, ElementType::I16, {-5, 0, 9}, {-1, 0, 1});
}

TEST_CASE("rounding keeps the sign of zero", "[simulation][elementwise]") {
  for (const ElementType element : {ElementType::BF16, ElementType::F32, ElementType::F64}) {
    check_unary(OpKind::Ceil, element, {-0.25, 1.25, kInf}, {-0.0, 2, kInf});
    check_unary(OpKind::Floor, element, {-0.25, 1.25, -kInf}, {-1, 1, -kInf});
    check_unary(OpKind::RoundNearestAfz, element, {0.5, -0.5, 1.5, -2.5, -0.0},
                {1, -1, 2, -3, -0.0});
    check_unary(OpKind::RoundNearestEven, element, {0.5, -0.5, 1.5, 2.5, -0.0},
                {0, -0.0, 2, 2, -0.0});
  }
}

TEST_CASE("is_finite is false for infinities and NaN", "[simulation][elementwise]") {
  for (const ElementType element : {ElementType::F16, ElementType::BF16, ElementType::F64}) {
    CHECK(evaluate_op(OpKind::IsFinite, {vector_of(element, {1, kInf, -kInf, kNan, -0.0})}) ==
          vector_of(ElementType::I1, {1, 0, 0, 0, 1}));
  }
}

TEST_CASE("elementary functions have their special values", "[simulation][elementwise]") {
  check_unary(OpKind::Exponential, ElementType::F32, {0, -kInf, kInf, 1},
              {1, 0, kInf, std::exp(1.0)});
  check_unary(OpKind::ExponentialMinusOne, ElementType::F64, {1e-12}, {std::expm1(1e-12)});
  check_unary(OpKind::Log, ElementType::F32, {1, 0, kInf}, {0, -kInf, kInf});
  check_unary(OpKind::LogPlusOne, ElementType::F32, {-1, 0}, {-kInf, 0});
  check_unary(OpKind::Rsqrt, ElementType::F32, {4, 0.0, -0.0, kInf}, {0.5, kInf, -kInf, 0});
  check_unary(OpKind::Sqrt, ElementType::F32, {4, -0.0, 2}, {2, -0.0, std::sqrt(2.0)});
  check_unary(OpKind::Cbrt, ElementType::F32, {-27, 8}, {-3, 2});
  check_unary(OpKind::Tanh, ElementType::F32, {0, kInf, -kInf}, {0, 1, -1});
  check_unary(OpKind::Cosine, ElementType::F64, {0}, {1});
  check_unary(OpKind::Sine, ElementType::F16, {0, 1}, {0, 0.84130859375});
  check_unary(OpKind::Tan, ElementType::F64, {0.5}, {std::tan(0.5)});
  check_binary(OpKind::Atan2, ElementType::F64, {1, -0.0}, {-1, -1}, {3 * M_PI / 4, -M_PI});
  check_binary(OpKind::Power, ElementType::F32, {2, 0, -8, 4}, {-1, 0, 3, 0.5}, {0.5, 1, -512, 2});
  for (const OpKind kind : {OpKind::Sine, OpKind::Cosine, OpKind::Tan}) {
    CHECK(std::isnan(evaluate_op(kind, {scalar(ElementType::F32, kInf)}).to_doubles()[0]));
  }
  CHECK(std::isnan(evaluate_op(OpKind::Log, {scalar(ElementType::F32, -1)}).to_doubles()[0]));
}

TEST_CASE("logistic rounds every step", "[simulation][elementwise]") {
  check_unary(OpKind::Logistic, ElementType::F32, {0, kInf, -kInf}, {0.5, 1, 0});
  // bf16: exp(-1) = 0.3678.. -> 0.3671875; 1 + that = 1.3671875 -> tie of 1.3671875 (8 bits: exact
  // in steps of 1/128 = 0.0078125: 175 steps); 1 / 1.3671875 = 0.73142.. -> 0.73046875.
  check_unary(OpKind::Logistic, ElementType::BF16, {1}, {0.73046875});
}

TEST_CASE("complex arithmetic", "[simulation][elementwise][complex]") {
  using C = std::complex<float>;
  const auto complexes = [](const std::vector<C>& values) {
    return bits<C>(ElementType::Complex64, values);
  };
  const Tensor x = complexes({{1, 2}, {-3, 4}});
  const Tensor y = complexes({{3, -1}, {0, 2}});
  CHECK(evaluate_op(OpKind::Add, {x, y}) == complexes({{4, 1}, {-3, 6}}));
  CHECK(evaluate_op(OpKind::Multiply, {x, y}) == complexes({{5, 5}, {-8, -6}}));
  CHECK(evaluate_op(OpKind::Divide, {complexes({{5, 5}}), complexes({{3, -1}})}) ==
        complexes({{1, 2}}));
  CHECK(evaluate_op(OpKind::Negate, {x}) == complexes({{-1, -2}, {3, -4}}));
  CHECK(evaluate_op(OpKind::Abs, {y}) == bits<float>(ElementType::F32, {std::hypot(3.F, 1.F), 2}));
  CHECK(evaluate_op(OpKind::Real, {x}) == vector_of(ElementType::F32, {1, -3}));
  CHECK(evaluate_op(OpKind::Imag, {x}) == vector_of(ElementType::F32, {2, 4}));
  CHECK(evaluate_op(OpKind::Imag, {vector_of(ElementType::F32, {-5})}) ==
        vector_of(ElementType::F32, {0}));
  CHECK(evaluate_op(OpKind::Complex,
                    {vector_of(ElementType::F32, {1, 2}), vector_of(ElementType::F32, {3, 4})}) ==
        complexes({{1, 3}, {2, 4}}));
  CHECK(evaluate_op(OpKind::Sign, {complexes({{3, 4}, {0, 0}})}) ==
        complexes({{0.6F, 0.8F}, {0, 0}}));
  CHECK(evaluate_op(OpKind::Maximum, {complexes({{1, 2}, {1, 2}}), complexes({{1, 3}, {0, 9}})}) ==
        complexes({{1, 3}, {1, 2}}));
  CHECK(evaluate_op(OpKind::Power, {complexes({{0, 0}}), complexes({{0, 0}})}) ==
        complexes({{0, 0}}));
  CHECK(evaluate_op(OpKind::Sqrt, {complexes({{-4, 0}})}) == complexes({{0, 2}}));
}

TEST_CASE("complex log_plus_one is accurate for small operands",
          "[simulation][elementwise][complex]") {
  const Tensor x = bits<std::complex<double>>(ElementType::Complex128, {{1e-20, 0}});
  CHECK(evaluate_op(OpKind::LogPlusOne, {x}).to_doubles()[0] == Approx(1e-20).epsilon(1e-12));
}

TEST_CASE("every elementwise op of the table has a kernel", "[simulation][elementwise]") {
  for (std::size_t index = 0; index < shardy::ir::kNumKnownOps; ++index) {
    const auto& row = shardy::ir::kOps[index];
    if ((row.traits & shardy::ir::kElementwise) == 0) continue;
    CAPTURE(row.name);
    CHECK(shardy::simulation::has_kernel(row.kind));
  }
}

TEST_CASE("an unsupported element type is an error that names the op and the type",
          "[simulation][elementwise]") {
  shardy::ir::Module module;
  const Type type = Type::tensor({2}, ElementType::F32);
  const Type arguments[] = {type};
  const auto function = module.add_function("main", arguments, {type});
  const auto block = module.entry(function);
  const auto op = module.create({.kind = OpKind::Not,
                                 .operands = {module.args(block)[0]},
                                 .result_types = {type},
                                 .location = module.add_location("7:3")});
  module.append(block, op);
  module.append(block,
                module.create({.kind = OpKind::FuncReturn, .operands = {module.result(op)}}));
  const auto result =
      shardy::simulation::run(module, "main", {{vector_of(ElementType::F32, {1, 2})}});
  CHECK(located_message_of(result) ==
        "7:3: 'stablehlo.not' op operand 0 must be a tensor of booleans or integers, got "
        "tensor<2xf32>");
}

}  // namespace
}  // namespace shardy_test::elementwise_test
