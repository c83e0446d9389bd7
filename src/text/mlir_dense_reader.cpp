// Reads numbers and dense literals of MLIR text. Spec: stablehlo 4, 5.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/text/mlir.hpp"
#include "text/bytes_text.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

// Common forms of numbers are read in one pass. The general reader reads all others.

namespace {

/// Reads numbers of a list, such as `-12`, `0.5` or `6.25e-02`, each followed by a blank, a comma
/// or a bracket. Returns std::nullopt without moving if a number has more digits than can be exact,
/// has a prefix, or has no end.
class PlainNumbers {
 public:
  PlainNumbers(std::string_view text, std::size_t at)
      : at_(text.data() + at), next_(at_), end_(text.data() + text.size()) {}

  /// Returns the position after the last number.
  std::size_t position(std::string_view text) const {
    return static_cast<std::size_t>(at_ - text.data());
  }

  /// Returns the nearest double: a product or quotient of two exact doubles, which is rounded once.
  std::optional<double> real() {
    const char* at = next_;
    const bool is_negative = eat_sign(at);
    Digits digits;
    if (!read_digits(at, digits) || at == end_ || *at != '.') return std::nullopt;
    const char* const point = at++;
    read_digits(at, digits);
    int64_t exponent = point + 1 - at;
    if (at != end_ && (*at == 'e' || *at == 'E') && !read_exponent(at, exponent)) {
      return std::nullopt;
    }
    constexpr uint64_t kMost = uint64_t{1} << std::numeric_limits<double>::digits;
    constexpr auto kMostPower = static_cast<int64_t>(kPowers.size()) - 1;
    const bool is_exact = digits.count <= kMostDigits && digits.value <= kMost &&
                          exponent <= kMostPower && -exponent <= kMostPower;
    if (!is_exact || !ends(at)) return std::nullopt;
    at_ = next_ = at;
    const auto whole = static_cast<double>(digits.value);
    const double value = exponent < 0 ? whole / kPowers[static_cast<std::size_t>(-exponent)]
                                      : whole * kPowers[static_cast<std::size_t>(exponent)];
    return is_negative ? -value : value;
  }

  /// Reads an integer in [least, most].
  std::optional<int64_t> integer(int64_t least, int64_t most) {
    const char* at = next_;
    const bool is_negative = eat_sign(at);
    Digits digits;
    if (!read_digits(at, digits) || digits.count > kMostDigits || !ends(at)) return std::nullopt;
    const auto magnitude = static_cast<int64_t>(digits.value);
    const int64_t value = is_negative ? -magnitude : magnitude;
    const bool has_fit_sign = !is_negative || least < 0;
    if (!has_fit_sign || value < least || value > most) return std::nullopt;
    at_ = next_ = at;
    return value;
  }

  /// Skips `, ` or `,` before the next number. Returns false without a comma.
  bool go_on() {
    if (at_ == end_ || *at_ != ',') return false;
    next_ = end_ - at_ > 1 && at_[1] == ' ' ? at_ + 2 : at_ + 1;
    return true;
  }

 private:
  /// The number of decimal digits that always fit 64 bits.
  static constexpr std::ptrdiff_t kMostDigits = 18;
  /// The powers of ten that doubles represent exactly.
  static constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

  struct Digits {
    uint64_t value = 0;  // wraps around after kMostDigits digits
    std::ptrdiff_t count = 0;
  };

  bool eat_sign(const char*& at) const {
    if (at == end_ || *at != '-') return false;
    ++at;
    return true;
  }
  /// Reads digits. Returns false without digits.
  bool read_digits(const char*& at, Digits& digits) const {
    const char* const begin = at;
    for (; at != end_ && is_digit(*at); ++at) {
      digits.value = digits.value * 10 + static_cast<uint64_t>(*at - '0');
    }
    digits.count += at - begin;
    return at != begin;
  }
  /// Reads the digits after the `e` and adds their value to `exponent`.
  bool read_exponent(const char*& at, int64_t& exponent) const {
    ++at;
    const bool is_negative = at != end_ && *at == '-';
    if (at != end_ && (*at == '-' || *at == '+')) ++at;
    Digits digits;
    if (!read_digits(at, digits) || digits.count > 3) return false;
    exponent +=
        is_negative ? -static_cast<int64_t>(digits.value) : static_cast<int64_t>(digits.value);
    return true;
  }
  bool ends(const char* at) const {
    return at != end_ && (*at == ',' || *at == ']' || *at == ' ' || *at == '\n');
  }

