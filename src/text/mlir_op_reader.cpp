// Reads ops of MLIR text: results, operands, custom forms of the table, and the common end of all
// forms. Spec: stablehlo 6.

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/mlir_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;
using ir::OpKind;

void MlirReader::MlirOpDraft::clear() {
  begin = name_begin = 0;
  name_start = {};
  name = {};
  kind = OpKind::Unknown;
  broken = false;
  results.clear();
  operands.clear();
  operand_types.clear();
  result_types.clear();
  attributes = {};
  regions.clear();
  successors.clear();
  arguments.clear();
  function.reset();
}

bool MlirReader::read_op() {
  MlirOpDraft& draft = draft_;
  draft.clear();
  draft.begin = cursor_.position();
  const std::size_t begin = draft.begin;
  bool is_read = read_results(cursor_, draft.results);
  if (is_read) {
    draft.name_begin = cursor_.position();
    draft.name_start = lines_.line_and_column(draft.name_begin);
    const bool is_generic = cursor_.peek() == '"';
    is_read = is_generic ? read_generic(draft) : read_custom(draft);
  }
  if (!is_read) give_up(begin);
  return is_read;
}

/// Reads `%x, %y:2 =`.
bool MlirReader::read_results(MlirCursor& cursor, std::vector<ResultGroup>& results) {
  if (cursor.peek() != '%') return true;
  do {
    ResultGroup group;
    group.position = cursor.position();
    if (!cursor.expect('%')) return false;
    group.name = cursor.suffix();
    if (group.name.empty()) return cursor.expected("the name of a value");
    if (cursor.eat(':')) {
      const std::optional<int64_t> count = cursor.integer();
      if (!count) return false;
      if (*count < 1 || *count > UINT32_MAX) {
        return cursor.fail(group.position, "expected named operation to have atleast 1 result");
      }
      group.count = static_cast<uint32_t>(*count);
    }
    results.push_back(group);
  } while (cursor.eat(','));
  return cursor.expect('=');
}

// ---- Operands ----------------------------------------------------------------------------------

/// Reads `%x` or `%x#1`.
bool MlirReader::read_operand(MlirOpDraft& draft) {
  Operand operand;
  const std::size_t begin = cursor_.position();
  if (!cursor_.eat('%')) return cursor_.expected("SSA operand");
  const std::string_view name = cursor_.suffix();
  if (name.empty()) return cursor_.expected("SSA operand");
  uint32_t number = 0;
  if (cursor_.raw_peek() == '#') {
    cursor_.eat('#');
    const std::string_view digits = cursor_.suffix();
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || parsed.ec != std::errc()) {
      return cursor_.fail(begin, "invalid SSA value result number");
    }
  }
  operand.name = cursor_.slice(begin);
  const MlirNamedValues* values = names_.find(name);
  if (!values) {
    return cursor_.fail(begin, "use of undeclared SSA value name '%" + std::string(name) + "'",
                        notes_on_value(name));
  }
  if (values->is_broken()) {
    draft.broken = true;
  } else if (number >= values->count) {
    return cursor_.fail(begin, "reference to invalid result number");
  } else {
    operand.value = ir::ValueId(static_cast<uint32_t>(values->first.index()) + number);
  }
  draft.operands.push_back(operand);
  return true;
}

/// Returns a note with the visible name that is most similar to an unknown one.
std::vector<std::string> MlirReader::notes_on_value(std::string_view name) const {
  constexpr std::size_t kShortest = 3;  // all shorter names are similar
  if (name.size() < kShortest) return {};
  const auto meant = closest(name, names_.visible());
  if (!meant) return {};
  return {"did you mean %" + *meant + "?"};
}

/// Reads `%a, %b` and the closing bracket.
bool MlirReader::read_operand_list(MlirOpDraft& draft, char close) {
  if (cursor_.eat(close)) return true;
  do {
    if (!read_operand(draft)) return false;
  } while (cursor_.eat(','));
  return cursor_.expect(close);
}

// ---- Custom forms ------------------------------------------------------------------------------

/// Returns the op name with its dialect. A name without dialect belongs to the dialect of the
/// enclosing op. Spec: stablehlo 6.
std::string MlirReader::full_name(std::string_view name) const {
  if (name.find('.') != std::string_view::npos) return std::string(name);
  const OpKind owner = frames_.back().draft.kind;
  if (name == "func" && owner == OpKind::BuiltinModule) return "func.func";
  const std::string_view dialect = owner == OpKind::BuiltinModule ? "builtin."
                                   : owner == OpKind::Func        ? "func."
                                                                  : "";
  return std::string(dialect) + std::string(name);
}

