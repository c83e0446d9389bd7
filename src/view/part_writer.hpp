// Writing the parts of a document: compact ASCII JSON, with columns of numbers and interned
// strings.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::view {

/// A column: one number per row. Strings are numbers in a StringTable, and -1 is none.
using Column = std::vector<int64_t>;

/// Strings of a document, each once. Number 0 is the empty string.
class StringTable {
 public:
  StringTable() { add({}); }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  /// Returns the number of a text.
  int64_t add(std::string_view text);
  const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::deque<std::string> texts_;                         // does not move its elements
  std::unordered_map<std::string_view, int64_t> places_;  // for look-ups only
};

/// Lists of numbers per row, one after the other: the numbers of row i begin at `begin[i]`.
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
  /// Writes null unless it is finite.
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
  /// Writes `name_begin` and `name`.
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
