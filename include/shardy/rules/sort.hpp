// Rules of sort and of the custom calls that select the largest elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// As many results as inputs, all of one shape. The sorted dim needs replication; it is blocked
/// only where no other dim could take its sharding.
///
/// Example: 4x8, dim 1: `([i, j])->([i, j]) {i=4, j=8} need_replication={j}`. Spec: rules 8.25.
Result<OpShardingRule> sort_rule(Shape shape, int64_t sorted_dim, std::size_t num_inputs = 1);

/// `mhlo.topk`: values and their indices. Example: 6x20 -> 6x3, 6x3:
/// `([i, j])->([i, j], [i, j]) {i=6, j=20} need_replication={j} blocked_propagation={j}`.
/// Spec: rules 8.10.
Result<OpShardingRule> top_k_rule(Shape operand, Shape result);

/// How a row is ranked when the op is lowered.
enum class Ranking : uint8_t {
  Whole,  // as a whole
  Shards  // its shards apart, then the best of them all
};

/// By which both are lowered, also where a row keeps its size. Examples, 4x8 -> 4x2: a whole row
/// gives `([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}`,
/// shards `([i, j])->([i, k], [i, k]) {i=4, j=8, k=2} reduction={j} need_replication={k}`.
/// Spec: partitioning 8.18.
Result<OpShardingRule> top_k_lowering_rule(Shape operand, Shape result, Ranking ranking);

/// `ApproxTopK`: values, their numbers and two initial values; two results.
///
/// Example: 6x20 -> 6x3: `([i, j], [i, j], [], [])->([i, k], [i, k]) {i=6, j=20, k=3}
/// need_replication={k} blocked_propagation={k}`. Spec: rules 8.10.
Result<OpShardingRule> approx_top_k_rule(Shape operand, Shape result);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/rules/detail/dim_list.hpp>
#include <string>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> sort_rule(Shape shape, int64_t sorted_dim,
                                               std::size_t num_inputs) {
  const int64_t dims[] = {sorted_dim};
  SHARDY_TRY(const std::vector<bool> is_sorted, dim_set(dims, shape.size(), ir::attr::kDimension));
  bool has_other_dim = false;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    has_other_dim = has_other_dim || (!is_sorted[dim] && shape[dim] != 1);
  }
  SHARDY_TRY_STATUS(detail::verify_count(num_inputs));
  const std::vector<std::size_t> ranks(num_inputs, shape.size());
  RuleBuilder builder(ranks, ranks);
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    Factor factor{.size = shape[dim]};
    if (is_sorted[dim]) {
      factor.kind = FactorKind::NeedReplication;
      factor.is_blocked = !has_other_dim;
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> top_k_rule(Shape operand, Shape result) {
  RuleBuilder builder({operand.size()}, {result.size(), result.size()});
  builder.add_mismatched(operand, result, FactorKind::NeedReplication, true);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> top_k_lowering_rule(Shape operand, Shape result,
                                                         Ranking ranking) {
  if (operand.empty() || operand.size() != result.size()) return top_k_rule(operand, result);
  RuleBuilder builder({operand.size()}, {result.size(), result.size()});
  const std::size_t last = operand.size() - 1;
  for (std::size_t dim = 0; dim < last; ++dim) builder.add_same(dim, {.size = operand[dim]});
  const auto mapped = static_cast<int64_t>(last);
  if (ranking == Ranking::Whole) {
    builder.add_same(
        last, {.size = operand[last], .kind = FactorKind::NeedReplication, .is_blocked = true});
    return builder.build();
  }
  builder.add({mapped}, {std::nullopt, std::nullopt},
              {.size = operand[last], .kind = FactorKind::Reduction});
  builder.add({std::nullopt}, {mapped, mapped},
              {.size = result[last], .kind = FactorKind::NeedReplication});
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> approx_top_k_rule(Shape operand, Shape result) {
  if (operand.size() != result.size()) {
    return fail("sharding rule: ranks must match: " + std::to_string(operand.size()) +
                " != " + std::to_string(result.size()));
  }
  const std::size_t rank = operand.size();
  RuleBuilder builder({rank, rank, 0, 0}, {rank, rank});
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (operand[dim] == result[dim]) {
      builder.add_same(dim, {.size = operand[dim]});
      continue;
    }
    const auto mapped = static_cast<int64_t>(dim);
    builder.add({mapped, mapped, std::nullopt, std::nullopt}, {std::nullopt, std::nullopt},
                {.size = operand[dim]});
    builder.add(MappedDims(4), {mapped, mapped},
                {.size = result[dim], .kind = FactorKind::NeedReplication, .is_blocked = true});
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
