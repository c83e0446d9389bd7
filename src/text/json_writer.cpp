#include "text/json_writer.hpp"

#include <algorithm>
#include <utility>

#include "shardy/support/result.hpp"
#include "text/json_string.hpp"

namespace shardy::text {

JsonWriter& JsonWriter::key(std::string_view name) {
  add({.kind = Token::Kind::Key, .text = quoted_json(name, is_ascii_) + ": "});
  return *this;
}

void JsonWriter::string(std::string_view bytes) { scalar(quoted_json(bytes, is_ascii_)); }

void JsonWriter::number(double value) { scalar(json_number(value)); }

void JsonWriter::scalar(std::string text) {
  add({.kind = Token::Kind::Scalar, .text = std::move(text)});
}

void JsonWriter::begin(char bracket, Layout layout) {
  if (layout == Layout::Broken) {
    SHARDY_ASSERT(open_.empty());
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

/// A token of its own, or one more of the value that is not complete.
void JsonWriter::add(Token token) {
  token.size = token.text.size();
  if (!open_.empty()) {
    pending_.push_back(std::move(token));
    return;
  }
  start_element(token.size);
  write(token);
}

/// Sets the size on one line of the value whose Begin is at `begin`; the sizes inside are set.
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

/// Writes the pending value, broken where the line has no room.
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
      open(token.text.front(), Layout::Fit);
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

/// Separates the next element, of `size` characters, from the one before it.
void JsonWriter::start_element(std::size_t size) {
  if (after_key_ || levels_.empty()) return;
  Level& level = levels_.back();
  const bool first = std::exchange(level.empty, false);
  if (!first) text_ += ',';
  if (level.layout == Layout::Broken || (!first && !has_room(size + 1))) {
    new_line(level.indent);
  } else if (!first) {
    text_ += ' ';
  }
}

void JsonWriter::open(char bracket, Layout layout) {
  text_ += bracket;
  after_key_ = false;
  const std::size_t outer = levels_.empty() ? 0 : levels_.back().indent;
  const std::size_t indent = layout == Layout::Broken ? outer + 2 : column();
  levels_.push_back({indent, layout});
}

void JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.layout == Layout::Broken && !level.empty) new_line(level.indent - 2);
  text_ += bracket;
  after_key_ = false;
}

void JsonWriter::new_line(std::size_t indent) {
  text_ += '\n';
  line_start_ = text_.size();
  text_.append(std::min(indent, kMaxIndent), ' ');
}

}  // namespace shardy::text
