#include "text/json_document.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <shardy/ir/detail/number.hpp>
#include <utility>

#include "text/json_writer.hpp"

namespace shardy::text {

namespace {

/// An iterator that counts the characters read; the SAX interface does not.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** furthest) : at_(at), furthest_(furthest) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *furthest_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** furthest_;
};

/// Returns the position of a byte as "12:7". Columns count bytes.
std::string line_and_column(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.find_last_of('\n') + 1;  // npos + 1 is 0
  return std::to_string(line) + ":" + std::to_string(offset - line_start + 1);
}

/// Replaces bytes that are not text by numbers, because the parser quotes its input.
std::string printable(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return text;
}

/// Returns the reason in a message of the parser, without its number and position.
std::string reason(std::string_view what) {
  constexpr std::size_t kLongest = 200;
  const auto drop_until = [&](std::string_view mark) {
    what.remove_prefix(what.find(mark) + mark.size());
  };
  drop_until("] ");
  if (what.find("syntax error") != std::string_view::npos) drop_until(" - ");
  std::string text = printable(what.substr(0, kLongest));
  return what.size() <= kLongest ? text : text.append("...");
}

}  // namespace

/// Builds the tree from the parser's events.
class JsonBuilder {
 public:
  JsonBuilder(JsonDocument& document, std::string_view text, JsonDocument::JsonLimits limits)
      : document_(document), text_(text), furthest_(text.data()), limits_(limits) {}

  CountingIterator first() { return {text_.data(), &furthest_}; }
  CountingIterator last() { return {text_.data() + text_.size(), &furthest_}; }
  Diagnostics take_errors() { return std::move(errors_); }

  bool null() { return scalar(JsonKind::Null, 0); }
  bool boolean(bool value) { return scalar(JsonKind::Boolean, value ? 1 : 0); }
  bool number_integer(int64_t value) {
    return scalar(JsonKind::Integer, static_cast<uint64_t>(value), kLookahead);
  }
  bool number_unsigned(uint64_t value) {
    const bool fits = value <= static_cast<uint64_t>(INT64_MAX);
    return scalar(fits ? JsonKind::Integer : JsonKind::Unsigned, value, kLookahead);
  }
  bool number_float(double value, const std::string& digits) {
    scalar(JsonKind::Float, std::bit_cast<uint64_t>(value), kLookahead);
    if (digits.find_first_of(".eE") != std::string::npos || full()) return true;
    return complain("the number " + digits + " does not fit 64 bits");
  }
  bool string(const std::string& value) {
    const JsonDocument::StringRange text = store(value);
    return scalar(JsonKind::String, uint64_t{text.begin} << 32U | text.size);
  }
  bool binary(const std::vector<uint8_t>&) { return false; }  // JSON text has no such event
  bool key(const std::string& value) {
    key_ = store(value);
    return true;
  }
  bool start_object(std::size_t) { return open(JsonKind::Object); }
  bool start_array(std::size_t) { return open(JsonKind::Array); }
  bool end_object() {
    check_keys();
    return close();
  }
  bool end_array() { return close(); }
  template <class Exception>
  bool parse_error(std::size_t position, const std::string&, const Exception& error) {
    const std::size_t offset = position == 0 ? 0 : position - 1;
    errors_ = {
        Error{"not valid JSON: " + reason(error.what()), line_and_column(text_, offset), {}}};
    return false;
  }

 private:
  using JsonKind = JsonDocument::JsonKind;
  using JsonElement = JsonDocument::JsonElement;
  static constexpr std::ptrdiff_t kLookahead = 1;  // a number ends where the next token starts

  struct OpenContainer {
    uint32_t index;
    uint32_t last_child;
  };

