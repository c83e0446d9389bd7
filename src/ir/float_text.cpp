#include "float_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "shardy/ir/detail/number.hpp"

namespace shardy::ir {

namespace {

/// A natural number of any size, stored as 32-bit limbs, least significant limb first.
class BigNatural {
 public:
  explicit BigNatural(uint64_t value) {
    for (; value != 0; value >>= 32U) limbs_.push_back(static_cast<uint32_t>(value));
  }

  bool is_zero() const { return limbs_.empty(); }
  int bit_length() const {
    if (is_zero()) return 0;
    int top = 0;
    for (uint32_t limb = limbs_.back(); limb != 0; limb >>= 1U) ++top;
    return static_cast<int>(limbs_.size() - 1) * 32 + top;
  }
  void shift_left(int count) {
    for (; count >= 31; count -= 31) multiply(uint32_t{1} << 31U);
    if (count > 0) multiply(uint32_t{1} << static_cast<unsigned>(count));
  }
  void multiply(uint32_t factor) {
    uint64_t carry = 0;
    for (uint32_t& limb : limbs_) {
      carry += uint64_t{limb} * factor;
      limb = static_cast<uint32_t>(carry);
      carry >>= 32U;
    }
    if (carry != 0) limbs_.push_back(static_cast<uint32_t>(carry));
  }
  void multiply_power_of_5(int exponent) {
    constexpr uint32_t kFiveTo13 = 1220703125;
    for (; exponent >= 13; exponent -= 13) multiply(kFiveTo13);
    for (; exponent > 0; --exponent) multiply(5);
  }
  /// Divides by `divisor`, rounding down, and returns the remainder.
  uint32_t divide(uint32_t divisor) {
    uint64_t rest = 0;
    for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
      rest = (rest << 32U) | *limb;
      *limb = static_cast<uint32_t>(rest / divisor);
      rest %= divisor;
    }
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
    return static_cast<uint32_t>(rest);
  }
  /// Divides in several steps: rounding down after each step gives the same result as rounding down
  /// once.
  void divide_power_of_10(int exponent) {
    for (; exponent >= 9; exponent -= 9) divide(1000000000);
    for (; exponent > 0; --exponent) divide(10);
  }

 private:
  std::vector<uint32_t> limbs_;
};

/// |x| = 0.d1d2d3... written as the decimal digits and the power of ten of the last digit.
struct Digits {
  std::string digits;
  int exponent = 0;
};

void drop_zeros(Digits& value) {
  while (value.digits.size() > 1 && value.digits.back() == '0') {
    value.digits.pop_back();
    ++value.exponent;
  }
}

/// Rounds the decimal digits to `count` digits, halves up.
void round_to(Digits& value, std::size_t count) {
  if (value.digits.size() <= count) return;
  const bool up = value.digits[count] >= '5';
  value.exponent += static_cast<int>(value.digits.size() - count);
  value.digits.resize(count);
  if (up) {
    std::size_t at = count;
    while (at > 0 && value.digits[at - 1] == '9') value.digits[--at] = '0';
    if (at > 0) {
      ++value.digits[at - 1];
    } else {
      value.digits.insert(value.digits.begin(), '1');
    }
  }
  drop_zeros(value);
}

/// Returns at most `count` digits of a value that is not zero. Spec: stablehlo 13.3, DIGITS.
Digits digits_of(double value, int count) {
  const detail::Magnitude magnitude = detail::magnitude_of(value);
  const int zeros = std::countr_zero(magnitude.value);
  const int power = magnitude.exponent + zeros;
  BigNatural number(magnitude.value >> static_cast<unsigned>(zeros));
  Digits result;
  if (power >= 0) {
    number.shift_left(power);
  } else {
    number.multiply_power_of_5(-power);
    result.exponent = power;
  }
  const int wanted_bits = (196 * count + 58) / 59;
  const int spare = number.bit_length() - wanted_bits;
  const int dropped = spare > 0 ? spare * 59 / 196 : 0;
  number.divide_power_of_10(dropped);
  result.exponent += dropped;
  while (!number.is_zero()) {
    uint32_t part = number.divide(1000000000);
    for (int digit = 0; digit < 9 && (part != 0 || !number.is_zero()); ++digit) {
      result.digits += static_cast<char>('0' + part % 10);
      part /= 10;
    }
  }
  std::ranges::reverse(result.digits);
  drop_zeros(result);
  round_to(result, static_cast<std::size_t>(count));
  return result;
}

/// Formats the value as `1.000000e-01`.
std::string scientific(double value) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (value == 0) return sign + "0.000000e+00";
  Digits digits = digits_of(value, 6);
  const int power = digits.exponent + static_cast<int>(digits.digits.size()) - 1;
  digits.digits.resize(7, '0');
  std::string exponent = std::to_string(std::abs(power));
  if (exponent.size() < 2) exponent.insert(0, "0");
  return sign + digits.digits.substr(0, 1) + "." + digits.digits.substr(1) +
         (power < 0 ? "e-" : "e+") + exponent;
}

