#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/propagation/detail/rows.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy::propagation {

/// A half-open range of entry indices.
struct EntryRange {
  std::size_t begin = 0;  // the first entry
  std::size_t end = 0;    // after the last entry
};

/// A sharding rule laid out for propagation: flat arrays instead of lists of lists.
///
/// An *entry* is one factor of one tensor. Entries are numbered by tensor (operands, then results),
/// in a tensor by dim, in a dim major to minor; a projection has one factor sharding per entry.
class RuleLayout {
 public:
  /// The layout of a rule, which need not outlive it.
  explicit RuleLayout(const OpShardingRule& rule);

  /// Returns the number in the rule.
  std::size_t num_factors() const { return factors_.size(); }
  /// Returns the number in the rule.
  std::size_t num_operands() const { return num_operands_; }
  /// Operands and results.
  std::size_t num_tensors() const { return first_dim_.empty() ? 0 : first_dim_.size() - 1; }
  /// Factors of all dims of all tensors.
  std::size_t num_entries() const { return entries_.size(); }

  /// Requires: factor < num_factors().
  int64_t factor_size(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factors_[factor].size;
  }
  /// Requires: factor < num_factors().
  FactorKind factor_kind(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factors_[factor].kind;
  }
  /// Requires: factor < num_factors().
  bool is_blocked(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factors_[factor].is_blocked;
  }

  /// Requires: tensor < num_tensors().
  std::size_t rank(std::size_t tensor) const {
    SHARDY_EXPECTS(tensor < num_tensors());
    return first_dim_[tensor + 1] - first_dim_[tensor];
  }
  /// Requires: entry < num_entries().
  std::size_t entry_factor(std::size_t entry) const {
    SHARDY_EXPECTS(entry < entries_.size());
    return entries_[entry].factor;
  }
  /// Requires: entry < num_entries().
  std::size_t entry_tensor(std::size_t entry) const {
    SHARDY_EXPECTS(entry < entries_.size());
    return entries_[entry].tensor;
  }
  /// The factors of one dim, major to minor. Requires: tensor < num_tensors(), dim < rank(tensor).
  EntryRange dim_entries(std::size_t tensor, std::size_t dim) const {
    SHARDY_EXPECTS(dim < rank(tensor));
    const std::size_t row = first_dim_[tensor] + dim;
    return {dim_begin_[row], dim_begin_[row + 1]};
  }
  /// All entries of a tensor. Requires: tensor < num_tensors().
  EntryRange tensor_entries(std::size_t tensor) const {
    SHARDY_EXPECTS(tensor < num_tensors());
    return {dim_begin_[first_dim_[tensor]], dim_begin_[first_dim_[tensor + 1]]};
  }
  /// The entries of `factor`, by tensor. Requires: factor < num_factors().
  std::span<const uint32_t> factor_entries(std::size_t factor) const {
    SHARDY_EXPECTS(factor < factors_.size());
    return factor_entries_[factor];
  }

 private:
  struct Factor {
    int64_t size = 1;
    FactorKind kind = FactorKind::PassThrough;
    bool is_blocked = false;
  };
  struct Entry {
    uint32_t factor = 0;
    uint32_t tensor = 0;
  };

  void add_tensor(const TensorMapping& mapping);

  std::size_t num_operands_ = 0;
  std::vector<Factor> factors_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> first_dim_ = {0};  // of each tensor, and the end
  std::vector<std::size_t> dim_begin_ = {0};  // first entry of each dim, and the end
  Rows<uint32_t> factor_entries_;
};

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
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
#endif  // SHARDY_BODIES
