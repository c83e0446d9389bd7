// Types and attributes as MLIR text. Spec: stablehlo 4, 5, 8, 13.3 to 13.5; algebra 10.4.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_schema.hpp"
#include "text/bytes_text.hpp"
#include "text/dim_numbers.hpp"
#include "text/mlir_cursor.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

// Integers and lists appended to MLIR text.

namespace {

inline void append_integer(std::string& out, int64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  out.append(buffer, end);
}

inline void append_unsigned(std::string& out, uint64_t value) {
  char buffer[24];
  const auto [end, error] = std::to_chars(std::begin(buffer), std::end(buffer), value);
  out.append(buffer, end);
}

inline void append_integer_of(std::string& out, int64_t value, ir::ElementType type) {
  if (ir::is_boolean(type)) {
    out += value != 0 ? "true" : "false";
  } else if (ir::is_unsigned_integer(type)) {
    append_unsigned(out, static_cast<uint64_t>(value));
  } else {
    append_integer(out, value);
  }
}

inline UnresolvedAllToAlls params_of(const ir::UnresolvedAllToAllAttr& attribute) {
  UnresolvedAllToAlls params;
  for (const ir::UnresolvedAllToAllParam& param : attribute.params) {
    params.push_back({param.axes, param.source_dim, param.target_dim});
  }
  return params;
}

}  // namespace

// Types and attributes as MLIR text. Spec: stablehlo 4, 5, 8, 13.3 to 13.5; algebra 10.4.

namespace {

/// `#sdy<name body>` as `#sdy.name<body>`: older parsers want it so.
std::string legacy_text(const std::string& text) {
  const std::size_t open = text.find('<');
  const std::size_t dot = text.find('.');
  if (open == std::string::npos || dot < open) return text;
  MlirCursor cursor(text);
  cursor.seek(open + 1);
  const std::string name(cursor.ident());
  return text.substr(0, open) + "." + name + "<" + text.substr(cursor.position());
}

/// `#d<name body>` as `#shardy.wrapped<d<name body>>`, and `array<f32: 1.0>` as
/// `#shardy.array<f32: 1.0>`: older parsers know neither, but attributes of any dialect.
std::string legacy_opaque_text(const std::string& text) {
  if (text.starts_with("array<")) return "#shardy." + text;
  if (text.starts_with("#sdy<")) return legacy_text(text);
  const std::size_t open = text.find('<');
  const bool is_wrapped = text.starts_with('#') && open != std::string::npos &&
                          text.find('.') > open && text[open + 1] != '"';
  return is_wrapped ? "#shardy.wrapped<" + text.substr(1) + ">" : text;
}

/// Each dim of each tensor has one place: the bracket form says all.
bool has_places(const ir::ConvolutionDims& dims) {
  return std::ranges::all_of(kConvolutionSides, [&](const ConvolutionSide& side) {
    std::vector<int64_t> places = dims.*side.spatial;
    for (const auto member : side.dims) places.push_back(dims.*member);
    std::ranges::sort(places);
    for (std::size_t place = 0; place < places.size(); ++place) {
      if (places[place] != static_cast<int64_t>(place)) return false;
    }
    return true;
  });
}

}  // namespace

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

void MlirAttributePrinter::dense_array(const ir::DenseArrayAttr& array) {
  if (legacy_) out_ += "#shardy.";
  out_.append("array<").append(to_string(array.element));
  if (!array.values.empty()) out_ += ": ";
  for (std::size_t index = 0; index < array.values.size(); ++index) {
    if (index > 0) out_ += ", ";
    append_integer_of(out_, array.values[index], array.element);
  }
  out_ += '>';
}

