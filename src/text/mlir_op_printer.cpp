// Prints ops as MLIR text: the generic form, and the custom forms of the table. Spec: stablehlo 9,
// 11, 13.1.

#include <algorithm>
#include <array>
#include <functional>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/attribute_codec.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;
using ir::OpKind;

void MlirPrinter::results(ir::OpId op) {
  if (module_.num_results(op) == 0) return;
  names_.append_results(out_, op);
  out_ += " = ";
}

void MlirPrinter::operand_names(ir::OpId op, std::size_t begin, std::size_t end) {
  for (std::size_t index = begin; index < end; ++index) {
    if (index > begin) out_ += ", ";
    value(module_.operand(op, index));
  }
}

void MlirPrinter::argument(ir::ValueId arg) {
  value(arg);
  out_ += ": ";
  type(module_.type(arg));
}

/// Prints a type of the module. If the type was printed recently, copies its text.
void MlirPrinter::type(const ir::Type& type) {
  const ir::TensorType* tensor = type.tensor();
  if (tensor == nullptr) return print_.type(type);
  const auto hash = std::hash<const ir::TensorType*>()(tensor) / alignof(ir::TensorType);
  PrintedType& printed = printed_types_[hash % printed_types_.size()];
  if (printed.type == tensor) {
    out_.append(out_, printed.begin, printed.size);
    return;
  }
  const std::size_t begin = out_.size();
  print_.type(type);
  printed = {tensor, begin, out_.size() - begin};
}

void MlirPrinter::operand_types(ir::OpId op) {
  for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
    if (index > 0) out_ += ", ";
    type(module_.type(module_.operand(op, index)));
  }
}

void MlirPrinter::result_types(ir::OpId op) {
  for (std::size_t index = 0; index < module_.num_results(op); ++index) {
    if (index > 0) out_ += ", ";
    type(module_.type(module_.result(op, index)));
  }
}

void MlirPrinter::op_function_type(ir::OpId op) {
  out_ += '(';
  operand_types(op);
  out_ += ") -> ";
  const bool bare = module_.num_results(op) == 1 &&
                    module_.type(module_.result(op)).as<ir::FunctionType>() == nullptr;
  if (!bare) out_ += '(';
  result_types(op);
  if (!bare) out_ += ')';
}

// ---- The generic form --------------------------------------------------------------------------

namespace {

/// Returns true if the custom form can print an attribute of this form.
bool has_form_of(const Attribute& value, AttributeKind kind) {
  const AttributeCodec* const codec = find_codec(kind);
  return codec == nullptr || !codec->traits.bare_only ||
         value.form() == ir::definition_of(kind).form;
}

/// Checks whether the custom form can represent the op: the op has exactly the parts of the form.
bool fits_form(const ir::Module& module, ir::OpId op, const OpForm& form) {
  for (const AttributeDefinition& row : form.op->attributes) {
    const Attribute* value = module.attributes(op).find(row.name);
    if (!value) {
      if (row.required) return false;
      continue;
    }
    if (!has_form_of(*value, row.kind)) return false;
  }
  std::size_t operands = 0;
  bool takes_any = false;
  for (const FormItem& item : form.items) {
    operands += item.kind == ItemKind::Operand ? 1 : 0;
    takes_any = takes_any || item.kind == ItemKind::Operands;
  }
  const std::size_t count = module.num_operands(op);
  return takes_any ? count >= operands : count == operands || form.op->syntax != Syntax::Form;
}

std::size_t wanted_regions(Syntax special) {
  switch (special) {
    case Syntax::Module:
    case Syntax::Func:
    case Syntax::Reduce:
    case Syntax::NamedComputation:
    case Syntax::ManualComputation:
    case Syntax::Scan:
      return 1;
    case Syntax::While:
      return 2;
    default:
      return 0;
  }
}

bool fits_types(const ir::Module& module, ir::OpId op, const OpForm& form) {
  const std::size_t results = module.num_results(op);
  switch (form.types) {
    case TypeForm::OneSame:
      return results == 1 && module.type(module.result(op)) == module.type(module.operand(op, 0));
    case TypeForm::Pair: {
      const auto type_of = [&](ir::ValueId value) -> const ir::Type& { return module.type(value); };
      return std::ranges::equal(module.results(op), module.operands(op), {}, type_of, type_of);
    }
    case TypeForm::One:
      return results == 0 && std::ranges::all_of(module.operands(op), [&](ir::ValueId value) {
               return module.type(value) == module.type(module.operand(op, 0));
             });
    case TypeForm::Result:
    case TypeForm::Tuple:
    case TypeForm::Value:
      return results == 1;
    default:
      return true;
  }
}

/// Checks whether the form can show the regions of the op.
bool fits_regions(const ir::Module& module, ir::OpId op, const OpForm& form) {
  const bool any_number = form.op->syntax == Syntax::Composite;
  if (!any_number && module.regions(op).size() != wanted_regions(form.op->syntax)) return false;
  for (const ir::RegionId region : module.regions(op)) {
    const std::size_t blocks = module.blocks(region).size();
    if (blocks > 1 || (blocks == 0 && module.kind(op) != OpKind::Func)) return false;
  }
  return true;
}

/// Checks that each carried value of a loop has one type in operands, region arguments and results,
/// because the custom form lists types once.
bool has_one_type_per_carried_value(const ir::Module& module, ir::OpId loop) {
  const auto type_of = [&](ir::ValueId value) -> const ir::Type& { return module.type(value); };
  const auto fits = [&](std::span<const ir::ValueId> values) {
    return std::ranges::equal(values, module.operands(loop), {}, type_of, type_of);
  };
  return fits(module.results(loop)) && fits(module.args(module.block(loop, 0))) &&
         fits(module.args(module.block(loop, 1)));
}

}  // namespace

