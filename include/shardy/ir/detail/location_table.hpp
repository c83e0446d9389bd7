// Source locations of ops, by id.
#pragma once

#include <cstdint>
#include <memory>
#include <shardy/ir/detail/location_aliases.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardy::ir {

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
#include <shardy/support/contract.hpp>

namespace shardy::ir {

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
