#include "text/mlir_printer.hpp"

#include <algorithm>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/dim_numbers.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::OpKind;

std::string MlirPrinter::print() {
  module_head();
  PrinterFrame top;
  top.generic = options_.generic;
  top.in_region = true;
  top.next = module_.first_op(module_.body());
  if (options_.generic && !top.next.valid()) out_ += "^bb0:\n";
  frames_.push_back(top);
  run();
  module_tail();
  return std::move(out_);
}

/// Prints `module @m attributes {...} {`, or the generic form up to its region.
void MlirPrinter::module_head() {
  ir::AttributeMap others = module_.module_attributes();
  if (options_.generic) {
    out_ += "\"builtin.module\"() ";
    if (const ir::Attribute* name = others.find(ir::attr::kSymName); name && options_.properties) {
      ir::AttributeMap properties;
      properties.set(ir::attr::kSymName, *name);
      out_ += '<';
      print_.braces(properties);
      out_ += "> ";
    }
    out_ += "({\n";
    return;
  }
  out_ += "module";
  if (const auto* name = others.get<std::string>(ir::attr::kSymName)) {
    out_ += " " + symbol_text(*name);
    others.erase(ir::attr::kSymName);
  }
  others.erase(kResourcesAttr);
  if (!others.empty()) out_ += " attributes";
  print_.dictionary(others);
  out_ += " {\n";
}

void MlirPrinter::module_tail() {
  ir::AttributeMap others = module_.module_attributes();
  if (options_.generic) {
    if (options_.properties) others.erase(ir::attr::kSymName);
    out_ += "})";
    print_.dictionary(others);
    out_ += " : () -> ()\n";
  } else {
    out_ += "}\n";
  }
  module_.location_aliases().append_definitions(out_, std::move(location_rows_));
  const auto* resources = others.get<ir::OpaqueAttr>(kResourcesAttr);
  if (resources) out_ += "\n" + resources->text + "\n";
}

void MlirPrinter::run() {
  while (!frames_.empty()) {
    PrinterFrame& frame = frames_.back();
    if (frame.in_region && frame.next.valid()) {
      const ir::OpId op = std::exchange(frame.next, module_.next(frame.next));
      start_op(op);
    } else if (!frame.op.valid()) {
      frames_.pop_back();  // pops the module
    } else {
      next_region(frame);
    }
  }
}

void MlirPrinter::indent() { out_.append(2 * frames_.size(), ' '); }

/// Continues after a block with the next block, the next region or the end of the op.
void MlirPrinter::next_region(PrinterFrame& frame) {
  const auto regions = module_.regions(frame.op);
  if (frame.in_region) {
    const auto blocks = module_.blocks(regions[frame.region]);
    if (++frame.block < blocks.size()) {
      open_block(frame, blocks[frame.block]);
      frame.next = module_.first_op(blocks[frame.block]);
      return;
    }
    out_.append(2 * (frames_.size() - 1), ' ');
    out_ += '}';
    frame.in_region = false;
    ++frame.region;
  }
  if (frame.region < regions.size()) {
    before_region(frame);
    out_ += "{\n";
    frame.in_region = true;
    frame.block = 0;
    const auto blocks = module_.blocks(regions[frame.region]);
    frame.next = ir::OpId();
    if (blocks.empty()) return;
    open_block(frame, blocks.front());
    frame.next = module_.first_op(blocks.front());
    return;
  }
  const PrinterFrame done = frame;
  frames_.pop_back();
  after_regions(done);
  finish_line(done.op);
}

bool MlirPrinter::shows_header(const PrinterFrame& frame, ir::BlockId block) const {
  if (frame.block > 0) return true;
  if (!frame.block_headers) return false;
  return !module_.args(block).empty() || !module_.first_op(block).valid();
}

void MlirPrinter::open_block(const PrinterFrame& frame, ir::BlockId block) {
  if (!shows_header(frame, block)) return;
  out_.append(2 * (frames_.size() - 1), ' ');
  out_ += "^bb" + std::to_string(frame.block);
  const auto args = module_.args(block);
  for (std::size_t index = 0; index < args.size(); ++index) {
    out_ += index == 0 ? "(" : ", ";
    argument(args[index]);
  }
  out_ += args.empty() ? ":\n" : "):\n";
}

