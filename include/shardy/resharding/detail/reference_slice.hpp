#pragma once

#include <shardy/resharding/detail/reference_state.hpp>

namespace shardy::reference {

/// Phase 1: slices each dim towards the shard count it has in the end. Spec: resharding B.5, 1.
class SlicePhase {
 public:
  SlicePhase(State& state, std::span<const int64_t> shape)
      : state_(state), shape_(shape), capacity_(state.rank()), slice_(state.rank()) {}

  /// The axes to slice by, per dim; `cur` has them already.
  AxisLists run();

 private:
  void slice(std::size_t dim, AxisSpan refs) {
    for (const AxisRef& ref : refs) {
      append_or_merge(slice_[dim], ref);
      append_or_merge(state_.cur[dim], ref);
    }
  }

  /// How many refs at the back of `in` of `source` stand in the goal as they stand here, up to and
  /// with `place`; the walk goes to the left on both sides.
  std::size_t matched(std::size_t source, const Place& place) const;

  /// The refs of the goal from `place` on that are nowhere yet.
  AxisList free_run(const Place& place) const;

  /// (1a) What follows, in the goal, the refs that a later all-to-all takes from `source`, is
  /// sliced here and goes along with them.
  void slice_at_source(std::size_t source);

  /// (1b) What the dim itself wants and its capacity holds.
  void slice_in_place(std::size_t dim);

  /// Notes that the ref at `index` of the goal of `dim` was taken. Returns where to go on.
  std::size_t settle(std::size_t dim, std::size_t index, const Taken& taken);

  /// (1c) Capacity that is left takes what other dims want, to be moved there later.
  void slice_elsewhere();

  State& state_;
  std::span<const int64_t> shape_;
  std::vector<int64_t> capacity_;
  AxisLists slice_;
  AxisList available_;
};

}  // namespace shardy::reference

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/reference_slice_inl.hpp>
#endif
