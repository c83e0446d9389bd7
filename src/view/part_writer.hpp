// Writes the parts of a document: compact ASCII JSON, with columns of numbers and strings by
// number.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::view {

/// A column with one number per row. A string is its number in a StringTable; -1 means none.
using Column = std::vector<int64_t>;

/// The strings of a document, each once. String 0 is empty.
class StringTable {
 public:
  StringTable() { add({}); }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  /// Returns the number of a text. Adds the text if it is new.
  int64_t add(std::string_view text);
  const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::deque<std::string> texts_;  // a deque, because its elements do not move
  std::unordered_map<std::string_view, int64_t> places_;  // never iterated
};

/// A column with a list of numbers per row. The lists are in sequence; row i starts at `begin[i]`.
struct ListColumn {
  Column begin = {0};
  Column all = {};

  void add(std::span<const int64_t> row) {
    all.insert(all.end(), row.begin(), row.end());
    end_row();
  }
  void end_row() { begin.push_back(static_cast<int64_t>(all.size())); }
};

/// Writes one JSON value without blanks.
class PartWriter {
 public:
  PartWriter& begin_object() { return open('{'); }
  PartWriter& end_object() { return close('}'); }
  PartWriter& begin_array() { return open('['); }
  PartWriter& end_array() { return close(']'); }
  PartWriter& key(std::string_view name);
  PartWriter& string(std::string_view text);
  PartWriter& integer(int64_t value);
  /// Writes a number; null if it is not finite.
  PartWriter& number(double value);
  PartWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  PartWriter& null() { return raw("null"); }
  /// Writes a JSON value.
  PartWriter& raw(std::string_view json);

  // Members of the open object.
  PartWriter& member(std::string_view name, std::span<const int64_t> column);
  PartWriter& member(std::string_view name, std::span<const double> column);
  PartWriter& member(std::string_view name, std::string_view text) {
    return key(name).string(text);
  }
  /// Writes the members `name_begin` and `name`.
  PartWriter& lists(const std::string& name, const ListColumn& column);

  /// Returns the text. Requires: the value is complete.
  std::string take() { return std::move(text_); }

 private:
  PartWriter& open(char bracket);
  PartWriter& close(char bracket);
  void separate();

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace shardy::view
