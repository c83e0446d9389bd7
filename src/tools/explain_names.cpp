#include "tools/explain_names.hpp"

#include <utility>

#include "shardy/ir/walk.hpp"

namespace shardy::tools {

using ir::OpId;
using ir::ValueId;

ExplainNames::ExplainNames(ir::Module module, text::WrittenNames written)
    : module_(std::move(module)), written_(std::move(written)) {
  for (const OpId op : ir::pre_order(module_)) {
    std::size_t number = 0;
    for (const ir::RegionId region : module_.regions(op)) region_numbers_[region] = number++;
  }
}

std::string ExplainNames::operator()(ValueId value) const {
  std::string name = written_.name(value);
  if (!name.empty()) return name;
  const ir::ValueOwner owner = module_.owner(value);
  const OpId op = owner.is_result() ? owner.op : module_.parent_op(owner.block);
  return (owner.is_result() ? "result " : "argument ") + std::to_string(owner.index) + " of " +
         std::string(module_.name(op)) + " at " + module_.location_text(op);
}

std::string ExplainNames::op_text(OpId op) const {
  const std::string first = module_.num_results(op) > 0 ? written_.name(module_.result(op)) : "";
  if (!first.empty()) return first.substr(0, first.rfind('#'));
  return std::string(module_.name(op)) + " at " + module_.location_text(op);
}

std::string ExplainNames::scope(ValueId value) const {
  const ir::ValueOwner owner = module_.owner(value);
  ir::BlockId block = owner.is_result() ? module_.parent_block(owner.op) : owner.block;
  std::vector<std::string> parts;  // from the inside
  while (block.valid()) {
    const ir::RegionId region = module_.parent_region(block);
    const OpId op = module_.parent_op(region);
    if (!op.valid()) break;
    if (module_.is(op, ir::OpKind::Func)) {
      parts.push_back("@" + std::string(module_.symbol_name(op)));
      break;
    }
    parts.push_back("/" + op_text(op) + "/" + std::to_string(region_numbers_.at(region)));
    block = module_.parent_block(op);
  }
  std::string scope;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) scope += *part;
  return scope;
}

std::vector<ExplainNames::Group> ExplainNames::find(std::string_view name) const {
  return written_.find(name);
}

OpId ExplainNames::op_around(ValueId value) const {
  const ir::ValueOwner owner = module_.owner(value);
  return owner.is_result() ? owner.op : module_.parent_op(owner.block);
}

std::string ExplainNames::function_of(ValueId value) const {
  const OpId function = ir::enclosing_function(module_, op_around(value));
  return function.valid() ? std::string(module_.symbol_name(function)) : std::string();
}

}  // namespace shardy::tools