  const char* at_;
  const char* next_;
  const char* end_;
};

}  // namespace

// The digits of integer literals such as `12`, `-3` or `0xFF`.

namespace {

struct IntegerText {
  bool is_negative = false;
  bool is_hex = false;
  bool fits = false;  // the magnitude fits 64 bits
  uint64_t magnitude = 0;
};

inline IntegerText read_integer_text(std::string_view text) {
  IntegerText number;
  number.is_negative = text.starts_with('-');
  if (number.is_negative) text.remove_prefix(1);
  number.is_hex = text.starts_with("0x");
  if (number.is_hex) text.remove_prefix(2);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number.magnitude,
                                      number.is_hex ? 16 : 10);
  number.fits = result.ec == std::errc();
  return number;
}

}  // namespace

// Numbers as attributes. Spec: stablehlo 4.

std::optional<Attribute> MlirAttributeReader::number() {
  const std::size_t begin = cursor_.position();
  const std::string_view text = cursor_.number();
  const bool is_hex = text.find('x') != std::string_view::npos;
  const bool is_float = !is_hex && text.find('.') != std::string_view::npos;
  ElementType element = is_float ? ElementType::F64 : ElementType::I64;
  if (cursor_.eat(':')) {
    const std::size_t type_begin = cursor_.position();
    const std::optional<ir::Type> given = type();
    if (!given) return std::nullopt;
    const auto* scalar = given->as<ir::ScalarType>();
    if (!scalar) return opaque_from(begin);
    element = scalar->element;
    if (is_float && !ir::is_float(element)) {
      cursor_.fail(type_begin, "floating point value not valid for specified type");
      return std::nullopt;
    }
  }
  if (ir::is_float(element)) return float_attribute(text, element, begin);
  if (element != ElementType::I64) return integer_attribute(text, element, begin);
  if (const Attribute* known = cached(text)) return *known;
  return integer_attribute(text, element, begin);
}

std::optional<Attribute> MlirAttributeReader::float_attribute(std::string_view text,
                                                              ElementType type, std::size_t begin) {
  const bool is_hex = text.starts_with("0x");
  if (!is_hex && text.find('.') == std::string_view::npos) {
    cursor_.fail(begin, "unexpected decimal integer literal for a floating point attribute");
    return std::nullopt;
  }
  double value = 0;
  if (!is_hex) {
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc::result_out_of_range)
      value = std::strtod(std::string(text).c_str(), nullptr);
    return Attribute(ir::FloatAttr{ir::decode_double(ir::encode(value, type), type), type});
  }
  uint64_t bits = 0;
  const auto result = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  const int width = ir::info(type).bits;
  if (result.ec != std::errc() || (width < 64 && (bits >> static_cast<unsigned>(width)) != 0)) {
    cursor_.fail(begin, "hexadecimal float constant out of range for type");
    return std::nullopt;
  }
  std::vector<std::byte> bytes(ir::size_bytes(type));
  ir::detail::store_bits(bytes, bits);
  return Attribute(ir::FloatAttr{float_value(bytes, type), type});
}

std::optional<Attribute> MlirAttributeReader::integer_attribute(std::string_view text,
                                                                ElementType type,
                                                                std::size_t begin) {
  const IntegerText number = read_integer_text(text);
  const ir::ElementInfo& info = ir::info(type);
  const auto width = static_cast<unsigned>(info.bits);
  const uint64_t most = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  const uint64_t half = uint64_t{1} << (width - 1);
  const bool is_unsigned = info.kind == ir::ElementClass::Unsigned;
  const bool is_index = info.kind == ir::ElementClass::Index;
  // Signless integers may use all their bits, even if they are printed with a sign.
  const uint64_t most_positive = is_index ? half - 1 : most;
  const bool fits = number.fits && number.magnitude <= (number.is_negative ? half : most_positive);
  if (number.is_negative && is_unsigned) {
    cursor_.fail(begin, "negative integer literal not valid for unsigned integer type");
    return std::nullopt;
  }
  if (!fits || ir::is_complex(type)) {
    cursor_.fail(begin, "integer constant out of range for attribute");
    return std::nullopt;
  }
  const uint64_t bits = number.is_negative ? ~number.magnitude + 1 : number.magnitude;
  if (ir::is_boolean(type)) return Attribute((bits & 1U) != 0);
  const int64_t value = ir::detail::wrap(static_cast<int64_t>(bits), info.bits, !is_unsigned);
  return Attribute(ir::IntegerAttr{is_index ? static_cast<int64_t>(bits) : value, type});
}