bool MlirPrinter::prints_generic(ir::OpId op) const {
  const OpKind kind = module_.kind(op);
  if (options_.generic || kind == OpKind::Unknown) return true;
  const OpForm& form = form_of(kind);
  if (form.op->syntax == Syntax::GenericOnly) return true;
  if (module_.num_operands(op) < form.op->min_operands) return true;
  if (!fits_regions(module_, op, form)) return true;
  if (form.op->syntax == Syntax::Reduce &&
      (module_.num_operands(op) % 2 != 0 ||
       module_.args(module_.block(op)).size() != module_.num_operands(op))) {
    return true;
  }
  if (form.op->syntax == Syntax::While && !has_one_type_per_carried_value(module_, op)) {
    return true;
  }
  if (kind == OpKind::SdyConstant) {
    const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
    if (!literal || module_.num_results(op) != 1 ||
        literal->type() != module_.type(module_.result(op))) {
      return true;
    }
  }
  if (!fits_form(module_, op, form) || !fits_types(module_, op, form)) return true;
  return form.types == TypeForm::Value0 &&
         !value_has_type(op, module_.type(module_.operand(op, 0)));
}

// ---- Forms of the table ------------------------------------------------------------------------

/// Prints the dictionary of a custom form: attributes that the form does not show and that are not
/// defaults.
void MlirPrinter::other_attributes(ir::OpId op, const OpForm& form) {
  print_.dictionary(module_.attributes(op), [&](const ir::NamedAttribute& entry) {
    if (form.shows(entry.name)) return false;
    const AttributeDefinition* row = form.op->find_attribute(entry.name);
    return row == nullptr || !is_default(entry.value, *row);
  });
}

bool MlirPrinter::shows_group(ir::OpId op, const FormItem& group) const {
  const Attribute* value = module_.attributes(op).find(group.row->name);
  return value && !is_default(*value, *group.row);
}

void MlirPrinter::form(ir::OpId op, const OpForm& form) {
  std::size_t operand = 0;
  for (std::size_t at = 0; at < form.items.size(); ++at) {
    const FormItem& next = form.items[at];
    if (next.kind == ItemKind::Group && !shows_group(op, next)) {
      while (form.items[at].kind != ItemKind::EndGroup) ++at;
      continue;
    }
    item(op, next, operand, form);
  }
  type_part(op, form);
}

void MlirPrinter::item(ir::OpId op, const FormItem& item, std::size_t& operand,
                       const OpForm& form) {
  switch (item.kind) {
    case ItemKind::Text:
      out_ += item.text;
      break;
    case ItemKind::Operand:
      value(module_.operand(op, operand++));
      break;
    case ItemKind::Operands:
      if (operand < module_.num_operands(op)) out_ += item.text;
      operand_names(op, operand, module_.num_operands(op));
      break;
    case ItemKind::Dictionary:
      other_attributes(op, form);
      break;
    case ItemKind::Attribute:
      if (item.row->kind == AttributeKind::SliceRanges) {
        slice_ranges(op);
      } else if (item.row->kind == AttributeKind::FloatFormat) {
        out_ += 'e';
        print_.bare(*module_.attributes(op).find(ir::attr::kExponentBits), *item.row);
        out_ += 'm';
        print_.bare(*module_.attributes(op).find(ir::attr::kMantissaBits), *item.row);
      } else {
        print_.bare(*module_.attributes(op).find(item.row->name), *item.row);
      }
      break;
    default:
      break;
  }
}

