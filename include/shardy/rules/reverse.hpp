// Rule of reverse.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>

namespace shardy::rules {

/// The reversed dims are permutation factors. Example: 4x6, dims [1]:
/// `([i, j])->([i, j]) {i=4, j=6} permutation={j}`. Spec: rules 8.21.
Result<OpShardingRule> reverse_rule(Shape shape, std::span<const int64_t> dims);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> reverse_rule(Shape shape, std::span<const int64_t> dims) {
  SHARDY_TRY(const std::vector<bool> is_reversed,
             dim_set(dims, shape.size(), ir::attr::kDimensions));
  RuleBuilder builder({shape.size()}, {shape.size()});
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const FactorKind kind = is_reversed[dim] ? FactorKind::Permutation : FactorKind::PassThrough;
    builder.add_same(dim, {.size = shape[dim], .kind = kind});
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