/// Returns the kind of an op name. A cache is fast, because programs have few kinds of ops.
/// Requires: the name is part of the text or of odd_names_.
OpKind MlirReader::find_op(std::string_view name) {
  KnownOp& known = known_ops_[hash_of_text(name) % known_ops_.size()];
  if (known.name != name) known = {name, ir::find_op(name)};
  return known.kind;
}

namespace {

/// Returns the known op names of a dialect, such as `sdy.`, without the dialect.
std::vector<std::string_view> ops_of_dialect(std::string_view dialect) {
  std::vector<std::string_view> names;
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const std::string_view known = ir::kOps[index].name;
    if (known.starts_with(dialect)) names.push_back(known.substr(dialect.size()));
  }
  return names;
}

std::string_view dialect_of(std::string_view name) {
  return name.substr(0, name.find('.') + 1);  // npos + 1 is 0
}

}  // namespace

std::optional<std::string> closest_op(std::string_view name) {
  const std::string_view dialect = dialect_of(name);
  if (dialect.empty()) return std::nullopt;
  const auto meant = closest(name.substr(dialect.size()), ops_of_dialect(dialect));
  return meant ? std::optional(std::string(dialect) + *meant) : std::nullopt;
}

std::vector<std::string> notes_on_unknown_op(std::string_view name) {
  const std::string_view dialect = dialect_of(name);
  if (const auto meant = closest_op(name)) return {"did you mean " + *meant + "?"};
  if (dialect.empty() || !ops_of_dialect(dialect).empty()) return {};
  if (dialect == "mhlo.") {
    return {"`mlir-hlo-opt --hlo-legalize-to-stablehlo FILE` converts MHLO to StableHLO"};
  }
  if (dialect == "vhlo.") {
    return {"`stablehlo-opt --vhlo-legalize-to-stablehlo FILE` converts VHLO to StableHLO"};
  }
  return {"ops of other dialects are read in generic form: \"" + std::string(name) + "\"(...)"};
}

bool MlirReader::read_custom(MlirOpDraft& draft) {
  const std::string_view spelled = cursor_.ident();
  if (spelled.empty()) return cursor_.expected("an operation name");
  draft.name = spelled;
  if (spelled == "stablehlo.cross" && cursor_.starts_with("-replica-sum"))
    cursor_.eat("-replica-sum");
  draft.kind = spelled.find('.') == std::string_view::npos ? ir::find_op(full_name(spelled))
                                                           : find_op(spelled);
  if (spelled == "arith.constant") return read_arith_constant(draft);
  if (spelled == "mhlo.copy") return read_mhlo_copy(draft);
  if (draft.kind == OpKind::Unknown) {
    return cursor_.fail(draft.name_begin, "custom op '" + std::string(spelled) + "' is unknown",
                        notes_on_unknown_op(spelled));
  }
  draft.name = ir::info(draft.kind).name;
  const OpForm& form = form_of(draft.kind);
  switch (form.op->syntax) {
    case Syntax::Form:
    case Syntax::DotGeneral:
      return read_form(draft, form);
    case Syntax::GenericOnly:
      if (draft.kind == OpKind::DynamicConv) return read_convolution(draft);  // older text
      return cursor_.fail(draft.name_begin, op_text(draft.name) +
                                                "has no custom assembly form, write it as \"" +
                                                std::string(draft.name) + "\"(...)");
    default:
      return read_special(draft, form);
  }
}

/// Reads `arith.constant dense<1> : tensor<i32>` as a constant and `arith.constant 1 : i32` as an
/// unknown op.
bool MlirReader::read_arith_constant(MlirOpDraft& draft) {
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  const std::size_t begin = cursor_.position();
  std::optional<Attribute> value = read_.attribute();
  if (!value) return false;
  if (const auto* literal = value->as<ir::Literal>()) {
    draft.kind = OpKind::Constant;
    draft.name = ir::info(draft.kind).name;
    draft.result_types = {literal->type()};
    return set(draft, ir::attr::kValue, *std::move(value)) && finish(draft);
  }
  if (const auto* number = value->as<ir::IntegerAttr>()) {
    draft.result_types.emplace_back(ir::ScalarType{number->type});
  } else if (const auto* real = value->as<ir::FloatAttr>()) {
    draft.result_types.emplace_back(ir::ScalarType{real->type});
  } else if (value->as<bool>()) {
    draft.result_types.emplace_back(ir::ScalarType{ir::ElementType::I1});
  } else {
    return cursor_.fail(begin, "expected a number or a dense literal");
  }
  ir::AttributeMap properties;
  properties.set(ir::attr::kValue, *std::move(value));
  return set(draft, kPropertiesAttr, std::move(properties)) && finish(draft);
}

