// Runs elementwise kernels on all values of small types. Integers are compared with 64-bit
// arithmetic, floats with long double and a rounding by search. Spec: stablehlo 16, 17, 19.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <set>

#include "simulation/programs.hpp"

namespace shardy_test::sweep_test {
namespace {

// ---- Integers ----------------------------------------------------------------------------------

struct IntegerFormat {
  ElementType element;
  int bits;
  bool is_signed;

  int64_t least() const { return is_signed ? -(int64_t{1} << (bits - 1)) : 0; }
  int64_t count() const { return int64_t{1} << bits; }
  /// Returns the value modulo 2^bits, in the range of the type.
  int64_t wrap(int64_t value) const {
    const int64_t rest = ((value - least()) % count() + count()) % count();
    return rest + least();
  }
  /// Returns the bit pattern of a value as an unsigned number.
  int64_t pattern(int64_t value) const { return value < 0 ? value + count() : value; }
};

const std::vector<IntegerFormat> kIntegers = {
    {ElementType::I2, 2, true},   {ElementType::I4, 4, true},   {ElementType::I8, 8, true},
    {ElementType::UI2, 2, false}, {ElementType::UI4, 4, false}, {ElementType::UI8, 8, false}};

using Binary = std::function<int64_t(const IntegerFormat&, int64_t, int64_t)>;
using Unary = std::function<int64_t(const IntegerFormat&, int64_t)>;

int64_t power(const IntegerFormat& format, int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
  int64_t result = 1;
  for (int64_t step = 0; step < y; ++step) result = format.wrap(result * x);
  return result;
}

const std::map<OpKind, Binary> kBinary = {
    {OpKind::Add, [](const auto&, int64_t x, int64_t y) { return x + y; }},
    {OpKind::Subtract, [](const auto&, int64_t x, int64_t y) { return x - y; }},
    {OpKind::Multiply, [](const auto&, int64_t x, int64_t y) { return x * y; }},
    {OpKind::Divide, [](const auto&, int64_t x, int64_t y) { return y == 0 ? -1 : x / y; }},
    {OpKind::Remainder, [](const auto&, int64_t x, int64_t y) { return y == 0 ? x : x % y; }},
    {OpKind::Power, power},
    {OpKind::Maximum, [](const auto&, int64_t x, int64_t y) { return x > y ? x : y; }},
    {OpKind::Minimum, [](const auto&, int64_t x, int64_t y) { return x < y ? x : y; }},
    {OpKind::And, [](const auto& f, int64_t x, int64_t y) { return f.pattern(x) & f.pattern(y); }},
    {OpKind::Or, [](const auto& f, int64_t x, int64_t y) { return f.pattern(x) | f.pattern(y); }},
    {OpKind::Xor, [](const auto& f, int64_t x, int64_t y) { return f.pattern(x) ^ f.pattern(y); }},
    {OpKind::ShiftLeft,
     [](const auto& f, int64_t x, int64_t y) {
       return f.pattern(y) < f.bits ? f.pattern(x) << f.pattern(y) : 0;
     }},
    {OpKind::ShiftRightLogical,
     [](const auto& f, int64_t x, int64_t y) {
       return f.pattern(y) < f.bits ? f.pattern(x) >> f.pattern(y) : 0;
     }},
    {OpKind::ShiftRightArithmetic,
     [](const auto& f, int64_t x, int64_t y) {
       int64_t value = f.pattern(x);
       if (value >= f.count() / 2) value -= f.count();  // the top bit is the sign
       for (int64_t step = 0; step < std::min<int64_t>(f.pattern(y), f.bits); ++step) {
         value = value < 0 ? (value - 1) / 2 : value / 2;
       }
       return value;
     }},
    {OpKind::ChloMulhi,
     [](const auto& f, int64_t x, int64_t y) {
       const int64_t product = x * y;
       const int64_t quotient = product / f.count();
       return product % f.count() < 0 ? quotient - 1 : quotient;
     }},
};

const std::map<OpKind, Unary> kUnary = {
    {OpKind::Negate, [](const auto&, int64_t x) { return -x; }},
    {OpKind::Not, [](const auto& f, int64_t x) { return f.count() - 1 - f.pattern(x); }},
    {OpKind::Abs, [](const auto&, int64_t x) { return x < 0 ? -x : x; }},
    {OpKind::Sign, [](const auto&, int64_t x) { return x < 0   ? -1
                                                       : x > 0 ? 1
                                                               : 0; }},
    {OpKind::PopulationCount,
     [](const auto& f, int64_t x) {
       int64_t ones = 0;
       for (int64_t rest = f.pattern(x); rest > 0; rest /= 2) ones += rest % 2;
       return ones;
     }},
    {OpKind::CountLeadingZeros,
     [](const auto& f, int64_t x) {
       int64_t zeros = f.bits;
       for (int64_t rest = f.pattern(x); rest > 0; rest /= 2) --zeros;
       return zeros;
     }},
    {OpKind::ChloSquare, [](const auto&, int64_t x) { return x * x; }},
};

Tensor numbers(ElementType element, const std::vector<int64_t>& values) {
  return integers(element, {static_cast<int64_t>(values.size())}, values);
}

std::vector<int64_t> all_values(const IntegerFormat& format) {
  std::vector<int64_t> values;
  for (int64_t at = 0; at < format.count(); ++at) values.push_back(format.least() + at);
  return values;
}

TEST_CASE("integer ops are right for all pairs of small integers", "[simulation][kernels][sweep]") {
  std::size_t num_rows = 0;
  for (const IntegerFormat& format : kIntegers) {
    std::vector<int64_t> x;
    std::vector<int64_t> y;
    for (const int64_t left : all_values(format)) {
      for (const int64_t right : all_values(format)) {
        x.push_back(left);
        y.push_back(right);
      }
    }
    for (const auto& [kind, reference] : kBinary) {
      std::vector<int64_t> expected;
      for (std::size_t at = 0; at < x.size(); ++at) {
        expected.push_back(format.wrap(reference(format, x[at], y[at])));
      }
      CAPTURE(shardy::ir::info(kind).name, to_string(format.element));
      CHECK(evaluate_op(kind, {numbers(format.element, x), numbers(format.element, y)}) ==
            numbers(format.element, expected));
      num_rows += x.size();
    }
  }
  std::cout << "pairs of small integers: " << num_rows << " rows\n";
}

TEST_CASE("integer ops are right for all small integers", "[simulation][kernels][sweep]") {
  for (const IntegerFormat& format : kIntegers) {
    const std::vector<int64_t> x = all_values(format);
    for (const auto& [kind, reference] : kUnary) {
      const bool needs_sign = kind == OpKind::Abs || kind == OpKind::Sign;
      if (needs_sign && !format.is_signed) continue;
      std::vector<int64_t> expected;
      for (const int64_t value : x) expected.push_back(format.wrap(reference(format, value)));
      CAPTURE(shardy::ir::info(kind).name, to_string(format.element));
      CHECK(evaluate_op(kind, {numbers(format.element, x)}) == numbers(format.element, expected));
    }
  }
}

// ---- Floats ------------------------------------------------------------------------------------

enum class Overflow : uint8_t { Infinity, Nan, Saturate };

/// A row of the table of stablehlo 16.3. This test decodes it independently.
struct FloatRow {
  ElementType element;
  int exponent_bits, mantissa_bits, bias;
  Overflow overflow;
  bool nan_is_negative_zero = false;

