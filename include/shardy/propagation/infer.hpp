// One op on its own: from the shardings of its operands to those of its results.
#pragma once

#include <optional>
#include <shardy/propagation/propagate.hpp>
#include <shardy/support/inline.hpp>
#include <vector>

namespace shardy::propagation {

/// A sharding per tensor; nullopt: none.
using TensorShardings = std::vector<std::optional<TensorSharding>>;

/// How one op propagates.
struct InferOptions {
  Strategy strategy = Strategy::Aggressive;  // which steps are taken, in which order
  /// Of factors that compete for an axis the most sharded one gets it. Spec: propagation 6.
  bool is_elementwise = false;
  /// Whole axes only. Spec: propagation 15.
  bool is_conservative = false;
};

/// Shardings of an op's tensors after one propagation step.
struct Inferred {
  TensorShardings operands;  // one for each operand
  TensorShardings results;   // one for each result
};

/// Propagates through one op with that rule, in both directions and once per sweep of the strategy.
///
/// `results` are the shardings that the results have before; none: absent. A tensor comes back with
/// what it had and what it got. Errors: another number of operands than the rule has, or of results
/// if there are any; ranks that do not fit the rule.
Result<Inferred> infer(const OpShardingRule& rule, const TensorShardings& operands,
                       const InferOptions& options = {}, const TensorShardings& results = {});

}  // namespace shardy::propagation

#ifdef SHARDY_BODIES
#include <cstddef>
#include <cstdint>
#include <shardy/propagation/problem_builder.hpp>
#include <span>
#include <utility>

namespace shardy::propagation::detail {

/// Sizes that the factors of a tensor make up.
SHARDY_INLINE std::vector<int64_t> shape_of(const OpShardingRule& rule,
                                            const TensorMapping& mapping) {
  std::vector<int64_t> shape;
  for (const DimMapping& dim : mapping.dims) {
    int64_t size = 1;
    for (const int32_t factor : dim) {
      size = checked_mul(size, rule.factor_size(factor)).value_or(0);
    }
    shape.push_back(size);
  }
  return shape;
}

SHARDY_INLINE Result<std::vector<TensorUse>> add_tensors(ProblemBuilder& builder,
                                                         const OpShardingRule& rule,
                                                         std::span<const TensorMapping> mappings,
                                                         const TensorShardings& shardings) {
  std::vector<TensorUse> tensors;
  for (std::size_t index = 0; index < mappings.size(); ++index) {
    SlotSpec spec{.shape = shape_of(rule, mappings[index])};
    if (index < shardings.size()) spec.sharding = shardings[index];
    SHARDY_TRY(const SlotId slot, builder.add_slot(std::move(spec)));
    tensors.push_back({slot});
  }
  return tensors;
}

SHARDY_INLINE TensorShardings shardings_of(const Problem& problem,
                                           std::span<const TensorUse> tensors) {
  TensorShardings shardings;
  for (const TensorUse& tensor : tensors) shardings.push_back(problem.sharding(tensor.slot));
  return shardings;
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation::detail {

SHARDY_INLINE Status expect_count(std::string_view what, std::size_t expected, std::size_t got) {
  if (got == expected) return {};
  return fail("expects one sharding for each of the " + std::to_string(expected) + " " +
              std::string(what) + " of the rule, got " + std::to_string(got));
}

}  // namespace shardy::propagation::detail

namespace shardy::propagation {

SHARDY_INLINE Result<Inferred> infer(const OpShardingRule& rule, const TensorShardings& operands,
                                     const InferOptions& options, const TensorShardings& results) {
  SHARDY_TRY_STATUS(detail::expect_count("operands", rule.operands().size(), operands.size()));
  if (!results.empty()) {
    SHARDY_TRY_STATUS(detail::expect_count("results", rule.results().size(), results.size()));
  }
  ProblemBuilder builder;
  NodeSpec node{.is_elementwise = options.is_elementwise,
                .is_conservative = options.is_conservative};
  SHARDY_TRY(node.rule, builder.add_rule(rule));
  SHARDY_TRY(node.operands, detail::add_tensors(builder, rule, rule.operands(), operands));
  SHARDY_TRY(node.results, detail::add_tensors(builder, rule, rule.results(), results));
  SHARDY_TRY_STATUS(builder.add_node(node));
  SHARDY_TRY(Problem problem, std::move(builder).build());
  SHARDY_TRY_STATUS(
      propagate(problem, {.algorithm = Algorithm::Aggressive, .strategy = options.strategy}));
  return Inferred{detail::shardings_of(problem, node.operands),
                  detail::shardings_of(problem, node.results)};
}

}  // namespace shardy::propagation
#endif  // SHARDY_BODIES
