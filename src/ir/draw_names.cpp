#include "ir/draw_names.hpp"

#include <algorithm>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::ir {

namespace {

bool is_call(const Module& module, OpId op) {
  return module.is(op, OpKind::FuncCall) || module.is(op, OpKind::Composite);
}

std::vector<OpId> draws(const Module& module) {
  std::vector<OpId> ops = pre_order(module);
  std::erase_if(ops, [&](OpId op) { return !module.is(op, OpKind::Rng); });
  return ops;
}

}  // namespace

DrawNames::DrawNames(const Module& module) {
  if (draws(module).empty()) return;
  for (const OpId function : module.functions()) {
    if (module.is_external(function)) continue;
    std::size_t number = 0;
    for (const OpId op : pre_order(module, module.entry(function))) {
      if (!module.is(op, OpKind::Rng) && !is_call(module, op)) continue;
      const auto* name = module.attribute<std::string>(op, kDrawAttr);
      names_[op] = name != nullptr
                       ? *name
                       : std::string(module.symbol_name(function)) + ":" + std::to_string(number);
      ++number;
    }
  }
}

void name_draws(Module& module) {
  for (const auto& [op, name] : DrawNames(module).names_) {
    module.attributes(op).set(std::string(kDrawAttr), name);
  }
}

bool has_unnamed_draws(const Module& module) {
  return std::ranges::any_of(draws(module), [&](OpId op) {
    return module.attribute<std::string>(op, kDrawAttr) == nullptr;
  });
}

}  // namespace shardy::ir
