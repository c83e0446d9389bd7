// Aliases of MLIR text, and locations, which are their main use. Spec: stablehlo 2.
#include <cstddef>
#include <utility>

#include "shardy/ir/type_text.hpp"
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
  return "loc" + without_aliases(collapsed_text(cursor_.slice(begin)));
}

/// The text of a location with what its aliases stand for.
std::string MlirAttributeReader::without_aliases(const std::string& text) const {
  constexpr std::size_t kLongest = std::size_t{1} << 16U;  // aliases of aliases can grow fast
  std::string result;
  std::vector<std::string> pending = {text};
  while (!pending.empty() && result.size() < kLongest) {
    const std::string part = std::move(pending.back());
    pending.pop_back();
    MlirCursor cursor(part);
    while (!cursor.at_end() && cursor.raw_peek() != '#') {
      const std::size_t begin = cursor.raw_position();
      if (cursor.raw_peek() != '"' || !cursor.skip_balanced()) cursor.seek(begin + 1);
      cursor.skip_space();
    }
    result += part.substr(0, cursor.raw_position());
    if (cursor.at_end()) continue;
    const std::size_t hash = cursor.raw_position();
    cursor.seek(hash + 1);
    const std::string_view name = cursor.suffix();
    const auto alias = location_aliases_.find(name);
    pending.push_back(part.substr(cursor.raw_position()));
    if (alias == location_aliases_.end()) {
      result += "#" + std::string(name);
    } else {
      pending.push_back(alias->second.substr(1, alias->second.size() - 2));
    }
  }
  return result;
}

/// Looks for `#name = loc` at the beginning of lines.
void MlirAttributeReader::collect_location_aliases() {
  const std::string_view text = cursor_.text();
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find("\n#", at)) {
    if (text[at] == '\n') ++at;
    const bool at_line_start = at == 0 || text[at - 1] == '\n';
    MlirCursor cursor(text);
    cursor.seek(at + 1);
    const std::string_view name = cursor.suffix();
    if (!at_line_start || !cursor.eat('=') || !cursor.eat_word("loc")) continue;
    const std::size_t begin = cursor.position();
    if (cursor.peek() == '(' && cursor.skip_balanced()) {
      location_aliases_.emplace(name, collapsed_text(cursor.slice(begin)));
    }
  }
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
    const bool is_new = type_aliases_.emplace(name, to_string(*value)).second;
    return is_new ||
           cursor_.fail(begin, "redefinition of type alias id '" + std::string(name) + "'");
  }
  std::optional<Attribute> value = attribute();
  if (!value) return false;
  alias_texts_.emplace(name, cursor_.slice(value_begin));
  const bool is_new = attribute_aliases_.emplace(name, *std::move(value)).second;
  return is_new ||
         cursor_.fail(begin, "redefinition of attribute alias id '" + std::string(name) + "'");
}

}  // namespace shardy::text
