#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/support/scanner.hpp"
#include "text/bytes_text.hpp"
#include "text/json_attribute.hpp"
#include "text/json_writer.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

using ir::ElementType;

std::string suggestion(std::string_view word, const std::vector<std::string_view>& candidates) {
  const std::optional<std::string> meant = closest(word, candidates);
  return meant ? "did you mean " + quoted_json(*meant) + "?" : "";
}

Status expect_object(JsonNode node, std::string_view what,
                     const std::vector<std::string_view>& keys) {
  if (!node.is_object()) {
    return fail_at(node, std::string(what) + " is an object, found " + node.description());
  }
  for (const JsonNode member : node) {
    if (std::ranges::find(keys, member.key()) != keys.end()) continue;
    std::string note = suggestion(member.key(), keys);
    if (note.empty()) {
      note = "known keys:";
      for (const std::string_view key : keys) note += " " + std::string(key);
    }
    constexpr std::size_t kLongestKey = 60;
    return fail_at(
        member,
        std::string(what) + " has no key " + quoted_json(member.key().substr(0, kLongestKey)),
        std::move(note));
  }
  return {};
}

Result<JsonNode> required(JsonNode object, std::string_view key) {
  const std::optional<JsonNode> member = object.find(key);
  if (!member) return fail_at(object, "the key \"" + std::string(key) + "\" is missing");
  return *member;
}

Status expect_array(JsonNode node, std::string_view what) {
  if (node.is_array()) return {};
  return fail_at(node, std::string(what) + " is a list, found " + node.description());
}

Result<std::string> read_string(JsonNode node, std::string_view what) {
  if (node.is_string()) return std::string(node.string());
  return fail_at(node, std::string(what) + " is a string, found " + node.description());
}

Result<bool> read_boolean(JsonNode node, std::string_view what) {
  if (node.is_boolean()) return node.boolean();
  return fail_at(node, std::string(what) + " is true or false, found " + node.description());
}

Result<int64_t> read_integer(JsonNode node, std::string_view what) {
  if (const std::optional<int64_t> value = node.integer()) return *value;
  if (node.is_integer()) {
    return fail_at(node, node.description() + " does not fit 64 bits with sign");
  }
  return fail_at(node, std::string(what) + " is an integer, found " + node.description());
}

Result<std::vector<int64_t>> read_integers(JsonNode node, std::string_view what) {
  return read_list_of<int64_t>(
      node, what, [](JsonNode element) { return read_integer(element, "an element"); });
}

void write_integers(JsonWriter& writer, const std::vector<int64_t>& values) {
  writer.begin_array();
  for (const int64_t value : values) writer.integer(value);
  writer.end_array();
}

Result<std::vector<std::string>> read_strings(JsonNode node, std::string_view what) {
  return read_list_of<std::string>(
      node, what, [](JsonNode element) { return read_string(element, "an element"); });
}

Error in_text_of(JsonNode node, Error error) {
  if (!error.location.empty()) {
    const std::string place = error.location.line() == 1
                                  ? "column " + std::to_string(error.location.column())
                                  : error.location.text();
    error.notes.insert(error.notes.begin(),
                       "at " + place + " of " + quoted_json(node.string().substr(0, 200)));
  }
  error.location = node.pointer();
  return error;
}

namespace {

/// Reads the dims of `f32[4,?]` from the bracket on.
Result<std::vector<int64_t>> read_dims(Scanner& scanner) {
  std::vector<int64_t> dims;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
    if (scanner.eat('?')) {
      dims.push_back(ir::kDynamicDim);
      return {};
    }
    SHARDY_TRY(const int64_t dim, scanner.decimal());
    dims.push_back(dim);
    return {};
  }));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return dims;
}

/// Reads the short form `f32[4,?]`; std::nullopt if the text does not start with one.
std::optional<Result<ir::Type>> read_short_form(std::string_view text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::optional<ir::ElementType> element = ir::parse_element_type(text.substr(0, bracket));
  if (!element) return std::nullopt;
  Scanner scanner(text);
  scanner.seek(bracket);
  return read_dims(scanner).and_then(
      [&](std::vector<int64_t> dims) { return ir::Type::make_tensor(std::move(dims), *element); });
}

}  // namespace

