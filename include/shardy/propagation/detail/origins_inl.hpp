// Bodies of origins.hpp.
#pragma once

#include <optional>
#include <shardy/propagation/detail/origins.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/support/inline.hpp>
#include <string>

namespace shardy::propagation {

SHARDY_INLINE std::optional<std::string> Origins::find(SlotId storage, const AxisRef& axis) const {
  const OfSlot& origins = of(storage);
  if (const auto exact = origins.find(axis); exact != origins.end()) return exact->second;
  for (const auto& [other, origin] : origins) {
    if (contains(other, axis) || contains(axis, other)) return origin;
  }
  return std::nullopt;
}

SHARDY_INLINE void Origins::follow(const Problem& problem, const DecisionLog& log) {
  for (const LoggedStep& step : log.steps()) {
    const auto tensors = problem.tensors(step.node);
    const auto storage = [&](std::size_t tensor) {
      const SlotId stored = problem.slot(tensors[tensor].slot).storage;
      const auto shared = shared_.find(stored);
      return shared != shared_.end() ? shared->second : stored;
    };
    for (const AxisMove& move : step.moves) {
      const auto origin = find(storage(move.source), move.axis);
      if (origin) add(storage(move.target), move.axis, *origin);
    }
  }
}

}  // namespace shardy::propagation