// Dense literals. Spec: stablehlo 5.

namespace {

/// Reads the elements between `<` and `>`, whose type is known.
class ElementReader {
 public:
  /// `close` is the position of the `>`.
  ElementReader(MlirCursor& cursor, const ir::Type& type, std::size_t close)
      : cursor_(cursor),
        type_(type),
        element_(type.element()),
        size_(ir::size_bytes(element_)),
        close_(close) {}

  std::optional<ir::Literal> read() {
    if (cursor_.peek() == '>') return read_nothing();
    if (cursor_.peek() == '"') return read_blob();
    if (cursor_.peek() != '[') return read_splat();
    if (!read_list()) return std::nullopt;
    return made(ir::Literal::make(type_, std::move(bytes_)));
  }

 private:
  std::optional<ir::Literal> made(Result<ir::Literal> literal) {
    if (literal) return *std::move(literal);
    cursor_.fail(cursor_.position(), literal.error().message, literal.error().notes);
    return std::nullopt;
  }

  std::optional<ir::Literal> read_nothing() {
    if (type_.num_elements() == 0) return made(ir::Literal::make(type_, {}));
    cursor_.fail("parsed zero elements, but type ('" + to_string(type_) + "') expected at least 1");
    return std::nullopt;
  }

  std::optional<ir::Literal> read_splat() {
    bytes_.resize(size_);
    if (!read_element(bytes_)) return std::nullopt;
    if (type_.num_elements() == 0) return made(ir::Literal::make(type_, {}));
    return made(ir::Literal::make_splat(type_, std::move(bytes_)));
  }

  // ---- Lists -----------------------------------------------------------------------------------

  /// Reads nested lists with a counter per level, so that deep nesting uses no stack.
  bool read_list() {
    const std::size_t begin = cursor_.position();
    // An element takes a character and a comma, so the size of the text limits the memory, not the
    // type.
    const std::size_t most = (close_ - begin) / 2 + 1;
    bytes_.reserve(std::min(static_cast<std::size_t>(type_.num_bytes()), most * size_));
    std::vector<int64_t> counts;
    do {
      if (cursor_.eat('[')) {
        counts.push_back(0);
        if (cursor_.peek() != ']') continue;
      } else if (!append_elements(counts, begin)) {
        return false;
      }
      if (!close_lists(counts, begin)) return false;
      if (!counts.empty() && !cursor_.expect(',')) return false;
    } while (!counts.empty());
    return true;
  }

  /// Closes the lists that end here. Each must have as many elements as its dim.
  bool close_lists(std::vector<int64_t>& counts, std::size_t begin) {
    while (!counts.empty() && cursor_.eat(']')) {
      const std::size_t depth = counts.size();
      const bool fits = depth <= type_.dims().size() && type_.dim(depth - 1) == counts.back();
      const bool is_leaf_of_nothing = counts.back() == 0 && type_.num_elements() == 0;
      if (!fits && !is_leaf_of_nothing) return wrong_shape(begin);
      counts.pop_back();
      if (!counts.empty()) ++counts.back();
    }
    return true;
  }

  /// Appends one element, or several elements that are plain numbers.
  bool append_elements(std::vector<int64_t>& counts, std::size_t begin) {
    if (counts.size() != type_.dims().size()) return wrong_shape(begin);
    const int64_t num_plain = append_plain();
    counts.back() += num_plain;
    if (num_plain > 0) return true;
    const std::size_t at = bytes_.size();
    if (at >= static_cast<std::size_t>(type_.num_bytes())) return wrong_shape(begin);
    bytes_.resize(at + size_);
    ++counts.back();
    return read_element(std::span(bytes_).subspan(at));
  }

