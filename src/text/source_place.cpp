#include "text/source_place.hpp"

#include <algorithm>
#include <optional>

namespace shardy::text {

namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

/// Reads the text of a location from begin to end. Brackets nest; a name before a bracket belongs
/// to all locations in it.
class LocationReader {
 public:
  explicit LocationReader(std::string_view text) : rest_(text) {}

  void read() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"') {
        read_string();
      } else if (c == '<') {
        skip_metadata();
      } else {
        if (c == '(' || c == '[') around_.emplace_back();
        if ((c == ')' || c == ']') && !around_.empty()) around_.pop_back();
        rest_.remove_prefix(1);
      }
    }
  }

  std::vector<SourcePlace> places;
  std::vector<std::string> names;

 private:
  std::optional<uint64_t> number_behind_colon() {
    if (rest_.size() < 2 || rest_[0] != ':' || !is_decimal(rest_[1])) return std::nullopt;
    rest_.remove_prefix(1);
    uint64_t number = 0;
    while (!rest_.empty() && is_decimal(rest_.front())) {
      number = number * 10 + static_cast<uint64_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return number;
  }

  /// Up to the quote that ends it; what is escaped stays as it is.
  std::string string_text() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    end = std::min(end, rest_.size());
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return text;
  }

  void read_string() {
    std::string text = string_text();
    if (const std::optional<uint64_t> line = number_behind_colon()) {
      SourcePlace place{std::move(text), *line, number_behind_colon().value_or(0)};
      const auto name = std::find_if(around_.rbegin(), around_.rend(),
                                     [](const std::string& each) { return !each.empty(); });
      if (name != around_.rend()) place.name = *name;
      places.push_back(std::move(place));
      return;
    }
    names.push_back(text);
    if (!rest_.starts_with('(')) return;
    around_.push_back(std::move(text));
    rest_.remove_prefix(1);
  }

  /// `<...>` of fused locations: an attribute, which names no place.
  void skip_metadata() {
    std::size_t depth = 0;
    do {
      const char c = rest_.front();
      if (c == '"') {
        string_text();
        continue;
      }
      if (c == '<') ++depth;
      if (c == '>') --depth;
      rest_.remove_prefix(1);
    } while (depth > 0 && !rest_.empty());
  }

  std::string_view rest_;
  std::vector<std::string> around_;  // each open bracket, and the name in front of it
};

/// The end of `jit(f)/jit(main)/add`.
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

}  // namespace

std::vector<SourcePlace> source_places(std::string_view location) {
  if (location.starts_with('/') || location.find('"') == std::string_view::npos) return {};
  LocationReader reader(location);
  reader.read();
  return std::move(reader.places);
}

std::vector<std::string> source_names(std::string_view location) {
  if (location.starts_with('/') || location.find('"') == std::string_view::npos) return {};
  LocationReader reader(location);
  reader.read();
  return std::move(reader.names);
}

std::string place_text(std::string_view location) {
  const std::vector<SourcePlace> places = source_places(location);
  if (places.empty()) return std::string(location);
  const SourcePlace& place = places.front();
  std::string text = place.file + ":" + std::to_string(place.line);
  if (!place.name.empty()) return text + " (" + std::string(last_part(place.name)) + ")";
  return place.column == 0 ? text : text + ":" + std::to_string(place.column);
}

}  // namespace shardy::text
