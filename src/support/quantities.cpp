#include "support/quantities.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace shardy {

namespace {

/// Returns the power of ten of the first digit of the number rounded to three digits.
int exponent_of(double number) {
  const std::string text = fmt::format("{:.2e}", number);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

/// Returns a text such as "0.279", "1.92" or "33.5"; from 1,000 on, an integer with separators.
std::string three_digits(double number) {
  constexpr int kLeast = -4;  // smaller numbers are written with an exponent
  constexpr int kMost = 15;
  const int exponent = exponent_of(number);
  if (exponent < kLeast || exponent > kMost) return fmt::format("{:.2e}", number);
  if (exponent > 2) return grouped(std::llround(number));
  return fmt::format("{:.{}f}", number, 2 - exponent);
}

struct ScaledUnit {
  const char* name;
  int exponent;
};

constexpr std::array kTimeUnits = {ScaledUnit{"s", 0}, ScaledUnit{"ms", -3}, ScaledUnit{"us", -6},
                                   ScaledUnit{"ns", -9}};
constexpr std::array kDecimalUnits = {ScaledUnit{"P", 15}, ScaledUnit{"T", 12}, ScaledUnit{"G", 9},
                                      ScaledUnit{"M", 6}};

/// Writes the number in the largest unit that the number reaches, or else in the smallest unit.
template <std::size_t kSize>
std::string scaled_text(double number, const std::array<ScaledUnit, kSize>& units) {
  const int exponent = exponent_of(number);
  const ScaledUnit* unit = units.data();
  while (exponent < unit->exponent && unit != &units.back()) ++unit;
  return three_digits(number / std::pow(10.0, unit->exponent)) + " " + unit->name;
}

}  // namespace

std::string grouped(int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string signed_grouped(int64_t number) { return (number > 0 ? "+" : "") + grouped(number); }

std::string bytes_text(int64_t bytes) { return grouped(bytes) + (bytes == 1 ? " byte" : " bytes"); }

std::string headline_bytes(int64_t bytes) { return grouped(bytes) + headline_unit(bytes); }

std::string headline_unit(int64_t bytes) {
  constexpr double kKibi = 1024;
  constexpr double kRoundsToNext = kKibi - 0.5;
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return bytes == 1 ? " byte" : " bytes";
  std::size_t unit = 0;
  double scaled = static_cast<double>(bytes) / kKibi;
  for (; scaled >= kRoundsToNext && unit + 1 < kUnits.size(); ++unit) scaled /= kKibi;
  return fmt::format(" bytes ({} {})", three_digits(scaled), kUnits.at(unit));
}

std::string operations_number(double operations) {
  constexpr double kMostGrouped = 999'999.5;
  if (std::abs(operations) < kMostGrouped) return grouped(std::llround(operations));
  return scaled_text(operations, kDecimalUnits);
}

std::string operations_text(double operations) {
  const std::string number = operations_number(operations);
  return number + (number == "1" ? " operation" : " operations");
}

std::string time_text(double seconds) {
  return seconds == 0 ? "0 ns" : scaled_text(seconds, kTimeUnits);
}

std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

std::string change_text(double before, double after) {
  if (before == 0 && after != 0) return "from 0";
  return fmt::format("{:+.1f} %", before == after ? 0.0 : 100 * (after / before - 1));
}

}  // namespace shardy
