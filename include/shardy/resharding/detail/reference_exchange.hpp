#pragma once

#include <shardy/resharding/detail/reference_state.hpp>
#include <shardy/resharding/step.hpp>
#include <shardy/support/detail/inline.hpp>

namespace shardy::reference {

enum class TargetOrder { Required, Any };

/// Returns the longest suffix of `in` of dim `source` that one other dim needs. If `order` requires
/// it, the refs must be the next ones of that dim, in order. Phases 3 and 4 of resharding B.5.
std::optional<AllToAllMove> movable(const ReferenceState& state, std::size_t source,
                                    TargetOrder order);

/// Moves the refs that movable() returned to the target dim: to their final positions if all
/// earlier refs of the dim are placed, else to the end of the dim.
void move(ReferenceState& state, const AllToAllMove& param);

/// Removes refs that no dim needs from the end of `in` of dim `dim`, and returns them. Phase 5 of
/// resharding B.5.
AxisList gather(ReferenceState& state, std::size_t dim);

}  // namespace shardy::reference

#ifdef SHARDY_BODIES
namespace shardy::reference {

SHARDY_INLINE std::optional<AllToAllMove> movable(const ReferenceState& state, std::size_t source,
                                                  TargetOrder order) {
  const AxisList& in = state.in[source];
  if (in.empty()) return std::nullopt;
  const std::optional<GoalPosition> place = state.wanted(in.back());
  if (!place || place->dim == source) return std::nullopt;
  std::size_t begin = in.size();
  for (; begin > 0; --begin) {
    const std::optional<GoalPosition> next = state.wanted(in[begin - 1]);
    if (!next || next->dim != place->dim) break;
  }
  AxisList segment(in.begin() + static_cast<std::ptrdiff_t>(begin), in.end());
  const AxisList& out = state.out[place->dim];
  if (order == TargetOrder::Required &&
      (segment.size() > out.size() || !std::equal(segment.begin(), segment.end(), out.begin()))) {
    return std::nullopt;
  }
  return AllToAllMove{std::move(segment), static_cast<int64_t>(source),
                      static_cast<int64_t>(place->dim)};
}

SHARDY_INLINE void move(ReferenceState& state, const AllToAllMove& param) {
  const auto source = static_cast<std::size_t>(param.source);
  const auto target = static_cast<std::size_t>(param.target);
  remove_suffix(state.cur[source], param.axes);
  state.in[source].resize(state.in[source].size() - param.axes.size());
  AxisList& in = state.in[target];
  AxisList& out = state.out[target];
  for (const AxisRef& ref : param.axes) {
    append_or_merge(state.cur[target], ref);
    if (in.empty() && !out.empty() && out.front() == ref) {
      out.erase(out.begin());
      state.unuse(ref);
    } else {
      in.push_back(ref);
    }
  }
}

SHARDY_INLINE AxisList gather(ReferenceState& state, std::size_t dim) {
  AxisList& in = state.in[dim];
  std::size_t begin = in.size();
  while (begin > 0 && !state.wanted(in[begin - 1])) --begin;
  const AxisList segment(in.begin() + static_cast<std::ptrdiff_t>(begin), in.end());
  in.resize(begin);
  remove_suffix(state.cur[dim], segment);
  for (const AxisRef& ref : segment) state.unuse(ref);
  return merged(segment);
}

}  // namespace shardy::reference
#endif  // SHARDY_BODIES
