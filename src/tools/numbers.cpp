#include "tools/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

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
