// Rules of ops that do not propagate but that can be partitioned.
#pragma once

#include <shardy/ir/attribute.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::rules {

/// Returns the lowering rule of an op that has no propagation rule, such as elementwise CHLO
/// functions, map, broadcast and einsum; std::nullopt for other ops. Spec: partitioning 8.
RuleResult lowering_only_rule(const OpView& op);

/// Returns the rule of chlo.top_k or a custom call `mhlo.topk`. The ranked dim stays sharded if all
/// shards together have fewer candidates than the dim has elements. Spec: partitioning 8.18.
RuleResult ranking_rule(const OpView& op);

/// Returns the dim that a sort sorts; std::nullopt if it is invalid, or if the comparator is not
/// known to be a total order. Requires: a sort.
std::optional<std::size_t> totally_sorted_dim(const ir::Module& module, ir::OpId op);

/// Checks whether a sorted dim of `shards` shards is sorted by exchanging tiles. Conditions: no
/// other dim can be sharded along the axes; the exchange sends less than an all-gather of the dim;
/// the comparator is known to be a total order. Requires: a sort. Spec: partitioning 8.18.
bool sorts_by_exchange(const ir::Module& module, ir::OpId op, int64_t shards);

/// Returns the lowering rule of a sort. The sorted dim stays sharded if sorts_by_exchange.
RuleResult sort_lowering_rule(const OpView& op, const OpShardingRule& rule);

/// Returns the rule of an einsum such as "ij,jk->ik": one factor per letter; letters that the
/// result does not have are reductions. Returns std::nullopt for invalid text, or if a tensor has a
/// letter twice.
///
/// Example: 4x8, 8x2: `([i, j], [j, k])->([i, k]) {i=4, j=8, k=2} reduction={j}`.
RuleResult lettered_rule(std::string_view equation, std::span<const Shape> operands, Shape result);

/// Returns the rule of an elementwise op with NumPy broadcasting. `targets` has the result dim for
/// each operand dim. Broadcast dims of size 1 have their own factors.
///
/// Example: 4x1, 8 -> 4x8: `([i, k], [j])->([i, j]) {i=4, j=8, k=1}`.
Result<OpShardingRule> stretched_rule(std::span<const Shape> operands,
                                      std::span<const std::vector<int64_t>> targets, Shape result);

/// Returns the rule of a batch normalization op, whose tensors have the shape of the input or one
/// element per feature. Example: 4x8, 8, 8 -> 4x8, 8, 8, feature dim 1: `([i, j], [j], [j])->([i,
/// j], [j], [j]) {i=4, j=8}`.
Result<OpShardingRule> per_feature_rule(std::span<const std::size_t> operand_ranks,
                                        std::span<const std::size_t> result_ranks, Shape input,
                                        int64_t feature_dim);

/// Returns the rule of chlo.ragged_dot: a dot whose rhs has a group dim. The group dim is a
/// reduction, because the slice of a group contributes only to the rows of the group. Group sizes
/// are replicated along the groups.
///
/// Example, ragged rows: 8x4, 2x4x6, 2: `([i, k], [l, k, j], [m])->([i, j]) {i=8, j=6, k=4, l=2,
/// m=2} reduction={k, l} need_replication={m}`.
Result<OpShardingRule> ragged_dot_rule(Shape lhs, Shape rhs, Shape sizes,
                                       const ir::RaggedDotDims& dims);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/window_ops.hpp>
#include <shardy/rules/linear.hpp>
#include <shardy/support/detail/math.hpp>
#include <string>

