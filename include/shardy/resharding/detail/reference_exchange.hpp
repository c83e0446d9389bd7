#pragma once

#include <shardy/resharding/detail/reference_state.hpp>
#include <shardy/resharding/step.hpp>

namespace shardy::reference {

enum class TargetOrder { Required, Any };

/// Phases 3 and 4: the longest back of `in` of `source` that one other dim wants, if it is in the
/// order in which that dim wants it next (or that does not matter). Spec: resharding B.5, 3/4.
std::optional<AllToAllMove> movable(const State& state, std::size_t source, TargetOrder order);

/// Moves what movable() found: to its place, if all before it is there, else to the back of the
/// dim.
void move(State& state, const AllToAllMove& param);

/// Phase 5: removes unwanted refs from the back of `in` of `dim`. Spec: resharding B.5, 5.
AxisList gather(State& state, std::size_t dim);

}  // namespace shardy::reference

#ifdef SHARDY_HEADER_ONLY
#include <shardy/resharding/detail/reference_exchange_inl.hpp>
#endif
