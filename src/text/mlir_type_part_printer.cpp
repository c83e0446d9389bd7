// The types after custom forms. Spec: stablehlo 9, 12.
#include <algorithm>

#include "text/mlir_printer.hpp"

namespace shardy::text {

using ir::ElementType;

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

/// A spelling shorter than the function type; false if there is none.
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
      print_.type(type_of(0));
      out_ += ", ";
      break;
    case TypeForm::Result:
    case TypeForm::OneSame:
    case TypeForm::Tuple:
      break;
    case TypeForm::Pair:
    case TypeForm::Operands:
      print_.types(operand_types(op));
      return true;
    case TypeForm::One:
      print_.type(type_of(0));
      return true;
    default:
      return false;
  }
  print_.type(result);
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
    return print_.types(operand_types(op));
  }
  out_ += ' ';
  if (types == TypeForm::Arrow || types == TypeForm::Arrows) {
    print_.types(operand_types(op));
    out_ += types == TypeForm::Arrows ? " -> (" : " -> ";
    print_.types(result_types(op));
    if (types == TypeForm::Arrows) out_ += ')';
  } else if (!short_types(op, types)) {
    op_function_type(op);
  }
}

}  // namespace shardy::text
