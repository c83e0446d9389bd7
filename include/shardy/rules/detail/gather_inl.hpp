// Bodies of gather.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <shardy/rules/detail/dim_list.hpp>
#include <shardy/rules/gather.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy::rules::detail {

SHARDY_INLINE bool holds(std::span<const int64_t> list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

SHARDY_INLINE Result<OpShardingRule> GatherFactoring::run() {
  SHARDY_TRY_STATUS(verify());
  for (std::size_t dim = 0; dim < slices_.size(); ++dim) {
    if (!holds(dims_.window_dims, dim)) {
      add_batch(static_cast<int64_t>(dim));
      continue;
    }
    while (next_input_ < input_.size() && is_skipped(next_input_)) ++next_input_;
    if (next_input_ == input_.size()) return fail("more window dims than dims of the input");
    add_window(static_cast<int64_t>(dim));
    ++next_input_;
  }
  add_collapsed();
  if (static_cast<std::size_t>(dims_.index_vector_dim) < indices_.size()) {
    const auto at = static_cast<std::size_t>(dims_.index_vector_dim);
    add({.indices = dims_.index_vector_dim},
        {.size = indices_[at], .kind = FactorKind::NeedReplication});
  }
  return builder_.build();
}

SHARDY_INLINE RuleBuilder GatherFactoring::make_builder() const {
  if (!is_scatter()) return RuleBuilder({input_.size(), indices_.size()}, {slices_.size()});
  std::vector<std::size_t> operand_ranks(num_inputs_, input_.size());
  operand_ranks.push_back(indices_.size());
  operand_ranks.resize(2 * num_inputs_ + 1, slices_.size());
  const std::vector<std::size_t> result_ranks(num_inputs_, input_.size());
  return RuleBuilder(operand_ranks, result_ranks);
}

SHARDY_INLINE Status GatherFactoring::verify() const {
  SHARDY_TRY_STATUS(dim_set(dims_.window_dims, slices_.size(), "window dims"));
  SHARDY_TRY_STATUS(dim_set(dims_.collapsed_dims, input_.size(), "collapsed dims"));
  SHARDY_TRY_STATUS(dim_set(dims_.input_batching, input_.size(), "batching dims"));
  SHARDY_TRY_STATUS(dim_set(dims_.indices_batching, indices_.size(), "batching dims"));
  if (dims_.input_batching.size() != dims_.indices_batching.size()) {
    return fail("batching dims of the input and of the indices must be as many");
  }
  if (dims_.index_vector_dim >= 0) return {};
  return fail("index_vector_dim must not be negative");
}

SHARDY_INLINE void GatherFactoring::add(const Place& at, const Factor& factor) {
  if (!is_scatter()) {
    builder_.add({at.input, at.indices}, {at.slices}, factor);
    return;
  }
  MappedDims operands(num_inputs_, at.input);
  operands.push_back(at.indices);
  operands.resize(2 * num_inputs_ + 1, at.slices);
  builder_.add(operands, MappedDims(num_inputs_, at.input), factor);
}

SHARDY_INLINE void GatherFactoring::add_window(int64_t slices_dim) {
  const auto input_dim = static_cast<int64_t>(next_input_);
  const int64_t whole = input_[next_input_];
  const int64_t window = slices_[static_cast<std::size_t>(slices_dim)];
  if (whole == window) {
    add({.input = input_dim, .slices = slices_dim}, {.size = whole});
  } else if (!is_scatter() && window != 1 && !dims_.for_lowering) {
    add({.input = input_dim, .slices = slices_dim},
        {.size = whole, .kind = FactorKind::NeedReplication, .is_blocked = true});
  } else {
    const FactorKind of_updated =
        dims_.for_lowering ? FactorKind::PassThrough : FactorKind::NeedReplication;
    const FactorKind of_input = is_scatter() ? of_updated : FactorKind::Reduction;
    add({.input = input_dim}, {.size = whole, .kind = of_input});
    add({.slices = slices_dim}, {.size = window, .kind = FactorKind::NeedReplication});
  }
}

SHARDY_INLINE void GatherFactoring::add_batch(int64_t slices_dim) {
  const int64_t indices_dim = next_batch_ + (next_batch_ < dims_.index_vector_dim ? 0 : 1);
  ++next_batch_;
  Place at{.indices = indices_dim, .slices = slices_dim};
  Factor factor{.size = slices_[static_cast<std::size_t>(slices_dim)]};
  const auto paired = std::ranges::find(dims_.indices_batching, indices_dim);
  if (paired != dims_.indices_batching.end()) {
    at.input =
        dims_.input_batching[static_cast<std::size_t>(paired - dims_.indices_batching.begin())];
  } else if (is_scatter()) {
    factor.kind = is_reduction_ ? FactorKind::Reduction : FactorKind::NeedReplication;
  }
  add(at, factor);
}

SHARDY_INLINE void GatherFactoring::add_collapsed() {
  for (const int64_t dim : dims_.collapsed_dims) {
    Factor factor{.size = input_[static_cast<std::size_t>(dim)]};
    if (!is_scatter()) {
      factor.kind = factor.size == 1 ? FactorKind::NeedReplication : FactorKind::Reduction;
    }
    add({.input = dim}, factor);
  }
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> scatter_rule(Shape input, Shape indices, Shape updates,
                                                  const GatherLayout& dims,
                                                  const ScatterKind& kind) {
  if (kind.num_inputs == 0) return fail("expected at least one input");
  SHARDY_TRY_STATUS(detail::verify_count(kind.num_inputs));
  return detail::GatherFactoring(input, indices, updates, dims, kind).run();
}

}  // namespace shardy::rules
