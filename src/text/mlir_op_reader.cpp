// Ops of MLIR text: results, operands, and what all forms end with. Spec: stablehlo 6.
#include <algorithm>
#include <charconv>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/quote.hpp"
#include "text/mlir_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::OpKind;

void MlirReader::OpDraft::clear() {
  begin = name_begin = 0;
  place = {};
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
  OpDraft& draft = draft_;
  draft.clear();
  draft.begin = cursor_.position();
  const std::size_t begin = draft.begin;
  bool is_read = read_results(cursor_, draft.results);
  if (is_read) {
    draft.name_begin = cursor_.position();
    draft.place = lines_.place(draft.name_begin);
    const bool is_generic = cursor_.peek() == '"';
    is_read = is_generic ? read_generic(draft) : read_custom(draft);
  }
  if (!is_read) give_up(begin);
  return is_read;
}

/// `%x, %y:2 =`.
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

/// `%x` or `%x#1`.
bool MlirReader::read_operand(OpDraft& draft) {
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

/// Returns a note with the closest visible name for an unknown one.
std::vector<std::string> MlirReader::notes_on_value(std::string_view name) const {
  constexpr std::size_t kShortest = 3;  // shorter names are all alike
  if (name.size() < kShortest) return {};
  const auto meant = closest(name, names_.visible());
  if (!meant) return {};
  return {"did you mean %" + *meant + "?"};
}

/// `%a, %b` and the closing bracket.
bool MlirReader::read_operand_list(OpDraft& draft, char close) {
  if (cursor_.eat(close)) return true;
  do {
    if (!read_operand(draft)) return false;
  } while (cursor_.eat(','));
  return cursor_.expect(close);
}

// ---- Custom forms ------------------------------------------------------------------------------

/// A name without dialect belongs to the dialect of the op around it. Spec: stablehlo 6.
std::string MlirReader::full_name(std::string_view name) const {
  if (name.find('.') != std::string_view::npos) return std::string(name);
  const OpKind owner = frames_.back().draft.kind;
  if (name == "func" && owner == OpKind::BuiltinModule) return "func.func";
  const std::string_view dialect = owner == OpKind::BuiltinModule ? "builtin."
                                   : owner == OpKind::Func        ? "func."
                                                                  : "";
  return std::string(dialect) + std::string(name);
}

/// Programs have few kinds of ops. Requires: the name is part of the text, or kept by odd_names_.
OpKind MlirReader::find_op(std::string_view name) {
  KnownOp& known = known_ops_[hash_of_text(name) % known_ops_.size()];
  if (known.name != name) known = {name, ir::find_op(name)};
  return known.kind;
}

std::vector<std::string> notes_on_unknown_op(std::string_view name) {
  const std::size_t dialect_size = name.find('.') + 1;  // npos + 1 is 0
  const std::string_view dialect = name.substr(0, dialect_size);
  if (dialect.empty()) return {};
  std::vector<std::string_view> names;
  for (std::size_t index = 0; index < ir::kNumKnownOps; ++index) {
    const std::string_view known = ir::kOps[index].name;
    if (known.starts_with(dialect)) names.push_back(known.substr(dialect_size));
  }
  if (const auto meant = closest(name.substr(dialect_size), names)) {
    return {"did you mean " + std::string(dialect) + *meant + "?"};
  }
  if (!names.empty()) return {};
  return {"ops of other dialects are read in generic form: \"" + std::string(name) + "\"(...)"};
}

bool MlirReader::read_custom(OpDraft& draft) {
  const std::string_view spelled = cursor_.ident();
  if (spelled.empty()) return cursor_.expected("an operation name");
  draft.name = spelled;
  if (spelled == "stablehlo.cross" && cursor_.starts_with("-replica-sum"))
    cursor_.eat("-replica-sum");
  draft.kind = spelled.find('.') == std::string_view::npos ? ir::find_op(full_name(spelled))
                                                           : find_op(spelled);
  if (spelled == "arith.constant") return read_arith_constant(draft);
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
      return cursor_.fail(draft.name_begin, op_text(draft.name) +
                                                "has no custom assembly form, write it as \"" +
                                                std::string(draft.name) + "\"(...)");
    default:
      return read_special(draft, form);
  }
}

/// `arith.constant dense<1> : tensor<i32>` is a constant, `arith.constant 1 : i32` an unknown op.
bool MlirReader::read_arith_constant(OpDraft& draft) {
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

// ---- The end of all ops ------------------------------------------------------------------------

/// The types that the text gives operands are theirs.
bool MlirReader::check_types(const OpDraft& draft) {
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

bool MlirReader::check_result_count(const OpDraft& draft) {
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

/// Required attributes are there; defaults that always stand in text are set.
bool MlirReader::check_attributes(OpDraft& draft) {
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

bool MlirReader::define_results(const OpDraft& draft, ir::OpId op) {
  std::size_t index = 0;
  for (const ResultGroup& group : draft.results) {
    if (!define(group.name, {module_.result(op, index), group.count})) {
      return redefined(group.position, group.name);
    }
    index += group.count;
  }
  return true;
}

/// Makes the op and names its results. After a location, if the text has one.
bool MlirReader::finish(OpDraft& draft) {
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
  spec.location = module_.add_location(draft.place.line, draft.place.column);
  const ir::OpId op = module_.create(std::move(spec));
  if (draft.function && *draft.function != ir::FunctionData()) {
    module_.function(op) = std::move(*draft.function);
  }
  Frame& frame = frames_.back();
  module_.append(frame.block, op);
  if (location) locations_.emplace_back(op, *location);
  if (!draft.successors.empty()) {
    frame.successors.emplace_back(op, std::exchange(draft.successors, {}));
  }
  return define_results(draft, op);
}

/// Sets the function data of a function in generic form from its attributes.
bool MlirReader::settle_function(OpDraft& draft) {
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

}  // namespace shardy::text
