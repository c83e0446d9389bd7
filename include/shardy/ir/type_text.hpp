// Printing and parsing of types.
#pragma once

#include <cstddef>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::ir {

namespace detail {

/// A printer of types without recursion, because tuples and function types may nest deeply.
class TypePrinter {
 public:
  std::string print(const Type& type);

 private:
  struct Piece {
    const Type* type;
    std::string_view text;
  };

  void print_one(const Type& type);

  void print_tensor(const TensorType& tensor);

  void print_function(const FunctionType& function);

  /// Pushes a piece on the stack; the piece pushed last is printed first.
  void push(Piece before, std::span<const Type> types, Piece after);

  std::string text_;
  std::vector<Piece> pending_;
};

}  // namespace detail

/// Returns the text of a type: `tensor<4x?xf32>`, `!stablehlo.token`, `tuple<T, U>`, `(T, U) -> V`,
/// `i64`, or opaque text.
std::string to_string(const Type& type);

/// Returns the texts of the types, separated by commas: `tensor<4xf32>, tensor<i1>`.
std::string to_string(const std::vector<Type>& types);

/// Parses one type at `position` of `text` and moves `position` past it. Error::location is
/// `1:<column>`, counted from the start of `text`.
Result<Type> parse_type_prefix(std::string_view text, std::size_t& position);

/// Parses a type; parse_type(to_string(t)) == t. Errors: invalid text, more text after the type,
/// sizes that Type::make_tensor rejects, nesting deeper than 64.
Result<Type> parse_type(std::string_view text);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace shardy::ir::detail {

/// A parser of a type at the front of a text. Spec: stablehlo 3.
class TypeParser {
 public:
  TypeParser(std::string_view text, std::size_t position) : text_(text), position_(position) {}

  std::size_t position() const { return position_; }

  Result<Type> parse();

  void skip_space() {
    while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  }
  bool at_end() const { return position_ >= text_.size(); }

  tl::unexpected<Error> error(std::string message) const;
  tl::unexpected<Error> unexpected(std::string_view wanted) const;

 private:
  static constexpr int kMaxDepth = 64;

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  static bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '$' || c == '.';
  }

  char peek() const { return at_end() ? '\0' : text_[position_]; }
  bool eat(std::string_view token);
  Status expect(std::string_view token);
  std::string_view word();

  Result<Type> parse_nested();

  Result<Type> parse_function();

  Result<Type> parse_tuple();

  Result<std::vector<Type>> parse_list(std::string_view open, std::string_view close);

  Result<Type> parse_dialect_type();

  /// Returns the text from `begin` to the current position, with directly following brackets, as an
  /// opaque type.
  Result<Type> parse_opaque(std::size_t begin);

  Result<Type> parse_tensor(std::size_t begin);

  /// Returns an unranked tensor, or a tensor of foreign elements, as an opaque type.
  Result<Type> parse_foreign_tensor(std::size_t begin) {
    position_ = begin + std::string_view("tensor").size();
    skip_space();
    return parse_opaque(begin);
  }

  /// Returns true for an element type that is valid in StableHLO text but not supported by ops
  /// here: a dialect type, or another width or signedness.
  bool at_foreign_element();

  /// Parses sizes, each with its `x`. Parses by characters, because a token `0x4` in `0x4xf32`
  /// would be a hex number.
  Result<std::vector<int64_t>> parse_dims();

  /// Parses an element type; std::nullopt, without consuming text, if no element type follows.
  std::optional<ElementType> parse_element();

  Result<std::string> parse_encoding();

  static bool is_open(char c) { return c == '<' || c == '(' || c == '[' || c == '{'; }
  static bool is_close(char c) { return c == '>' || c == ')' || c == ']' || c == '}'; }

  /// Skips a string, or brackets with their content. The `>` of `->` is not a bracket.
  Status skip_balanced();

  static bool matches(char open, char close) {
    // The codes of '<' and '>', '[' and ']', '{' and '}' differ by 2.
    return close == (open == '(' ? ')' : open + 2);
  }

  Status skip_string();

  /// Returns `text` without blanks at the ends, and with each run of white space outside of strings
  /// as one blank.
  static std::string collapsed(std::string_view text);

  std::string_view text_;
  std::size_t position_;
  int depth_ = 0;
};