  /// Appends the next elements as long as they are plain numbers. Returns how many.
  int64_t append_plain() {
    const ir::ElementClass kind = ir::info(element_).kind;
    const bool is_whole = kind == ir::ElementClass::Signed || kind == ir::ElementClass::Unsigned;
    if (!is_whole && kind != ir::ElementClass::Float) return 0;
    PlainNumbers numbers(cursor_.text(), cursor_.position());
    const std::size_t begin = bytes_.size();
    const auto end = static_cast<std::size_t>(type_.num_bytes());
    std::size_t at = begin;
    do {
      if (at == end) break;
      if (at == bytes_.size()) make_room(end);
      const std::span<std::byte> out(bytes_.data() + at, size_);
      if (!(is_whole ? read_plain_integer(numbers, out) : read_plain_real(numbers, out))) break;
      at += size_;
    } while (numbers.go_on());
    bytes_.resize(at);
    cursor_.seek(numbers.position(cursor_.text()));
    return static_cast<int64_t>((at - begin) / size_);
  }

  /// Reserves memory for further elements, at least up to the allocated size, and at most `end`
  /// bytes.
  void make_room(std::size_t end) {
    const std::size_t at = bytes_.size();
    const std::size_t reserved = std::max(bytes_.capacity(), at + size_);
    bytes_.resize(std::min({end, reserved, at + kPlainAtOnce * size_}));
  }

  bool read_plain_real(PlainNumbers& numbers, std::span<std::byte> out) const {
    const std::optional<double> value = numbers.real();
    if (value) ir::encode_into(out, *value, element_);
    return value.has_value();
  }

  bool read_plain_integer(PlainNumbers& numbers, std::span<std::byte> out) const {
    const ir::ElementInfo& info = ir::info(element_);
    const int bits = std::min(info.bits, 62);
    const bool is_unsigned = info.kind == ir::ElementClass::Unsigned;
    const std::optional<int64_t> value =
        numbers.integer(is_unsigned ? 0 : -(int64_t{1} << (bits - 1)), (int64_t{1} << bits) - 1);
    if (value) ir::encode_int_into(out, *value, element_, is_unsigned);
    return value.has_value();
  }

  /// Reports the error of lists with a wrong shape. Derives the shape from the first element of
  /// each list.
  bool wrong_shape(std::size_t begin) {
    cursor_.seek(begin);
    std::string inferred;
    // Each level takes one pass. Without the limit, a text of brackets would take quadratic time.
    constexpr int kMaxLevels = 16;
    for (int level = 0; level < kMaxLevels && cursor_.peek() == '['; ++level) {
      const std::size_t open = cursor_.position();
      if (!inferred.empty()) inferred += ", ";
      inferred += std::to_string(count_elements());
      cursor_.seek(open + 1);
    }
    std::string wanted;
    for (const int64_t dim : type_.dims()) {
      if (!wanted.empty()) wanted += ", ";
      wanted += std::to_string(dim);
    }
    if (inferred == wanted) {
      return cursor_.fail(begin,
                          "tensor literal is invalid; ranks are not consistent between elements");
    }
    return cursor_.fail(begin, "inferred shape of elements literal ([" + inferred +
                                   "]) does not match type ([" + wanted + "])");
  }

  /// Returns the number of elements of the list that opens here.
  std::size_t count_elements() {
    int depth = 0;
    std::size_t count = 0;
    bool is_empty = true;
    while (!cursor_.at_end()) {
      const char c = cursor_.peek();
      cursor_.seek(cursor_.position() + 1);
      if (c == '[' || c == '(') ++depth;
      if ((c == ']' || c == ')') && --depth == 0) break;
      if (depth == 1 && c == ',') ++count;
      is_empty = is_empty && c == '[' && depth == 1;
    }
    return is_empty ? 0 : count + 1;
  }

  // ---- Elements --------------------------------------------------------------------------------

