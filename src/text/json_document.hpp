// A JSON text as a tree in flat arrays: every node has its place in the text; parsing does not
// recurse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "shardy/support/result.hpp"

namespace shardy::text {

class JsonNode;

/// A JSON text that was read: its values in the order of the text.
///
/// Strings hold bytes: the code points U+10FF00..U+10FFFF represent the bytes 00..FF, so names need
/// not be UTF-8. Integers fit int64 or uint64.
class JsonDocument {
 public:
  enum class Kind : uint8_t { Null, Boolean, Integer, Unsigned, Float, String, Array, Object };

  struct Limits {
    std::size_t max_depth;
    std::size_t max_errors;
  };

  /// Errors: not JSON, too many levels, a duplicate key, a number out of range. The first two are
  /// single errors with line:column, the others have the JSON pointer.
  static DiagnosedResult<JsonDocument> parse(std::string_view text, Limits limits);

  JsonNode root() const;
  /// The node at a JSON pointer; the deepest one that exists.
  JsonNode find(std::string_view pointer) const;

 private:
  friend class JsonNode;
  friend class JsonBuilder;
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Text {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  struct Entry {
    Kind kind : 8 = Kind::Null;
    uint32_t end_column : 24 = 0;  // after the last character, or after the bracket; saturates
    uint32_t line = 1;
    uint32_t parent = kNone;
    uint32_t next = kNone;
    uint32_t first_child = kNone;
    uint32_t num_children = 0;
    Text key;           // of a member of an object
    uint64_t bits = 0;  // a boolean, a number, or the position of the bytes of a string
  };

  std::string_view view(Text text) const {
    return std::string_view(bytes_).substr(text.begin, text.size);
  }

  std::vector<Entry> entries_;
  std::string bytes_;  // of all strings and keys
};

/// One value of a document. A view: valid while the document is not moved or destroyed.
class JsonNode {
 public:
  using Kind = JsonDocument::Kind;

  Kind kind() const { return entry().kind; }
  bool is_object() const { return kind() == Kind::Object; }
  bool is_array() const { return kind() == Kind::Array; }
  bool is_string() const { return kind() == Kind::String; }
  bool is_integer() const { return kind() == Kind::Integer || kind() == Kind::Unsigned; }
  bool is_number() const { return is_integer() || kind() == Kind::Float; }
  bool is_boolean() const { return kind() == Kind::Boolean; }
  /// Describes the value for messages: "an object", "the string \"abc\"", "the number 3".
  std::string description() const;

  /// Requires: is_boolean().
  bool boolean() const { return entry().bits != 0; }
  /// std::nullopt if it is not a signed integer of 64 bits.
  std::optional<int64_t> integer() const {
    if (kind() != Kind::Integer) return std::nullopt;
    return static_cast<int64_t>(entry().bits);
  }
  /// The bits of an integer. Requires: is_integer().
  uint64_t integer_bits() const { return entry().bits; }
  /// The nearest double. Requires: is_number().
  double number() const;
  /// Requires: is_string().
  std::string_view string() const;

  /// Number of elements or members.
  std::size_t size() const { return entry().num_children; }
  /// The key of a member, empty for others.
  std::string_view key() const { return document_->view(entry().key); }
  /// The member of that key.
  std::optional<JsonNode> find(std::string_view key) const;

  std::vector<JsonNode> children() const;

  /// RFC 6901: "/functions/0/body/3".
  std::string pointer() const;
  /// The line on which the value starts, from 1.
  std::size_t line() const { return entry().line; }
  /// The column after the last character of the value, or after the bracket that opens it.
  std::size_t end_column() const { return entry().end_column; }

  class Iterator;
  /// Elements or members, in the order of the text.
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class JsonDocument;
  JsonNode(const JsonDocument* document, uint32_t index) : document_(document), index_(index) {}
  const JsonDocument::Entry& entry() const { return document_->entries_[index_]; }

  const JsonDocument* document_;
  uint32_t index_;
};

class JsonNode::Iterator {
 public:
  Iterator(const JsonDocument* document, uint32_t index) : node_(document, index) {}
  JsonNode operator*() const { return node_; }
  const JsonNode* operator->() const { return &node_; }
  Iterator& operator++() {
    node_.index_ = node_.entry().next;
    return *this;
  }
  bool operator==(const Iterator& other) const { return node_.index_ == other.node_.index_; }

 private:
  JsonNode node_;
};

inline JsonNode::Iterator JsonNode::begin() const { return {document_, entry().first_child}; }
inline JsonNode::Iterator JsonNode::end() const { return {document_, JsonDocument::kNone}; }

/// Makes an error of a value: its pointer, the message, and a note with the remedy if there is one.
inline tl::unexpected<Error> fail_at(JsonNode node, std::string message, std::string note = {}) {
  Error error{std::move(message), node.pointer(), {}};
  if (!note.empty()) error.notes.push_back(std::move(note));
  return tl::unexpected<Error>(std::move(error));
}

/// Adds the pointer of a value to an error without a place; its notes stay.
inline tl::unexpected<Error> fail_at(JsonNode node, Error error, std::string note = {}) {
  error.location = node.pointer();
  if (!note.empty()) error.notes.push_back(std::move(note));
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace shardy::text
