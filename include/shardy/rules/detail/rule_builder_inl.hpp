// Bodies of rule_builder.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE RuleBuilder::RuleBuilder(std::span<const std::size_t> operand_ranks,
                                       std::span<const std::size_t> result_ranks) {
  const auto map_none = [&](std::span<const std::size_t> ranks, std::vector<TensorMapping>& to) {
    for (const std::size_t rank : ranks) {
      if (rank > kMaxRank) refuse(too_many_dims());
      to.push_back(TensorMapping{std::vector<DimMapping>(std::min(rank, kMaxRank))});
    }
  };
  map_none(operand_ranks, parts_.operand_mappings);
  map_none(result_ranks, parts_.result_mappings);
}

SHARDY_INLINE int32_t RuleBuilder::reserve(const Factor& factor) {
  const auto index = static_cast<int32_t>(parts_.factor_sizes.size());
  parts_.factor_sizes.push_back(factor.size);
  if (factor.kind == FactorKind::Reduction) parts_.reduction.push_back(index);
  if (factor.kind == FactorKind::NeedReplication) parts_.need_replication.push_back(index);
  if (factor.kind == FactorKind::Permutation) parts_.permutation.push_back(index);
  if (factor.is_blocked) parts_.blocked.push_back(index);
  return index;
}

SHARDY_INLINE void RuleBuilder::append(TensorMapping& tensor, int64_t dim, int32_t factor) {
  if (dim < 0 || static_cast<std::size_t>(dim) >= tensor.dims.size()) {
    refuse("sharding rule: no dim " + std::to_string(dim) + " in a tensor of rank " +
           std::to_string(tensor.dims.size()));
    return;
  }
  tensor.dims[static_cast<std::size_t>(dim)].push_back(factor);
}

SHARDY_INLINE void RuleBuilder::add(const MappedDims& operand_dims, const MappedDims& result_dims,
                                    const Factor& factor) {
  SHARDY_EXPECTS(operand_dims.size() == parts_.operand_mappings.size());
  SHARDY_EXPECTS(result_dims.size() == parts_.result_mappings.size());
  const int32_t index = reserve(factor);
  const auto map_all = [&](std::vector<TensorMapping>& tensors, const MappedDims& dims) {
    for (std::size_t tensor = 0; tensor < dims.size(); ++tensor) {
      const std::optional<int64_t> dim = dims[tensor];
      if (!dim) continue;
      std::vector<DimMapping>& mapped = tensors[tensor].dims;
      const bool is_known = *dim >= 0 && static_cast<std::size_t>(*dim) < mapped.size();
      const bool is_taken = is_known && !mapped[static_cast<std::size_t>(*dim)].empty();
      if (factor.size != 1 || !is_taken) append(tensors[tensor], *dim, index);
    }
  };
  map_all(parts_.operand_mappings, operand_dims);
  map_all(parts_.result_mappings, result_dims);
}

SHARDY_INLINE void RuleBuilder::add_mismatched(Shape from, Shape to, FactorKind kind,
                                               bool is_blocked) {
  if (from.size() != to.size()) {
    refuse("sharding rule: ranks must match: " + std::to_string(from.size()) +
           " != " + std::to_string(to.size()));
    return;
  }
  for (std::size_t dim = 0; dim < from.size(); ++dim) {
    Factor factor{.size = from[dim]};
    if (from[dim] != to[dim]) {
      factor.kind = kind;
      factor.is_blocked = is_blocked;
    }
    add_same(dim, factor);
  }
}

SHARDY_INLINE Result<OpShardingRule> RuleBuilder::build() const {
  if (error_) return tl::unexpected<Error>(*error_);
  OpShardingRule::Parts parts = parts_;
  const auto fill = [&](std::vector<TensorMapping>& tensors) {
    for (TensorMapping& tensor : tensors) {
      for (DimMapping& dim : tensor.dims) {
        if (!dim.empty()) continue;
        dim.push_back(static_cast<int32_t>(parts.factor_sizes.size()));
        parts.factor_sizes.push_back(1);
      }
    }
  };
  fill(parts.operand_mappings);
  fill(parts.result_mappings);
  return OpShardingRule::make(std::move(parts));
}

}  // namespace shardy::rules
