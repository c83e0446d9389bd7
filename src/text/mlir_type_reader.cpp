// Reads types and aliases of MLIR text.

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::Type;

// Limits of types and attributes after aliases are expanded.

namespace {

/// Counts the parts of a value up to a limit. Each use of an alias counts with all its parts.
/// Aliases share their values, so a short text may represent a value that is too large to print,
/// compare or traverse.
class AliasExtent {
 public:
  /// Allows as many parts as the text has characters, plus a few thousand.
  explicit AliasExtent(std::size_t text_size) : left_(text_size + kMoreParts) {}

  /// Returns the error of the value; empty if the value is within the limit.
  std::string error_of(const ir::Type& type) { return add(type, 0) ? std::string() : error_; }
  std::string error_of(const ir::Attribute& attribute) {
    return add(attribute, 0) ? std::string() : error_;
  }

 private:
  static constexpr std::size_t kMoreParts = 4096;
  static constexpr int kDeepestType = 64;
  static constexpr int kDeepestAttribute = 200;

  bool take(int depth, int deepest, const char* what);
  bool add(const ir::Type& type, int depth);
  bool add(const ir::Attribute& attribute, int depth);

  std::size_t left_;
  std::string error_;
};

bool AliasExtent::take(int depth, int deepest, const char* what) {
  if (depth >= deepest) error_ = std::string(what) + " is nested too deeply";
  if (left_ == 0) error_ = std::string(what) + " has too many parts after its aliases are expanded";
  if (left_ > 0) --left_;
  return error_.empty();
}

bool AliasExtent::add(const Type& type, int depth) {
  if (!take(depth, kDeepestType, "type")) return false;
  const auto add_all = [&](std::span<const Type> types) {
    return std::ranges::all_of(types, [&](const Type& each) { return add(each, depth + 1); });
  };
  if (const auto* tuple = type.as<ir::TupleType>()) return add_all(tuple->elements);
  const auto* function = type.as<ir::FunctionType>();
  return !function || (add_all(function->inputs()) && add_all(function->results()));
}

bool AliasExtent::add(const Attribute& attribute, int depth) {
  if (!take(depth, kDeepestAttribute, "attribute")) return false;
  if (const auto* list = attribute.as<ir::ArrayAttr>()) {
    return std::ranges::all_of(list->elements,
                               [&](const Attribute& each) { return add(each, depth + 1); });
  }
  if (const auto* map = attribute.as<ir::AttributeMap>()) {
    return std::ranges::all_of(
        *map, [&](const ir::NamedAttribute& each) { return add(each.value, depth + 1); });
  }
  const auto* type = attribute.as<ir::TypeAttr>();
  return !type || add(type->type, 0);
}

}  // namespace

// Types.

namespace {

/// Returns the end of the brackets that open at `begin`. Returns npos if the text between needs the
/// general reader.
std::size_t end_of_simple_brackets(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '<') ++depth;
    if (c == '>' && --depth == 0) return at + 1;
    if (c == '"' || c == '!' || c == '#' || c == '\n' || c == ',') return std::string_view::npos;
  }
  return std::string_view::npos;
}

/// Returns the range of integers of the width as text, such as `-128:127`.
std::string full_range(unsigned width, bool is_unsigned) {
  const int64_t half = int64_t{1} << (width - 1);
  return is_unsigned ? "0:" + std::to_string(2 * half - 1)
                     : std::to_string(-half) + ":" + std::to_string(half - 1);
}