Result<ir::Type> read_type(JsonNode node) {
  if (!node.is_string()) {
    return fail_at(node, R"(a type is a string such as "tensor<4x8xf32>" or "f32[4,8]", found )" +
                             node.description());
  }
  std::optional<Result<ir::Type>> type = read_short_form(node.string());
  if (!type) type = ir::parse_type(node.string()).and_then(&printable_type);
  return std::move(*type).map_error([&](Error error) {
    Error here = in_text_of(node, std::move(error));
    here.notes.emplace_back(R"(types are written as "tensor<4x8xf32>" or "f32[4,8]")");
    return here;
  });
}

std::string type_text(const ir::Type& type) {
  if (!type.is_tensor() || !type.tensor()->encoding.empty()) return to_string(type);
  std::string text = std::string(to_string(type.element())) + "[";
  for (const int64_t dim : type.dims()) {
    if (text.back() != '[') text += ',';
    text += dim == ir::kDynamicDim ? "?" : std::to_string(dim);
  }
  return text + "]";
}

namespace {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

struct Special {
  std::string_view name;
  double value;
};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// The special float values and their names. The first name of a value is printed.
constexpr std::array<Special, 6> kSpecials = {{{"nan", kNaN},
                                               {"inf", kInfinity},
                                               {"-inf", -kInfinity},
                                               {"NaN", kNaN},
                                               {"Infinity", kInfinity},
                                               {"-Infinity", -kInfinity}}};

std::optional<double> special_value(std::string_view name) {
  const auto* const found = std::ranges::find(kSpecials, name, &Special::name);
  return found == kSpecials.end() ? std::nullopt : std::optional(found->value);
}

/// Returns the bytes of a number such as "0x7FC0", the least significant byte first.
std::optional<std::vector<std::byte>> bits_of(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::optional<std::vector<std::byte>> bytes = from_hex(text);
  if (bytes) std::ranges::reverse(*bytes);
  return bytes;
}

std::string text_of_bits(ConstBytes bytes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string text = "0x";
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    const auto value = std::to_integer<std::size_t>(*byte);
    text += {kHex[value >> 4U], kHex[value & 15U]};
  }
  return text;
}

bool same_bytes(ConstBytes a, ConstBytes b) { return std::ranges::equal(a, b); }

/// Checks whether the bytes are an element of the type: unused bits are zero or, for signed
/// integers, copies of the sign.
bool is_element(ConstBytes bytes, ElementType type) {
  const ir::ElementInfo& element = ir::info(type);
  if (static_cast<std::size_t>(element.bits) == element.bytes * 8) return true;
  if (ir::is_float(type)) {
    return std::to_integer<unsigned>(bytes[0]) < 1U << static_cast<unsigned>(element.bits);
  }
  return same_bytes(ir::encode_int(ir::decode_int(bytes, type), type), bytes);
}

// ---- Reading elements ------------------------------------------------------------------------

tl::unexpected<Error> no_element(JsonNode node, ElementType type, std::string_view wanted) {
  return fail_at(node, "an element of type " + std::string(to_string(type)) + " is " +
                           std::string(wanted) + ", found " + node.description());
}

tl::unexpected<Error> out_of_range(JsonNode node, ElementType type) {
  return fail_at(node, node.description() + " is out of range of " + std::string(to_string(type)));
}

Status read_boolean_element(JsonNode node, Bytes out) {
  const bool is_bit = node.is_integer() && node.integer_bits() <= 1;
  if (!node.is_boolean() && !is_bit) return no_element(node, ElementType::I1, "true or false");
  ir::encode_int_into(out, node.is_boolean() ? node.boolean() : node.integer_bits() == 1,
                      ElementType::I1);
  return {};
}

Status read_integer_element(JsonNode node, ElementType type, Bytes out) {
  if (!node.is_integer()) return no_element(node, type, "an integer");
  const bool is_unsigned = ir::is_unsigned_integer(type);
  const auto bits = static_cast<unsigned>(ir::info(type).bits);
  const std::optional<int64_t> value = node.integer();
  if (is_unsigned) {
    const uint64_t largest = std::numeric_limits<uint64_t>::max() >> (64U - bits);
    const bool is_negative = value.value_or(0) < 0;
    if (is_negative || node.integer_bits() > largest) return out_of_range(node, type);
  } else {
    const int64_t largest = std::numeric_limits<int64_t>::max() >> (64U - bits);
    if (!value || *value > largest || *value < -largest - 1) return out_of_range(node, type);
  }
  ir::encode_int_into(out, static_cast<int64_t>(node.integer_bits()), type);
  return {};
}

