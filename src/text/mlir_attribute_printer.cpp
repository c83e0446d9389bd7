// Prints types and attributes as MLIR text. Spec: stablehlo 4, 5, 8, 13.3 to 13.5; algebra 10.4.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>

#include "ir/float_text.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_codec.hpp"
#include "text/dim_numbers.hpp"
#include "text/mlir_cursor.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

namespace {

void append_integer(std::string& out, int64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  out.append(buffer, end);
}

/// Converts `#sdy<name body>` to `#sdy.name<body>`, which older parsers expect.
std::string legacy_text(const std::string& text) {
  const std::size_t open = text.find('<');
  const std::size_t dot = text.find('.');
  if (open == std::string::npos || dot < open) return text;
  MlirCursor cursor(text);
  cursor.seek(open + 1);
  const std::string name(cursor.ident());
  return text.substr(0, open) + "." + name + "<" + text.substr(cursor.position());
}

}  // namespace

void append_integer_of(std::string& out, int64_t value, ElementType type) {
  if (ir::is_boolean(type)) {
    out += value != 0 ? "true" : "false";
  } else if (ir::is_unsigned_integer(type)) {
    out += std::to_string(static_cast<uint64_t>(value));
  } else {
    append_integer(out, value);
  }
}

std::string legacy_opaque_text(const std::string& text) {
  if (text.starts_with("array<")) return "#shardy." + text;
  if (text.starts_with("#sdy<")) return legacy_text(text);
  const std::size_t open = text.find('<');
  const bool is_wrapped = text.starts_with('#') && open != std::string::npos &&
                          text.find('.') > open && text[open + 1] != '"';
  return is_wrapped ? "#shardy.wrapped<" + text.substr(1) + ">" : text;
}

// ---- Types -------------------------------------------------------------------------------------

void MlirAttributePrinter::type(const ir::Type& type) {
  const ir::TensorType* tensor = type.tensor();
  if (!tensor) {
    out_ += to_string(type);
    return;
  }
  out_ += "tensor<";
  for (const int64_t dim : tensor->dims) {
    if (dim == ir::kDynamicDim) {
      out_ += '?';
    } else {
      append_integer(out_, dim);
    }
    out_ += 'x';
  }
  out_ += to_string(tensor->element);
  if (!tensor->encoding.empty()) out_.append(", ").append(tensor->encoding);
  out_ += '>';
}

void MlirAttributePrinter::types(const std::vector<ir::Type>& types) {
  for (std::size_t index = 0; index < types.size(); ++index) {
    if (index > 0) out_ += ", ";
    type(types[index]);
  }
}

void MlirAttributePrinter::function_type(const std::vector<ir::Type>& inputs,
                                         const std::vector<ir::Type>& results) {
  out_ += '(';
  types(inputs);
  out_ += ") -> ";
  const bool bare = results.size() == 1 && results.front().as<ir::FunctionType>() == nullptr;
  if (!bare) out_ += '(';
  types(results);
  if (!bare) out_ += ')';
}

// ---- Attributes --------------------------------------------------------------------------------

void MlirAttributePrinter::integers(const std::vector<int64_t>& values) {
  out_ += '[';
  for (std::size_t index = 0; index < values.size(); ++index) {
    if (index > 0) out_ += ", ";
    append_integer(out_, values[index]);
  }
  out_ += ']';
}

void MlirAttributePrinter::convolution_dims(const ir::ConvolutionDims& dims) {
  for (std::size_t index = 0; index < kConvolutionSides.size(); ++index) {
    const ConvolutionSide& side = kConvolutionSides[index];
    const std::vector<int64_t>& spatial = dims.*side.spatial;
    const std::size_t rank = spatial.size() + 2;
    std::vector<std::string> places(rank, "?");
    const auto put = [&](int64_t dim, std::string text) {
      if (dim >= 0 && dim < static_cast<int64_t>(rank)) {
        places[static_cast<std::size_t>(dim)] = std::move(text);
      }
    };
    for (std::size_t dim = 0; dim < spatial.size(); ++dim) put(spatial[dim], std::to_string(dim));
    for (std::size_t letter = 0; letter < 2; ++letter) {
      put(dims.*side.dims[letter], std::string(side.letters[letter]));
    }
    if (index > 0) out_ += index == 1 ? "x" : "->";
    out_ += '[';
    for (std::size_t place = 0; place < rank; ++place) {
      if (place > 0) out_ += ", ";
      out_ += places[place];
    }
    out_ += ']';
  }
}

void MlirSink::put(const std::string& text) const { out += legacy ? legacy_text(text) : text; }

/// Appends the text that `print` appended for an equal attribute, if the printer keeps the texts of
/// such attributes; else calls `print`.
template <class Print>
void MlirAttributePrinter::print_once(const Attribute& attribute, bool is_bare,
                                      const Print& print) {
  const auto* alone = attribute.as<TensorSharding>();
  const auto* list = attribute.as<ir::ShardingList>();
  const bool has_one = alone != nullptr || (list != nullptr && list->shardings.size() == 1);
  if (texts_ == nullptr || !has_one) return print();
  ir::ShardingMap<std::string>& in_dictionary = list != nullptr ? texts_->in_list : texts_->alone;
  ir::ShardingMap<std::string>& bare = list != nullptr ? texts_->bare_in_list : texts_->bare_alone;
  ir::ShardingMap<std::string>& texts = is_bare ? bare : in_dictionary;
  const TensorSharding& sharding = list != nullptr ? list->shardings.front() : *alone;
  if (const std::string* known = texts.find(sharding)) {
    out_ += *known;
    return;
  }
  const std::size_t begin = out_.size();
  print();
  texts.add(sharding, out_.substr(begin));
}

