#include "text/mlir_printer.hpp"

#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::text {

using ir::OpKind;

std::string MlirPrinter::print() {
  module_head();
  Frame top;
  top.generic = options_.generic;
  top.in_region = true;
  top.next = module_.first_op(module_.body());
  if (options_.generic && !top.next.valid()) out_ += "^bb0:\n";
  frames_.push_back(top);
  run();
  module_tail();
  return std::move(out_);
}

/// `module @m attributes {...} {`, or the generic form up to its region.
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
    Frame& frame = frames_.back();
    if (frame.in_region && frame.next.valid()) {
      const ir::OpId op = std::exchange(frame.next, module_.next(frame.next));
      start_op(op);
    } else if (!frame.op.valid()) {
      frames_.pop_back();  // the module
    } else {
      next_region(frame);
    }
  }
}

void MlirPrinter::indent() { out_.append(2 * frames_.size(), ' '); }

/// Continues after a block: with the next block, the next region, or the end of the op.
void MlirPrinter::next_region(Frame& frame) {
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
  const Frame done = frame;
  frames_.pop_back();
  after_regions(done);
  finish_line(done.op);
}

bool MlirPrinter::shows_header(const Frame& frame, ir::BlockId block) const {
  if (frame.block > 0) return true;
  if (!frame.block_headers) return false;
  return !module_.args(block).empty() || !module_.first_op(block).valid();
}

void MlirPrinter::open_block(const Frame& frame, ir::BlockId block) {
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
void MlirPrinter::before_region(const Frame& frame) {
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
void MlirPrinter::after_regions(const Frame& frame) {
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

/// With the aliases that the text names, which the end of the module defines.
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
  Frame frame;
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

}  // namespace shardy::text
