// Walks over all ops of a module, without recursion.
#pragma once

#include <cstddef>
#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy::ir {

namespace detail {

/// The progress of a walk through the regions of one op.
struct WalkedRegions {
  OpId op;
  std::size_t region = 0;
  std::size_t block = 0;

  /// Returns the first op of the next block that is not empty; invalid after the last block.
  OpId next_block(const Module& module) {
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
};

/// Visits the ops of `block` and of their regions, in order. Calls `before` before an op's regions
/// and `after` after them. Follows each link between ops once and forward, because in large modules
/// reading the links takes most of the time.
template <class Enters, class Before, class After>
void walk(const Module& module, BlockId block, const Enters& enters, const Before& before,
          const After& after) {
  std::vector<WalkedRegions> open;
  OpId op = module.first_op(block);
  while (op.valid() || !open.empty()) {
    if (!op.valid()) {
      op = open.back().next_block(module);
      if (op.valid()) continue;
      op = open.back().op;
      open.pop_back();
    } else {
      before(op);
      if (!module.regions(op).empty() && enters(op)) {
        open.push_back({op});
        op = OpId();
        continue;
      }
    }
    after(op);
    op = module.next(op);
  }
}

}  // namespace detail

/// Returns the ops of `block` and its regions in pre-order: an op precedes the ops of its regions.
/// Skips the regions of ops for which `enters` returns false.
template <class Enters>
std::vector<OpId> pre_order(const Module& module, BlockId block, const Enters& enters) {
  std::vector<OpId> order;
  detail::walk(
      module, block, enters, [&](OpId op) { order.push_back(op); }, [](OpId) {});
  return order;
}

/// Returns the ops of `block` and its regions in pre-order: an op precedes the ops of its regions.
std::vector<OpId> pre_order(const Module& module, BlockId block);

/// Returns all ops of the module in the order of the text.
inline std::vector<OpId> pre_order(const Module& module) {
  return pre_order(module, module.body());
}

/// Returns the ops of `block` and its regions in post-order: the ops of an op's regions precede the
/// op. Skips the regions of ops for which `enters` returns false.
template <class Enters>
std::vector<OpId> post_order(const Module& module, BlockId block, const Enters& enters) {
  std::vector<OpId> order;
  detail::walk(
      module, block, enters, [](OpId) {}, [&](OpId op) { order.push_back(op); });
  return order;
}

/// Returns the ops of `block` and its regions in post-order: the ops of an op's regions precede the
/// op.
std::vector<OpId> post_order(const Module& module, BlockId block);

/// Returns all ops of the module in post-order: the ops of an op's regions precede the op.
inline std::vector<OpId> post_order(const Module& module) {
  return post_order(module, module.body());
}

/// Returns the function that contains an op; invalid at top level.
inline OpId enclosing_function(const Module& module, OpId op) {
  while (op.valid() && !module.is(op, OpKind::Func)) op = module.parent_op(op);
  return op;
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
namespace shardy::ir {

SHARDY_INLINE std::vector<OpId> pre_order(const Module& module, BlockId block) {
  return pre_order(module, block, [](OpId) { return true; });
}

SHARDY_INLINE std::vector<OpId> post_order(const Module& module, BlockId block) {
  return post_order(module, block, [](OpId) { return true; });
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