/// Reads the storage type of a quantized type and returns it in printed form: `ui8<0:255>` becomes
/// `u8`, because a full range is omitted.
std::string canonical_storage(MlirCursor& cursor) {
  const std::size_t begin = cursor.raw_position();
  const std::string_view word = cursor.suffix();
  const std::size_t prefix = std::min(word.find_first_of("0123456789"), word.size());
  const std::string_view kind = word.substr(0, prefix);
  const std::string_view digits = word.substr(prefix);
  const bool is_unsigned = kind == "u" || kind == "ui";
  unsigned width = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
  const bool is_whole = error == std::errc() && rest == digits.data() + digits.size();
  const bool is_integer = kind == "i" || is_unsigned;
  if (!is_whole || !is_integer || width < 1 || width > 32) return std::string(cursor.slice(begin));
  std::string result = (is_unsigned ? "u" : "i") + std::string(digits);
  const std::string bounds = "<" + full_range(width, is_unsigned) + ">";
  if (cursor.text().substr(cursor.raw_position()).starts_with(bounds + ":")) {
    cursor.seek(cursor.raw_position() + bounds.size());
  }
  return result;
}

std::string canonical_scale(std::string_view number) {
  double scale = 0;
  const char* const end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, scale);
  const bool is_scale = error == std::errc() && rest == end;
  return is_scale ? fmt::format("{:e}", scale) : std::string(number);
}

/// Copies a word. After the word of a quantized type, also copies `<` and the storage type.
void copy_word(MlirCursor& cursor, bool in_quant, std::string& result) {
  const std::size_t begin = cursor.raw_position();
  const bool is_type = cursor.raw_peek() == '!';
  cursor.seek(begin + 1);
  while (is_ident_char(cursor.raw_peek())) cursor.seek(cursor.raw_position() + 1);
  result += cursor.slice(begin);
  if (!is_type || !in_quant || cursor.raw_peek() != '<') return;
  cursor.seek(cursor.raw_position() + 1);
  result += '<' + canonical_storage(cursor);
}

/// Skips a zero point of 0 at the end of a quantization.
void skip_zero_point(MlirCursor& cursor, std::string_view text) {
  const std::string_view rest = text.substr(cursor.raw_position());
  const bool ends = rest.size() > 2 && std::string_view(",>}").find(rest[2]) < 3;
  if (rest.starts_with(":0") && ends) cursor.seek(cursor.raw_position() + 2);
}

/// Returns a quantized type in printed form: `2.0:0` becomes `2.000000e+00`. Scales have six
/// digits, zero points of 0 are omitted, and no blanks separate the scales of several slices.
std::string canonical_quantized(std::string_view text) {
  std::string result;
  MlirCursor cursor(text);
  bool in_quant = false;
  bool in_slices = false;
  while (cursor.raw_position() < text.size()) {
    const std::size_t begin = cursor.raw_position();
    in_quant = in_quant || text.substr(begin).starts_with("!quant.");
    if (is_ident_start(text[begin]) || text[begin] == '!') {
      copy_word(cursor, in_quant, result);
      continue;
    }
    if (text[begin] == '{' || text[begin] == '}') in_slices = in_quant && text[begin] == '{';
    if (in_slices && text[begin] == ' ' && result.ends_with(',')) {
      cursor.seek(begin + 1);
      continue;
    }
    const std::string_view number = in_quant && is_digit(text[begin]) ? cursor.number() : "";
    if (number.find('.') == std::string_view::npos) {
      cursor.seek(number.empty() ? begin + 1 : cursor.raw_position());
      result += cursor.slice(begin);
      continue;
    }
    result += canonical_scale(number);
    skip_zero_point(cursor, text);
  }
  return result;
}

/// Returns the position of the first `//` outside of strings; npos if none exists.
std::size_t comment_in(std::string_view text) {
  bool in_string = false;
  for (std::size_t at = text.find("//") == std::string_view::npos ? text.size() : 0;
       at < text.size(); ++at) {
    if (in_string && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      in_string = !in_string;
    } else if (!in_string && text.substr(at).starts_with("//")) {
      return at;
    }
  }
  return std::string_view::npos;
}

/// Normalizes encodings such as `bounds = [3, ?]` to one spelling each.
std::string canonical_encoding(std::string text) {
  constexpr std::string_view kOld = "#stablehlo.type_extensions<bounds = [";
  if (!text.starts_with(kOld) || !text.ends_with("]>")) return text;
  return "#stablehlo.bounds<" + text.substr(kOld.size(), text.size() - kOld.size() - 2) + ">";
}

