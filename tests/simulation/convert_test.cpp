// convert, reduce_precision, compare, select, clamp. Values from stablehlo 19, 20.
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "simulation/programs.hpp"

namespace shardy_test::convert_test {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Tensor convert(const Tensor& x, ElementType element) {
  return evaluate_graph({x}, [&](GraphBuilder& graph, const Values& arguments) {
    return Values{graph.convert(arguments[0], element)};
  })[0];
}

TEST_CASE("float to integer conversion truncates and saturates", "[simulation][convert][garbage]") {
  CHECK(convert(vector_of(ElementType::F32, {2.9, -2.9, kNan, 3e9, -3e9, kInf, -kInf}),
                ElementType::I32) ==
        integers(ElementType::I32, {7}, {2, -2, 0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN}));
  CHECK(convert(vector_of(ElementType::F64, {-1, 256, 255.9, kNan}), ElementType::UI8) ==
        vector_of(ElementType::UI8, {0, 255, 255, 0}));
  CHECK(convert(vector_of(ElementType::F32, {9.3e18, -9.3e18}), ElementType::I64) ==
        integers(ElementType::I64, {2}, {INT64_MAX, INT64_MIN}));
  CHECK(convert(vector_of(ElementType::F32, {2e19, 1e19, -1}), ElementType::UI64) ==
        integers(ElementType::UI64, {3},
                 {-1, static_cast<int64_t>(uint64_t{9999999980506447872U}), 0}));
  CHECK(convert(vector_of(ElementType::F32, {7.5, 8, -9}), ElementType::I4) ==
        vector_of(ElementType::I4, {7, 7, -8}));
}

TEST_CASE("integer conversion extends by the sign of the source and then truncates",
          "[simulation][convert]") {
  CHECK(convert(vector_of(ElementType::I8, {-1}), ElementType::UI16) ==
        vector_of(ElementType::UI16, {65535}));
  CHECK(convert(vector_of(ElementType::UI8, {255}), ElementType::I16) ==
        vector_of(ElementType::I16, {255}));
  CHECK(convert(vector_of(ElementType::I16, {300}), ElementType::I8) ==
        vector_of(ElementType::I8, {44}));
}

TEST_CASE("integer to float conversion rounds once", "[simulation][convert]") {
  CHECK(convert(vector_of(ElementType::I32, {70000, 2049}), ElementType::F16) ==
        vector_of(ElementType::F16, {kInf, 2048}));
  // 2^62 + 2^54 is a tie of bf16; one more goes up, though f64 and f32 would lose it.
  const int64_t tie = (int64_t{1} << 62) + (int64_t{1} << 54);
  CHECK(convert(integers(ElementType::I64, {2}, {tie, tie + 1}), ElementType::BF16) ==
        vector_of(ElementType::BF16, {0x1p62, 0x1p62 + 0x1p55}));
  const int64_t f32_tie = (int64_t{1} << 60) + (int64_t{1} << 36);
  CHECK(convert(integers(ElementType::I64, {2}, {f32_tie, f32_tie + 1}), ElementType::F32) ==
        vector_of(ElementType::F32, {0x1p60, 0x1p60 + 0x1p37}));
  CHECK(convert(integers(ElementType::UI64, {1}, {-1}), ElementType::F64) ==
        vector_of(ElementType::F64, {0x1p64}));
}

TEST_CASE("conversion to i1 maps all numbers except zero to true", "[simulation][convert]") {
  CHECK(convert(vector_of(ElementType::F32, {0, -0.0, 0.1, kNan}), ElementType::I1) ==
        vector_of(ElementType::I1, {0, 0, 1, 1}));
  CHECK(convert(vector_of(ElementType::I1, {0, 1}), ElementType::BF16) ==
        vector_of(ElementType::BF16, {0, 1}));
  CHECK(convert(bits<std::complex<float>>(ElementType::Complex64, {{0, 5}, {2, 0}}),
                ElementType::I1) == vector_of(ElementType::I1, {0, 1}));
}

TEST_CASE("conversion from f64 to f16 rounds once", "[simulation][convert]") {
  // 1 + 2^-11 + 2^-40 is above the tie; through f32 it would become the tie and go down.
  CHECK(convert(vector_of(ElementType::F64, {1 + 0x1p-11 + 0x1p-40, 0x1p-25, 0x1.8p-25, -0x1p-26}),
                ElementType::F16) == vector_of(ElementType::F16, {1 + 0x1p-10, 0, 0x1p-24, -0.0}));
}

/// The most significant bits of the payload stay, and the sign; the first one is set.
TEST_CASE("a NaN converts to a NaN with the same leading payload bits", "[simulation][convert]") {
  std::vector<uint32_t> nans;
  std::vector<uint16_t> as_bf16;
  std::vector<uint16_t> as_f16;
  for (uint32_t bit = 0; bit < 23; ++bit) {
    for (const uint32_t sign : {0U, 1U}) {
      const uint32_t payload = 1U << bit;
      nans.push_back(sign << 31U | 0x7F800000U | payload);
      as_bf16.push_back(static_cast<uint16_t>(sign << 15U | 0x7FC0U | payload >> 16U));
      as_f16.push_back(static_cast<uint16_t>(sign << 15U | 0x7E00U | payload >> 13U));
    }
  }
  const Tensor x = bits<uint32_t>(ElementType::F32, nans);
  CHECK(convert(x, ElementType::BF16) == bits<uint16_t>(ElementType::BF16, as_bf16));
  CHECK(convert(x, ElementType::F16) == bits<uint16_t>(ElementType::F16, as_f16));
}

TEST_CASE("f16 and bf16 survive a round trip through every wider float",
          "[simulation][convert][law]") {
  for (const ElementType element : {ElementType::F16, ElementType::BF16}) {
    std::vector<uint16_t> all;
    for (uint32_t value = 0; value < 65536; ++value) {
      const uint32_t magnitude = value & 0x7FFF;
      const bool is_nan = magnitude > (element == ElementType::F16 ? 0x7C00U : 0x7F80U);
      if (!is_nan) all.push_back(static_cast<uint16_t>(value));
    }
    const Tensor x = bits<uint16_t>(element, all);
    CHECK(convert(convert(x, ElementType::F32), element) == x);
    CHECK(convert(convert(x, ElementType::F64), element) == x);
  }
}

TEST_CASE("reduce_precision rounds to the given exponent and mantissa bits",
          "[simulation][convert]") {
  const auto reduce = [](ElementType element, double x, int64_t exponent, int64_t mantissa) {
    return evaluate_graph({scalar(element, x)},
                          [&](GraphBuilder& graph, const Values& arguments) {
                            return Values{graph.reduce_precision(arguments[0], exponent, mantissa)};
                          })[0]
        .to_doubles()[0];
  };
  CHECK(reduce(ElementType::F32, 1.1, 5, 2) == 1.0);
  CHECK(reduce(ElementType::F32, 1.1e5, 5, 10) == kInf);
  CHECK(reduce(ElementType::F32, -1.1e5, 5, 10) == -kInf);
  CHECK(reduce(ElementType::F32, 0x1p-15, 5, 10) == 0.0);
  CHECK(reduce(ElementType::F32, 1.9999, 8, 2) == 2.0);
  CHECK(reduce(ElementType::F16, 3.140625, 5, 1) == 3.0);
  CHECK(std::isnan(reduce(ElementType::F32, kNan, 5, 2)));
  CHECK(reduce(ElementType::F32, kNan, 5, 0) == kInf);
}

// ---- compare ---------------------------------------------------------------------------------

Tensor compare(const Tensor& x, const Tensor& y, const std::string& direction,
               const std::string& type = {}) {
  return evaluate_graph({x, y}, [&](GraphBuilder& graph, const Values& arguments) {
    return Values{graph.compare(arguments[0], arguments[1], direction, type)};
  })[0];
}

TEST_CASE("comparisons with NaN are false, except NE", "[simulation][compare]") {
  for (const ElementType element : {ElementType::F16, ElementType::F32, ElementType::F64}) {
    const Tensor x = vector_of(element, {kNan, 1, kNan, -0.0});
    const Tensor y = vector_of(element, {1, kNan, kNan, 0.0});
    for (const char* direction : {"LT", "GT"}) {
      CHECK(compare(x, y, direction) == vector_of(ElementType::I1, {0, 0, 0, 0}));
    }
    for (const char* direction : {"EQ", "LE", "GE"}) {
      CHECK(compare(x, y, direction) == vector_of(ElementType::I1, {0, 0, 0, 1}));
    }
    CHECK(compare(x, y, "NE") == vector_of(ElementType::I1, {1, 1, 1, 0}));
  }
}

TEST_CASE("TOTALORDER comparison orders all bit patterns", "[simulation][compare]") {
  for (const ElementType element : {ElementType::F16, ElementType::BF16, ElementType::F64}) {
    const std::vector<double> ascending = {-kNan, -kInf, -1, -0.0, 0.0, 1, kInf, kNan};
    const std::vector<double> lower(ascending.begin(), ascending.end() - 1);
    const std::vector<double> upper(ascending.begin() + 1, ascending.end());
    const std::vector<double> yes(lower.size(), 1);
    CHECK(compare(vector_of(element, lower), vector_of(element, upper), "LT", "TOTALORDER") ==
          vector_of(ElementType::I1, yes));
    CHECK(compare(vector_of(element, lower), vector_of(element, lower), "EQ", "TOTALORDER") ==
          vector_of(ElementType::I1, yes));
  }
}

TEST_CASE("integers compare by the signedness of their type", "[simulation][compare]") {
  CHECK(compare(vector_of(ElementType::I8, {-1}), vector_of(ElementType::I8, {1}), "LT") ==
        vector_of(ElementType::I1, {1}));
  CHECK(compare(vector_of(ElementType::UI8, {255}), vector_of(ElementType::UI8, {1}), "LT") ==
        vector_of(ElementType::I1, {0}));
  CHECK(compare(vector_of(ElementType::I1, {0, 1}), vector_of(ElementType::I1, {1, 1}), "LT") ==
        vector_of(ElementType::I1, {1, 0}));
  CHECK(compare(integers(ElementType::I64, {1}, {INT64_MAX}),
                integers(ElementType::I64, {1}, {INT64_MAX - 1}),
                "GT") == vector_of(ElementType::I1, {1}));
}

TEST_CASE("complex numbers compare by real and imaginary part", "[simulation][compare][complex]") {
  using C = std::complex<float>;
  const Tensor x = bits<C>(ElementType::Complex64, {{1, 2}, {1, 2}, {1, 2}});
  const Tensor y = bits<C>(ElementType::Complex64, {{1, 2}, {1, 3}, {2, 0}});
  CHECK(compare(x, y, "EQ") == vector_of(ElementType::I1, {1, 0, 0}));
  CHECK(compare(x, y, "NE") == vector_of(ElementType::I1, {0, 1, 1}));
}

// ---- select, clamp -----------------------------------------------------------------------------

TEST_CASE("select takes one predicate per element or one predicate for all elements",
          "[simulation][select]") {
  for (const ElementType element : {ElementType::I8, ElementType::BF16, ElementType::F32,
                                    ElementType::I64, ElementType::Complex128}) {
    const Tensor x = vector_of(element, {1, 2, 3});
    const Tensor y = vector_of(element, {4, 5, 6});
    CHECK(evaluate_op(OpKind::Select, {vector_of(ElementType::I1, {1, 0, 1}), x, y}) ==
          vector_of(element, {1, 5, 3}));
    CHECK(evaluate_op(OpKind::Select, {scalar(ElementType::I1, 0), x, y}) == y);
    CHECK(evaluate_op(OpKind::Select, {scalar(ElementType::I1, 1), x, y}) == x);
  }
}

TEST_CASE("clamp is the minimum of the maximum", "[simulation][clamp]") {
  const Tensor x = vector_of(ElementType::F32, {-5, 0, 5, kNan});
  CHECK(
      evaluate_op(OpKind::Clamp, {scalar(ElementType::F32, -1), x, scalar(ElementType::F32, 1)}) ==
      vector_of(ElementType::F32, {-1, 0, 1, kNan}));
  CHECK(evaluate_op(OpKind::Clamp,
                    {vector_of(ElementType::F32, {0, 1, 2, 3}), x, scalar(ElementType::F32, 4)}) ==
        vector_of(ElementType::F32, {0, 1, 4, kNan}));
  // Bounds that cross: the upper one wins.
  CHECK(evaluate_op(OpKind::Clamp,
                    {scalar(ElementType::I32, 7), vector_of(ElementType::I32, {1, 9}),
                     scalar(ElementType::I32, 3)}) == vector_of(ElementType::I32, {3, 3}));
}

}  // namespace
}  // namespace shardy_test::convert_test
