// The table of source locations of a module, and the aliases in their texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shardy/ir/op_table.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir {

/// A table of location aliases such as `#loc3 = loc(callsite(#loc1 at #loc2))`. A row has the text
/// of one alias and the rows to which the text refers. Stored locations keep their aliases, because
/// an expanded location can be as long as the whole program. Threads: concurrent reads are safe.
class LocationAliases {
 public:
  /// Reserves memory for definitions with `size` characters in total, at most 256 MiB.
  void reserve(std::size_t size);
  /// Adds the definition `#name = loc(...)`; `content` includes the parentheses. Returns false if
  /// the name is already defined.
  bool add(std::string_view name, std::string_view content);
  /// Resolves aliases that are used before their definitions. Call this function after the last
  /// `add`. Errors: an undefined alias, or an alias that refers to itself; Error::location is the
  /// name of the alias whose definition has the error.
  Status settle();

  /// Checks whether the table is empty.
  bool empty() const { return rows_.empty(); }
  /// Returns the row of the alias `name`, which is without `#`.
  std::optional<uint32_t> find(std::string_view name) const;
  /// Returns the first undefined alias in `text`, with its `#`; empty if all aliases are defined.
  /// The attributes of fused locations, `<...>`, are ignored.
  std::string_view undefined_in(std::string_view text) const;
  /// Returns the rows of the aliases in `text`.
  std::vector<uint32_t> rows_in(std::string_view text) const;
  /// Appends the definitions of `rows` and of all aliases that they use, each definition once. Rows
  /// out of range are ignored.
  void append_definitions(std::string& out, std::vector<uint32_t> rows) const;

  /// Returns `text` with its aliases expanded. Not expanded: aliases nested more than 64 deep,
  /// aliases after the first 64 KiB, and undefined aliases.
  std::string expanded(std::string_view text) const;
  /// Returns `text` with its aliases expanded; std::nullopt if a limit of `expanded` leaves an
  /// alias unexpanded.
  std::optional<std::string> fully_expanded(std::string_view text) const;

  /// Checks whether `location` is `loc(unknown)` or an alias of `loc(unknown)`.
  bool is_unknown(std::string_view location) const;

 private:
  struct AliasRow {
    std::size_t begin;   // start of the row in text_
    uint32_t name_size;  // characters of the name, without `#`
    /// Index of the row's first part in parts_; the parts end at the next row's first part.
    uint32_t first_part;
  };
  struct PendingAlias {
    uint32_t row;
    std::size_t part;
    std::size_t begin;  // start of the alias in text_, including `#`
    std::size_t size;
  };
  /// A forward scan that reports whether positions of a text are inside `<...>`. Positions are
  /// passed in ascending order.
  class MetadataScan {
   public:
    explicit MetadataScan(std::string_view text) : text_(text) {}
    bool holds(std::size_t end);

   private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    bool in_string_ = false;
  };
  static constexpr std::size_t kMostSteps = std::size_t{1} << 16U;
  static constexpr std::size_t kLongest = std::size_t{1} << 16U;  // limit of an expansion, in bytes
  static constexpr std::size_t kDeepest = 64;
  static constexpr uint32_t kNone = UINT32_MAX;

  static std::size_t next_alias(std::string_view text);
  static std::size_t name_size(std::string_view text);
  static std::string_view take_alias(std::string_view& rest);
  static std::optional<uint32_t> number_of(std::string_view name);
  std::string_view name(uint32_t row) const;
  std::string_view content(uint32_t row) const;
  std::size_t end_of(uint32_t row) const;
  std::size_t end_of_parts(uint32_t row) const;
  void set_row(std::string_view name, uint32_t row);
  std::optional<uint32_t> row_on_cycle() const;
  std::pair<std::string, bool> expand(std::string_view text) const;

