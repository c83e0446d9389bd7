// Aliases of locations, which most locations of a program share. Spec: stablehlo 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir {

/// `#loc3 = loc(callsite(#loc1 at #loc2))` and the like: a row for each, with the rows that it
/// refers to. Texts of locations keep the aliases: expanded, each of many short texts could be as
/// long as the whole program. Threads: any number may read.
class LocationAliases {
 public:
  /// Reserves memory for definitions of that many characters in all, at most 256 MiB.
  void reserve(std::size_t size);
  /// Adds `#name = loc(...)`; `content` has the parentheses. Returns false if the name has a row.
  bool add(std::string_view name, std::string_view content);
  /// After all are added: looks up the aliases that are used before their definitions. Errors: an
  /// alias without definition, or that refers to itself; `location` is the name of a definition
  /// that has it.
  Status settle();

  /// Checks whether the table is empty.
  bool empty() const { return rows_.empty(); }
  /// Returns the row of a name without `#`.
  std::optional<uint32_t> find(std::string_view name) const;
  /// Returns the first alias with `#` in the text of a location that has no row; empty without one.
  /// The attributes of fused locations, `<...>`, are ignored.
  std::string_view undefined_in(std::string_view text) const;
  /// Returns the rows that the text names.
  std::vector<uint32_t> rows_in(std::string_view text) const;
  /// Appends the lines that define these rows and all that they refer to, each once. Rows that do
  /// not exist are omitted.
  void append_definitions(std::string& out, std::vector<uint32_t> rows) const;

  /// Returns the text with its aliases expanded. Aliases at a depth of 64, after the first 64 KiB
  /// and undefined ones are kept.
  std::string expanded(std::string_view text) const;
  /// The same; std::nullopt if aliases are kept because of a limit.
  std::optional<std::string> fully_expanded(std::string_view text) const;

  /// Checks whether a location is `loc(unknown)`, or an alias of that.
  bool is_unknown(std::string_view location) const;

 private:
  struct Row {
    std::size_t begin;    // in the text
    uint32_t name_size;   // without `#`
    uint32_t first_part;  // in the parts, which end where those of the next row begin
  };
  struct Pending {
    uint32_t row;
    std::size_t part;
    std::size_t begin;  // of the alias in the text, with `#`
    std::size_t size;
  };
  /// A scan of a text that finds the positions inside of `<...>`, in ascending order.
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
  static constexpr std::size_t kLongest = std::size_t{1} << 16U;  // of the expansion
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

  std::string text_;                // `#name = loc(...)`, line by line
  std::vector<Row> rows_;           // in the order of the text
  std::vector<uint32_t> parts_;     // rows that rows name; kNone: without a row
  std::vector<uint32_t> numbered_;  // rows of `#loc0`, `#loc1`, ...; kNone: none
  std::map<std::string, uint32_t, std::less<>> named_;  // rows of all other names
  std::vector<Pending> pending_;                        // parts that are looked up later
  bool has_later_parts_ = false;                        // than their own row
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <charconv>

namespace shardy::ir {

/// The number in a name such as `loc12`, if `std::to_string` prints it in the same way.
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

/// Names with small numbers, which printers give, take four bytes each.
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
  constexpr std::size_t kTypicalSize = 48;  // of a definition
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
  for (const Pending& each : std::exchange(pending_, {})) {
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

/// Visits each part once, without recursion: chains may be as long as the text.
SHARDY_INLINE std::optional<uint32_t> LocationAliases::row_on_cycle() const {
  enum class State : uint8_t { New, Open, Done };
  std::vector<State> states(rows_.size(), State::New);
  std::vector<std::pair<uint32_t, std::size_t>> path;  // open rows, and their next parts
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

/// Returns the content of the parentheses.
SHARDY_INLINE std::string_view LocationAliases::content(uint32_t row) const {
  constexpr std::size_t kAround = std::string_view("# = loc(").size();
  const std::size_t begin = rows_[row].begin + kAround + rows_[row].name_size;
  const std::size_t end = end_of(row) - std::string_view(")\n").size();
  return begin < end ? std::string_view(text_).substr(begin, end - begin) : std::string_view();
}

/// Returns the position of the next `#` outside of strings; the end without one.
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

/// Returns the length of the name at the start of `text`: digits, or letters, digits, `$`, `.`,
/// `_`, `-`.
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

/// Takes the text up to its next alias, and returns that with its `#`; empty at the end.
SHARDY_INLINE std::string_view LocationAliases::take_alias(std::string_view& rest) {
  rest.remove_prefix(next_alias(rest));
  if (rest.empty()) return {};
  const std::string_view alias = rest.substr(0, 1 + name_size(rest.substr(1)));
  rest.remove_prefix(alias.size());
  return alias;
}

/// Moves on to a later position. Brackets in strings and the `>` of `->` do not count.
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

/// The text, and whether aliases are kept because of a limit.
SHARDY_INLINE std::pair<std::string, bool> LocationAliases::expand(std::string_view text) const {
  std::string result;
  bool is_truncated = false;
  std::vector<std::string_view> open = {text};  // the unread rest of the text, and of each alias
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

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
