// Aliases of MLIR text, and locations, which are their main use. Spec: stablehlo 2.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "shardy/ir/type_text.hpp"
#include "text/alias_extent.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

using ir::Attribute;

std::optional<std::string> MlirAttributeReader::location() {
  if (!cursor_.expect("loc")) return std::nullopt;
  const std::size_t begin = cursor_.position();
  if (cursor_.peek() != '(' || !cursor_.skip_balanced()) {
    cursor_.expected("'('");
    return std::nullopt;
  }
  return "loc" + collapsed_text(cursor_.slice(begin));
}

/// Looks for `#name = loc` at the beginning of lines, each part of the text once.
void MlirAttributeReader::collect_location_aliases(ir::LocationAliases& aliases) {
  locations_ = &aliases;
  const std::string_view text = cursor_.text();
  MlirCursor cursor(text);
  std::size_t line = text.starts_with('#') ? 0 : text.find("\n#");
  while (line != std::string_view::npos) {
    cursor.seek(line + (text[line] == '\n' ? 2 : 1));
    const std::string_view name = cursor.suffix();
    const bool is_location = cursor.eat('=') && cursor.eat_word("loc") && cursor.peek() == '(';
    const std::size_t begin = cursor.position();
    if (is_location && !cursor.skip_balanced()) return;  // an error of the text
    if (is_location) aliases.add(std::string(name), collapsed_text(cursor.slice(begin)));
    line = text.find("\n#", is_location ? cursor.raw_position() : line + 1);
  }
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
  if (location_aliases_.contains(name)) {
    const std::string text = "loc(#" + std::string(name) + ")";
    std::string expanded = locations_->expanded(text);
    return expanded != text ? std::optional(std::move(expanded)) : std::nullopt;
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
  const bool has_aliases = !attribute_aliases_.empty() || !location_aliases_.empty();
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
  std::string expanded = locations_->expanded(text);
  if (!alias_texts_.use(expanded.size() - std::min(expanded.size(), text.size()))) expanded = text;
  std::optional<std::string> plain = without_aliases(std::move(expanded), begin);
  if (!plain) return std::nullopt;
  return Attribute(ir::OpaqueAttr{*std::move(plain)});
}

/// Reads `loc(...)` of a definition, which `collect_location_aliases` has added. Chains of call
/// sites stay shared: only a use as an attribute expands one.
bool MlirAttributeReader::location_alias(std::string_view name) {
  if (!cursor_.expect("loc")) return false;
  if (cursor_.peek() != '(' || !cursor_.skip_balanced()) return cursor_.expected("'('");
  location_aliases_.insert(name);
  return true;
}

bool MlirAttributeReader::alias_definition() {
  const std::size_t begin = cursor_.position();
  const bool is_type = cursor_.peek() == '!';
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
    return is_new || redefined(begin, "type alias id", name, old->first);
  }
  if (const auto old = location_aliases_.find(name); old != location_aliases_.end()) {
    return redefined(begin, "attribute alias id", name, *old);
  }
  if (const auto old = attribute_aliases_.find(name); old != attribute_aliases_.end()) {
    return redefined(begin, "attribute alias id", name, old->first);
  }
  if (cursor_.at_word("loc")) return location_alias(name);
  std::optional<Attribute> value = attribute();
  if (!value) return false;
  const std::string_view text = cursor_.slice(value_begin);
  const std::string error = AliasExtent(text.size()).error_of(*value);
  if (!error.empty()) return cursor_.fail(value_begin, error);
  add_alias_text(name, text, value->as<Mesh>());
  attribute_aliases_.emplace(name, *std::move(value));
  return true;
}

/// `name` and `old`: parts of the text.
bool MlirAttributeReader::redefined(std::size_t begin, std::string_view what, std::string_view name,
                                    std::string_view old) {
  const auto previous = static_cast<std::size_t>(old.data() - cursor_.text().data()) - 1;
  return cursor_.fail_again(
      begin, "redefinition of " + std::string(what) + " '" + std::string(name) + "'", previous);
}

}  // namespace shardy::text
