// The generic form of ops, of newer and of older text. Spec: stablehlo 6, 11, 13.1.
#include <algorithm>
#include <array>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/support/quote.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

using ir::OpKind;

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

/// `array<i64: 1, 2>` as the `dense<[1, 2]> : tensor<2xi64>` of older text.
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

/// `"op"(%a, %b)[^bb1] <{...}>`.
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

/// ` <{...}>`.
void MlirPrinter::properties(ir::OpId op) {
  const ir::AttributeMap properties = split_attributes(op).inherent;
  if (properties.empty()) return;
  out_ += " <";
  print_.braces(properties);
  out_ += '>';
}

/// ` {...} : (T) -> U`.
void MlirPrinter::generic_tail(ir::OpId op) {
  print_.dictionary(split_attributes(op).others);
  out_ += " : ";
  op_function_type(op);
}

/// With those that the custom form of a function has in its signature.
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

/// Splits the attributes of an op into those in `<{...}>` and those in `{...}`. Older text has only
/// the latter: there, the properties of an unknown op are one attribute.
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

}  // namespace shardy::text
