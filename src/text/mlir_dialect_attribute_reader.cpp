// Attributes of dialects, with their names and as custom forms write them. Spec: stablehlo 8 to 10.

#include <algorithm>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/bytes_text.hpp"
#include "text/dim_numbers.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

// Values of the algebra inside of MLIR text.

/// The value that comes next, in its short form, its long form or as an alias.
template <class T>
std::optional<T> MlirAttributeReader::sdy_value() {
  Scanner scanner(cursor_.text());
  scanner.seek(cursor_.position());
  Result<T> value = read_value<T>(scanner, &alias_texts_);
  if (value) {
    cursor_.seek(scanner.raw_position());
    return *std::move(value);
  }
  fail_like(value.error());
  return std::nullopt;
}

// `#dialect` attributes of MLIR text. Spec: stablehlo 8, algebra 10.3.

namespace {

/// Converts a value of a stand-alone attribute to the form of the IR.
struct SdyForm {
  Attribute operator()(Mesh mesh) const { return mesh; }
  Attribute operator()(UnresolvedSharding sharding) const { return sharding; }
  Attribute operator()(UnresolvedShardings list) const {
    return ir::UnresolvedShardingList{std::move(list)};
  }
  Attribute operator()(OpShardingRule rule) const { return rule; }
  Attribute operator()(ManualAxes names) const { return ir::ManualAxesAttr{std::move(names)}; }
  Attribute operator()(UnresolvedAxisList axes) const {
    return ir::UnresolvedAxesAttr{std::move(axes)};
  }
  Attribute operator()(UnresolvedAxisLists lists) const {
    return ir::UnresolvedAxesListsAttr{std::move(lists)};
  }
  Attribute operator()(UnresolvedAllToAlls params) const {
    ir::UnresolvedAllToAllAttr attribute;
    for (UnresolvedAllToAll& param : params) {
      attribute.params.push_back({std::move(param.axes), param.source_dim, param.target_dim});
    }
    return attribute;
  }
  template <class T>
  Attribute operator()(const T& other) const {
    return ir::OpaqueAttr{attribute_text(other)};
  }
};

}  // namespace

std::optional<Attribute> MlirAttributeReader::hash_attribute() {
  const std::size_t begin = cursor_.position();
  cursor_.seek(begin + 1);
  const std::string_view name = cursor_.suffix();
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos && cursor_.raw_peek() != '<') {
    const auto alias = attribute_aliases_.find(name);
    if (alias != attribute_aliases_.end()) return alias->second;
    if (locations_.find(name)) {
      return location_attribute("loc(#" + std::string(name) + ")", begin);
    }
    cursor_.fail(begin, "undefined symbol alias id '" + std::string(name) + "'");
    return std::nullopt;
  }
  const std::string_view dialect = name.substr(0, dot);
  if (dialect == "sdy") return sdy_attribute(begin);
  if (name == "shardy.array") return dense_array();
  if (name == "shardy.wrapped") return wrapped_attribute();
  const bool is_wrapped = dot == std::string_view::npos;
  std::string_view mnemonic;
  if (is_wrapped) {
    cursor_.eat('<');
    mnemonic = cursor_.ident();
  } else {
    mnemonic = name.substr(dot + 1);
  }
  const bool is_known = dialect == "stablehlo" || dialect == "chlo" || dialect == "spmd";
  if (is_known && (is_wrapped || cursor_.raw_peek() == '<')) {
    if (std::optional<Attribute> known = known_attribute(dialect, mnemonic, begin)) return known;
    if (cursor_.failed()) return std::nullopt;
  }
  cursor_.seek(begin + 1);
  cursor_.suffix();
  if (cursor_.raw_peek() == '<' && !cursor_.skip_balanced()) return std::nullopt;
  return opaque_from(begin);
}

