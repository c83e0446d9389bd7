// Attributes as custom forms write them, and what op tables make of attributes of dictionaries.
// Spec: stablehlo 9, 10.
#include <algorithm>

#include "shardy/algebra/text.hpp"
#include "text/mlir_attribute_reader.hpp"
#include "text/mlir_sdy_value.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

// ---- Bare --------------------------------------------------------------------------------------

std::optional<Attribute> MlirAttributeReader::bare_enum(const AttrRow& row) {
  if (cursor_.peek() == '"') {
    const std::size_t begin = cursor_.position();
    const std::optional<std::string> text = cursor_.string();
    if (!text) return std::nullopt;
    if (enum_number(*row.words, *text) >= 0) {
      return Attribute(ir::EnumAttr{std::string(row.words->kind), *text});
    }
    cursor_.fail(begin, "expected one of " + std::string(row.words->words));
    return std::nullopt;
  }
  if (cursor_.peek() != '#') return enum_attribute(*row.words);
  const std::size_t begin = cursor_.position();
  std::optional<Attribute> value = attribute();
  if (!value) return std::nullopt;
  return as_wanted(*std::move(value), row, begin);
}

std::optional<Attribute> MlirAttributeReader::bare_enum_list(const AttrRow& row) {
  ir::ArrayAttr list;
  if (!cursor_.expect('[')) return std::nullopt;
  if (cursor_.eat(']')) return Attribute(std::move(list));
  do {
    std::optional<Attribute> element = bare_enum(row);
    if (!element) return std::nullopt;
    list.elements.push_back(*std::move(element));
  } while (cursor_.eat(','));
  if (!cursor_.expect(']')) return std::nullopt;
  return Attribute(std::move(list));
}

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
std::optional<Attribute> MlirAttributeReader::bare_dot_dims() {
  ir::DotDims dims;
  const auto read_pair = [&](std::vector<int64_t>& lhs, std::vector<int64_t>& rhs) {
    if (!cursor_.expect('=')) return false;
    std::optional<std::vector<int64_t>> left = integer_list();
    if (!left || !cursor_.expect('x')) return false;
    std::optional<std::vector<int64_t>> right = integer_list();
    if (!right) return false;
    lhs = *std::move(left);
    rhs = *std::move(right);
    return true;
  };
  if (cursor_.eat_word("batching_dims")) {
    if (!read_pair(dims.lhs_batch, dims.rhs_batch) || !cursor_.expect(',')) return std::nullopt;
  }
  if (!cursor_.expect("contracting_dims") ||
      !read_pair(dims.lhs_contracting, dims.rhs_contracting)) {
    return std::nullopt;
  }
  return Attribute(std::move(dims));
}

/// `<lhs_precision_type = bf16, ...>`, with the `<` read already if it stands alone.
std::optional<Attribute> MlirAttributeReader::bare_dot_algorithm() {
  struct Field {
    std::string_view name;
    std::string value;
  };
  Field fields[] = {{"lhs_precision_type", ""},          {"rhs_precision_type", ""},
                    {"accumulation_type", ""},           {"lhs_component_count", ""},
                    {"rhs_component_count", ""},         {"num_primitive_operations", ""},
                    {"allow_imprecise_accumulation", ""}};
  cursor_.eat('<');
  do {
    const std::size_t begin = cursor_.position();
    const std::string_view name = cursor_.ident();
    auto* const field = std::ranges::find(fields, name, &Field::name);
    if (field == std::end(fields)) {
      cursor_.fail(begin, "unexpected field '" + std::string(name) + "' of a dot algorithm");
      return std::nullopt;
    }
    if (!cursor_.expect('=')) return std::nullopt;
    const std::size_t value = cursor_.position();
    if (cursor_.at_integer() ? cursor_.number().empty() : cursor_.ident().empty()) {
      cursor_.expected("a value");
      return std::nullopt;
    }
    field->value = cursor_.slice(value);
  } while (cursor_.eat(','));
  if (!cursor_.expect('>')) return std::nullopt;
  std::string text = "#stablehlo.dot_algorithm<";
  for (const Field& field : fields) {
    if (field.value.empty()) {
      cursor_.fail("missing field '" + std::string(field.name) + "' of the dot algorithm");
      return std::nullopt;
    }
    if (&field != fields) text += ", ";
    text += std::string(field.name) + " = " + field.value;
  }
  return Attribute(ir::OpaqueAttr{text + ">"});
}

