// Bodies of reference.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <shardy/resharding/detail/coexistence.hpp>
#include <shardy/resharding/detail/reference.hpp>
#include <shardy/resharding/detail/reference_exchange.hpp>
#include <shardy/resharding/detail/reference_permute.hpp>
#include <shardy/resharding/detail/step_maker.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <vector>

namespace shardy::reference {

SHARDY_INLINE void Loop::finish(const AxisLists& end) {
  const AxisLists begin = std::move(state_.cur);
  AxisLists common;
  for (std::size_t dim = 0; dim < begin.size(); ++dim) {
    common.push_back(greatest_common_prefix(begin[dim], end[dim]));
  }
  maker_.all_gather(rest_after(begin, common), common);
  maker_.all_slice(rest_after(end, common), end);
}

SHARDY_INLINE void Loop::permute() {
  const bool rearrange = PermuteTest(state_).run();
  if (rearrange) Rearrangement(state_).run();
  if (rearrange || !maker_.on_target_mesh()) maker_.collective_permute(state_.cur);
}

SHARDY_INLINE void Loop::exchange(TargetOrder order) {
  for (std::size_t source = 0; source < state_.rank(); ++source) {
    while (std::optional<AllToAllMove> param = movable(state_, source, order)) {
      move(state_, *param);
      param->axes = merged(param->axes);
      maker_.all_to_all(*std::move(param), state_.cur);
    }
  }
}

SHARDY_INLINE void Loop::gather_rest() {
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

  Loop loop(make_state(kept, end), std::move(maker));
  int rounds = 0;
  for (std::vector<State> seen; !loop.done(); ++rounds) {
    // The reference asserts after two rounds. An axis of size 1 may never be placed.
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
