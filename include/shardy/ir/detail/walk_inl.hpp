// Bodies of walk.hpp.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/support/inline.hpp>
#include <vector>

namespace shardy::ir::detail {

SHARDY_INLINE OpId WalkedRegions::next_block(const Module& module) {
  const auto regions = module.regions(op);
  for (; region < regions.size(); ++region, block = 0) {
    const auto blocks = module.blocks(regions[region]);
    while (block < blocks.size()) {
      const OpId first = module.first_op(blocks[block++]);
      if (first.valid()) return first;
    }
  }
  return OpId();
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::vector<OpId> pre_order(const Module& module, BlockId block) {
  return pre_order(module, block, [](OpId) { return true; });
}

SHARDY_INLINE std::vector<OpId> post_order(const Module& module, BlockId block) {
  return post_order(module, block, [](OpId) { return true; });
}

}  // namespace shardy::ir