namespace shardy::rules {

/// Returns the operands of an equation without spaces, such as `ab,bc->ac`, then its result; an
/// empty list if the equation has no arrow.
SHARDY_INLINE std::vector<std::string> tensors_of(const std::string& equation) {
  std::vector<std::string> tensors;
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return tensors;
  for (std::size_t at = 0; at <= arrow;) {
    const std::size_t end = std::min(equation.find(',', at), arrow);
    tensors.push_back(equation.substr(at, end - at));
    at = end + 1;
  }
  tensors.push_back(equation.substr(arrow + 2));
  return tensors;
}

/// Checks that `letters` has one letter per dim, without repetition.
SHARDY_INLINE bool is_plain(std::string letters, Shape shape) {
  std::ranges::sort(letters);
  return std::ranges::adjacent_find(letters) == letters.end() &&
         letters.find('.') == std::string::npos && letters.size() == shape.size();
}

SHARDY_INLINE RuleResult lettered_rule(std::string_view equation, std::span<const Shape> operands,
                                       Shape result) {
  std::string text(equation);
  std::erase(text, ' ');
  const std::vector<std::string> tensors = tensors_of(text);
  if (tensors.size() != operands.size() + 1) return std::optional<OpShardingRule>();
  std::string letters;  // letters in the order of the factors
  std::vector<int64_t> sizes;
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    const Shape shape = tensor < operands.size() ? operands[tensor] : result;
    if (!is_plain(tensors[tensor], shape)) return std::optional<OpShardingRule>();
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      if (letters.find(tensors[tensor][dim]) != std::string::npos) continue;
      letters += tensors[tensor][dim];
      sizes.push_back(shape[dim]);
    }
  }
  std::vector<std::size_t> ranks;
  for (const Shape shape : operands) ranks.push_back(shape.size());
  const std::size_t result_ranks[] = {result.size()};
  RuleBuilder builder(ranks, result_ranks);
  for (std::size_t factor = 0; factor < letters.size(); ++factor) {
    MappedDims dims;
    for (const std::string& tensor : tensors) {
      const std::size_t dim = tensor.find(letters[factor]);
      dims.push_back(dim == std::string::npos ? std::nullopt
                                              : std::optional(static_cast<int64_t>(dim)));
    }
    const std::optional<int64_t> kept = dims.back();
    dims.pop_back();
    builder.add(
        dims, {kept},
        {.size = sizes[factor], .kind = kept ? FactorKind::PassThrough : FactorKind::Reduction});
  }
  SHARDY_TRY(OpShardingRule rule, builder.build());
  return std::optional<OpShardingRule>(std::move(rule));
}