/// Checks whether a part of the type starts with a word that starts no type.
bool has_unknown_word(const ir::Type& type) {
  if (const auto* tuple = type.as<ir::TupleType>()) {
    return std::ranges::any_of(tuple->elements, &has_unknown_word);
  }
  if (const auto* function = type.as<ir::FunctionType>()) {
    return std::ranges::any_of(function->inputs(), &has_unknown_word) ||
           std::ranges::any_of(function->results(), &has_unknown_word);
  }
  const auto* opaque = type.as<ir::OpaqueType>();
  if (!opaque || opaque->text.starts_with('!')) return false;
  return !begins_type(std::string_view(opaque->text).substr(0, opaque->text.find_first_of("< ")));
}

bool has_other_spellings(std::string_view text) {
  return text.find("!quant.") != std::string_view::npos ||
         text.find("#stablehlo.type_extensions") != std::string_view::npos;
}

/// Returns the type with all its parts in printed form. Recursive: the parser limits the nesting of
/// types.
ir::Type canonical_type(const ir::Type& type) {
  const auto all = [](std::span<const ir::Type> types) {
    std::vector<ir::Type> result;
    result.reserve(types.size());
    for (const ir::Type& each : types) result.push_back(canonical_type(each));
    return result;
  };
  if (const ir::TensorType* tensor = type.tensor()) {
    if (tensor->encoding.empty()) return type;
    return *ir::Type::make_tensor(tensor->dims, tensor->element,
                                  canonical_encoding(tensor->encoding));
  }
  if (const auto* opaque = type.as<ir::OpaqueType>()) {
    if (opaque->text.find("!quant.") == std::string::npos) return type;
    return ir::Type(ir::OpaqueType{canonical_quantized(opaque->text)});
  }
  if (const auto* tuple = type.as<ir::TupleType>()) {
    return ir::Type(ir::TupleType{all(tuple->elements)});
  }
  if (const auto* function = type.as<ir::FunctionType>()) {
    return ir::Type(ir::FunctionType(all(function->inputs()), all(function->results())));
  }
  return type;
}

}  // namespace

Result<ir::Type> printable_type(const ir::Type& type) {
  const std::string text = to_string(type);
  if (has_unknown_word(type)) return fail("unknown type " + in_quotes(text));
  if (comment_in(text) != std::string_view::npos) return fail("a type must not contain a comment");
  return has_other_spellings(text) ? canonical_type(type) : type;
}

std::size_t hash_of_text(std::string_view text) {
  std::size_t hash = text.size();
  for (const char c : text) hash = hash * 31 + static_cast<unsigned char>(c);
  return hash ^ (hash >> 8U);
}

