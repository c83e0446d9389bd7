#include "text/json_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "shardy/support/result.hpp"
#include "text/bytes_text.hpp"

namespace shardy::text {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";

uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<uint8_t>(text[index]);
}

/// Returns true for the code points U+10FF00..U+10FFFF, which represent bytes.
bool is_byte_code_point(std::string_view text) {
  return text.size() >= 4 && text.substr(0, 2) == "\xF4\x8F" && byte_at(text, 2) >= 0xBC &&
         byte_at(text, 2) <= 0xBF && (byte_at(text, 3) & 0xC0U) == 0x80;
}

void append_unit(std::string& text, uint32_t unit) {
  text += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) text += kHex[(unit >> shift) & 15U];
}

/// Appends one code point as escaped UTF-16.
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

JsonWriter& JsonWriter::key(std::string_view name) {
  add({.kind = Token::Kind::Key, .text = quoted_json(name, is_ascii_) + ": "});
  return *this;
}

void JsonWriter::string(std::string_view bytes) { scalar(quoted_json(bytes, is_ascii_)); }

void JsonWriter::number(double value) { scalar(json_number(value)); }

void JsonWriter::scalar(std::string text) {
  add({.kind = Token::Kind::Scalar, .text = std::move(text)});
}

void JsonWriter::begin(char bracket, JsonLayout layout) {
  if (layout == JsonLayout::Broken && open_.empty()) {
    start_element(0);
    return open(bracket, layout);
  }
  open_.push_back(pending_.size());
  add({.kind = Token::Kind::Begin, .text = std::string(1, bracket)});
}

void JsonWriter::end(char bracket) {
  if (open_.empty()) return close(bracket);
  const std::size_t begin = open_.back();
  open_.pop_back();
  pending_.push_back({.kind = Token::Kind::End, .text = std::string(1, bracket)});
  measure(begin);
  if (!open_.empty()) return;
  flush();
  pending_.clear();
}

/// Adds a token: a complete value, or a part of the current value.
void JsonWriter::add(Token token) {
  token.size = token.text.size();
  if (!open_.empty()) {
    pending_.push_back(std::move(token));
    return;
  }
  start_element(token.size);
  write(token);
}

/// Computes the size, on one line, of the value whose Begin is at `begin`. Requires: the sizes of
/// nested values are computed.
void JsonWriter::measure(std::size_t begin) {
  const std::size_t end = pending_.size() - 1;
  std::size_t size = 2;
  bool separate = false;
  for (std::size_t index = begin + 1; index < end; ++index) {
    const Token& token = pending_[index];
    size += token.size + (separate ? 2 : 0);
    separate = token.kind != Token::Kind::Key;
    if (token.kind == Token::Kind::Begin) index = token.partner;
  }
  pending_[begin].size = size;
  pending_[begin].partner = end;
}

/// Writes the pending value, broken into lines if it does not fit the line.
void JsonWriter::flush() {
  for (std::size_t index = 0; index < pending_.size(); ++index) {
    const Token& token = pending_[index];
    if (token.kind == Token::Kind::End) {
      close(token.text.front());
      continue;
    }
    const bool is_key = token.kind == Token::Kind::Key;
    start_element(token.size + (is_key ? pending_[index + 1].size : 0));
    if (token.kind != Token::Kind::Begin) {
      write(token);
    } else if (has_room(token.size) || token.partner == index + 1) {
      write_flat(index, token.partner);
      index = token.partner;
    } else {
      open(token.text.front(), JsonLayout::Fit);
    }
  }
}

void JsonWriter::write_flat(std::size_t begin, std::size_t end) {
  bool separate = false;
  for (std::size_t index = begin; index <= end; ++index) {
    const Token& token = pending_[index];
    if (separate && token.kind != Token::Kind::End) text_ += ", ";
    text_ += token.text;
    separate = token.kind == Token::Kind::Scalar || token.kind == Token::Kind::End;
  }
  after_key_ = false;
}

void JsonWriter::write(const Token& token) {
  text_ += token.text;
  after_key_ = token.kind == Token::Kind::Key;
}

/// Separates the next element, which has `size` characters, from the previous one.
void JsonWriter::start_element(std::size_t size) {
  if (after_key_ || levels_.empty()) return;
  OpenBracket& level = levels_.back();
  const bool first = std::exchange(level.empty, false);
  if (!first) text_ += ',';
  if (level.layout == JsonLayout::Broken || (!first && !has_room(size + 1))) {
    new_line(level.indent);
  } else if (!first) {
    text_ += ' ';
  }
}

void JsonWriter::open(char bracket, JsonLayout layout) {
  text_ += bracket;
  after_key_ = false;
  const std::size_t outer = levels_.empty() ? 0 : levels_.back().indent;
  const std::size_t indent = layout == JsonLayout::Broken ? outer + 2 : column();
  levels_.push_back({indent, layout});
}

void JsonWriter::close(char bracket) {
  const OpenBracket level = levels_.back();
  levels_.pop_back();
  if (level.layout == JsonLayout::Broken && !level.empty) new_line(level.indent - 2);
  text_ += bracket;
  after_key_ = false;
}

void JsonWriter::new_line(std::size_t indent) {
  text_ += '\n';
  line_start_ = text_.size();
  text_.append(std::min(indent, kMaxIndent), ' ');
}

}  // namespace shardy::text
