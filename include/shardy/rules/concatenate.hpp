// Rule of concatenate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>

namespace shardy::rules {

/// Dims of a concatenate.
struct ConcatenateOptions {
  int64_t dim = 0;               // along which operands follow each other
  std::size_t num_operands = 1;  // >= 1
  /// The operands are pieces that slices cut out: the dim moves data instead of needing
  /// replication.
  bool joins_slices = false;
  /// No factor for the concatenated dim.
  bool conservative = false;
};

/// Sizes of the result. Example: 4x3, 4x5 -> 4x8 along 1:
/// `([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}`; conservative:
/// `([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}`. Spec: rules 8.8.
Result<OpShardingRule> concatenate_rule(Shape result, const ConcatenateOptions& options);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/concatenate_inl.hpp>
#endif