/// Returns true for a type without infinity and NaN. Numbers above its largest value become the
/// largest value.
bool saturates(double wanted, ElementType type) {
  constexpr std::array kWithoutSpecials = {ElementType::F4E2M1FN, ElementType::F6E2M3FN,
                                           ElementType::F6E3M2FN};
  if (std::ranges::find(kWithoutSpecials, type) == kWithoutSpecials.end()) return false;
  const ir::FloatFormat format = ir::float_format(type);
  const double largest = ir::decode_bits(format.max_finite(), format);
  const double before = ir::decode_bits(format.max_finite() - 1, format);
  return std::abs(wanted) >= largest + (largest - before) / 2;
}

Status read_float_element(JsonNode node, ElementType type, Bytes out) {
  constexpr std::string_view kWanted = R"(a number, "nan", "inf", "-inf" or bits "0x..")";
  if (node.is_number()) {
    ir::encode_into(out, node.number(), type);
    const bool fits =
        std::isfinite(ir::decode_double(out, type)) && !saturates(node.number(), type);
    if (fits) return {};
    return out_of_range(node, type);
  }
  if (!node.is_string()) return no_element(node, type, kWanted);
  if (const std::optional<double> special = special_value(node.string())) {
    ir::encode_into(out, *special, type);
    const double kept = ir::decode_double(out, type);
    const bool same = std::isnan(*special) ? std::isnan(kept) : kept == *special;
    if (same) return {};
    return fail_at(node, std::string(to_string(type)) + " has no " + std::string(node.string()));
  }
  const auto bits = bits_of(node.string());
  if (!bits) return no_element(node, type, kWanted);
  if (bits->size() != out.size() || !is_element(*bits, type)) {
    return fail_at(node, "the bits of an element of type " + std::string(to_string(type)) +
                             " are 0x and " + std::to_string(2 * out.size()) +
                             " hex digits, found " + node.description());
  }
  std::ranges::copy(*bits, out.begin());
  return {};
}

Status read_element(JsonNode node, ElementType type, Bytes out) {
  if (ir::is_boolean(type)) return read_boolean_element(node, out);
  if (ir::is_float(type)) return read_float_element(node, type, out);
  if (!ir::is_complex(type)) return read_integer_element(node, type, out);
  if (!node.is_array() || node.size() != 2) return no_element(node, type, "[real, imaginary]");
  const ElementType part = type == ElementType::Complex64 ? ElementType::F32 : ElementType::F64;
  const std::vector<JsonNode> parts = node.children();
  SHARDY_TRY_STATUS(read_float_element(parts[0], part, out.first(out.size() / 2)));
  return read_float_element(parts[1], part, out.subspan(out.size() / 2));
}

// ---- Reading literals ------------------------------------------------------------------------

/// Returns true for one element, as opposed to a list of elements. A complex element is a list of
/// two scalars.
bool looks_like_element(JsonNode node, ElementType type) {
  if (!ir::is_complex(type)) return !node.is_array();
  if (!node.is_array() || node.size() != 2) return !node.is_array();
  return !node.begin()->is_array() && !node.children()[1].is_array();
}

/// Returns the elements in row-major order. Error: the length of a list differs from its dim.
Result<std::vector<JsonNode>> elements_of(JsonNode list, const ir::Type& type) {
  std::vector<JsonNode> elements = list.children();
  const bool flat = list.is_array() && std::ranges::all_of(elements, [&](JsonNode node) {
                      return looks_like_element(node, type.element());
                    });
  if (flat && static_cast<int64_t>(elements.size()) == type.num_elements()) return elements;
  std::vector<JsonNode> lists = {list};
  for (const int64_t dim : type.dims()) {
    elements.clear();
    for (const JsonNode inner : lists) {
      if (!inner.is_array() || static_cast<int64_t>(inner.size()) != dim) {
        return fail_at(inner,
                       "expected a list of " + std::to_string(dim) + " elements, found " +
                           (inner.is_array() ? std::to_string(inner.size()) : inner.description()),
                       "the lists of a " + to_string(type) + " have the sizes of its dims");
      }
      for (const JsonNode element : inner) elements.push_back(element);
    }
    lists = elements;
  }
  return elements;
}