/// Reads `mhlo.copy %x {mhlo.sharding = "{replicated}"} : tensor<4xf32>`, as XLA prints it, as an
/// unknown op.
bool MlirReader::read_mhlo_copy(MlirOpDraft& draft) {
  if (!read_operand(draft)) return false;
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  if (!cursor_.expect(':')) return false;
  if (cursor_.peek() == '(') return read_function_type(draft) && finish(draft);
  const std::optional<ir::Type> type = read_.type();
  if (!type) return false;
  draft.operand_types = {*type};
  draft.result_types = {*type};
  return finish(draft);
}

// ---- The end of all ops ------------------------------------------------------------------------

/// Checks that the operands have the types in the text.
bool MlirReader::check_types(const MlirOpDraft& draft) {
  if (draft.operands.size() != draft.operand_types.size()) {
    return cursor_.fail(draft.name_begin, std::to_string(draft.operands.size()) +
                                              " operands present, but expected " +
                                              std::to_string(draft.operand_types.size()));
  }
  for (std::size_t index = 0; index < draft.operands.size(); ++index) {
    const Operand& operand = draft.operands[index];
    if (!operand.value.valid()) continue;
    const ir::Type& actual = module_.type(operand.value);
    if (actual == draft.operand_types[index]) continue;
    return cursor_.fail(position_of(operand.name),
                        "use of value '" + std::string(operand.name) +
                            "' expects different type than prior uses: '" +
                            to_string(draft.operand_types[index]) + "' vs '" + to_string(actual) +
                            "'");
  }
  return true;
}

bool MlirReader::check_result_count(const MlirOpDraft& draft) {
  if (draft.results.empty()) return true;
  std::size_t named = 0;
  for (const ResultGroup& group : draft.results) named += group.count;
  if (named == draft.result_types.size()) return true;
  if (draft.result_types.empty()) {
    return cursor_.fail(draft.results.front().position, "cannot name an operation with no results");
  }
  return cursor_.fail(draft.results.front().position,
                      "operation defines " + std::to_string(draft.result_types.size()) +
                          " results but was provided " + std::to_string(named) + " to bind");
}

/// Checks that required attributes exist, and sets defaults of attributes that text always has.
bool MlirReader::check_attributes(MlirOpDraft& draft) {
  for (const AttributeDefinition& row : ir::definition_of(draft.kind).attributes) {
    if (!row.required && !row.always) continue;
    if (draft.attributes.contains(row.name)) continue;
    if (row.required) {
      return cursor_.fail(draft.name_begin, op_text(draft.name) + "requires attribute '" +
                                                std::string(row.name) + "'");
    }
    draft.attributes.set(row.name, std::string());
  }
  return true;
}

bool MlirReader::define_results(const MlirOpDraft& draft, ir::OpId op) {
  std::size_t index = 0;
  for (const ResultGroup& group : draft.results) {
    if (!define(group.name, {module_.result(op, index), group.count})) {
      return redefined(group.position, group.name);
    }
    index += group.count;
  }
  return true;
}

