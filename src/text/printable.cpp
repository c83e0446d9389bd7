#include "text/printable.hpp"

#include <cstdint>

#include "text/utf8.hpp"

namespace shardy::text {

namespace {

/// C1 controls: U+0080..U+009F.
bool is_control(std::string_view character) {
  const auto byte = static_cast<uint8_t>(character.back());
  return character.size() == 2 && character[0] == '\xC2' && byte <= 0x9F;
}

/// U+061C, U+200E, U+200F, U+2028..U+202E, U+2066..U+2069.
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
