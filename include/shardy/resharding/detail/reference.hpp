#pragma once

#include <cstdint>
#include <shardy/resharding/detail/reference_exchange.hpp>
#include <shardy/resharding/detail/reference_slice.hpp>
#include <shardy/resharding/detail/step_maker.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <vector>

namespace shardy::reference {

/// The steps between two lists of dim axes, and the number of rounds of phases that found them.
struct Sequence {
  std::vector<ReshardStep> steps;
  int rounds = 0;
};

/// The main loop of the reference planner. Spec: resharding B.5.
class ReferenceLoop {
 public:
  ReferenceLoop(ReferenceState state, StepMaker maker)
      : state_(std::move(state)), maker_(std::move(maker)) {}

  bool done() const { return state_.placed() && maker_.on_target_mesh(); }
  const ReferenceState& state() const { return state_; }

  void round(std::span<const int64_t> shape) {
    slice(shape);
    permute();
    exchange(TargetOrder::Required);
    exchange(TargetOrder::Any);
    gather_rest();
  }

  /// Ends a loop that makes no progress: gathers each dim to its common prefix with `end`, then
  /// slices. Requires: at least one round.
  void finish(const AxisLists& end);

  std::vector<ReshardStep> take_steps() { return maker_.take_steps(); }

 private:
  void slice(std::span<const int64_t> shape) {
    maker_.all_slice(SlicePhase(state_, shape).run(), state_.cur);
  }

  void permute();

  void exchange(TargetOrder order);

  void gather_rest();

  ReferenceState state_;
  StepMaker maker_;
};

/// Limit of rounds: more than twice the number that any pair of shardings on small meshes needs.
/// Spec: resharding B.8.
constexpr int kMaxRounds = 16;

/// Returns the steps that change the dim axes and the mesh from `from` to `to`. Requires: equal
/// unreduced axes, meshes that differ at most in device ids, `shape` of the rank of the shardings.
/// Spec: resharding B.4, B.5, B.8.
Sequence sequence(std::span<const int64_t> shape, const TensorSharding& from,
                  const TensorSharding& to);

}  // namespace shardy::reference

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/resharding/detail/coexistence.hpp>
#include <shardy/resharding/detail/reference_permute.hpp>

namespace shardy::reference {

SHARDY_INLINE void ReferenceLoop::finish(const AxisLists& end) {
  const AxisLists begin = std::move(state_.cur);
  AxisLists common;
  for (std::size_t dim = 0; dim < begin.size(); ++dim) {
    common.push_back(greatest_common_prefix(begin[dim], end[dim]));
  }
  maker_.all_gather(rest_after(begin, common), common);
  maker_.all_slice(rest_after(end, common), end);
}

SHARDY_INLINE void ReferenceLoop::permute() {
  const bool rearrange = PermuteTest(state_).run();
  if (rearrange) Rearrangement(state_).run();
  if (rearrange || !maker_.on_target_mesh()) maker_.collective_permute(state_.cur);
}

SHARDY_INLINE void ReferenceLoop::exchange(TargetOrder order) {
  for (std::size_t source = 0; source < state_.rank(); ++source) {
    while (std::optional<AllToAllMove> param = movable(state_, source, order)) {
      move(state_, *param);
      param->axes = merged(param->axes);
      maker_.all_to_all(*std::move(param), state_.cur);
    }
  }
}

SHARDY_INLINE void ReferenceLoop::gather_rest() {
  AxisLists gathered;
  for (std::size_t dim = 0; dim < state_.rank(); ++dim) {
    gathered.push_back(gather(state_, dim));
  }
  maker_.all_gather(gathered, state_.cur);
}

SHARDY_INLINE Sequence sequence(std::span<const int64_t> shape, const TensorSharding& from,
                                const TensorSharding& to) {
  const AxisLists begin = dim_axes(from);
  const AxisLists end = dim_axes(to);
  const AxisList wanted = flatten(end);
  AxisLists kept;
  for (const AxisList& list : begin) kept.push_back(coexisting_prefix(list, wanted));
  StepMaker maker(from, to);
  maker.all_gather(rest_after(begin, kept), kept);

  ReferenceLoop loop(make_state(kept, end), std::move(maker));
  int rounds = 0;
  for (std::vector<ReferenceState> seen; !loop.done(); ++rounds) {
    // Shardy asserts that two rounds suffice. An axis of size 1 may never be placed, so the loop
    // also ends when a state repeats.
    if (rounds == kMaxRounds || std::ranges::find(seen, loop.state()) != seen.end()) {
      loop.finish(end);
      break;
    }
    seen.push_back(loop.state());
    loop.round(shape);
  }
  return {loop.take_steps(), rounds};
}

}  // namespace shardy::reference
#endif  // SHARDY_BODIES