/// Creates the op and names its results. Called after the location, if the text has one.
bool MlirReader::finish(MlirOpDraft& draft) {
  std::optional<std::string_view> location;
  if (cursor_.at_word("loc")) {
    location = read_.location();
    if (!location) return false;
  }
  if (!check_types(draft) || !check_result_count(draft)) return false;
  if (draft.kind != OpKind::Unknown && !check_attributes(draft)) return false;
  if (draft.kind == OpKind::Func && !settle_function(draft)) return false;
  if (draft.broken) {
    give_up(draft.begin);
    return true;
  }
  ir::OpSpec spec{.kind = draft.kind};
  if (draft.kind == OpKind::Unknown) spec.name = draft.name;
  spec.operands.reserve(draft.operands.size());
  for (const Operand& operand : draft.operands) spec.operands.push_back(operand.value);
  spec.result_types = std::move(draft.result_types);
  spec.attributes = std::move(draft.attributes);
  spec.regions = std::move(draft.regions);
  spec.location = module_.add_location(draft.name_start.line, draft.name_start.column);
  const ir::OpId op = module_.create(std::move(spec));
  if (draft.function && *draft.function != ir::FunctionData()) {
    module_.function(op) = std::move(*draft.function);
  }
  RegionFrame& frame = frames_.back();
  module_.append(frame.block, op);
  if (location) locations_.emplace_back(op, *location);
  if (!draft.successors.empty()) {
    frame.successors.emplace_back(op, std::exchange(draft.successors, {}));
  }
  return define_results(draft, op);
}

/// Sets the function data of a function in generic form from its attributes.
bool MlirReader::settle_function(MlirOpDraft& draft) {
  if (draft.function) return true;
  draft.function = std::make_unique<ir::FunctionData>();
  const auto* type = draft.attributes.get<ir::TypeAttr>("function_type");
  const auto* signature = type ? type->type.as<ir::FunctionType>() : nullptr;
  if (!signature) {
    return cursor_.fail(draft.name_begin, "'func.func' op requires attribute 'function_type'");
  }
  const auto dictionaries = [&](std::string_view name, std::size_t count) {
    std::vector<ir::AttributeMap> maps(count);
    const auto* list = draft.attributes.get<ir::ArrayAttr>(name);
    for (std::size_t index = 0; list && index < std::min(count, list->elements.size()); ++index) {
      const auto* map = list->elements[index].as<ir::AttributeMap>();
      if (map) maps[index] = *map;
    }
    return maps;
  };
  const std::span<const ir::Type> inputs = signature->inputs();
  const std::span<const ir::Type> results = signature->results();
  draft.function->result_types.assign(results.begin(), results.end());
  draft.function->arg_attributes = dictionaries("arg_attrs", inputs.size());
  draft.function->result_attributes = dictionaries("res_attrs", results.size());
  if (draft.regions.empty()) draft.regions.push_back(module_.new_region());
  if (module_.blocks(draft.regions.front()).empty()) {
    draft.function->declared_arg_types.assign(inputs.begin(), inputs.end());
  } else {
    const auto args = module_.args(module_.blocks(draft.regions.front()).front());
    const bool fits = std::ranges::equal(
        args, inputs,
        [&](ir::ValueId value, const ir::Type& wanted) { return module_.type(value) == wanted; });
    if (!fits) {
      return cursor_.fail(
          draft.name_begin,
          "'func.func' op entry block arguments must have the types of the signature");
    }
  }
  for (const std::string_view name : {"function_type", "arg_attrs", "res_attrs"}) {
    draft.attributes.erase(name);
  }
  return true;
}

// Custom forms of the table. Spec: stablehlo 9, 12; dialect 3, 4.

bool MlirReader::set(MlirOpDraft& draft, std::string_view name, Attribute value) {
  draft.attributes.set(name, std::move(value));
  return true;
}

bool MlirReader::read_form(MlirOpDraft& draft, const OpForm& form) {
  if (!read_items(draft, form)) return false;
  if (!read_types(draft, form)) return false;
  return finish(draft);
}

/// Checks whether a group comes next, by the text at the start of the group. Only this text
/// distinguishes a group from the items after it.
bool MlirReader::starts_group(const OpForm& form, std::size_t group) {
  const FormItem& first = form.items[group + 1];
  if (first.kind != ItemKind::Text) return false;
  std::string_view text = first.text;
  const std::size_t begin = cursor_.position();
  bool found = true;
  if (text.starts_with(',')) {
    found = cursor_.eat(',');
    text.remove_prefix(1);
  }
  const std::size_t word = text.find_first_not_of(' ');
  if (found && word != std::string_view::npos) {
    found = cursor_.at_word(text.substr(word, text.find_first_of(" =", word) - word));
  } else if (found) {
    found = cursor_.at_ident();  // a word of an enumeration
  }
  cursor_.seek(begin);
  return found;
}

