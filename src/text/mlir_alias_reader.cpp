// Aliases of MLIR text, and locations, which are their main use. Spec: stablehlo 2.
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
void MlirAttributeReader::collect_location_aliases(ir::LocationAliases& aliases) const {
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

/// What an alias stands for; empty if there is none of the name.
std::string_view MlirAttributeReader::alias_text(std::string_view name) const {
  const auto value = attribute_aliases_.find(name);
  if (value == attribute_aliases_.end()) return {};
  // Its own aliases are replaced in a text that is kept.
  if (const auto* opaque = value->second.as<ir::OpaqueAttr>()) return opaque->text;
  const auto* const written = alias_texts_.find(name);
  return written != nullptr ? written->text : std::string_view();
}

/// A text that is kept as it is: it is printed where there are no aliases. `begin`: of the text,
/// for an error.
std::optional<std::string> MlirAttributeReader::without_aliases(std::string text,
                                                                std::size_t begin) {
  if (attribute_aliases_.empty() || text.find('#', 1) == std::string::npos) return text;
  std::string result;
  MlirCursor cursor(text);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    cursor.seek(at);
    if (text[at] == '"' && cursor.string()) end = cursor.raw_position();
    std::string_view meant;
    if (text[at] == '#') {
      cursor.seek(end);
      const std::string_view name = cursor.suffix();
      if (cursor.raw_peek() != '<') meant = alias_text(name);
      if (!meant.empty()) end = cursor.raw_position();
    }
    if (!alias_texts_.use(meant.size())) {
      cursor_.fail(begin, "attribute has too many parts with what its aliases stand for");
      return std::nullopt;
    }
    result += meant.empty() ? std::string_view(text).substr(at, end - at) : meant;
    at = end;
  }
  return result;
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
    const bool is_new = type_aliases_.emplace(name, *value).second;
    return is_new ||
           cursor_.fail(begin, "redefinition of type alias id '" + std::string(name) + "'");
  }
  std::optional<Attribute> value = attribute();
  if (!value) return false;
  const std::string_view text = cursor_.slice(value_begin);
  const std::string error = AliasExtent(text.size()).error_of(*value);
  if (!error.empty()) return cursor_.fail(value_begin, error);
  add_alias_text(name, text, value->as<Mesh>());
  const bool is_new = attribute_aliases_.emplace(name, *std::move(value)).second;
  return is_new ||
         cursor_.fail(begin, "redefinition of attribute alias id '" + std::string(name) + "'");
}

}  // namespace shardy::text