SHARDY_INLINE std::string TypePrinter::print(const Type& type) {
  pending_.push_back(Piece{&type, {}});
  while (!pending_.empty()) {
    const Piece piece = pending_.back();
    pending_.pop_back();
    if (piece.type) {
      print_one(*piece.type);
    } else {
      text_ += piece.text;
    }
  }
  return std::move(text_);
}

SHARDY_INLINE void TypePrinter::print_one(const Type& type) {
  if (const auto* tensor = type.tensor()) return print_tensor(*tensor);
  if (const auto* scalar = type.as<ScalarType>()) {
    text_ += to_string(scalar->element);
  } else if (const auto* tuple = type.as<TupleType>()) {
    push({nullptr, "tuple<"}, tuple->elements, {nullptr, ">"});
  } else if (const auto* function = type.as<FunctionType>()) {
    print_function(*function);
  } else if (const auto* opaque = type.as<OpaqueType>()) {
    text_ += opaque->text;
  } else {
    text_ += "!stablehlo.token";
  }
}

SHARDY_INLINE void TypePrinter::print_tensor(const TensorType& tensor) {
  text_ += "tensor<";
  for (const int64_t dim : tensor.dims) {
    text_ += dim == kDynamicDim ? "?" : std::to_string(dim);
    text_ += 'x';
  }
  text_ += to_string(tensor.element);
  if (!tensor.encoding.empty()) text_ += ", " + tensor.encoding;
  text_ += '>';
}

SHARDY_INLINE void TypePrinter::print_function(const FunctionType& function) {
  // A single result is printed without parentheses, unless it is a function type: its `->` would be
  // ambiguous.
  const std::span<const Type> results = function.results();
  const bool bare = results.size() == 1 && results.front().as<FunctionType>() == nullptr;
  push({nullptr, bare ? "" : "("}, results, {nullptr, bare ? "" : ")"});
  push({nullptr, "("}, function.inputs(), {nullptr, ") -> "});
}

SHARDY_INLINE void TypePrinter::push(Piece before, std::span<const Type> types, Piece after) {
  pending_.push_back(after);
  for (std::size_t index = types.size(); index-- > 0;) {
    pending_.push_back(Piece{&types[index], {}});
    if (index > 0) pending_.push_back(Piece{nullptr, ", "});
  }
  pending_.push_back(before);
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::string to_string(const Type& type) { return detail::TypePrinter().print(type); }

SHARDY_INLINE std::string to_string(const std::vector<Type>& types) {
  std::string text;
  for (const Type& type : types) {
    if (!text.empty()) text += ", ";
    text += to_string(type);
  }
  return text;
}

}  // namespace shardy::ir

