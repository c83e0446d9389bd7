// Names for locations, which most locations of a program share. Spec: stablehlo 2.
#pragma once

#include <cstddef>
#include <map>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/location_aliases_inl.hpp>
#endif