/// Prints the text before the `{` of a region.
void MlirPrinter::before_region(const PrinterFrame& frame) {
  const Syntax special =
      frame.generic ? Syntax::GenericOnly : ir::definition_of(module_.kind(frame.op)).syntax;
  const bool is_first = frame.region == 0;
  switch (special) {
    case Syntax::GenericOnly:
    case Syntax::Composite:
      out_ += is_first ? " (" : ", ";
      break;
    case Syntax::While:
      if (is_first) {
        out_ += '\n';
        out_.append(2 * (frames_.size() - 1), ' ');
        out_ += "cond ";
      } else {
        out_ += " do ";
      }
      break;
    case Syntax::Reduce:
      reducer_head(frame.op);
      break;
    default:
      out_ += ' ';
  }
}

/// Prints the text after the last region.
void MlirPrinter::after_regions(const PrinterFrame& frame) {
  if (frame.generic) {
    out_ += ')';
    return generic_tail(frame.op);
  }
  const OpForm& form = form_of(module_.kind(frame.op));
  switch (form.op->syntax) {
    case Syntax::Composite:
      out_ += ')';
      [[fallthrough]];
    case Syntax::NamedComputation:
    case Syntax::ManualComputation:
      if (form.op->syntax != Syntax::Composite) {
        ir::AttributeMap rest = module_.attributes(frame.op);
        for (const AttributeDefinition& row : form.op->attributes) rest.erase(row.name);
        print_.dictionary(rest);
      } else {
        other_attributes(frame.op, form);
      }
      [[fallthrough]];
    case Syntax::Scan:
      out_ += " : ";
      op_function_type(frame.op);
      break;
    default:
      break;
  }
}

void MlirPrinter::finish_line(ir::OpId op) {
  if (options_.locations) location(op);
  out_ += '\n';
}

/// Prints a location and records its aliases, which are defined at the end of the module.
void MlirPrinter::location(ir::OpId op) {
  const std::string text = module_.written_location(module_.location(op));
  const ir::LocationAliases& aliases = module_.location_aliases();
  if (!text.starts_with("loc(") || !aliases.undefined_in(text).empty()) return;
  out_.append(" ").append(text);
  const std::vector<uint32_t> rows = aliases.rows_in(text);
  location_rows_.insert(location_rows_.end(), rows.begin(), rows.end());
}

void MlirPrinter::start_op(ir::OpId op) {
  indent();
  results(op);
  PrinterFrame frame;
  frame.op = op;
  frame.generic = prints_generic(op);
  bool has_regions = !module_.regions(op).empty();
  if (frame.generic) {
    generic_head(op);
    frame.block_headers = true;
    if (!has_regions) generic_tail(op);
  } else {
    const OpForm& form = form_of(module_.kind(op));
    std::string_view name = module_.name(op);
    const ir::OpId parent = module_.parent_op(op);
    const bool in_function = parent.valid() && module_.is(parent, OpKind::Func);
    const bool is_func = ir::dialect_of(module_.kind(op)) == ir::Dialect::Func;
    if (in_function && is_func) name.remove_prefix(5);
    if (module_.is(op, OpKind::BuiltinModule)) name.remove_prefix(8);
    out_ += name;
    frame.block_headers = form.op->syntax == Syntax::Scan || form.op->syntax == Syntax::Composite;
    special(op, form);
    if (module_.is(op, OpKind::Func) && module_.is_external(op)) has_regions = false;
    if (form.op->syntax == Syntax::Reduce && is_short_reduce(op)) has_regions = false;
  }
  if (has_regions) {
    frames_.push_back(frame);
  } else {
    finish_line(op);
  }
}

// Custom forms that no table row describes. Spec: stablehlo 7, 10, 12; dialect 1.1, 3.7, 3.8.