  int bits() const { return 1 + exponent_bits + mantissa_bits; }
};

const std::vector<FloatRow> kTinyFloats = {
    {ElementType::F8E5M2, 5, 2, 15, Overflow::Infinity},
    {ElementType::F8E4M3, 4, 3, 7, Overflow::Infinity},
    {ElementType::F8E3M4, 3, 4, 3, Overflow::Infinity},
    {ElementType::F8E4M3FN, 4, 3, 7, Overflow::Nan},
    {ElementType::F8E4M3FNUZ, 4, 3, 8, Overflow::Nan, true},
    {ElementType::F8E5M2FNUZ, 5, 2, 16, Overflow::Nan, true},
    {ElementType::F8E4M3B11FNUZ, 4, 3, 11, Overflow::Nan, true},
    {ElementType::F6E2M3FN, 2, 3, 1, Overflow::Saturate},
    {ElementType::F6E3M2FN, 3, 2, 3, Overflow::Saturate},
    {ElementType::F4E2M1FN, 2, 1, 1, Overflow::Saturate}};
const std::vector<FloatRow> kHalfFloats = {{ElementType::F16, 5, 10, 15, Overflow::Infinity},
                                           {ElementType::BF16, 8, 7, 127, Overflow::Infinity}};

constexpr long double kInf = std::numeric_limits<long double>::infinity();
const long double kNan = std::numeric_limits<long double>::quiet_NaN();

/// All numbers of a format, and a search for the nearest one.
class Format {
 public:
  explicit Format(const FloatRow& row) : row_(row) {
    const uint32_t half = 1U << (row.bits() - 1);
    for (uint32_t code = 0; code < half; ++code) {
      values_.push_back(magnitude(code));
      if (std::isfinite(values_.back())) max_code_ = code;
    }
    for (uint32_t code = 0; code < half; ++code) values_.push_back(-values_[code]);
    if (row.nan_is_negative_zero) values_[half] = kNan;
  }

