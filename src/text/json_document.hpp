// A JSON text as a tree in flat arrays. Every node has its position in the text. Parsing does not
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

/// A parsed JSON text, with its values in the order of the text.
///
/// Strings contain bytes: the code points U+10FF00..U+10FFFF represent the bytes 00..FF, so that
/// names need not be UTF-8. Integers fit int64 or uint64.
class JsonDocument {
 public:
  enum class JsonKind : uint8_t { Null, Boolean, Integer, Unsigned, Float, String, Array, Object };

  struct JsonLimits {
    std::size_t max_depth;
    std::size_t max_errors;
  };

  /// Parses a text. Errors: not JSON, too many levels, a duplicate key, a number out of range. The
  /// first two end parsing and have line:column; the others have the JSON pointer.
  static DiagnosedResult<JsonDocument> parse(std::string_view text, JsonLimits limits);

  JsonNode root() const;
  /// Returns the node at a JSON pointer. If it does not exist, returns the deepest node on the way
  /// to it.
  JsonNode find(std::string_view pointer) const;

 private:
  friend class JsonNode;
  friend class JsonBuilder;
  static constexpr uint32_t kNone = UINT32_MAX;

  struct StringRange {
    uint32_t begin = 0;
    uint32_t size = 0;
  };
  struct JsonElement {
    JsonKind kind : 8 = JsonKind::Null;
    // After the last character, or after the opening bracket; saturates.
    uint32_t end_column : 24 = 0;
    uint32_t line = 1;
    uint32_t parent = kNone;
    uint32_t next = kNone;
    uint32_t first_child = kNone;
    uint32_t num_children = 0;
    StringRange key;    // for a member of an object
    uint64_t bits = 0;  // a boolean, a number, or the position of a string's bytes
  };

  std::string_view view(StringRange text) const {
    return std::string_view(bytes_).substr(text.begin, text.size);
  }

  std::vector<JsonElement> entries_;
  std::string bytes_;  // bytes of all strings and keys
};

/// A value of a document. A view that is valid until the document is moved or destroyed.
class JsonNode {
 public:
  using JsonKind = JsonDocument::JsonKind;

  JsonKind kind() const { return entry().kind; }
  bool is_object() const { return kind() == JsonKind::Object; }
  bool is_array() const { return kind() == JsonKind::Array; }
  bool is_string() const { return kind() == JsonKind::String; }
  bool is_integer() const { return kind() == JsonKind::Integer || kind() == JsonKind::Unsigned; }
  bool is_number() const { return is_integer() || kind() == JsonKind::Float; }
  bool is_boolean() const { return kind() == JsonKind::Boolean; }
  /// Describes the value for messages, such as "an object", "the string \"abc\"" or "the number 3".
  std::string description() const;

  /// Requires: is_boolean().
  bool boolean() const { return entry().bits != 0; }
  /// Returns the integer; std::nullopt if the value is not a signed 64-bit integer.
  std::optional<int64_t> integer() const {
    if (kind() != JsonKind::Integer) return std::nullopt;
    return static_cast<int64_t>(entry().bits);
  }
  /// Returns the bits of an integer. Requires: is_integer().
  uint64_t integer_bits() const { return entry().bits; }
  /// Returns the nearest double. Requires: is_number().
  double number() const;
  /// Requires: is_string().
  std::string_view string() const;

  /// Returns the number of elements or members.
  std::size_t size() const { return entry().num_children; }
  /// Returns the key of a member; empty for other values.
  std::string_view key() const { return document_->view(entry().key); }
  /// Returns the member with the key.
  std::optional<JsonNode> find(std::string_view key) const;

  std::vector<JsonNode> children() const;

  /// Returns the JSON pointer (RFC 6901), such as "/functions/0/body/3".
  std::string pointer() const;
  /// Returns the line on which the value starts, counted from 1.
  std::size_t line() const { return entry().line; }
  /// Returns the column after the last character of the value, or after its opening bracket.
  std::size_t end_column() const { return entry().end_column; }

  class Iterator;
  /// Elements or members in the order of the text.
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class JsonDocument;
  JsonNode(const JsonDocument* document, uint32_t index) : document_(document), index_(index) {}
  const JsonDocument::JsonElement& entry() const { return document_->entries_[index_]; }

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

/// Returns an error of a value: its pointer, the message, and a note with the remedy unless `note`
/// is empty.
inline tl::unexpected<Error> fail_at(JsonNode node, std::string message, std::string note = {}) {
  Error error{std::move(message), node.pointer(), {}};
  if (!note.empty()) error.notes.push_back(std::move(note));
  return tl::unexpected<Error>(std::move(error));
}

/// Adds the pointer of a value to an error without a location. Keeps its notes.
inline tl::unexpected<Error> fail_at(JsonNode node, Error error, std::string note = {}) {
  error.location = node.pointer();
  if (!note.empty()) error.notes.push_back(std::move(note));
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace shardy::text