/// Prints an op up to its regions.
void MlirPrinter::special(ir::OpId op, const OpForm& form_row) {
  switch (form_row.op->syntax) {
    case Syntax::Module: {
      ir::AttributeMap rest = module_.attributes(op);
      if (const auto* name = rest.get<std::string>(ir::attr::kSymName)) {
        out_ += " " + symbol_text(*name);
        rest.erase(ir::attr::kSymName);
      }
      if (!rest.empty()) out_ += " attributes";
      return print_.dictionary(rest);
    }
    case Syntax::Func:
      return function_head(op);
    case Syntax::SdyMesh: {
      ir::AttributeMap rest = module_.attributes(op);
      rest.erase(ir::attr::kSymName);
      rest.erase(ir::attr::kMesh);
      out_ += " " + symbol_text(module_.symbol_name(op)) + " = ";
      print_.bare(*module_.attributes(op).find(ir::attr::kMesh),
                  *form_row.op->find_attribute(ir::attr::kMesh));
      return print_.dictionary(rest);
    }
    case Syntax::Reduce:
      return reduce_head(op);
    case Syntax::While:
      return while_head(op);
    case Syntax::Convolution:
      return convolution(op, form_row);
    case Syntax::Composite:
      out_ += " " + in_quotes(*module_.attribute<std::string>(op, ir::attr::kName));
      if (module_.num_operands(op) > 0) out_ += ' ';
      operand_names(op, 0, module_.num_operands(op));
      if (!module_.regions(op).empty()) return;
      other_attributes(op, form_row);
      out_ += " : ";
      return op_function_type(op);
    case Syntax::OptimizationBarrier:
      other_attributes(op, form_row);
      if (module_.num_operands(op) == 0) {
        out_ += "()";
        return;
      }
      out_ += ' ';
      operand_names(op, 0, module_.num_operands(op));
      out_ += " : ";
      return operand_types(op);
    case Syntax::Constant:
      return constant(op, form_row);
    case Syntax::NamedComputation:
    case Syntax::ManualComputation:
      return computation_head(op);
    case Syntax::Scan:
      return scan_head(op);
    default:
      return form(op, form_row);
  }
}

// ---- Functions ---------------------------------------------------------------------------------

void MlirPrinter::function_value(const ir::Type& type, const std::vector<ir::AttributeMap>& all,
                                 std::size_t index) {
  this->type(type);
  if (index < all.size()) print_.dictionary(all[index]);
}

void MlirPrinter::function_head(ir::OpId op) {
  const ir::FunctionData& function = module_.function(op);
  ir::AttributeMap rest = module_.attributes(op);
  out_ += ' ';
  if (const auto* visibility = rest.get<std::string>("sym_visibility")) out_ += *visibility + " ";
  rest.erase("sym_visibility");
  rest.erase(ir::attr::kSymName);
  out_ += symbol_text(module_.symbol_name(op));
  const std::vector<ir::Type> args = module_.arg_types(op);
  for (std::size_t index = 0; index < args.size(); ++index) {
    out_ += index == 0 ? "(" : ", ";
    if (!module_.is_external(op)) {
      value(module_.args(module_.entry(op))[index]);
      out_ += ": ";
    }
    function_value(args[index], function.arg_attributes, index);
  }
  out_ += args.empty() ? "()" : ")";
  const std::vector<ir::Type>& results = function.result_types;
  if (!results.empty()) {
    const auto& attributes = function.result_attributes;
    const bool bare = results.size() == 1 && (attributes.empty() || attributes.front().empty()) &&
                      results.front().as<ir::FunctionType>() == nullptr;
    out_ += bare ? " -> " : " -> (";
    for (std::size_t index = 0; index < results.size(); ++index) {
      if (index > 0) out_ += ", ";
      function_value(results[index], attributes, index);
    }
    if (!bare) out_ += ')';
  }
  if (!rest.empty()) out_ += " attributes";
  print_.dictionary(rest);
}

// ---- Constants and convolutions ----------------------------------------------------------------

