// Rules of elementwise ops and of ops that move elements: broadcasts, reshapes, transposes, slices,
// concatenations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>

namespace shardy::rules {

/// Returns the rule of an elementwise op: dim d of each tensor has the factor of dim d of the first
/// result. Dims beyond the rank of the first result have their own factors.
///
/// Example: 3x1x5 + 3x1x5: `([i, j, k], [i, j, k])->([i, j, k]) {i=3, j=1, k=5}`. Spec: rules 8.1.
Result<OpShardingRule> pointwise_rule(std::span<const std::size_t> operand_ranks, Shape result,
                                      std::span<const std::size_t> result_ranks);

/// Returns the rule of an elementwise op with one result.
inline Result<OpShardingRule> pointwise_rule(std::span<const std::size_t> operand_ranks,
                                             Shape result) {
  const std::size_t result_ranks[] = {result.size()};
  return pointwise_rule(operand_ranks, result, result_ranks);
}

/// Returns the rule of clamp and select: three operands, any of which may be a scalar, and a result
/// of shape `shape`.
///
/// Example: clamp of scalar, 4x8, scalar: `([], [i, j], [])->([i, j]) {i=4, j=8}`. Spec: rules 8.7.
Result<OpShardingRule> scalar_or_pointwise_rule(std::span<const std::size_t> operand_ranks,
                                                Shape shape);

/// Returns the rule of a broadcast_in_dim: operand dim d becomes result dim `dims[d]`. Factors are
/// in the order of the result dims. An operand dim of size 1 that is expanded has its own factor,
/// immediately before the factor of its result dim.
///
/// Example: 1x5 -> 9x4x5, dims [0, 2]: `([i, l])->([j, k, l]) {i=1, j=9, k=4, l=5}`.
/// Spec: rules 8.5.
Result<OpShardingRule> broadcast_rule(Shape operand, Shape result, std::span<const int64_t> dims);

/// Returns the rule of a bitcast_convert. If one side has an additional dim with the parts of an
/// element, that dim needs replication.
///
/// Example: 4x6 of 64 bits -> 4x6x2 of 32 bits:
/// `([i, j])->([i, j, k]) {i=4, j=6, k=2} need_replication={k}`. Spec: rules 8.4.
Result<OpShardingRule> bitcast_rule(Shape operand, Shape result);

/// Returns the rule of a reshape: common factors of both shapes, found greedily in row-major order.
/// Returns std::nullopt for tensors without elements.
///
/// While both sides have factors of equal product, the gcd of the remaining sizes of their current
/// dims is a shared factor. If the gcd is 1, each side has its own factors until the products are
/// equal again. Errors: different numbers of elements. Example: 4x6x5 -> 8x15: `([i, jk, l])->([ij,
/// kl]) {i=4, j=2, k=3, l=5}`. Spec: rules 8.20.
Result<std::optional<OpShardingRule>> reshape_rule(Shape operand, Shape result);

/// Returns the rule of a transpose: result dim d is operand dim `permutation[d]`. Factors are in
/// the order of the result dims.
///
/// Example: 3x4x5, permutation [2, 0, 1]: `([j, k, i])->([i, j, k]) {i=5, j=3, k=4}`.
/// Spec: rules 8.26.
Result<OpShardingRule> transpose_rule(Shape operand, std::span<const int64_t> permutation);

/// Returns the rule of a reverse. Reversed dims are permutation factors. Example: 4x6, dims [1]:
/// `([i, j])->([i, j]) {i=4, j=6} permutation={j}`. Spec: rules 8.21.
Result<OpShardingRule> reverse_rule(Shape shape, std::span<const int64_t> dims);

/// Returns the rule of a slice. Factors have the sizes of the operand. Dims whose size changes are
/// permutation factors, or blocked factors in a conservative rule.
///
/// Example: 16x30 -> 8x30: `([i, j])->([i, j]) {i=16, j=30} permutation={i}`. Spec: rules 8.24.
Result<OpShardingRule> slice_rule(Shape operand, Shape result, bool conservative = false);

/// Returns the rule of a dynamic_slice. Operands: the tensor and `num_starts` scalars. Sliced dims
/// need replication and are blocked.
///
/// Example: 16x32 -> 16x4:
/// `([i, j], [], [])->([i, j]) {i=16, j=32} need_replication={j} blocked_propagation={j}`.
/// Spec: rules 8.13.
Result<OpShardingRule> dynamic_slice_rule(Shape operand, Shape result, std::size_t num_starts);

/// Options of a dynamic_update_slice.
struct DynamicUpdateSliceOptions {
  std::size_t num_starts = 0;  // number of start indices
  /// True if every start index is a constant.
  bool has_constant_starts = false;
};

/// Returns the rule of a dynamic_update_slice. Operands: the tensor, the update and the start
/// indices. A dim that the update covers only partly has one factor in tensor and result, and
/// another in the update. The latter needs replication unless all start indices are constants.
///
/// Example: 16x32 updated by 16x4:
/// `([i, j], [i, k], [], [])->([i, j]) {i=16, j=32, k=4} need_replication={k}`. Spec: rules 8.14.
Result<OpShardingRule> dynamic_update_slice_rule(Shape operand, Shape update,
                                                 const DynamicUpdateSliceOptions& options);

/// Returns the rule of a pad. Operands: the tensor and the padding value. Factors have the sizes of
/// the operand. Dims whose size changes are permutation factors, or blocked factors in a
/// conservative rule.
///
/// Example: 16x30 -> 16x32: `([i, j], [])->([i, j]) {i=16, j=30} permutation={j}`. Spec:
/// rules 8.17.
Result<OpShardingRule> pad_rule(Shape operand, Shape result, bool conservative = false);

/// Dims of a concatenate.
struct ConcatenateOptions {
  int64_t dim = 0;               // dim along which operands are concatenated
  std::size_t num_operands = 1;  // >= 1
  /// True if the operands are slices: the dim is then a permutation factor and does not need
  /// replication.
  bool joins_slices = false;
  /// Conservative rule: the concatenated dim has no common factor.
  bool conservative = false;
};

/// Returns the rule of a concatenate. Factors have the sizes of the result. Example: 4x3, 4x5 ->
/// 4x8 along 1: `([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}`; conservative: `([i,
/// j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}`. Spec: rules 8.8.
Result<OpShardingRule> concatenate_rule(Shape result, const ConcatenateOptions& options);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <shardy/ir/attribute_names.hpp>
#include <shardy/support/detail/math.hpp>
#include <string>
#include <vector>

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> pointwise_rule(std::span<const std::size_t> operand_ranks,
                                                    Shape result,
                                                    std::span<const std::size_t> result_ranks) {
  RuleBuilder builder(operand_ranks, result_ranks);
  const auto mapped = [](std::span<const std::size_t> ranks, std::size_t dim) {
    MappedDims dims(ranks.size());
    for (std::size_t tensor = 0; tensor < ranks.size(); ++tensor) {
      if (dim < ranks[tensor]) dims[tensor] = static_cast<int64_t>(dim);
    }
    return dims;
  };
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    builder.add(mapped(operand_ranks, dim), mapped(result_ranks, dim), {.size = result[dim]});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> scalar_or_pointwise_rule(
    std::span<const std::size_t> operand_ranks, Shape shape) {
  const std::size_t result_ranks[] = {shape.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  builder.add_pointwise(shape);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> broadcast_rule(Shape operand, Shape result,
                                                    std::span<const int64_t> dims) {
  if (dims.size() != operand.size()) {
    return fail("broadcast_dimensions must have one entry per operand dim: " +
                std::to_string(dims.size()) + " != " + std::to_string(operand.size()));
  }
  SHARDY_TRY_STATUS(detail::dim_set(dims, result.size(), ir::attr::kBroadcastDimensions));
  std::vector<std::optional<int64_t>> operand_dims(result.size());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    operand_dims[static_cast<std::size_t>(dims[dim])] = static_cast<int64_t>(dim);
  }
  RuleBuilder builder({operand.size()}, {result.size()});
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    std::optional<int64_t> from = operand_dims[dim];
    if (from && operand[static_cast<std::size_t>(*from)] == 1 && result[dim] != 1) {
      builder.add({from}, {std::nullopt}, {.size = 1});
      from = std::nullopt;
    }
    builder.add({from}, {static_cast<int64_t>(dim)}, {.size = result[dim]});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> bitcast_rule(Shape operand, Shape result) {
  const bool widens = operand.size() > result.size();  // true if elements get more bits
  const Shape shorter = widens ? result : operand;
  const Shape longer = widens ? operand : result;
  if (longer.size() - shorter.size() > 1) return fail("ranks must differ by at most 1");
  RuleBuilder builder({operand.size()}, {result.size()});
  for (std::size_t dim = 0; dim < shorter.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    builder.add({mapped}, {mapped}, {.size = shorter[dim]});
  }
  if (longer.size() == shorter.size()) return builder.build();
  const std::optional<int64_t> last = static_cast<int64_t>(shorter.size());
  const Factor parts{.size = longer.back(), .kind = FactorKind::NeedReplication};
  builder.add({widens ? last : std::nullopt}, {widens ? std::nullopt : last}, parts);
  return builder.build();
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

/// Progress of factoring one side of a reshape. Invariant: `emitted` divides `entered`.
struct ReshapeSide {
  Shape shape;
  std::size_t dim = 0;
  int64_t entered = 1;  // product of the sizes of all dims up to the current one
  int64_t emitted = 1;  // product of all factors so far

  bool done() const { return dim == shape.size(); }
  bool at_one() const { return !done() && shape[dim] == 1; }
  /// Returns the remaining size of the current dim.
  int64_t left() const { return entered / emitted; }
  void enter() {
    if (!done() && entered == emitted) entered *= shape[dim];
  }
  void leave() {
    if (!done() && entered == emitted) ++dim;
  }
  std::optional<int64_t> mapped() const { return static_cast<int64_t>(dim); }
};

/// A builder of the factors of a reshape, major to minor.
class ReshapeFactoring {
 public:
  ReshapeFactoring(Shape operand, Shape result)
      : in_{.shape = operand}, out_{.shape = result}, builder_({operand.size()}, {result.size()}) {}

  Result<OpShardingRule> run() {
    while (!in_.done() || !out_.done()) step();
    return builder_.build();
  }

 private:
  void step();

  void emit_factors();

  void emit_in(int64_t size) {
    builder_.add({in_.mapped()}, {std::nullopt}, {.size = size});
    in_.emitted *= size;
  }
  void emit_out(int64_t size) {
    builder_.add({std::nullopt}, {out_.mapped()}, {.size = size});
    out_.emitted *= size;
  }
  void emit_shared(int64_t size);

  ReshapeSide in_, out_;
  RuleBuilder builder_;
};

/// Returns the next factor of the side whose factors have the smaller product. `common` is the gcd
/// of the remaining sizes of both current dims.
SHARDY_INLINE int64_t catch_up(const ReshapeSide& lagging, const ReshapeSide& leading,
                               int64_t common) {
  const int64_t left = lagging.left();
  if (leading.emitted % lagging.emitted == 0) {
    const int64_t gap = leading.emitted / lagging.emitted;
    if (left % gap == 0) return gap;
  }
  return left > common ? left / common : left;  // keeps `common` for a later shared factor
}

SHARDY_INLINE void ReshapeFactoring::step() {
  if (in_.at_one()) {
    emit_in(1);
    ++in_.dim;
    return;
  }
  if (out_.at_one()) {
    emit_out(1);
    ++out_.dim;
    return;
  }
  in_.enter();
  out_.enter();
  emit_factors();
  in_.leave();
  out_.leave();
}

SHARDY_INLINE void ReshapeFactoring::emit_factors() {
  const int64_t common = gcd(in_.left(), out_.left());
  if (in_.emitted < out_.emitted) {
    emit_in(catch_up(in_, out_, common));
  } else if (out_.emitted < in_.emitted) {
    emit_out(catch_up(out_, in_, common));
  } else if (common > 1) {
    emit_shared(common);
  } else {
    emit_in(in_.left());
    emit_out(out_.left());
  }
}

SHARDY_INLINE void ReshapeFactoring::emit_shared(int64_t size) {
  builder_.add({in_.mapped()}, {out_.mapped()}, {.size = size});
  in_.emitted *= size;
  out_.emitted *= size;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<std::optional<OpShardingRule>> reshape_rule(Shape operand, Shape result) {
  const std::optional<int64_t> from = checked_product(operand);
  const std::optional<int64_t> to = checked_product(result);
  if (!from || !to) return fail("reshape: the number of elements does not fit 64 bits");
  if (*from != *to) {
    return fail("reshape: numbers of elements must match: " + std::to_string(*from) +
                " != " + std::to_string(*to));
  }
  if (*from == 0) return std::optional<OpShardingRule>();
  SHARDY_TRY(OpShardingRule rule, detail::ReshapeFactoring(operand, result).run());
  return std::optional<OpShardingRule>(std::move(rule));
}

SHARDY_INLINE Result<OpShardingRule> transpose_rule(Shape operand,
                                                    std::span<const int64_t> permutation) {
  if (permutation.size() != operand.size()) {
    return fail("permutation must have one entry per dim: " + std::to_string(permutation.size()) +
                " != " + std::to_string(operand.size()));
  }
  SHARDY_TRY_STATUS(detail::dim_set(permutation, operand.size(), ir::attr::kPermutation));
  RuleBuilder builder({operand.size()}, {operand.size()});
  for (std::size_t dim = 0; dim < permutation.size(); ++dim) {
    const int64_t from = permutation[dim];
    builder.add({from}, {static_cast<int64_t>(dim)},
                {.size = operand[static_cast<std::size_t>(from)]});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> reverse_rule(Shape shape, std::span<const int64_t> dims) {
  SHARDY_TRY(const std::vector<bool> is_reversed,
             detail::dim_set(dims, shape.size(), ir::attr::kDimensions));
  RuleBuilder builder({shape.size()}, {shape.size()});
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const FactorKind kind = is_reversed[dim] ? FactorKind::Permutation : FactorKind::PassThrough;
    builder.add_same(dim, {.size = shape[dim], .kind = kind});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> slice_rule(Shape operand, Shape result, bool conservative) {
  RuleBuilder builder({operand.size()}, {result.size()});
  builder.add_mismatched(operand, result, FactorKind::Permutation, conservative);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> dynamic_slice_rule(Shape operand, Shape result,
                                                        std::size_t num_starts) {
  SHARDY_TRY_STATUS(detail::verify_count(num_starts));
  std::vector<std::size_t> operand_ranks(1 + num_starts, 0);
  operand_ranks.front() = operand.size();
  const std::size_t result_ranks[] = {result.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  builder.add_mismatched(operand, result, FactorKind::NeedReplication, true);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> dynamic_update_slice_rule(
    Shape operand, Shape update, const DynamicUpdateSliceOptions& options) {
  if (operand.size() != update.size()) {
    return fail("dynamic_update_slice: ranks must match: " + std::to_string(operand.size()) +
                " != " + std::to_string(update.size()));
  }
  SHARDY_TRY_STATUS(detail::verify_count(options.num_starts));
  std::vector<std::size_t> operand_ranks(2 + options.num_starts, 0);
  operand_ranks[0] = operand_ranks[1] = operand.size();
  const std::size_t result_ranks[] = {operand.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < operand.size(); ++dim) {
    if (operand[dim] == update[dim]) {
      builder.add_same(dim, {.size = operand[dim]});
      continue;
    }
    const auto mapped = static_cast<int64_t>(dim);
    MappedDims operand_dims(operand_ranks.size());
    operand_dims[0] = mapped;
    builder.add(operand_dims, {mapped}, {.size = operand[dim]});
    operand_dims[0] = std::nullopt;
    operand_dims[1] = mapped;
    builder.add(operand_dims, {std::nullopt},
                {.size = update[dim],
                 .kind = options.has_constant_starts ? FactorKind::PassThrough
                                                     : FactorKind::NeedReplication});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> pad_rule(Shape operand, Shape result, bool conservative) {
  RuleBuilder builder({operand.size(), 0}, {result.size()});
  builder.add_mismatched(operand, result, FactorKind::Permutation, conservative);
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> concatenate_rule(Shape result,
                                                      const ConcatenateOptions& options) {
  const int64_t joined_dims[] = {options.dim};
  SHARDY_TRY(const std::vector<bool> is_joined,
             detail::dim_set(joined_dims, result.size(), ir::attr::kDimension));
  SHARDY_TRY_STATUS(detail::verify_count(options.num_operands));
  const std::vector<std::size_t> operand_ranks(options.num_operands, result.size());
  const std::size_t result_ranks[] = {result.size()};
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    Factor factor{.size = result[dim]};
    if (is_joined[dim]) {
      if (options.conservative) continue;
      factor.kind = options.joins_slices ? FactorKind::Permutation : FactorKind::NeedReplication;
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