/// `<d<name body>>`, what generic forms of older text make of `#d<name body>`.
std::optional<Attribute> MlirAttributeReader::wrapped_attribute() {
  if (!cursor_.expect('<')) return std::nullopt;
  const std::size_t begin = cursor_.position();
  cursor_.suffix();
  if (cursor_.raw_peek() != '<' || !cursor_.skip_balanced()) {
    cursor_.expected("'<'");
    return std::nullopt;
  }
  std::string text = "#" + collapsed_text(cursor_.slice(begin));
  if (!cursor_.expect('>')) return std::nullopt;
  return Attribute(ir::OpaqueAttr{std::move(text)});
}

/// Values of sharding repeat: their texts are looked up before they are parsed.
std::optional<Attribute> MlirAttributeReader::sdy_attribute(std::size_t begin) {
  if (cursor_.raw_peek() != '<' || !cursor_.skip_balanced()) {
    cursor_.expected("'<'");
    return std::nullopt;
  }
  const std::string_view text = cursor_.slice(begin);
  const auto known = sdy_cache_.find(text);
  if (known != sdy_cache_.end()) return known->second;
  Scanner scanner(cursor_.text());
  scanner.seek(begin);
  Result<SdyAttribute> value = read_attribute(scanner, &alias_texts_);
  if (!value) {
    fail_like(value.error());
    return std::nullopt;
  }
  Attribute attribute = std::visit(SdyForm{}, *std::move(value));
  sdy_cache_.emplace(text, attribute);
  return attribute;
}

/// Reads the rest of an attribute after its name, or after `<` and its name. Returns std::nullopt,
/// without an error, for an unknown name.
std::optional<Attribute> MlirAttributeReader::known_attribute(std::string_view dialect,
                                                              std::string_view name,
                                                              std::size_t begin) {
  using Read = std::optional<Attribute> (MlirAttributeReader::*)();
  struct Row {
    std::string_view name;
    Read read;
    bool is_chlo = false;
  };
  static constexpr Row kRows[] = {
      {"dot", &MlirAttributeReader::dims_attribute<ir::DotDims>},
      {"ragged_dot", &MlirAttributeReader::dims_attribute<ir::RaggedDotDims>, true},
      {"gather", &MlirAttributeReader::dims_attribute<ir::GatherDims>},
      {"scatter", &MlirAttributeReader::dims_attribute<ir::ScatterDims>},
      {"conv", &MlirAttributeReader::convolution_dims},
      {ir::attr::kChannelHandle, &MlirAttributeReader::channel_handle},
      {ir::attr::kResultAccuracy, &MlirAttributeReader::result_accuracy},
      {"dot_algorithm", &MlirAttributeReader::bare_dot_algorithm},
      {"permute_map", &MlirAttributeReader::permute_map},
  };
  const EnumDefinition* words = ir::find_enum(std::string(dialect) + "." + std::string(name));
  const auto* const row = std::ranges::find(kRows, name, &Row::name);
  const bool has_row = row != std::end(kRows) && row->is_chlo == (dialect == "chlo");
  if (!words && !has_row) return std::nullopt;
  const bool is_wrapped = cursor_.text()[begin + 1 + dialect.size()] == '<';
  if (!is_wrapped && !cursor_.expect('<')) return std::nullopt;
  std::optional<Attribute> value = words ? enum_attribute(*words) : (this->*row->read)();
  if (!value) return std::nullopt;
  const bool closes_itself = name == "dot_algorithm";
  if (!closes_itself && !cursor_.expect('>')) return std::nullopt;
  return value;
}

/// One attribute for all places that name the enumerator.
const Attribute& MlirAttributeReader::enumerator(const EnumDefinition& row, int64_t number) {
  const auto known = std::ranges::find_if(enumerators_, [&](const KnownEnumerator& each) {
    return each.row == &row && each.number == number;
  });
  if (known != enumerators_.end()) return known->value;
  ir::EnumAttr value{std::string(row.kind), std::string(ir::enum_word(row, number))};
  return enumerators_.emplace_back(KnownEnumerator{&row, number, std::move(value)}).value;
}