  const FloatRow& row() const { return row_; }
  std::size_t size() const { return values_.size(); }
  long double value(std::size_t code) const { return values_[code]; }

  /// Returns the nearest number. Ties round to the even code. The code after the greatest number is
  /// a neighbour, too.
  long double nearest(long double x) const {
    if (std::isnan(x)) return row_.overflow == Overflow::Saturate ? -0.0L : kNan;
    const long double magnitude = std::abs(x);
    const auto end = values_.begin() + max_code_ + 1;
    const auto above = std::lower_bound(values_.begin(), end, magnitude);
    const auto code = static_cast<uint32_t>(above - values_.begin());
    if (code <= max_code_ && *above == magnitude) return signed_like(*above, x);
    const long double low = values_[code - 1];
    const long double step = code > max_code_ ? low - values_[code - 2] : *above - low;
    const bool up =
        magnitude - low > step / 2 || (magnitude - low == step / 2 && (code - 1) % 2 == 1);
    if (!up) return signed_like(low, x);
    return signed_like(code > max_code_ ? beyond() : *above, x);
  }

 private:
  long double magnitude(uint32_t code) const {
    const auto field = static_cast<int>(code >> row_.mantissa_bits);
    const auto mantissa = static_cast<int>(code & ((1U << row_.mantissa_bits) - 1));
    const bool top = field == (1 << row_.exponent_bits) - 1;
    if (row_.overflow == Overflow::Infinity && top) {
      if (mantissa == 0) return kInf;
      return kNan;
    }
    const bool all_ones = top && mantissa == (1 << row_.mantissa_bits) - 1;
    if (row_.overflow == Overflow::Nan && !row_.nan_is_negative_zero && all_ones) return kNan;
    const int hidden = field == 0 ? 0 : 1 << row_.mantissa_bits;
    return std::ldexp(static_cast<long double>(hidden + mantissa),
                      std::max(field, 1) - row_.bias - row_.mantissa_bits);
  }
  long double beyond() const {
    if (row_.overflow == Overflow::Infinity) return kInf;
    return row_.overflow == Overflow::Nan ? kNan : values_[max_code_];
  }
  long double signed_like(long double magnitude, long double x) const {
    if (magnitude == 0 && row_.nan_is_negative_zero) return 0;
    return std::copysign(magnitude, x);
  }

