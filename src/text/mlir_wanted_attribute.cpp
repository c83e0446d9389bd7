// What the table of forms makes of attributes that stand in dictionaries. Spec: stablehlo 4, 9, 11.
#include <algorithm>
#include <iterator>

#include "text/mlir_attribute_reader.hpp"
#include "text/wanted_attribute.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

namespace {

bool is_literal_of_rank_one(const ir::Literal& literal) { return literal.type().rank() == 1; }

/// `dense<[1, 2]> : tensor<2xi64>` as the array that newer text has.
std::optional<Attribute> array_of_literal(const ir::Literal& literal, ElementType element) {
  constexpr int64_t kMost = 1 << 16;  // a splat of a few bytes must not fill the memory
  if (!is_literal_of_rank_one(literal) || literal.type().element() != element) return std::nullopt;
  if (literal.num_elements() > kMost) return std::nullopt;
  ir::DenseArrayAttr array{element, {}};
  for (int64_t index = 0; index < literal.num_elements(); ++index) {
    array.values.push_back(element == ElementType::I1 ? literal.at<int8_t>(index)
                                                      : literal.at<int64_t>(index));
  }
  return Attribute(std::move(array));
}

std::optional<Attribute> wanted_array(const Attribute& value, ElementType element) {
  if (const auto* array = value.as<ir::DenseArrayAttr>()) {
    if (array->element == element) return value;
    if (array->values.empty()) return Attribute(ir::DenseArrayAttr{element, {}});
  }
  if (const auto* literal = value.as<ir::Literal>()) return array_of_literal(*literal, element);
  return std::nullopt;
}

std::optional<Attribute> wanted_integer(const Attribute& value, ElementType type) {
  const auto* integer = value.as<ir::IntegerAttr>();
  return integer && integer->type == type ? std::optional(value) : std::nullopt;
}

std::optional<Attribute> wanted_float(const Attribute& value, ElementType type) {
  const auto* number = value.as<ir::FloatAttr>();
  return number && number->type == type ? std::optional(value) : std::nullopt;
}

std::optional<Attribute> wanted_enum(const Attribute& value, const EnumRow& row) {
  const auto word_of = [&](std::string_view word) -> std::optional<Attribute> {
    if (enum_number(row, word) < 0) return std::nullopt;
    return Attribute(ir::EnumAttr{std::string(row.kind), std::string(word)});
  };
  if (const auto* word = value.as<ir::EnumAttr>()) {
    return word->kind == row.kind ? std::optional(value) : std::nullopt;
  }
  if (const auto* text = value.as<std::string>()) return word_of(*text);
  const auto* number = value.as<ir::IntegerAttr>();
  return number ? word_of(enum_word(row, number->value)) : std::nullopt;
}

struct FormRow {
  AttrKind kind;
  bool (*holds)(const Attribute& value);
};

template <class... Forms>
constexpr FormRow row_of(AttrKind kind) {
  return {kind, [](const Attribute& value) { return ((value.as<Forms>() != nullptr) || ...); }};
}

/// Kinds that are forms of ir::Attribute.
constexpr FormRow kForms[] = {
    row_of<bool>(AttrKind::Bool),
    row_of<ir::UnitAttr>(AttrKind::Unit),
    row_of<std::string>(AttrKind::String),
    row_of<std::string>(AttrKind::StringSymbol),
    row_of<ir::SymbolAttr, ir::OpaqueAttr>(AttrKind::Symbol),
    row_of<ir::ArrayAttr>(AttrKind::EnumList),
    row_of<ir::ArrayAttr>(AttrKind::Array),
    row_of<ir::AttributeMap>(AttrKind::Dictionary),
    row_of<ir::Literal, ir::OpaqueAttr>(AttrKind::Literal),
    row_of<ir::Literal, ir::OpaqueAttr>(AttrKind::Dense),
    row_of<ir::OpaqueAttr>(AttrKind::Opaque),
    row_of<ir::OpaqueAttr>(AttrKind::DotAlgorithm),
    row_of<ir::DotDims>(AttrKind::DotDims),
    row_of<ir::GatherDims>(AttrKind::GatherDims),
    row_of<ir::ScatterDims>(AttrKind::ScatterDims),
    row_of<ir::ConvolutionDims>(AttrKind::ConvolutionDims),
    row_of<Mesh>(AttrKind::Mesh),
    row_of<SpelledSharding>(AttrKind::Sharding),
    row_of<ir::SpelledShardingList>(AttrKind::ShardingList),
    row_of<ir::SpelledAxesAttr>(AttrKind::Axes),
    row_of<ir::SpelledAxesListsAttr>(AttrKind::AxesLists),
    row_of<ir::SpelledAllToAllAttr>(AttrKind::AllToAll),
    row_of<ir::ManualAxesAttr>(AttrKind::ManualAxes),
    row_of<ir::PermuteMap>(AttrKind::Permute),
};

/// In the words of an error.
std::string_view kind_text(AttrKind kind) {
  switch (kind) {
    case AttrKind::Bool:
      return "a bool attribute";
    case AttrKind::I32:
      return "a 32-bit integer attribute";
    case AttrKind::I64:
      return "a 64-bit integer attribute";
    case AttrKind::String:
    case AttrKind::StringSymbol:
      return "a string attribute";
    case AttrKind::I64Array:
      return "an i64 dense array attribute";
    case AttrKind::BoolArray:
      return "an i1 dense array attribute";
    case AttrKind::Literal:
    case AttrKind::Dense:
      return "a dense elements attribute";
    case AttrKind::Enum:
    case AttrKind::I32Enum:
      return "an enumerator";
    case AttrKind::Array:
    case AttrKind::EnumList:
      return "an array attribute";
    default:
      return "of its kind";
  }
}

}  // namespace

std::optional<Attribute> wanted_attribute(const Attribute& value, const AttrRow& row) {
  switch (row.kind) {
    case AttrKind::I32:
      return wanted_integer(value, ElementType::I32);
    case AttrKind::I64:
      return wanted_integer(value, ElementType::I64);
    case AttrKind::UI64:
      return wanted_integer(value, ElementType::UI64);
    case AttrKind::F32:
      return wanted_float(value, ElementType::F32);
    case AttrKind::F64:
      return wanted_float(value, ElementType::F64);
    case AttrKind::Enum:
    case AttrKind::I32Enum:
      return wanted_enum(value, *row.words);
    case AttrKind::I64Array:
      return wanted_array(value, ElementType::I64);
    case AttrKind::BoolArray:
      return wanted_array(value, ElementType::I1);
    default:
      break;
  }
  const auto* const form = std::ranges::find(kForms, row.kind, &FormRow::kind);
  const bool holds = form == std::end(kForms) || form->holds(value);
  return holds ? std::optional(value) : std::nullopt;
}

std::string wanted_text(const AttrRow& row) {
  return "attribute '" + std::string(row.name) + "' must be " + std::string(kind_text(row.kind));
}

std::optional<Attribute> MlirAttributeReader::as_wanted(const Attribute& value, const AttrRow& row,
                                                        std::size_t position) {
  std::optional<Attribute> wanted = wanted_attribute(value, row);
  if (!wanted) cursor_.fail(position, wanted_text(row));
  return wanted;
}

}  // namespace shardy::text
