// Types and attributes as MLIR text. Spec: stablehlo 4, 5, 8, 13.3 to 13.5; algebra 10.4.
#include <algorithm>
#include <array>

#include "shardy/algebra/text.hpp"
#include "shardy/algebra/text_form.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "text/mlir_cursor.hpp"
#include "text/mlir_dims.hpp"
#include "text/mlir_float_text.hpp"
#include "text/mlir_number_text.hpp"
#include "text/mlir_printer.hpp"
#include "text/spelled_attribute.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

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
  void operator()(const SpelledSharding& sharding) const { put(attribute_text(sharding)); }
  void operator()(const ir::SpelledShardingList& list) const {
    put(attribute_text(list.shardings));
  }
  void operator()(const ir::SpelledAxesAttr& attr) const { put(attribute_text(attr.axes)); }
  void operator()(const ir::SpelledAxesListsAttr& attr) const { put(attribute_text(attr.lists)); }
  void operator()(const ir::SpelledAllToAllAttr& attr) const {
    put(attribute_text(params_of(attr)));
  }
  void operator()(const ir::ManualAxesAttr& attr) const { put(attribute_text(attr.names)); }
  void operator()(const OpShardingRule& rule) const { put(attribute_text(rule)); }
  void operator()(const ir::PermuteMap& map) const { print.permute_map(map); }
  // Resolved forms, by their names.
  template <class T>
  void operator()(const T& resolved) const {
    spelled(Attribute(resolved)).visit(*this);
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

}  // namespace shardy::text
