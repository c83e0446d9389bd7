#include "shardy/ir/op_definition.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include "op_row.hpp"
#include "shardy/ir/attribute.hpp"

namespace shardy::ir {

namespace {

struct Row {
  OpKind kind;
  std::string_view family;  // the file that contains the row
  OpRow op;
};
constexpr Row kRows[] = {
#define SHARDY_OP(kind, name, traits, ...) {OpKind::kind, SHARDY_OP_FAMILY, __VA_ARGS__},
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP
};

constexpr EnumDefinition kEnums[] = {
    {"direction", "stablehlo.comparison_direction", "EQ NE GE GT LE LT"},
    {"type", "stablehlo.comparison_type", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED"},
    {"precision", "stablehlo.precision", "DEFAULT HIGH HIGHEST"},
    {"transpose", "stablehlo.transpose", "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT"},
    {"fft", "stablehlo.fft_type", "FFT IFFT RFFT IRFFT"},
    {"algorithm", "stablehlo.rng_algorithm", "DEFAULT THREE_FRY PHILOX"},
    {"distribution", "stablehlo.rng_distribution", "UNIFORM NORMAL"},
    {"accuracy", "stablehlo.result_accuracy_mode", "DEFAULT HIGHEST TOLERANCE"},
    {"chlo_direction", "chlo.comparison_direction", "EQ NE GE GT LE LT"},
    {"chlo_type", "chlo.comparison_type", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED"},
    {"chlo_precision", "chlo.precision", "DEFAULT HIGH HIGHEST"},
    {"sdy_direction", "sdy.propagation_direction", "NONE FORWARD BACKWARD BOTH", true},
    {"reduction", "sdy.reduction_op", "sum max min", true},
};

using enum AttributeBase;

/// The position of T among the attribute forms.
template <class T>
constexpr uint8_t kForm = Attribute::Forms::index_of<T>();

/// Describes an attribute kind whose values have form T. A kind that names axes of a mesh also has
/// the form Resolved.
template <class T, class... Resolved>
constexpr KindDefinition held(AttributeKind kind, std::string_view name,
                              std::string_view text = KindDefinition().text) {
  KindDefinition definition{.kind = kind, .name = name, .text = text, .form = kForm<T>};
  ((definition.resolved = kForm<Resolved>), ...);
  return definition;
}
constexpr KindDefinition or_opaque(KindDefinition definition) {
  definition.may_be_opaque = true;
  return definition;
}

constexpr KindDefinition kKinds[] = {
    {.kind = AttributeKind::Any, .name = "any"},
    held<bool>(AttributeKind::Bool, "bool", "a bool attribute"),
    {AttributeKind::I32, "i32", Integer, ElementType::I32, "a 32-bit integer attribute"},
    {AttributeKind::I64, "i64", Integer, ElementType::I64, "a 64-bit integer attribute"},
    {AttributeKind::UI32, "ui32", Integer, ElementType::UI32},
    {AttributeKind::UI64, "ui64", Integer, ElementType::UI64},
    {AttributeKind::F32, "f32", Float, ElementType::F32},
    {AttributeKind::F64, "f64", Float, ElementType::F64},
    held<UnitAttr>(AttributeKind::Unit, "unit"),
    held<std::string>(AttributeKind::String, "string", "a string attribute"),
    held<std::string>(AttributeKind::StringSymbol, "at", "a string attribute"),
    or_opaque(held<SymbolAttr>(AttributeKind::Symbol, "symbol")),
    held<TypeAttr>(AttributeKind::Type, "type"),
    held<EnumAttr>(AttributeKind::Enum, "enum", "an enumerator"),
    held<EnumAttr>(AttributeKind::I32Enum, "i32enum", "an enumerator"),
    {AttributeKind::I64Array, "array", Array, ElementType::I64, "an i64 dense array attribute"},
    {AttributeKind::BoolArray, "bools", Array, ElementType::I1, "an i1 dense array attribute"},
    held<ArrayAttr>(AttributeKind::Array, "list", "an array attribute"),
    held<ArrayAttr>(AttributeKind::EnumList, "words", "an array attribute"),
    held<AttributeMap>(AttributeKind::Dictionary, "dict"),
    or_opaque(held<Literal>(AttributeKind::Literal, "literal", "a dense elements attribute")),
    or_opaque(held<Literal>(AttributeKind::Pairs, "pairs", "a dense elements attribute")),
    or_opaque(held<Literal>(AttributeKind::Groups, "groups", "a dense elements attribute")),
    held<OpaqueAttr>(AttributeKind::Opaque, "opaque"),
    held<DotDims>(AttributeKind::DotDims, "dot"),
    held<RaggedDotDims>(AttributeKind::RaggedDotDims, "ragged_dot"),
    held<GatherDims>(AttributeKind::GatherDims, "gather"),
    held<ScatterDims>(AttributeKind::ScatterDims, "scatter"),
    held<ConvolutionDims>(AttributeKind::ConvolutionDims, "conv"),
    held<OpaqueAttr>(AttributeKind::DotAlgorithm, "algorithm"),
    held<Mesh>(AttributeKind::Mesh, "mesh"),
    held<UnresolvedSharding, TensorSharding>(AttributeKind::Sharding, "sharding"),
    held<UnresolvedShardingList, ShardingList>(AttributeKind::ShardingList, "shardings"),
    held<UnresolvedAxesAttr, AxesAttr>(AttributeKind::Axes, "axes"),
    held<UnresolvedAxesListsAttr, AxesListsAttr>(AttributeKind::AxesLists, "axeslists"),
    held<UnresolvedAllToAllAttr, AllToAllAttr>(AttributeKind::AllToAll, "alltoall"),
    held<ManualAxesAttr>(AttributeKind::ManualAxes, "manual"),
    held<OpShardingRule>(AttributeKind::Rule, "rule"),
    held<PermuteMap>(AttributeKind::Permute, "permute"),
};

constexpr uint8_t form_of_base(AttributeBase base) {
  switch (base) {
    case Integer:
      return kForm<IntegerAttr>;
    case Float:
      return kForm<FloatAttr>;
    case Array:
      return kForm<DenseArrayAttr>;
    case Other:
      break;
  }
  return kAnyForm;
}

/// The kinds in the order of AttributeKind. Kinds that occur only in custom text forms have no
/// name.
constexpr auto kKindsInOrder = [] {
  std::array<KindDefinition, static_cast<std::size_t>(AttributeKind::FloatFormat) + 1> kinds{};
  for (const KindDefinition& each : kKinds) {
    KindDefinition& kind = kinds[static_cast<std::size_t>(each.kind)] = each;
    if (each.base != Other) kind.form = form_of_base(each.base);
  }
  return kinds;
}();

// ---- Reading the rows, when they are compiled ---------------------------------------------------

/// Called for a malformed row. The function is not constexpr, so the compiler reports the row.
void row_is_wrong(std::string_view /*text*/) {}

constexpr AttributeKind kind_named(std::string_view name) {
  for (const KindDefinition& each : kKinds) {
    if (each.name == name) return each.kind;
  }
  row_is_wrong(name);
  return AttributeKind::Any;
}

constexpr const EnumDefinition* enum_named(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const EnumDefinition& definition : kEnums) {
    if (definition.name == name) return &definition;
  }
  row_is_wrong(name);
  return nullptr;
}

/// Parses `name:kind words?=default`.
constexpr AttributeDefinition read_attribute(std::string_view text) {
  AttributeDefinition attribute;
  attribute.name = take_until(text, ':');
  const std::size_t equals = text.find('=');
  std::string_view kind = text.substr(0, equals);
  if (equals != std::string_view::npos) attribute.default_value = text.substr(equals + 1);
  attribute.always = kind.ends_with('!');
  const bool optional = kind.ends_with('?');
  if (attribute.always || optional) kind.remove_suffix(1);
  attribute.required = !optional && equals == std::string_view::npos;
  attribute.kind = kind_named(take_until(kind, ' '));
  attribute.words = enum_named(kind);
  return attribute;
}

constexpr std::size_t count_parts(std::string_view text, char separator) {
  if (text.empty()) return 0;
  return 1 + static_cast<std::size_t>(std::ranges::count(text, separator));
}

constexpr std::size_t count_attributes() {
  std::size_t count = 0;
  for (const Row& row : kRows) count += count_parts(row.op.attributes, ';');
  return count;
}

/// The attributes of all rows, one row after the other.
constexpr auto kAttributes = [] {
  std::array<AttributeDefinition, count_attributes()> attributes{};
  std::size_t at = 0;
  for (const Row& row : kRows) {
    const std::string_view all = row.op.attributes;
    for (std::string_view rest = all; !rest.empty(); ++at) {
      const bool is_first = rest.size() == all.size();
      attributes[at] = read_attribute(take_until(rest, ';'));
      const bool ordered = is_first || attributes[at - 1].name < attributes[at].name;
      if (!ordered) row_is_wrong(all);
    }
  }
  return attributes;
}();

constexpr OpDefinition define(OpKind kind, std::string_view family, const OpRow& row,
                              std::size_t first_attribute) {
  const std::size_t num_attributes = count_parts(row.attributes, ';');
  return {.kind = kind,
          .family = family,
          .operands = row.operands,
          .results = row.results,
          .regions = row.regions,
          .types_given = row.types_given,
          .classes = row.classes,
          .result_element = row.result_element,
          .num_operands = count_names(row.operands),
          .num_regions = count_names(row.regions),
          .terminator = row.terminator,
          .infer = row.infer,
          .verify = row.verify,
          .verify_uses = row.verify_uses,
          .attributes = std::span(kAttributes).subspan(first_attribute, num_attributes),
          .form = row.form,
          .syntax = row.form.empty() ? Syntax::GenericOnly : row.syntax,
          .min_operands = row.min_operands};
}

/// The definitions in the order of OpKind, which is also the order of the rows.
constexpr auto kDefinitions = [] {
  std::array<OpDefinition, kNumKnownOps> definitions{};
  std::size_t first_attribute = 0;
  for (std::size_t index = 0; index < kNumKnownOps; ++index) {
    const Row& row = kRows[index];
    definitions[index] = define(row.kind, row.family, row.op, first_attribute);
    first_attribute += definitions[index].attributes.size();
  }
  return definitions;
}();

constexpr bool all_defined() {
  return std::ranges::all_of(kDefinitions, [](const OpDefinition& definition) {
    const bool is_constant = has_trait(definition.kind, kConstantLike);
    return definition.infer != nullptr && (!is_constant || definition.operands.empty()) &&
           dialect_of(definition.kind) != Dialect::None;
  });
}
static_assert(all_defined(), "every op has a type rule and a dialect");

}  // namespace

const OpDefinition& definition_of(OpKind kind) {
  SHARDY_EXPECTS(kind != OpKind::Unknown);
  return kDefinitions[static_cast<std::size_t>(kind)];
}

const KindDefinition& definition_of(AttributeKind kind) {
  SHARDY_EXPECTS(static_cast<std::size_t>(kind) < std::size(kKindsInOrder));
  const KindDefinition& definition = kKindsInOrder[static_cast<std::size_t>(kind)];
  SHARDY_EXPECTS(!definition.name.empty());
  return definition;
}

const EnumDefinition* find_enum(std::string_view kind) {
  const auto* const found = std::ranges::find(kEnums, kind, &EnumDefinition::kind);
  return found == std::end(kEnums) ? nullptr : found;
}

int64_t enum_number(const EnumDefinition& definition, std::string_view word) {
  std::string_view words = definition.words;
  for (int64_t number = 0; !words.empty(); ++number) {
    if (take_until(words, ' ') == word) return number;
  }
  return -1;
}

std::string_view enum_word(const EnumDefinition& definition, int64_t number) {
  std::string_view words = definition.words;
  for (; number > 0 && !words.empty(); --number) take_until(words, ' ');
  return number == 0 ? take_until(words, ' ') : std::string_view();
}

}  // namespace shardy::ir