SHARDY_INLINE Result<OpShardingRule> stretched_rule(std::span<const Shape> operands,
                                                    std::span<const std::vector<int64_t>> targets,
                                                    Shape result) {
  if (targets.size() != operands.size()) return fail("expected as many targets as operands");
  std::vector<std::size_t> ranks;
  for (const Shape shape : operands) ranks.push_back(shape.size());
  const std::size_t result_ranks[] = {result.size()};
  RuleBuilder builder(ranks, result_ranks);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    const auto mapped = static_cast<int64_t>(dim);
    MappedDims dims(operands.size());
    for (std::size_t index = 0; index < operands.size(); ++index) {
      const auto from = std::ranges::find(targets[index], mapped);
      if (from == targets[index].end()) continue;
      const auto own = static_cast<std::size_t>(from - targets[index].begin());
      if (own >= operands[index].size()) return fail("expected one target per dim");
      if (operands[index][own] == result[dim]) dims[index] = static_cast<int64_t>(own);
    }
    builder.add(dims, {mapped}, {.size = result[dim]});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> per_feature_rule(std::span<const std::size_t> operand_ranks,
                                                      std::span<const std::size_t> result_ranks,
                                                      Shape input, int64_t feature_dim) {
  const int64_t feature[] = {feature_dim};
  SHARDY_TRY(const std::vector<bool> is_feature,
             detail::dim_set(feature, input.size(), ir::attr::kFeatureIndex));
  RuleBuilder builder(operand_ranks, result_ranks);
  const auto mapped = [&](std::span<const std::size_t> ranks, std::size_t dim) {
    MappedDims dims(ranks.size());
    for (std::size_t tensor = 0; tensor < ranks.size(); ++tensor) {
      const bool is_vector = ranks[tensor] == 1 && input.size() != 1;
      if (!is_vector) dims[tensor] = static_cast<int64_t>(dim);
      if (is_vector && is_feature[dim]) dims[tensor] = 0;
    }
    return dims;
  };
  for (std::size_t dim = 0; dim < input.size(); ++dim) {
    builder.add(mapped(operand_ranks, dim), mapped(result_ranks, dim), {.size = input[dim]});
  }
  return builder.build();
}

/// A builder of the factors of a ragged dot, by kind of dim.
class RaggedDotRule {
 public:
  RaggedDotRule(Shape lhs, Shape rhs, Shape sizes, const ir::RaggedDotDims& dims)
      : lhs_(lhs),
        rhs_(rhs),
        sizes_(sizes),
        dims_(dims),
        mode_(ir::ragged_mode(dims)),
        prefix_(ir::ragged_prefix(dims, std::ssize(lhs))) {}

  Result<OpShardingRule> run() {
    const auto lhs_free =
        ir::ragged_free_dims(std::ssize(lhs_), dims_.lhs_batch, dims_.lhs_contracting);
    const auto rhs_free = ir::ragged_free_dims(std::ssize(rhs_), dims_.rhs_batch,
                                               dims_.rhs_contracting, dims_.rhs_group);
    const bool has_groups = mode_ == ir::RaggedMode::Contracting;
    const std::size_t rank =
        dims_.lhs_batch.size() + lhs_free.size() + rhs_free.size() + (has_groups ? 1 : 0);
    RuleBuilder builder({lhs_.size(), rhs_.size(), sizes_.size()}, {rank});
    const int64_t num_groups = sizes_.back();
    int64_t at = 0;
    if (has_groups) builder.add({{}, {}, {}}, {at++}, {.size = num_groups});
    for (std::size_t pair = 0; pair < dims_.lhs_batch.size(); ++pair) {
      const int64_t dim = dims_.lhs_batch[pair];
      builder.add({dim, dims_.rhs_batch[pair], in_sizes(dim)}, {at++}, {.size = size(lhs_, dim)});
    }
    for (const int64_t dim : lhs_free) {
      builder.add({dim, {}, in_sizes(dim)}, {at++}, {.size = size(lhs_, dim)});
    }
    for (const int64_t dim : rhs_free) {
      builder.add({{}, dim, {}}, {at++}, {.size = size(rhs_, dim)});
    }
    for (std::size_t pair = 0; pair < dims_.lhs_contracting.size(); ++pair) {
      const int64_t dim = dims_.lhs_contracting[pair];
      builder.add({dim, dims_.rhs_contracting[pair], in_sizes(dim)}, {std::nullopt},
                  {.size = size(lhs_, dim), .kind = FactorKind::Reduction});
    }
    if (!dims_.rhs_group.empty()) {
      builder.add({{}, dims_.rhs_group.front(), {}}, {std::nullopt},
                  {.size = num_groups, .kind = FactorKind::Reduction});
    }
    builder.add({{}, {}, std::ssize(sizes_) - 1}, {std::nullopt},
                {.size = num_groups, .kind = FactorKind::NeedReplication});
    return builder.build();
  }

 private:
  static int64_t size(Shape shape, int64_t dim) { return shape[static_cast<std::size_t>(dim)]; }

  /// Returns the dim of the group sizes that corresponds to dim `dim` of lhs, if any.
  std::optional<int64_t> in_sizes(int64_t dim) const {
    const auto found = std::ranges::find(prefix_, dim);
    if (sizes_.size() == 1 || found == prefix_.end()) return std::nullopt;
    return found - prefix_.begin();
  }

  Shape lhs_, rhs_, sizes_;
  const ir::RaggedDotDims& dims_;
  ir::RaggedMode mode_;
  std::vector<int64_t> prefix_;
};

namespace detail {

SHARDY_INLINE Status verify_dims(std::span<const int64_t> dims, std::size_t rank,
                                 std::string_view side) {
  for (const int64_t dim : dims) {
    if (dim >= 0 && static_cast<std::size_t>(dim) < rank) continue;
    return fail("no dim " + std::to_string(dim) + " in " + std::string(side) + " of rank " +
                std::to_string(rank));
  }
  return {};
}

}  // namespace detail

SHARDY_INLINE Result<OpShardingRule> ragged_dot_rule(Shape lhs, Shape rhs, Shape sizes,
                                                     const ir::RaggedDotDims& dims) {
  if (dims.lhs_ragged.size() != 1) return fail("expected exactly one ragged dim");
  if (dims.lhs_batch.size() != dims.rhs_batch.size() ||
      dims.lhs_contracting.size() != dims.rhs_contracting.size()) {
    return fail("expected as many batching and as many contracting dims on both sides");
  }
  if (dims.rhs_group.size() > 1) return fail("expected at most one group dim");
  for (const auto* list : {&dims.lhs_batch, &dims.lhs_contracting, &dims.lhs_ragged}) {
    SHARDY_TRY_STATUS(detail::verify_dims(*list, lhs.size(), "lhs"));
  }
  for (const auto* list : {&dims.rhs_batch, &dims.rhs_contracting, &dims.rhs_group}) {
    SHARDY_TRY_STATUS(detail::verify_dims(*list, rhs.size(), "rhs"));
  }
  return RaggedDotRule(lhs, rhs, sizes, dims).run();
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

SHARDY_INLINE std::vector<Shape> operand_shapes(const OpView& op) {
  std::vector<Shape> shapes;
  for (std::size_t index = 0; index < op.num_operands(); ++index) {
    shapes.push_back(op.operand_shape(index));
  }
  return shapes;
}

SHARDY_INLINE RuleResult einsum_of(const OpView& op, const RuleOptions&) {
  const auto* equation = op.attribute<std::string>(ir::attr::kEinsumConfig);
  if (equation == nullptr) return std::optional<OpShardingRule>();
  const std::vector<Shape> operands = operand_shapes(op);
  return lettered_rule(*equation, operands, op.result_shape());
}

/// Returns the rule of a `broadcast`, which adds new major dims.
SHARDY_INLINE RuleResult leading_broadcast_of(const OpView& op, const RuleOptions&) {
  std::vector<std::vector<int64_t>> targets(1, std::vector<int64_t>(op.operand_shape(0).size()));
  std::iota(targets[0].begin(), targets[0].end(),
            std::ssize(op.result_shape()) - std::ssize(op.operand_shape(0)));
  const std::vector<Shape> operands = operand_shapes(op);
  return stretched_rule(operands, targets, op.result_shape());
}

/// Returns the rule of a CHLO op that broadcasts its operands. `broadcast_dimensions` are the
/// result dims of the operand of lower rank. Spec: stablehlo 29.
SHARDY_INLINE RuleResult stretched_of(const OpView& op, const RuleOptions&) {
  const std::vector<Shape> operands = operand_shapes(op);
  const Shape result = op.result_shape();
  const auto* written = op.attribute<ir::DenseArrayAttr>(ir::attr::kBroadcastDimensions);
  std::vector<std::vector<int64_t>> targets;
  for (const Shape shape : operands) {
    targets.emplace_back(shape.size());
    std::iota(targets.back().begin(), targets.back().end(), std::ssize(result) - std::ssize(shape));
    const bool is_written = written != nullptr && shape.size() < result.size() &&
                            written->values.size() == shape.size();
    if (is_written) targets.back() = written->values;
  }
  return stretched_rule(operands, targets, result);
}

SHARDY_INLINE RuleResult batch_norm_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const int64_t feature_dim, op.integer(ir::attr::kFeatureIndex));
  return per_feature_rule(op.operand_ranks(), op.result_ranks(), op.operand_shape(0), feature_dim);
}

