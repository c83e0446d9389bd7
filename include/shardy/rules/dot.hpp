// Rules of dot_general and dot.
#pragma once

#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <span>

namespace shardy::rules {

/// Matching dims of the operands of dot_general. The caller owns the lists.
struct DotDimLists {
  std::span<const int64_t> lhs_batch, rhs_batch;              // in pairs
  std::span<const int64_t> lhs_contracting, rhs_contracting;  // in pairs
};

/// Factors: batching pairs, free lhs dims, free rhs dims (in that order the dims of the result),
/// then contracting pairs, which are reductions.
///
/// Example: 3x5x4 . 6x3x4, batching [0]x[1], contracting [2]x[2]:
/// `([i, j, l], [k, i, l])->([i, j, k]) {i=3, j=5, k=6, l=4} reduction={l}`. Spec: rules 8.11.
Result<OpShardingRule> dot_rule(Shape lhs, Shape rhs, const DotDimLists& dims);

/// Operands of rank 1 or 2; contracts the last dim of `lhs` with the first of `rhs`.
///
/// Example: 7 . 7x3: `([j], [j, i])->([i]) {i=3, j=7} reduction={j}`. Spec: rules 8.12.
Result<OpShardingRule> plain_dot_rule(Shape lhs, Shape rhs);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <optional>
#include <shardy/rules/detail/dim_list.hpp>
#include <string>
#include <vector>

namespace shardy::rules::detail {

/// Adds a factor for each dim of one operand that the other one does not have.
template <class Add>
void add_free_dims(Shape shape, const std::vector<bool>& is_paired, Add add) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (!is_paired[dim]) add(static_cast<int64_t>(dim), Factor{.size = shape[dim]});
  }
}

/// Flags of the batch and contracting dims of one side.
SHARDY_INLINE Result<std::vector<bool>> paired_dims(std::span<const int64_t> batch,
                                                    std::span<const int64_t> contracting,
                                                    std::size_t rank, std::string_view side) {
  std::vector<int64_t> both(batch.begin(), batch.end());
  both.insert(both.end(), contracting.begin(), contracting.end());
  return dim_set(both, rank, std::string(side) + " batching and contracting dims");
}

SHARDY_INLINE Status verify_pairs(std::span<const int64_t> lhs, std::span<const int64_t> rhs,
                                  std::string_view kind) {
  if (lhs.size() == rhs.size()) return {};
  return fail("numbers of " + std::string(kind) + " dims must match: " +
              std::to_string(lhs.size()) + " != " + std::to_string(rhs.size()));
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> dot_rule(Shape lhs, Shape rhs, const DotDimLists& dims) {
  SHARDY_TRY_STATUS(detail::verify_pairs(dims.lhs_batch, dims.rhs_batch, "batching"));
  SHARDY_TRY_STATUS(
      detail::verify_pairs(dims.lhs_contracting, dims.rhs_contracting, "contracting"));
  SHARDY_TRY(const std::vector<bool> lhs_paired,
             detail::paired_dims(dims.lhs_batch, dims.lhs_contracting, lhs.size(), "lhs"));
  SHARDY_TRY(const std::vector<bool> rhs_paired,
             detail::paired_dims(dims.rhs_batch, dims.rhs_contracting, rhs.size(), "rhs"));

  const std::size_t num_paired = dims.lhs_batch.size() + 2 * dims.lhs_contracting.size();
  RuleBuilder builder({lhs.size(), rhs.size()}, {lhs.size() + rhs.size() - num_paired});
  int64_t result_dim = 0;
  for (std::size_t pair = 0; pair < dims.lhs_batch.size(); ++pair) {
    const int64_t dim = dims.lhs_batch[pair];
    builder.add({dim, dims.rhs_batch[pair]}, {result_dim++},
                {.size = lhs[static_cast<std::size_t>(dim)]});
  }
  detail::add_free_dims(lhs, lhs_paired, [&](int64_t dim, const Factor& factor) {
    builder.add({dim, std::nullopt}, {result_dim++}, factor);
  });
  detail::add_free_dims(rhs, rhs_paired, [&](int64_t dim, const Factor& factor) {
    builder.add({std::nullopt, dim}, {result_dim++}, factor);
  });
  for (std::size_t pair = 0; pair < dims.lhs_contracting.size(); ++pair) {
    const int64_t dim = dims.lhs_contracting[pair];
    builder.add({dim, dims.rhs_contracting[pair]}, {std::nullopt},
                {.size = lhs[static_cast<std::size_t>(dim)], .kind = FactorKind::Reduction});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> plain_dot_rule(Shape lhs, Shape rhs) {
  if (lhs.empty() || lhs.size() > 2 || rhs.empty() || rhs.size() > 2) {
    return fail("operands must have rank 1 or 2");
  }
  const int64_t lhs_contracting[] = {static_cast<int64_t>(lhs.size()) - 1};
  const int64_t rhs_contracting[] = {0};
  return dot_rule(lhs, rhs,
                  {.lhs_batch = {},
                   .rhs_batch = {},
                   .lhs_contracting = lhs_contracting,
                   .rhs_contracting = rhs_contracting});
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