template <class T>
void MlirAttributePrinter::dims(std::string_view name, const T& dims) {
  out_.append(name);
  bool is_first = true;
  for (const auto& member : MlirDims<T>::kMembers) {
    const bool is_empty = member.list ? (dims.*member.list).empty() : dims.*member.number == 0;
    if (is_empty) continue;
    if (!is_first) out_ += ", ";
    is_first = false;
    out_.append(member.name).append(" = ");
    if (member.list) {
      integers(dims.*member.list);
    } else {
      append_integer(out_, dims.*member.number);
    }
  }
  out_ += '>';
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

void MlirAttributePrinter::permute_map(const ir::PermuteMap& map) {
  const auto* const kind = std::ranges::find(kPermuteKinds, map.kind, &PermuteKind::kind);
  out_.append("#spmd.permute_map<").append(kind->name).append(", ");
  integers(map.numbers);
  const bool has_orders = !map.source_order.empty() || !map.receiver_order.empty();
  if (has_orders || !map.mesh.empty()) out_ += ", " + to_string(map.mesh);
  if (has_orders) {
    out_ += ", " + to_string(map.mesh, map.source_order);
    out_ += ", " + to_string(map.mesh, map.receiver_order);
  }
  out_ += '>';
}

/// Prints one form as in a dictionary or array.
struct MlirAttributePrinter::Visitor {
  MlirAttributePrinter& print;
  std::string& out;
  bool in_array;

  void put(const std::string& text) const { out += print.legacy_ ? legacy_text(text) : text; }

  void operator()(const ir::UnitAttr& /*unit*/) const { out += "unit"; }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(const ir::IntegerAttr& attr) const {
    append_integer_of(out, attr.value, attr.type);
    if (in_array && attr.type == ElementType::I64) return;
    if (!ir::is_boolean(attr.type)) out.append(" : ").append(to_string(attr.type));
  }
  void operator()(const ir::FloatAttr& attr) const {
    const std::string text = float_text(float_bytes(attr.value, attr.type), attr.type);
    out += text;
    if (in_array && attr.type == ElementType::F64 && !text.starts_with("0x")) return;
    out.append(" : ").append(to_string(attr.type));
  }
  void operator()(const std::string& text) const { out += in_quotes(text); }
  void operator()(const ir::SymbolAttr& attr) const { out += symbol_text(attr.name); }
  void operator()(const ir::TypeAttr& attr) const { print.type(attr.type); }
  void operator()(const ir::EnumAttr& attr) const {
    const EnumDefinition* row = ir::find_enum(attr.kind);
    if (row && row->is_number) {
      append_integer(out, ir::enum_number(*row, attr.value));
      out += " : i32";
    } else if (attr.kind == "stablehlo.result_accuracy_mode") {
      out += "#" + attr.kind + "<" + attr.value + ">";
    } else {
      const std::size_t dot = attr.kind.find('.');
      const std::string name = dot == std::string::npos ? attr.kind : attr.kind.substr(dot + 1);
      put("#" + attr.kind.substr(0, dot) + "<" + name + " " + attr.value + ">");
    }
  }
  void operator()(const ir::DenseArrayAttr& array) const { print.dense_array(array); }
  void operator()(const ir::ArrayAttr& list) const {
    out += '[';
    for (std::size_t index = 0; index < list.elements.size(); ++index) {
      if (index > 0) out += ", ";
      print.print(list.elements[index], true);
    }
    out += ']';
  }
  void operator()(const ir::AttributeMap& map) const { print.braces(map); }
  void operator()(const ir::Literal& literal) const { print.literal(literal); }
  void operator()(const ir::OpaqueAttr& attr) const {
    out += print.legacy_ ? legacy_opaque_text(attr.text) : attr.text;
  }
  void operator()(const ir::DotDims& dims) const { print.dims("#stablehlo.dot<", dims); }
  void operator()(const ir::RaggedDotDims& dims) const { print.dims("#chlo.ragged_dot<", dims); }
  void operator()(const ir::GatherDims& dims) const { print.dims("#stablehlo.gather<", dims); }
  void operator()(const ir::ScatterDims& dims) const { print.dims("#stablehlo.scatter<", dims); }
  void operator()(const ir::ConvolutionDims& dims) const {
    if (!has_places(dims)) return print.dims("#stablehlo.conv<raw ", dims);
    out += "#stablehlo.conv<";
    print.convolution_dims(dims);
    out += '>';
  }
  void operator()(const Mesh& mesh) const { put(attribute_text(mesh)); }
  void operator()(const UnresolvedSharding& sharding) const { put(attribute_text(sharding)); }
  void operator()(const ir::UnresolvedShardingList& list) const {
    put(attribute_text(list.shardings));
  }
  void operator()(const ir::UnresolvedAxesAttr& attr) const { put(attribute_text(attr.axes)); }
  void operator()(const ir::UnresolvedAxesListsAttr& attr) const {
    put(attribute_text(attr.lists));
  }
  void operator()(const ir::UnresolvedAllToAllAttr& attr) const {
    put(attribute_text(params_of(attr)));
  }
  void operator()(const ir::ManualAxesAttr& attr) const { put(attribute_text(attr.names)); }
  void operator()(const OpShardingRule& rule) const { put(attribute_text(rule)); }
  void operator()(const ir::PermuteMap& map) const { print.permute_map(map); }
  // Resolved forms, by their names.
  template <class T>
  void operator()(const T& resolved) const {
    unresolved(Attribute(resolved)).visit(*this);
  }
};

void MlirAttributePrinter::print(const Attribute& attribute, bool in_array) {
  attribute.visit(Visitor{*this, out_, in_array});
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

void MlirAttributePrinter::dictionary(const ir::AttributeMap& attributes) {
  if (std::ranges::all_of(attributes,
                          [](const auto& each) { return is_reserved_name(each.name); })) {
    return;
  }
  out_ += ' ';
  braces(attributes);
}

// Attributes as custom forms write them. Spec: stablehlo 9, 10; algebra 10.4.

/// Prints one form without its name.
struct MlirAttributePrinter::BareVisitor {
  MlirAttributePrinter& print;
  std::string& out;
  const AttributeDefinition& row;

  void operator()(const ir::IntegerAttr& attr) const {
    append_integer_of(out, attr.value, attr.type);
  }
  void operator()(const ir::FloatAttr& attr) const {
    out += float_text(float_bytes(attr.value, attr.type), attr.type);
  }
  void operator()(const ir::EnumAttr& attr) const { out += attr.value; }
  void operator()(const ir::DenseArrayAttr& attr) const { print.integers(attr.values); }
  void operator()(const std::string& text) const {
    out += row.kind == AttributeKind::StringSymbol ? symbol_text(text) : in_quotes(text);
  }
  void operator()(const ir::ArrayAttr& list) const {
    out += '[';
    for (std::size_t index = 0; index < list.elements.size(); ++index) {
      if (index > 0) out += ", ";
      print.bare(list.elements[index], row);
    }
    out += ']';
  }
  void operator()(const ir::DotDims& dims) const {
    const auto pair = [&](const std::vector<int64_t>& lhs, const std::vector<int64_t>& rhs) {
      print.integers(lhs);
      out += " x ";
      print.integers(rhs);
    };
    if (!dims.lhs_batch.empty() || !dims.rhs_batch.empty()) {
      out += "batching_dims = ";
      pair(dims.lhs_batch, dims.rhs_batch);
      out += ", ";
    }
    out += "contracting_dims = ";
    pair(dims.lhs_contracting, dims.rhs_contracting);
  }
  void operator()(const Mesh& mesh) const { out += to_string(mesh); }
  void operator()(const UnresolvedSharding& sharding) const { out += to_string(sharding); }
  void operator()(const ir::UnresolvedShardingList& list) const {
    const std::string all = to_string(list.shardings);  // in `<[...]>`
    out.append(all, 1, all.size() - 2);
  }
  void operator()(const ir::UnresolvedAxesAttr& attr) const { out += to_string(attr.axes); }
  void operator()(const ir::UnresolvedAxesListsAttr& attr) const { out += to_string(attr.lists); }
  void operator()(const ir::UnresolvedAllToAllAttr& attr) const {
    out += to_string(params_of(attr));
  }
  void operator()(const ir::ManualAxesAttr& attr) const { out += manual_axes_text(attr.names); }
  void operator()(const ir::OpaqueAttr& attr) const {
    constexpr std::string_view kAlgorithm = "#stablehlo.dot_algorithm";
    const bool is_algorithm =
        row.kind == AttributeKind::DotAlgorithm && attr.text.starts_with(kAlgorithm);
    out += std::string_view(attr.text).substr(is_algorithm ? kAlgorithm.size() : 0);
  }
  template <class T>
  void operator()(const T& other) const {
    print.print(Attribute(other), false);
  }
};

void MlirAttributePrinter::bare(const Attribute& attribute, const AttributeDefinition& row) {
  unresolved(attribute).visit(BareVisitor{*this, out_, row});
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

// Dense literals as MLIR text. Spec: stablehlo 13.4.

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
  std::vector<int64_t> strides(dims.size(), 1);  // how many elements a list of that level holds
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
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const int bits = ir::info(literal.type().element()).bits;
  const auto mask = static_cast<unsigned>(bits < 8 ? (1 << bits) - 1 : 0xFF);
  out_ += "\"0x";
  for (const std::byte byte : literal.stored()) {
    const unsigned value = std::to_integer<unsigned>(byte) & mask;
    out_ += kHex[value >> 4U];
    out_ += kHex[value & 15U];
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
  // Older parsers read blobs of i1 as bits.
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
