// Rules of gather and scatter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>

namespace shardy::rules {

/// Properties of a scatter besides its dim numbers.
struct ScatterKind {
  std::size_t num_inputs = 1;  // number of tensors that are updated together
  /// True if the body adds, multiplies, or computes a minimum or maximum.
  bool is_reduction = false;
};

namespace detail {

bool holds(std::span<const int64_t> list, std::size_t dim);

/// Dim numbers of a gather or scatter under common names. The slices are the result of a gather or
/// the updates of a scatter. Does not own the lists.
struct IndexedDims {
  std::span<const int64_t> window_dims;     // dims of the slices
  std::span<const int64_t> collapsed_dims;  // dims of the input that slices do not have
  std::span<const int64_t> input_batching;  // batch dims of the input, paired with indices_batching
  std::span<const int64_t> indices_batching;  // batch dims of the indices
  std::span<const int64_t> index_map;         // input dim for each component of an index vector
  int64_t index_vector_dim = 0;  // dim of the indices; equal to their rank if indices are scalars

  static IndexedDims of(const ir::GatherDims& dims);
  static IndexedDims of(const ir::ScatterDims& dims);
};

/// A builder of the factors of a gather, or of a scatter with at least one input. In a lowering
/// rule, input dims that windows cover only partly may be sharded. Spec: partitioning 1.2 (I4).
class GatherFactoring {
 public:
  GatherFactoring(Shape input, Shape indices, Shape slices, const IndexedDims& dims,
                  const ScatterKind& scatter, bool for_lowering)
      : input_(input),
        indices_(indices),
        slices_(slices),
        dims_(dims),
        num_inputs_(scatter.num_inputs),
        is_reduction_(scatter.is_reduction),
        for_lowering_(for_lowering),
        builder_(make_builder()) {}

  Result<OpShardingRule> run();

 private:
  /// The dims that have a factor, in input, indices and slices.
  struct FactorDims {
    std::optional<int64_t> input = {}, indices = {}, slices = {};
  };

  bool is_scatter() const { return num_inputs_ > 0; }

  RuleBuilder make_builder() const;

  Status verify() const;

  bool is_skipped(std::size_t input_dim) const {
    return holds(dims_.collapsed_dims, input_dim) || holds(dims_.input_batching, input_dim);
  }

  void add(const FactorDims& at, const Factor& factor);

  void add_window(int64_t slices_dim);

  void add_batch(int64_t slices_dim);

  void add_collapsed();

  Shape input_, indices_, slices_;
  IndexedDims dims_;
  std::size_t num_inputs_;  // number of inputs of a scatter; 0 for a gather
  bool is_reduction_;
  bool for_lowering_;
  RuleBuilder builder_;
  std::size_t next_input_ = 0;  // input dim of the next window dim
  int64_t next_batch_ = 0;      // number of batch dims added so far
};

}  // namespace detail

/// Returns the rule of a gather. Example: rows of a 1000x64 table by 8x32 scalar indices
/// (index_vector_dim 2) -> 8x32x64: `([l, k], [i, j])->([i, j, k]) {i=8, j=32, k=64, l=1000}
/// reduction={l}`. Spec: rules 8.16.
Result<OpShardingRule> gather_rule(Shape input, Shape indices, Shape slices,
                                   const ir::GatherDims& dims);

/// Returns the rule of a scatter. `input` and `updates` are the shapes of the first input and of
/// the first updates.
///
/// Example: adding 8x32x64 to rows of 1000x64 by indices 8x32x1:
/// `([l, k], [i, j, m], [i, j, k])->([l, k]) {i=8, j=32, k=64, l=1000, m=1} reduction={i, j}
/// need_replication={m}`. Spec: rules 8.16.
Result<OpShardingRule> scatter_rule(Shape input, Shape indices, Shape updates,
                                    const ir::ScatterDims& dims, const ScatterKind& kind);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <vector>

namespace shardy::rules::detail {

SHARDY_INLINE bool holds(std::span<const int64_t> list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

SHARDY_INLINE IndexedDims IndexedDims::of(const ir::GatherDims& dims) {
  return {dims.offset_dims,           dims.collapsed_slice_dims,
          dims.operand_batching_dims, dims.start_indices_batching_dims,
          dims.start_index_map,       dims.index_vector_dim};
}

SHARDY_INLINE IndexedDims IndexedDims::of(const ir::ScatterDims& dims) {
  return {dims.update_window_dims,           dims.inserted_window_dims,
          dims.input_batching_dims,          dims.scatter_indices_batching_dims,
          dims.scatter_dims_to_operand_dims, dims.index_vector_dim};
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
  SHARDY_TRY_STATUS(detail::dim_set(dims_.window_dims, slices_.size(), "window dims"));
  SHARDY_TRY_STATUS(detail::dim_set(dims_.collapsed_dims, input_.size(), "collapsed dims"));
  SHARDY_TRY_STATUS(detail::dim_set(dims_.input_batching, input_.size(), "batching dims"));
  SHARDY_TRY_STATUS(detail::dim_set(dims_.indices_batching, indices_.size(), "batching dims"));
  if (dims_.input_batching.size() != dims_.indices_batching.size()) {
    return fail("batching dims of the input and of the indices must be as many");
  }
  if (dims_.index_vector_dim >= 0) return {};
  return fail("index_vector_dim must not be negative");
}

SHARDY_INLINE void GatherFactoring::add(const FactorDims& at, const Factor& factor) {
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
  } else if (!is_scatter() && window != 1 && !for_lowering_) {
    add({.input = input_dim, .slices = slices_dim},
        {.size = whole, .kind = FactorKind::NeedReplication, .is_blocked = true});
  } else {
    const FactorKind of_updated =
        for_lowering_ ? FactorKind::PassThrough : FactorKind::NeedReplication;
    const FactorKind of_input = is_scatter() ? of_updated : FactorKind::Reduction;
    add({.input = input_dim}, {.size = whole, .kind = of_input});
    add({.slices = slices_dim}, {.size = window, .kind = FactorKind::NeedReplication});
  }
}

SHARDY_INLINE void GatherFactoring::add_batch(int64_t slices_dim) {
  const int64_t indices_dim = next_batch_ + (next_batch_ < dims_.index_vector_dim ? 0 : 1);
  ++next_batch_;
  FactorDims at{.indices = indices_dim, .slices = slices_dim};
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

SHARDY_INLINE Result<OpShardingRule> gather_rule(Shape input, Shape indices, Shape slices,
                                                 const ir::GatherDims& dims) {
  return detail::GatherFactoring(input, indices, slices, detail::IndexedDims::of(dims),
                                 {.num_inputs = 0}, false)
      .run();
}

SHARDY_INLINE Result<OpShardingRule> scatter_rule(Shape input, Shape indices, Shape updates,
                                                  const ir::ScatterDims& dims,
                                                  const ScatterKind& kind) {
  if (kind.num_inputs == 0) return fail("expected at least one input");
  SHARDY_TRY_STATUS(detail::verify_count(kind.num_inputs));
  return detail::GatherFactoring(input, indices, updates, detail::IndexedDims::of(dims), kind,
                                 false)
      .run();
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
