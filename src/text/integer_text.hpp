// The digits of integer literals: `12`, `-3`, `0xFF`.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace shardy::text {

struct IntegerText {
  bool is_negative = false;
  bool is_hex = false;
  bool fits = false;  // the magnitude, in 64 bits
  uint64_t magnitude = 0;
};

inline IntegerText read_integer_text(std::string_view text) {
  IntegerText number;
  number.is_negative = text.starts_with('-');
  if (number.is_negative) text.remove_prefix(1);
  number.is_hex = text.starts_with("0x");
  if (number.is_hex) text.remove_prefix(2);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number.magnitude,
                                      number.is_hex ? 16 : 10);
  number.fits = result.ec == std::errc();
  return number;
}

}  // namespace shardy::text
