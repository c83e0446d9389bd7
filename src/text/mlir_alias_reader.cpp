// Aliases of MLIR text, and locations, which are their main use. Spec: stablehlo 2.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "shardy/ir/type_text.hpp"
#include "text/alias_extent.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

using ir::Attribute;

std::optional<std::string_view> MlirAttributeReader::location() {
  if (!cursor_.expect("loc")) return std::nullopt;
  const std::size_t begin = cursor_.position();
  if (cursor_.peek() != '(' || !cursor_.skip_balanced()) {
    cursor_.expected("'('");
    return std::nullopt;
  }
  return cursor_.slice(begin);
}

namespace {

/// Returns the end of the string that begins at `at`; npos if it has none on this line.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

/// Returns the end of the content of a location that begins at `at`, as printers write it: on one
/// line, with single blanks and a few open brackets. npos: `skip_balanced` reads it.
std::size_t end_of_plain(std::string_view text, std::size_t at) {
  constexpr uint64_t kFull = uint64_t{1} << 63U;
  uint64_t open = 1;  // a bit for each open bracket, whether it is square; 1: none
  while (at < text.size()) {
    const char c = text[at];
    if (is_ident_char(c) || c == '#' || c == ':' || c == ',') {
      ++at;
    } else if (c == '"') {
      at = end_of_string(text, at);
    } else if (c == '(' || c == '[') {
      if ((open & kFull) != 0) return std::string_view::npos;
      open = open << 1U | (c == '[' ? 1U : 0U);
      ++at;
    } else if (c == ')' || c == ']') {
      if (open == 1 || (open & 1U) != (c == ']' ? 1U : 0U)) return std::string_view::npos;
      open >>= 1U;
      ++at;
      if (open == 1) return at;
    } else if (c == ' ' && at + 1 < text.size() && text[at + 1] > ' ' && text[at + 1] != '/') {
      ++at;
    } else {
      return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

}  // namespace

/// Reads the lines `#name = loc(...)` that follow, as printers write them.
bool MlirAttributeReader::plain_location_aliases() {
  const std::string_view text = cursor_.text();
  const std::size_t begin = cursor_.position();
  std::size_t end = begin;
  for (std::size_t line = begin; line < text.size() && text[line] == '#';) {
    constexpr std::string_view kLocation = " = loc";
    cursor_.seek(line + 1);
    const std::string_view name = cursor_.suffix();
    const std::size_t content = cursor_.raw_position() + kLocation.size();
    if (!text.substr(cursor_.raw_position()).starts_with(" = loc(")) break;
    const std::size_t content_end = end_of_plain(text, content);
    if (content_end == std::string_view::npos || is_alias_name_taken(name)) break;
    if (locations_.empty()) locations_.reserve(text.size() - begin);
    if (!locations_.add(name, text.substr(content, content_end - content))) break;
    end = content_end;
    line = end + (end < text.size() && text[end] == '\n' ? 1 : 0);
  }
  cursor_.seek(end);
  return end > begin;
}

bool MlirAttributeReader::is_alias_name_taken(std::string_view name) const {
  return name.empty() || name.find('.') != std::string_view::npos ||
         attribute_aliases_.contains(name);
}

/// Returns where the text defines an alias, for an error.
std::size_t MlirAttributeReader::definition_of(std::string_view name) const {
  const std::string alias = "#" + std::string(name);
  MlirCursor cursor(cursor_.text());
  std::size_t at = cursor.text().find(alias);
  for (; at != std::string_view::npos; at = cursor.text().find(alias, at + 1)) {
    cursor.seek(at + 1);
    if (cursor.suffix() == name && cursor.eat('=')) return at;
  }
  return 0;
}

bool MlirAttributeReader::settle_locations() {
  const Status settled = locations_.settle();
  if (settled) return true;
  return cursor_.fail(definition_of(settled.error().location), settled.error().message);
}

std::optional<std::string> MlirAttributeReader::settled(std::string_view location) {
  const bool is_plain = end_of_plain(location, 0) == location.size();
  std::string text = "loc" + (is_plain ? std::string(location) : collapsed_text(location));
  const std::string_view undefined = locations_.undefined_in(text);
  if (undefined.empty()) return text;
  const auto begin = static_cast<std::size_t>(location.data() - cursor_.text().data());
  cursor_.fail(begin + std::min(location.find(undefined), location.size()),
               "location alias '" + std::string(undefined) + "' is not defined");
  return std::nullopt;
}

/// For attributes that are read by the algebra. Aliases of aliases are followed here, once.
void MlirAttributeReader::add_alias_text(std::string_view name, std::string_view text,
                                         const Mesh* mesh) {
  const auto* const target = text.starts_with('#') ? alias_texts_.find(text.substr(1)) : nullptr;
  alias_texts_.add(name, target ? target->text : text, mesh ? std::optional(*mesh) : std::nullopt);
}

/// Returns the text of an alias: empty for an unknown name, std::nullopt for a location beyond the
/// limits.
std::optional<std::string> MlirAttributeReader::alias_text(std::string_view name) const {
  if (locations_.find(name)) {
    return locations_.fully_expanded("loc(#" + std::string(name) + ")");
  }
  const auto value = attribute_aliases_.find(name);
  if (value == attribute_aliases_.end()) return std::string();
  // Its own aliases are replaced in a text that is kept.
  if (const auto* opaque = value->second.as<ir::OpaqueAttr>()) return opaque->text;
  const auto* const written = alias_texts_.find(name);
  return written != nullptr ? std::string(written->text) : std::string();
}

/// Replaces the aliases in a text that is kept: the printer writes no aliases. `begin` is the
/// position of the text, for an error.
std::optional<std::string> MlirAttributeReader::without_aliases(std::string text,
                                                                std::size_t begin) {
  const bool has_aliases = !attribute_aliases_.empty() || !locations_.empty();
  if (!has_aliases || text.find('#', 1) == std::string::npos) return text;
  std::string result;
  MlirCursor cursor(text);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    cursor.seek(at);
    if (text[at] == '"' && cursor.string()) end = cursor.raw_position();
    std::optional<std::string> meant = std::string();
    if (text[at] == '#') {
      cursor.seek(end);
      const std::string_view name = cursor.suffix();
      if (cursor.raw_peek() != '<') meant = alias_text(name);
      if (!meant || !meant->empty()) end = cursor.raw_position();
    }
    if (!meant || !alias_texts_.use(meant->size())) {
      cursor_.fail(begin, "attribute has too many parts with what its aliases stand for");
      return std::nullopt;
    }
    if (meant->empty()) {
      result.append(text, at, end - at);
    } else {
      result += *meant;
    }
    at = end;
  }
  return result;
}

/// A location as an attribute, in a text without aliases. `begin`: of the text, for an error.
std::optional<Attribute> MlirAttributeReader::location_attribute(const std::string& text,
                                                                 std::size_t begin) {
  std::optional<std::string> expanded = locations_.fully_expanded(text);
  const bool is_small =
      expanded && alias_texts_.use(expanded->size() - std::min(expanded->size(), text.size()));
  if (!is_small) {
    cursor_.fail(begin, "attribute has too many parts with what its aliases stand for");
    return std::nullopt;
  }
  std::optional<std::string> plain = without_aliases(*std::move(expanded), begin);
  if (!plain) return std::nullopt;
  return Attribute(ir::OpaqueAttr{*std::move(plain)});
}

/// Reads `loc(...)` of a definition. Chains of call sites stay shared: only a use as an attribute
/// expands one.
bool MlirAttributeReader::location_alias(std::size_t begin, std::string_view name) {
  const std::optional<std::string_view> content = location();
  if (!content) return false;
  if (locations_.add(name, collapsed_text(*content))) return true;
  return redefined(begin, "attribute alias id", name, definition_of(name));
}

bool MlirAttributeReader::alias_definition() {
  const std::size_t begin = cursor_.position();
  const bool is_type = cursor_.peek() == '!';
  if (!is_type && plain_location_aliases()) return true;
  cursor_.seek(begin + 1);
  const std::string_view name = cursor_.suffix();
  if (name.empty()) return cursor_.expected("the name of an alias");
  if (name.find('.') != std::string_view::npos) {
    return cursor_.fail(begin, "names with a '.' are reserved for dialect-defined names");
  }
  if (!cursor_.expect('=')) return false;
  const std::size_t value_begin = cursor_.position();
  if (is_type) {
    const std::optional<ir::Type> value = type();
    if (!value) return false;
    const auto [old, is_new] = type_aliases_.emplace(name, *value);
    return is_new || redefined(begin, "type alias id", name, position_of(old->first));
  }
  if (const auto old = attribute_aliases_.find(name); old != attribute_aliases_.end()) {
    return redefined(begin, "attribute alias id", name, position_of(old->first));
  }
  if (cursor_.at_word("loc")) return location_alias(begin, name);
  if (locations_.find(name)) {
    return redefined(begin, "attribute alias id", name, definition_of(name));
  }
  std::optional<Attribute> value = attribute();
  if (!value) return false;
  const std::string_view text = cursor_.slice(value_begin);
  const std::string error = AliasExtent(text.size()).error_of(*value);
  if (!error.empty()) return cursor_.fail(value_begin, error);
  add_alias_text(name, text, value->as<Mesh>());
  attribute_aliases_.emplace(name, *std::move(value));
  return true;
}

bool MlirAttributeReader::redefined(std::size_t begin, std::string_view what, std::string_view name,
                                    std::size_t previous) {
  return cursor_.fail_again(
      begin, "redefinition of " + std::string(what) + " '" + std::string(name) + "'", previous);
}

/// Where a name begins, which is a part of the text, with the sign before it.
std::size_t MlirAttributeReader::position_of(std::string_view name) const {
  return static_cast<std::size_t>(name.data() - cursor_.text().data()) - 1;
}

}  // namespace shardy::text