  std::string text_;                // definitions `#name = loc(...)`, one per line
  std::vector<AliasRow> rows_;      // rows in the order of text_
  std::vector<uint32_t> parts_;     // rows that each row's text uses; kNone: undefined
  std::vector<uint32_t> numbered_;  // rows of `#loc0`, `#loc1`, ..., by number; kNone: undefined
  std::map<std::string, uint32_t, std::less<>> named_;  // rows of all other names
  std::vector<PendingAlias> pending_;                   // parts that `settle` resolves
  bool has_later_parts_ = false;  // true if a row uses an alias that is defined after the row
};

/// A table of locations. A location is a text, which may contain aliases, or a line with a column.
/// Copies of a table share the aliases.
class LocationTable {
 public:
  LocationId add(const Location& location);
  /// Adds the location `line`:`column`, as `add(Location(line, column))` without a temporary.
  LocationId add(uint32_t line, uint32_t column);
  /// Adds a location of the table `from`. A table without aliases takes over the aliases of `from`.
  /// If this table has other aliases, aliases in the location are expanded.
  LocationId add(const LocationTable& from, LocationId location);
  /// Returns the location with its aliases expanded; empty for the invalid id.
  Location at(LocationId location) const;
  /// Returns the text of the location without expansion of aliases.
  std::string written_text(LocationId location) const;

  const LocationAliases& aliases() const;
  void set_aliases(LocationAliases aliases) {
    aliases_ = std::make_shared<const LocationAliases>(std::move(aliases));
  }

 private:
  struct LineColumn {
    uint32_t line = 0;    // 0: the location is a text
    uint32_t column = 0;  // column; for a text, its index in texts_
  };