void MlirPrinter::slice_ranges(ir::OpId op) {
  const auto list = [&](std::string_view name) -> const std::vector<int64_t>& {
    return module_.attribute<ir::DenseArrayAttr>(op, name)->values;
  };
  const std::vector<int64_t>& starts = list(ir::attr::kStartIndices);
  const std::vector<int64_t>& limits = list(ir::attr::kLimitIndices);
  const std::vector<int64_t>& strides = list(ir::attr::kStrides);
  const std::size_t rank = std::min({starts.size(), limits.size(), strides.size()});
  out_ += '[';
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (dim > 0) out_ += ", ";
    out_ += std::to_string(starts[dim]) + ":" + std::to_string(limits[dim]);
    if (strides[dim] != 1) out_ += ":" + std::to_string(strides[dim]);
  }
  out_ += ']';
}

// The generic form of ops in newer and older text. Spec: stablehlo 6, 11, 13.1.

namespace {

bool is_inherent(const ir::Module& module, ir::OpId op, std::string_view name) {
  static constexpr std::array<std::string_view, 6> kOfFunctions = {
      "arg_attrs", "function_type", "no_inline", "res_attrs", ir::attr::kSymName, "sym_visibility"};
  if (name == "operandSegmentSizes" || name == "operand_segment_sizes") return true;
  if (module.is(op, OpKind::Func)) {
    return std::ranges::find(kOfFunctions, name) != kOfFunctions.end();
  }
  if (module.is(op, OpKind::BuiltinModule)) return name == ir::attr::kSymName;
  return ir::definition_of(module.kind(op)).find_attribute(name) != nullptr;
}

/// Converts `array<i64: 1, 2>` to `dense<[1, 2]> : tensor<2xi64>` for older text.
ir::Attribute literal_of(const ir::DenseArrayAttr& array) {
  const auto count = static_cast<int64_t>(array.values.size());
  std::vector<std::byte> bytes(array.values.size() * ir::size_bytes(array.element));
  for (std::size_t index = 0; index < array.values.size(); ++index) {
    const std::size_t size = ir::size_bytes(array.element);
    ir::detail::store_bits(std::span(bytes).subspan(index * size, size),
                           static_cast<uint64_t>(array.values[index]));
  }
  Result<ir::Literal> literal =
      ir::Literal::make(ir::Type::tensor({count}, array.element), std::move(bytes));
  SHARDY_ASSERT(literal);
  return *std::move(literal);
}

}  // namespace

/// Prints `"op"(%a, %b)[^bb1] <{...}>`.
void MlirPrinter::generic_head(ir::OpId op) {
  out_ += in_quotes(module_.name(op));
  out_ += '(';
  operand_names(op, 0, module_.num_operands(op));
  out_ += ')';
  if (const auto* successors = module_.attribute<ir::DenseArrayAttr>(op, kSuccessorsAttr)) {
    for (std::size_t index = 0; index < successors->values.size(); ++index) {
      out_ += index == 0 ? "[^bb" : ", ^bb";
      out_ += std::to_string(successors->values[index]);
    }
    out_ += ']';
  }
  if (!is_legacy()) properties(op);
}

/// Prints ` <{...}>`.
void MlirPrinter::properties(ir::OpId op) {
  const ir::AttributeMap properties = split_attributes(op).inherent;
  if (properties.empty()) return;
  out_ += " <";
  print_.braces(properties);
  out_ += '>';
}

/// Prints ` {...} : (T) -> U`.
void MlirPrinter::generic_tail(ir::OpId op) {
  print_.dictionary(split_attributes(op).others);
  out_ += " : ";
  op_function_type(op);
}

/// Returns all attributes, including attributes that the custom form of a function has in its
/// signature.
ir::AttributeMap MlirPrinter::all_attributes(ir::OpId op) const {
  ir::AttributeMap attributes = module_.attributes(op);
  if (!module_.is(op, OpKind::Func)) return attributes;
  const ir::FunctionData& function = module_.function(op);
  attributes.set(
      "function_type",
      ir::TypeAttr{ir::Type(ir::FunctionType(module_.arg_types(op), function.result_types))});
  const auto add = [&](std::string_view name, const std::vector<ir::AttributeMap>& maps) {
    if (std::ranges::all_of(maps, &ir::AttributeMap::empty)) return;
    ir::ArrayAttr list;
    for (const ir::AttributeMap& map : maps) list.elements.emplace_back(map);
    attributes.set(name, std::move(list));
  };
  add("arg_attrs", function.arg_attributes);
  add("res_attrs", function.result_attributes);
  return attributes;
}

