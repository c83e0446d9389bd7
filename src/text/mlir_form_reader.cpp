// Ops in the custom forms of the table. Spec: stablehlo 9, 12; dialect 3, 4.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "shardy/ir/attribute_names.hpp"
#include "text/mlir_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;

bool MlirReader::set(OpDraft& draft, std::string_view name, Attribute value) {
  draft.attributes.set(name, std::move(value));
  return true;
}

bool MlirReader::read_form(OpDraft& draft, const OpForm& form) {
  if (!read_items(draft, form)) return false;
  if (!read_types(draft, form)) return false;
  return finish(draft);
}

/// The text that a group begins with comes next. Texts alone tell groups from what follows them.
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
    found = cursor_.at_ident();  // an enumerator
  }
  cursor_.seek(begin);
  return found;
}

bool MlirReader::read_items(OpDraft& draft, const OpForm& form) {
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

/// A text such as `, dims = ` is several tokens.
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

/// Reads `%a, %b`; a comma after the last one belongs to the next item.
bool MlirReader::read_item_operands(OpDraft& draft) {
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

bool MlirReader::read_item(OpDraft& draft, const FormItem& item) {
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

bool MlirReader::read_attribute_item(OpDraft& draft, const AttributeDefinition& row) {
  if (row.kind == AttributeKind::SliceRanges) return read_slice_ranges(draft);
  if (row.kind == AttributeKind::FloatFormat) return read_float_format(draft);
  std::optional<Attribute> value = read_.bare_attribute(row);
  return value && set(draft, row.name, *std::move(value));
}

/// `[0:8:2, 3:5]`.
bool MlirReader::read_slice_ranges(OpDraft& draft) {
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

/// `e5m10`.
bool MlirReader::read_float_format(OpDraft& draft) {
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

/// The real counterpart of a complex tensor.
ir::Type real_type(const ir::Type& type) {
  if (!type.is_tensor()) return type;
  const bool is_wide = type.element() == ElementType::Complex128;
  if (!is_wide && type.element() != ElementType::Complex64) return type;
  const ir::TensorType& tensor = *type.tensor();
  return *ir::Type::make_tensor(tensor.dims, is_wide ? ElementType::F64 : ElementType::F32,
                                tensor.encoding);
}

/// The type that the value of a constant carries. Nothing: it has none.
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

/// Returns true if a function type is allowed instead of the short form.
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

bool MlirReader::read_types(OpDraft& draft, const OpForm& form) {
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

/// The short spellings of types.
bool MlirReader::read_type_list(OpDraft& draft, TypeForm form) {
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