SHARDY_INLINE RuleResult ragged_dot_of(const OpView& op, const RuleOptions&) {
  const auto* dims = op.attribute<ir::RaggedDotDims>(ir::attr::kRaggedDotDimensionNumbers);
  if (dims == nullptr) return std::optional<OpShardingRule>();
  SHARDY_TRY(OpShardingRule rule,
             ragged_dot_rule(op.operand_shape(0), op.operand_shape(1), op.operand_shape(2), *dims));
  return std::optional<OpShardingRule>(std::move(rule));
}

SHARDY_INLINE RuleResult chlo_top_k_of(const OpView& op, const RuleOptions&) {
  if (op.num_results() != 2) return std::optional<OpShardingRule>();
  return top_k_lowering_rule(op.operand_shape(0), op.result_shape(), Ranking::Whole);
}

SHARDY_INLINE std::optional<std::size_t> sorted_dim(const ir::Module& module, ir::OpId op) {
  const auto* given = module.attribute<ir::IntegerAttr>(op, ir::attr::kDimension);
  const int64_t rank = module.type(module.operand(op, 0)).rank();
  const int64_t dim =
      (given != nullptr ? given->value : -1) + (given != nullptr && given->value >= 0 ? 0 : rank);
  if (dim < 0 || dim >= rank) return std::nullopt;
  return static_cast<std::size_t>(dim);
}

/// Checks whether equal elements compare in the same way with every third element. The check is
/// conservative: it rejects LE, GE, and comparisons of floats without TOTALORDER, because NaN has
/// no order.
SHARDY_INLINE bool is_total_order(const ir::Module& module, ir::OpId op) {
  const auto blocks = module.blocks(module.regions(op).front());
  for (const ir::OpId inner : module.ops(blocks.front())) {
    if (!module.regions(inner).empty()) return false;
    if (!module.is(inner, ir::OpKind::Compare)) continue;
    const auto* direction = module.attribute<ir::EnumAttr>(inner, ir::attr::kComparisonDirection);
    const auto* type = module.attribute<ir::EnumAttr>(inner, ir::attr::kCompareType);
    if (direction == nullptr) return false;
    if (direction->value == "EQ" || direction->value == "NE") continue;
    const bool is_partial = ir::is_float(module.type(module.operand(inner, 0)).element()) &&
                            (type == nullptr || type->value != "TOTALORDER");
    if (is_partial || direction->value == "LE" || direction->value == "GE") return false;
  }
  return true;
}

