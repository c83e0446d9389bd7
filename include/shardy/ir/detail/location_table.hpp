// Source locations of ops, by id.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/ir/detail/location_aliases.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/support/detail/inline.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace shardy::ir {

/// A table of locations: texts, which may contain aliases, or a line and a column. Copies share the
/// aliases.
class LocationTable {
 public:
  LocationId add(std::string text);
  /// Adds the same location as `add("LINE:COLUMN")`. Both numbers count from 1.
  LocationId add(uint32_t line, uint32_t column);
  /// Adds a location of another table; keeps its aliases if this table has the same ones or none.
  LocationId add(const LocationTable& from, LocationId location);
  /// Returns the text with aliases expanded; empty for the invalid id.
  std::string text(LocationId location) const;
  /// Returns the text with aliases not expanded.
  std::string written_text(LocationId location) const;

  const LocationAliases& aliases() const;
  void set_aliases(LocationAliases aliases) {
    aliases_ = std::make_shared<const LocationAliases>(std::move(aliases));
  }

 private:
  struct Place {
    uint32_t line = 0;    // 0: a text
    uint32_t column = 0;  // of a text: its index in texts_
  };
  static std::optional<Place> parse(const std::string& text);

  std::vector<Place> places_;
  std::vector<std::string> texts_;                  // locations other than line and column
  std::shared_ptr<const LocationAliases> aliases_;  // null: none
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <charconv>
#include <shardy/support/contract.hpp>

namespace shardy::ir {

SHARDY_INLINE LocationId LocationTable::add(uint32_t line, uint32_t column) {
  places_.push_back({line, column});
  return LocationId(static_cast<uint32_t>(places_.size() - 1));
}

SHARDY_INLINE LocationId LocationTable::add(std::string text) {
  if (const std::optional<Place> place = parse(text)) return add(place->line, place->column);
  texts_.push_back(std::move(text));
  return add(0, static_cast<uint32_t>(texts_.size() - 1));
}

SHARDY_INLINE LocationId LocationTable::add(const LocationTable& from, LocationId location) {
  if (!location.valid()) return {};
  if (aliases_ == nullptr) aliases_ = from.aliases_;
  return add(aliases_ == from.aliases_ ? from.written_text(location) : from.text(location));
}

SHARDY_INLINE const LocationAliases& LocationTable::aliases() const {
  static const LocationAliases none;
  return aliases_ != nullptr ? *aliases_ : none;
}

SHARDY_INLINE std::string LocationTable::text(LocationId location) const {
  const std::string written = written_text(location);
  const bool has_aliases = aliases_ != nullptr && written.find('#') != std::string::npos;
  return has_aliases ? aliases_->expanded(written) : written;
}

SHARDY_INLINE std::string LocationTable::written_text(LocationId location) const {
  if (!location.valid()) return {};
  SHARDY_EXPECTS(location.index() < places_.size());
  const Place& place = places_[location.index()];
  if (place.line == 0) return texts_[place.column];
  return std::to_string(place.line) + ":" + std::to_string(place.column);
}

/// Returns line and column of `12:7`; std::nullopt unless std::to_string prints the same digits.
SHARDY_INLINE std::optional<LocationTable::Place> LocationTable::parse(const std::string& text) {
  Place place;
  const char* const end = text.data() + text.size();
  const auto [colon, no_line] = std::from_chars(text.data(), end, place.line);
  if (no_line != std::errc() || colon == end || *colon != ':' || place.line == 0) {
    return std::nullopt;
  }
  const auto [rest, no_column] = std::from_chars(colon + 1, end, place.column);
  if (no_column != std::errc() || rest != end) return std::nullopt;
  const bool is_plain = text.front() != '0' && (colon[1] != '0' || colon + 2 == end);
  return is_plain ? std::optional(place) : std::nullopt;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
