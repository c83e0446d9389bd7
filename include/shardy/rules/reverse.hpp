// Rule of reverse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shardy/rules/dim_list.hpp"
#include "shardy/rules/rule_builder.hpp"

namespace shardy::rules {

/// The reversed dims are permutation factors. Example: 4x6, dims [1]:
/// `([i, j])->([i, j]) {i=4, j=6} permutation={j}`. Spec: rules 8.21.
inline Result<OpShardingRule> reverse_rule(Shape shape, std::span<const int64_t> dims) {
  SHARDY_TRY(const std::vector<bool> is_reversed, dim_set(dims, shape.size(), "dimensions"));
  RuleBuilder builder({shape.size()}, {shape.size()});
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const FactorKind kind = is_reversed[dim] ? FactorKind::Permutation : FactorKind::PassThrough;
    builder.add_same(dim, {.size = shape[dim], .kind = kind});
  }
  return builder.build();
}

}  // namespace shardy::rules