namespace shardy::ir::detail {

SHARDY_INLINE Result<Type> TypeParser::parse() {
  skip_space();
  if (depth_ >= kMaxDepth) return error("type is nested too deeply");
  ++depth_;
  Result<Type> type = parse_nested();
  --depth_;
  return type;
}

SHARDY_INLINE tl::unexpected<Error> TypeParser::error(std::string message) const {
  return fail_at(Location(1, static_cast<uint32_t>(position_ + 1)), std::move(message));
}

SHARDY_INLINE tl::unexpected<Error> TypeParser::unexpected(std::string_view wanted) const {
  std::string found = "the end of the text";
  if (!at_end()) {
    std::size_t end = position_ + 1;
    const std::size_t longest = std::min(text_.size(), position_ + 40);
    while (is_letter(text_[position_]) && end < longest && is_word(text_[end])) ++end;
    found = "'" + std::string(text_.substr(position_, end - position_)) + "'";
  }
  return error("expected " + std::string(wanted) + ", found " + found);
}

SHARDY_INLINE bool TypeParser::eat(std::string_view token) {
  skip_space();
  if (text_.substr(position_).substr(0, token.size()) != token) return false;
  position_ += token.size();
  return true;
}

SHARDY_INLINE Status TypeParser::expect(std::string_view token) {
  if (eat(token)) return {};
  return unexpected("'" + std::string(token) + "'");
}

SHARDY_INLINE std::string_view TypeParser::word() {
  const std::size_t begin = position_;
  while (!at_end() && is_word(peek())) ++position_;
  return text_.substr(begin, position_ - begin);
}

SHARDY_INLINE Result<Type> TypeParser::parse_nested() {
  const std::size_t begin = position_;
  if (peek() == '(') return parse_function();
  if (peek() == '!') return parse_dialect_type();
  if (!is_letter(peek()) && peek() != '_') return unexpected("a type");
  const std::string_view name = word();
  if (name == "tensor") return parse_tensor(begin);
  if (name == "tuple") return parse_tuple();
  if (name == "complex") {
    position_ = begin;
    if (const auto element = parse_element()) return Type(ScalarType{*element});
    return unexpected("complex<f32> or complex<f64>");
  }
  if (const auto element = parse_element_type(name)) return Type(ScalarType{*element});
  return parse_opaque(begin);
}

SHARDY_INLINE Result<Type> TypeParser::parse_function() {
  SHARDY_TRY(std::vector<Type> inputs, parse_list("(", ")"));
  SHARDY_TRY_STATUS(expect("->"));
  skip_space();
  if (peek() == '(') {
    SHARDY_TRY(const std::vector<Type> results, parse_list("(", ")"));
    return Type(FunctionType(std::move(inputs), results));
  }
  SHARDY_TRY(const Type result, parse());
  return Type(FunctionType(std::move(inputs), std::span(&result, 1)));
}

SHARDY_INLINE Result<Type> TypeParser::parse_tuple() {
  TupleType tuple;
  SHARDY_TRY(tuple.elements, parse_list("<", ">"));
  return Type(std::move(tuple));
}

SHARDY_INLINE Result<std::vector<Type>> TypeParser::parse_list(std::string_view open,
                                                               std::string_view close) {
  std::vector<Type> types;
  SHARDY_TRY_STATUS(expect(open));
  if (eat(close)) return types;
  do {
    SHARDY_TRY(Type type, parse());
    types.push_back(std::move(type));
  } while (eat(","));
  SHARDY_TRY_STATUS(expect(close));
  return types;
}

SHARDY_INLINE Result<Type> TypeParser::parse_dialect_type() {
  const std::size_t begin = position_++;
  const std::string_view name = word();
  if (name.empty() && peek() != '<') return unexpected("a type name");
  if (name == "stablehlo.token" && peek() != '<') return Type();
  return parse_opaque(begin);
}

SHARDY_INLINE Result<Type> TypeParser::parse_opaque(std::size_t begin) {
  if (peek() == '<') {
    SHARDY_TRY_STATUS(skip_balanced());
  }
  return Type(OpaqueType{collapsed(text_.substr(begin, position_ - begin))});
}

SHARDY_INLINE Result<Type> TypeParser::parse_tensor(std::size_t begin) {
  SHARDY_TRY_STATUS(expect("<"));
  skip_space();
  if (peek() == '*') return parse_foreign_tensor(begin);
  SHARDY_TRY(std::vector<int64_t> dims, parse_dims());
  if (at_foreign_element()) return parse_foreign_tensor(begin);
  const std::optional<ElementType> element = parse_element();
  if (!element) return unexpected("an element type");
  std::string encoding;
  if (eat(",")) {
    SHARDY_TRY(encoding, parse_encoding());
  }
  SHARDY_TRY_STATUS(expect(">"));
  Result<Type> type = Type::make_tensor(std::move(dims), *element, std::move(encoding));
  if (!type) return error(std::move(type).error().message);
  return type;
}

SHARDY_INLINE bool TypeParser::at_foreign_element() {
  skip_space();
  if (peek() == '!') return true;
  const std::size_t begin = position_;
  std::string_view name = word();
  position_ = begin;
  if (parse_element_type(name)) return false;
  if (name == "tf32" || name == "vector" || name == "memref") return true;
  if (name.starts_with('s') || name.starts_with('u')) name.remove_prefix(1);
  return name.size() > 1 && name.front() == 'i' &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

SHARDY_INLINE Result<std::vector<int64_t>> TypeParser::parse_dims() {
  std::vector<int64_t> dims;
  for (skip_space(); peek() == '?' || is_digit(peek()); skip_space()) {
    int64_t dim = kDynamicDim;
    if (peek() == '?') {
      ++position_;
    } else {
      const char* const end = text_.data() + text_.size();
      const auto [rest, failure] = std::from_chars(text_.data() + position_, end, dim);
      if (failure != std::errc()) return error("tensor dim does not fit 64 bits");
      position_ = static_cast<std::size_t>(rest - text_.data());
    }
    SHARDY_TRY_STATUS(expect("x"));
    dims.push_back(dim);
  }
  return dims;
}

SHARDY_INLINE std::optional<ElementType> TypeParser::parse_element() {
  skip_space();
  const std::size_t begin = position_;
  std::string name(word());
  if (name == "complex" && eat("<")) {
    skip_space();
    name += "<" + std::string(word()) + ">";
    if (!eat(">")) name.clear();
  }
  const std::optional<ElementType> element = parse_element_type(name);
  if (!element) position_ = begin;
  return element;
}

SHARDY_INLINE Result<std::string> TypeParser::parse_encoding() {
  skip_space();
  const std::size_t begin = position_;
  while (!at_end() && peek() != '>') {
    if (peek() == '<' || peek() == '"' || is_open(peek())) {
      SHARDY_TRY_STATUS(skip_balanced());
    } else {
      ++position_;
    }
  }
  if (begin == position_) return unexpected("an encoding");
  return collapsed(text_.substr(begin, position_ - begin));
}

SHARDY_INLINE Status TypeParser::skip_balanced() {
  std::string open;
  do {
    if (at_end()) return unexpected("a closing bracket");
    const char c = text_[position_++];
    if (c == '"') {
      SHARDY_TRY_STATUS(skip_string());
    } else if (is_open(c)) {
      open.push_back(c);
    } else if (is_close(c) && !(c == '>' && text_[position_ - 2] == '-')) {
      if (open.empty() || !matches(open.back(), c)) {
        --position_;
        return unexpected("a matching bracket");
      }
      open.pop_back();
    }
  } while (!open.empty());
  return {};
}

SHARDY_INLINE Status TypeParser::skip_string() {
  while (!at_end()) {
    const char c = text_[position_++];
    if (c == '"') return {};
    if (c == '\\' && !at_end()) ++position_;
  }
  return unexpected("the end of a string");
}

SHARDY_INLINE std::string TypeParser::collapsed(std::string_view text) {
  std::string result;
  bool in_string = false;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char c = text[index];
    if (!in_string && is_space(c)) {
      if (!result.empty() && result.back() != ' ') result.push_back(' ');
      continue;
    }
    result.push_back(c);
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\' && index + 1 < text.size()) result.push_back(text[++index]);
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE Result<Type> parse_type_prefix(std::string_view text, std::size_t& position) {
  detail::TypeParser parser(text, position);
  SHARDY_TRY(Type type, parser.parse());
  position = parser.position();
  return type;
}

SHARDY_INLINE Result<Type> parse_type(std::string_view text) {
  detail::TypeParser parser(text, 0);
  SHARDY_TRY(Type type, parser.parse());
  parser.skip_space();
  if (!parser.at_end()) return parser.unexpected("the end of the type");
  return type;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
