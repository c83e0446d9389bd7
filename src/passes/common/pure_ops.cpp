#include "passes/common/pure_ops.hpp"

#include "shardy/rules/built_in.hpp"
#include "shardy/rules/op_view.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

bool is_static(const ir::Type& type) { return !type.is_tensor() || type.is_static_tensor(); }

}  // namespace

bool is_elementwise(const Module& module, OpId op) {
  return rules::is_elementwise(rules::OpView(module, op));
}

bool is_pure_static(const Module& module, OpId op) {
  if (!module.has_trait(op, ir::kPure)) return false;
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    if (!is_static(module.type(module.operand(op, index)))) return false;
  }
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    if (!is_static(module.type(module.result(op, index)))) return false;
  }
  return true;
}

bool has_element_regions(const Module& module, OpId op) {
  const bool is_flow = module.has_trait(op, ir::kDataFlow) || module.is(op, OpKind::If);
  return module.has_trait(op, ir::kPure) && !is_flow;
}

bool keeps_constants(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::Slice:
      return true;
    default:
      return is_elementwise(module, op);
  }
}

}  // namespace shardy::passes
