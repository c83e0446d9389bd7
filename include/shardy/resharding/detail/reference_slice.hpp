#pragma once

#include <shardy/resharding/detail/reference_state.hpp>
#include <shardy/support/detail/inline.hpp>

namespace shardy::reference {

/// Phase 1: slices each dim towards its final number of shards. Spec: resharding B.5, phase 1.
class SlicePhase {
 public:
  SlicePhase(ReferenceState& state, std::span<const int64_t> shape)
      : state_(state), shape_(shape), capacity_(state.rank()), slice_(state.rank()) {}

  /// Returns the axes to slice by, per dim. `cur` of the state then contains these axes.
  AxisLists run();

 private:
  void slice(std::size_t dim, AxisSpan refs) {
    for (const AxisRef& ref : refs) {
      append_or_merge(slice_[dim], ref);
      append_or_merge(state_.cur[dim], ref);
    }
  }

  /// Returns how many refs at the end of `in` of dim `source` match the goal, read backwards from
  /// `place`.
  std::size_t matched(std::size_t source, const GoalPosition& place) const;

  /// Returns the refs of the goal from `place` on that are on no dim yet.
  AxisList free_run(const GoalPosition& place) const;

  /// (1a) Slices dim `source` by refs that follow, in the goal, the refs that a later all-to-all
  /// takes from `source`. The all-to-all then moves both.
  void slice_at_source(std::size_t source);

  /// (1b) Slices the dim by refs that the dim itself needs, as far as its capacity allows.
  void slice_in_place(std::size_t dim);

  /// Records that the ref at `index` of the goal of `dim` was taken. Returns the index of the next
  /// ref.
  std::size_t settle(std::size_t dim, std::size_t index, const SplitRef& taken);

  /// (1c) Fills the remaining capacity with refs that other dims need. Later steps move these refs.
  void slice_elsewhere();

  ReferenceState& state_;
  std::span<const int64_t> shape_;
  std::vector<int64_t> capacity_;
  AxisLists slice_;
  AxisList available_;
};

}  // namespace shardy::reference

#ifdef SHARDY_BODIES
namespace shardy::reference {

SHARDY_INLINE AxisLists SlicePhase::run() {
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    const int64_t wanted = sharding_size(state_.out[dim]);
    capacity_[dim] = wanted / gcd(sharding_size(state_.in[dim]), wanted);
  }
  for (std::size_t source = 0; source < state_.rank(); ++source) slice_at_source(source);
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) slice_in_place(dim);
  slice_elsewhere();
  return std::move(slice_);
}

SHARDY_INLINE std::size_t SlicePhase::matched(std::size_t source, const GoalPosition& place) const {
  const AxisList& in = state_.in[source];
  const AxisList& out = state_.out[place.dim];
  std::size_t count = 0;
  while (count < in.size() && count <= place.index &&
         in[in.size() - 1 - count] == out[place.index - count]) {
    ++count;
  }
  return count;
}

SHARDY_INLINE AxisList SlicePhase::free_run(const GoalPosition& place) const {
  const AxisList& out = state_.out[place.dim];
  const auto begin = out.begin() + static_cast<std::ptrdiff_t>(place.index);
  return {begin,
          std::find_if(begin, out.end(), [&](const AxisRef& ref) { return state_.is_used(ref); })};
}

SHARDY_INLINE void SlicePhase::slice_at_source(std::size_t source) {
  AxisList& in = state_.in[source];
  if (in.empty() || !state_.out[source].empty()) return;
  const std::optional<GoalPosition> last = state_.wanted(in.back());
  if (!last || !state_.in[last->dim].empty()) return;
  const AxisList run = free_run({last->dim, last->index + 1});
  if (run.empty()) return;
  const std::size_t count = matched(source, *last);
  const AxisSpan rest(in.data(), in.size() - count);
  const AxisSpan common = AxisSpan(in).last(count);
  for (const AxisRef& ref : rest) {
    const std::optional<GoalPosition> place = state_.wanted(ref);
    if (place && place->dim == last->dim) return;
  }
  const int64_t added = sharding_size(run);
  if (shape_[source] % (sharding_size(state_.cur[source]) * added) != 0) return;
  capacity_[last->dim] /= sharding_size(common) * added;
  slice(source, run);
  append(in, run);
  append(state_.used, run);
}

SHARDY_INLINE void SlicePhase::slice_in_place(std::size_t dim) {
  AxisList& out = state_.out[dim];
  for (std::size_t index = 0; index < out.size();) {
    const AxisRef ref = out[index];
    if (state_.is_used(ref)) {
      ++index;
      continue;
    }
    const std::optional<SplitRef> taken = take(ref, capacity_[dim]);
    if (!taken) {
      available_.push_back(ref);
      ++index;
      continue;
    }
    slice(dim, AxisSpan(&taken->part, 1));
    index = settle(dim, index, *taken);
  }
}

SHARDY_INLINE std::size_t SlicePhase::settle(std::size_t dim, std::size_t index,
                                             const SplitRef& taken) {
  AxisList& out = state_.out[dim];
  if (state_.in[dim].empty() && index == 0) {
    out.erase(out.begin());
  } else {
    state_.used.push_back(taken.part);
    state_.in[dim].push_back(taken.part);
    out[index++] = taken.part;
  }
  if (taken.rest) {
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(index++), *taken.rest);
    available_.push_back(*taken.rest);
  }
  return index;
}

SHARDY_INLINE void SlicePhase::slice_elsewhere() {
  Filler filler(state_, capacity_);
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    slice(dim, filler.fill(dim, available_, FillSide::Back));
  }
  filler.align_wanted();
}

}  // namespace shardy::reference
#endif  // SHARDY_BODIES