  std::vector<LineColumn> places_;
  std::vector<std::string> texts_;  // texts of the locations that are not a line and column
  std::shared_ptr<const LocationAliases> aliases_;  // null if the table has no aliases
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <charconv>
#include <shardy/support/contract.hpp>

namespace shardy::ir {

/// Returns the number in a name such as `loc12`; std::nullopt if std::to_string prints the number
/// differently (`loc012`).
SHARDY_INLINE std::optional<uint32_t> LocationAliases::number_of(std::string_view name) {
  if (!name.starts_with("loc")) return std::nullopt;
  const std::string_view digits = name.substr(3);
  if (digits.empty() || (digits.front() == '0' && digits.size() > 1)) return std::nullopt;
  uint32_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, failure] = std::from_chars(digits.data(), end, number);
  return failure == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

SHARDY_INLINE std::optional<uint32_t> LocationAliases::find(std::string_view name) const {
  const std::optional<uint32_t> number = number_of(name);
  if (number && *number < numbered_.size() && numbered_[*number] != kNone) {
    return numbered_[*number];
  }
  const auto found = named_.find(name);
  return found == named_.end() ? std::nullopt : std::optional(found->second);
}

/// Names with small numbers, which MLIR printers generate, take four bytes each.
SHARDY_INLINE void LocationAliases::set_row(std::string_view name, uint32_t row) {
  constexpr std::size_t kMoreNumbers = 1024;
  const std::optional<uint32_t> number = number_of(name);
  if (!number || *number > 2 * rows_.size() + kMoreNumbers) {
    named_.emplace(name, row);
    return;
  }
  if (*number >= numbered_.size()) numbered_.resize(std::size_t{*number} + 1, kNone);
  numbered_[*number] = row;
}

SHARDY_INLINE void LocationAliases::reserve(std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 28U;
  constexpr std::size_t kTypicalSize = 48;  // typical bytes of a definition
  const std::size_t bytes = std::min(size, kMost);
  text_.reserve(bytes);
  rows_.reserve(bytes / kTypicalSize);
  parts_.reserve(bytes / kTypicalSize);
  numbered_.reserve(bytes / kTypicalSize);
}

SHARDY_INLINE bool LocationAliases::add(std::string_view name, std::string_view content) {
  if (find(name)) return false;
  const auto row = static_cast<uint32_t>(rows_.size());
  rows_.push_back(
      {text_.size(), static_cast<uint32_t>(name.size()), static_cast<uint32_t>(parts_.size())});
  text_.append("#").append(name).append(" = loc").append(content).append("\n");
  set_row(name, row);
  const std::size_t begin = text_.size() - 1 - content.size();
  std::string_view rest = content;
  for (std::string_view alias = take_alias(rest); !alias.empty(); alias = take_alias(rest)) {
    const std::optional<uint32_t> part = find(alias.substr(1));
    if (!part) {
      const auto at = static_cast<std::size_t>(alias.data() - content.data());
      pending_.push_back({row, parts_.size(), begin + at, alias.size()});
    }
    has_later_parts_ = has_later_parts_ || part.value_or(row) == row;
    parts_.push_back(part.value_or(kNone));
  }
  return true;
}

SHARDY_INLINE Status LocationAliases::settle() {
  const auto give_back = [](auto& list) {
    if (list.capacity() / 2 > list.size()) list.shrink_to_fit();
  };
  give_back(text_);
  give_back(rows_);
  give_back(parts_);
  give_back(numbered_);
  uint32_t scanned = kNone;
  MetadataScan metadata({});
  for (const PendingAlias& each : std::exchange(pending_, {})) {
    const std::string_view alias = std::string_view(text_).substr(each.begin, each.size);
    const std::optional<uint32_t> part = find(alias.substr(1));
    if (part) {
      parts_[each.part] = *part;
      continue;
    }
    const std::size_t begin = rows_[each.row].begin;
    if (std::exchange(scanned, each.row) != each.row) {
      metadata = MetadataScan(std::string_view(text_).substr(begin));
    }
    if (metadata.holds(each.begin - begin)) continue;
    return fail_at(std::string(name(each.row)),
                   "location alias '" + std::string(alias) + "' is not defined");
  }
  if (!std::exchange(has_later_parts_, false)) return {};
  const std::optional<uint32_t> row = row_on_cycle();
  if (!row) return {};
  const std::string own(name(*row));
  return fail_at(own, "location alias '#" + own + "' refers to itself");
}

/// Returns a row of a cycle, if one exists. Visits each part once and without recursion, because
/// chains may be as long as the text.
SHARDY_INLINE std::optional<uint32_t> LocationAliases::row_on_cycle() const {
  enum class State : uint8_t { New, Open, Done };
  std::vector<State> states(rows_.size(), State::New);
  // Rows of the current path, each with its next part.
  std::vector<std::pair<uint32_t, std::size_t>> path;
  const auto open = [&](uint32_t row) {
    states[row] = State::Open;
    path.emplace_back(row, rows_[row].first_part);
  };
  for (uint32_t start = 0; start < rows_.size(); ++start) {
    if (states[start] == State::New) open(start);
    while (!path.empty()) {
      auto& [row, next] = path.back();
      if (next == end_of_parts(row)) {
        states[row] = State::Done;
        path.pop_back();
        continue;
      }
      const uint32_t part = parts_[next++];
      if (part == kNone || states[part] == State::Done) continue;
      if (states[part] == State::Open) return part;
      open(part);
    }
  }
  return std::nullopt;
}

SHARDY_INLINE std::size_t LocationAliases::end_of(uint32_t row) const {
  return row + std::size_t{1} < rows_.size() ? rows_[row + 1].begin : text_.size();
}

SHARDY_INLINE std::size_t LocationAliases::end_of_parts(uint32_t row) const {
  return row + std::size_t{1} < rows_.size() ? rows_[row + 1].first_part : parts_.size();
}

SHARDY_INLINE std::string_view LocationAliases::name(uint32_t row) const {
  return std::string_view(text_).substr(rows_[row].begin + 1, rows_[row].name_size);
}

/// Returns the text between the parentheses of the definition.
SHARDY_INLINE std::string_view LocationAliases::content(uint32_t row) const {
  constexpr std::size_t kAround = std::string_view("# = loc(").size();
  const std::size_t begin = rows_[row].begin + kAround + rows_[row].name_size;
  const std::size_t end = end_of(row) - std::string_view(")\n").size();
  return begin < end ? std::string_view(text_).substr(begin, end - begin) : std::string_view();
}

/// Returns the position of the next `#` outside of strings, or the end of the text.
SHARDY_INLINE std::size_t LocationAliases::next_alias(std::string_view text) {
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') in_string = !in_string;
    if (c == '\\' && in_string) ++at;
    if (c == '#' && !in_string) return at;
  }
  return text.size();
}

/// Returns the length of the name at the start of `text`: only digits, or letters, digits, `$`,
/// `.`, `_` and `-`.
SHARDY_INLINE std::size_t LocationAliases::name_size(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool is_number = !text.empty() && is_digit(text.front());
  std::size_t size = 0;
  for (; size < text.size(); ++size) {
    const char c = text[size];
    if (is_digit(c)) continue;
    if (is_number || (c == '-' && text.substr(size).starts_with("->"))) break;
    if (!is_letter(c) && c != '$' && c != '.' && c != '_' && c != '-') break;
  }
  return size;
}

/// Removes the text up to the end of the next alias from `rest`, and returns the alias with its
/// `#`. Returns an empty text if `rest` has no alias.
SHARDY_INLINE std::string_view LocationAliases::take_alias(std::string_view& rest) {
  rest.remove_prefix(next_alias(rest));
  if (rest.empty()) return {};
  const std::string_view alias = rest.substr(0, 1 + name_size(rest.substr(1)));
  rest.remove_prefix(alias.size());
  return alias;
}

/// Advances the scan to `end` and returns whether that position is inside `<...>`. Brackets in
/// strings and the `>` of `->` do not count.
SHARDY_INLINE bool LocationAliases::MetadataScan::holds(std::size_t end) {
  for (; at_ < end; ++at_) {
    const char c = text_[at_];
    if (c == '"') in_string_ = !in_string_;
    if (c == '\\' && in_string_) ++at_;
    if (in_string_) continue;
    if (c == '<') ++depth_;
    if (c == '>' && depth_ > 0 && text_[at_ - 1] != '-') --depth_;
  }
  return depth_ > 0;
}

SHARDY_INLINE std::string_view LocationAliases::undefined_in(std::string_view text) const {
  std::string_view rest = text;
  MetadataScan metadata(text);
  for (std::string_view alias = take_alias(rest); !alias.empty(); alias = take_alias(rest)) {
    if (find(alias.substr(1))) continue;
    if (!metadata.holds(static_cast<std::size_t>(alias.data() - text.data()))) return alias;
  }
  return {};
}

SHARDY_INLINE std::vector<uint32_t> LocationAliases::rows_in(std::string_view text) const {
  std::vector<uint32_t> rows;
  for (std::string_view alias = take_alias(text); !alias.empty(); alias = take_alias(text)) {
    if (const std::optional<uint32_t> row = find(alias.substr(1))) rows.push_back(*row);
  }
  return rows;
}

SHARDY_INLINE void LocationAliases::append_definitions(std::string& out,
                                                       std::vector<uint32_t> rows) const {
  std::vector<bool> is_needed(rows_.size());
  while (!rows.empty()) {
    const uint32_t row = rows.back();
    rows.pop_back();
    if (row >= rows_.size() || is_needed[row]) continue;
    is_needed[row] = true;
    for (std::size_t part = rows_[row].first_part; part < end_of_parts(row); ++part) {
      rows.push_back(parts_[part]);
    }
  }
  const auto next = [&](uint32_t row, bool wanted) {
    return static_cast<uint32_t>(std::find(is_needed.begin() + row, is_needed.end(), wanted) -
                                 is_needed.begin());
  };
  for (uint32_t row = next(0, true); row < rows_.size(); row = next(row, true)) {
    const std::size_t begin = rows_[row].begin;
    row = next(row, false);
    out.append(text_, begin, end_of(row - 1) - begin);
  }
}

/// Returns the expanded text, and whether a limit left an alias unexpanded.
SHARDY_INLINE std::pair<std::string, bool> LocationAliases::expand(std::string_view text) const {
  std::string result;
  bool is_truncated = false;
  // Unread rest of the text and of each alias that is being expanded.
  std::vector<std::string_view> open = {text};
  for (std::size_t step = 0; !open.empty(); ++step) {
    std::string_view& rest = open.back();
    const std::string_view before = rest;
    const std::string_view alias = take_alias(rest);
    result += before.substr(0, before.size() - rest.size() - alias.size());
    if (alias.empty()) {
      open.pop_back();
      continue;
    }
    const std::optional<uint32_t> row = find(alias.substr(1));
    const bool is_beyond =
        step >= kMostSteps || result.size() > text.size() + kLongest || open.size() == kDeepest;
    is_truncated = is_truncated || (row && is_beyond);
    if (!row || is_beyond) {
      result += alias;
    } else {
      open.push_back(content(*row));
    }
  }
  return {std::move(result), is_truncated};
}

SHARDY_INLINE std::string LocationAliases::expanded(std::string_view text) const {
  return expand(text).first;
}

SHARDY_INLINE std::optional<std::string> LocationAliases::fully_expanded(
    std::string_view text) const {
  auto [result, is_truncated] = expand(text);
  return is_truncated ? std::nullopt : std::optional(std::move(result));
}

SHARDY_INLINE bool LocationAliases::is_unknown(std::string_view location) const {
  if (!location.starts_with("loc(") || !location.ends_with(')')) return false;
  std::string_view inside = location.substr(4, location.size() - 5);
  for (std::size_t step = 0; step < kDeepest && inside.starts_with('#'); ++step) {
    const std::optional<uint32_t> row = find(inside.substr(1));
    if (!row) return false;
    inside = content(*row);
  }
  return inside == "unknown";
}

SHARDY_INLINE LocationId LocationTable::add(uint32_t line, uint32_t column) {
  if (line == 0) return add(Location(line, column));
  places_.push_back({line, column});
  return LocationId(static_cast<uint32_t>(places_.size() - 1));
}

SHARDY_INLINE LocationId LocationTable::add(const Location& location) {
  if (location.line() != 0) return add(location.line(), location.column());
  texts_.push_back(location.text());
  places_.push_back({0, static_cast<uint32_t>(texts_.size() - 1)});
  return LocationId(static_cast<uint32_t>(places_.size() - 1));
}

SHARDY_INLINE LocationId LocationTable::add(const LocationTable& from, LocationId location) {
  if (!location.valid()) return {};
  if (aliases_ == nullptr) aliases_ = from.aliases_;
  SHARDY_EXPECTS(location.index() < from.places_.size());
  const LineColumn& place = from.places_[location.index()];
  if (place.line != 0) return add(place.line, place.column);
  return aliases_ == from.aliases_ ? add(from.texts_[place.column]) : add(from.at(location));
}

SHARDY_INLINE const LocationAliases& LocationTable::aliases() const {
  static const LocationAliases none;
  return aliases_ != nullptr ? *aliases_ : none;
}

SHARDY_INLINE Location LocationTable::at(LocationId location) const {
  if (!location.valid()) return {};
  SHARDY_EXPECTS(location.index() < places_.size());
  const LineColumn& place = places_[location.index()];
  if (place.line != 0) return {place.line, place.column};
  const std::string& written = texts_[place.column];
  const bool has_aliases = aliases_ != nullptr && written.find('#') != std::string::npos;
  return has_aliases ? aliases_->expanded(written) : written;
}

SHARDY_INLINE std::string LocationTable::written_text(LocationId location) const {
  if (!location.valid()) return {};
  SHARDY_EXPECTS(location.index() < places_.size());
  const LineColumn& place = places_[location.index()];
  return place.line == 0 ? texts_[place.column] : Location(place.line, place.column).text();
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