  bool read_element(std::span<std::byte> out) {
    if (!ir::is_complex(element_)) return read_scalar(out, element_);
    const ElementType part = size_ == 8 ? ElementType::F32 : ElementType::F64;
    if (cursor_.peek() != '(') return cursor_.expected("'(' of a complex number");
    cursor_.eat('(');
    return read_scalar(out.first(size_ / 2), part) && cursor_.expect(',') &&
           read_scalar(out.subspan(size_ / 2), part) && cursor_.expect(')');
  }

  bool read_scalar(std::span<std::byte> out, ElementType element) {
    if (cursor_.at_ident()) return read_word(out, element);
    const std::size_t begin = cursor_.position();
    const std::string_view text = cursor_.number();
    if (text.empty()) return cursor_.expected("element literal of primitive type");
    return ir::is_float(element) ? read_float(out, element, text, begin)
                                 : read_integer(out, element, text, begin);
  }

  bool read_word(std::span<std::byte> out, ElementType element) {
    const std::size_t begin = cursor_.position();
    const bool value = cursor_.eat_word("true");
    if (!value && !cursor_.eat_word("false")) {
      return cursor_.expected("element literal of primitive type");
    }
    if (!ir::is_boolean(element)) {
      return cursor_.fail(begin, "expected i1 type for 'true' or 'false' values");
    }
    ir::detail::store_bits(out, value ? 1 : 0);
    return true;
  }

  bool read_float(std::span<std::byte> out, ElementType element, std::string_view text,
                  std::size_t begin) {
    if (text.starts_with("0x")) return read_bits(out, element, text, begin);
    if (text.starts_with("-0x")) {
      return cursor_.fail(begin, "hexadecimal float literal should not have a leading minus");
    }
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
      value = std::strtod(std::string(text).c_str(), nullptr);
    }
    ir::encode_into(out, value, element);
    return true;
  }

  bool read_bits(std::span<std::byte> out, ElementType element, std::string_view text,
                 std::size_t begin) {
    uint64_t bits = 0;
    const auto result = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    const int width = ir::info(element).bits;
    const bool fits =
        result.ec == std::errc() && (width >= 64 || (bits >> static_cast<unsigned>(width)) == 0);
    if (!fits) return cursor_.fail(begin, "hexadecimal float constant out of range for type");
    ir::detail::store_bits(out, bits);
    return true;
  }

  bool read_integer(std::span<std::byte> out, ElementType element, std::string_view text,
                    std::size_t begin) {
    if (text.find('.') != std::string_view::npos) {
      return cursor_.fail(begin, "expected integer elements, but parsed floating-point");
    }
    const auto [is_negative, is_hex, has_digits, magnitude] = read_integer_text(text);
    const ir::ElementInfo& info = ir::info(element);
    const auto width = static_cast<unsigned>(info.bits);
    const uint64_t most = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    if (is_negative && info.kind == ir::ElementClass::Unsigned) {
      return cursor_.fail(begin, "expected unsigned integer elements, but parsed negative value");
    }
    if (!has_digits ||
        (is_negative ? magnitude > (uint64_t{1} << (width - 1)) : magnitude > most)) {
      return cursor_.fail(begin, "integer constant out of range for type");
    }
    const auto bits = static_cast<int64_t>(is_negative ? ~magnitude + 1 : magnitude);
    ir::encode_int_into(out, ir::is_boolean(element) ? bits & 1 : bits, element,
                        info.kind == ir::ElementClass::Unsigned);
    return true;
  }

  // ---- Blobs -----------------------------------------------------------------------------------

  std::optional<ir::Literal> wrong_blob(std::size_t begin) {
    cursor_.fail(begin,
                 "elements hex data size is invalid for provided type: '" + to_string(type_) + "'");
    return std::nullopt;
  }

  std::optional<ir::Literal> read_blob() {
    const std::size_t begin = cursor_.position();
    if (!cursor_.skip_balanced()) return std::nullopt;
    std::string_view text = cursor_.slice(begin);
    text = text.substr(1, text.size() - 2);
    if (!text.starts_with("0x")) {
      cursor_.fail(begin, "elements hex string should start with '0x'");
      return std::nullopt;
    }
    text.remove_prefix(2);
    if (text.size() % 2 != 0) return wrong_blob(begin);
    std::optional<std::vector<std::byte>> bytes = from_hex_digits(text);
    if (!bytes) {
      cursor_.fail(begin, "elements hex string only contains hex digits");
      return std::nullopt;
    }
    bytes_ = *std::move(bytes);
    return ir::is_boolean(element_) ? boolean_blob(begin) : plain_blob(begin);
  }

