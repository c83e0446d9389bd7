#include "text/bytes_text.hpp"

#include <array>
#include <cstdint>

#include "shardy/support/scanner.hpp"

namespace shardy::text {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Value of each character as a base64 digit, -1 for all others.
constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t index = 0; index < kDigits.size(); ++index) {
    values[static_cast<uint8_t>(kDigits[index])] = static_cast<int8_t>(index);
  }
  return values;
}();

/// Value of each character as a hex digit, -1 for all others.
constexpr auto kHexValues = [] {
  std::array<int8_t, 256> values{};
  for (std::size_t index = 0; index < values.size(); ++index) {
    values[index] = static_cast<int8_t>(detail::hex_digit(static_cast<char>(index)).value_or(-1));
  }
  return values;
}();

int hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

}  // namespace

std::string to_base64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t index = 0; index < bytes.size(); index += 3) {
    const std::size_t used = std::min<std::size_t>(3, bytes.size() - index);
    uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < used ? std::to_integer<uint32_t>(bytes[index + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= used ? kDigits[(bits >> (18U - 6U * k)) & 63U] : '=';
    }
  }
  return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  unsigned num_bits = 0;
  for (const char c : text) {
    const int8_t value = kValues[static_cast<uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = (bits << 6U | static_cast<uint32_t>(value)) & 0xFFFFU;
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    bytes.push_back(static_cast<std::byte>((bits >> num_bits) & 0xFFU));
  }
  if ((bits & ((1U << num_bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::byte>> from_hex_digits(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes(digits.size() / 2);
  int all = 0;  // negative if any is none
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    const int high = hex_value(digits[2 * index]);
    const int low = hex_value(digits[2 * index + 1]);
    all |= high | low;
    bytes[index] = static_cast<std::byte>(
        (static_cast<unsigned>(high) << 4U | static_cast<unsigned>(low)) & 0xFFU);
  }
  return all < 0 ? std::nullopt : std::optional(std::move(bytes));
}

std::optional<std::vector<std::byte>> from_hex(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return from_hex_digits(text);
}

}  // namespace shardy::text
