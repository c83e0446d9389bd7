#pragma once

#include <shardy/resharding/detail/reference_state.hpp>
#include <shardy/support/detail/inline.hpp>

namespace shardy::reference {

constexpr bool divide_one_another(const AxisRef& a, const AxisRef& b) {
  return a.size % b.size == 0 || b.size % a.size == 0;
}

/// The test whether moving and gathering refs from the end of each dim would need extra steps, so
/// that phase 2 permutes first. Spec: resharding B.5, phase 2, (c1) to (c5).
class PermuteTest {
 public:
  explicit PermuteTest(const ReferenceState& state) : state_(state) {}

  bool run();

 private:
  /// Checks (c1). Records the last needed ref that is on no dim, for (c2).
  bool swaps_in_place(std::size_t dim);

  /// Checks (c3) and (c4): refs for one other dim are not adjacent or not in its order; and (c5): a
  /// ref to gather follows a ref to move. Records the last ref to gather, for (c2).
  bool out_of_order(std::size_t dim);

  const ReferenceState& state_;
  std::optional<AxisRef> free_out_;
  std::optional<AxisRef> free_in_;
};

/// Phase 2: one permutation of refs that keeps the number of shards of each dim. Each dim gets its
/// own needed refs first, then refs to gather, then refs for other dims. Spec: resharding B.5,
/// phase 2.
class Rearrangement {
 public:
  explicit Rearrangement(ReferenceState& state)
      : state_(state), capacity_(state.rank()), leaving_(state.rank()) {}

  void run();

 private:
  /// Places the needed refs of the dim at their positions, as far as the number of shards allows.
  void place_wanted(std::size_t dim);

  /// Removes refs that the dim does not need. Refs that needed refs replaced are last.
  void collect_leaving(std::size_t dim, int64_t replaced, const AxisLists& wanted_before);

  static void replace_front(AxisList& list, const std::optional<AxisRef>& rest) {
    if (rest) {
      list.front() = *rest;
    } else {
      list.erase(list.begin());
    }
  }

  void distribute();

  void fill_all(Filler& filler, AxisList& pool, FillSide side, Filler::SplitFunction take_from) {
    for (std::size_t dim = 0; dim < state_.rank(); ++dim) filler.fill(dim, pool, side, take_from);
  }

  ReferenceState& state_;
  std::vector<int64_t> capacity_;
  AxisList arriving_;  // refs that some dim needs and that could not be placed yet
  AxisLists leaving_;  // refs that are not needed, for each dim that had them
};

}  // namespace shardy::reference

#ifdef SHARDY_BODIES
namespace shardy::reference {

SHARDY_INLINE bool PermuteTest::run() {
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    if (swaps_in_place(dim) || out_of_order(dim)) return true;
  }
  return free_out_ && free_in_ && divide_one_another(*free_out_, *free_in_);  // condition (c2)
}

SHARDY_INLINE bool PermuteTest::swaps_in_place(std::size_t dim) {
  const AxisList& in = state_.in[dim];
  const AxisList& out = state_.out[dim];
  if (!in.empty() && !out.empty() && divide_one_another(in.front(), out.front())) return true;
  for (const AxisRef& ref : out) {
    if (!state_.is_used(ref)) free_out_ = ref;
  }
  return false;
}

SHARDY_INLINE bool PermuteTest::out_of_order(std::size_t dim) {
  std::optional<GoalPosition> last;
  std::vector<std::size_t> seen;
  for (const AxisRef& ref : state_.in[dim]) {
    const std::optional<GoalPosition> place = state_.wanted(ref);
    if (!place) {
      if (last && state_.out[dim].empty()) return true;
      free_in_ = ref;
      last.reset();
      continue;
    }
    const bool known = place->dim == dim || std::ranges::find(seen, place->dim) != seen.end();
    if (known && !(last && *place == GoalPosition{last->dim, last->index + 1})) return true;
    seen.push_back(place->dim);
    last = place;
  }
  return false;
}

SHARDY_INLINE void Rearrangement::run() {
  const AxisLists before = state_.out;
  state_.used.clear();
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    capacity_[dim] = sharding_size(state_.in[dim]);
    remove_suffix(state_.cur[dim], state_.in[dim]);
    const int64_t freed = capacity_[dim];
    place_wanted(dim);
    collect_leaving(dim, freed / capacity_[dim], before);
  }
  distribute();
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    for (const AxisRef& ref : state_.in[dim]) append_or_merge(state_.cur[dim], ref);
  }
}

SHARDY_INLINE void Rearrangement::place_wanted(std::size_t dim) {
  AxisList& out = state_.out[dim];
  while (!out.empty()) {
    const std::optional<SplitRef> taken = take(out.front(), capacity_[dim]);
    if (!taken) break;
    append_or_merge(state_.cur[dim], taken->part);
    replace_front(out, taken->rest);
  }
  append(arriving_, out);
}

SHARDY_INLINE void Rearrangement::collect_leaving(std::size_t dim, int64_t replaced,
                                                  const AxisLists& wanted_before) {
  AxisList rest;
  for (const AxisRef& ref : state_.in[dim]) {
    const auto has_ref = [&](const AxisList& list) { return std::ranges::count(list, ref) != 0; };
    if (std::ranges::none_of(wanted_before, has_ref)) rest.push_back(ref);
  }
  state_.in[dim].clear();
  AxisList last;
  while (!rest.empty()) {
    const std::optional<SplitRef> taken = take(rest.front(), replaced);
    if (!taken) break;
    last.push_back(taken->part);
    replace_front(rest, taken->rest);
  }
  leaving_[dim] = std::move(rest);
  append(leaving_[dim], last);
}

SHARDY_INLINE void Rearrangement::distribute() {
  Filler filler(state_, std::move(capacity_));
  fill_all(filler, arriving_, FillSide::Back, &take);
  filler.align_wanted();
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    filler.fill(dim, leaving_[dim], FillSide::Front);
  }
  AxisList leftovers = flatten(leaving_);
  fill_all(filler, leftovers, FillSide::Front, &take);
  // Two sizes that do not divide each other could leave a gap in a dim, and a wrong number of
  // shards.
  fill_all(filler, arriving_, FillSide::Back, &take_common_factor);
  fill_all(filler, leftovers, FillSide::Front, &take_common_factor);
  filler.align_wanted();
}

}  // namespace shardy::reference
#endif  // SHARDY_BODIES
