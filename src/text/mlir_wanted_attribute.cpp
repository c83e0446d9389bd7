// Attributes in dictionaries by the table of forms. Spec: stablehlo 4, 9, 11.
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

std::optional<Attribute> wanted_enum(const Attribute& value, const EnumDefinition& row) {
  const auto word_of = [&](std::string_view word) -> std::optional<Attribute> {
    if (ir::enum_number(row, word) < 0) return std::nullopt;
    return Attribute(ir::EnumAttr{std::string(row.kind), std::string(word)});
  };
  if (const auto* word = value.as<ir::EnumAttr>()) {
    return word->kind == row.kind ? std::optional(value) : std::nullopt;
  }
  if (const auto* text = value.as<std::string>()) return word_of(*text);
  const auto* number = value.as<ir::IntegerAttr>();
  return number ? word_of(ir::enum_word(row, number->value)) : std::nullopt;
}

struct FormRow {
  AttributeKind kind;
  bool (*holds)(const Attribute& value);
};

template <class... Forms>
constexpr FormRow row_of(AttributeKind kind) {
  return {kind, [](const Attribute& value) { return ((value.as<Forms>() != nullptr) || ...); }};
}

/// Kinds that are forms of ir::Attribute.
constexpr FormRow kForms[] = {
    row_of<bool>(AttributeKind::Bool),
    row_of<ir::UnitAttr>(AttributeKind::Unit),
    row_of<std::string>(AttributeKind::String),
    row_of<std::string>(AttributeKind::StringSymbol),
    row_of<ir::SymbolAttr, ir::OpaqueAttr>(AttributeKind::Symbol),
    row_of<ir::ArrayAttr>(AttributeKind::EnumList),
    row_of<ir::ArrayAttr>(AttributeKind::Array),
    row_of<ir::AttributeMap>(AttributeKind::Dictionary),
    row_of<ir::Literal, ir::OpaqueAttr>(AttributeKind::Literal),
    row_of<ir::Literal, ir::OpaqueAttr>(AttributeKind::Pairs),
    row_of<ir::Literal, ir::OpaqueAttr>(AttributeKind::Groups),
    row_of<ir::OpaqueAttr>(AttributeKind::Opaque),
    row_of<ir::OpaqueAttr>(AttributeKind::DotAlgorithm),
    row_of<ir::DotDims>(AttributeKind::DotDims),
    row_of<ir::RaggedDotDims>(AttributeKind::RaggedDotDims),
    row_of<ir::GatherDims>(AttributeKind::GatherDims),
    row_of<ir::ScatterDims>(AttributeKind::ScatterDims),
    row_of<ir::ConvolutionDims>(AttributeKind::ConvolutionDims),
    row_of<Mesh>(AttributeKind::Mesh),
    row_of<SpelledSharding>(AttributeKind::Sharding),
    row_of<ir::SpelledShardingList>(AttributeKind::ShardingList),
    row_of<ir::SpelledAxesAttr>(AttributeKind::Axes),
    row_of<ir::SpelledAxesListsAttr>(AttributeKind::AxesLists),
    row_of<ir::SpelledAllToAllAttr>(AttributeKind::AllToAll),
    row_of<ir::ManualAxesAttr>(AttributeKind::ManualAxes),
    row_of<ir::PermuteMap>(AttributeKind::Permute),
};

}  // namespace

std::optional<Attribute> wanted_attribute(const Attribute& value, const AttributeDefinition& row) {
  const ir::KindDefinition& kind = ir::definition_of(row.kind);
  switch (kind.base) {
    case ir::AttributeBase::Integer:
      return wanted_integer(value, kind.element);
    case ir::AttributeBase::Float:
      return wanted_float(value, kind.element);
    case ir::AttributeBase::Array:
      return wanted_array(value, kind.element);
    case ir::AttributeBase::Other:
      break;
  }
  if (row.words != nullptr && row.kind != AttributeKind::EnumList) {
    return wanted_enum(value, *row.words);
  }
  const auto* const form = std::ranges::find(kForms, row.kind, &FormRow::kind);
  const bool holds = form == std::end(kForms) || form->holds(value);
  return holds ? std::optional(value) : std::nullopt;
}

std::string wanted_text(const AttributeDefinition& row) {
  return "attribute '" + std::string(row.name) + "' must be " +
         std::string(ir::definition_of(row.kind).text);
}

std::optional<Attribute> MlirAttributeReader::as_wanted(const Attribute& value,
                                                        const AttributeDefinition& row,
                                                        std::size_t position) {
  std::optional<Attribute> wanted = wanted_attribute(value, row);
  if (!wanted) cursor_.fail(position, wanted_text(row));
  return wanted;
}

}  // namespace shardy::text
