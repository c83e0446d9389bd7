#include "text/bytes_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "shardy/support/scanner.hpp"

namespace shardy::text {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value of each character as a base64 digit; -1 for other characters.
constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t index = 0; index < kDigits.size(); ++index) {
    values[static_cast<uint8_t>(kDigits[index])] = static_cast<int8_t>(index);
  }
  return values;
}();

/// The value of each character as a hex digit; -1 for other characters.
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
  int all = 0;  // negative after an invalid digit
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

namespace {

uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<uint8_t>(text[index]);
}

/// Returns the length of the UTF-8 sequence that starts with the byte `lead`; 0 if no sequence
/// does.
std::size_t sequence_size(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// Checks the second byte of a sequence. Its range excludes overlong forms, surrogates and code
/// points above U+10FFFF.
bool second_byte_fits(uint8_t lead, uint8_t second) {
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= low && second <= high;
}

}  // namespace

std::size_t code_point_size(std::string_view text) {
  const uint8_t lead = byte_at(text, 0);
  const std::size_t size = sequence_size(lead);
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t index = 1; index < size; ++index) {
    if ((byte_at(text, index) & 0xC0U) != 0x80) return 0;
  }
  return size == 1 || second_byte_fits(lead, byte_at(text, 1)) ? size : 0;
}

namespace {

/// Returns true for the C1 control characters U+0080..U+009F.
bool is_control(std::string_view character) {
  const auto byte = static_cast<uint8_t>(character.back());
  return character.size() == 2 && character[0] == '\xC2' && byte <= 0x9F;
}

/// Returns true for characters that change the direction or break lines: U+061C, U+200E, U+200F,
/// U+2028..U+202E, U+2066..U+2069.
bool turns_or_breaks_lines(std::string_view character) {
  if (character == "\xD8\x9C") return true;
  if (character.size() != 3 || character[0] != '\xE2') return false;
  const auto last = static_cast<uint8_t>(character[2]);
  if (character[1] == '\x81') return last >= 0xA6 && last <= 0xA9;
  return character[1] == '\x80' && (last == 0x8E || last == 0x8F || (last >= 0xA8 && last <= 0xAE));
}

bool is_shown(std::string_view character) {
  if (character.size() > 1) return !is_control(character) && !turns_or_breaks_lines(character);
  return character[0] == '\t' || (character[0] >= ' ' && character[0] <= '~');
}

void append_escaped(std::string& result, std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    result += {'\\', kHex[byte >> 4U], kHex[byte & 15U]};
  }
}

template <class KeepsNewline>
std::string printable(std::string_view text, KeepsNewline keeps_newline) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = code_point_size(text);
    const std::string_view character = text.substr(0, size == 0 ? 1 : size);
    const bool is_kept = character[0] == '\n' ? keeps_newline(text.substr(1)) : size != 0;
    if (is_kept && (character[0] == '\n' || is_shown(character))) {
      result += character;
    } else {
      append_escaped(result, character);
    }
    text.remove_prefix(character.size());
  }
  return result;
}

}  // namespace

std::string printable_line(std::string_view text) {
  return printable(text, [](std::string_view) { return false; });
}

std::string printable_text(std::string_view text) {
  return printable(text, [](std::string_view) { return true; });
}

std::string printable_message(std::string_view text) {
  return printable(text, [](std::string_view rest) { return rest.starts_with("  "); });
}

}  // namespace shardy::text
