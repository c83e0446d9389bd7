#include "passes/common/pure_ops.hpp"

#include <algorithm>

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

bool has_unchanged_shape(const Module& module, OpId op) {
  const ir::Type& from = module.type(module.operand(op, 0));
  const ir::Type& to = module.type(module.result(op));
  return from.is_tensor() && to.is_tensor() && std::ranges::equal(from.dims(), to.dims());
}

bool is_static(const ir::Type& type) { return !type.is_tensor() || type.is_static_tensor(); }

}  // namespace

bool is_elementwise(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::UniformQuantize:
    case OpKind::UniformDequantize:
    case OpKind::SdyPropagationBarrier:
    case OpKind::SdyReshard:
    case OpKind::SdyShardingConstraint:
      return true;
    case OpKind::BitcastConvert:
      return has_unchanged_shape(module, op);
    default:
      return module.has_trait(op, ir::kElementwise);
  }
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
