// Where ops come from, by the id that the ops keep.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/ids.hpp>
#include <shardy/ir/location_aliases.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace shardy::ir {

/// Locations as text; a line and a column, which most are, take two numbers.
class LocationTable {
 public:
  LocationId add(std::string text);
  /// The place that `add("LINE:COLUMN")` adds, too. Both count from 1.
  LocationId add(uint32_t line, uint32_t column);
  /// Empty for the invalid id. With what aliases stand for.
  std::string text(LocationId location) const;
  LocationAliases& aliases() { return aliases_; }

 private:
  struct Place {
    uint32_t line = 0;    // 0: a text
    uint32_t column = 0;  // or the index of the text
  };
  static std::optional<Place> parse(const std::string& text);

  std::vector<Place> places_;
  std::vector<std::string> texts_;  // other than line and column
  LocationAliases aliases_;
};

}  // namespace shardy::ir

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/location_table_inl.hpp>
#endif
