// Rules of ops that need some dims unsharded: decompositions and solvers, FFT, normalization,
// sorts, random bits, collectives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/detail/inline.hpp>

namespace shardy::rules {

namespace detail {

void add_batch(RuleBuilder& builder, Shape shape);

inline Factor replicated(int64_t size) {
  return {.size = size, .kind = FactorKind::NeedReplication};
}

}  // namespace detail

/// Returns the rule of a cholesky. Example: 6x4x4: `([i, j, k])->([i, j, k]) {i=6, j=4, k=4}
/// need_replication={j, k}`. Spec: rules 8.6.
Result<OpShardingRule> cholesky_rule(Shape shape);

/// Options of a triangular_solve.
struct TriangularSolveOptions {
  bool left_side = false;     // whether the equation is a x = b, and not x a = b
  bool transposes_a = false;  // whether `a` is transposed or replaced by its adjoint
};

/// Returns the rule of a triangular_solve. The result has the shape of `b`.
///
/// Example: 6x4x4 on the left of 6x4x7:
/// `([i, j, l], [i, j, k])->([i, l, k]) {i=6, j=4, k=7, l=4} need_replication={j, k, l}`.
/// Spec: rules 8.27.
Result<OpShardingRule> triangular_solve_rule(Shape a, Shape b,
                                             const TriangularSolveOptions& options);

/// Returns the rule of an eigendecomposition with results eigenvectors and eigenvalues. Example:
/// 8x4x4 -> 8x4x4, 8x4: `([i, j, k])->([i, j, k], [i, k]) {i=8, j=4, k=4}`. Spec: rules 8.10.
Result<OpShardingRule> eigh_rule(Shape shape);

/// Returns the rule of a QR decomposition with results matrix and scalar factors `taus`.
///
/// Example: 6x5x3 -> 6x5x3, 6x3: `([i, j, k])->([i, j, k], [i, l]) {i=6, j=5, k=3, l=3}
/// need_replication={j, k, l}`. Spec: rules 8.10.
Result<OpShardingRule> qr_rule(Shape shape, Shape taus);

/// Returns the rule of `ProductOfElementaryHouseholderReflectors`. Example: 6x5x3, 6x2 -> 6x5x3:
/// `([i, j, k], [i, l])->([i, j, k]) {i=6, j=5, k=3, l=2} need_replication={j, k, l}`. Spec: rules
/// 8.10.
Result<OpShardingRule> householder_product_rule(Shape shape, Shape taus);

/// Returns the rule of an fft. The last `num_transformed` dims need replication. The last dim is
/// blocked if its size changes.
///
/// Example: a real transform 3x10x12 -> 3x10x7 of the last two dims:
/// `([i, j, k])->([i, j, k]) {i=3, j=10, k=12} need_replication={j, k} blocked_propagation={k}`.
/// Spec: rules 8.15.
Result<OpShardingRule> fft_rule(Shape operand, Shape result, std::size_t num_transformed);

/// Returns the rule of a batch_norm_inference. Operands: the input, then scale, offset, mean and
/// variance with one element per feature.
///
/// Example: 4x8, feature dim 1: `([i, j], [j], [j], [j], [j])->([i, j]) {i=4, j=8}`.
/// Spec: rules 8.3.
Result<OpShardingRule> batch_norm_inference_rule(Shape input, int64_t feature_dim);

/// Returns the rule of a sort with `num_inputs` inputs and results of one shape. The sorted dim
/// needs replication. The sorted dim is also blocked, unless another dim could be sharded along its
/// axes.
///
/// Example: 4x8, dim 1: `([i, j])->([i, j]) {i=4, j=8} need_replication={j}`. Spec: rules 8.25.
Result<OpShardingRule> sort_rule(Shape shape, int64_t sorted_dim, std::size_t num_inputs = 1);

/// Returns the rule of `mhlo.topk`, whose results are values and indices. Example: 6x20 -> 6x3,
/// 6x3: `([i, j])->([i, j], [i, j]) {i=6, j=20} need_replication={j} blocked_propagation={j}`.
/// Spec: rules 8.10.
Result<OpShardingRule> top_k_rule(Shape operand, Shape result);

/// Ways of lowering a top-k.
enum class Ranking : uint8_t {
  Whole,  // the ranked dim is unsharded
  Shards  // each shard computes candidates; then the candidates of all shards are ranked
};

/// Returns the lowering rule of `mhlo.topk` and chlo.top_k, also if the dim keeps its size.
/// Examples, 4x8 -> 4x2: Whole gives `([i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j}
/// blocked_propagation={j}`; Shards gives `([i, j])->([i, k], [i, k]) {i=4, j=8, k=2} reduction={j}
/// need_replication={k}`. Spec: partitioning 8.18.
Result<OpShardingRule> top_k_lowering_rule(Shape operand, Shape result, Ranking ranking);

/// Returns the rule of `ApproxTopK`, which has two results. Operands: values, their indices and two
/// initial values.
///
/// Example: 6x20 -> 6x3: `([i, j], [i, j], [], [])->([i, k], [i, k]) {i=6, j=20, k=3}
/// need_replication={k} blocked_propagation={k}`. Spec: rules 8.10.
Result<OpShardingRule> approx_top_k_rule(Shape operand, Shape result);

/// Returns the rule of an rng_bit_generator. Results: the next state and the random bits. The state
/// is replicated; the bits may be sharded.
///
/// Example: state 2, bits 6x7:
/// `([i])->([i], [j, k]) {i=2, j=6, k=7} need_replication={i} blocked_propagation={i}`.
/// Spec: rules 8.22.
Result<OpShardingRule> rng_bit_generator_rule(Shape state, Shape bits);

/// Returns the rule of an all_gather or reduce_scatter along `dim`, whose size differs between
/// operands and results. `operand` and `result` are the shapes of the first operand and the first
/// result.
///
/// Example: 4x6 -> 4x24, dim 1: `([i, j])->([i, k]) {i=4, j=6, k=24} need_replication={j, k}`.
/// Spec: rules 8.2.
Result<OpShardingRule> resized_dim_rule(Shape operand, Shape result, int64_t dim,
                                        std::size_t num_operands = 1);

/// Dims of an all_to_all.
struct AllToAllOptions {
  int64_t split_dim = 0;         // dim that is split
  int64_t concat_dim = 0;        // dim along which the received parts are concatenated
  std::size_t num_operands = 1;  // number of operands and of results
};

/// Returns the rule of an all_to_all. Split and concatenated dims have separate factors in operand
/// and result.
///
/// Example: 4x6x8 -> 4x12x4, split 2, concat 1:
/// `([i, l, j])->([i, m, k]) {i=4, j=8, k=4, l=6, m=12} need_replication={j, k, l, m}`.
/// Spec: rules 8.2.
Result<OpShardingRule> all_to_all_rule(Shape operand, Shape result, const AllToAllOptions& options);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <string>
#include <vector>

namespace shardy::rules::detail {

SHARDY_INLINE Status verify_matrix(Shape shape, std::size_t rank, std::string_view what) {
  if (shape.size() >= 2 && shape.size() == rank) return {};
  return fail(std::string(what) + " must be matrices of one rank, got rank " +
              std::to_string(shape.size()));
}

SHARDY_INLINE void add_batch(RuleBuilder& builder, Shape shape) {
  for (std::size_t dim = 0; dim + 2 < shape.size(); ++dim) {
    builder.add_same(dim, {.size = shape[dim]});
  }
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> cholesky_rule(Shape shape) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, shape.size(), "operands"));
  RuleBuilder builder({shape.size()}, {shape.size()});
  detail::add_batch(builder, shape);
  for (std::size_t dim = shape.size() - 2; dim < shape.size(); ++dim) {
    builder.add_same(dim, detail::replicated(shape[dim]));
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> triangular_solve_rule(Shape a, Shape b,
                                                           const TriangularSolveOptions& options) {
  SHARDY_TRY_STATUS(detail::verify_matrix(a, b.size(), "operands"));
  RuleBuilder builder({a.size(), b.size()}, {b.size()});
  detail::add_batch(builder, a);
  const auto row = static_cast<int64_t>(a.size()) - 2;
  const int64_t column = row + 1;
  const auto size = [](Shape shape, int64_t dim) {
    return detail::replicated(shape[static_cast<std::size_t>(dim)]);
  };
  // The dim of `a` that is contracted with `b`, and the dim of `a` that replaces it in the result.
  const bool consumes_column = options.left_side == options.transposes_a;
  const int64_t consumed = consumes_column ? column : row;
  const int64_t produced = consumes_column ? row : column;
  if (options.left_side) {
    builder.add({consumed, row}, {std::nullopt}, size(a, consumed));
    builder.add({std::nullopt, column}, {column}, size(b, column));
    builder.add({produced, std::nullopt}, {row}, size(a, produced));
  } else {
    builder.add({std::nullopt, row}, {row}, size(b, row));
    builder.add({consumed, column}, {std::nullopt}, size(a, consumed));
    builder.add({produced, std::nullopt}, {column}, size(a, produced));
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> eigh_rule(Shape shape) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, shape.size(), "operands"));
  const auto row = static_cast<int64_t>(shape.size()) - 2;
  RuleBuilder builder({shape.size()}, {shape.size(), shape.size() - 1});
  detail::add_batch(builder, shape);
  builder.add({row}, {row, std::nullopt}, {.size = shape[shape.size() - 2]});
  builder.add({row + 1}, {row + 1, row}, {.size = shape.back()});
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> qr_rule(Shape shape, Shape taus) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, taus.size() + 1, "operands"));
  const auto row = static_cast<int64_t>(shape.size()) - 2;
  RuleBuilder builder({shape.size()}, {shape.size(), taus.size()});
  detail::add_batch(builder, shape);
  builder.add({row}, {row, std::nullopt}, detail::replicated(shape[shape.size() - 2]));
  builder.add({row + 1}, {row + 1, std::nullopt}, detail::replicated(shape.back()));
  builder.add({std::nullopt}, {std::nullopt, row}, detail::replicated(taus.back()));
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> householder_product_rule(Shape shape, Shape taus) {
  SHARDY_TRY_STATUS(detail::verify_matrix(shape, taus.size() + 1, "operands"));
  const auto row = static_cast<int64_t>(shape.size()) - 2;
  RuleBuilder builder({shape.size(), taus.size()}, {shape.size()});
  detail::add_batch(builder, shape);
  builder.add({row, std::nullopt}, {row}, detail::replicated(shape[shape.size() - 2]));
  builder.add({row + 1, std::nullopt}, {row + 1}, detail::replicated(shape.back()));
  builder.add({std::nullopt, row}, {std::nullopt}, detail::replicated(taus.back()));
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> fft_rule(Shape operand, Shape result,
                                              std::size_t num_transformed) {
  const std::size_t rank = operand.size();
  if (result.size() != rank || num_transformed > rank) {
    return fail("fft_length must name dims of the operand and of the result");
  }
  RuleBuilder builder({rank}, {rank});
  for (std::size_t dim = 0; dim < rank; ++dim) {
    Factor factor{.size = operand[dim]};
    if (dim + num_transformed >= rank) {
      factor.kind = FactorKind::NeedReplication;
      factor.is_blocked = dim + 1 == rank && operand[dim] != result[dim];
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> batch_norm_inference_rule(Shape input, int64_t feature_dim) {
  const int64_t dims[] = {feature_dim};
  SHARDY_TRY(const std::vector<bool> is_feature,
             detail::dim_set(dims, input.size(), ir::attr::kFeatureIndex));
  RuleBuilder builder({input.size(), 1, 1, 1, 1}, {input.size()});
  for (std::size_t dim = 0; dim < input.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    MappedDims operand_dims(5);
    if (is_feature[dim]) operand_dims.assign(5, 0);
    operand_dims[0] = mapped;
    builder.add(operand_dims, {mapped}, {.size = input[dim]});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> sort_rule(Shape shape, int64_t sorted_dim,
                                               std::size_t num_inputs) {
  const int64_t dims[] = {sorted_dim};
  SHARDY_TRY(const std::vector<bool> is_sorted,
             detail::dim_set(dims, shape.size(), ir::attr::kDimension));
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

SHARDY_INLINE Result<OpShardingRule> rng_bit_generator_rule(Shape state, Shape bits) {
  RuleBuilder builder({state.size()}, {state.size(), bits.size()});
  for (std::size_t dim = 0; dim < state.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    builder.add({mapped}, {mapped, std::nullopt},
                {.size = state[dim], .kind = FactorKind::NeedReplication, .is_blocked = true});
  }
  for (std::size_t dim = 0; dim < bits.size(); ++dim) {
    builder.add({std::nullopt}, {std::nullopt, static_cast<int64_t>(dim)}, {.size = bits[dim]});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> resized_dim_rule(Shape operand, Shape result, int64_t dim,
                                                      std::size_t num_operands) {
  const int64_t dims[] = {dim};
  SHARDY_TRY(const std::vector<bool> is_resized,
             detail::dim_set(dims, operand.size(), ir::attr::kDimension));
  if (operand.size() != result.size()) return fail("operands and results must have one rank");
  SHARDY_TRY_STATUS(detail::verify_count(num_operands));
  const std::vector<std::size_t> ranks(num_operands, operand.size());
  RuleBuilder builder(ranks, ranks);
  for (std::size_t each = 0; each < operand.size(); ++each) {
    if (!is_resized[each]) builder.add_same(each, {.size = operand[each]});
  }
  const auto at = static_cast<std::size_t>(dim);
  builder.add_same_operands(at, {.size = operand[at], .kind = FactorKind::NeedReplication});
  builder.add_same_results(at, {.size = result[at], .kind = FactorKind::NeedReplication});
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> all_to_all_rule(Shape operand, Shape result,
                                                     const AllToAllOptions& options) {
  const int64_t split[] = {options.split_dim};
  const int64_t concat[] = {options.concat_dim};
  SHARDY_TRY(std::vector<bool> is_moved,
             detail::dim_set(split, operand.size(), ir::attr::kSplitDimension));
  SHARDY_TRY_STATUS(detail::dim_set(concat, operand.size(), ir::attr::kConcatDimension));
  if (operand.size() != result.size()) return fail("operands and results must have one rank");
  const auto split_dim = static_cast<std::size_t>(options.split_dim);
  const auto concat_dim = static_cast<std::size_t>(options.concat_dim);
  is_moved[concat_dim] = true;
  SHARDY_TRY_STATUS(detail::verify_count(options.num_operands));
  const std::vector<std::size_t> ranks(options.num_operands, operand.size());
  RuleBuilder builder(ranks, ranks);
  for (std::size_t dim = 0; dim < operand.size(); ++dim) {
    if (!is_moved[dim]) builder.add_same(dim, {.size = operand[dim]});
  }
  const auto add_private = [&](std::size_t dim) {
    builder.add_same_operands(dim, {.size = operand[dim], .kind = FactorKind::NeedReplication});
    builder.add_same_results(dim, {.size = result[dim], .kind = FactorKind::NeedReplication});
  };
  add_private(split_dim);
  if (concat_dim != split_dim) add_private(concat_dim);
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