std::optional<Attribute> MlirAttributeReader::enum_attribute(const EnumDefinition& row) {
  const std::size_t begin = cursor_.position();
  const std::string_view word = cursor_.ident();
  if (const int64_t number = ir::enum_number(row, word); number >= 0)
    return enumerator(row, number);
  cursor_.seek(begin);
  cursor_.expected("one of " + std::string(row.words), notes_on_word(row, word));
  return std::nullopt;
}

std::vector<std::string> notes_on_word(const EnumDefinition& row, std::string_view word) {
  std::vector<std::string_view> words;
  for (std::string_view rest = row.words; !rest.empty();) {
    words.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(rest.size(), words.back().size() + 1));
  }
  const auto meant = word.empty() ? std::nullopt : closest(word, words);
  if (!meant) return {};
  return {"did you mean " + *meant + "?"};
}

// ---- Structures --------------------------------------------------------------------------------

/// `name = [1, 2], other = 3` up to `>`; any order, each once.
template <class T>
std::optional<Attribute> MlirAttributeReader::dims_attribute() {
  T dims;
  std::vector<std::string_view> seen;
  if (cursor_.peek() == '>') return Attribute(std::move(dims));
  do {
    const std::size_t begin = cursor_.position();
    const std::string_view name = cursor_.ident();
    const auto& members = MlirDims<T>::kMembers;
    const auto* const member = std::ranges::find(members, name, &DimsMember<T>::name);
    if (member == members.end()) {
      cursor_.fail(begin, "unexpected field '" + std::string(name) + "'");
      return std::nullopt;
    }
    if (std::ranges::find(seen, name) != seen.end()) {
      cursor_.fail(begin, "duplicated `" + std::string(name) + "` entry");
      return std::nullopt;
    }
    seen.push_back(member->name);
    if (!cursor_.expect('=')) return std::nullopt;
    if (member->list) {
      std::optional<std::vector<int64_t>> list = integer_list();
      if (!list) return std::nullopt;
      dims.*member->list = *std::move(list);
    } else {
      const std::optional<int64_t> value = cursor_.integer();
      if (!value) return std::nullopt;
      dims.*member->number = *value;
    }
  } while (cursor_.eat(','));
  return Attribute(std::move(dims));
}

std::optional<Attribute> MlirAttributeReader::channel_handle() {
  int64_t handle = 0;
  int64_t type = 0;
  do {
    const bool is_handle = cursor_.eat_word("handle");
    if (!is_handle && !cursor_.expect("type")) return std::nullopt;
    if (!cursor_.expect('=')) return std::nullopt;
    const std::optional<int64_t> value = cursor_.integer();
    if (!value) return std::nullopt;
    (is_handle ? handle : type) = *value;
  } while (cursor_.eat(','));
  return Attribute(ir::OpaqueAttr{"#stablehlo.channel_handle<handle = " + std::to_string(handle) +
                                  ", type = " + std::to_string(type) + ">"});
}

/// Zero fields are not printed, the mode always is.
std::optional<Attribute> MlirAttributeReader::result_accuracy() {
  struct Field {
    std::string_view name;
    std::string text = {};
  };
  Field fields[] = {{"atol"}, {"rtol"}, {"ulps"}, {"mode"}};
  do {
    const std::size_t begin = cursor_.position();
    const std::string_view name = cursor_.ident();
    auto* const field = std::ranges::find(fields, name, &Field::name);
    if (field == std::end(fields)) {
      cursor_.fail(begin, "expected atol, rtol, ulps or mode");
      return std::nullopt;
    }
    if (!cursor_.expect('=')) return std::nullopt;
    const std::optional<std::string> text =
        name == "mode" ? accuracy_mode() : accuracy_number(name == "ulps");
    if (!text) return std::nullopt;
    field->text = *text;
  } while (cursor_.eat(','));
  if (fields[3].text.empty()) {
    cursor_.fail("expected the mode of a result accuracy");
    return std::nullopt;
  }
  std::string all;
  for (const Field& field : fields) {
    if (field.text.empty()) continue;
    if (!all.empty()) all += ", ";
    all += std::string(field.name) + " = " + field.text;
  }
  return Attribute(ir::OpaqueAttr{"#stablehlo.result_accuracy<" + all + ">"});
}