  std::optional<ir::Literal> plain_blob(std::size_t begin) {
    const auto needed = static_cast<std::size_t>(type_.num_bytes());
    if (bytes_.size() != needed && bytes_.size() != size_) return wrong_blob(begin);
    const int width = ir::info(element_).bits;
    if (width < 8 && !ir::is_float(element_)) {
      for (std::byte& byte : bytes_) {
        const int64_t value = ir::decode_int(std::span(&byte, 1), element_);
        byte = static_cast<std::byte>(value & 0xFF);
      }
    }
    if (bytes_.size() == size_ && needed != 0) {
      return made(ir::Literal::make_splat(type_, std::move(bytes_)));
    }
    if (bytes_.size() != needed) return wrong_blob(begin);
    return made(ir::Literal::make(type_, std::move(bytes_)));
  }

  /// Reads a blob of i1: one byte per element or, in older text, one bit. Spec: stablehlo 5, H1.
  std::optional<ir::Literal> boolean_blob(std::size_t begin) {
    const auto count = static_cast<std::size_t>(type_.num_elements());
    const auto first = bytes_.empty() ? 2 : std::to_integer<int>(bytes_.front());
    if (bytes_.size() == 1 && (first == 0 || first == 1 || first == 0xFF) && count != 0) {
      bytes_.front() = static_cast<std::byte>(first == 0 ? 0 : 1);
      return made(ir::Literal::make_splat(type_, std::move(bytes_)));
    }
    const bool is_packed = bytes_.size() == count / 8 + (count % 8 != 0 ? 1 : 0);
    if (bytes_.size() != count && !is_packed) return wrong_blob(begin);
    std::vector<std::byte> values(count);
    if (bytes_.size() == count) {
      std::ranges::transform(bytes_, values.begin(), [](std::byte byte) {
        return static_cast<std::byte>(byte == std::byte{0} ? 0 : 1);
      });
    } else {
      for (std::size_t index = 0; index < count; ++index) {
        values[index] = (bytes_[index / 8] >> (index % 8)) & std::byte{1};
      }
    }
    return made(ir::Literal::make(type_, std::move(values)));
  }

  static constexpr std::size_t kPlainAtOnce = 256;

  MlirCursor& cursor_;
  const ir::Type& type_;
  ElementType element_;
  std::size_t size_;
  std::size_t close_;
  std::vector<std::byte> bytes_;
};

}  // namespace

/// Reads the rest of an attribute after `dense`. The type comes after the elements, so the reader
/// first skips these.
std::optional<Attribute> MlirAttributeReader::dense() {
  const std::size_t begin = cursor_.raw_position() - std::string_view("dense").size();
  const std::size_t open = cursor_.position();
  const std::string_view text = cursor_.text();
  if (cursor_.peek() != '<') {
    cursor_.expected("'<'");
    return std::nullopt;
  }
  std::size_t close = std::min(text.find('>', open), text.size());
  const std::string_view elements = text.substr(open, close - open);
  const bool is_plain =
      elements.find('"') == std::string_view::npos && elements.find('/') == std::string_view::npos;
  if (close == text.size() || !is_plain) {
    if (!cursor_.skip_balanced()) return std::nullopt;
    close = cursor_.raw_position() - 1;
  }
  cursor_.seek(close + 1);
  if (!cursor_.expect(':')) return std::nullopt;
  const std::size_t type_begin = cursor_.position();
  const std::optional<ir::Type> given = type();
  if (!given) return std::nullopt;
  if (given->is_tensor() && !given->is_static_tensor()) {
    cursor_.fail(type_begin, "elements literal type must have static shape");
    return std::nullopt;
  }
  if (!given->is_static_tensor() || !given->tensor()->encoding.empty()) return opaque_from(begin);
  const std::size_t end = cursor_.raw_position();
  cursor_.seek(open + 1);
  std::optional<ir::Literal> literal = ElementReader(cursor_, *given, close).read();
  if (!literal || !cursor_.expect('>')) return std::nullopt;
  cursor_.seek(end);
  return Attribute(*std::move(literal));
}