Result<ir::Literal> read_splat(JsonNode node, const ir::Type& type) {
  std::vector<std::byte> element(ir::size_bytes(type.element()));
  SHARDY_TRY_STATUS(read_element(node, type.element(), element));
  return ir::Literal::make_splat(type, std::move(element));
}

Result<ir::Literal> make_of_bytes(JsonNode node, const ir::Type& type,
                                  std::optional<std::vector<std::byte>> bytes) {
  if (!bytes) {
    return fail_at(node, "no " + std::string(node.key()) + " text: " + node.description());
  }
  const std::size_t size = ir::size_bytes(type.element());
  if (static_cast<int64_t>(bytes->size()) != type.num_bytes()) {
    return fail_at(node, "found " + std::to_string(bytes->size()) + " bytes, a " + to_string(type) +
                             " has " + std::to_string(type.num_bytes()));
  }
  for (std::size_t begin = 0; begin < bytes->size(); begin += size) {
    if (is_element(ConstBytes(*bytes).subspan(begin, size), type.element())) continue;
    return fail_at(node, "byte " + std::to_string(begin) + " is not an element of type " +
                             std::string(to_string(type.element())));
  }
  return ir::Literal::make(type, *std::move(bytes));
}

Result<ir::Literal> read_literal_object(JsonNode node, const ir::Type& type) {
  SHARDY_TRY_STATUS(expect_object(node, "a literal", {"splat", "hex", "base64"}));
  if (node.size() != 1) {
    return fail_at(node, R"(a literal has one of the keys "splat", "hex", "base64")");
  }
  const JsonNode value = *node.begin();
  if (value.key() == "splat") return read_splat(value, type);
  SHARDY_TRY(const std::string text, read_string(value, "\"" + std::string(value.key()) + "\""));
  return make_of_bytes(value, type, value.key() == "hex" ? from_hex(text) : from_base64(text));
}

// ---- Writing ---------------------------------------------------------------------------------

/// Returns the three numbers with the given number of digits around `value`, the nearest one first.
/// Requires: `value` is finite.
std::array<double, 3> numbers_of_digits(double value, int digits) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::scientific, digits - 1);
  char* const mark = std::find(text.data(), end.ptr, 'e');
  char* const point = std::find(text.data(), mark, '.');
  int64_t mantissa = 0;
  std::from_chars(text.data(), std::remove(text.data(), mark, '.'), mantissa);
  int exponent = 0;
  std::from_chars(mark + (mark[1] == '+' ? 2 : 1), end.ptr, exponent);
  exponent -= static_cast<int>(mark - std::min(point + 1, mark));
  std::array<double, 3> numbers = {value, value, value};
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    const std::array<int64_t, 3> steps = {0, 1, -1};
    const std::string number =
        std::to_string(mantissa + steps[index]) + "e" + std::to_string(exponent);
    std::from_chars(number.data(), number.data() + number.size(), numbers[index]);
  }
  return numbers;
}

/// Returns the shortest number that reads back as these bytes. Requires: a finite float.
///
/// The nearest number with few digits may not round back although its neighbour does: the interval
/// that rounds to a power of two is twice as wide above the power as below.
std::string shortest_number(ConstBytes bytes, ElementType type) {
  const double value = ir::decode_double(bytes, type);
  constexpr int kFewDigits = 9;  // enough for all f32, except a few that are rounded twice
  const bool is_exact = type == ElementType::F64 || value == 0;
  for (int digits = 1; !is_exact && digits <= kFewDigits; ++digits) {
    for (const double number : numbers_of_digits(value, digits)) {
      const bool reads_back =
          !saturates(number, type) && same_bytes(ir::encode(number, type), bytes);
      if (reads_back) return json_number(number);
    }
  }
  return json_number(value);
}

void write_float_element(JsonWriter& writer, ConstBytes bytes, ElementType type) {
  const double value = ir::decode_double(bytes, type);
  if (std::isfinite(value)) return writer.scalar(shortest_number(bytes, type));
  for (const Special& special : kSpecials) {
    // A type without infinity has NaN instead.
    const bool same_kind = std::isnan(special.value) == std::isnan(value);
    if (same_kind && same_bytes(ir::encode(special.value, type), bytes)) {
      return writer.string(special.name);
    }
  }
  writer.string(text_of_bits(bytes));
}

