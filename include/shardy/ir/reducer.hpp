// Regions that combine two scalars: which of the common reductions they are.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <shardy/ir/module.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/ir/detail/reducer_inl.hpp>
#endif