/// Splits the attributes of an op into the lists `<{...}>` and `{...}`. Older text has only
/// `{...}`, in which one attribute contains the properties of an unknown op.
MlirPrinter::SplitAttributes MlirPrinter::split_attributes(ir::OpId op) const {
  SplitAttributes split;
  if (module_.is(op, OpKind::Unknown)) {
    split.others = module_.attributes(op);
    const auto* given = module_.attribute<ir::AttributeMap>(op, kPropertiesAttr);
    if (given && is_legacy()) split.others.set(kLegacyPropertiesAttr, *given);
    if (given && !is_legacy()) split.inherent = *given;
    return split;
  }
  const OpForm& form = form_of(module_.kind(op));
  for (const ir::NamedAttribute& entry : all_attributes(op)) {
    const auto* array = entry.value.as<ir::DenseArrayAttr>();
    if (is_legacy() && array && form.op->find_attribute(entry.name)) {
      split.others.set(entry.name, literal_of(*array));
    } else if (is_legacy() || !is_inherent(module_, op, entry.name)) {
      split.others.set(entry.name, entry.value);
    } else {
      split.inherent.set(entry.name, entry.value);
    }
  }
  return split;
}

// Types after custom forms. Spec: stablehlo 9, 12.

namespace {

bool all_same(const ir::Module& module, ir::OpId op) {
  if (module.num_results(op) != 1) return false;
  const ir::Type& type = module.type(module.result(op));
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    if (!(module.type(module.operand(op, index)) == type)) return false;
  }
  return type.as<ir::FunctionType>() == nullptr;
}

bool is_real_part(const ir::Type& part, const ir::Type& whole) {
  if (!part.is_tensor() || !whole.is_tensor()) return false;
  const bool fits =
      (part.element() == ElementType::F32 && whole.element() == ElementType::Complex64) ||
      (part.element() == ElementType::F64 && whole.element() == ElementType::Complex128);
  return fits && std::ranges::equal(part.dims(), whole.dims()) &&
         part.tensor()->encoding == whole.tensor()->encoding;
}

}  // namespace

/// Prints the types in a form that is shorter than a function type. Returns false if no such form
/// exists.
bool MlirPrinter::short_types(ir::OpId op, TypeForm form) {
  const auto type_of = [&](std::size_t operand) -> const ir::Type& {
    return module_.type(module_.operand(op, operand));
  };
  const bool has_one = module_.num_results(op) == 1;
  const ir::Type result = has_one ? module_.type(module_.result(op)) : ir::Type();
  switch (form) {
    case TypeForm::Same:
      if (!all_same(module_, op)) return false;
      break;
    case TypeForm::Complex:
      if (!has_one || !(type_of(0) == type_of(1)) || !is_real_part(type_of(0), result))
        return false;
      break;
    case TypeForm::Select:
      if (!has_one || !(type_of(1) == result) || !(type_of(2) == result)) return false;
      type(type_of(0));
      out_ += ", ";
      break;
    case TypeForm::Result:
    case TypeForm::OneSame:
    case TypeForm::Tuple:
      break;
    case TypeForm::Pair:
    case TypeForm::Operands:
      operand_types(op);
      return true;
    case TypeForm::One:
      type(type_of(0));
      return true;
    default:
      return false;
  }
  type(module_.type(module_.result(op)));
  return true;
}

void MlirPrinter::type_part(ir::OpId op, const OpForm& form) {
  const TypeForm types = form.types;
  const bool is_silent = types == TypeForm::None || types == TypeForm::Value ||
                         types == TypeForm::Value0 ||
                         (types == TypeForm::Operands && module_.num_operands(op) == 0);
  if (is_silent) return;
  out_ += " :";
  if (types == TypeForm::Close) {
    other_attributes(op, form);
    out_ += ' ';
    return operand_types(op);
  }
  out_ += ' ';
  if (types == TypeForm::Arrow || types == TypeForm::Arrows) {
    operand_types(op);
    out_ += types == TypeForm::Arrows ? " -> (" : " -> ";
    result_types(op);
    if (types == TypeForm::Arrows) out_ += ')';
  } else if (!short_types(op, types)) {
    op_function_type(op);
  }
}

}  // namespace shardy::text