struct LoweringRow {
  ir::OpKind kind;
  RuleResult (*make)(const OpView&, const RuleOptions&);
};

inline constexpr LoweringRow kLoweringRows[] = {
    {ir::OpKind::BatchNormGrad, &batch_norm_of},    {ir::OpKind::BatchNormTraining, &batch_norm_of},
    {ir::OpKind::Broadcast, &leading_broadcast_of}, {ir::OpKind::ChloRaggedDot, &ragged_dot_of},
    {ir::OpKind::ChloTopK, &chlo_top_k_of},         {ir::OpKind::Einsum, &einsum_of},
    {ir::OpKind::UnaryEinsum, &einsum_of},
};

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE RuleResult ranking_rule(const OpView& op) {
  const ir::Module& module = op.module();
  const ir::ValueId operand = module.operand(op.op(), 0);
  const Shape shape = op.operand_shape(0);
  const auto sharding = ir::get_sharding_bypassing_barriers(module, operand);
  Ranking ranking = Ranking::Whole;
  if (op.kind() == ir::OpKind::ChloTopK && sharding && !sharding->dims().empty()) {
    const int64_t tile = ceil_div(shape.back(), sharding_size(sharding->dims().back().axes));
    const auto bytes = static_cast<int64_t>(ir::size_bytes(module.type(operand).element()));
    // Candidates are sent with 4-byte indices.
    if (op.result_shape().back() < ceil_div(tile * bytes, bytes + 4)) ranking = Ranking::Shards;
  }
  return top_k_lowering_rule(shape, op.result_shape(), ranking);
}

SHARDY_INLINE std::optional<std::size_t> totally_sorted_dim(const ir::Module& module, ir::OpId op) {
  return detail::is_total_order(module, op) ? detail::sorted_dim(module, op) : std::nullopt;
}

SHARDY_INLINE bool sorts_by_exchange(const ir::Module& module, ir::OpId op, int64_t shards) {
  constexpr int64_t kMostShards = 1024;  // more shards would need more than 55 rounds
  if (shards < 2 || shards > kMostShards || (shards & (shards - 1)) != 0) return false;
  const Shape shape = module.type(module.operand(op, 0)).dims();
  const auto long_dims = std::ranges::count_if(shape, [](int64_t dim) { return dim != 1; });
  const std::optional<std::size_t> dim = totally_sorted_dim(module, op);
  if (!dim || long_dims != 1 || shape[*dim] == 1) return false;
  int64_t levels = 0;
  while (int64_t{1} << levels < shards) ++levels;
  int64_t bytes = 0;  // bytes of one element of each operand
  for (const ir::ValueId operand : module.operands(op)) {
    bytes += static_cast<int64_t>(ir::size_bytes(module.type(operand).element()));
  }
  // Elements are sent with their indices: 4 bytes, or 8 bytes for large dims.
  const int64_t place = shape[*dim] < (int64_t{1} << 30) ? 4 : 8;
  const int64_t rounds = levels * (levels + 1) / 2;
  return rounds * (bytes + place) < (shards - 1) * bytes;
}

SHARDY_INLINE RuleResult sort_lowering_rule(const OpView& op, const OpShardingRule& rule) {
  const ir::Module& module = op.module();
  const auto sharding = ir::get_sharding_bypassing_barriers(module, module.operand(op.op(), 0));
  const std::optional<std::size_t> dim = detail::sorted_dim(module, op.op());
  if (!sharding || !dim || *dim >= sharding->dims().size()) return std::optional(rule);
  const int64_t shards = sharding_size(sharding->dims()[*dim].axes);
  if (!sorts_by_exchange(module, op.op(), shards)) return std::optional(rule);
  OpShardingRule::Parts parts = rule.parts();
  parts.permutation = std::move(parts.need_replication);
  parts.need_replication.clear();
  SHARDY_TRY(OpShardingRule changed, OpShardingRule::make(std::move(parts)));
  return std::optional(std::move(changed));
}

SHARDY_INLINE RuleResult lowering_only_rule(const OpView& op) {
  if (op.num_operands() == 0 || op.num_results() == 0) return std::optional<OpShardingRule>();
  if (ir::has_trait(op.kind(), ir::kPointwise)) return detail::pointwise_of(op, {});
  if (ir::has_trait(op.kind(), ir::kStretching)) return detail::stretched_of(op, {});
  const auto* row = std::ranges::find(detail::kLoweringRows, op.kind(), &detail::LoweringRow::kind);
  if (row == std::end(detail::kLoweringRows)) return std::optional<OpShardingRule>();
  return row->make(op, {});
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
