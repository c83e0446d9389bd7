// Rules of slice, dynamic_slice and dynamic_update_slice.
#pragma once

#include <cstddef>
#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// Sizes of the operand; dims whose size changes are permutation factors, in a conservative rule
/// blocked ones.
///
/// Example: 16x30 -> 8x30: `([i, j])->([i, j]) {i=16, j=30} permutation={i}`. Spec: rules 8.24.
Result<OpShardingRule> slice_rule(Shape operand, Shape result, bool conservative = false);

/// Operands: the tensor and `num_starts` scalars. Sliced dims need replication and are blocked.
///
/// Example: 16x32 -> 16x4:
/// `([i, j], [], [])->([i, j]) {i=16, j=32} need_replication={j} blocked_propagation={j}`.
/// Spec: rules 8.13.
Result<OpShardingRule> dynamic_slice_rule(Shape operand, Shape result, std::size_t num_starts);

/// Options of a dynamic_update_slice.
struct DynamicUpdateSliceOptions {
  std::size_t num_starts = 0;  // scalars that say where the update goes
  /// True if every start index is a constant.
  bool has_constant_starts = false;
};

/// Operands: the tensor, the update and the start scalars. A dim that the update does not fill has
/// one factor for the tensor and the result, and one for the update, which needs replication unless
/// the start indices are constants.
///
/// Example: 16x32 updated by 16x4:
/// `([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4} need_replication={k}`. Spec: rules 8.14.
Result<OpShardingRule> dynamic_update_slice_rule(Shape operand, Shape update,
                                                 const DynamicUpdateSliceOptions& options);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/slice_inl.hpp>
#endif