// Values in the resource section of a file, `{-# dialect_resources: ... #-}`. Spec: stablehlo 1, 5.

namespace {

/// The hex text of each key, with `0x`.
using Resources = std::map<std::string, std::string, std::less<>>;

/// Reads `name` or `"name"`.
std::optional<std::string> resource_key(MlirCursor& cursor) {
  if (cursor.peek() == '"') return cursor.string();
  const std::string_view name = cursor.ident();
  return name.empty() ? std::nullopt : std::optional(std::string(name));
}

/// Reads `{a: .., b: ..}`. `read_value(key)` reads the value after the colon.
template <class ReadValue>
bool read_group(MlirCursor& cursor, ReadValue&& read_value) {
  if (!cursor.expect('{')) return false;
  if (cursor.eat('}')) return true;
  do {
    const std::optional<std::string> key = resource_key(cursor);
    if (!key || !cursor.expect(':') || !read_value(*key)) return false;
  } while (cursor.eat(','));
  return cursor.expect('}');
}

/// Reads `{-# SECTION: { DIALECT: { key: "0x.." } } #-}`. Returns no resources for other text.
Resources read_resources(std::string_view text) {
  Resources resources;
  MlirCursor cursor(text);
  const auto read_blob = [&](const std::string& key) {
    std::optional<std::string> blob = cursor.string();
    if (!blob) return false;
    resources.insert_or_assign(key, *std::move(blob));
    return true;
  };
  const auto read_dialect = [&](const std::string&) { return read_group(cursor, read_blob); };
  if (!cursor.eat("{-#")) return resources;
  do {
    const std::optional<std::string> section = resource_key(cursor);
    if (!section || !cursor.expect(':') || !read_group(cursor, read_dialect)) break;
  } while (cursor.eat(','));
  return resources;
}

/// Returns the value of `dense_resource<key> : T`; std::nullopt if the file does not contain it.
Result<std::optional<ir::Literal>> resource_value(const Resources& resources,
                                                  std::string_view spelled) {
  MlirCursor cursor(spelled);
  if (!cursor.eat_word("dense_resource") || !cursor.eat('<')) return std::nullopt;
  const std::optional<std::string> key = resource_key(cursor);
  const auto found = key ? resources.find(*key) : resources.end();
  if (found == resources.end() || !cursor.eat('>')) return std::nullopt;
  // A four-byte alignment precedes the elements.
  constexpr std::size_t kHeader = std::string_view("0x04000000").size();
  const std::string& blob = found->second;
  if (!blob.starts_with("0x") || blob.size() < kHeader) {
    return fail("the resource '" + *key + "' is not a hex string with an alignment");
  }
  const std::string dense =
      "dense<\"0x" + blob.substr(kHeader) + "\">" + std::string(spelled.substr(cursor.position()));
  MlirCursor value_cursor(dense);
  const std::optional<ir::Attribute> value = MlirAttributeReader(value_cursor).attribute();
  if (!value) return fail(value_cursor.failure().message);
  const auto* literal = value->as<ir::Literal>();
  return literal ? std::optional(*literal) : std::nullopt;
}

}  // namespace

Status load_resources(ir::Module& module) {
  const auto* text = module.module_attributes().get<ir::OpaqueAttr>(kResourcesAttr);
  if (!text) return {};
  const Resources resources = read_resources(text->text);
  for (const ir::OpId op : ir::pre_order(module)) {
    const auto* spelled = module.attribute<ir::OpaqueAttr>(op, ir::attr::kValue);
    if (!spelled) continue;
    Result<std::optional<ir::Literal>> value = resource_value(resources, spelled->text);
    if (!value) {
      Error error = std::move(value).error();
      error.location = module.source_location(op);
      return tl::unexpected(std::move(error));
    }
    if (*value) module.attributes(op).set(ir::attr::kValue, **std::move(value));
  }
  return {};
}

}  // namespace shardy::text