bool begins_type(std::string_view word) {
  static constexpr std::string_view kWords[] = {"complex", "f128", "f80",   "memref", "none",
                                                "tensor",  "tf32", "tuple", "vector"};
  if (std::ranges::find(kWords, word) != std::end(kWords)) return true;
  if (ir::parse_element_type(word)) return true;
  if (word.starts_with('s') || word.starts_with('u')) word.remove_prefix(1);
  return word.size() > 1 && word.front() == 'i' &&
         word.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

/// Looks up the text of a type before it is parsed, because most types of a program repeat.
std::optional<ir::Type> MlirAttributeReader::tensor_from_cache() {
  if (const ir::Type* const recent = recent_types_.eat(cursor_)) return *recent;
  const std::string_view text = cursor_.text();
  const std::size_t begin = cursor_.position();
  const std::size_t end = end_of_simple_brackets(text, begin + 6);
  if (end == std::string_view::npos) return parse_type_here();
  const std::string_view key = text.substr(begin, end - begin);
  CachedType& slot = cache_[hash_of_text(key) % cache_.size()];
  if (slot.text == key) {
    cursor_.seek(end);
  } else {
    std::optional<ir::Type> type = parse_type_here();
    if (!type || cursor_.raw_position() != end) return type;
    slot = {key, *std::move(type)};
  }
  recent_types_.add(key, slot.type);
  return slot.type;
}

std::optional<ir::Type> MlirAttributeReader::parse_type_here() {
  const std::size_t begin = cursor_.position();
  std::size_t end = begin;
  Result<ir::Type> type = ir::parse_type_prefix(cursor_.text(), end);
  if (!type) {
    const uint32_t column = type.error().location.column();
    cursor_.fail(column == 0 ? begin : column - 1, type.error().message, type.error().notes);
    return std::nullopt;
  }
  if (has_unknown_word(*type)) {
    cursor_.fail(begin, "expected non-function type");
    return std::nullopt;
  }
  cursor_.seek(end);
  const std::string_view text = cursor_.slice(begin);
  // A text with a comment would not read back.
  if (const std::size_t comment = comment_in(text); comment != std::string_view::npos) {
    cursor_.fail(begin + comment, "expected the end of the type before a comment");
    return std::nullopt;
  }
  if (!type_aliases_.empty() && text.find('!') != std::string_view::npos) {
    std::optional<ir::Type> meant = with_aliases(*type);
    const std::string error = meant ? AliasExtent(text.size()).error_of(*meant) : std::string();
    if (!error.empty()) cursor_.fail(begin, error);
    return error.empty() ? meant : std::nullopt;
  }
  return has_other_spellings(text) ? canonical_type(*type) : *type;
}

/// Returns the type with expanded aliases. The expansions are shared, not copied, because aliases
/// may contain aliases.
std::optional<ir::Type> MlirAttributeReader::with_aliases(const ir::Type& type) {
  if (const auto* tuple = type.as<ir::TupleType>()) {
    ir::TupleType result;
    if (!with_aliases(tuple->elements, result.elements)) return std::nullopt;
    return ir::Type(std::move(result));
  }
  if (const auto* function = type.as<ir::FunctionType>()) {
    std::vector<ir::Type> inputs;
    std::vector<ir::Type> results;
    if (!with_aliases(function->inputs(), inputs) || !with_aliases(function->results(), results)) {
      return std::nullopt;
    }
    return ir::Type(ir::FunctionType(std::move(inputs), results));
  }
  if (const auto* opaque = type.as<ir::OpaqueType>(); opaque && opaque->text.starts_with('!')) {
    const auto alias = type_aliases_.find(std::string_view(opaque->text).substr(1));
    if (alias != type_aliases_.end()) return alias->second;
  }
  return read_again(type);
}

bool MlirAttributeReader::with_aliases(std::span<const ir::Type> types,
                                       std::vector<ir::Type>& result) {
  result.reserve(types.size());
  for (const ir::Type& each : types) {
    std::optional<ir::Type> type = with_aliases(each);
    if (!type) return false;
    result.push_back(*std::move(type));
  }
  return true;
}

/// Expands aliases in a type that is kept as text, or in an encoding.
std::optional<ir::Type> MlirAttributeReader::read_again(const ir::Type& type) {
  const std::string text = to_string(type);
  if (text.find('!') == std::string::npos) return canonical_type(type);
  const std::size_t most_bytes = 8 * cursor_.text().size() + (std::size_t{1} << 16U);
  std::string replaced;
  MlirCursor cursor(text);
  while (cursor.raw_position() < text.size() && alias_bytes_ + replaced.size() <= most_bytes) {
    const std::size_t from = cursor.raw_position();
    cursor.seek(from + 1);
    const std::string_view name = text[from] == '!' ? cursor.suffix() : std::string_view();
    const auto alias = type_aliases_.find(name);
    const bool is_alias = !name.empty() && alias != type_aliases_.end();
    replaced += is_alias ? to_string(alias->second) : std::string(cursor.slice(from));
  }
  alias_bytes_ += replaced.size();
  if (alias_bytes_ > most_bytes) {
    cursor_.fail("the expanded type aliases of this text are too large");
    return std::nullopt;
  }
  Result<ir::Type> again = ir::parse_type(replaced);
  if (again) return canonical_type(*again);
  cursor_.fail(cursor_.position(), again.error().message, again.error().notes);
  return std::nullopt;
}

std::optional<ir::Type> MlirAttributeReader::type() {
  if (cursor_.starts_with("tensor<")) return tensor_from_cache();
  const std::size_t begin = cursor_.position();
  if (cursor_.peek() == '!' && type_aliases_.empty() == false) {
    cursor_.seek(begin + 1);
    const auto alias = type_aliases_.find(cursor_.suffix());
    if (alias != type_aliases_.end() && cursor_.raw_peek() != '<') {
      return alias->second;
    }
    cursor_.seek(begin);
  }
  return parse_type_here();
}

bool MlirAttributeReader::type_list(std::vector<ir::Type>& types) {
  do {
    std::optional<ir::Type> next = type();
    if (!next) return false;
    types.push_back(*std::move(next));
  } while (cursor_.eat(','));
  return true;
}

bool MlirAttributeReader::function_type(std::vector<ir::Type>& inputs,
                                        std::vector<ir::Type>& results) {
  if (!cursor_.expect('(')) return false;
  if (!cursor_.eat(')') && !(type_list(inputs) && cursor_.expect(')'))) return false;
  if (!cursor_.expect("->")) return false;
  if (!cursor_.eat('(')) {
    std::optional<ir::Type> result = type();
    if (!result) return false;
    results.push_back(*std::move(result));
    return true;
  }
  return cursor_.eat(')') || (type_list(results) && cursor_.expect(')'));
}

// Aliases and locations. Most aliases are locations. Spec: stablehlo 2.

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

/// Returns the end of the string that begins at `at`; npos if the string does not end on this line.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

/// The open brackets of a text, at most 63.
class OpenBrackets {
 public:
  /// Opens one. Returns false if there are too many.
  bool open(char bracket) {
    constexpr uint64_t kFull = uint64_t{1} << 63U;
    if ((open_ & kFull) != 0) return false;
    open_ = open_ << 1U | (bracket == '[' ? 1U : 0U);
    return true;
  }
  /// Closes the last one. Returns false if it is of another kind.
  bool close(char bracket) {
    if (open_ == 1 || (open_ & 1U) != (bracket == ']' ? 1U : 0U)) return false;
    open_ >>= 1U;
    return true;
  }
  bool empty() const { return open_ == 1; }

 private:
  uint64_t open_ = 1;  // one bit per open bracket, 1 for a square one; the leading 1 marks the end
};

/// Checks whether a location has the character outside strings and brackets: a part of a name, a
/// sign, or a single blank.
bool is_plain_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (is_ident_char(c) || c == '#' || c == ':' || c == ',') return true;
  return c == ' ' && at + 1 < text.size() && text[at + 1] > ' ' && text[at + 1] != '/';
}