/// `#stablehlo.result_accuracy_mode<HIGHEST>`, also of `HIGHEST`.
std::optional<std::string> MlirAttributeReader::accuracy_mode() {
  const EnumDefinition& row = *ir::find_enum("stablehlo.result_accuracy_mode");
  const std::size_t begin = cursor_.position();
  const std::optional<Attribute> value = cursor_.peek() == '#' ? attribute() : enum_attribute(row);
  if (!value) return std::nullopt;
  const auto* word = value->as<ir::EnumAttr>();
  if (word && word->kind == row.kind) return "#" + word->kind + "<" + word->value + ">";
  cursor_.fail(begin, "expected the mode of a result accuracy");
  return std::nullopt;
}

/// As it is printed, empty if it is zero.
std::optional<std::string> MlirAttributeReader::accuracy_number(bool is_integer) {
  if (is_integer) {
    const std::optional<int64_t> ulps = cursor_.integer();
    if (!ulps) return std::nullopt;
    return *ulps == 0 ? "" : std::to_string(*ulps);
  }
  const std::size_t begin = cursor_.position();
  const std::string_view text = cursor_.number();
  if (text.empty()) {
    cursor_.expected("a number");
    return std::nullopt;
  }
  const std::optional<Attribute> value = float_attribute(text, ir::ElementType::F64, begin);
  if (!value) return std::nullopt;
  const std::vector<std::byte> bytes =
      float_bytes(value->as<ir::FloatAttr>()->value, ir::ElementType::F64);
  const std::string printed = float_text(bytes, ir::ElementType::F64);
  return printed == "0.000000e+00" ? "" : printed;
}

// ---- Convolutions ------------------------------------------------------------------------------

/// `[b, 0, 1, f]`.
bool MlirAttributeReader::convolution_side(ir::ConvolutionDims& dims, int side_index) {
  const ConvolutionSide& side = kConvolutionSides[static_cast<std::size_t>(side_index)];
  const std::size_t begin = cursor_.position();
  if (!cursor_.expect('[')) return false;
  std::vector<std::pair<int64_t, int64_t>> spatial;
  std::array<int64_t, 2> found = {-1, -1};
  int64_t dim = 0;
  do {
    if (cursor_.at_integer()) {
      const std::optional<int64_t> number = cursor_.integer();
      if (!number) return false;
      spatial.emplace_back(*number, dim++);
      continue;
    }
    const std::size_t at = cursor_.position();
    const std::string_view letter = cursor_.ident();
    const auto* const which = std::ranges::find(side.letters, letter);
    if (which == side.letters.end()) {
      return cursor_.fail(at, "expected a dimension number, '" + std::string(side.letters[0]) +
                                  "' or '" + std::string(side.letters[1]) + "'");
    }
    found[static_cast<std::size_t>(which - side.letters.begin())] = dim++;
  } while (cursor_.eat(','));
  if (!cursor_.expect(']')) return false;
  std::ranges::sort(spatial);
  for (std::size_t index = 0; index < spatial.size(); ++index) {
    if (spatial[index].first != static_cast<int64_t>(index)) {
      return cursor_.fail(begin,
                          "expected spatial dimensions " + std::to_string(index) + " not found");
    }
    (dims.*side.spatial).push_back(spatial[index].second);
  }
  for (std::size_t index = 0; index < 2; ++index) {
    if (found[index] < 0) {
      return cursor_.fail(begin, "expected dimension '" + std::string(side.letters[index]) + "'");
    }
    dims.*side.dims[index] = found[index];
  }
  return true;
}

