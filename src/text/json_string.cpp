#include "text/json_string.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "text/utf8.hpp"

namespace shardy::text {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";

uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<uint8_t>(text[index]);
}

/// U+10FF00..U+10FFFF, which stand for bytes.
bool is_byte_code_point(std::string_view text) {
  return text.size() >= 4 && text.substr(0, 2) == "\xF4\x8F" && byte_at(text, 2) >= 0xBC &&
         byte_at(text, 2) <= 0xBF && (byte_at(text, 3) & 0xC0U) == 0x80;
}

void append_unit(std::string& text, uint32_t unit) {
  text += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) text += kHex[(unit >> shift) & 15U];
}

/// One code point as UTF-16.
void append_units(std::string& text, std::string_view utf8) {
  uint32_t point = byte_at(utf8, 0) & (0x7FU >> utf8.size());
  for (std::size_t index = 1; index < utf8.size(); ++index) {
    point = point << 6U | (byte_at(utf8, index) & 0x3FU);
  }
  if (point < 0x10000) return append_unit(text, point);
  append_unit(text, 0xD800U + ((point - 0x10000) >> 10U));
  append_unit(text, 0xDC00U + (point & 0x3FFU));
}

void append_ascii(std::string& text, char c) {
  if (c == '"' || c == '\\') {
    text += {'\\', c};
  } else if (c == '\n') {
    text += "\\n";
  } else if (c == '\t') {
    text += "\\t";
  } else if (c < ' ' || c == '\x7F') {
    append_unit(text, static_cast<uint8_t>(c));
  } else {
    text += c;
  }
}

}  // namespace

std::string quoted_json(std::string_view bytes, bool is_ascii) {
  std::string text = "\"";
  while (!bytes.empty()) {
    std::size_t size = code_point_size(bytes);
    if (size == 0 || is_byte_code_point(bytes)) {
      size = 1;
      append_unit(text, 0xDBFF);
      append_unit(text, 0xDF00U + byte_at(bytes, 0));
    } else if (size == 1) {
      append_ascii(text, bytes.front());
    } else if (is_ascii) {
      append_units(text, bytes.substr(0, size));
    } else {
      text += bytes.substr(0, size);
    }
    bytes.remove_prefix(size);
  }
  return text + "\"";
}

std::string bytes_of_json_string(std::string_view utf8) {
  std::string bytes;
  bytes.reserve(utf8.size());
  while (!utf8.empty()) {
    if (is_byte_code_point(utf8)) {
      const uint32_t high = byte_at(utf8, 2) & 3U;
      bytes += static_cast<char>((high << 6U) | (byte_at(utf8, 3) & 0x3FU));
      utf8.remove_prefix(4);
    } else {
      bytes += utf8.front();
      utf8.remove_prefix(1);
    }
  }
  return bytes;
}

std::string json_number(double value) {
  std::array<char, 40> buffer{};
  const auto [end, failure] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string symbol_string(std::string_view name) {
  return name.starts_with('@') ? "@" + std::string(name) : std::string(name);
}

std::string symbol_of_string(std::string_view text) {
  return std::string(text.starts_with('@') ? text.substr(1) : text);
}

std::string escaped_pointer_token(std::string_view token) {
  std::string text;
  for (const char c : token) {
    if (c == '~') {
      text += "~0";
    } else if (c == '/') {
      text += "~1";
    } else {
      text += c;
    }
  }
  return text;
}

std::string unescaped_pointer_token(std::string_view token) {
  std::string text;
  for (std::size_t index = 0; index < token.size(); ++index) {
    const bool escaped = token[index] == '~' && index + 1 < token.size();
    text += !escaped ? token[index] : token[++index] == '1' ? '/' : '~';
  }
  return text;
}

}  // namespace shardy::text
