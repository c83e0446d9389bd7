// Rules of gather and scatter, which share their construction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/rules/rule_builder.hpp>
#include <span>

namespace shardy::rules {

/// Dims of the three tensors: the input, the indices, and the slices, which are the
/// result of a gather and the updates of a scatter. The lists are the caller's.
struct GatherLayout {
  std::span<const int64_t> window_dims;       // of the slices
  std::span<const int64_t> collapsed_dims;    // of the input
  std::span<const int64_t> input_batching;    // of the input, paired with
  std::span<const int64_t> indices_batching;  // those of the indices
  int64_t index_vector_dim = 0;               // of the indices; their rank: none
  /// Input dims of which windows hold only a part may be sharded. Spec: partitioning 1.2 (I4).
  bool for_lowering = false;
};

/// Properties of a scatter besides its dims.
struct ScatterKind {
  std::size_t num_inputs = 1;  // tensors that are updated together
  /// Its body adds, multiplies, or takes an extremum.
  bool is_reduction = false;
};

namespace detail {

bool holds(std::span<const int64_t> list, std::size_t dim);

/// Adds the factors of a gather, or of a scatter: of one with at least one input.
class GatherFactoring {
 public:
  GatherFactoring(Shape input, Shape indices, Shape slices, const GatherLayout& dims,
                  const ScatterKind& scatter)
      : input_(input),
        indices_(indices),
        slices_(slices),
        dims_(dims),
        num_inputs_(scatter.num_inputs),
        is_reduction_(scatter.is_reduction),
        builder_(make_builder()) {}

  Result<OpShardingRule> run();

 private:
  /// Where a factor is mapped.
  struct Place {
    std::optional<int64_t> input = {}, indices = {}, slices = {};
  };

  bool is_scatter() const { return num_inputs_ > 0; }

  RuleBuilder make_builder() const;

  Status verify() const;

  bool is_skipped(std::size_t input_dim) const {
    return holds(dims_.collapsed_dims, input_dim) || holds(dims_.input_batching, input_dim);
  }

  void add(const Place& at, const Factor& factor);

  void add_window(int64_t slices_dim);

  void add_batch(int64_t slices_dim);

  void add_collapsed();

  Shape input_, indices_, slices_;
  const GatherLayout& dims_;
  std::size_t num_inputs_;  // of a scatter; 0: a gather
  bool is_reduction_;
  RuleBuilder builder_;
  std::size_t next_input_ = 0;  // input dim of the next window dim
  int64_t next_batch_ = 0;      // how many batch dims came before
};

}  // namespace detail

/// Example: rows of a table 1000x64 by indices 8x32 (a scalar index, vector dim 2) -> 8x32x64:
/// `([l, k], [i, j])->([i, j, k]) {i=8, j=32, k=64, l=1000} reduction={l}`. Spec: rules 8.16.
inline Result<OpShardingRule> gather_rule(Shape input, Shape indices, Shape slices,
                                          const GatherLayout& dims) {
  return detail::GatherFactoring(input, indices, slices, dims, {.num_inputs = 0}).run();
}

/// `input` and `updates` are the shapes of the first ones.
///
/// Example: adding 8x32x64 to rows of 1000x64 by indices 8x32x1:
/// `([l, k], [i, j, m], [i, j, k])->([l, k]) {i=8, j=32, k=64, l=1000, m=1} reduction={i, j}
/// need_replication={m}`. Spec: rules 8.16.
Result<OpShardingRule> scatter_rule(Shape input, Shape indices, Shape updates,
                                    const GatherLayout& dims, const ScatterKind& kind);

}  // namespace shardy::rules

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/gather_inl.hpp>
#endif