std::optional<Attribute> MlirAttributeReader::convolution_dims() {
  if (cursor_.eat_word("raw")) return dims_attribute<ir::ConvolutionDims>();
  ir::ConvolutionDims dims;
  if (!convolution_side(dims, 0) || !cursor_.expect('x') || !convolution_side(dims, 1) ||
      !cursor_.expect("->") || !convolution_side(dims, 2)) {
    return std::nullopt;
  }
  return Attribute(std::move(dims));
}

/// `rotate, [1], <["x"=2]>, {"x"}, {"y"}`: kind, numbers, mesh and orders.
std::optional<Attribute> MlirAttributeReader::permute_map() {
  ir::PermuteMap map;
  const std::size_t begin = cursor_.position();
  const std::string_view name = cursor_.ident();
  const auto* const kind = std::ranges::find(kPermuteKinds, name, &PermuteKind::name);
  if (kind == kPermuteKinds.end()) {
    cursor_.fail(begin, "unknown kind of permute map");
    return std::nullopt;
  }
  map.kind = kind->kind;
  if (!cursor_.expect(',')) return std::nullopt;
  std::optional<std::vector<int64_t>> numbers = integer_list();
  if (!numbers) return std::nullopt;
  map.numbers = *std::move(numbers);
  if (!cursor_.eat(',')) return Attribute(std::move(map));
  std::optional<Mesh> mesh = sdy_value<Mesh>();
  if (!mesh) return std::nullopt;
  map.mesh = *std::move(mesh);
  for (AxisList* order : {&map.source_order, &map.receiver_order}) {
    if (!cursor_.eat(',')) break;
    const std::optional<UnresolvedAxisList> axes = sdy_value<UnresolvedAxisList>();
    if (!axes) return std::nullopt;
    // Each alone: neighbours of an order need not be merged.
    for (const UnresolvedAxisRef& axis : *axes) {
      const Result<AxisList> resolved = resolve_axis_list({axis}, map.mesh);
      if (!resolved) {
        cursor_.fail(begin, resolved.error().message, resolved.error().notes);
        return std::nullopt;
      }
      order->push_back(resolved->front());
    }
  }
  return Attribute(std::move(map));
}

// Attributes as custom forms write them. Spec: stablehlo 9, 10; dialect 3, 4.

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
      return wrapped(sdy_value<UnresolvedSharding>(),
                     [](UnresolvedSharding value) { return value; });
    case AttributeKind::Axes:
      return wrapped(sdy_value<UnresolvedAxisList>(), [](UnresolvedAxisList axes) {
        return ir::UnresolvedAxesAttr{std::move(axes)};
      });
    case AttributeKind::AxesLists:
      return wrapped(sdy_value<UnresolvedAxisLists>(), [](UnresolvedAxisLists lists) {
        return ir::UnresolvedAxesListsAttr{std::move(lists)};
      });
    case AttributeKind::ManualAxes:
      return wrapped(sdy_value<ManualAxes>(),
                     [](ManualAxes names) { return ir::ManualAxesAttr{std::move(names)}; });
    case AttributeKind::AllToAll:
      return wrapped(sdy_value<UnresolvedAllToAlls>(), [](const UnresolvedAllToAlls& params) {
        ir::UnresolvedAllToAllAttr value;
        for (const UnresolvedAllToAll& param : params) {
          value.params.push_back({param.axes, param.source_dim, param.target_dim});
        }
        return value;
      });
    default: {
      // `[<..>, <..>]` of in_shardings and out_shardings.
      ir::UnresolvedShardingList list;
      if (!cursor_.expect('[')) return std::nullopt;
      if (cursor_.eat(']')) return Attribute(std::move(list));
      do {
        std::optional<UnresolvedSharding> sharding = sdy_value<UnresolvedSharding>();
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
