// Bodies of infer.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/propagation/infer.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <utility>
#include <vector>

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
