// Attributes as custom forms write them. Spec: stablehlo 9, 10; algebra 10.4.
#include "shardy/algebra/text.hpp"
#include "shardy/support/quote.hpp"
#include "text/mlir_float_text.hpp"
#include "text/mlir_number_text.hpp"
#include "text/mlir_printer.hpp"
#include "text/spelled_attribute.hpp"

namespace shardy::text {

using ir::Attribute;

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
  void operator()(const SpelledSharding& sharding) const { out += to_string(sharding); }
  void operator()(const ir::SpelledShardingList& list) const {
    const std::string all = to_string(list.shardings);  // in `<[...]>`
    out.append(all, 1, all.size() - 2);
  }
  void operator()(const ir::SpelledAxesAttr& attr) const { out += to_string(attr.axes); }
  void operator()(const ir::SpelledAxesListsAttr& attr) const { out += to_string(attr.lists); }
  void operator()(const ir::SpelledAllToAllAttr& attr) const { out += to_string(params_of(attr)); }
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
  spelled(attribute).visit(BareVisitor{*this, out_, row});
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

}  // namespace shardy::text
