// Numbers that options take.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "shardy/support/result.hpp"

namespace shardy::tools {

/// The integer that the whole text spells in decimal digits.
/// Errors: anything else, a number out of the range.
template <std::integral Int>
Result<Int> read_integer(std::string_view text, Int least = 0,
                         Int most = std::numeric_limits<Int>::max()) {
  Int value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && value >= least && value <= most) return value;
  return fail("expected an integer from " + std::to_string(least) + " to " + std::to_string(most) +
              ", got: " + std::string(text));
}

/// The same of a real number. Errors: also negative ones, infinities and NaN.
Result<double> read_magnitude(std::string_view text);

/// A number of bytes, with or without a unit: "65536", "5MB" (10^6 bytes each), "1.5GiB" (2^30).
/// Errors: anything else, parts of bytes, a number out of the range.
Result<int64_t> read_bytes(std::string_view text);

/// Two integers with an `x` between: "2x4".
struct IntegerPair {
  int64_t first = 0;
  int64_t second = 0;
};
/// Errors: anything else.
Result<IntegerPair> read_pair(std::string_view text);

/// "1.5 us".
std::string time_text(double seconds);

}  // namespace shardy::tools