bool MlirReader::read_items(MlirOpDraft& draft, const OpForm& form) {
  for (std::size_t at = 0; at < form.items.size(); ++at) {
    const FormItem& item = form.items[at];
    if (item.kind == ItemKind::Group && !starts_group(form, at)) {
      while (form.items[at].kind != ItemKind::EndGroup) ++at;
    } else if (!read_item(draft, item)) {
      return false;
    }
  }
  return true;
}

/// Reads the text of an item. A text such as `, dims = ` is several tokens.
bool MlirReader::read_item_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    std::size_t end = at + 1;
    if (is_ident_start(text[at])) {
      while (end < text.size() && is_ident_char(text[end])) ++end;
    }
    const bool is_char = end == at + 1 && !is_ident_char(text[at]);
    const bool found =
        is_char ? cursor_.expect(text[at]) : cursor_.expect(text.substr(at, end - at));
    if (!found) return false;
    at = end;
  }
  return true;
}

/// Reads `%a, %b`. A comma after the last operand belongs to the next item.
bool MlirReader::read_item_operands(MlirOpDraft& draft) {
  while (cursor_.peek() == '%') {
    if (!read_operand(draft)) return false;
    const std::size_t before = cursor_.raw_position();
    if (!cursor_.eat(',')) return true;
    if (cursor_.peek() == '%') continue;
    cursor_.seek(before);
    return true;
  }
  return true;
}

bool MlirReader::read_item(MlirOpDraft& draft, const FormItem& item) {
  switch (item.kind) {
    case ItemKind::Text:
      return read_item_text(item.text);
    case ItemKind::Operand:
      return read_operand(draft);
    case ItemKind::Operands:
      return read_item_operands(draft);
    case ItemKind::Attribute:
      return read_attribute_item(draft, *item.row);
    case ItemKind::Dictionary:
      return cursor_.peek() != '{' || read_dictionary(draft);
    default:
      return true;
  }
}

bool MlirReader::read_attribute_item(MlirOpDraft& draft, const AttributeDefinition& row) {
  if (row.kind == AttributeKind::SliceRanges) return read_slice_ranges(draft);
  if (row.kind == AttributeKind::FloatFormat) return read_float_format(draft);
  std::optional<Attribute> value = read_.bare_attribute(row);
  return value && set(draft, row.name, *std::move(value));
}

/// Reads `[0:8:2, 3:5]`.
bool MlirReader::read_slice_ranges(MlirOpDraft& draft) {
  ir::DenseArrayAttr starts;
  ir::DenseArrayAttr limits;
  ir::DenseArrayAttr strides;
  if (!cursor_.expect('[')) return false;
  while (!cursor_.eat(']')) {
    if (!starts.values.empty() && !cursor_.expect(',')) return false;
    const std::optional<int64_t> start = cursor_.integer();
    if (!start || !cursor_.expect(':')) return false;
    const std::optional<int64_t> limit = cursor_.integer();
    if (!limit) return false;
    std::optional<int64_t> stride = 1;
    if (cursor_.eat(':')) stride = cursor_.integer();
    if (!stride) return false;
    starts.values.push_back(*start);
    limits.values.push_back(*limit);
    strides.values.push_back(*stride);
  }
  return set(draft, ir::attr::kStartIndices, std::move(starts)) &&
         set(draft, ir::attr::kLimitIndices, std::move(limits)) &&
         set(draft, ir::attr::kStrides, std::move(strides));
}

/// Reads `e5m10`.
bool MlirReader::read_float_format(MlirOpDraft& draft) {
  const std::size_t begin = cursor_.position();
  const std::string_view word = cursor_.ident();
  MlirCursor cursor(word);
  const auto part = [&](char letter) -> std::optional<int64_t> {
    return cursor.eat(letter) && is_digit(cursor.raw_peek()) ? cursor.integer() : std::nullopt;
  };
  const std::optional<int64_t> exponent = part('e');
  const std::optional<int64_t> mantissa = exponent ? part('m') : std::nullopt;
  constexpr int64_t kMost = INT32_MAX;
  if (!mantissa || !cursor.at_end() || *exponent > kMost || *mantissa > kMost) {
    return cursor_.fail(begin,
                        "expected a format such as e5m10, found '" + std::string(word) + "'");
  }
  return set(draft, ir::attr::kExponentBits, ir::IntegerAttr{*exponent, ElementType::I32}) &&
         set(draft, ir::attr::kMantissaBits, ir::IntegerAttr{*mantissa, ElementType::I32});
}

// ---- Types -------------------------------------------------------------------------------------

