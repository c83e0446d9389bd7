#pragma once

#include <shardy/resharding/detail/reference_state.hpp>

namespace shardy::reference {

constexpr bool divide_one_another(const AxisRef& a, const AxisRef& b) {
  return a.size % b.size == 0 || b.size % a.size == 0;
}

/// Decides whether moving and gathering alone, from the back of each dim, would go wrong.
/// Spec: resharding B.5, 2, (c1) to (c5).
class PermuteTest {
 public:
  explicit PermuteTest(const State& state) : state_(state) {}

  bool run();

 private:
  /// (c1), and the last wanted ref that is nowhere yet, for (c2).
  bool swaps_in_place(std::size_t dim);

  /// (c3), (c4): refs for one dim are not adjacent and in its order; (c5): a ref to gather
  /// is after one to move. Notes the last ref to gather, for (c2).
  bool out_of_order(std::size_t dim);

  const State& state_;
  std::optional<AxisRef> free_out_;
  std::optional<AxisRef> free_in_;
};

/// Phase 2: one permutation that keeps the shard counts. Wanted refs first fill the front of each
/// dim, refs for other dims go to its back, refs to gather stand between them. Spec: resharding
/// B.5, 2.
class Rearrangement {
 public:
  explicit Rearrangement(State& state)
      : state_(state), capacity_(state.rank()), leaving_(state.rank()) {}

  void run();

 private:
  /// Puts what the dim wants where it belongs, as long as its shard count allows.
  void place_wanted(std::size_t dim);

  /// Removes unwanted refs from the dim; those that its wanted refs replaced go last.
  void collect_leaving(std::size_t dim, int64_t replaced, const AxisLists& wanted_before);

  static void replace_front(AxisList& list, const std::optional<AxisRef>& rest) {
    if (rest) {
      list.front() = *rest;
    } else {
      list.erase(list.begin());
    }
  }

  void distribute();

  void fill_all(Filler& filler, AxisList& pool, Side side, Filler::Take take_from) {
    for (std::size_t dim = 0; dim < state_.rank(); ++dim) filler.fill(dim, pool, side, take_from);
  }

  State& state_;
  std::vector<int64_t> capacity_;
  AxisList arriving_;  // what some dim wants and no dim could place
  AxisLists leaving_;  // unwanted refs, per dim where they were
};

}  // namespace shardy::reference

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/reference_permute_inl.hpp>
#endif
