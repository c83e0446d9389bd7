// Regions that combine two scalars: which of the common reductions they are.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy::ir {

/// The ops that a recognized reducer may consist of. Spec: partitioning 5.8.
inline constexpr std::array kReducers = {OpKind::Add,     OpKind::Multiply, OpKind::Maximum,
                                         OpKind::Minimum, OpKind::And,      OpKind::Or,
                                         OpKind::Xor};

namespace detail {

/// The op is a reducer and combines exactly these two values, in either order.
bool combines(const Module& module, OpId op, ValueId lhs, ValueId rhs);

}  // namespace detail

/// The combiners of the only region of `op`, one per operand that is reduced: result i must combine
/// arguments i and i + num_operands and nothing else. Nullopt when the region does anything more.
/// Spec: partitioning 5.8.
std::optional<std::vector<OpKind>> recognized_reducers(const Module& module, OpId op,
                                                       std::size_t num_operands);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>

namespace shardy::ir::detail {

SHARDY_INLINE bool combines(const Module& module, OpId op, ValueId lhs, ValueId rhs) {
  if (std::ranges::find(kReducers, module.kind(op)) == kReducers.end()) return false;
  if (module.num_operands(op) != 2) return false;
  const ValueId first = module.operand(op, 0);
  const ValueId second = module.operand(op, 1);
  return (first == lhs && second == rhs) || (first == rhs && second == lhs);
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE std::optional<std::vector<OpKind>> recognized_reducers(const Module& module, OpId op,
                                                                     std::size_t num_operands) {
  if (module.regions(op).size() != 1 || module.blocks(module.regions(op)[0]).size() != 1) {
    return std::nullopt;
  }
  const BlockId body = module.block(op);
  const OpId terminator = module.last_op(body);
  if (!terminator.valid() || module.num_operands(terminator) != num_operands ||
      module.args(body).size() != 2 * num_operands) {
    return std::nullopt;
  }
  std::vector<OpKind> kinds;
  for (std::size_t index = 0; index < num_operands; ++index) {
    const OpId combine = module.defining_op(module.operand(terminator, index));
    if (!combine.valid() || !detail::combines(module, combine, module.args(body)[index],
                                              module.args(body)[num_operands + index])) {
      return std::nullopt;
    }
    kinds.push_back(module.kind(combine));
  }
  return kinds;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
