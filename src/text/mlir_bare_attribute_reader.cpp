// Attributes as custom forms write them. Spec: stablehlo 9, 10; dialect 3, 4.
#include <algorithm>

#include "shardy/algebra/text.hpp"
#include "text/mlir_attribute_reader.hpp"
#include "text/mlir_sdy_value.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

// ---- Bare --------------------------------------------------------------------------------------

std::optional<Attribute> MlirAttributeReader::bare_enum(const AttributeDefinition& row) {
  if (cursor_.peek() == '"') {
    const std::size_t begin = cursor_.position();
    const std::optional<std::string> text = cursor_.string();
    if (!text) return std::nullopt;
    if (ir::enum_number(*row.words, *text) >= 0) {
      return Attribute(ir::EnumAttr{std::string(row.words->kind), *text});
    }
    cursor_.fail(begin, "expected one of " + std::string(row.words->words),
                 notes_on_word(*row.words, *text));
    return std::nullopt;
  }
  if (cursor_.peek() != '#') return enum_attribute(*row.words);
  const std::size_t begin = cursor_.position();
  std::optional<Attribute> value = attribute();
  if (!value) return std::nullopt;
  return as_wanted(*value, row, begin);
}

std::optional<Attribute> MlirAttributeReader::bare_enum_list(const AttributeDefinition& row) {
  ir::ArrayAttr list;
  if (!cursor_.expect('[')) return std::nullopt;
  if (cursor_.eat(']')) return Attribute(std::move(list));
  list.elements.reserve(2);  // one for each operand of a dot
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

/// `<lhs_precision_type = bf16, ...>`; after `#stablehlo.dot_algorithm` the `<` is read already.
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

std::optional<Attribute> MlirAttributeReader::bare_sdy(const AttributeDefinition& row) {
  const auto wrapped = [](auto value, auto wrap) -> std::optional<Attribute> {
    if (!value) return std::nullopt;
    return Attribute(wrap(*std::move(value)));
  };
  switch (row.kind) {
    case AttributeKind::Mesh: {
      const std::size_t begin = cursor_.position();
      std::optional<Mesh> mesh = sdy_value<Mesh>();
      if (!mesh) return std::nullopt;
      return shared(cursor_.slice(begin), *std::move(mesh));
    }
    case AttributeKind::Sharding:
      return wrapped(sdy_value<SpelledSharding>(), [](SpelledSharding value) { return value; });
    case AttributeKind::Axes:
      return wrapped(sdy_value<SpelledAxisList>(),
                     [](SpelledAxisList axes) { return ir::SpelledAxesAttr{std::move(axes)}; });
    case AttributeKind::AxesLists:
      return wrapped(sdy_value<SpelledAxisLists>(), [](SpelledAxisLists lists) {
        return ir::SpelledAxesListsAttr{std::move(lists)};
      });
    case AttributeKind::ManualAxes:
      return wrapped(sdy_value<ManualAxes>(),
                     [](ManualAxes names) { return ir::ManualAxesAttr{std::move(names)}; });
    case AttributeKind::AllToAll:
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

/// Numbers, booleans, strings. Nothing, without an error, if the row wants another kind.
std::optional<Attribute> MlirAttributeReader::bare_scalar(const AttributeDefinition& row) {
  const auto integer = [&](ElementType type) -> std::optional<Attribute> {
    const std::size_t begin = cursor_.position();
    const std::string_view number = cursor_.number();
    if (!number.empty() && number.find('.') == std::string_view::npos) {
      return integer_attribute(number, type, begin);
    }
    cursor_.seek(begin);
    cursor_.expected("an integer");
    return std::nullopt;
  };
  const auto text = [](std::optional<std::string> value) -> std::optional<Attribute> {
    if (!value) return std::nullopt;
    return Attribute(*std::move(value));
  };
  const ir::KindDefinition& kind = ir::definition_of(row.kind);
  if (kind.base == ir::AttributeBase::Integer) return integer(kind.element);
  if (kind.base == ir::AttributeBase::Float) {
    const std::size_t begin = cursor_.position();
    const std::string_view number = cursor_.number();
    if (!number.empty()) return float_attribute(number, kind.element, begin);
    cursor_.expected("a number");
    return std::nullopt;
  }
  switch (row.kind) {
    case AttributeKind::String:  // no type after it, as in a dictionary
      return text(cursor_.string());
    case AttributeKind::StringSymbol:
      return text(cursor_.symbol());
    case AttributeKind::Bool: {
      const bool value = cursor_.eat_word("true");
      if (!value && !cursor_.expect("false")) return std::nullopt;
      return Attribute(value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Attribute> MlirAttributeReader::bare_attribute(const AttributeDefinition& row) {
  if (std::optional<Attribute> scalar = bare_scalar(row)) return scalar;
  if (cursor_.failed()) return std::nullopt;
  switch (row.kind) {
    case AttributeKind::Enum:
    case AttributeKind::I32Enum:
      return bare_enum(row);
    case AttributeKind::EnumList:
      return bare_enum_list(row);
    case AttributeKind::I64Array: {
      std::optional<std::vector<int64_t>> values = integer_list();
      if (!values) return std::nullopt;
      return Attribute(ir::DenseArrayAttr{ElementType::I64, *std::move(values)});
    }
    case AttributeKind::DotDims:
      return bare_dot_dims();
    case AttributeKind::ConvolutionDims:
      return convolution_dims();
    case AttributeKind::DotAlgorithm:
      if (cursor_.peek() == '#') return attribute();
      if (cursor_.peek() == '<') return bare_dot_algorithm();
      cursor_.expected("'<'");
      return std::nullopt;
    case AttributeKind::Mesh:
    case AttributeKind::Sharding:
    case AttributeKind::ShardingList:
    case AttributeKind::Axes:
    case AttributeKind::AxesLists:
    case AttributeKind::AllToAll:
    case AttributeKind::ManualAxes:
      return bare_sdy(row);
    default:
      break;
  }
  const std::size_t begin = cursor_.position();
  std::optional<Attribute> value = attribute();
  if (!value) return std::nullopt;
  return as_wanted(*value, row, begin);
}

}  // namespace shardy::text