/// Returns the end of a location's content that begins at `at` and has the form that printers
/// write: one line, single blanks, few open brackets. Returns npos for other forms, which
/// `skip_balanced` reads.
std::size_t end_of_plain(std::string_view text, std::size_t at) {
  OpenBrackets brackets;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      continue;
    }
    ++at;
    if (c == ')' || c == ']') {
      if (!brackets.close(c)) break;
      if (brackets.empty()) return at;
      continue;
    }
    const bool is_open = c == '(' || c == '[';
    if (is_open ? !brackets.open(c) : !is_plain_at(text, at - 1)) break;
  }
  return std::string_view::npos;
}

}  // namespace

/// Reads the following lines `#name = loc(...)` in the form that printers write.
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

/// Returns the position of an alias definition, for an error.
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
  return cursor_.fail(definition_of(settled.error().location.text()), settled.error().message);
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

/// Adds an alias of an attribute whose text the algebra parses. Aliases in the text are expanded
/// once, here.
void MlirAttributeReader::add_alias_text(std::string_view name, std::string_view text,
                                         const Mesh* mesh) {
  const auto* const target = text.starts_with('#') ? alias_texts_.find(text.substr(1)) : nullptr;
  alias_texts_.add(name, target ? target->text : text, mesh ? std::optional(*mesh) : std::nullopt);
}