std::optional<Attribute> MlirAttributeReader::bare_sdy(const AttrRow& row) {
  const auto wrapped = [](auto value, auto wrap) -> std::optional<Attribute> {
    if (!value) return std::nullopt;
    return Attribute(wrap(*std::move(value)));
  };
  switch (row.kind) {
    case AttrKind::Mesh:
      return wrapped(sdy_value<Mesh>(), [](Mesh mesh) { return mesh; });
    case AttrKind::Sharding:
      return wrapped(sdy_value<SpelledSharding>(), [](SpelledSharding value) { return value; });
    case AttrKind::Axes:
      return wrapped(sdy_value<SpelledAxisList>(),
                     [](SpelledAxisList axes) { return ir::SpelledAxesAttr{std::move(axes)}; });
    case AttrKind::AxesLists:
      return wrapped(sdy_value<SpelledAxisLists>(), [](SpelledAxisLists lists) {
        return ir::SpelledAxesListsAttr{std::move(lists)};
      });
    case AttrKind::ManualAxes:
      return wrapped(sdy_value<ManualAxes>(),
                     [](ManualAxes names) { return ir::ManualAxesAttr{std::move(names)}; });
    case AttrKind::AllToAll:
      return wrapped(sdy_value<SpelledAllToAlls>(), [](const SpelledAllToAlls& params) {
        ir::SpelledAllToAllAttr value;
        for (const SpelledAllToAll& param : params) {
          value.params.push_back({param.axes, param.source_dim, param.target_dim});
        }
        return value;
      });
    default: {
      // `[<..>, <..>]` of in_shardings and out_shardings.
      ir::SpelledShardingList list;
      if (!cursor_.expect('[')) return std::nullopt;
      if (cursor_.eat(']')) return Attribute(std::move(list));
      do {
        std::optional<SpelledSharding> sharding = sdy_value<SpelledSharding>();
        if (!sharding) return std::nullopt;
        list.shardings.push_back(*std::move(sharding));
      } while (cursor_.eat(','));
      if (!cursor_.expect(']')) return std::nullopt;
      return Attribute(std::move(list));
    }
  }
}

std::optional<Attribute> MlirAttributeReader::bare_attribute(const AttrRow& row) {
  const auto integer = [&](ElementType type) -> std::optional<Attribute> {
    const std::optional<int64_t> value = cursor_.integer();
    if (!value) return std::nullopt;
    return Attribute(ir::IntegerAttr{*value, type});
  };
  switch (row.kind) {
    case AttrKind::I32:
      return integer(ElementType::I32);
    case AttrKind::I64:
      return integer(ElementType::I64);
    case AttrKind::UI64:
      return integer(ElementType::UI64);
    case AttrKind::Any:
      return integer(ElementType::UI32);
    case AttrKind::F64: {
      const std::size_t begin = cursor_.position();
      const std::string_view text = cursor_.number();
      if (!text.empty()) return float_attribute(text, ElementType::F64, begin);
      cursor_.expected("a number");
      return std::nullopt;
    }
    case AttrKind::Bool: {
      const bool value = cursor_.eat_word("true");
      if (!value && !cursor_.expect("false")) return std::nullopt;
      return Attribute(value);
    }
    case AttrKind::String: {  // no type behind it, as in a dictionary
      std::optional<std::string> text = cursor_.string();
      if (!text) return std::nullopt;
      return Attribute(*std::move(text));
    }
    case AttrKind::StringSymbol: {
      std::optional<std::string> name = cursor_.symbol();
      if (!name) return std::nullopt;
      return Attribute(*std::move(name));
    }
    case AttrKind::Enum:
    case AttrKind::I32Enum:
      return bare_enum(row);
    case AttrKind::EnumList:
      return bare_enum_list(row);
    case AttrKind::I64Array: {
      std::optional<std::vector<int64_t>> values = integer_list();
      if (!values) return std::nullopt;
      return Attribute(ir::DenseArrayAttr{ElementType::I64, *std::move(values)});
    }
    case AttrKind::DotDims:
      return bare_dot_dims();
    case AttrKind::ConvolutionDims:
      return convolution_dims();
    case AttrKind::DotAlgorithm:
      if (cursor_.peek() == '#') return attribute();
      if (cursor_.peek() == '<') return bare_dot_algorithm();
      cursor_.expected("'<'");
      return std::nullopt;
    case AttrKind::Mesh:
    case AttrKind::Sharding:
    case AttrKind::ShardingList:
    case AttrKind::Axes:
    case AttrKind::AxesLists:
    case AttrKind::AllToAll:
    case AttrKind::ManualAxes:
      return bare_sdy(row);
    default: {
      const std::size_t begin = cursor_.position();
      std::optional<Attribute> value = attribute();
      if (!value) return std::nullopt;
      return as_wanted(*std::move(value), row, begin);
    }
  }
}