/// Formats the value as `12345.6777` or `9.99999974E-6`. The text always has a point, because MLIR
/// reads a number without a point as an integer. Spec: stablehlo 13.3, SHORT.
std::string shortest(double value, int count) {
  const std::string sign = std::signbit(value) ? "-" : "";
  if (value == 0) return sign + "0.0";
  const Digits digits = digits_of(value, count);
  const int length = static_cast<int>(digits.digits.size());
  const int power = digits.exponent + length - 1;
  const bool is_scientific =
      digits.exponent >= 0 ? digits.exponent > 3 || length + digits.exponent > count : power < -3;
  if (is_scientific) {
    const std::string rest = length > 1 ? digits.digits.substr(1) : "0";
    return sign + digits.digits.substr(0, 1) + "." + rest + "E" + (power < 0 ? "-" : "+") +
           std::to_string(std::abs(power));
  }
  if (digits.exponent >= 0) {
    return sign + digits.digits + std::string(static_cast<std::size_t>(digits.exponent), '0');
  }
  const int point = length + digits.exponent;
  if (point > 0) {
    const auto at = static_cast<std::size_t>(point);
    return sign + digits.digits.substr(0, at) + "." + digits.digits.substr(at);
  }
  return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits.digits;
}

std::string hex_text(uint64_t bits) {
  char buffer[16];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), bits, 16);
  std::string text(buffer, end);
  for (char& c : text) c = c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  return "0x" + text;
}

/// Returns the precision of a float type in bits, including the hidden bit.
int precision_of(ElementType type) {
  if (type == ElementType::F64) return 53;
  if (type == ElementType::F32) return 24;
  return float_format(type).mantissa_bits + 1;
}

/// Checks that reading the text, with one rounding, gives the element back.
bool reads_back(const std::string& text, std::span<const std::byte> bytes, ElementType type) {
  const char* const end = text.data() + text.size();
  std::vector<std::byte> read;
  if (type == ElementType::F32) {
    float value = 0;
    if (std::from_chars(text.data(), end, value).ec != std::errc())
      value = std::strtof(text.c_str(), nullptr);
    read.resize(sizeof value);
    detail::store(std::span(read), value);
  } else {
    double value = 0;
    if (std::from_chars(text.data(), end, value).ec != std::errc())
      value = std::strtod(text.c_str(), nullptr);
    read = encode(value, type);
  }
  return std::ranges::equal(read, bytes);
}

// Bits of the mantissa of a double that a float does not have.
constexpr unsigned kSpareBits = 52 - 23;

}  // namespace

std::vector<std::byte> float_bytes(double value, ElementType type) {
  if (type != ElementType::F32 || !std::isnan(value)) return encode(value, type);
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = (bits >> 63U) << 31U;
  std::vector<std::byte> bytes(4);
  detail::store_bits(bytes, sign | 0x7F800000U | ((bits >> kSpareBits) & 0x7FFFFFU));
  return bytes;
}

double float_value(std::span<const std::byte> bytes, ElementType type) {
  const uint64_t bits = detail::load_bits(bytes);
  const bool is_nan = type == ElementType::F32 && (bits & 0x7FFFFFFFU) > 0x7F800000U;
  if (!is_nan) return decode_double(bytes, type);
  return std::bit_cast<double>(((bits >> 31U) << 63U) | (uint64_t{0x7FF} << 52U) |
                               ((bits & 0x7FFFFFU) << kSpareBits));
}

std::string float_text(std::span<const std::byte> bytes, ElementType type) {
  const double value = decode_double(bytes, type);
  if (std::isfinite(value)) {
    std::string text = scientific(value);
    if (reads_back(text, bytes, type)) return text;
    text = shortest(value, 2 + precision_of(type) * 59 / 196);
    if (text.find('.') != std::string::npos) return text;
  }
  return hex_text(detail::load_bits(bytes));
}

}  // namespace shardy::ir