namespace {

/// Returns the real counterpart of a complex tensor type.
ir::Type real_type(const ir::Type& type) {
  if (!type.is_tensor()) return type;
  const bool is_wide = type.element() == ElementType::Complex128;
  if (!is_wide && type.element() != ElementType::Complex64) return type;
  const ir::TensorType& tensor = *type.tensor();
  return *ir::Type::make_tensor(tensor.dims, is_wide ? ElementType::F64 : ElementType::F32,
                                tensor.encoding);
}

/// Returns the type of a constant's value; std::nullopt without a value.
std::optional<ir::Type> type_of_value(const Attribute* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* literal = value->as<ir::Literal>()) return literal->type();
  const auto* opaque = value->as<ir::OpaqueAttr>();
  if (opaque == nullptr) return std::nullopt;
  const std::size_t colon = opaque->text.rfind(" : ");
  if (colon == std::string::npos) return std::nullopt;
  MlirCursor cursor(opaque->text);
  cursor.seek(colon + 3);
  return MlirAttributeReader(cursor).type();
}

/// Returns true if a function type may replace the short form.
bool may_be_function(TypeForm form) {
  switch (form) {
    case TypeForm::Same:
    case TypeForm::Func:
    case TypeForm::Select:
    case TypeForm::Complex:
    case TypeForm::Arrow:
    case TypeForm::Arrows:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool MlirReader::read_types(MlirOpDraft& draft, const OpForm& form) {
  const bool has_none = (form.types == TypeForm::Operands && draft.operands.empty());
  if (form.types == TypeForm::None || (has_none && cursor_.peek() != ':')) return true;
  if (form.types == TypeForm::Value || form.types == TypeForm::Value0) {
    const std::optional<ir::Type> type = type_of_value(draft.attributes.find(ir::attr::kValue));
    if (!type) return cursor_.fail(draft.name_begin, "expected a dense literal with its type");
    (form.types == TypeForm::Value ? draft.result_types : draft.operand_types).push_back(*type);
    return true;
  }
  if (!cursor_.expect(':')) return false;
  if (form.types == TypeForm::Func || (may_be_function(form.types) && cursor_.peek() == '(')) {
    return read_function_type(draft);
  }
  return read_type_list(draft, form.types);
}

/// Reads the short form of types.
bool MlirReader::read_type_list(MlirOpDraft& draft, TypeForm form) {
  if (form == TypeForm::Close && cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  const std::size_t begin = cursor_.position();
  std::vector<ir::Type>& types = short_types_;
  types.clear();
  if (!read_.type_list(types)) return false;
  const std::size_t num_operands = draft.operands.size();
  const auto expect_types = [&](std::size_t count) {
    return types.size() == count ||
           cursor_.fail(begin, "expected " + std::to_string(count) + " types, found " +
                                   std::to_string(types.size()));
  };
  switch (form) {
    case TypeForm::Same:
    case TypeForm::OneSame:
      draft.operand_types.assign(num_operands, types.front());
      draft.result_types = {types.front()};
      return expect_types(1);
    case TypeForm::One:
      draft.operand_types.assign(num_operands, types.front());
      return expect_types(1);
    case TypeForm::Result:
      draft.result_types = {types.front()};
      return expect_types(1);
    case TypeForm::Select:
      if (!expect_types(2)) return false;
      draft.operand_types = {types[0], types[1], types[1]};
      draft.result_types = {types[1]};
      return true;
    case TypeForm::Complex:
      draft.operand_types.assign(num_operands, real_type(types.front()));
      draft.result_types = {types.front()};
      return expect_types(1);
    case TypeForm::Pair:
      draft.operand_types = types;
      draft.result_types = types;
      return true;
    case TypeForm::Tuple: {
      const auto* tuple = types.front().as<ir::TupleType>();
      if (!tuple) return cursor_.fail(begin, "expected a tuple type");
      draft.operand_types = tuple->elements;
      draft.result_types = {types.front()};
      return expect_types(1);
    }
    case TypeForm::Arrow:
    case TypeForm::Arrows:
      draft.operand_types = types;
      if (!cursor_.expect("->")) return false;
      if (!cursor_.eat('(')) return read_.type_list(draft.result_types);
      return read_.type_list(draft.result_types) && cursor_.expect(')');
    default:
      draft.operand_types = types;
      return true;
  }
}

}  // namespace shardy::text
