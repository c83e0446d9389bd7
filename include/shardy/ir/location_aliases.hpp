// Names for locations, which most locations of a program share. Spec: stablehlo 2.
#pragma once

#include <cstddef>
#include <map>
#include <shardy/support/inline.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace shardy::ir {

/// `#loc3 = loc("f.py":4:2)` and the like. Texts of locations keep the names: with what the names
/// stand for, each of many short texts could be as long as all of the program.
class LocationAliases {
 public:
  /// Adds an alias; `text` is the content of `loc`, with its parentheses. The first of a name
  /// counts.
  void add(std::string name, std::string text);

  /// Returns the text with its aliases expanded. Aliases that nest endlessly or deeper than 64, or
  /// that make the text longer than 64 KiB, and undefined ones are kept.
  std::string expanded(std::string_view text) const;

  /// Checks whether a location is `loc(unknown)`, or an alias of that.
  bool is_unknown(std::string_view location) const;

 private:
  static constexpr std::size_t kMostSteps = std::size_t{1} << 16U;
  static constexpr std::size_t kLongest = std::size_t{1} << 16U;  // of what is added
  static constexpr std::size_t kDeepest = 64;

  static std::size_t next_alias(std::string_view text);
  static std::size_t name_size(std::string_view text);
  const std::string* find(std::string_view name) const;

  std::map<std::string, std::string, std::less<>> by_name_;
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE void LocationAliases::add(std::string name, std::string text) {
  by_name_.emplace(std::move(name), std::move(text));
}

SHARDY_INLINE const std::string* LocationAliases::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
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
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kName =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ$._-";
  const bool is_number = !text.empty() && kDigits.find(text.front()) != std::string_view::npos;
  const std::size_t end = text.find_first_not_of(is_number ? kDigits : kName);
  return std::min(std::min(end, text.find("->")), text.size());
}

SHARDY_INLINE std::string LocationAliases::expanded(std::string_view text) const {
  if (by_name_.empty() || next_alias(text) == text.size()) return std::string(text);
  std::string result;
  std::vector<std::string_view> open = {text};  // what is left of the text, and of each alias
  for (std::size_t step = 0; !open.empty(); ++step) {
    if (step == kMostSteps || result.size() > text.size() + kLongest) return std::string(text);
    std::string_view& rest = open.back();
    const std::size_t hash = next_alias(rest);
    result += rest.substr(0, hash);
    rest.remove_prefix(hash);
    if (rest.empty()) {
      open.pop_back();
      continue;
    }
    const std::string_view alias = rest.substr(0, 1 + name_size(rest.substr(1)));
    rest.remove_prefix(alias.size());
    const std::string* const meant = find(alias.substr(1));
    if (meant && open.size() == kDeepest) return std::string(text);
    if (!meant) result += alias;
    if (meant) open.push_back(std::string_view(*meant).substr(1, meant->size() - 2));
  }
  return result;
}

SHARDY_INLINE bool LocationAliases::is_unknown(std::string_view location) const {
  if (!location.starts_with("loc")) return false;
  std::string_view content = location.substr(3);
  for (std::size_t step = 0; step < kDeepest && content.starts_with("(#"); ++step) {
    const std::string* const meant = find(content.substr(2, content.size() - 3));
    if (!meant) return false;
    content = *meant;
  }
  return content == "(unknown)";
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