/// Returns the text of an alias. Empty for an unknown name; std::nullopt for a location that
/// exceeds the limits.
std::optional<std::string> MlirAttributeReader::alias_text(std::string_view name) const {
  if (locations_.find(name)) {
    return locations_.fully_expanded("loc(#" + std::string(name) + ")");
  }
  const auto value = attribute_aliases_.find(name);
  if (value == attribute_aliases_.end()) return std::string();
  // Expands the aliases in an attribute that is kept as text.
  if (const auto* opaque = value->second.as<ir::OpaqueAttr>()) return opaque->text;
  const auto* const written = alias_texts_.find(name);
  return written != nullptr ? std::string(written->text) : std::string();
}

/// Reads the name after `#`. Returns the text of the alias with that name, and sets `end` to the
/// end of the name. Returns an empty text if no alias has the name; std::nullopt: the text is too
/// long.
std::optional<std::string> MlirAttributeReader::meant_by_alias(MlirCursor& cursor,
                                                               std::size_t& end) {
  cursor.seek(end);
  const std::string_view name = cursor.suffix();
  std::optional<std::string> meant = cursor.raw_peek() == '<' ? std::string() : alias_text(name);
  if (!meant || !meant->empty()) end = cursor.raw_position();
  return meant;
}

/// Expands the aliases in opaque text, because the printer writes no aliases. `begin` is the
/// position of the text for an error.
std::optional<std::string> MlirAttributeReader::without_aliases(std::string text,
                                                                std::size_t begin) {
  const bool has_aliases = !attribute_aliases_.empty() || !locations_.empty();
  if (!has_aliases || text.find('#', 1) == std::string::npos) return text;
  std::string result;
  MlirCursor cursor(text);
  for (std::size_t at = 0; at < text.size();) {
    cursor.seek(at);
    std::optional<std::string> meant = std::string();  // text of the alias; empty: not an alias
    std::size_t end = at + 1;
    if (text[at] == '"' && cursor.string()) end = cursor.raw_position();
    if (text[at] == '#') meant = meant_by_alias(cursor, end);
    if (!meant || !alias_texts_.use(meant->size())) {
      cursor_.fail(begin, "attribute has too many parts after its aliases are expanded");
      return std::nullopt;
    }
    result.append(meant->empty() ? std::string_view(text).substr(at, end - at) : *meant);
    at = end;
  }
  return result;
}

/// Returns a location as an attribute. The text contains no aliases. `begin` is the position of the
/// text for an error.
std::optional<Attribute> MlirAttributeReader::location_attribute(const std::string& text,
                                                                 std::size_t begin) {
  std::optional<std::string> expanded = locations_.fully_expanded(text);
  const bool is_small =
      expanded && alias_texts_.use(expanded->size() - std::min(expanded->size(), text.size()));
  if (!is_small) {
    cursor_.fail(begin, "attribute has too many parts after its aliases are expanded");
    return std::nullopt;
  }
  std::optional<std::string> plain = without_aliases(*std::move(expanded), begin);
  if (!plain) return std::nullopt;
  return Attribute(ir::OpaqueAttr{*std::move(plain)});
}

/// Reads `loc(...)` of an alias definition. Chains of call sites stay shared; only a use as an
/// attribute expands a chain.
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
  return cursor_.fail_redefinition(
      begin, "redefinition of " + std::string(what) + " '" + std::string(name) + "'", previous);
}

/// Returns the offset of a name in the text, including the sign before it.
std::size_t MlirAttributeReader::position_of(std::string_view name) const {
  return static_cast<std::size_t>(name.data() - cursor_.text().data()) - 1;
}

}  // namespace shardy::text