  JsonDocument::StringRange store(const std::string& value) {
    const std::size_t begin = document_.bytes_.size();
    document_.bytes_ += bytes_of_json_string(value);
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(document_.bytes_.size() - begin)};
  }

  /// Returns the line of `place`. Requires: positions ascend from call to call.
  uint32_t line_at(const char* place) {
    for (; counted_ < place; ++counted_) {
      if (*counted_ != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
    return line_;
  }
  /// Returns the column of a position on the line that was counted last.
  uint32_t column_at(const char* place) const {
    constexpr std::ptrdiff_t kMost = (1 << 24) - 1;
    return static_cast<uint32_t>(std::clamp<std::ptrdiff_t>(place - line_begin_ + 1, 1, kMost)) &
           static_cast<uint32_t>(kMost);
  }

  uint32_t add(JsonKind kind, uint64_t bits, std::ptrdiff_t lookahead) {
    const auto index = static_cast<uint32_t>(document_.entries_.size());
    JsonElement entry{.line = line_at(furthest_ - lookahead), .key = key_, .bits = bits};
    entry.kind = kind;
    entry.end_column = column_at(furthest_ - lookahead) & 0xFFFFFFU;
    key_ = {};
    if (!levels_.empty()) {
      OpenContainer& level = levels_.back();
      JsonElement& parent = document_.entries_[level.index];
      (parent.num_children == 0 ? parent.first_child : document_.entries_[level.last_child].next) =
          index;
      ++parent.num_children;
      level.last_child = index;
      entry.parent = level.index;
    }
    document_.entries_.push_back(entry);
    return index;
  }
  bool scalar(JsonKind kind, uint64_t bits, std::ptrdiff_t lookahead = 0) {
    add(kind, bits, lookahead);
    return true;
  }
  bool open(JsonKind kind) {
    if (levels_.size() >= limits_.max_depth) {
      const auto offset = static_cast<std::size_t>(furthest_ - text_.data()) - 1;
      errors_ = {Error{"lists and objects are nested more than " +
                           std::to_string(limits_.max_depth) + " levels deep",
                       line_and_column(text_, offset),
                       {}}};
      return false;
    }
    levels_.push_back({add(kind, 0, 0), 0});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  /// Adds an error at the last node.
  bool complain(std::string message) {
    const JsonNode node =
        *JsonNode::Iterator(&document_, static_cast<uint32_t>(document_.entries_.size() - 1));
    errors_.push_back(Error{std::move(message), node.pointer(), {line_note(node)}});
    return true;
  }
  static std::string line_note(JsonNode node) { return "line " + std::to_string(node.line()); }
  bool full() const { return errors_.size() >= limits_.max_errors; }
  /// Checks that all keys of the object that ends here are different.
  void check_keys() {
    const JsonNode object = *JsonNode::Iterator(&document_, levels_.back().index);
    std::vector<JsonNode> members = object.children();
    std::ranges::stable_sort(members, {}, &JsonNode::key);
    for (std::size_t index = 1; index < members.size() && !full(); ++index) {
      if (members[index].key() != members[index - 1].key()) continue;
      errors_.push_back(
          Error{"duplicate key \"" + std::string(members[index].key()) + "\"",
                members[index].pointer(),
                {"the first one is at line " + std::to_string(members[index - 1].line()),
                 line_note(members[index])}});
    }
  }

  JsonDocument& document_;
  std::string_view text_;
  const char* furthest_;  // position after the last character read
  const char* counted_ = text_.data();
  const char* line_begin_ = text_.data();
  uint32_t line_ = 1;
  JsonDocument::JsonLimits limits_;
  JsonDocument::StringRange key_;
  std::vector<OpenContainer> levels_;
  Diagnostics errors_;
};

DiagnosedResult<JsonDocument> JsonDocument::parse(std::string_view text, JsonLimits limits) {
  const auto refuse = [&](std::string message, std::size_t offset) {
    return tl::unexpected(
        Diagnostics{Error{std::move(message), line_and_column(text, offset), {}}});
  };
  if (text.size() >= kNone) return refuse("the text is longer than 4 GiB", 0);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return refuse("not valid JSON: the text is empty", 0);
  }
  // Without this check, the parser would treat a NUL byte as the end of the text.
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) return refuse("not valid JSON: a NUL byte", nul);
  JsonDocument document;
  JsonBuilder builder(document, text, limits);
  nlohmann::json::sax_parse(builder.first(), builder.last(), &builder);
  Diagnostics errors = builder.take_errors();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return document;
}

JsonNode JsonDocument::root() const { return {this, 0}; }

JsonNode JsonDocument::find(std::string_view pointer) const {
  JsonNode node = root();
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    std::optional<JsonNode> next;
    if (node.is_object()) next = node.find(unescaped_pointer_token(token));
    if (node.is_array()) {
      std::size_t index = 0;
      std::from_chars(token.data(), token.data() + token.size(), index);
      if (index < node.size()) next = node.children()[index];
    }
    if (!next) break;
    node = *next;
  }
  return node;
}

std::string JsonNode::description() const {
  switch (kind()) {
    case JsonKind::Null:
      return "null";
    case JsonKind::Boolean:
      return boolean() ? "true" : "false";
    case JsonKind::Integer:
      return "the number " + std::to_string(static_cast<int64_t>(entry().bits));
    case JsonKind::Unsigned:
      return "the number " + std::to_string(entry().bits);
    case JsonKind::Float:
      return "the number " + json_number(number());
    case JsonKind::String:
      return "the string " + quoted_json(string().substr(0, 60));
    case JsonKind::Array:
      return size() == 0 ? "an empty list" : "a list";
    case JsonKind::Object:
      break;
  }
  return "an object";
}

double JsonNode::number() const {
  if (kind() == JsonKind::Integer) return static_cast<double>(static_cast<int64_t>(entry().bits));
  if (kind() == JsonKind::Unsigned) return static_cast<double>(entry().bits);
  return std::bit_cast<double>(entry().bits);
}

std::string_view JsonNode::string() const {
  return document_->view({static_cast<uint32_t>(entry().bits >> 32U),
                          static_cast<uint32_t>(entry().bits & UINT32_MAX)});
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  for (const JsonNode member : *this) {
    if (member.key() == key) return member;
  }
  return std::nullopt;
}

std::vector<JsonNode> JsonNode::children() const {
  std::vector<JsonNode> nodes;
  nodes.reserve(size());
  for (const JsonNode child : *this) nodes.push_back(child);
  return nodes;
}

std::string JsonNode::pointer() const {
  std::vector<std::string> tokens;
  for (uint32_t index = index_; document_->entries_[index].parent != JsonDocument::kNone;) {
    const JsonDocument::JsonElement& entry = document_->entries_[index];
    const JsonNode parent(document_, entry.parent);
    if (parent.is_object()) {
      tokens.push_back(escaped_pointer_token(document_->view(entry.key)));
    } else {
      std::size_t position = 0;
      for (uint32_t child = parent.entry().first_child; child != index;
           child = document_->entries_[child].next) {
        ++position;
      }
      tokens.push_back(std::to_string(position));
    }
    index = entry.parent;
  }
  std::string pointer;
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) pointer += "/" + *token;
  return pointer;
}

}  // namespace shardy::text
