// Elements as bytes: rounding, ends of the range, specials. Spec: stablehlo 16, 19.
#include "shardy/ir/detail/number.hpp"

#include <cmath>
#include <limits>

#include "ir/module_maker.hpp"

namespace shardy_test::number_test {
namespace {

using enum ElementType;

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

uint64_t bits_of(const std::vector<std::byte>& bytes) { return detail::load_bits(bytes); }
uint64_t encoded(double value, ElementType type) { return bits_of(encode(value, type)); }
uint64_t encoded_int(int64_t value, ElementType type) { return bits_of(encode_int(value, type)); }
double decoded(uint64_t bits, ElementType type) {
  std::vector<std::byte> bytes(size_bytes(type));
  detail::store_bits(bytes, bits);
  return decode_double(bytes, type);
}

/// 2^exponent.
double power(int exponent) { return std::ldexp(1.0, exponent); }

struct RoundingRow {
  ElementType type;
  double value;
  uint64_t bits;
};

const std::vector<RoundingRow> kRounding = {
    {F16, 1.0, 0x3C00},
    {F16, -2.0, 0xC000},
    {F16, 0.0, 0x0000},
    {F16, -0.0, 0x8000},
    {F16, 65504, 0x7BFF},
    {F16, 65519.99, 0x7BFF},  // below the middle of the largest value and 2^16
    {F16, 65520, 0x7C00},     // the middle: to infinity
    {F16, -65520, 0xFC00},
    {F16, kInf, 0x7C00},
    {F16, -kInf, 0xFC00},
    {F16, 1 + power(-11), 0x3C00},      // a tie, to even: down
    {F16, 1 + 3 * power(-11), 0x3C02},  // a tie, to even: up
    {F16, 1 + power(-11) + power(-40), 0x3C01},
    {F16, 2 - power(-11), 0x4000},  // rounding up reaches the next exponent
    {F16, power(-14), 0x0400},      // least normal
    {F16, power(-14) - power(-24), 0x03FF},
    {F16, power(-24), 0x0001},  // least subnormal
    {F16, power(-25), 0x0000},  // half of it: a tie, to even
    {F16, -power(-25), 0x8000},
    {F16, power(-25) * 1.0001, 0x0001},
    {F16, 3 * power(-25), 0x0002},
    {F16, std::numeric_limits<double>::denorm_min(), 0x0000},
    {BF16, 1.0, 0x3F80},
    {BF16, 1 + power(-8), 0x3F80},
    {BF16, 1 + 3 * power(-8), 0x3F82},
    {BF16, 1 + power(-8) + power(-50), 0x3F81},  // one rounding: through f32 this were a tie
    {BF16, power(-133), 0x0001},
    {BF16, power(-134), 0x0000},
    {BF16, 3.3895313892515355e38, 0x7F7F},
    {BF16, power(128) - power(119), 0x7F80},
    {BF16, 1e300, 0x7F80},
    {F8E5M2, 57344, 0x7B},
    {F8E5M2, 61439, 0x7B},
    {F8E5M2, 61440, 0x7C},
    {F8E5M2, power(-16), 0x01},
    {F8E5M2, power(-17), 0x00},
    {F8E4M3, 240, 0x77},
    {F8E4M3, 248, 0x78},
    {F8E4M3, -kInf, 0xF8},
    {F8E3M4, 15.5, 0x6F},
    {F8E3M4, 15.75, 0x70},
    {F8E3M4, power(-6), 0x01},
    {F8E4M3FN, 448, 0x7E},
    {F8E4M3FN, 464, 0x7E},  // a tie, to even
    {F8E4M3FN, 465, 0x7F},  // no infinity: NaN
    {F8E4M3FN, -kInf, 0xFF},
    {F8E4M3FN, -0.0, 0x80},
    {F8E4M3FN, power(-9), 0x01},
    {F8E4M3FN, power(-10), 0x00},
    {F8E4M3FNUZ, 240, 0x7F},
    {F8E4M3FNUZ, 248, 0x80},
    {F8E4M3FNUZ, -kInf, 0x80},
    {F8E4M3FNUZ, -0.0, 0x00},  // its bits are those of NaN
    {F8E4M3FNUZ, -power(-12), 0x00},
    {F8E4M3FNUZ, -power(-10), 0x81},
    {F8E5M2FNUZ, 57344, 0x7F},
    {F8E5M2FNUZ, 61440, 0x80},
    {F8E5M2FNUZ, power(-17), 0x01},
    {F8E4M3B11FNUZ, 30, 0x7F},
    {F8E4M3B11FNUZ, 31, 0x80},
    {F8E8M0FNU, 1.0, 0x7F},
    {F8E8M0FNU, 1.4, 0x7F},
    {F8E8M0FNU, 1.6, 0x80},
    {F8E8M0FNU, power(127), 0xFE},
    {F8E8M0FNU, power(128), 0xFF},
    {F8E8M0FNU, power(-127), 0x00},
    {F8E8M0FNU, 0.0, 0x00},   // no zero: the least value
    {F8E8M0FNU, -1.0, 0xFF},  // no sign: NaN
    {F8E8M0FNU, -kInf, 0xFF},
    {F6E2M3FN, 7.5, 0x1F},
    {F6E2M3FN, 1e9, 0x1F},  // neither infinity nor NaN: the largest
    {F6E2M3FN, -kInf, 0x3F},
    {F6E2M3FN, 0.125, 0x01},
    {F6E2M3FN, 0.0625, 0x00},
    {F6E3M2FN, 28, 0x1F},
    {F6E3M2FN, -29, 0x3F},
    {F4E2M1FN, 6, 0x7},
    {F4E2M1FN, 5, 0x6},    // a tie, to even: 4
    {F4E2M1FN, 2.5, 0x4},  // a tie, to even: 2
    {F4E2M1FN, 0.25, 0x0},
    {F4E2M1FN, 0.75, 0x2},
    {F4E2M1FN, -0.25, 0x8},
    {F32, 1 + power(-24), 0x3F800000},
    {F32, 1 + 3 * power(-24), 0x3F800002},
    {F64, 1.0, 0x3FF0000000000000},
};

TEST_CASE("a double rounds to the nearest element, ties to even", "[ir][number]") {
  for (const RoundingRow& row : kRounding) {
    CAPTURE(to_string(row.type), row.value);
    CHECK(encoded(row.value, row.type) == row.bits);
  }
}

std::vector<ElementType> small_floats() {
  std::vector<ElementType> types;
  for (std::size_t index = 0; index < kElementTypes.size(); ++index) {
    const auto type = static_cast<ElementType>(index);
    if (is_float(type) && type != F32 && type != F64) types.push_back(type);
  }
  return types;
}

TEST_CASE("every bit pattern of a small float converts to double and back", "[ir][number][law]") {
  for (const ElementType type : small_floats()) {
    const uint64_t end = uint64_t{1} << static_cast<unsigned>(info(type).bits);
    for (uint64_t bits = 0; bits < end; ++bits) {
      const double value = decoded(bits, type);
      if (std::isnan(value)) {
        if (!std::isnan(decoded(encoded(value, type), type))) FAIL(to_string(type) << " " << bits);
      } else if (encoded(value, type) != bits) {
        FAIL(to_string(type) << " " << bits << " " << value);
      }
    }
  }
  SUCCEED();
}

TEST_CASE("a double halfway between two elements rounds to the even element", "[ir][number][law]") {
  for (const ElementType type : small_floats()) {
    const FloatFormat format = float_format(type);
    for (uint64_t bits = 0; bits < format.max_finite(); ++bits) {
      const double low = decode_bits(bits, format);
      const double high = decode_bits(bits + 1, format);
      const double middle = low + (high - low) / 2;
      // A significand without mantissa is odd: its ties go up.
      const bool up = format.mantissa_bits == 0 || bits % 2 == 1;
      const bool holds = low < high && encode_bits(middle, format) == (up ? bits + 1 : bits) &&
                         encode_bits(std::nextafter(middle, low), format) == bits &&
                         encode_bits(std::nextafter(middle, high), format) == bits + 1;
      if (!holds) FAIL(to_string(type) << " " << bits);
    }
  }
  SUCCEED();
}

TEST_CASE("NaN converts to NaN, or to -0 in formats without NaN", "[ir][number]") {
  for (const ElementType type : small_floats()) {
    CAPTURE(to_string(type));
    const double back = decoded(encoded(kNan, type), type);
    if (float_format(type).specials == FloatSpecials::None) {
      CHECK(back == 0);
      CHECK(std::signbit(back));
    } else {
      CHECK(std::isnan(back));
    }
  }
  CHECK(encoded(kNan, F16) == 0x7E00);
  CHECK(encoded(-kNan, F16) == 0xFE00);
  CHECK(encoded(-kNan, F8E4M3FN) == 0xFF);
  CHECK(encoded(-kNan, F8E4M3FNUZ) == 0x80);
  CHECK(encoded(decoded(0x7C01, F16), F16) == 0x7E01);  // quiet, with its payload
}

TEST_CASE("the largest finite values are those of the float formats", "[ir][number]") {
  const auto [type, largest] = GENERATE(table<ElementType, double>({{F16, 65504},
                                                                    {BF16, 3.3895313892515355e38},
                                                                    {F8E5M2, 57344},
                                                                    {F8E4M3, 240},
                                                                    {F8E3M4, 15.5},
                                                                    {F8E4M3FN, 448},
                                                                    {F8E4M3FNUZ, 240},
                                                                    {F8E5M2FNUZ, 57344},
                                                                    {F8E4M3B11FNUZ, 30},
                                                                    {F8E8M0FNU, 0x1p127},
                                                                    {F6E2M3FN, 7.5},
                                                                    {F6E3M2FN, 28},
                                                                    {F4E2M1FN, 6}}));
  CAPTURE(to_string(type));
  const FloatFormat format = float_format(type);
  CHECK(decode_bits(format.max_finite(), format) == largest);
}

struct IntegerRow {
  ElementType type;
  double value;
  int64_t expected;
};

TEST_CASE("a double converts to an integer by truncation and saturation", "[ir][number]") {
  const std::vector<IntegerRow> rows = {{I32, 2.9, 2},          {I32, -2.9, -2},
                                        {I32, 3e9, 2147483647}, {I32, -3e9, kMin >> 32},
                                        {I32, kNan, 0},         {I8, 127.9, 127},
                                        {I8, 128, 127},         {I8, -128.9, -128},
                                        {I8, -kInf, -128},      {I2, 5, 1},
                                        {I2, -5, -2},           {I4, 7.5, 7},
                                        {I4, -9, -8},           {UI2, 9, 3},
                                        {UI4, -1, 0},           {UI8, 255.9, 255},
                                        {UI8, 256, 255},        {UI8, -0.5, 0},
                                        {UI8, kNan, 0},         {I64, 1e19, kMax},
                                        {I64, -1e19, kMin},     {I64, 0x1p63, kMax},
                                        {UI64, 0x1p63, kMin},   {UI64, 1e20, -1},
                                        {UI64, kInf, -1},       {UI32, 4294967295.5, 4294967295},
                                        {Index, -1.5, -1},      {I1, 0.1, 1},
                                        {I1, kNan, 1},          {I1, -0.0, 0},
                                        {I16, 300, 300},        {UI16, 70000, 65535}};
  for (const IntegerRow& row : rows) {
    CAPTURE(to_string(row.type), row.value);
    CHECK(decode_int(encode(row.value, row.type), row.type) == row.expected);
  }
}

TEST_CASE("an integer keeps its low bits in a narrower type", "[ir][number]") {
  const auto [type, value, expected] =
      GENERATE(table<ElementType, int64_t, int64_t>({{I8, 300, 44},
                                                     {I8, -1, -1},
                                                     {I8, 128, -128},
                                                     {UI16, -1, 65535},
                                                     {UI8, 256, 0},
                                                     {I2, 3, -1},
                                                     {I4, 8, -8},
                                                     {UI2, -1, 3},
                                                     {UI4, 31, 15},
                                                     {I1, 2, 1},
                                                     {I1, 0, 0},
                                                     {I64, kMin, kMin},
                                                     {I64, kMax, kMax},
                                                     {UI64, -1, -1},
                                                     {I32, kMin, 0},
                                                     {Index, kMin, kMin}}));
  CAPTURE(to_string(type), value);
  CHECK(decode_int(encode_int(value, type), type) == expected);
}

TEST_CASE("an integer converts to a float with one rounding", "[ir][number]") {
  CHECK(encoded_int(70000, F16) == 0x7C00);
  CHECK(encoded_int(-70000, F16) == 0xFC00);
  CHECK(encoded_int(2049, F16) == encoded(2048, F16));  // a tie, to even
  CHECK(encoded_int(2051, F16) == encoded(2052, F16));
  // Through double this were a tie: the last bit is lost there.
  const int64_t above = (int64_t{1} << 60) + (int64_t{1} << 52) + 1;
  CHECK(decoded(encoded_int(above, BF16), BF16) == 0x1p60 + 0x1p53);
  CHECK(decoded(encoded_int(kMin, BF16), BF16) == -0x1p63);
  CHECK(decoded(encoded_int(kMax, F64), F64) == 0x1p63);
  CHECK(encoded_int(0, F8E8M0FNU) == 0);
  CHECK(encoded_int(-1, F8E8M0FNU) == 0xFF);
  CHECK(decode_double(encode_int(-3, Complex64), Complex64) == -3);
}

TEST_CASE("unsigned 64-bit integers keep their value", "[ir][number]") {
  const std::vector<uint64_t> values = {std::numeric_limits<uint64_t>::max(), 0};
  const auto element = [&](ElementType type) {
    const Literal literal = literal_from(Type::tensor({2}, type), values);
    return decode_double(literal.element_bytes(0), type);
  };
  CHECK(element(UI64) == 0x1p64);
  CHECK(element(F64) == 0x1p64);
  CHECK(element(F32) == 0x1p64);
  CHECK(element(BF16) == 0x1p64);
  CHECK(element(Complex128) == 0x1p64);
  CHECK(element(I64) == -1);
  CHECK(element(F16) == kInf);
}

TEST_CASE("real numbers become complex with imaginary part +0", "[ir][number]") {
  const std::vector<std::byte> bytes = encode(-1.5, Complex128);
  CHECK(decode_double(bytes, Complex128) == -1.5);
  CHECK(detail::load<uint64_t>(std::span(bytes).subspan(8)) == 0);
  CHECK(decode_int(bytes, Complex128) == -1);
  CHECK(detail::load<float>(std::span<const std::byte>(encode(0.1, Complex64))) == 0.1F);
}

TEST_CASE("conversions saturate at the greatest and the least value of a type",
          "[ir][number][law]") {
  for (const ElementType type : small_floats()) {
    CAPTURE(to_string(type));
    const double greatest = greatest_value(type);
    const double least = least_value(type);
    CHECK(decoded(encoded(greatest, type), type) == greatest);
    CHECK(decoded(encoded(least, type), type) == least);
    const uint64_t end = uint64_t{1} << static_cast<unsigned>(info(type).bits);
    for (uint64_t bits = 0; bits < end; ++bits) {
      const double value = decoded(bits, type);
      if (value > greatest || value < least) FAIL(bits);
    }
  }
  CHECK(greatest_value(F32) == kInf);
  CHECK(least_value(F64) == -kInf);
  CHECK(decode_int(encode(greatest_value(I8), I8), I8) == 127);
  CHECK(decode_int(encode(least_value(I8), I8), I8) == -128);
  CHECK(decode_int(encode(greatest_value(UI64), UI64), UI64) == -1);
  CHECK(decode_int(encode(least_value(UI64), UI64), UI64) == 0);
  CHECK(greatest_value(I1) == 1);
  CHECK(least_value(I1) == 0);
}

}  // namespace
}  // namespace shardy_test::number_test
