// Bodies of rule_layout.hpp.
#pragma once

#include <cstdint>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/propagation/detail/rows.hpp>
#include <shardy/propagation/rule_layout.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::propagation {

SHARDY_INLINE RuleLayout::RuleLayout(const OpShardingRule& rule)
    : num_operands_(rule.operands().size()) {
  for (int32_t factor = 0; factor < rule.num_factors(); ++factor) {
    factors_.push_back(
        {rule.factor_size(factor), rule.factor_kind(factor), rule.is_blocked(factor)});
  }
  for (const TensorMapping& mapping : rule.operands()) add_tensor(mapping);
  for (const TensorMapping& mapping : rule.results()) add_tensor(mapping);

  factor_entries_ = Rows<uint32_t>(factors_.size(), [&](auto visit) {
    for (uint32_t entry = 0; entry < entries_.size(); ++entry) {
      visit(entries_[entry].factor, entry);
    }
  });
}

SHARDY_INLINE void RuleLayout::add_tensor(const TensorMapping& mapping) {
  const auto tensor = static_cast<uint32_t>(num_tensors());
  for (const DimMapping& dim : mapping.dims) {
    for (const int32_t factor : dim) entries_.push_back({static_cast<uint32_t>(factor), tensor});
    dim_begin_.push_back(entries_.size());
  }
  first_dim_.push_back(first_dim_.back() + mapping.dims.size());
}

}  // namespace shardy::propagation