void write_element(JsonWriter& writer, ConstBytes bytes, ElementType type) {
  if (ir::is_boolean(type)) return writer.boolean(ir::decode_int(bytes, type) != 0);
  if (ir::is_float(type)) return write_float_element(writer, bytes, type);
  if (ir::is_unsigned_integer(type)) {
    return writer.unsigned_integer(static_cast<uint64_t>(ir::decode_int(bytes, type)));
  }
  if (!ir::is_complex(type)) return writer.integer(ir::decode_int(bytes, type));
  const ElementType part = type == ElementType::Complex64 ? ElementType::F32 : ElementType::F64;
  writer.begin_array();
  write_float_element(writer, bytes.first(bytes.size() / 2), part);
  write_float_element(writer, bytes.subspan(bytes.size() / 2), part);
  writer.end_array();
}

/// Returns true if all elements are equal, or the literal is a splat.
bool is_uniform(const ir::Literal& literal) {
  if (literal.is_splat()) return true;
  const std::size_t size = ir::size_bytes(literal.type().element());
  const ConstBytes bytes = literal.stored();
  return same_bytes(bytes.subspan(size), bytes.first(bytes.size() - size));
}

/// Writes nested lists. Requires: at least one element.
void write_lists(JsonWriter& writer, const ir::Literal& literal) {
  const std::span<const int64_t> dims = literal.type().dims();
  for (int64_t index = 0; index < literal.num_elements(); ++index) {
    int64_t below = 1;
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      below *= *dim;
      if (index % below == 0) writer.begin_array();
    }
    write_element(writer, literal.element_bytes(index), literal.type().element());
    below = 1;
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      below *= *dim;
      if ((index + 1) % below == 0) writer.end_array();
    }
  }
}

}  // namespace

Result<double> read_float(JsonNode node, ElementType type) {
  if (node.is_number()) return node.number();
  if (node.is_string()) {
    if (const std::optional<double> special = special_value(node.string())) return *special;
    const auto bits = bits_of(node.string());
    if (bits && bits->size() == sizeof(double)) {
      double value = 0;
      std::memcpy(&value, bits->data(), sizeof(value));
      return value;
    }
    const bool fits = bits && ir::is_float(type) && bits->size() == ir::size_bytes(type);
    if (fits && is_element(*bits, type)) return ir::decode_double(*bits, type);
  }
  return no_element(node, type, R"(a number, "nan", "inf", "-inf" or bits "0x..")");
}

void write_float(JsonWriter& writer, double value) {
  write_float_element(writer, std::as_bytes(std::span(&value, 1)), ElementType::F64);
}

Result<ir::Literal> read_literal(JsonNode node, const ir::Type& type) {
  if (!type.is_static_tensor()) {
    return fail_at(node,
                   "a literal needs a tensor type whose sizes are known, found " + to_string(type));
  }
  if (node.is_object()) return read_literal_object(node, type);
  if (looks_like_element(node, type.element())) return read_splat(node, type);
  return read_elements(node, type);
}

Result<ir::Literal> read_elements(JsonNode list, const ir::Type& type) {
  if (type.rank() == 0 && looks_like_element(list, type.element())) return read_splat(list, type);
  SHARDY_TRY(const std::vector<JsonNode> elements, elements_of(list, type));
  const std::size_t size = ir::size_bytes(type.element());
  std::vector<std::byte> bytes(elements.size() * size);
  for (std::size_t index = 0; index < elements.size(); ++index) {
    SHARDY_TRY_STATUS(
        read_element(elements[index], type.element(), Bytes(bytes).subspan(index * size, size)));
  }
  return ir::Literal::make(type, std::move(bytes)).map_error([&](Error error) {
    error.location = list.pointer();
    return error;
  });
}

void write_literal(JsonWriter& writer, const ir::Literal& literal, int64_t max_elements) {
  if (literal.num_elements() == 0) {
    writer.begin_array();
    return writer.end_array();
  }
  if (is_uniform(literal)) {
    return write_element(writer, literal.element_bytes(0), literal.type().element());
  }
  if (literal.num_elements() <= max_elements) return write_lists(writer, literal);
  writer.begin_object();
  writer.key("base64").string(to_base64(literal.stored()));
  writer.end_object();
}

}  // namespace shardy::text
