// Rules of reduce_window and select_and_scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>
#include <vector>

namespace shardy::rules {

/// One dim of a window. Dilation does not matter to rules.
struct WindowDim {
  int64_t size = 1, stride = 1;  // elements of a window, step between windows
  int64_t low = 0, high = 0;     // padding before and after

  /// Every window is one element, at the place of the window's number.
  bool passes() const { return size == 1 && stride == 1 && low == 0 && high == 0; }
};

/// As many initial values as inputs and results. Sizes of the result; dims along which windows are
/// more than single elements are permutation factors, in a conservative rule blocked ones.
///
/// Example: 32x6 -> 16x6, window 2x1, stride 2x1:
/// `([i, j], [])->([i, j]) {i=16, j=6} permutation={i}`. Spec: rules 8.19.
Result<OpShardingRule> reduce_window_rule(Shape result, const std::vector<WindowDim>& window,
                                          std::size_t num_inputs = 1, bool conservative = false);

/// Operands: the tensor, the source, the initial value.
///
/// Example: 16x8, source 8x8, window 2x1, stride 2x1:
/// `([j, k], [i, k], [])->([j, k]) {i=8, j=16, k=8} need_replication={i} permutation={j}`.
/// Spec: rules 8.23.
Result<OpShardingRule> select_and_scatter_rule(Shape result, Shape source,
                                               const std::vector<WindowDim>& window,
                                               bool conservative = false);

/// Returns the lowering rule: windows are sharded like the dims that they move along.
///
/// Example: the same: `([i, j], [i, j], [])->([i, j]) {i=16, j=8} permutation={i}`.
/// Spec: partitioning 1.2 (I4).
Result<OpShardingRule> select_and_scatter_lowering_rule(Shape result,
                                                        const std::vector<WindowDim>& window);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <optional>
#include <string>

namespace shardy::rules::detail {

SHARDY_INLINE Status verify_window(Shape result, const std::vector<WindowDim>& window) {
  if (window.size() == result.size()) return {};
  return fail("window must have one entry per dim: " + std::to_string(window.size()) +
              " != " + std::to_string(result.size()));
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> reduce_window_rule(Shape result,
                                                        const std::vector<WindowDim>& window,
                                                        std::size_t num_inputs, bool conservative) {
  SHARDY_TRY_STATUS(detail::verify_window(result, window));
  SHARDY_TRY_STATUS(detail::verify_count(num_inputs));
  std::vector<std::size_t> operand_ranks(num_inputs, result.size());
  operand_ranks.resize(2 * num_inputs, 0);
  const std::vector<std::size_t> result_ranks(num_inputs, result.size());
  RuleBuilder builder(operand_ranks, result_ranks);
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    Factor factor{.size = result[dim]};
    if (!window[dim].passes()) {
      factor.kind = FactorKind::Permutation;
      factor.is_blocked = conservative;
    }
    builder.add_same(dim, factor);
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> select_and_scatter_rule(Shape result, Shape source,
                                                             const std::vector<WindowDim>& window,
                                                             bool conservative) {
  SHARDY_TRY_STATUS(detail::verify_window(result, window));
  if (source.size() != result.size()) return fail("source and result must have one rank");
  RuleBuilder builder({result.size(), source.size(), 0}, {result.size()});
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    if (window[dim].passes()) {
      builder.add_same(dim, {.size = result[dim]});
      continue;
    }
    const auto mapped = static_cast<int64_t>(dim);
    builder.add(
        {std::nullopt, mapped, std::nullopt}, {std::nullopt},
        {.size = source[dim], .kind = FactorKind::NeedReplication, .is_blocked = conservative});
    builder.add({mapped, std::nullopt, std::nullopt}, {mapped},
                {.size = result[dim], .kind = FactorKind::Permutation, .is_blocked = conservative});
  }
  return builder.build();
}

SHARDY_INLINE Result<OpShardingRule> select_and_scatter_lowering_rule(
    Shape result, const std::vector<WindowDim>& window) {
  SHARDY_TRY_STATUS(detail::verify_window(result, window));
  RuleBuilder builder({result.size(), result.size(), 0}, {result.size()});
  for (std::size_t dim = 0; dim < result.size(); ++dim) {
    const FactorKind kind =
        window[dim].passes() ? FactorKind::PassThrough : FactorKind::Permutation;
    builder.add_same(dim, {.size = result[dim], .kind = kind});
  }
  return builder.build();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
