#include "tools/numbers.hpp"

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

}  // namespace shardy::tools
