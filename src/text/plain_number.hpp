// Numbers as they mostly are, read in one pass; all others are for the general reader.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "shardy/support/quote.hpp"

namespace shardy::text {

/// Reads numbers of a list: `-12`, `0.5`, `6.25e-02`, each followed by a blank, a comma or a
/// bracket. Returns std::nullopt, and does not move, at a number with more digits than are exact,
/// with a prefix, or without an end.
class PlainNumbers {
 public:
  PlainNumbers(std::string_view text, std::size_t at)
      : at_(text.data() + at), next_(at_), end_(text.data() + text.size()) {}

  /// Behind the last number that was read.
  std::size_t position(std::string_view text) const {
    return static_cast<std::size_t>(at_ - text.data());
  }

  /// The nearest number: a product or quotient of two exact ones is rounded once.
  std::optional<double> real() {
    const char* at = next_;
    const bool is_negative = eat_sign(at);
    Digits digits;
    if (!read_digits(at, digits) || at == end_ || *at != '.') return std::nullopt;
    const char* const point = at++;
    read_digits(at, digits);
    int64_t exponent = point + 1 - at;
    if (at != end_ && (*at == 'e' || *at == 'E') && !read_exponent(at, exponent)) {
      return std::nullopt;
    }
    constexpr uint64_t kMost = uint64_t{1} << std::numeric_limits<double>::digits;
    constexpr auto kMostPower = static_cast<int64_t>(kPowers.size()) - 1;
    const bool is_exact = digits.count <= kMostDigits && digits.value <= kMost &&
                          exponent <= kMostPower && -exponent <= kMostPower;
    if (!is_exact || !ends(at)) return std::nullopt;
    at_ = next_ = at;
    const auto whole = static_cast<double>(digits.value);
    const double value = exponent < 0 ? whole / kPowers[static_cast<std::size_t>(-exponent)]
                                      : whole * kPowers[static_cast<std::size_t>(exponent)];
    return is_negative ? -value : value;
  }

  /// Only one from `least` to `most`.
  std::optional<int64_t> integer(int64_t least, int64_t most) {
    const char* at = next_;
    const bool is_negative = eat_sign(at);
    Digits digits;
    if (!read_digits(at, digits) || digits.count > kMostDigits || !ends(at)) return std::nullopt;
    const auto magnitude = static_cast<int64_t>(digits.value);
    const int64_t value = is_negative ? -magnitude : magnitude;
    const bool has_fit_sign = !is_negative || least < 0;
    if (!has_fit_sign || value < least || value > most) return std::nullopt;
    at_ = next_ = at;
    return value;
  }

  /// Over `, ` or `,`, to the number that may be read next.
  bool go_on() {
    if (at_ == end_ || *at_ != ',') return false;
    next_ = end_ - at_ > 1 && at_[1] == ' ' ? at_ + 2 : at_ + 1;
    return true;
  }

 private:
  /// As many nines fit 64 bits.
  static constexpr std::ptrdiff_t kMostDigits = 18;
  /// Powers of ten that are doubles.
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

  struct Digits {
    uint64_t value = 0;  // wraps around beyond kMostDigits
    std::ptrdiff_t count = 0;
  };

  bool eat_sign(const char*& at) const {
    if (at == end_ || *at != '-') return false;
    ++at;
    return true;
  }
  /// False if there is none.
  bool read_digits(const char*& at, Digits& digits) const {
    const char* const begin = at;
    for (; at != end_ && is_digit(*at); ++at) {
      digits.value = digits.value * 10 + static_cast<uint64_t>(*at - '0');
    }
    digits.count += at - begin;
    return at != begin;
  }
  /// Behind the `e`; adds to `exponent`.
  bool read_exponent(const char*& at, int64_t& exponent) const {
    ++at;
    const bool is_negative = at != end_ && *at == '-';
    if (at != end_ && (*at == '-' || *at == '+')) ++at;
    Digits digits;
    if (!read_digits(at, digits) || digits.count > 3) return false;
    exponent +=
        is_negative ? -static_cast<int64_t>(digits.value) : static_cast<int64_t>(digits.value);
    return true;
  }
  bool ends(const char* at) const {
    return at != end_ && (*at == ',' || *at == ']' || *at == ' ' || *at == '\n');
  }

  const char* at_;
  const char* next_;
  const char* end_;
};

}  // namespace shardy::text