// ---- Of dictionaries ---------------------------------------------------------------------------

namespace {

bool is_literal_of_rank_one(const ir::Literal& literal) { return literal.type().rank() == 1; }

/// `dense<[1, 2]> : tensor<2xi64>` as the array that newer text has.
std::optional<Attribute> array_of_literal(const ir::Literal& literal, ElementType element) {
  if (!is_literal_of_rank_one(literal) || literal.type().element() != element) return std::nullopt;
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

template <class... Forms>
std::optional<Attribute> if_any(const Attribute& value) {
  return (value.as<Forms>() || ...) ? std::optional(value) : std::nullopt;
}

std::optional<Attribute> wanted_form(const Attribute& value, const AttrRow& row) {
  switch (row.kind) {
    case AttrKind::Bool:
      return if_any<bool>(value);
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
    case AttrKind::Unit:
      return if_any<ir::UnitAttr>(value);
    case AttrKind::String:
    case AttrKind::StringSymbol:
      return if_any<std::string>(value);
    case AttrKind::Symbol:
      return if_any<ir::SymbolAttr, ir::OpaqueAttr>(value);
    case AttrKind::Enum:
    case AttrKind::I32Enum:
      return wanted_enum(value, *row.words);
    case AttrKind::EnumList:
    case AttrKind::Array:
      return if_any<ir::ArrayAttr>(value);
    case AttrKind::I64Array:
      return wanted_array(value, ElementType::I64);
    case AttrKind::BoolArray:
      return wanted_array(value, ElementType::I1);
    case AttrKind::Dictionary:
      return if_any<ir::AttributeMap>(value);
    case AttrKind::Literal:
    case AttrKind::Dense:
      return if_any<ir::Literal, ir::OpaqueAttr>(value);
    case AttrKind::Opaque:
    case AttrKind::DotAlgorithm:
      return if_any<ir::OpaqueAttr>(value);
    case AttrKind::DotDims:
      return if_any<ir::DotDims>(value);
    case AttrKind::GatherDims:
      return if_any<ir::GatherDims>(value);
    case AttrKind::ScatterDims:
      return if_any<ir::ScatterDims>(value);
    case AttrKind::ConvolutionDims:
      return if_any<ir::ConvolutionDims>(value);
    case AttrKind::Mesh:
      return if_any<Mesh>(value);
    case AttrKind::Sharding:
      return if_any<SpelledSharding>(value);
    case AttrKind::ShardingList:
      return if_any<ir::SpelledShardingList>(value);
    case AttrKind::Axes:
      return if_any<ir::SpelledAxesAttr>(value);
    case AttrKind::AxesLists:
      return if_any<ir::SpelledAxesListsAttr>(value);
    case AttrKind::AllToAll:
      return if_any<ir::SpelledAllToAllAttr>(value);
    case AttrKind::ManualAxes:
      return if_any<ir::ManualAxesAttr>(value);
    case AttrKind::Permute:
      return if_any<ir::PermuteMap>(value);
    default:
      return value;
  }
}

/// In the words of an error.
std::string_view wanted_text(AttrKind kind) {
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

std::optional<Attribute> MlirAttributeReader::as_wanted(Attribute value, const AttrRow& row,
                                                        std::size_t position) {
  std::optional<Attribute> wanted = wanted_form(value, row);
  if (!wanted) {
    cursor_.fail(position, "attribute '" + std::string(row.name) + "' must be " +
                               std::string(wanted_text(row.kind)));
  }
  return wanted;
}

}  // namespace shardy::text
