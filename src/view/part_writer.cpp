#include "view/part_writer.hpp"

#include <charconv>
#include <cmath>

#include "text/json_writer.hpp"

namespace shardy::view {

int64_t StringTable::add(std::string_view text) {
  const auto found = places_.find(text);
  if (found != places_.end()) return found->second;
  const auto place = static_cast<int64_t>(texts_.size());
  texts_.emplace_back(text);
  places_.emplace(texts_.back(), place);
  return place;
}

void PartWriter::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

PartWriter& PartWriter::open(char bracket) {
  separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

PartWriter& PartWriter::close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

PartWriter& PartWriter::key(std::string_view name) {
  separate();
  text_ += text::quoted_json(name, true);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

PartWriter& PartWriter::string(std::string_view text) { return raw(text::quoted_json(text, true)); }

PartWriter& PartWriter::integer(int64_t value) {
  separate();
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text_.append(digits, end);
  return *this;
}

PartWriter& PartWriter::number(double value) {
  return raw(std::isfinite(value) ? text::json_number(value) : "null");
}

PartWriter& PartWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  return *this;
}

PartWriter& PartWriter::member(std::string_view name, std::span<const int64_t> column) {
  key(name).begin_array();
  for (const int64_t value : column) integer(value);
  return end_array();
}

PartWriter& PartWriter::member(std::string_view name, std::span<const double> column) {
  key(name).begin_array();
  for (const double value : column) number(value);
  return end_array();
}

PartWriter& PartWriter::lists(const std::string& name, const ListColumn& column) {
  member(name + "_begin", column.begin);
  return member(name, column.all);
}

}  // namespace shardy::view