/// Returns whether the attribute `value`, even if it is kept as text, shows the type.
bool MlirPrinter::value_has_type(ir::OpId op, const ir::Type& type) const {
  if (const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue)) {
    return literal->type() == type;
  }
  const auto* opaque = module_.attribute<ir::OpaqueAttr>(op, ir::attr::kValue);
  return !opaque || opaque->text.ends_with(" : " + to_string(type));
}

void MlirPrinter::constant(ir::OpId op, const OpForm& form_row) {
  if (value_has_type(op, module_.type(module_.result(op)))) return form(op, form_row);
  out_ += "()";
  properties(op);
  generic_tail(op);
}

/// Prints `[2, 1]`, `[[0, 1], [2, 0]]` or `[false, true]`.
void MlirPrinter::window_values(const Attribute& attribute) {
  if (const auto* array = attribute.as<ir::DenseArrayAttr>()) {
    if (array->element == ir::ElementType::I64) {
      print_.integers(array->values);
      return;
    }
    for (std::size_t index = 0; index < array->values.size(); ++index) {
      out_ += index == 0 ? "[" : ", ";
      out_ += array->values[index] != 0 ? "true" : "false";
    }
    out_ += array->values.empty() ? "[]" : "]";
  } else if (const auto* literal = attribute.as<ir::Literal>()) {
    out_ += '[';
    for (int64_t index = 0; index + 1 < literal->num_elements(); index += 2) {
      if (index > 0) out_ += ", ";
      print_.integers({literal->at<int64_t>(index), literal->at<int64_t>(index + 1)});
    }
    out_ += ']';
  }
}

void MlirPrinter::convolution(ir::OpId op, const OpForm& form_row) {
  out_ += '(';
  operand_names(op, 0, module_.num_operands(op));
  out_ += ") dim_numbers = ";
  print_.convolution_dims(*module_.attribute<ir::ConvolutionDims>(op, ir::attr::kDimensionNumbers));
  out_ += ", window = {";
  bool is_first = true;
  ir::AttributeMap rest = module_.attributes(op);
  rest.erase(ir::attr::kDimensionNumbers);
  for (const WindowField& field : kWindowFields) {
    const Attribute* attribute = module_.attributes(op).find(field.name);
    if (!attribute) continue;
    rest.erase(field.name);
    if (!is_first) out_ += ", ";
    is_first = false;
    out_.append(field.word).append(" = ");
    window_values(*attribute);
  }
  out_ += '}';
  static_cast<void>(form_row);
  print_.dictionary(rest);
  out_ += " : ";
  op_function_type(op);
}

// ---- Reductions --------------------------------------------------------------------------------

ir::OpId applied_op(const ir::Module& module, ir::OpId reduce) {
  const ir::BlockId body = module.block(reduce);
  const ir::OpId inner = module.first_op(body);
  const ir::OpId last = module.last_op(body);
  const auto args = module.args(body);
  const bool has_shape = inner.valid() && module.next(inner) == last && last != inner &&
                         module.num_operands(last) == 1 && module.num_operands(inner) == 2 &&
                         module.num_results(inner) == 1 && args.size() == 2 &&
                         module.regions(inner).empty();
  if (!has_shape || module.kind(inner) == OpKind::Unknown) return {};
  if (!module.has_trait(inner, ir::kCommutative)) return {};
  const ir::Type& type = module.type(module.result(inner));
  const bool is_scalar_of_input = scalar_type_of(module.type(module.operand(reduce, 0))) == type;
  const bool same_types = module.type(args[0]) == type && module.type(args[1]) == type;
  const bool in_order = module.operand(inner, 0) == args[0] && module.operand(inner, 1) == args[1];
  if (!is_scalar_of_input || !same_types || !in_order) return {};
  return module.operand(last, 0) == module.result(inner) ? inner : ir::OpId();
}

bool MlirPrinter::is_short_reduce(ir::OpId op) const { return applied_op(module_, op).valid(); }