  FloatRow row_;
  std::vector<long double> values_;
  uint32_t max_code_ = 0;
};

Tensor codes(const Format& format, const std::vector<std::size_t>& all) {
  if (format.row().bits() > 8) {
    std::vector<uint16_t> raw(all.begin(), all.end());
    return bits<uint16_t>(format.row().element, raw);
  }
  std::vector<uint8_t> raw;
  for (const std::size_t code : all) raw.push_back(static_cast<uint8_t>(code));
  return bits<uint8_t>(format.row().element, raw);
}

std::vector<long double> decoded(const Format& format, const Tensor& tensor) {
  std::vector<long double> values;
  const std::size_t size = format.row().bits() > 8 ? 2 : 1;
  for (std::size_t at = 0; at < tensor.bytes().size(); at += size) {
    uint16_t code = 0;
    std::memcpy(&code, tensor.data() + at, size);
    values.push_back(format.value(code));
  }
  return values;
}

bool same(long double x, long double y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return x == y && std::signbit(x) == std::signbit(y);
}

/// Checks a rounded result whose exact value is known with relative error `slack`. Near a tie, both
/// roundings are correct.
bool is_rounding_of(const Format& format, long double exact, long double got, long double slack) {
  return same(format.nearest(exact), got) || same(format.nearest(exact * (1 + slack)), got) ||
         same(format.nearest(exact * (1 - slack)), got);
}

using Function = long double (*)(long double);
const std::map<OpKind, Function> kFunctions = {
    {OpKind::Exponential, [](long double x) { return std::exp(x); }},
    {OpKind::ExponentialMinusOne, [](long double x) { return std::expm1(x); }},
    {OpKind::Log, [](long double x) { return std::log(x); }},
    {OpKind::LogPlusOne, [](long double x) { return std::log1p(x); }},
    {OpKind::Tanh, [](long double x) { return std::tanh(x); }},
    {OpKind::Sine, [](long double x) { return std::sin(x); }},
    {OpKind::Cosine, [](long double x) { return std::cos(x); }},
    {OpKind::Tan, [](long double x) { return std::tan(x); }},
    {OpKind::Sqrt, [](long double x) { return std::sqrt(x); }},
    {OpKind::Rsqrt, [](long double x) { return 1 / std::sqrt(x); }},
    {OpKind::Cbrt, [](long double x) { return std::cbrt(x); }},
    {OpKind::Floor, [](long double x) { return std::floor(x); }},
    {OpKind::Ceil, [](long double x) { return std::ceil(x); }},
    {OpKind::RoundNearestAfz, [](long double x) { return std::round(x); }},
    {OpKind::RoundNearestEven, [](long double x) { return std::nearbyint(x); }},
    {OpKind::Abs, [](long double x) { return std::abs(x); }},
    {OpKind::Negate, [](long double x) { return -x; }},
    {OpKind::ChloErf, [](long double x) { return std::erf(x); }},
    {OpKind::ChloErfc, [](long double x) { return std::erfc(x); }},
    {OpKind::ChloLgamma, [](long double x) { return std::lgamma(x); }},
    {OpKind::ChloAsin, [](long double x) { return std::asin(x); }},
    {OpKind::ChloAcos, [](long double x) { return std::acos(x); }},
    {OpKind::ChloAtan, [](long double x) { return std::atan(x); }},
    {OpKind::ChloAsinh, [](long double x) { return std::asinh(x); }},
    {OpKind::ChloAcosh, [](long double x) { return std::acosh(x); }},
    {OpKind::ChloAtanh, [](long double x) { return std::atanh(x); }},
};

struct Count {
  std::size_t rows = 0;
  std::size_t wrong = 0;
};

TEST_CASE("arithmetic is right for all pairs of floats of one byte",
          "[simulation][kernels][sweep]") {
  using Reference = long double (*)(long double, long double);
  const std::map<OpKind, Reference> references = {
      {OpKind::Add, [](long double x, long double y) { return x + y; }},
      {OpKind::Subtract, [](long double x, long double y) { return x - y; }},
      {OpKind::Multiply, [](long double x, long double y) { return x * y; }},
      {OpKind::Divide, [](long double x, long double y) { return x / y; }},
      {OpKind::Remainder, [](long double x, long double y) { return std::fmod(x, y); }},
  };
  Count count;
  for (const FloatRow& row : kTinyFloats) {
    const Format format(row);
    std::vector<std::size_t> x;
    std::vector<std::size_t> y;
    for (std::size_t at = 0; at < format.size() * format.size(); ++at) {
      x.push_back(at / format.size());
      y.push_back(at % format.size());
    }
    for (const auto& [kind, reference] : references) {
      const auto got = decoded(format, evaluate_op(kind, {codes(format, x), codes(format, y)}));
      for (std::size_t at = 0; at < x.size(); ++at, ++count.rows) {
        const long double exact = reference(format.value(x[at]), format.value(y[at]));
        // Quotients are first rounded to f64, which does not change the result.
        if (same(format.nearest(exact), got[at])) continue;
        if (++count.wrong > 20) continue;
        UNSCOPED_INFO(shardy::ir::info(kind).name << " of " << to_string(row.element) << ": "
                                                  << format.value(x[at]) << ", "
                                                  << format.value(y[at]) << " gives " << got[at]);
      }
    }
  }
  std::cout << "pairs of floats of one byte: " << count.rows << " rows\n";
  CHECK(count.wrong == 0);
}

TEST_CASE("functions are right for all floats of one and two bytes",
          "[simulation][kernels][sweep]") {
  const std::set<OpKind> exact = {OpKind::Sqrt,  OpKind::Floor,           OpKind::Ceil,
                                  OpKind::Abs,   OpKind::RoundNearestAfz, OpKind::RoundNearestEven,
                                  OpKind::Negate};
  Count count;
  std::vector<FloatRow> rows = kTinyFloats;
  rows.insert(rows.end(), kHalfFloats.begin(), kHalfFloats.end());
  for (const FloatRow& row : rows) {
    const Format format(row);
    std::vector<std::size_t> x;
    for (std::size_t code = 0; code < format.size(); ++code) x.push_back(code);
    for (const auto& [kind, reference] : kFunctions) {
      const auto got = decoded(format, evaluate_op(kind, {codes(format, x)}));
      for (std::size_t at = 0; at < x.size(); ++at, ++count.rows) {
        const long double slack = exact.contains(kind) ? 0 : 0x1p-49L;
        if (is_rounding_of(format, reference(format.value(at)), got[at], slack)) continue;
        if (++count.wrong > 20) continue;
        UNSCOPED_INFO(shardy::ir::info(kind).name << " of " << to_string(row.element) << ": "
                                                  << format.value(at) << " gives " << got[at]);
      }
    }
  }
  std::cout << "functions of floats of one and two bytes: " << count.rows << " rows\n";
  CHECK(count.wrong == 0);
}

/// Returns f32 values over the full range. Their bit patterns differ by a prime.
std::vector<float> spread_floats() {
  std::vector<float> values = {0.0F, -0.0F};
  for (uint64_t raw = 0; raw < uint64_t{1} << 32U; raw += 4999) {
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(raw)));
  }
  return values;
}

