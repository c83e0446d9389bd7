// Types of MLIR text.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "shardy/ir/type_text.hpp"
#include "shardy/support/quote.hpp"
#include "text/alias_extent.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

namespace {

/// Where the brackets close that open at `begin`, or npos if the text between needs a closer look.
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

/// Returns the range of integers of that width as text: `-128:127`.
std::string full_range(unsigned width, bool is_unsigned) {
  const int64_t half = int64_t{1} << (width - 1);
  return is_unsigned ? "0:" + std::to_string(2 * half - 1)
                     : std::to_string(-half) + ":" + std::to_string(half - 1);
}

/// `ui8<0:255>`, what a quantized type stores, as `u8`: a full range goes without saying.
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

/// Copies a word; after that of a quantized type also `<` and the storage type.
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

/// `2.0:0` of a quantized type as `2.000000e+00`: scales have six digits, zero points of 0 none.
/// No blanks between the scales of several slices.
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

/// Returns the position of the first `//` outside of strings, or npos.
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

/// `bounds = [3, ?]` and the like have one spelling each.
std::string canonical_encoding(std::string text) {
  constexpr std::string_view kOld = "#stablehlo.type_extensions<bounds = [";
  if (!text.starts_with(kOld) || !text.ends_with("]>")) return text;
  return "#stablehlo.bounds<" + text.substr(kOld.size(), text.size() - kOld.size() - 2) + ">";
}

/// Some part of it begins with a word that no type begins with.
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

/// The type with all its parts in the spelling that is printed. Types nest no deeper than their
/// parser allows.
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
  if (comment_in(text) != std::string_view::npos) return fail("a type holds no comment");
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

/// Most types of a program repeat: their texts are looked up before they are parsed.
std::optional<ir::Type> MlirAttributeReader::tensor_from_cache() {
  const std::string_view text = cursor_.text();
  const std::size_t begin = cursor_.position();
  const std::size_t end = end_of_simple_brackets(text, begin + 6);
  if (end == std::string_view::npos) return parse_type_here();
  const std::string_view key = text.substr(begin, end - begin);
  CachedType& slot = cache_[hash_of_text(key) % cache_.size()];
  if (slot.text == key) {
    cursor_.seek(end);
    return slot.type;
  }
  std::optional<ir::Type> type = parse_type_here();
  if (type && cursor_.raw_position() == end) slot = {key, *type};
  return type;
}

std::optional<ir::Type> MlirAttributeReader::parse_type_here() {
  const std::size_t begin = cursor_.position();
  std::size_t end = begin;
  Result<ir::Type> type = ir::parse_type_prefix(cursor_.text(), end);
  if (!type) {
    std::size_t column = begin + 1;
    const std::string& at = type.error().location;
    std::from_chars(at.data() + std::min<std::size_t>(at.size(), 2), at.data() + at.size(), column);
    cursor_.fail(column - 1, type.error().message, type.error().notes);
    return std::nullopt;
  }
  if (has_unknown_word(*type)) {
    cursor_.fail(begin, "expected non-function type");
    return std::nullopt;
  }
  cursor_.seek(end);
  const std::string_view text = cursor_.slice(begin);
  // Text that is kept would not come back.
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

/// The type with what its aliases stand for, which is shared, not copied: aliases may be of
/// aliases.
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

/// Replaces aliases in the text of a type that is kept as text, or of an encoding.
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
    cursor_.fail("the aliases of the types in this text stand for too much");
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

}  // namespace shardy::text