/// Prints `(%0 init: %c), (..) applies stablehlo.add across dimensions = [1] {..} : FUNC`.
void MlirPrinter::reduce_head(ir::OpId op) {
  const std::size_t inputs = module_.num_operands(op) / 2;
  for (std::size_t index = 0; index < inputs; ++index) {
    out_ += index == 0 ? "(" : ", (";
    value(module_.operand(op, index));
    out_ += " init: ";
    value(module_.operand(op, inputs + index));
    out_ += ')';
  }
  const ir::OpId inner = applied_op(module_, op);
  if (inner.valid()) out_.append(" applies ").append(module_.name(inner));
  out_ += " across dimensions = ";
  const AttributeDefinition* row =
      ir::definition_of(OpKind::Reduce).find_attribute(ir::attr::kDimensions);
  print_.bare(*module_.attributes(op).find(ir::attr::kDimensions), *row);
  print_.dictionary(module_.attributes(op), [](const ir::NamedAttribute& entry) {
    return entry.name != ir::attr::kDimensions;
  });
  out_ += " : ";
  op_function_type(op);
}

/// Prints a separate line: ` reducer(%a: T, %c: T) (%b: U, %d: U)  {`.
void MlirPrinter::reducer_head(ir::OpId op) {
  out_ += '\n';
  out_.append(2 * (frames_.size() - 1), ' ');
  out_ += " reducer";
  const auto args = module_.args(module_.block(op));
  const std::size_t count = args.size() / 2;
  for (std::size_t index = 0; index < count; ++index) {
    out_ += '(';
    argument(args[index]);
    out_ += ", ";
    argument(args[count + index]);
    out_ += ") ";
  }
  out_ += ' ';
}

// ---- Loops and computations --------------------------------------------------------------------

void MlirPrinter::while_head(ir::OpId op) {
  const auto args = module_.args(module_.block(op));
  out_ += '(';
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (index > 0) out_ += ", ";
    value(args[index]);
    out_ += " = ";
    value(module_.operand(op, index));
  }
  out_ += ')';
  if (!args.empty()) {
    out_ += " : ";
    operand_types(op);
  }
  if (!module_.attributes(op).empty()) out_ += " attributes";
  print_.dictionary(module_.attributes(op));
}

void MlirPrinter::computation_head(ir::OpId op) {
  const OpForm& form_row = form_of(module_.kind(op));
  if (const auto* name = module_.attribute<std::string>(op, ir::attr::kName);
      name && module_.is(op, OpKind::SdyNamedComputation)) {
    out_ += "<" + in_quotes(*name) + ">";
  }
  out_ += '(';
  operand_names(op, 0, module_.num_operands(op));
  out_ += ')';
  for (const std::string_view name :
       {ir::attr::kInShardings, ir::attr::kOutShardings, ir::attr::kManualAxes}) {
    const AttributeDefinition* row = form_row.op->find_attribute(name);
    const Attribute* attribute = module_.attributes(op).find(name);
    if (!row || !attribute) continue;
    out_.append(" ").append(name) += '=';
    print_.bare(*attribute, *row);
  }
  out_ += " (";
  const auto args = module_.args(module_.block(op));
  for (std::size_t index = 0; index < args.size(); ++index) {
    if (index > 0) out_ += ", ";
    argument(args[index]);
  }
  out_ += ')';
}

void MlirPrinter::scan_head(ir::OpId op) {
  const auto* segments = module_.attribute<ir::DenseArrayAttr>(op, "operandSegmentSizes");
  const std::size_t inputs = segments && !segments->values.empty() && segments->values[0] >= 0
                                 ? static_cast<std::size_t>(segments->values[0])
                                 : module_.num_operands(op);
  const std::size_t count = std::min(inputs, module_.num_operands(op));
  out_ += '(';
  operand_names(op, 0, count);
  out_ += ") inits (";
  operand_names(op, count, module_.num_operands(op));
  out_ += ')';
  ir::AttributeMap rest = module_.attributes(op);
  if (const auto* dimension = rest.get<ir::IntegerAttr>(ir::attr::kDimension)) {
    out_ += " dimension=" + std::to_string(dimension->value);
  }
  rest.erase(ir::attr::kDimension);
  rest.erase("operandSegmentSizes");
  if (!rest.empty()) out_ += " attributes";
  print_.dictionary(rest);
}

}  // namespace shardy::text