TEST_CASE("vectorized functions are right", "[simulation][kernels][sweep]") {
  const std::vector<float> x = spread_floats();
  const auto results = [](OpKind kind, const std::vector<float>& operand) {
    const Tensor result = evaluate_op(kind, {bits<float>(ElementType::F32, operand)});
    const auto elements = result.elements<float>();
    return std::vector<float>(elements.begin(), elements.end());
  };
  Count count;
  for (const OpKind kind :
       {OpKind::Exponential, OpKind::ExponentialMinusOne, OpKind::Log, OpKind::Tanh}) {
    const Function reference = kFunctions.at(kind);
    const std::vector<float> got = results(kind, x);
    for (std::size_t at = 0; at < x.size(); ++at, ++count.rows) {
      const long double exact = reference(x[at]);
      const auto is_rounded = [&](long double slack) {
        return same(static_cast<float>(exact * (1 + slack)), got[at]);
      };
      if (is_rounded(0) || is_rounded(0x1p-49L) || is_rounded(-0x1p-49L)) continue;
      if (++count.wrong > 20) continue;
      UNSCOPED_INFO(shardy::ir::info(kind).name << ": " << x[at] << " gives " << got[at]);
    }
    // Few elements do not fill a vector register.
    for (std::size_t size = 1; size < 40; ++size) {
      const auto first = x.begin() + 200'000;
      const std::vector<float> few = results(kind, {first, first + static_cast<int64_t>(size)});
      CHECK(std::equal(few.begin(), few.end(), got.begin() + 200'000));
    }
  }
  std::cout << "functions of floats of four bytes: " << count.rows << " rows\n";
  CHECK(count.wrong == 0);
}

TEST_CASE("conversions are right between all floats of one and two bytes",
          "[simulation][kernels][sweep]") {
  Count count;
  std::vector<FloatRow> rows = kTinyFloats;
  rows.insert(rows.end(), kHalfFloats.begin(), kHalfFloats.end());
  for (const FloatRow& from_row : rows) {
    const Format from(from_row);
    std::vector<std::size_t> x;
    for (std::size_t code = 0; code < from.size(); ++code) x.push_back(code);
    for (const FloatRow& to_row : rows) {
      const Format to(to_row);
      const Tensor converted =
          evaluate_graph({codes(from, x)}, [&](GraphBuilder& graph, const Values& arguments) {
            return Values{graph.convert(arguments[0], to_row.element)};
          })[0];
      const auto got = decoded(to, converted);
      for (std::size_t at = 0; at < x.size(); ++at, ++count.rows) {
        if (same(to.nearest(from.value(at)), got[at])) continue;
        if (++count.wrong > 20) continue;
        UNSCOPED_INFO(to_string(from_row.element) << " to " << to_string(to_row.element) << ": "
                                                  << from.value(at) << " gives " << got[at]);
      }
    }
  }
  std::cout << "conversions of floats of one and two bytes: " << count.rows << " rows\n";
  CHECK(count.wrong == 0);
}

}  // namespace
}  // namespace shardy_test::sweep_test
