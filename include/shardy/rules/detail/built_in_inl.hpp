// Bodies of built_in.hpp.
#pragma once

#include <algorithm>
#include <shardy/ir/op_table.hpp>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/inline.hpp>
#include <string_view>

namespace shardy::rules {

SHARDY_INLINE bool has_no_rule_by_design(ir::OpKind kind, std::string_view name) {
  if (std::ranges::find(kNamesWithoutRule, name) != std::end(kNamesWithoutRule)) return true;
  if (kind == ir::OpKind::Unknown) return false;
  return ir::has_trait(kind, ir::kDataFlow) || ir::has_trait(kind, ir::kTerminator) ||
         std::ranges::find(kOpsWithoutRule, kind) != std::end(kOpsWithoutRule);
}

SHARDY_INLINE bool is_elementwise(const OpView& op) {
  switch (op.kind()) {
    case ir::OpKind::SdyPropagationBarrier:
    case ir::OpKind::SdyShardingConstraint:
    case ir::OpKind::SdyReshard:
    case ir::OpKind::UniformDequantize:
    case ir::OpKind::UniformQuantize:
      return true;
    case ir::OpKind::BitcastConvert:
      return op.num_operands() == 1 && op.num_results() == 1 &&
             std::ranges::equal(op.operand_shape(0), op.result_shape());
    default:
      return ir::has_trait(op.kind(), ir::kElementwise);
  }
}

}  // namespace shardy::rules
