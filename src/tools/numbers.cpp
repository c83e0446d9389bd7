#include "tools/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "shardy/support/math.hpp"

namespace shardy::tools {

Result<double> read_magnitude(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && rest == end && std::isfinite(value) && !std::signbit(value)) {
    return value;
  }
  return fail("expected a finite number that is not negative, got: " + std::string(text));
}

namespace {

struct ByteUnit {
  std::string_view name;
  int64_t bytes;
};

constexpr int64_t kKilo = 1000;
constexpr int64_t kKibi = 1024;
constexpr auto kByteUnits = std::to_array<ByteUnit>({{"", 1},
                                                     {"B", 1},
                                                     {"KB", kKilo},
                                                     {"kB", kKilo},
                                                     {"MB", kKilo* kKilo},
                                                     {"GB", kKilo* kKilo* kKilo},
                                                     {"TB", kKilo* kKilo* kKilo* kKilo},
                                                     {"KiB", kKibi},
                                                     {"MiB", kKibi* kKibi},
                                                     {"GiB", kKibi* kKibi* kKibi},
                                                     {"TiB", kKibi* kKibi* kKibi* kKibi}});

/// Returns std::nullopt if the result is not an integer, or does not fit.
std::optional<int64_t> exact_bytes(std::string_view number, int64_t unit) {
  const std::size_t point = number.find('.');
  if (point == std::string_view::npos) {
    const Result<int64_t> whole = read_integer<int64_t>(number);
    return whole ? checked_mul(*whole, unit) : std::nullopt;
  }
  const Result<double> value = read_magnitude(number);
  if (!value) return std::nullopt;
  const double bytes = *value * static_cast<double>(unit);
  constexpr double kMost = 9007199254740992;  // 2^53: integers up to it are exact
  if (bytes > kMost || bytes != std::floor(bytes)) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

}  // namespace

Result<int64_t> read_bytes(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto unit = std::ranges::find(kByteUnits, text.substr(digits), &ByteUnit::name);
  if (digits > 0 && unit != kByteUnits.end()) {
    if (const auto bytes = exact_bytes(text.substr(0, digits), unit->bytes)) return *bytes;
  }
  return fail(
      fmt::format("expected a number of bytes from 0 to {}, such as 4096, 5MB or 1.5GiB, got: {}",
                  std::numeric_limits<int64_t>::max(), text));
}

Result<IntegerPair> read_pair(std::string_view text) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos)
    return fail("expected two integers, got: " + std::string(text));
  SHARDY_TRY(const int64_t first, read_integer<int64_t>(text.substr(0, cross)));
  SHARDY_TRY(const int64_t second, read_integer<int64_t>(text.substr(cross + 1)));
  return IntegerPair{first, second};
}

std::string time_text(double seconds) {
  struct Unit {
    const char* name;
    double seconds;
  };
  constexpr std::array kUnits = {Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}};
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.seconds) return fmt::format("{:.4g} {}", seconds / unit.seconds, unit.name);
  }
  return fmt::format("{:.4g} ns", seconds / 1e-9);
}

}  // namespace shardy::tools