void MlirAttributePrinter::print(const Attribute& attribute, bool in_array) {
  const AttributeCodec& codec = codec_of(attribute);
  if (attribute.form() == ir::definition_of(codec.kind).resolved) {
    return print_once(attribute, false, [&] { print(codec.traits.spell(attribute), in_array); });
  }
  codec.mlir.print({*this, out_, legacy_, in_array}, attribute);
}

void MlirAttributePrinter::key(std::string_view name) {
  if (is_ident(name)) {
    out_ += name;
  } else {
    out_ += in_quotes(name);
  }
}

void MlirAttributePrinter::entry(const ir::NamedAttribute& entry) {
  key(entry.name);
  if (entry.value.as<ir::UnitAttr>()) return;
  out_ += " = ";
  attribute(entry.value);
}

void MlirAttributePrinter::braces(const ir::AttributeMap& attributes) {
  out_ += '{';
  bool is_first = true;
  for (const ir::NamedAttribute& each : attributes) {
    if (is_reserved_name(each.name)) continue;
    if (!is_first) out_ += ", ";
    is_first = false;
    entry(each);
  }
  out_ += '}';
}

// Attributes in custom forms. Spec: stablehlo 9, 10; algebra 10.4.

void MlirAttributePrinter::bare(const Attribute& attribute, const AttributeDefinition& row) {
  print_once(attribute, true, [&] {
    const Attribute text = unresolved(attribute);
    codec_of(text).mlir.print({*this, out_, legacy_, false, &row}, text);
  });
}

bool is_default(const Attribute& value, const AttributeDefinition& row) {
  if (row.default_value.empty() || row.always) return false;
  if (const auto* word = value.as<ir::EnumAttr>()) {
    return row.words && ir::enum_number(*row.words, word->value) == 0;
  }
  std::string text;
  MlirAttributePrinter(text, false).attribute(value);
  return text == row.default_value;
}

// Dense literals. Spec: stablehlo 13.4.

void MlirAttributePrinter::element(std::span<const std::byte> bytes, ElementType type) {
  if (ir::is_complex(type)) {
    const ElementType part = bytes.size() == 8 ? ElementType::F32 : ElementType::F64;
    out_ += '(' + float_text(bytes.first(bytes.size() / 2), part);
    out_ += ',' + float_text(bytes.subspan(bytes.size() / 2), part) + ')';
  } else if (ir::is_float(type)) {
    out_ += float_text(bytes, type);
  } else {
    append_integer_of(out_, ir::decode_int(bytes, type), type);
  }
}

void MlirAttributePrinter::elements(const ir::Literal& literal) {
  const ElementType type = literal.type().element();
  const auto dims = literal.type().dims();
  std::vector<int64_t> strides(dims.size(), 1);  // per level: number of elements in a list
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    strides[dim] = dims[dim] * (dim + 1 < dims.size() ? strides[dim + 1] : 1);
  }
  for (int64_t index = 0; index < literal.num_elements(); ++index) {
    if (index > 0) out_ += ", ";
    for (const int64_t stride : strides) {
      if (index % stride == 0) out_ += '[';
    }
    element(literal.element_bytes(index), type);
    for (const int64_t stride : strides) {
      if ((index + 1) % stride == 0) out_ += ']';
    }
  }
}

void MlirAttributePrinter::blob(const ir::Literal& literal) {
  constexpr std::string_view kUpperHex = "0123456789ABCDEF";
  const int bits = ir::info(literal.type().element()).bits;
  const auto mask = static_cast<unsigned>(bits < 8 ? (1 << bits) - 1 : 0xFF);
  out_ += "\"0x";
  for (const std::byte byte : literal.stored()) {
    const unsigned value = std::to_integer<unsigned>(byte) & mask;
    out_ += kUpperHex[value >> 4U];
    out_ += kUpperHex[value & 15U];
  }
  out_ += '"';
}

namespace {

bool all_equal(const ir::Literal& literal) {
  if (literal.is_splat()) return true;
  const auto bytes = literal.stored();
  const std::size_t size = ir::size_bytes(literal.type().element());
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
}

}  // namespace

void MlirAttributePrinter::literal(const ir::Literal& literal) {
  constexpr int64_t kMostInLists = 100;
  out_ += "dense<";
  const int64_t count = literal.num_elements();
  // Older parsers read a blob of i1 as bits.
  const bool as_list = legacy_ && ir::is_boolean(literal.type().element());
  if (count == 0) {
  } else if (all_equal(literal)) {
    element(literal.element_bytes(0), literal.type().element());
  } else if (count > kMostInLists && !as_list) {
    blob(literal);
  } else {
    elements(literal);
  }
  out_ += "> : ";
  type(literal.type());
}

}  // namespace shardy::text
